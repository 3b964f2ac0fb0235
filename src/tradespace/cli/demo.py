"""Find settings of a metal printer for strong and smooth parts, from start to end.

A weld track (1 hour) shows how deep the laser melts, which must stay within
bounds; a test piece (10 hours) shows strength and roughness. The search decides
at each step which of the two to make, and with what laser power and speed. The
printer is a simulation whose best trade-offs are known, so that the result can
be compared with the truth. It takes less than a minute.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tradespace.cli.outcome import Outcome
    from tradespace.cli.progress import Progress

SUMMARY = "solve an example from start to end, in under a minute"
INTRODUCTION = """\
A laser melts metal powder. Which power (100-400 W) and speed (300-2500 mm/s)
make strong and smooth parts? The melt must be 80-120 µm deep: less leaves gaps
between the layers, more boils the metal. Two kinds of experiment tell:
  weld track   1 hour    shows the depth
  test piece  10 hours   shows strength and roughness
"""
PICTURE = "front.png"


def add_options(parser: argparse.ArgumentParser) -> None:
    """What can be said about a demo."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument(
        "--out",
        metavar="FOLDER",
        type=Path,
        default=Path("tradespace-demo"),
        help="where the picture is saved (default: %(default)s)",
    )
    parser.add_argument(
        "--seed",
        metavar="N",
        type=partial(_whole, least=0),
        default=0,
        help="of the search and of the measurements' errors (default: %(default)s)",
    )
    parser.add_argument(
        "--trials",
        metavar="N",
        # One weld track and one test piece: with less there is nothing to recommend.
        type=partial(_whole, least=2),
        default=36,
        help="weld tracks and test pieces to make, together (default: %(default)s)",
    )
    parser.add_argument(
        "--json", action="store_true", help="print the result as JSON on standard output"
    )


def run(options: argparse.Namespace) -> int:
    """Solve the problem, show the result and save its picture; the exit code."""
    picture = options.out / PICTURE
    _check_writable(picture)
    from rich.console import Console

    from tradespace.cli import progress

    messages = Console(stderr=True, highlight=False)
    messages.print(INTRODUCTION, soft_wrap=True)
    with progress.shown(messages, options.trials, "hours") as shown:
        outcome = _solve(options.seed, options.trials, shown)
        shown.say("Drawing the picture")
        from tradespace.cli.picture import draw

        draw(outcome, picture)
    if options.json:
        json.dump({**outcome.as_json(), "picture": str(picture)}, sys.stdout, indent=2)
        print()
    else:
        from tradespace.cli.table import show

        show(outcome, picture)
    return 0


def _solve(seed: int, trials: int, shown: Progress) -> Outcome:
    shown.say("Measuring settings spread out evenly")
    import numpy as np

    from tradespace.cli.outcome import Outcome
    from tradespace.problems.printer import measure, metal_printer
    from tradespace.study import Study, Trial

    started = time.monotonic()
    printer = metal_printer()
    rng = np.random.default_rng([seed, 1])
    experiments = {
        name: partial(measure, rng, group.measures)
        for name, group in printer.problem.groups.items()
    }
    study = Study(printer.problem, seed=seed)
    chosen_from = study.start * len(experiments)

    def tell(trial: Trial) -> None:
        shown.advance(study.cost)
        if trial.id + 1 == chosen_from:
            shown.say("Compiling the models (quicker next time)")
        elif trial.id == chosen_from:
            shown.say("Choosing experiments")

    study.run(experiments, trials=trials, callback=tell)
    shown.say("Searching the models for the best trade-offs")
    recommendation = study.recommend()
    return Outcome(printer, seed, study.trials(), recommendation, time.monotonic() - started)


def _check_writable(picture: Path) -> None:
    """Raise before the work is done what would be raised when it is to be saved."""
    try:
        picture.parent.mkdir(parents=True, exist_ok=True)
        known = picture.exists()
        picture.open("ab").close()
        if not known:
            picture.unlink()
    except OSError as error:
        raise OSError(
            f"the picture cannot be saved as {picture} ({error.strerror}); "
            "choose another folder with --out"
        ) from None


def _whole(word: str, least: int) -> int:
    if not word.isdecimal() or int(word) < least:
        raise argparse.ArgumentTypeError(f"must be a whole number, {least} or more, not {word!r}")
    return int(word)
