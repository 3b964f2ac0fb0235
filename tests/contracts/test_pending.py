"""Trials that are waited for inform the next suggestion."""

from typing import Any

import numpy as np
import pytest

from tradespace.acquisition import RandomSearch
from tradespace.method import Method
from tradespace.study import Study
from tradespace.suggest import suggest

from .cases import DEFAULT, home, home_values, scattered, told

METHODS = [pytest.param(DEFAULT, id="default"), pytest.param(RandomSearch(samples=4), id="random")]


def value(inputs: dict[str, Any]) -> dict[str, float]:
    columns = home_values(np.array([[inputs["x"], inputs["y"]]]))
    return {name: float(column[0]) for name, column in columns.items()}


def started(study: Study, trials: int) -> Study:
    for _ in range(trials):
        trial = study.ask()
        study.tell(trial, {name: value(trial.inputs)[name] for name in trial.measure})
    return study


@pytest.mark.parametrize("noiseless", [False, True], ids=["noisy", "noiseless"])
@pytest.mark.parametrize("apart", [False, True], ids=["together", "apart"])
@pytest.mark.parametrize("method", METHODS)
def test_five_asked_at_once_are_pairwise_different(
    method: Method, apart: bool, noiseless: bool
) -> None:
    problem = home(noiseless, apart)
    for seed in range(2):
        study = started(Study(problem, method, seed=seed, start=6), 6 * len(problem.groups))
        asked = [study.ask() for _ in range(5)]
        assert {trial.origin for trial in asked} == {"method"}
        for i, one in enumerate(asked):
            for other in asked[:i]:
                distance = np.abs(
                    problem.space.encode(one.inputs) - problem.space.encode(other.inputs)
                ).max()
                assert one.group != other.group or distance > 1e-4


def test_the_first_suggestion_is_avoided_by_one_that_knows_it_is_pending() -> None:
    """With the same key, so that nothing but the pending trial makes the difference."""
    problem = home(noiseless=False)
    moved = []
    for seed in range(8):
        points = scattered(problem.space, 8, seed)
        values = home_values(points)
        first = suggest((seed, 8), problem, told(problem, points, values), DEFAULT)
        there = problem.space.encode(first.inputs)
        waiting = told(problem, points, values, waiting=there[None])
        second = suggest((seed, 8), problem, waiting, DEFAULT)
        moved.append(np.linalg.norm(problem.space.encode(second.inputs) - there))
    # Nothing moves where the pending trial is overlooked.
    assert min(moved) > 0.01
    assert np.median(moved) > 0.1


def test_a_pending_trial_of_one_group_leaves_the_input_to_the_other() -> None:
    """Noiseless and apart: the group that waits does not repeat the input, the other one may."""
    problem = home(noiseless=True, apart=True)
    study = started(Study(problem, DEFAULT, seed=3, start=4), 8)
    asked = [study.ask() for _ in range(4)]
    for group in problem.groups:
        inputs = [tuple(trial.inputs.values()) for trial in asked if trial.group == group]
        assert len(set(inputs)) == len(inputs)
