"""Whose models recommend better from the same data: `python -m benchmarks.quality.same_data`.

The measurements are the peer's own, of every stored run of it; its recommendation from them is
stored, ours is made here. What differs is the models and the search of their means alone.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

# Before anything loads NumPy or JAX: recommendations of small data gain nothing from more threads.
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
if __name__ == "__main__":
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))

import numpy as np  # noqa: E402
from benchmarks.page import PAGE, fill  # noqa: E402
from benchmarks.quality.drive import recommended_difference  # noqa: E402
from benchmarks.quality.methods import Ours  # noqa: E402
from benchmarks.quality.problems import answered  # noqa: E402
from benchmarks.quality.record import Record, Run  # noqa: E402
from benchmarks.quality.run import RESULTS  # noqa: E402

from tradespace.acquisition import default_method  # noqa: E402

PEER = "qLogNEHVI"


class Pair(NamedTuple):
    """Log hypervolume differences of two recommendations from the same data."""

    ours: float
    theirs: float


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.quality.same_data", description=__doc__)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--at", nargs="+", type=float, default=[20.0, 40.0])
    chosen = parser.parse_args(arguments)
    runs = sorted(Run.of_file(path.name) for path in chosen.results.glob(f"*.{PEER}.*.jsonl"))
    text = write(runs, chosen.results, chosen.at)
    chosen.page.write_text(fill(chosen.page.read_text(), "same data", text))
    print(text)
    return 0


def write(runs: Sequence[Run], results: Path, at: Sequence[float]) -> str:
    """Markdown: a row for each problem and number of measurements."""
    heads = ["problem", "measurements", "runs", "ours", PEER, "ours is lower by"]
    lines = [_line(heads), _line(["---"] * len(heads))]
    for checkpoint in at:
        every: list[Pair] = []
        for problem in sorted({run.problem for run in runs}):
            pairs = [
                pair
                for run in runs
                if run.problem == problem and (pair := compare(run, results, checkpoint))
            ]
            every += pairs
            if pairs:
                lines.append(_row(problem, checkpoint, pairs))
        if every:
            lines.append(_row("*all*", checkpoint, every))
    return "\n".join(lines) + "\n"


def compare(run: Run, results: Path, checkpoint: float) -> Pair | None:
    """Both recommendations from what a run of the peer's had measured by a checkpoint."""
    record = Record.read(results / run.file)
    theirs = [e["dropped"] for e in record.checkpoints if e["checkpoint"] == checkpoint]
    if not theirs:
        return None
    test_problem = answered(run.problem, run.mode, results)
    ours = Ours(test_problem.problem, default_method(), run.seed)
    return Pair(recommended_difference(record, test_problem, ours, checkpoint), theirs[-1])


def _row(problem: str, checkpoint: float, pairs: Sequence[Pair]) -> str:
    ours, theirs = np.array(pairs).T
    ahead = theirs - ours
    error = f" ± {ahead.std(ddof=1) / np.sqrt(len(ahead)):.2f}" if len(ahead) > 1 else ""
    means = [f"{ours.mean():.2f}", f"{theirs.mean():.2f}", f"{ahead.mean():.2f}{error}"]
    return _line([problem, f"{checkpoint:g}", str(len(pairs)), *means])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.exit(main())
