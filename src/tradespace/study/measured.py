"""The best trade-offs among what was measured."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean
from typing import Any

import numpy as np

from tradespace.problem import Problem
from tradespace.study.records import Front, Tradeoff
from tradespace.study.trial import Trial


def measured_front(problem: Problem, trials: Iterable[Trial]) -> Front:
    """Trade-offs at inputs where everything was measured: feasible and non-dominated.

    Sorted by the objectives, each with its better end first.
    """
    # Here and not above: a study that is only told does not need moocore.
    from tradespace.pareto import non_dominated

    feasible = [point for point in joined(problem, trials) if problem.is_feasible(point.values)]
    if not feasible:
        return Front()
    objectives = np.array(
        [
            [problem.to_inside(name, point.values[name]) for name in problem.objectives]
            for point in feasible
        ]
    )
    # Ties are broken by the inputs: the order in which they were told must not matter.
    columns = problem.space.encode_all([point.inputs for point in feasible])
    order = np.lexsort(np.hstack([objectives, columns]).T[::-1])
    best = non_dominated(objectives[order])
    return Front(feasible[i] for i in order[best])


def joined(problem: Problem, trials: Iterable[Trial]) -> list[Tradeoff]:
    """Inputs at which each quantity was measured, by one trial or several; means of repeats."""
    at: dict[tuple[Any, ...], list[Trial]] = {}
    for trial in trials:
        if trial.state == "measured":
            at.setdefault(tuple(trial.inputs.values()), []).append(trial)
    found = []
    for same in at.values():
        values = {
            name: [trial.values[name] for trial in same if name in trial.values]
            for name in problem.black_boxes
        }
        if all(values.values()):
            means = {name: fmean(repeats) for name, repeats in values.items()}
            found.append(Tradeoff(same[0].inputs, means, tuple(trial.id for trial in same)))
    return found
