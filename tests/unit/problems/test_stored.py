"""What must hold of every problem with a stored answer, and of the answers."""

from collections.abc import Callable

import numpy as np
import pytest

from tradespace.pareto import hypervolume, non_dominated
from tradespace.problems import KNOWN, TestProblem, c2_dtlz2, log_hypervolume_difference
from tradespace.problems.stored import stored
from tradespace.problems.testproblem import is_feasible

EVERY = (*KNOWN, lambda: c2_dtlz2(5, 3), lambda: c2_dtlz2(6, 4))
RANDOM = 20_000

every = pytest.mark.parametrize("make", EVERY, ids=[make().name for make in EVERY])
Make = Callable[[], TestProblem]


@every
def test_the_front_is_non_dominated_and_below_the_reference(make: Make) -> None:
    test_problem = make()
    front = test_problem.front
    assert front.shape[1] == len(test_problem.problem.objectives)
    assert non_dominated(front).all()
    assert (front < test_problem.reference).all()


@every
def test_the_points_kept_make_up_most_of_the_hypervolume_and_never_more(make: Make) -> None:
    test_problem = make()
    share = hypervolume(test_problem.front, test_problem.reference)
    share /= test_problem.reference_hypervolume
    # 300 stairs miss that much of a surface in more dimensions.
    least = {2: 0.99, 3: 0.95, 4: 0.85}[test_problem.front.shape[1]]
    assert least < share <= 1.0


@every
def test_random_search_never_gets_beyond_the_answer(make: Make) -> None:
    test_problem = make()
    space = test_problem.problem.space
    points = space.sample(np.random.default_rng(7).random((RANDOM, space.size)))
    objectives, constraints = test_problem.evaluate_points(points)
    score = log_hypervolume_difference(test_problem, objectives, constraints)
    # In two inputs, nearly all of them feasible, it comes within a thousandth.
    assert np.log(2e-4) < score < np.log(0.8)
    # None of them is better than a point of the front in everything, by more than its tolerance.
    met = objectives[is_feasible(test_problem.problem, constraints)]
    width = np.ptp(test_problem.front, axis=0)
    ahead = ((test_problem.front[:, None] - met) / width).min(axis=2)
    assert ahead.max() < 1e-3


@every
def test_one_input_gives_what_it_gives_among_many(make: Make) -> None:
    test_problem = make()
    problem = test_problem.problem
    points = problem.space.sample(np.random.default_rng(1).random((20, problem.space.size)))
    stacked = np.hstack(test_problem.evaluate_points(points))
    for point, inside in zip(points, stacked, strict=True):
        values = test_problem.evaluate(problem.space.decode(point))
        alone = [problem.to_inside(name, np.array(values[name])) for name in problem.black_boxes]
        np.testing.assert_allclose(alone, inside, rtol=1e-9, atol=1e-12)


@every
def test_the_ends_of_every_input_can_be_evaluated(make: Make) -> None:
    test_problem = make()
    size = test_problem.problem.space.size
    corners = np.stack([np.zeros(size), np.full(size, 1.0 - 1e-12)])
    values = test_problem.evaluate_points(test_problem.problem.space.sample(corners))
    assert np.isfinite(np.hstack(values)).all()


def test_an_answer_that_is_not_stored_is_an_error_that_names_those_that_are() -> None:
    with pytest.raises(KeyError, match=r"no answer is stored for 'bhn'.*'bnh'"):
        stored("bhn", (1.0, 1.0))
