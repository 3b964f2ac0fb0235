"""MESMOC keeps to where the means of the constraints hold."""

import numpy as np
import pytest

from tradespace.acquisition import Mesmoc
from tradespace.suggest import suggest

from ...contracts.cases import SMALL, home, home_values, scattered, told

METHOD = Mesmoc(**SMALL)


@pytest.mark.parametrize("apart", [False, True], ids=["together", "apart"])
def test_where_no_mean_holds_the_suggestion_is_random_and_says_so(apart: bool) -> None:
    problem = home(apart=apart)
    points = scattered(problem.space, 12)
    values = home_values(points)
    data = told(problem, points, {**values, "c": values["c"] - 10.0})
    said = [suggest((0, 12 + i), problem, data, METHOD) for i in range(12)]
    assert all("at random" in each.note for each in said)
    assert len({tuple(each.inputs.values()) for each in said}) == len(said)
    if apart:
        assert {each.group for each in said} == set(problem.groups)


def test_inputs_are_suggested_where_the_means_hold() -> None:
    problem = home()
    for seed in range(4):
        points = scattered(problem.space, 25, seed)
        data = told(problem, points, home_values(points))
        said = suggest((seed, 25), problem, data, METHOD)
        assert said.note == ""
        truth = home_values(problem.space.encode(said.inputs)[None])["c"][0]
        # After so many measurements the mean is nearly the truth.
        assert truth > -0.05
    # Half the square would not do.
    assert np.mean(home_values(scattered(problem.space, 500))["c"] < -0.05) > 0.25
