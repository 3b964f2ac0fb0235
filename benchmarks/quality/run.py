"""Run the quality benchmark, or go on with it: `python -m benchmarks.quality.run --help`."""

import argparse
import multiprocessing
import os
import queue
import sys
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path
from typing import Any, get_args

# Before anything loads NumPy or JAX: one thread for each worker process, which inherits this.
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
if __name__ == "__main__":
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))

from benchmarks.peers import peer  # noqa: E402
from benchmarks.quality import methods  # noqa: E402
from benchmarks.quality.drive import EVEN, advance  # noqa: E402
from benchmarks.quality.problems import PROBLEMS, answered, named  # noqa: E402
from benchmarks.quality.record import Mode, Record, Run  # noqa: E402

RESULTS = Path(__file__).with_name("results")


@dataclass(frozen=True)
class Settings:
    """What all runs have in common."""

    results: Path
    budget: float
    every: int
    deadline: float
    peer_python: str | None


def main(arguments: Sequence[str] | None = None) -> int:
    chosen = _parser().parse_args(arguments)
    deadline = time.monotonic() + 60.0 * chosen.minutes
    settings = Settings(chosen.results, chosen.budget, chosen.every, deadline, chosen.peer_python)
    runs, skipped = _runs(chosen)
    for reason in skipped:
        print(f"left out: {reason}")
    if any(run.method in methods.PEERS for run in runs):
        peer.find_python(settings.peer_python)
    if chosen.restart:
        for run in runs:
            (settings.results / run.file).unlink(missing_ok=True)
    for name in dict.fromkeys(run.problem for run in runs):
        answered(name, "coupled", settings.results)
    left = [run for run in runs if not _finished(run, settings)]
    print(f"{len(runs)} runs, {len(left)} of them not finished, {chosen.workers} workers")
    return _work_all(left, settings, chosen.workers)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="benchmarks.quality.run", description=__doc__)
    parser.add_argument(
        "--methods",
        nargs="+",
        metavar="METHOD",
        default=list(methods.NAMES),
        help=f"default: {' '.join(methods.NAMES)}; other floors by the same pattern",
    )
    parser.add_argument("--problems", nargs="+", choices=list(PROBLEMS), default=list(PROBLEMS))
    parser.add_argument("--modes", nargs="+", choices=get_args(Mode), default=["coupled"])
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2, 3, 4])
    parser.add_argument("--budget", type=float, default=40.0, help="in measurements of everything")
    parser.add_argument("--every", type=int, default=5, help="evaluations between checkpoints")
    parser.add_argument("--workers", type=int, default=1, help="processes, one core each")
    parser.add_argument(
        "--minutes", type=float, default=inf, help="stop after so long; run again to go on"
    )
    parser.add_argument("--restart", action="store_true", help="delete these runs' results first")
    parser.add_argument("--results", type=Path, default=RESULTS)
    peer.add_argument(parser)
    return parser


def _runs(chosen: argparse.Namespace) -> tuple[list[Run], list[str]]:
    """Seed by seed, so that what is there at any time compares all methods."""
    runs: list[Run] = []
    skipped: list[str] = []
    for seed in chosen.seeds:
        for problem in chosen.problems:
            for mode in chosen.modes:
                parts = named(problem, mode).problem
                for method in chosen.methods:
                    reason = methods.unfit(method, parts)
                    if reason:
                        skipped.append(f"{method} on {problem}, {mode}: {reason}")
                    else:
                        runs.append(Run(seed, problem, mode, method))
    return runs, list(dict.fromkeys(skipped))


def _finished(run: Run, settings: Settings) -> bool:
    record = Record.read(settings.results / run.file)
    enough = settings.budget - EVEN
    return (
        record.cost >= enough
        and record.checkpoints[-1:] != []
        and (record.checkpoints[-1]["checkpoint"] >= enough)
    )


def _work_all(runs: list[Run], settings: Settings, workers: int) -> int:
    """Runs handed to workers one by one; the number of runs that went wrong, at most 1."""
    spawn = multiprocessing.get_context("spawn")
    todo: Any = spawn.Queue()
    for run in [*runs, *[None] * workers]:
        todo.put(run)
    cores = sorted(os.sched_getaffinity(0))
    processes = [
        spawn.Process(target=_work, args=(todo, settings, cores[i % len(cores)]))
        for i in range(workers)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    return int(any(process.exitcode for process in processes))


def _work(todo: Any, settings: Settings, core: int) -> None:
    """A worker process: it keeps to one core, and so do BLAS, XLA and the peer."""
    os.sched_setaffinity(0, {core})
    wrong, peers, problem = 0, list[peer.Peer](), None
    try:
        while (run := _next(todo)) is not None and time.monotonic() < settings.deadline:
            if problem not in (None, run.problem):
                _forget_programs()
            problem = run.problem
            start = time.monotonic()
            try:
                state = "finished" if _one(run, settings, peers) else "stopped"
            except Exception:
                # One run that goes wrong must not take the night's others with it.
                traceback.print_exc()
                wrong, state = wrong + 1, "went wrong"
            print(f"{run.file}: {state}, {time.monotonic() - start:.1f} s", flush=True)
    finally:
        for each in peers:
            each.close()
    sys.exit(min(wrong, 1))


def _next(todo: Any) -> Run | None:
    try:
        found: Run | None = todo.get(timeout=10.0)
    except queue.Empty:
        return None
    return found


def _one(run: Run, settings: Settings, peers: list[peer.Peer]) -> bool:
    test_problem = answered(run.problem, run.mode, settings.results)
    record = Record.read(settings.results / run.file)
    make = partial(_chooser, run, test_problem.problem, settings, peers)
    return advance(
        record, test_problem, run.seed, make, settings.budget, settings.every, settings.deadline
    )


def _chooser(run: Run, problem: Any, settings: Settings, peers: list[peer.Peer]) -> methods.Chooser:
    if run.method in methods.PEERS:
        if not peers:
            peers.append(peer.Peer(settings.peer_python, threads=1))
        return methods.Nehvi(peers[0], problem, methods.PEERS[run.method], run.seed)
    return methods.Ours(problem, methods.method(run.method), run.seed)


def _forget_programs() -> None:
    """Drop compiled programs from memory; they are still in the cache on disk."""
    from jax import clear_caches

    clear_caches()  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    sys.exit(main())
