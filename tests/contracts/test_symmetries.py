"""What must not change a suggestion, and what must."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tradespace.data import Data
from tradespace.problem import Group, Problem, at_least, at_most, maximize, minimize
from tradespace.recommend import recommend
from tradespace.space import Categorical, Integer
from tradespace.study import Study
from tradespace.suggest import Suggestion, suggest

from .cases import APART, DEFAULT, SQUARE, home, home_values, scattered, told

SEEDS = (0, 1, 2)
# Units are converted with rounding errors of 1e-16, which a chain, a search and a climb may
# enlarge; where all conversions are exact, so is the suggestion.
SAME_INPUTS = 1e-6


def apart_from(problem: Problem, a: Suggestion, b: Suggestion) -> float:
    return float(np.abs(problem.space.encode(a.inputs) - problem.space.encode(b.inputs)).max())


def measured(seed: int, count: int = 9) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    points = scattered(home().space, count, seed)
    return points, home_values(points)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("factor", "shift"), [(4.0, 0.0), (3.7e3, -12.0), (2.9e-9, 0.0), (6e8, 5e8), (1e-3, 0.01)]
)
def test_the_units_of_an_objective_do_not_matter(factor: float, shift: float, seed: int) -> None:
    problem = home(apart=True)
    points, values = measured(seed)
    said = suggest((seed, 18), problem, told(problem, points, values), DEFAULT)
    for name in "fg":
        converted = {**values, name: factor * values[name] + shift}
        again = suggest((seed, 18), problem, told(problem, points, converted), DEFAULT)
        assert again.group == said.group
        assert apart_from(problem, again, said) <= SAME_INPUTS
        assert again.gain == pytest.approx(said.gain, rel=1e-6)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("factor", [0.25, 3.3e-5, 7e9])
def test_a_positive_scale_of_a_constraint_does_not_matter(factor: float, seed: int) -> None:
    points, values = measured(seed)
    problem = home(apart=True)
    said = suggest((seed, 18), problem, told(problem, points, values), DEFAULT)
    for bound in (0.0, 0.3):
        # The bound moves with the values: the same is feasible.
        bounds = {"c": at_least(factor * bound)}
        scaled = Problem(SQUARE, problem.directions, bounds, APART)
        converted = {**values, "c": factor * (values["c"] + bound)}
        again = suggest((seed, 18), scaled, told(scaled, points, converted), DEFAULT)
        assert again.group == said.group
        assert apart_from(problem, again, said) <= SAME_INPUTS


@pytest.mark.parametrize("seed", SEEDS)
def test_turning_directions_and_bounds_around_changes_nothing_at_all(seed: int) -> None:
    points, values = measured(seed)
    problem = home(apart=True)
    turned = Problem(SQUARE, {"f": maximize, "g": minimize}, {"c": at_most(0.0)}, APART)
    against = {"f": -values["f"], "g": values["g"], "c": -values["c"]}
    data, other = told(problem, points, values), told(turned, points, against)
    assert suggest((seed, 18), problem, data, DEFAULT) == suggest(
        (seed, 18), turned, other, DEFAULT
    )
    for a, b in zip(
        recommend((seed, 18), problem, data, DEFAULT),
        recommend((seed, 18), turned, other, DEFAULT),
        strict=True,
    ):
        assert a.inputs == b.inputs
        assert a.mean["f"] == pytest.approx(-b.mean["f"], rel=1e-12)
        assert (a.sd, a.feasible) == (b.sd, b.feasible)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_order_of_trials_does_not_matter(seed: int) -> None:
    """Trials in any order, and earlier measurements added in any order."""
    problem = home(apart=True)
    points, values = measured(seed)
    rng = np.random.default_rng(seed)
    said = []
    for _ in range(2):
        study = Study(problem, DEFAULT, seed=seed, start=0)
        for i in rng.permutation(len(points)):
            study.add(problem.space.decode(points[i]), {n: values[n][i] for n in values})
        said.append(study.ask())
        trials = [study.trials()[i] for i in rng.permutation(len(study.trials()))]
        shuffled, sorted_ = (Data.from_trials(problem, order) for order in (trials, study.trials()))
        assert suggest((seed, 9), problem, shuffled, DEFAULT) == suggest(
            (seed, 9), problem, sorted_, DEFAULT
        )
    assert said[0] == said[1]


# With as few inputs as this every search sees all of them.
SMALL_SPACE = {"n": Integer(0, 6), "kind": Categorical(["a", "b", "c"])}


def permuted(order: str, groups: dict[str, Group], bounds: str) -> Problem:
    return Problem(
        SMALL_SPACE,
        dict.fromkeys(order, minimize),
        dict.fromkeys(bounds, at_least(0.0)),
        groups,
        noiseless=True,
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_on_a_finite_space_the_order_of_black_boxes_and_groups_does_not_matter(seed: int) -> None:
    """Random numbers go by the black boxes' names, so models and paths are the same in any order.

    On a space of reals the search for the fronts is another, though by the same paths.
    """
    method = replace(DEFAULT, conditioning="boxes")
    one = permuted("fg", {"a": Group(["f", "d"]), "b": Group(["g", "c"], 2.0)}, "cd")
    two = permuted("gf", {"b": Group(["c", "g"], 2.0), "a": Group(["d", "f"])}, "dc")
    points = np.unique(scattered(one.space, 9, seed), axis=0)
    rng = np.random.default_rng([3, seed])
    values = {name: rng.standard_normal(len(points)) for name in "fgcd"}
    key = (seed, 18)
    a, b = (suggest(key, p, told(p, points, values), method) for p in (one, two))
    assert (a.inputs, a.group) == (b.inputs, b.group)
    assert a.gains == pytest.approx(b.gains, rel=1e-6)
    recommended = [
        {tuple(r.inputs.items()): r for r in recommend(key, p, told(p, points, values), method)}
        for p in (one, two)
    ]
    assert set(recommended[0]) == set(recommended[1])
    for inputs, point in recommended[0].items():
        assert point.mean == pytest.approx(recommended[1][inputs].mean, rel=1e-6, abs=1e-9)
        assert point.feasible == pytest.approx(recommended[1][inputs].feasible, rel=1e-6)


@pytest.mark.parametrize("apart", [False, True], ids=["together", "apart"])
def test_the_same_seed_says_the_same_and_another_seed_something_else(apart: bool) -> None:
    problem = home(apart=apart)
    points, values = measured(0)
    data = told(problem, points, values)
    said: list[Any] = [suggest((seed, 9), problem, data, DEFAULT) for seed in range(5)]
    assert said[0] == suggest((0, 9), problem, data, DEFAULT)
    # One seed, another trial: other paths, by the same chains.
    said.append(suggest((0, 10), problem, data, DEFAULT))
    assert len({s.gain for s in said}) == 6
    # Several may agree on a corner of the square.
    assert len({tuple(s.inputs.values()) for s in said}) >= 3
