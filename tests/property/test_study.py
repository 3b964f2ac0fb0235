"""What holds for every study, whatever is asked, told, failed and added, in whatever order."""

import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tradespace.acquisition import RandomSearch
from tradespace.data import Data
from tradespace.errors import SpaceExhausted
from tradespace.problem import Group, Problem, at_most, between, maximize, minimize
from tradespace.space import Categorical, Integer, Real
from tradespace.study import Study, Trial

METHOD = RandomSearch()
GROUPS = {"one": Group(["f"], cost=3.0), "two": Group(["g", "c", "d"], cost=0.5)}
KINDS = {
    "real": {"x": Real(0, 1), "n": Integer(1, 3)},
    "finite": {"x": Integer(0, 2), "n": Categorical(["a", "b"])},
}


def problem_of(kind: str, apart: bool, noiseless: bool) -> Problem:
    return Problem(
        KINDS[kind],
        {"f": minimize, "g": maximize},
        {"c": at_most(0.5), "d": between(-1, 1)},
        groups=GROUPS if apart else None,
        noiseless=noiseless,
    )


PROBLEMS = st.builds(problem_of, st.sampled_from(list(KINDS)), st.booleans(), st.booleans())
# How each trial ends: None stays pending, a set is what of its group was told, a str failed.
ENDINGS = st.one_of(st.none(), st.just("broken"), st.sets(st.sampled_from("fgcd")), st.just("all"))


def chance(key: tuple[int, ...], problem: Problem, data: Data, method: Any) -> Any:
    """A legal suggestion, never one to avoid, that depends on every row of the data in order."""
    rows = [np.hstack([v, p.ravel()]) for v, p in zip(data.values, data.points, strict=True)]
    rows += [pending.point for pending in data.pending]
    weights = np.concatenate(rows)
    seen = int(1e6 * abs(np.sum(weights * np.arange(1, len(weights) + 1))))
    rng = np.random.default_rng([*key, seen])
    while True:
        point = problem.space.sample(rng.random((1, problem.space.size)))[0]
        group = list(problem.groups)[rng.integers(len(problem.groups))]
        if not (problem.noiseless and (data.avoid[group] == point).all(axis=1).any()):
            return SimpleNamespace(inputs=problem.space.decode(point), group=group, note="")


@pytest.fixture(autouse=True, scope="module")
def numbers() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "tradespace.suggest", SimpleNamespace(suggest=chance))
        yield


def values_of(trial: Trial) -> dict[str, float]:
    x, n = list(trial.inputs.values())
    seed = [int(1e9 * x), 1 + ["a", "b", 1, 2, 3].index(n)]
    drawn = np.random.default_rng(seed).uniform(-1.2, 1.2, 4)
    return {name: v for name, v in zip("fgcd", drawn, strict=True) if name in trial.measure}


def end(study: Study, trial: Trial, ending: Any) -> None:
    values = values_of(trial)
    if ending == "broken":
        study.fail(trial, ending)
    elif ending is not None:
        told = {q: v for q, v in values.items() if ending == "all" or q in ending}
        study.tell(trial, told or values)


def asked(study: Study, count: int) -> list[Trial]:
    trials = []
    try:
        for _ in range(count):
            trials.append(study.ask())
    except SpaceExhausted:
        assert study.problem.noiseless
    return trials


@st.composite
def histories(draw: st.DrawFn) -> tuple[Problem, int, list[list[Any]], Any]:
    """A problem, a seed, batches of endings, and a source of orders to tell each batch in."""
    batches = draw(st.lists(st.lists(ENDINGS, min_size=1, max_size=5), min_size=1, max_size=4))
    return draw(PROBLEMS), draw(st.integers(0, 5)), batches, draw(st.randoms())


def replayed(problem: Problem, seed: int, batches: list[list[Any]], random: Any) -> Study:
    study = Study(problem, method=METHOD, seed=seed, start=2)
    for endings in batches:
        pairs = list(zip(asked(study, len(endings)), endings, strict=False))
        for trial, ending in random.sample(pairs, len(pairs)) if random else pairs:
            end(study, trial, ending)
    return study


@given(histories())
@settings(max_examples=60)
def test_the_order_of_telling_changes_nothing(case: Any) -> None:
    problem, seed, batches, random = case
    straight = replayed(problem, seed, batches, None)
    shuffled = replayed(problem, seed, batches, random)
    assert straight.trials() == shuffled.trials()
    assert straight.front() == shuffled.front()
    assert straight.cost == shuffled.cost
    assert asked(straight, 1) == asked(shuffled, 1)


@given(histories())
@settings(max_examples=60)
def test_trials_are_legal_numbered_and_never_repeated_when_noiseless(case: Any) -> None:
    problem, seed, batches, random = case
    study = replayed(problem, seed, batches, random)
    trials = study.trials()
    assert [trial.id for trial in trials] == list(range(len(trials)))
    for trial in trials:
        assert problem.space.legal(trial.inputs) == trial.inputs
        assert trial.measure == problem.groups[trial.group].measures
        assert trial.cost == problem.groups[trial.group].cost
    if problem.noiseless:
        visits = [(trial.group, *trial.inputs.values()) for trial in trials]
        assert len(set(visits)) == len(visits)


@given(histories())
@settings(max_examples=60)
def test_the_front_is_what_brute_force_finds(case: Any) -> None:
    problem, seed, batches, random = case
    study = replayed(problem, seed, batches, random)
    # values_of depends on nothing but the inputs, so that repeats have the means of equal values.
    complete: dict[tuple[Any, ...], dict[str, float]] = {}
    for trial in study.trials():
        complete.setdefault(tuple(trial.inputs.values()), {}).update(trial.values)
    feasible = {
        inputs: (v["f"], -v["g"])
        for inputs, v in complete.items()
        if len(v) == 4 and v["c"] <= 0.5 and -1 <= v["d"] <= 1
    }
    best = {
        inputs
        for inputs, a in feasible.items()
        if not any(b != a and b[0] <= a[0] and b[1] <= a[1] for b in feasible.values())
    }
    assert {tuple(point.inputs.values()) for point in study.front()} == best


@given(PROBLEMS, st.lists(st.integers(0, 5), min_size=1, max_size=6), st.randoms())
@settings(max_examples=60)
def test_the_order_of_adding_changes_nothing(
    problem: Problem, picks: list[int], random: Any
) -> None:
    points = problem.space.sample((np.array([[p, 5 - p] for p in picks]) + 0.5) / 6)
    rows = []
    for i, point in enumerate(points):
        inputs = problem.space.decode(point)
        if problem.noiseless and any(inputs == others for others, _ in rows):
            continue
        rows.append((inputs, {"f": 1.0 * i, "g": 2.0 * i, "c": 0.1 * i, "d": 0.0}))
    first, second = (Study(problem, method=METHOD, start=1) for _ in range(2))
    for inputs, values in rows:
        first.add(inputs, values)
    for inputs, values in random.sample(rows, len(rows)):
        second.add(inputs, values)
    assert asked(first, 2) == asked(second, 2)
    assert [(p.inputs, p.values) for p in first.front()] == [
        (p.inputs, p.values) for p in second.front()
    ]
