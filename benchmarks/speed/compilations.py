"""Compilations, counted by JAX's own events: in general, and while a study grows.

Each time JAX asks for an executable program, it reports one event with the program's name. That
counts a program that was found in the cache on disk, too: the figures do not depend on the cache.
"""

import time
from collections import Counter
from functools import cache
from typing import Any

import jax

EVENT = "/jax/core/compile/backend_compile_duration"


@cache
def compiled() -> list[str]:
    """The names of the programs compiled in this process since this was first called."""
    names: list[str] = []

    def hear(event: str, seconds: float, **details: Any) -> None:
        if event == EVENT:
            names.append(str(details.get("fun_name", "unnamed")))

    jax.monitoring.register_event_duration_secs_listener(hear)
    return names


def while_growing(measured: int, samples: int, candidates: int) -> dict[str, Any]:
    """What is compiled while a study grows from nothing, with a recommendation after each result.

    A smaller method compiles as often as a larger one: only the sizes of arrays differ.
    """
    from benchmarks.speed.steady import Case, MesmocPlus

    import tradespace as ts

    names = compiled()
    case = Case(method=MesmocPlus(samples=samples, candidates=candidates))
    test_problem = case.problem
    study = ts.Study(test_problem.problem, case.method, seed=1, start=1)
    start, at = time.perf_counter(), []
    for count in range(1, measured + 1):
        before = len(names)
        trial = study.ask()
        study.tell(trial, test_problem.evaluate(trial.inputs))
        study.recommend()
        at += [count] * (len(names) - before)
    return {
        "measured": measured,
        "samples": samples,
        "candidates": candidates,
        "compilations": len(names),
        "programs": dict(Counter(names)),
        "at": at,
        "seconds": time.perf_counter() - start,
    }
