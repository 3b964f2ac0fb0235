"""Run the speed benchmark, or go on with it: `python -m benchmarks.speed.run --help`."""

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# Before anything loads NumPy or JAX: one BLAS thread for every process started from here.
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
if __name__ == "__main__":
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))

from benchmarks.peers import peer  # noqa: E402
from benchmarks.quality.drive import engine  # noqa: E402
from benchmarks.speed import against, compilations, floor, growth, sampled, start  # noqa: E402
from benchmarks.speed.machine import Others, apart, describe  # noqa: E402
from benchmarks.speed.steady import Case  # noqa: E402

RESULTS = Path(__file__).with_name("results.json")
QUICK = Path(tempfile.gettempdir()) / "tradespace-speed-quick.json"

# The comparisons with the peer: threads, and whether a study gathered the data.
AGAINST = {
    "against, one thread, gathered data": (1, True),
    "against, two threads, gathered data": (2, True),
    "against, one thread, uniform data": (1, False),
    "against, two threads, uniform data": (2, False),
}


@dataclass(frozen=True)
class Part:
    """One measurement: what is called, with what, and on how many cores (None: all)."""

    work: Callable[..., dict[str, Any]]
    named: dict[str, Any] = field(default_factory=dict)
    cores: int | None = 1


def parts(quick: bool, peer_python: str | None) -> dict[str, Part]:
    """Every part by name, in the order they run."""
    sizes = [20] if quick else [20, 50, 100, 200]
    few = 1 if quick else 3
    several = 1 if quick else 5
    theirs = {"sizes": sizes, "peer_python": peer_python}
    four_inputs = Case()
    wide = Case(inputs=6, objectives=4)
    apart_case = Case(decoupled=True)
    front = {
        "measured": 20,
        "studies": 1 if quick else 4,
        "samples": 1 if quick else 5,
        "generations": 20 if quick else 100,
    }
    growing = {"measured": 6 if quick else 200, "samples": 2, "candidates": 50}
    return {
        **{
            name: Part(
                against.measure,
                {"threads": threads, "gathered": gathered, "repeats": few, **theirs},
                cores=threads,
            )
            for name, (threads, gathered) in AGAINST.items()
        },
        "floor": Part(floor.measure, {"sizes": sizes, "repeats": few}),
        "start": Part(start.measure, {"measured": 20, "repeats": several}, cores=None),
        "compilations": Part(compilations.while_growing, growing, cores=None),
        "more objectives": Part(
            growth.side_by_side,
            {
                "cases": {"four inputs": four_inputs, "six inputs, four objectives": wide},
                "measured": 20 if quick else 100,
                "repeats": several,
            },
        ),
        "decoupled": Part(
            growth.side_by_side,
            {
                "cases": {"coupled": four_inputs, "decoupled": apart_case},
                "measured": 20 if quick else 50,
                "repeats": several,
            },
        ),
        "fronts, 4 inputs": Part(sampled.measure, {"inputs": 4, **front}, cores=None),
        "fronts, 6 inputs": Part(sampled.measure, {"inputs": 6, **front}, cores=None),
        "growth with black boxes": Part(
            growth.with_constraints,
            {"counts": [0, 2] if quick else [0, 2, 4, 8], "measured": 50, "repeats": few},
        ),
        "growth with measurements": Part(
            growth.with_measurements,
            {"sizes": [25, 50] if quick else [25, 50, 100, 200, 400], "repeats": few},
        ),
        "memory": Part(growth.memory, {"measured": 50 if quick else 400}, cores=None),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    chosen = _parser().parse_args(arguments)
    path = chosen.results or (QUICK if chosen.quick else RESULTS)
    every = parts(chosen.quick, chosen.peer_python)
    unknown = [name for name in chosen.only if not any(name in part for part in every)]
    if unknown:
        print(f"no part has {unknown[0]!r} in its name; the parts: {'; '.join(every)}")
        return 2
    wanted = [name for name in every if not chosen.only or any(o in name for o in chosen.only)]
    if any(name.startswith("against") for name in wanted):
        peer.find_python(chosen.peer_python)
    done = json.loads(path.read_text()) if path.exists() else {}
    left = [name for name in wanted if chosen.restart or name not in done]
    print(f"{len(wanted)} parts, {len(left)} of them not measured yet; results in {path}")
    with tempfile.TemporaryDirectory() as cache:
        # One cache for all parts, so that none waits for what another one has compiled.
        os.environ["TRADESPACE_CACHE"] = cache
        for name in left:
            begun = time.monotonic()
            with Others() as others:
                found = apart(every[name].cores, every[name].work, **every[name].named)
            about = {"machine": describe(), "engine": engine(), "others": round(others.cores, 2)}
            done[name] = {**about, **found}
            _write(path, done)
            print(f"{name}: {time.monotonic() - begun:.0f} s", flush=True)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="benchmarks.speed.run", description=__doc__)
    parser.add_argument(
        "--only", nargs="+", default=[], metavar="PART", help="parts with this in their names"
    )
    parser.add_argument("--restart", action="store_true", help="measure again what is there")
    parser.add_argument(
        "--quick", action="store_true", help="small and few: to see that it works, not to publish"
    )
    parser.add_argument("--results", type=Path, help=f"default: {RESULTS.name} beside this file")
    peer.add_argument(parser)
    return parser


def _write(path: Path, done: dict[str, Any]) -> None:
    """Whole or not at all: a run that is stopped leaves what was there."""
    beside = path.with_suffix(".part")
    beside.write_text(json.dumps(done, indent=1) + "\n")
    beside.replace(path)


if __name__ == "__main__":
    sys.exit(main())
