import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import permutations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tradespace.acquisition import RandomSearch
from tradespace.errors import (
    ArgumentError,
    InputError,
    MeasurementError,
    SpaceExhausted,
    StudyError,
)
from tradespace.problem import Group, Problem, at_most, maximize, minimize
from tradespace.space import Categorical, Integer, Real
from tradespace.study import Study, Trial

from .conftest import METHOD, FakeNumbers

INPUTS = {"x": Real(0, 1), "n": Integer(1, 9)}
TOGETHER = Problem(INPUTS, {"f": minimize, "g": maximize}, {"c": at_most(1.0)})
APART = Problem(
    INPUTS,
    {"f": minimize, "g": maximize},
    {"c": at_most(1.0)},
    groups={"train": Group(["f"], cost=10.0), "chip": Group(["g", "c"], cost=0.5)},
)


def measure(trial: Trial) -> dict[str, float]:
    x, n = trial.inputs["x"], trial.inputs["n"]
    values = {"f": x * x, "g": n - x, "c": x + n / 10}
    return {name: values[name] for name in trial.measure}


def advance(study: Study, count: int) -> None:
    for _ in range(count):
        trial = study.ask()
        study.tell(trial, measure(trial))


def test_a_trial_says_what_to_measure_where() -> None:
    study = Study(APART)
    first, second = study.ask(), study.ask()
    assert (first.id, first.group, first.measure, first.cost) == (0, "train", ("f",), 10.0)
    assert (second.id, second.group, second.measure, second.cost) == (1, "chip", ("g", "c"), 0.5)
    assert first.inputs == second.inputs
    assert (first.state, first.origin) == ("pending", "design")
    assert type(first.inputs["n"]) is int


def test_the_method_takes_over_when_the_start_is_told(numbers: FakeNumbers) -> None:
    study = Study(APART, method=METHOD, seed=7, start=2)
    advance(study, 4)
    assert numbers.calls == []
    trial = study.ask()
    ((key, problem, data, given),) = numbers.calls
    assert (key, problem, given) == ((7, 4), APART, METHOD)
    assert data.counts.tolist() == [2, 2, 2]
    assert (trial.id, trial.origin, trial.note) == (4, "method", "by chance")
    assert [row["trial.note"] for row in study.trials().rows()] == [""] * 4 + ["by chance"]
    study.ask()
    assert [(p.trial, p.group) for p in numbers.calls[1][2].pending] == [(4, trial.group)]


def test_without_a_method_the_default_is_used(
    numbers: FakeNumbers, monkeypatch: pytest.MonkeyPatch
) -> None:
    default = object()
    rooms = SimpleNamespace(default_method=lambda: default)
    monkeypatch.setitem(sys.modules, "tradespace.acquisition", rooms)
    study = Study(TOGETHER, start=1)
    advance(study, 2)
    assert numbers.calls[0][3] is default is study.method


def test_asking_on_before_telling_gives_further_points_of_the_design() -> None:
    study = Study(TOGETHER, start=2)
    asked = [study.ask() for _ in range(9)]
    assert len({trial.inputs["x"] for trial in asked}) == 9
    assert {trial.origin for trial in asked} == {"design"}


def test_telling_records_the_values() -> None:
    study = Study(APART)
    study.ask()
    trial = study.ask()
    study.tell(trial, {"c": np.float32(0.5), "g": np.array(2)})
    told = study.trial(trial.id)
    assert (told.state, told.values) == ("measured", {"g": 2.0, "c": 0.5})
    assert [type(value) for value in told.values.values()] == [float, float]
    assert trial.state == "pending"
    assert study.trials() == [study.trial(0), told]


def test_part_of_a_group_is_enough() -> None:
    study = Study(TOGETHER)
    study.tell(study.ask().id, {"g": 2})
    assert study.trial(0).values == {"g": 2.0}
    assert study.data.counts.tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"h": 1.0}, r"trial 1 \(group 'chip'\): unknown quantity 'h'; the problem has"),
        ({"x": 1.0}, "unknown quantity 'x'"),
        ({"f": 1.0}, r"'f' is measured in another group; this one measures \['g', 'c'\]"),
        ({"g": "1"}, "'g' must be a number, not '1'"),
        ({"g": None}, "'g' must be a number, not None"),
        ({"g": True}, "'g' must be a number, not True"),
        ({"g": 1 + 2j}, "'g' must be a number"),
        ({"g": np.ones(1)}, "'g' must be a number"),
        ({"g": 1.0, "c": float("nan")}, "'c' is nan; if the experiment did not work, say that it"),
        ({"g": 10**400}, "'g' is inf"),
        ({"g": 1e151}, r"'g' is 1e\+151, beyond 1e\+150 in size.*rescale"),
        ({"g": np.ma.masked}, "'g' must be a number, not masked"),
        ({}, "no values; give some of"),
        (3.0, "values must be a dict"),
        ([("g", 1.0)], "values must be a dict"),
    ],
)
def test_values_that_cannot_be_taken_are_refused_and_change_nothing(
    values: Any, message: str
) -> None:
    study = Study(APART)
    study.ask()
    trial = study.ask()
    with pytest.raises(MeasurementError, match=message):
        study.tell(trial, values)
    assert study.trial(trial.id) == trial
    study.tell(trial, {"g": 1.0, "c": 0.0})


def tell(study: Study, trial: Trial) -> None:
    study.tell(trial, {"f": 1.0})


def fail(study: Study, trial: Trial) -> None:
    study.fail(trial, "out of memory")


@pytest.mark.parametrize("first", [tell, fail])
@pytest.mark.parametrize("second", [tell, fail])
def test_a_trial_is_told_once(
    first: Callable[[Study, Trial], None], second: Callable[[Study, Trial], None]
) -> None:
    study = Study(TOGETHER)
    trial = study.ask()
    first(study, trial)
    before = study.trials()
    with pytest.raises(StudyError, match=r"trial 0 was already told: it is (measured|failed)"):
        second(study, trial)
    assert study.trials() == before


def test_a_failed_trial_keeps_its_reason_and_its_input_is_avoided() -> None:
    study = Study(TOGETHER)
    trial = study.ask()
    study.fail(trial, "out of memory")
    assert (study.trial(0).state, study.trial(0).reason) == ("failed", "out of memory")
    data = study.data
    assert data.counts.tolist() == [0, 0, 0]
    np.testing.assert_array_equal(data.avoid["all"], [TOGETHER.space.encode(trial.inputs)])


@pytest.mark.parametrize(
    ("given", "reason"),
    [((), ""), (("melted",), "melted"), ((OSError("disk full"),), "OSError: disk full")],
)
def test_a_failure_has_a_reason_an_exception_or_nothing(
    given: tuple[Any, ...], reason: str
) -> None:
    study = Study(TOGETHER)
    study.fail(study.ask(), *given)
    assert study.trial(0).reason == reason


def test_trials_of_other_studies_are_refused() -> None:
    study = Study(TOGETHER)
    trial = study.ask()
    with pytest.raises(StudyError, match="trial 5 is not in this study"):
        study.tell(5, {"f": 1.0})
    with pytest.raises(StudyError, match="trial 5 is not in this study"):
        study.trial(5)
    with pytest.raises(StudyError, match=r"trial 0 was asked as group 'all' at .* add\(inputs"):
        study.tell(replace(trial, inputs={"x": 0.123, "n": 2}), {"f": 1.0})
    for ask in (study.trial, study.take_back, lambda trial_id: study.tell(trial_id, {"f": 1.0})):
        with pytest.raises(ArgumentError, match=r"a trial's id must be a whole number.*not \['0'"):
            ask(["0"])  # type: ignore[arg-type]


def test_what_was_handed_out_can_be_changed_without_harm() -> None:
    study = Study(TOGETHER)
    trial = study.ask()
    kept = dict(trial.inputs)
    trial.inputs["x"] = 99.0
    values = {"f": 1.0}
    study.tell(0, values)
    values["f"] = 99.0
    study.trials()[0].values["f"] = 99.0
    assert study.trial(0).inputs == kept
    assert study.trial(0).values == {"f": 1.0}


def test_a_trial_taken_back_was_never_asked() -> None:
    study = Study(TOGETHER)
    first = study.ask()
    second = study.ask()
    study.take_back(second)
    assert study.trials() == [first]
    assert study.ask() == second


def test_cost_counts_told_and_failed_trials() -> None:
    study = Study(APART)
    trials = [study.ask() for _ in range(4)]
    assert study.cost == 0.0
    study.tell(trials[0], {"f": 1.0})
    study.fail(trials[1], "broken")
    study.tell(trials[3], {"g": 1.0, "c": 1.0})
    assert study.cost == 11.0


def test_earlier_measurements_are_added_to_their_groups() -> None:
    study = Study(APART)
    added = study.add({"n": 3.0, "x": np.float64(0.5)}, {"c": 0.25, "f": 2})
    assert [(t.id, t.group, t.values, t.origin, t.cost) for t in added] == [
        (0, "train", {"f": 2.0}, "added", 0.0),
        (1, "chip", {"c": 0.25}, "added", 0.0),
    ]
    assert added == study.trials()
    assert study.cost == 0.0
    assert study.ask().id == 2


@pytest.mark.parametrize(
    ("inputs", "values", "error", "message"),
    [
        ({"x": 0.5}, {"f": 1.0}, InputError, "input 'n' is missing"),
        ({"x": 0.5, "n": 10}, {"f": 1.0}, InputError, "'n' is 10, outside"),
        ({"x": 0.5, "n": 1}, {"f": np.inf}, MeasurementError, "'f' is inf"),
        ({"x": 0.5, "n": 1}, {"z": 1.0}, MeasurementError, "unknown quantity 'z'"),
        ({"x": 0.5, "n": 1}, {}, MeasurementError, "no values"),
    ],
)
def test_earlier_measurements_that_make_no_sense_are_refused(
    inputs: dict[str, Any], values: dict[str, float], error: type[Exception], message: str
) -> None:
    study = Study(APART)
    with pytest.raises(error, match=message):
        study.add(inputs, values)
    assert study.trials() == []


def test_the_order_of_telling_does_not_change_the_suggestion(numbers: FakeNumbers) -> None:
    suggestions = set()
    for order in permutations(range(4)):
        study = Study(APART, method=METHOD, start=2, seed=3)
        asked = [study.ask() for _ in range(4)]
        for i in order:
            study.tell(asked[i], measure(asked[i]))
        trial = study.ask()
        suggestions.add((trial.id, trial.group, trial.inputs["x"], trial.inputs["n"]))
    assert len(suggestions) == 1


def test_the_order_of_adding_does_not_change_the_suggestion(numbers: FakeNumbers) -> None:
    earlier = [({"x": i / 10, "n": i + 1}, {"f": 1.0 * i, "g": 2.0, "c": 0.5}) for i in range(3)]
    suggestions = set()
    for order in permutations(earlier):
        study = Study(APART, method=METHOD, start=2)
        for inputs, values in order:
            study.add(inputs, values)
        trial = study.ask()
        suggestions.add((trial.id, trial.group, trial.inputs["x"], trial.inputs["n"]))
    assert len(numbers.calls) == 6
    assert len(suggestions) == 1


def test_seeds_and_data_change_the_suggestion(numbers: FakeNumbers) -> None:
    suggestions = set()
    for seed, shift in [(0, 0.0), (1, 0.0), (0, 1e-9)]:
        study = Study(TOGETHER, method=METHOD, start=1, seed=seed)
        study.add({"x": 0.5, "n": 5}, {"f": 1.0 + shift, "g": 0.0, "c": 0.0})
        suggestions.add(study.ask().inputs["x"])
    assert len(suggestions) == 3


@pytest.mark.parametrize("noiseless", [True, False])
def test_a_finite_space_is_exhausted_only_when_repeating_tells_nothing(
    numbers: FakeNumbers, noiseless: bool
) -> None:
    problem = Problem(
        {"n": Integer(0, 1), "c": Categorical(["a", "b"])},
        {"f": minimize, "g": minimize},
        groups={"one": Group(["f"]), "two": Group(["g"])},
        noiseless=noiseless,
    )
    study = Study(problem, method=METHOD, start=2)
    for _ in range(8):
        trial = study.ask()
        study.tell(trial, dict.fromkeys(trial.measure, 1.0))
    visited = {(t.group, *t.inputs.values()) for t in study.trials()}
    if noiseless:
        assert len(visited) == 8
        with pytest.raises(SpaceExhausted, match="every one of the 4 inputs was tried"):
            study.ask()
    else:
        assert study.ask().id == 8


def test_inputs_that_are_pending_are_told_from_those_tried() -> None:
    problem = Problem({"n": Integer(0, 2)}, {"f": minimize}, noiseless=True)
    study = Study(problem, start=3)
    study.tell(study.ask(), {"f": 1.0})
    study.ask()
    study.ask()
    with pytest.raises(SpaceExhausted, match=r"3 inputs was tried or is pending \(2 trials\) in"):
        study.ask()


def test_recommend_asks_the_models(numbers: FakeNumbers) -> None:
    study = Study(TOGETHER, method=METHOD, seed=5)
    study.add({"x": 0.5, "n": 5}, {"f": 1.0, "g": 0.0})
    with pytest.raises(StudyError, match="nothing to recommend yet: 'c' was never measured"):
        study.recommend()
    study.add({"x": 0.5, "n": 6}, {"c": 0.0})
    assert study.recommend(delta=0.1) == "a recommendation"
    ((key, problem, data, given, delta),) = numbers.recommended
    assert (key, problem, given, delta) == ((5, 2), TOGETHER, METHOD, 0.1)
    assert data.counts.tolist() == [1, 1, 1]


def test_asking_does_not_change_the_key_of_a_recommendation(numbers: FakeNumbers) -> None:
    study = Study(TOGETHER, method=METHOD, seed=5)
    study.fail(study.ask())
    study.add({"x": 0.5, "n": 5}, {"f": 1.0, "g": 0.0, "c": 0.0})
    for _ in range(2):
        study.recommend()
        study.ask()
    assert [key for key, *_ in numbers.recommended] == [(5, 2)] * 2


def test_arguments_of_the_wrong_kind_are_refused() -> None:
    with pytest.raises(ArgumentError, match="problem must be a Problem"):
        Study({"x": Real(0, 1)})  # type: ignore[arg-type]
    for seed in (-1, 0.5, None, True):
        with pytest.raises(ArgumentError, match="seed must be a whole number"):
            Study(TOGETHER, seed=seed)  # type: ignore[arg-type]
    for start in (-1, 10**9):
        with pytest.raises(ArgumentError, match="start must be a whole number, from 0 to 10000"):
            Study(TOGETHER, start=start)
    for method in ("random", object()):
        with pytest.raises(
            ArgumentError, match=r"method must be .* such as ts.MesmocPlus\(\), not"
        ):
            Study(TOGETHER, method=method)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=r"the class RandomSearch: write RandomSearch\(\)"):
        Study(TOGETHER, method=RandomSearch)  # type: ignore[arg-type]
    study = Study(TOGETHER)
    with pytest.raises(ArgumentError, match="reason must be a str"):
        study.fail(study.ask(), None)  # type: ignore[arg-type]


def test_a_study_describes_itself() -> None:
    study = Study(APART)
    study.tell(study.ask(), {"f": 1.0})
    study.ask()
    assert repr(study) == (
        "<Study of 2 inputs, 2 objectives, 1 constraints: 1 measured, 0 failed, 1 pending, cost 10>"
    )
