"""A problem whose answer is known, and how far a set of points is from that answer."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from tradespace.inputs import Floats
from tradespace.pareto import hypervolume
from tradespace.problem import Group, Problem

Columns = Mapping[str, npt.NDArray[Any]]

# Reference hypervolumes are good to about 2e-4: nothing is told apart below this.
SMALLEST_DIFFERENCE = 1e-5


@dataclass(frozen=True, eq=False)
class Answer:
    """The feasible Pareto front of a problem, inside: every objective minimised.

    `front` (n, K) is made of points of the front; `hypervolume` is the whole front's, below
    `reference` (K,): more than that of the points kept.
    """

    reference: Floats
    front: Floats
    hypervolume: float


@dataclass(frozen=True, eq=False)
class TestProblem:
    """A problem, what its experiment would measure, and its answer.

    `function` gives the true values of all black boxes from columns of inputs, both in the user's
    units. Measurements add Gaussian noise of variance `noise` to each.
    """

    __test__: ClassVar[bool] = False  # pytest: not a class of tests

    name: str
    problem: Problem
    function: Callable[[Columns], Columns]
    solve: Callable[[], Answer]
    noise: float = 0.0

    def evaluate(self, inputs: Mapping[str, Any]) -> dict[str, float]:
        """The true values of all black boxes, in the user's units."""
        legal = self.problem.space.legal(inputs)
        values = self.function({name: np.array([value]) for name, value in legal.items()})
        return {name: float(values[name][0]) for name in self.problem.black_boxes}

    def measure(self, rng: np.random.Generator, inputs: Mapping[str, Any]) -> dict[str, float]:
        """The values of all black boxes as an experiment would find them."""
        errors = math.sqrt(self.noise) * rng.standard_normal(len(self.problem.black_boxes))
        true = self.evaluate(inputs)
        return {name: true[name] + float(e) for name, e in zip(true, errors, strict=True)}

    def evaluate_points(self, points: Floats) -> tuple[Floats, Floats]:
        """True values inside at points (n, width): objectives (n, K) and constraints (n, C)."""
        space = self.problem.space
        inputs = {
            name: np.array(kind.from_columns(points[:, space.column_input == i]))
            for i, (name, kind) in enumerate(space.inputs.items())
        }
        values = self.function(inputs)
        inside = [self.problem.to_inside(name, values[name]) for name in self.problem.black_boxes]
        stacked = np.stack(inside, axis=1)
        count = len(self.problem.objectives)
        return stacked[:, :count], stacked[:, count:]

    def decoupled(self, costs: Mapping[str, float] | None = None) -> TestProblem:
        """The same problem with one group per black box, each of cost 1 unless said otherwise."""
        problem = self.problem
        groups = {
            name: Group([name], cost=1.0 if costs is None else costs[name])
            for name in problem.black_boxes
        }
        apart = Problem(
            problem.space.inputs, problem.directions, problem.bounds, groups, problem.noiseless
        )
        return replace(self, problem=apart)

    @cached_property
    def answer(self) -> Answer:
        """The front, its reference point and hypervolume; computed or read when first asked for."""
        return self.solve()

    @property
    def reference(self) -> Floats:
        """The point below which hypervolumes are measured, inside, (K,)."""
        return self.answer.reference

    @property
    def reference_hypervolume(self) -> float:
        """Hypervolume of the whole front."""
        return self.answer.hypervolume

    @property
    def front(self) -> Floats:
        """Points of the front, inside, (n, K)."""
        return self.answer.front


def is_feasible(problem: Problem, constraints: Floats) -> npt.NDArray[np.bool_]:
    """Which rows of inside values (n, C) meet every constraint, (n,)."""
    return np.asarray(((constraints >= 0) & (constraints <= problem.spans)).all(axis=1))


def log_hypervolume_difference(
    test_problem: TestProblem,
    objectives: Floats,
    constraints: Floats,
    infeasible: Literal["dropped", "void"] = "dropped",
) -> float:
    """Natural log of the share of the reference hypervolume that a set of points is missing.

    Objectives (n, K) and constraints (n, C) are true values, inside. Infeasible points are dropped,
    or make the whole set void: it then counts as empty, as in the paper's scoring.
    """
    feasible = is_feasible(test_problem.problem, constraints)
    if infeasible == "void" and not feasible.all():
        feasible = np.zeros_like(feasible)
    reached = hypervolume(objectives[feasible], test_problem.reference)
    missing = 1.0 - reached / test_problem.reference_hypervolume
    return math.log(max(missing, SMALLEST_DIFFERENCE))
