"""Whatever was measured, every method suggests something legal and recommends something finite."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tradespace.method import Method
from tradespace.recommend import recommend
from tradespace.suggest import suggest

from .cases import (
    DEFAULT,
    EVERY_METHOD,
    QUICK,
    check_recommendation,
    check_suggestion,
    home,
    home_values,
    scattered,
    told,
)

METHODS = [
    pytest.param(method, id=name, marks=[] if name in QUICK else [pytest.mark.slow])
    for name, method in EVERY_METHOD.items()
]
Measured = tuple[np.ndarray, dict[str, np.ndarray]]


def few(count: int) -> Callable[[], Measured]:
    def measured() -> Measured:
        points = scattered(home().space, count)
        return points, home_values(points)

    return measured


def scaled(by: float) -> Callable[[], Measured]:
    def measured() -> Measured:
        points, values = few(8)()
        return points, {name: by * column for name, column in values.items()}

    return measured


def constant(value: float) -> Callable[[], Measured]:
    def measured() -> Measured:
        points = scattered(home().space, 6)
        return points, {name: np.full(6, value) for name in "fgc"}

    return measured


def duplicated(apart: float, by: float) -> Callable[[], Measured]:
    """Four inputs measured three times, so far apart, with values that differ by so much."""

    def measured() -> Measured:
        points, values = few(4)()
        rng = np.random.default_rng(1)
        near = np.tile(points, (3, 1)) + apart * rng.random((12, 2))
        repeated = {n: np.tile(v, 3) + by * rng.standard_normal(12) for n, v in values.items()}
        return np.clip(near, 0.0, 1.0), repeated

    return measured


def cauchy() -> Measured:
    points = scattered(home().space, 15)
    rng = np.random.default_rng(2)
    return points, {name: rng.standard_cauchy(15) for name in "fgc"}


def outlier(size: float, names: str) -> Callable[[], Measured]:
    """One value so many times as large as the others."""

    def measured() -> Measured:
        points, values = few(8)()
        for name in names:
            values[name][3] = size * np.abs(values[name]).max()
        return points, values

    return measured


def shifted_constraint(by: float) -> Callable[[], Measured]:
    def measured() -> Measured:
        points, values = few(8)()
        return points, {**values, "c": values["c"] + by}

    return measured


HARD = {
    "nothing": few(0),
    "one": few(1),
    "two": few(2),
    "constant": constant(3.0),
    "zero": constant(0.0),
    "repeated": duplicated(0.0, 0.0),
    "repeated differently": duplicated(0.0, 0.3),
    "near one another": duplicated(1e-9, 0.0),
    "near one another, differing": duplicated(1e-9, 0.3),
    "of size 1e-9": scaled(1e-9),
    "of size 1e9": scaled(1e9),
    "Cauchy": cauchy,
    "outlier in an objective": outlier(1e12, "f"),
    "outlier below": outlier(-1e12, "fg"),
    "outliers everywhere": outlier(1e12, "fgc"),
    "a number for failure": outlier(1e20, "fg"),
    "as large as is taken": outlier(1e140, "fgc"),
    "infeasible": shifted_constraint(-10.0),
    "feasible everywhere": shifted_constraint(10.0),
}


@pytest.mark.parametrize("noiseless", [False, True], ids=["noisy", "noiseless"])
@pytest.mark.parametrize("case", HARD)
@pytest.mark.parametrize("method", METHODS)
def test_hard_data_give_a_legal_suggestion_and_a_finite_recommendation(
    method: Method, case: str, noiseless: bool
) -> None:
    problem = home(noiseless)
    points, values = HARD[case]()
    data = told(problem, points, values)
    key = (5, len(points))
    suggestion = suggest(key, problem, data, method)
    check_suggestion(problem, suggestion)
    if noiseless and len(points):
        apart = np.abs(problem.space.encode(suggestion.inputs) - points).max(axis=1)
        assert apart.min() > 1e-7
    check_recommendation(problem, recommend(key, problem, data, method))


@pytest.mark.parametrize("case", HARD)
def test_the_same_holds_when_quantities_are_measured_apart(case: str) -> None:
    problem = home(apart=True)
    points, values = HARD[case]()
    data = told(problem, points, values)
    suggestion = suggest((5, len(points)), problem, data, DEFAULT)
    check_suggestion(problem, suggestion)
    assert set(suggestion.gains) == set(problem.groups)


@pytest.mark.parametrize("method", METHODS)
def test_a_quantity_with_few_values_and_failed_trials_is_no_obstacle(method: Any) -> None:
    problem = home()
    points, values = few(6)()
    # Of f there is one value, of c there are two.
    data = told(problem, points, values, failed=scattered(problem.space, 3, seed=8))
    kept = {0: 1, 2: 2}
    fewer = {
        name: tuple(x[: kept.get(b, 6)] for b, x in enumerate(getattr(data, name)))
        for name in ("points", "values", "trials")
    }
    sparse = type(data)(
        **fewer,
        pending=data.pending,
        failed=data.failed,
        avoid=data.avoid,
        avoid_trials=data.avoid_trials,
    )
    check_suggestion(problem, suggest((5, 9), problem, sparse, method))
    check_recommendation(problem, recommend((5, 9), problem, sparse, method))
