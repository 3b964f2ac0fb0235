"""Values, noise, groups and scores of a test problem that can be worked out by hand."""

import math
import pickle

import numpy as np
import pytest

from tradespace.problem import Problem, at_most, between, maximize, minimize
from tradespace.problems.testproblem import (
    Answer,
    Columns,
    TestProblem,
    is_feasible,
    log_hypervolume_difference,
)
from tradespace.space import Categorical, Integer, Real

GAIN = {"low": 1.0, "high": 10.0}


def function(inputs: Columns) -> Columns:
    gain = np.array([GAIN[level] for level in inputs["level"]])
    return {
        "cost": inputs["x"] * gain,
        "yield": inputs["n"] * gain,
        "load": inputs["x"] + inputs["n"],
        "ratio": inputs["x"] / inputs["n"],
    }


def solve() -> Answer:
    return Answer(np.array([4.0, 0.0]), np.array([[1.0, -2.0], [2.0, -3.0]]), 8.0)


@pytest.fixture
def simple() -> TestProblem:
    problem = Problem(
        inputs={
            "x": Real(0.1, 10.0, log=True),
            "n": Integer(1, 4),
            "level": Categorical(["low", "high"]),
        },
        objectives={"cost": minimize, "yield": maximize},
        constraints={"load": at_most(5.0), "ratio": between(0.5, 2.0)},
    )
    return TestProblem("simple", problem, function, solve)


def test_one_input_is_evaluated_in_the_users_units(simple: TestProblem) -> None:
    values = simple.evaluate({"x": 2.0, "n": 4, "level": "high"})
    assert values == {"cost": 20.0, "yield": 40.0, "load": 6.0, "ratio": 0.5}


def test_points_are_evaluated_inside(simple: TestProblem) -> None:
    rows = [{"x": 2.0, "n": 4, "level": "high"}, {"x": 1.0, "n": 1, "level": "low"}]
    objectives, constraints = simple.evaluate_points(simple.problem.space.encode_all(rows))
    np.testing.assert_allclose(objectives, [[20.0, -40.0], [1.0, -1.0]], rtol=1e-12)
    np.testing.assert_allclose(constraints, [[-1.0, 0.0], [3.0, 0.5]], atol=1e-12)


def test_a_point_is_feasible_when_every_constraint_holds_on_both_sides(
    simple: TestProblem,
) -> None:
    inside = np.array([[0.0, 0.0], [1.0, 1.5], [-1e-9, 1.0], [1.0, 1.6], [1.0, -0.1]])
    assert is_feasible(simple.problem, inside).tolist() == [True, True, False, False, False]


def test_measurements_are_true_without_noise_and_spread_with_it(simple: TestProblem) -> None:
    inputs = {"x": 1.0, "n": 2, "level": "low"}
    rng = np.random.default_rng(0)
    assert simple.measure(rng, inputs) == simple.evaluate(inputs)
    noisy = TestProblem("noisy", simple.problem, function, solve, noise=0.1)
    errors = [noisy.measure(rng, inputs)["load"] - 3.0 for _ in range(4000)]
    # Four standard errors of a mean and of a variance.
    assert abs(np.mean(errors)) < 4 * math.sqrt(0.1 / 4000)
    assert abs(np.var(errors) - 0.1) < 4 * 0.1 * math.sqrt(2 / 4000)


def test_decoupled_measures_each_black_box_alone(simple: TestProblem) -> None:
    assert simple.decoupled().problem.group_boxes == {
        "cost": (0,),
        "yield": (1,),
        "load": (2,),
        "ratio": (3,),
    }
    costs = {"cost": 1.0, "yield": 2.0, "load": 3.0, "ratio": 4.0}
    groups = simple.decoupled(costs).problem.groups
    assert {name: group.cost for name, group in groups.items()} == costs


def test_the_score_is_the_log_of_the_share_that_is_missing(simple: TestProblem) -> None:
    good = np.ones((1, 2))
    score = log_hypervolume_difference(simple, np.array([[1.0, -2.0]]), good)
    assert score == pytest.approx(math.log(1 - 6 / 8))
    assert log_hypervolume_difference(simple, simple.front, np.ones((2, 2))) == math.log(1e-5)
    assert log_hypervolume_difference(simple, np.empty((0, 2)), np.empty((0, 2))) == 0.0


def test_infeasible_points_are_dropped_or_void_the_set(simple: TestProblem) -> None:
    mixed = np.array([[1.0, 1.0], [-1.0, 1.0]])
    dropped = log_hypervolume_difference(simple, simple.front, mixed)
    assert dropped == pytest.approx(math.log(1 - 6 / 8))
    assert log_hypervolume_difference(simple, simple.front, mixed, "void") == 0.0
    whole = log_hypervolume_difference(simple, simple.front, np.ones((2, 2)), "void")
    assert whole == math.log(1e-5)


def test_a_problem_can_be_sent_to_another_process(simple: TestProblem) -> None:
    inputs = {"x": 1.0, "n": 2, "level": "low"}
    assert pickle.loads(pickle.dumps(simple)).evaluate(inputs) == simple.evaluate(inputs)
