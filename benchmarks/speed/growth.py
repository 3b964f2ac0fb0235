"""How the time of an iteration grows with what it works on, and the memory it takes."""

import os
from collections.abc import Sequence
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from benchmarks.speed.machine import apart, median, most_memory
from benchmarks.speed.steady import Case, MesmocPlus, iterate, iterations, warm_up

Timed = dict[str, float]


def side_by_side(cases: dict[str, Case], measured: int, repeats: int) -> dict[str, Any]:
    """Median seconds of several cases, whose iterations take turns."""
    for case in cases.values():
        warm_up(case, measured)
    all_seconds: dict[str, list[float]] = {name: [] for name in cases}
    for seed in range(1, repeats + 1):
        for name, case in cases.items():
            all_seconds[name].append(iterate(case.study(measured, seed)).total)
    return {
        "measured": measured,
        "repeats": repeats,
        "seconds": {name: median(each) for name, each in all_seconds.items()},
    }


def with_constraints(counts: Sequence[int], measured: int, repeats: int) -> dict[str, Any]:
    """Seconds against the number of black boxes, by ADF, whose work should grow in proportion."""
    seconds = {}
    for constraints in counts:
        case = Case(constraints=constraints, method=MesmocPlus(conditioning="adf"))
        timed = [each.total for each in iterations(case, measured, repeats)]
        seconds[str(case.objectives + constraints)] = median(timed)
    return {
        "measured": measured,
        "repeats": repeats,
        "seconds": seconds,
        "exponent": exponent(seconds),
    }


def with_measurements(sizes: Sequence[int], repeats: int) -> dict[str, Any]:
    """Seconds against the number of measurements."""
    seconds = {}
    for size in sizes:
        timed = [each.total for each in iterations(Case(), size, repeats)]
        seconds[str(size)] = median(timed)
    return {
        "repeats": repeats,
        "seconds": seconds,
        "exponent": exponent(seconds),
        "last exponent": exponent(dict(list(seconds.items())[-2:])),
    }


def memory(measured: int) -> dict[str, Any]:
    """Megabytes held at most by a process that runs an iteration of one size, without and with
    compiled programs on disk."""
    with TemporaryDirectory() as cache:
        cold, warm = (apart(None, _held, measured, cache) for _ in range(2))
    return {"measured": measured, "cold": cold, "warm": warm}


def _held(measured: int, cache: str) -> float:
    os.environ["TRADESPACE_CACHE"] = cache
    study = Case().study(measured, seed=1)
    study.ask()
    study.recommend()
    return most_memory()


def exponent(seconds: dict[str, float]) -> float:
    """The power of the size that the seconds grow with, by least squares of the logarithms."""
    sizes = np.log([float(size) for size in seconds])
    return float(np.polyfit(sizes, np.log(list(seconds.values())), 1)[0])
