"""The search for a front, on problems whose fronts are known in closed form."""

import math

import numpy as np
import pytest

from tradespace.pareto import hypervolume, non_dominated
from tradespace.problem import Problem, at_least, at_most, between, minimize
from tradespace.problems.search import search
from tradespace.problems.testproblem import Answer, Columns, TestProblem, is_feasible
from tradespace.space import Categorical, Integer, Real

REFERENCE = np.ones(2)


def unknown() -> Answer:
    raise AssertionError("a search must not ask for the answer")


def ring(inputs: Columns) -> Columns:
    x, y = inputs["x"], inputs["y"]
    return {"f": x, "g": y, "radius": np.hypot(x, y), "big": 1e6 * (x + y)}


def test_a_quarter_circle_is_found() -> None:
    problem = Problem(
        inputs={"x": Real(0.0, 1.0), "y": Real(0.0, 1.0)},
        objectives={"f": minimize, "g": minimize},
        constraints={"radius": between(1.0, 1.01), "big": at_least(0.0)},
    )
    test_problem = TestProblem("ring", problem, ring, unknown)
    found = search(np.random.default_rng(0), test_problem, 40)
    assert hypervolume(found.objectives, REFERENCE) == pytest.approx(1 - math.pi / 4, rel=1e-3)
    objectives, constraints = test_problem.evaluate_points(found.points)
    np.testing.assert_array_equal(objectives, found.objectives)
    assert is_feasible(problem, constraints).all()
    assert non_dominated(objectives).all()


def steps(inputs: Columns) -> Columns:
    shift = np.array([{"a": 0.3, "b": 0.0, "c": 0.6}[kind] for kind in inputs["kind"]])
    x = inputs["n"] / 64.0
    return {"f": x + shift, "g": 1.0 - x + shift, "n8": np.abs(inputs["n"] - 32.0)}


def test_every_point_of_a_discrete_front_is_found() -> None:
    problem = Problem(
        inputs={"n": Integer(0, 64), "kind": Categorical(["a", "b", "c"])},
        objectives={"f": minimize, "g": minimize},
        constraints={"n8": at_most(8.0)},
    )
    test_problem = TestProblem("steps", problem, steps, unknown)
    found = search(np.random.default_rng(0), test_problem, 8)
    assert sorted(found.objectives[:, 0].tolist()) == [n / 64.0 for n in range(24, 41)]


def test_nothing_feasible_gives_an_empty_front() -> None:
    problem = Problem(
        inputs={"x": Real(0.0, 1.0), "y": Real(0.0, 1.0)},
        objectives={"f": minimize, "g": minimize},
        constraints={"radius": at_least(3.0), "big": at_least(0.0)},
    )
    found = search(np.random.default_rng(0), TestProblem("ring", problem, ring, unknown), 4)
    assert found.objectives.shape == (0, 2)
