from dataclasses import replace
from importlib import import_module
from typing import Any

import jax
import numpy as np
import pytest

from tradespace.acquisition import RandomSearch
from tradespace.acquisition.mesmoc_plus import Fronts
from tradespace.compilation import surroundings
from tradespace.data import Data
from tradespace.decision import Decision
from tradespace.errors import NumericalError, SpaceExhausted
from tradespace.problem import Group, Problem, at_least, minimize
from tradespace.space import Categorical, Integer
from tradespace.suggest import suggest

from ..contracts.cases import APART, DEFAULT, SQUARE, home, home_values, scattered, told

RANDOM = RandomSearch()
# The function has the module's name.
suggest_module = import_module("tradespace.suggest")


def measured(problem: Problem, seed: int = 0, count: int = 9) -> Data:
    points = scattered(problem.space, count, seed)
    return told(problem, points, home_values(points))


def priced(cheap: float, dear: float) -> Problem:
    costs = {"cheap": cheap, "dear": dear}
    groups = {name: Group(APART[name].measures, cost) for name, cost in costs.items()}
    return Problem(SQUARE, dict.fromkeys("fg", minimize), {"c": at_least(0.0)}, groups)


def test_gains_are_per_unit_of_cost() -> None:
    problem = priced(1.0, 3.0)
    said = suggest((0, 18), problem, measured(problem), DEFAULT)
    for factor in (0.25, 8.0):
        problem = priced(factor, 3.0 * factor)
        again = suggest((0, 18), problem, measured(problem), DEFAULT)
        assert again.group == said.group
        # A climb's steps follow the slope, and so the cost, but not where they lead.
        assert again.inputs == pytest.approx(said.inputs, abs=1e-4)
        assert again.gain == pytest.approx(said.gain / factor, rel=1e-4)


def test_a_group_that_becomes_dear_is_left_for_the_other() -> None:
    assert suggest((0, 18), priced(1.0, 1e4), measured(priced(1.0, 1e4)), DEFAULT).group == "cheap"
    assert suggest((0, 18), priced(1e4, 1.0), measured(priced(1e4, 1.0)), DEFAULT).group == "dear"


def test_a_quantity_known_everywhere_is_not_measured_again() -> None:
    """At equal costs the group goes that has been measured far less often."""
    problem = priced(1.0, 1.0)
    points = scattered(problem.space, 20)
    chosen = []
    for seed in range(4):
        data = told(problem, points, home_values(points))
        few = {
            name: tuple(x if b == 0 else x[:5] for b, x in enumerate(getattr(data, name)))
            for name in ("points", "values", "trials")
        }
        sparse = replace(data, **few)
        chosen.append(suggest((seed, 25), problem, sparse, DEFAULT).group)
    assert chosen.count("dear") >= 3


def test_many_suggestions_near_the_optimum_never_repeat_a_noiseless_measurement() -> None:
    problem = home(noiseless=True)
    points = scattered(problem.space, 5)
    for count in range(5, 23):
        data = told(problem, points, home_values(points))
        inputs = suggest((1, count), problem, data, DEFAULT).inputs
        points = np.vstack([points, problem.space.encode(inputs)])
    apart = np.abs(points[:, None] - points).max(axis=2)[np.triu_indices(len(points), 1)]
    # Nearer than 1e-6 of the range of every input is the same input.
    assert apart.min() >= 1e-6


@pytest.mark.parametrize("seed", range(3))
def test_no_input_nearby_has_more_gain_than_the_one_suggested(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The best of a few dozen candidates would hardly be where climbing ends."""
    known: list[tuple[Decision, Fronts]] = []
    maximize = suggest_module._maximize

    def spy(decision: Decision, data: Data, given: Fronts, starts: np.ndarray) -> Any:
        known.append((decision, given))
        return maximize(decision, data, given, starts)

    monkeypatch.setattr(suggest_module, "_maximize", spy)
    problem = home()
    said = suggest((seed, 9), problem, measured(problem, seed), DEFAULT)
    (decision, given), there = known[0], problem.space.encode(said.inputs)
    steps = np.concatenate([np.eye(2), -np.eye(2)])
    nearby = np.concatenate([there + h * steps for h in (3e-3, 3e-2)])
    with surroundings():
        decided = decision(np.clip(np.vstack([there, nearby]), 0.0, 1.0), given, ticks=1)
    gain = np.asarray(decided.gains).sum(0)[: 1 + len(nearby)]
    assert gain[0] == pytest.approx(said.gain, rel=1e-6)
    # A climb ends when it expects to rise by less than 1e-4 of its height.
    assert gain[1:].max() <= gain[0] * (1 + 1e-3)


def test_of_a_large_finite_space_the_last_input_left_is_found() -> None:
    space = {"n": Integer(0, 59), "m": Integer(0, 49)}
    problem = Problem(space, {"f": minimize}, noiseless=True)
    listed = problem.space.enumerate()
    points, left = listed[::150], listed[1234]
    data = told(problem, points, {"f": np.sin(5.0 * points[:, 0]) + points[:, 1]})

    def everywhere_but(*there: int) -> Data:
        avoid = np.delete(listed, there, axis=0)
        return replace(data, avoid={"all": avoid}, avoid_trials={"all": np.arange(len(avoid))})

    said = suggest((0, 20), problem, everywhere_but(1234), DEFAULT)
    np.testing.assert_array_equal(problem.space.encode(said.inputs), left)
    with pytest.raises(SpaceExhausted, match="every group"):
        suggest((0, 20), problem, everywhere_but(), DEFAULT)


def test_gains_that_are_not_finite_are_said_and_not_taken_for_exhaustion(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    called = Decision.__call__

    def without_numbers(*arguments: Any) -> Any:
        return jax.tree.map(lambda x: np.full_like(x, np.nan, float), called(*arguments))

    monkeypatch.setattr(Decision, "__call__", without_numbers)
    with pytest.raises(NumericalError, match="extreme values"):
        suggest((0, 9), home(), measured(home()), DEFAULT)


def test_when_every_input_was_measured_there_is_none_to_suggest() -> None:
    space = {"n": Integer(0, 6), "kind": Categorical(["a", "b", "c"])}
    problem = Problem(space, dict.fromkeys("fg", minimize), {"c": at_least(0.0)}, noiseless=True)
    points = problem.space.enumerate()
    values = {name: points[:, i] + points[:, 3] for i, name in enumerate("fgc")}
    data = told(problem, points, values)
    with pytest.raises(SpaceExhausted, match="every group"):
        suggest((0, 21), problem, data, RANDOM)
    data = told(problem, points[:-1], {name: v[:-1] for name, v in values.items()})
    left = suggest((0, 20), problem, data, RANDOM).inputs
    assert np.array_equal(problem.space.encode(left), points[-1])


def test_random_search_is_uniform_and_prefers_cheap_groups() -> None:
    """Of 400 draws a share of 3/4 has a deviation of 0.022, a mean of 1/2 one of 0.0144."""
    problem = priced(1.0, 3.0)
    data = measured(problem)
    said = [suggest((0, i), problem, data, RANDOM) for i in range(400)]
    assert abs(np.mean([s.group == "cheap" for s in said]) - 0.75) < 4 * 0.022
    points = problem.space.encode_all([s.inputs for s in said])
    assert np.abs(points.mean(axis=0) - 0.5).max() < 4 * 0.0144
