from typing import Any

import pytest

from tradespace.errors import ArgumentError, StudyError, TooManyFailures
from tradespace.problem import Group, Problem, at_most, maximize, minimize
from tradespace.space import Integer, Real
from tradespace.study import Study, Trial

from .conftest import METHOD, FakeNumbers

INPUTS = {"x": Real(0, 1)}
TOGETHER = Problem(INPUTS, {"f": minimize}, {"c": at_most(1.0)})
APART = Problem(
    INPUTS,
    {"f": minimize, "g": maximize},
    groups={"dear": Group(["f"], cost=10.0), "cheap": Group(["g"], cost=1.0)},
)
APART_EXPERIMENTS = {
    "dear": lambda inputs: {"f": inputs["x"]},
    "cheap": lambda inputs: {"g": inputs["x"]},
}


def good(inputs: dict[str, Any]) -> dict[str, float]:
    return {"f": inputs["x"] ** 2, "c": inputs["x"]}


@pytest.fixture
def study(numbers: FakeNumbers) -> Study:
    return Study(TOGETHER, method=METHOD, start=2)


def test_a_run_does_so_many_more_trials(study: Study) -> None:
    study.run(good, trials=5)
    assert [trial.state for trial in study.trials()] == ["measured"] * 5
    assert study.trial(3).values == good(study.trial(3).inputs)
    study.run(good, trials=2)
    assert len(study.trials()) == 7
    study.run(good, trials=0)
    assert len(study.trials()) == 7


def test_a_run_spends_so_much_more(numbers: FakeNumbers) -> None:
    study = Study(APART, method=METHOD, start=2)
    study.run(APART_EXPERIMENTS, cost=21.5)
    # 10 + 1 + 10 is below 21.5, so that one more is done.
    assert [trial.group for trial in study.trials()] == ["dear", "cheap"] * 2
    assert study.cost == 22.0
    study.run(APART_EXPERIMENTS, cost=1.0, trials=50)
    assert len(study.trials()) == 5


def test_each_group_has_its_experiment(numbers: FakeNumbers) -> None:
    study = Study(APART, method=METHOD, start=2)
    study.run(APART_EXPERIMENTS, trials=12)
    for trial in study.trials():
        assert trial.values == {trial.measure[0]: trial.inputs["x"]}
    assert {trial.group for trial in study.trials()} == {"dear", "cheap"}


def test_an_experiment_that_raises_is_a_failed_trial_and_the_run_goes_on(study: Study) -> None:
    def sometimes(inputs: dict[str, Any]) -> dict[str, float]:
        if len(study.trials()) % 2:
            raise RuntimeError("out of memory")
        return good(inputs)

    study.run(sometimes, trials=6, max_failures=2)
    assert [trial.state for trial in study.trials()] == ["failed", "measured"] * 3
    assert study.trial(0).reason == "RuntimeError: out of memory"


@pytest.mark.parametrize(
    ("returned", "reason"),
    [
        ({"f": 1.0, "wrong": 2.0}, "unknown quantity 'wrong'"),
        ({"f": float("nan")}, "'f' is nan"),
        (None, "values must be a dict"),
        ({}, "no values"),
    ],
)
def test_values_that_cannot_be_taken_are_a_failed_trial(
    study: Study, returned: Any, reason: str
) -> None:
    study.run(lambda inputs: returned, trials=1)
    assert study.trial(0).state == "failed"
    assert reason in study.trial(0).reason


def test_too_many_failures_in_a_row_stop_the_run_and_say_why(study: Study) -> None:
    def broken(inputs: dict[str, Any]) -> dict[str, float]:
        raise ZeroDivisionError("by nothing")

    study.run(good, trials=3)
    with pytest.raises(
        TooManyFailures, match=r"10 trials in a row failed.*trial 12.*ZeroDivisionError: by nothing"
    ) as caught:
        study.run(broken, trials=99)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert [trial.state for trial in study.trials()] == ["measured"] * 3 + ["failed"] * 10


def test_a_quantity_that_is_always_left_out_stops_the_run(study: Study) -> None:
    study.add({"x": 0.5}, {"f": 1.0})
    with pytest.raises(TooManyFailures, match="'c' was left out of all 4 trials that group 'all'"):
        study.run(lambda inputs: {"f": 1.0}, trials=99, max_failures=4)
    assert [trial.values for trial in study.trials()] == [{"f": 1.0}] * 5


def test_a_quantity_may_be_left_out_when_it_was_told_once(study: Study) -> None:
    study.add({"x": 0.5}, {"c": 1.0})
    study.run(lambda inputs: {"f": 1.0}, trials=9, max_failures=2)
    assert len(study.trials()) == 10


def test_ctrl_c_passes_and_takes_the_trial_back(study: Study) -> None:
    study.run(good, trials=3)
    expected = study.ask()
    study.take_back(expected)

    def interrupted(inputs: dict[str, Any]) -> dict[str, float]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        study.run(interrupted, trials=5)
    assert len(study.trials()) == 3
    assert study.ask() == expected


def test_the_callback_hears_of_each_trial_when_it_is_done(study: Study) -> None:
    heard: list[Trial] = []
    study.run(good, trials=4, callback=heard.append)
    assert heard == study.trials()


def test_an_experiment_may_change_the_inputs_it_is_given(study: Study) -> None:
    study.run(lambda inputs: {"f": inputs.pop("x"), "c": 0.0}, trials=3)
    assert [trial.values["f"] for trial in study.trials()] == [
        trial.inputs["x"] for trial in study.trials()
    ]


def test_trials_asked_elsewhere_stay_pending(study: Study) -> None:
    mine = study.ask()
    study.run(good, trials=3)
    assert study.trial(mine.id) == mine
    study.tell(mine, good(mine.inputs))


def test_a_run_ends_when_no_input_is_left(numbers: FakeNumbers) -> None:
    problem = Problem({"n": Integer(1, 5)}, {"f": minimize}, noiseless=True)
    study = Study(problem, method=METHOD, start=2)
    study.run(lambda inputs: {"f": inputs["n"]}, trials=99)
    assert sorted(trial.inputs["n"] for trial in study.trials()) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("problem", "experiment", "message"),
    [
        (APART, good, "the problem has the groups .*: give an experiment for each"),
        (APART, {"dear": good}, "group 'cheap' has no experiment"),
        (APART, {"dear": good, "cheap": good, "x": good}, "unknown group 'x'"),
        (APART, {"dear": good, "cheap": 3}, "experiment of group 'cheap' must be a function"),
        (TOGETHER, None, "experiment of group 'all' must be a function, not None"),
    ],
)
def test_experiments_are_checked_before_anything_runs(
    problem: Problem, experiment: Any, message: str
) -> None:
    study = Study(problem)
    with pytest.raises(StudyError, match=message):
        study.run(experiment, trials=1)
    assert study.trials() == []


@pytest.mark.parametrize(
    ("budget", "message"),
    [
        ({}, "say when to stop"),
        ({"trials": -1}, "trials must be"),
        ({"trials": 1.5}, "trials must be"),
        ({"cost": float("nan")}, "cost must be"),
        ({"cost": float("inf")}, "cost must be a finite number"),
        ({"cost": "9"}, "cost must be"),
        ({"trials": 1, "max_failures": 0}, "max_failures must be"),
    ],
)
def test_budgets_are_checked(budget: dict[str, Any], message: str) -> None:
    study = Study(TOGETHER)
    with pytest.raises(ArgumentError, match=message):
        study.run(good, **budget)
    assert study.trials() == []
