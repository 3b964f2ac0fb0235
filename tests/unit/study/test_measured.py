from typing import Any

import pytest

from tradespace.problem import Group, Problem, at_most, maximize, minimize
from tradespace.space import Real
from tradespace.study import Study

INPUTS = {"x": Real(0, 10)}
TOGETHER = Problem(INPUTS, {"f": minimize, "g": maximize}, {"c": at_most(1.0)})
APART = Problem(
    INPUTS,
    {"f": minimize, "g": maximize},
    {"c": at_most(1.0)},
    groups={"one": Group(["f"]), "two": Group(["g", "c"])},
)


def study_of(problem: Problem, *rows: tuple[float, dict[str, float]]) -> Study:
    study = Study(problem)
    for x, values in rows:
        study.add({"x": x}, values)
    return study


def outline(study: Study) -> list[tuple[Any, ...]]:
    return [(point.inputs["x"], point.values["f"], point.values["g"]) for point in study.front()]


def test_the_front_is_feasible_and_non_dominated_in_the_users_units() -> None:
    study = study_of(
        TOGETHER,
        (3.0, {"f": 3.0, "g": 9.0, "c": 1.0}),
        (1.0, {"f": 1.0, "g": 5.0, "c": 0.0}),
        (2.0, {"f": 2.0, "g": 4.0, "c": 0.0}),
        (4.0, {"f": 0.0, "g": 99.0, "c": 1.1}),
        (5.0, {"f": 4.0, "g": 10.0, "c": -5.0}),
    )
    assert outline(study) == [(1.0, 1.0, 5.0), (3.0, 3.0, 9.0), (5.0, 4.0, 10.0)]
    assert study.front()[0].values == {"f": 1.0, "g": 5.0, "c": 0.0}
    assert study.front()[0].trials == (1,)


def test_a_decoupled_front_joins_trials_at_equal_inputs() -> None:
    study = study_of(
        APART,
        (1.0, {"f": 1.0}),
        (2.0, {"g": 9.0, "c": 0.0}),
        (3.0, {"f": 3.0}),
        (1.0, {"g": 5.0, "c": 0.5}),
        (3.0, {"g": 7.0}),
    )
    assert outline(study) == [(1.0, 1.0, 5.0)]
    assert study.front()[0].trials == (0, 3)


def test_repeated_measurements_count_with_their_means() -> None:
    study = study_of(
        TOGETHER,
        (1.0, {"f": 1.0, "g": 0.0, "c": 0.0}),
        (1.0, {"f": 4.0, "g": 0.0, "c": 1.5}),
        (2.0, {"f": 2.0, "g": 0.0, "c": 0.0}),
    )
    assert outline(study) == [(2.0, 2.0, 0.0)]
    study.add({"x": 1.0}, {"f": 0.5})
    assert outline(study)[0] == (1.0, pytest.approx(11 / 6), 0.0)


def test_pending_and_failed_trials_are_not_on_the_front() -> None:
    study = Study(TOGETHER)
    study.ask()
    study.fail(study.ask(), "broken")
    assert study.front() == []


def test_nothing_feasible_gives_an_empty_front() -> None:
    assert study_of(TOGETHER, (1.0, {"f": 1.0, "g": 1.0, "c": 2.0})).front() == []


def test_of_equal_trade_offs_one_is_kept_whatever_the_order() -> None:
    rows = [(x, {"f": 1.0, "g": 1.0, "c": 0.0}) for x in (2.0, 1.0, 3.0)]
    assert outline(study_of(TOGETHER, *rows)) == [(1.0, 1.0, 1.0)]
    assert outline(study_of(TOGETHER, *reversed(rows))) == [(1.0, 1.0, 1.0)]
