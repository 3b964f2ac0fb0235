"""Where inputs are discrete, the best input found is compared with a look at all of them."""

from dataclasses import replace

import numpy as np
import pytest

from tradespace.problem import Problem, at_least, minimize
from tradespace.space import Categorical, Integer, Real
from tradespace.suggest import Suggestion, suggest

from .cases import DEFAULT, check_suggestion, scattered, told

KINDS = ("a", "b", "c")
GRID = {"n": Integer(0, 19), "m": Integer(0, 19), "kind": Categorical(KINDS)}
MIXED = {"x": Real(0.0, 1.0), "n": Integer(0, 19), "kind": Categorical(KINDS)}


def problem(inputs: dict[str, Real | Integer | Categorical]) -> Problem:
    bounds = {"c": at_least(0.0)}
    return Problem(inputs, dict.fromkeys("fg", minimize), bounds, noiseless=True)


def values(points: np.ndarray) -> dict[str, np.ndarray]:
    """Smooth in the first two columns, and another function for each kind."""
    x, y, kind = points[:, 0], points[:, 1], points[:, 2:].argmax(axis=1)
    return {
        "f": (x - 0.3 * kind) ** 2 + y,
        "g": np.sin(4.0 * x + kind) + (y - 0.8) ** 2,
        "c": np.cos(3.0 * x * y) - 0.3 * kind + 0.1,
    }


def measured(of: Problem, seed: int) -> np.ndarray:
    return np.unique(scattered(of.space, 14, seed), axis=0)


def both(of: Problem, seed: int, thorough: int) -> tuple[Suggestion, Suggestion]:
    """The usual suggestion, and that from so many candidates by the same models and fronts."""
    points = measured(of, seed)
    data = told(of, points, values(points))
    return (
        suggest((seed, 14), of, data, DEFAULT),
        suggest((seed, 14), of, data, replace(DEFAULT, candidates=thorough)),
    )


def test_on_a_discrete_space_the_best_of_all_inputs_is_nearly_reached() -> None:
    """1200 inputs, of which a suggestion looks at a third before it tries neighbours."""
    of = problem(GRID)
    count = of.space.cardinality
    assert count is not None
    reached = []
    for seed in range(6):
        found, best = both(of, seed, count)
        check_suggestion(of, found)
        reached.append(found.gain / best.gain)
    assert max(reached) <= 1.0 + 1e-6
    assert min(reached) >= 0.95
    assert np.mean(np.array(reached) >= 1.0 - 1e-6) >= 0.5


@pytest.mark.slow
def test_on_a_mixed_space_a_dense_search_finds_hardly_more() -> None:
    of = problem(MIXED)
    reached = []
    for seed in range(6):
        found, best = both(of, seed, 6000)
        check_suggestion(of, found)
        reached.append(found.gain / best.gain)
    assert min(reached) >= 0.95


def forced(of: Problem, seed: int, at: int, waiting: list[int]) -> float:
    """The gain of one of the inputs, all others being waited for or to be avoided."""
    points = measured(of, seed)
    listed = of.space.enumerate()
    rest = np.delete(np.arange(len(listed)), [at, *waiting])
    data = told(of, points, values(points), waiting=listed[waiting])
    avoid = np.concatenate([data.avoid["all"], listed[rest]])
    data = replace(data, avoid={"all": avoid}, avoid_trials={"all": np.arange(len(avoid))})
    suggestion = suggest((seed, 14), of, data, replace(DEFAULT, candidates=len(listed)))
    assert np.array_equal(of.space.encode(suggestion.inputs), listed[at])
    return suggestion.gain


def test_next_to_a_pending_input_there_is_less_to_gain() -> None:
    """The best input of all, before and after the ones beside it are waited for."""
    of = problem(GRID)
    listed = of.space.enumerate()
    shares = []
    for seed in range(4):
        points = measured(of, seed)
        best = suggest((seed, 14), of, told(of, points, values(points)), DEFAULT).inputs
        at = int(np.flatnonzero((listed == of.space.encode(best)).all(axis=1))[0])
        beside = {**best, "n": best["n"] + (1 if best["n"] < 19 else -1)}
        pending = int(np.flatnonzero((listed == of.space.encode(beside)).all(axis=1))[0])
        shares.append(forced(of, seed, at, [pending]) / forced(of, seed, at, []))
    assert np.mean(shares) < 0.75
