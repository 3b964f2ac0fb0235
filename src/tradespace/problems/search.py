"""The feasible front of a function that is cheap to evaluate, by evolution: slow and thorough."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from typing import NamedTuple

import moocore
import numpy as np
import numpy.typing as npt

from tradespace.inputs import Floats
from tradespace.pareto import non_dominated, thin
from tradespace.problems.testproblem import TestProblem, is_feasible
from tradespace.space import Space

POPULATION = 300
CHILDREN = 1000
START = 20_000
ISLANDS = 4


class Found(NamedTuple):
    """Feasible points none of which dominates another: unit columns (n, width), inside (n, K)."""

    points: Floats
    objectives: Floats


class _Evaluated(NamedTuple):
    points: Floats
    objectives: Floats
    violation: Floats

    def take(self, rows: npt.NDArray[np.intp] | npt.NDArray[np.bool_]) -> _Evaluated:
        return _Evaluated(*(array[rows] for array in self))

    def plus(self, other: _Evaluated) -> _Evaluated:
        return _Evaluated(*(np.concatenate(pair) for pair in zip(self, other, strict=True)))


def search(rng: np.random.Generator, test_problem: TestProblem, generations: int) -> Found:
    """Every non-dominated feasible point met by an evolution over so many generations.

    It starts from the ends of shorter ones, each from points of its own: what one of them loses
    early, another is likely to keep.
    """
    space = test_problem.problem.space
    starts = [space.sample(rng.random((START, space.size))) for _ in range(ISLANDS)]
    spread = test_problem.evaluate_points(starts[0])[1].std(axis=0)
    evaluate = partial(_evaluate, test_problem, np.where(spread > 0, spread, 1.0))
    islands = [
        _evolve(rng, space, evaluate, evaluate(start), generations // ISLANDS) for start in starts
    ]
    found = _evolve(rng, space, evaluate, reduce(_Evaluated.plus, islands), generations)
    front = _front(found)
    return Found(front.points, front.objectives)


def _evolve(
    rng: np.random.Generator,
    space: Space,
    evaluate: Callable[[Floats], _Evaluated],
    start: _Evaluated,
    generations: int,
) -> _Evaluated:
    """The last population, and every non-dominated feasible point met on the way."""
    kept = _front(start)
    population = start
    recent: list[_Evaluated] = []
    for generation in range(1, generations + 1):
        population = population.take(_fittest(population))
        children = evaluate(space.snap(_vary(rng, space, population)))
        population = population.plus(children)
        recent.append(_front(children))
        if generation % 20 == 0 or generation == generations:
            kept = _front(reduce(_Evaluated.plus, recent, kept))
            recent = []
    return kept.plus(population)


def _evaluate(test_problem: TestProblem, spread: Floats, points: Floats) -> _Evaluated:
    """Objectives, and the sum of constraint violations, each in units of its spread."""
    objectives, constraints = test_problem.evaluate_points(points)
    over = np.maximum(constraints - test_problem.problem.spans, 0.0)
    violation = ((np.maximum(-constraints, 0.0) + over) / spread).sum(axis=1)
    violation[is_feasible(test_problem.problem, constraints)] = 0.0
    return _Evaluated(points, objectives, violation)


def _front(evaluated: _Evaluated) -> _Evaluated:
    feasible = evaluated.take(evaluated.violation == 0)
    return feasible.take(non_dominated(feasible.objectives))


def _fittest(evaluated: _Evaluated) -> npt.NDArray[np.intp]:
    """Feasible before infeasible; among those by layers of dominance, the last one thinned."""
    feasible = np.flatnonzero(evaluated.violation == 0)
    if len(feasible) <= POPULATION:
        return np.argsort(evaluated.violation, kind="stable")[:POPULATION]
    objectives = evaluated.objectives[feasible]
    layer = moocore.pareto_rank(objectives)
    size = np.cumsum(np.bincount(layer))
    last = int(np.searchsorted(size, POPULATION))
    before = np.flatnonzero(layer < last)
    split = np.flatnonzero(layer == last)
    split = split[thin(objectives[split], POPULATION - len(before))]
    return np.asarray(feasible[np.concatenate([before, split])])


def _vary(rng: np.random.Generator, space: Space, parents: _Evaluated) -> Floats:
    """Children: a parent moved along the line through two others, or at random."""
    first, second = rng.integers(len(parents.points), size=(2, CHILDREN))
    # A partner near in objectives lies further along the front.
    width = np.ptp(parents.objectives, axis=0)
    scaled = parents.objectives / np.where(width > 0, width, 1.0)
    away = ((scaled[first, None] - scaled) ** 2).sum(-1)
    near = np.argpartition(away, 9, axis=1)[:, :10]
    partner = near[np.arange(CHILDREN), rng.integers(10, size=CHILDREN)]
    second = np.where(rng.random(CHILDREN) < 0.7, partner, second)
    a, b = parents.points[first], parents.points[second]
    along = rng.uniform(-1.0, 1.5, (CHILDREN, 1)) * (rng.random((CHILDREN, 1)) < 0.7)
    size = 10.0 ** rng.uniform(-6.0, -0.5, (CHILDREN, 1))
    moved = rng.random((CHILDREN, space.size)) < np.maximum(0.5, 1.0 / space.size)
    step = size * rng.standard_normal(a.shape) * moved[:, space.column_input]
    children = a + along * (b - a) + step
    redrawn = (rng.random((CHILDREN, space.size)) < 0.1)[:, space.column_input] & space.discrete
    fresh = space.sample(rng.random((CHILDREN, space.size)))
    return np.where(redrawn, fresh, children)
