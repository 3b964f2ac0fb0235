"""Problems drawn from a Gaussian-process prior: their prior, their constraints, their answers."""

import math
import pickle
from dataclasses import replace

import numpy as np
import pytest

from tradespace.pareto import hypervolume
from tradespace.problems.drawn import Drawn, drawn
from tradespace.problems.search import search
from tradespace.problems.testproblem import is_feasible


def matern(distance: float) -> float:
    scaled = math.sqrt(5.0) * distance
    return (1.0 + scaled + scaled**2 / 3.0) * math.exp(-scaled)


def test_values_have_the_covariance_of_matern_five_halves() -> None:
    # In two inputs the lengthscale is 0.5; a hundred draws of four boxes.
    points = np.array([[0.2, 0.2], [0.2, 0.7], [0.95, 0.2]])
    draws = np.stack(
        [drawn(2, 4, 0, seed).evaluate_points(points)[0] for seed in range(100)], axis=0
    )
    values = np.moveaxis(draws, 1, 2).reshape(-1, 3)
    expected = [[matern(0.0), matern(1.0)], [matern(1.0), matern(0.0)]]
    # Four standard errors of a covariance from 400 draws.
    assert values[:, :2].T @ values[:, :2] / 400 == pytest.approx(np.array(expected), abs=0.28)
    assert np.mean(values[:, 0] * values[:, 2]) == pytest.approx(matern(1.5), abs=0.22)
    assert abs(values.mean(axis=0)).max() < 0.2


def test_no_constraint_holds_or_fails_nearly_everywhere() -> None:
    points = np.random.default_rng(1).random((1000, 4))
    for seed in range(5):
        constraints = drawn(4, 2, 3, seed).evaluate_points(points)[1]
        share = (constraints < 0).mean(axis=0)
        assert (share > 0.2).all()
        assert (share < 0.8).all()


def test_a_seed_names_one_problem() -> None:
    inputs = {"x1": 0.1, "x2": 0.2, "x3": 0.3}
    again = pickle.loads(pickle.dumps(drawn(3, 2, 1, seed=5)))
    assert again.evaluate(inputs) == drawn(3, 2, 1, seed=5).evaluate(inputs)
    assert again.evaluate(inputs) != drawn(3, 2, 1, seed=6).evaluate(inputs)
    assert again.name == "drawn_3_2_1_5"


def test_noise_is_added_to_measurements_alone() -> None:
    noisy, quiet = drawn(noise=0.1), drawn()
    inputs = {f"x{i}": 0.5 for i in range(1, 5)}
    assert noisy.evaluate(inputs) == quiet.evaluate(inputs)
    assert noisy.measure(np.random.default_rng(0), inputs) != quiet.evaluate(inputs)
    assert quiet.problem.noiseless
    assert not noisy.problem.noiseless


def test_rough_values_are_within_a_millionth() -> None:
    exact = drawn(4, 2, 2, seed=0)
    assert isinstance(exact.function, Drawn)
    rough = replace(exact, function=replace(exact.function, rough=True))
    points = np.random.default_rng(0).random((700, 4))
    for a, b in zip(exact.evaluate_points(points), rough.evaluate_points(points), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-6)


def test_the_answer_is_a_feasible_front_that_another_search_confirms() -> None:
    test_problem = drawn(2, 2, 1, seed=3)
    answer = test_problem.answer
    assert (answer.front < answer.reference).all()
    kept = hypervolume(answer.front, answer.reference)
    assert 0.99 < kept / answer.hypervolume <= 1.0
    found = search(np.random.default_rng(99), test_problem, 20)
    assert is_feasible(test_problem.problem, test_problem.evaluate_points(found.points)[1]).all()
    other = hypervolume(found.objectives, answer.reference)
    assert other == pytest.approx(answer.hypervolume, rel=1e-3)
    assert test_problem.decoupled().answer is answer
