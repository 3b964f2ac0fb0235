"""Where climbs begin, and what need not be measured again."""

from collections.abc import Mapping

import numpy as np
import pytest

from tradespace.candidates import FROM_DATA, FROM_FRONTS, candidates, unvisited, visited
from tradespace.problem import Problem, minimize
from tradespace.space import Categorical, Input, Integer, Real

from ..contracts.cases import told

REAL = {"x": Real(0.0, 1.0), "y": Real(0.0, 1.0)}
MIXED = {"x": Real(0.0, 1.0), "n": Integer(0, 9), "kind": Categorical(["a", "b", "c"])}
FINITE = {"n": Integer(0, 49), "m": Integer(0, 49)}


def problem_of(inputs: Mapping[str, Input], noiseless: bool = True) -> Problem:
    return Problem(inputs, {"f": minimize}, noiseless=noiseless)


@pytest.mark.parametrize("inputs", [REAL, MIXED, FINITE], ids=["real", "mixed", "finite"])
def test_candidates_are_legal_and_as_many_as_asked_for(inputs: Mapping[str, Input]) -> None:
    problem = problem_of(inputs)
    rng = np.random.default_rng(1)
    measured = problem.space.sample(rng.random((7, problem.space.size)))
    data = told(problem, measured, {"f": rng.random(7)})
    optima = [problem.space.sample(rng.random((20, problem.space.size))) for _ in range(10)]
    found = candidates(rng, problem, data, optima, 300)
    assert found.shape == (300 + FROM_FRONTS + FROM_DATA, problem.space.width)
    np.testing.assert_array_equal(problem.space.snap(found), found)
    at_optima = (found[:, None] == np.concatenate(optima)).all(2).any(1)
    assert at_optima.sum() >= FROM_FRONTS
    nearest = np.linalg.norm(found[-FROM_DATA:, None] - measured, axis=2).min(1)
    assert np.median(nearest) < 0.1


def test_of_a_small_space_all_that_is_left_is_a_candidate() -> None:
    problem = problem_of({"n": Integer(0, 6), "kind": Categorical(["a", "b", "c"])})
    listed = problem.space.enumerate()
    data = told(problem, listed[:15], {"f": np.arange(15.0)})
    found = candidates(np.random.default_rng(0), problem, data, [], 300)
    np.testing.assert_array_equal(found, listed[15:])
    noisy = problem_of(problem.space.inputs, noiseless=False)
    assert len(candidates(np.random.default_rng(0), noisy, data, [], 300)) == len(listed)


def test_a_group_that_has_not_been_everywhere_leaves_its_inputs() -> None:
    space = problem_of(FINITE).space
    listed = space.enumerate()
    np.testing.assert_array_equal(
        unvisited(space, [listed[:9], listed[5:]]), np.delete(listed, slice(5, 9), axis=0)
    )
    assert len(unvisited(space, [listed, listed])) == 0
    assert len(unvisited(space, [])) == len(listed)


def test_points_are_visited_within_a_millionth_of_the_range() -> None:
    space = problem_of(MIXED).space
    here = space.encode({"x": 0.5, "n": 3, "kind": "b"})
    beside, apart, other = here.copy(), here.copy(), here.copy()
    beside[0] += 0.9e-6
    apart[0] += 1.1e-6
    other[1] = space.encode({"x": 0.5, "n": 4, "kind": "b"})[1]
    points = np.stack([here, beside, apart, other])
    assert visited(space, points, here[None]).tolist() == [True, True, False, False]
    assert not visited(space, points, np.empty((0, space.width))).any()
