"""What holds for every list of trials: nothing is lost, invented, or dependent on their order."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tradespace.data import Data, State
from tradespace.problem import Group, Problem, at_least, maximize, minimize
from tradespace.space import Categorical, Integer, Real

PROBLEM = Problem(
    inputs={"x": Real(-1, 1), "n": Integer(1, 3), "c": Categorical(["ab", "b"])},
    objectives={"f": minimize, "g": maximize},
    constraints={"h": at_least(0.5)},
    groups={"one": Group(["f"]), "two": Group(["g", "h"])},
)


@dataclass(frozen=True)
class Record:
    id: int
    inputs: Mapping[str, Any]
    group: str
    state: State
    values: Mapping[str, float]


@st.composite
def records(draw: st.DrawFn, trial: int) -> Record:
    inputs = {
        "x": draw(st.floats(-1, 1)),
        "n": draw(st.integers(1, 3)),
        "c": draw(st.sampled_from(["ab", "b"])),
    }
    group = draw(st.sampled_from(["one", "two"]))
    state = draw(st.sampled_from(["pending", "measured", "failed"]))
    measures = PROBLEM.groups[group].measures
    names = draw(st.sets(st.sampled_from(measures))) if state == "measured" else set()
    return Record(trial, inputs, group, state, {n: draw(st.floats(-9, 9)) for n in sorted(names)})


@st.composite
def trial_lists(draw: st.DrawFn) -> list[Record]:
    ids = draw(st.lists(st.integers(0, 50), unique=True, max_size=8))
    return [draw(records(trial)) for trial in ids]


def same(a: Data, b: Data) -> bool:
    pairs = [*zip(a.points, b.points, strict=True), *zip(a.values, b.values, strict=True)]
    pairs += [(a.avoid[group], b.avoid[group]) for group in PROBLEM.groups]
    kept = [(p.trial, p.group, p.point.tolist()) for p in a.pending]
    return kept == [(p.trial, p.group, p.point.tolist()) for p in b.pending] and all(
        np.array_equal(x, y) for x, y in pairs
    )


@given(trial_lists(), st.randoms(use_true_random=False))
def test_order_does_not_matter(trials: list[Record], random: Any) -> None:
    shuffled = random.sample(trials, len(trials))
    assert same(Data.from_trials(PROBLEM, shuffled), Data.from_trials(PROBLEM, trials))


@given(trial_lists())
def test_every_value_is_there_once_with_its_input(trials: list[Record]) -> None:
    data = Data.from_trials(PROBLEM, trials)
    for b, name in enumerate(PROBLEM.black_boxes):
        expected = sorted(
            (t.id, PROBLEM.to_inside(name, t.values[name]), tuple(PROBLEM.space.encode(t.inputs)))
            for t in trials
            if name in t.values
        )
        rows = zip(data.trials[b], data.values[b], data.points[b], strict=True)
        assert [(t, v, tuple(p)) for t, v, p in rows] == expected
    for group in PROBLEM.groups:
        visited = sorted(t.id for t in trials if t.group == group)
        assert data.avoid_trials[group].tolist() == visited
        assert data.avoid[group].shape == (len(visited), PROBLEM.space.width)


@given(trial_lists(), st.integers(0, 9))
def test_first_is_what_was_known_before_later_trials(trials: list[Record], count: int) -> None:
    data = Data.from_trials(PROBLEM, trials)
    known = sorted(t.id for t in trials if t.values)[:count]
    early = [t for t in trials if t.id in known]
    assert same(data.first(count), Data.from_trials(PROBLEM, early))
