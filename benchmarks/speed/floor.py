"""An iteration against the time its floating-point work alone would take.

The work is counted by running the code's own programs with counters in them (work.py), for data
without padding; each kind is multiplied by the time it takes on this machine by itself (rates.py).
What is left out of the floor: moving and choosing numbers, integers, sorting, everything NumPy
does (random numbers, fronts cut to size), and calling.
"""

import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any

import jax
from benchmarks.speed.machine import median
from benchmarks.speed.rates import seconds
from benchmarks.speed.steady import Case, iterations
from benchmarks.speed.work import Counting, Kind, Tally

from tradespace import programs
from tradespace.compilation import surroundings

PARTS = {
    "cholesky": "Cholesky factors",
    "triangular_solve": "triangular solves",
    "dot_general": "matrix products",
    "exp": "exponentials",
    "arithmetic": "sums and products",
}
REST = "other functions"


def measure(sizes: Sequence[int], repeats: int) -> dict[str, Any]:
    """Seconds of an iteration at each number of measurements, and of its work alone."""
    case = Case()
    timed = {size: [each.total for each in iterations(case, size, repeats)] for size in sizes}
    tallies = {size: count(case, size) for size in sizes}
    rates: dict[Kind, float] = {}
    found = {}
    for size, tally in tallies.items():
        with surroundings():
            for kind, example in tally.examples.items():
                if kind not in rates:
                    rates[kind] = seconds(kind, example)
        parts: Counter[str] = Counter()
        for kind, amount in tally.amounts.items():
            parts[PARTS.get(kind.name, REST)] += amount * rates[kind]
        found[str(size)] = {
            "seconds": median(timed[size]),
            "floor": sum(parts.values()),
            "parts": dict(parts),
            "factors": sum(n for kind, n in tally.amounts.items() if kind.name == "cholesky"),
            "work": _listed(tally, rates),
        }
    return {"repeats": repeats, "sizes": found}


def count(case: Case, measured: int) -> Tally:
    """The work of one iteration after so many measurements, in rows of exactly that number."""
    counters: list[Counting] = []
    restore = _replace_programs(counters)
    rows, programs.ROWS = programs.ROWS, (measured,)
    try:
        study = case.study(measured, seed=1)
        for counter in counters:
            counter.tally = Tally(Counter(), {})
        study.ask()
        study.recommend()
    finally:
        programs.ROWS = rows
        for module, name, function in restore:
            setattr(module, name, function)
    total = Tally(Counter(), {})
    for counter in counters:
        total = total.plus(counter.tally)
    return total


def _replace_programs(counters: list[Counting]) -> list[tuple[Any, str, Any]]:
    """Every compiled program of the library, wherever it is called from, made to count."""
    compiled = type(jax.jit(abs))
    made: dict[int, Counting] = {}
    before = []
    for module_name, module in list(sys.modules.items()):
        if module_name.split(".")[0] != "tradespace":
            continue
        for name, value in list(vars(module).items()):
            if isinstance(value, compiled):
                before.append((module, name, value))
                if id(value) not in made:
                    made[id(value)] = Counting(value.__wrapped__)
                setattr(module, name, made[id(value)])
    counters += made.values()
    return before


def _listed(tally: Tally, rates: dict[Kind, float]) -> list[dict[str, Any]]:
    """The kinds of work, the longest first."""
    kinds = sorted(tally.amounts, key=lambda kind: -tally.amounts[kind] * rates[kind])
    return [
        {
            "kind": kind.name,
            "dtype": kind.dtype,
            "shapes": kind.shapes,
            "amount": tally.amounts[kind],
            "seconds each": rates[kind],
            "seconds": tally.amounts[kind] * rates[kind],
        }
        for kind in kinds
    ]
