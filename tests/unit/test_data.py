from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from tradespace.data import Data, State
from tradespace.errors import InputError, MeasurementError
from tradespace.problem import Group, Problem, at_most, maximize, minimize
from tradespace.space import Real

PROBLEM = Problem(
    inputs={"x": Real(0, 2)},
    objectives={"f": minimize, "g": maximize},
    constraints={"c": at_most(1.0)},
    groups={"left": Group(["f"]), "right": Group(["g", "c"])},
)


@dataclass(frozen=True)
class Record:
    id: int
    inputs: Mapping[str, Any]
    group: str
    state: State = "measured"
    values: Mapping[str, float] = field(default_factory=dict)


TRIALS = [
    Record(0, {"x": 0.0}, "left", values={"f": 3.0}),
    Record(1, {"x": 1.0}, "right", values={"g": 5.0, "c": 0.25}),
    Record(2, {"x": 2.0}, "right", values={"c": 4.0}),
    Record(3, {"x": 0.5}, "left", state="failed"),
    Record(4, {"x": 1.5}, "right", state="pending"),
    Record(5, {"x": 0.0}, "left", values={"f": 3.5}),
    Record(6, {"x": 0.2}, "left", state="pending"),
]


def test_each_black_box_has_its_own_points_in_inside_units() -> None:
    data = Data.from_trials(PROBLEM, TRIALS)
    assert [points.tolist() for points in data.points] == [[[0.0], [0.0]], [[0.5]], [[0.5], [1.0]]]
    assert [values.tolist() for values in data.values] == [[3.0, 3.5], [-5.0], [0.75, -3.0]]
    assert [ids.tolist() for ids in data.trials] == [[0, 5], [1], [1, 2]]
    assert data.counts.tolist() == [2, 1, 2]


def test_pending_trials_are_listed_by_id() -> None:
    data = Data.from_trials(PROBLEM, TRIALS)
    assert [(p.trial, p.group, p.point.tolist()) for p in data.pending] == [
        (4, "right", [0.75]),
        (6, "left", [0.1]),
    ]


def test_avoid_holds_what_was_measured_failed_or_is_pending_in_each_group() -> None:
    data = Data.from_trials(PROBLEM, TRIALS)
    assert data.avoid["left"].tolist() == [[0.0], [0.25], [0.0], [0.1]]
    assert data.avoid["right"].tolist() == [[0.5], [1.0], [0.75]]


def test_the_order_of_telling_does_not_matter() -> None:
    expected = Data.from_trials(PROBLEM, TRIALS)
    for order in permutations(range(3)):
        data = Data.from_trials(PROBLEM, [*(TRIALS[i] for i in order), *reversed(TRIALS[3:])])
        for name in ("points", "values", "trials"):
            for a, b in zip(getattr(data, name), getattr(expected, name), strict=True):
                np.testing.assert_array_equal(a, b)
        assert [p.trial for p in data.pending] == [p.trial for p in expected.pending]


def test_no_trials_give_empty_arrays_of_the_right_width() -> None:
    data = Data.from_trials(PROBLEM, [])
    assert [points.shape for points in data.points] == [(0, 1)] * 3
    assert data.counts.tolist() == [0, 0, 0]
    assert data.avoid["left"].shape == (0, 1)
    assert data.first(3).counts.tolist() == [0, 0, 0]


def test_first_goes_back_to_the_earliest_measured_trials() -> None:
    data = Data.from_trials(PROBLEM, TRIALS).first(2)
    assert [ids.tolist() for ids in data.trials] == [[0], [1], [1]]
    assert [values.tolist() for values in data.values] == [[3.0], [-5.0], [0.75]]
    assert data.pending == ()
    assert data.avoid["left"].tolist() == [[0.0]]
    assert data.avoid["right"].tolist() == [[0.5]]
    everything = Data.from_trials(PROBLEM, TRIALS).first(99)
    assert everything.counts.tolist() == [2, 1, 2]


@pytest.mark.parametrize(
    ("record", "error", "message"),
    [
        (
            Record(7, {"x": 0.0}, "left", values={"f": np.nan}),
            MeasurementError,
            "trial 7: 'f' is n",
        ),
        (
            Record(7, {"x": 0.0}, "left", values={"f": np.inf}),
            MeasurementError,
            "trial 7: 'f' is i",
        ),
        (
            Record(7, {"x": 0.0}, "left", values={"f": -1.1e150}),
            MeasurementError,
            r"trial 7: 'f' is -1.1e\+150, beyond 1e\+150.*rescale the quantity, or .* it failed",
        ),
        (
            Record(7, {"x": 0.0}, "left", values={"g": 1.0}),
            MeasurementError,
            "trial 7: 'g' is not measured by group 'left'",
        ),
        (
            Record(7, {"x": 0.0}, "left", state="failed", values={"f": 1.0}),
            MeasurementError,
            "trial 7 is failed but has values",
        ),
        (Record(7, {"x": 0.0}, "up", values={}), InputError, "trial 7: unknown group 'up'"),
        (Record(0, {"x": 0.0}, "left", values={}), InputError, "two trials have the id 0"),
        (Record(7, {"x": 3.0}, "left", values={}), InputError, "'x' is 3.0, outside"),
    ],
)
def test_bad_trials_are_refused(record: Record, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Data.from_trials(PROBLEM, [*TRIALS, record])
