"""Where a method's suggestions went: in numbers, why it wins or loses."""

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

import numpy as np
from benchmarks.quality.problems import named
from benchmarks.quality.record import Record

from tradespace.pareto import non_dominated
from tradespace.problems.testproblem import TestProblem

# A coordinate this near an end of its range is on the edge.
EDGE = 1e-3


class Whereabouts(NamedTuple):
    """Of all suggestions: shares that were feasible, that are on the run's measured front in the
    end, and of their coordinates on the edge of the range; and the median distance to the nearest
    input measured before, as a share of the cube's diagonal."""

    feasible: float
    front: float
    edge: float
    step: float


def whereabouts(runs: Iterable[tuple[str, Record]]) -> Whereabouts | None:
    """Of the suggestions of these runs (problem and record), None where there are none."""
    found = [_of_run(problem, record) for problem, record in runs if record.trials]
    columns = np.concatenate([np.empty((0, 4)), *found])
    if not len(columns):
        return None
    return Whereabouts(*columns[:, :3].mean(axis=0), float(np.median(columns[:, 3])))


def _of_run(problem: str, record: Record) -> np.ndarray:
    """A row for each suggestion."""
    points = np.array([entry["point"] for entry in record.trials])
    objectives, slacks = _known(problem).evaluate_points(points)
    spans = _known(problem).problem.spans
    feasible = ((slacks >= 0.0) & (slacks <= spans)).all(axis=1)
    front = np.zeros(len(points), bool)
    front[feasible] = non_dominated(objectives[feasible])
    edge = ((points < EDGE) | (points > 1.0 - EDGE)).mean(axis=1)
    apart = np.sqrt(((points[:, None] - points[None]) ** 2).mean(axis=2))
    before = np.tril(np.ones_like(apart, bool), -1)
    step = np.where(before, apart, np.inf).min(axis=1)
    suggested = np.array(["gain" in entry for entry in record.trials])
    return np.column_stack([feasible, front, edge, step])[suggested]


@cache
def _known(problem: str) -> TestProblem:
    return named(problem)
