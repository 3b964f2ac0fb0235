"""The study with the real methods behind it: what was faked elsewhere holds with them too."""

from typing import Any

import numpy as np
import pytest

from tradespace.acquisition import MesmocPlus, RandomSearch
from tradespace.problem import Group, Problem, at_most, maximize, minimize
from tradespace.space import Categorical, Integer, Real
from tradespace.study import Study, Trial

METHODS = [
    pytest.param(RandomSearch(), id="random"),
    pytest.param(MesmocPlus(samples=4, candidates=100), id="mesmoc_plus"),
]
# Binh and Korn's problem, measured apart.
APART = Problem(
    {"width": Real(0.0, 5.0), "depth": Real(0.0, 3.0)},
    {"cost": minimize, "stiffness": maximize},
    {"deflection": at_most(25.0)},
    groups={"bought": Group(["cost"]), "built": Group(["stiffness", "deflection"], cost=10.0)},
)


def bought(inputs: dict[str, Any]) -> dict[str, float]:
    return {"cost": 4 * inputs["width"] ** 2 + 4 * inputs["depth"] ** 2}


def built(inputs: dict[str, Any]) -> dict[str, float]:
    w, d = inputs["width"], inputs["depth"]
    return {"stiffness": -((w - 5) ** 2) - (d - 5) ** 2, "deflection": (w - 5) ** 2 + d**2}


EXPERIMENTS = {"bought": bought, "built": built}


def tell_all(study: Study, trials: list[Trial]) -> None:
    for trial in trials:
        study.tell(trial, EXPERIMENTS[trial.group](trial.inputs))


@pytest.mark.parametrize("method", METHODS)
def test_the_order_of_telling_changes_neither_suggestion_nor_recommendation(method: Any) -> None:
    ends = []
    for step in (1, -1):
        study = Study(APART, method, seed=4, start=3)
        tell_all(study, [study.ask() for _ in range(6)][::step])
        # These two are suggested by the method, the second with the first pending.
        tell_all(study, [study.ask() for _ in range(2)][::step])
        ends.append((study.trials(), study.ask(), list(study.recommend())))
    assert {trial.origin for trial in ends[0][0][6:]} == {"method"}
    assert ends[0] == ends[1]


@pytest.mark.parametrize("method", METHODS)
def test_asking_does_not_change_the_recommendation(method: Any) -> None:
    study = Study(APART, method, seed=4, start=3)
    tell_all(study, [study.ask() for _ in range(6)])
    before = study.recommend()
    assert [study.ask().origin for _ in range(2)] == ["method"] * 2
    assert study.recommend() == before


@pytest.mark.parametrize("method", METHODS)
def test_the_method_goes_on_when_the_start_left_a_quantity_out(method: Any) -> None:
    study = Study(APART, method, seed=4, start=3)
    for trial in [study.ask() for _ in range(6)]:
        values = EXPERIMENTS[trial.group](trial.inputs)
        study.tell(trial, {name: values[name] for name in values if name != "deflection"})
    assert study.ask().origin == "method"


@pytest.mark.parametrize("method", METHODS)
def test_a_noiseless_finite_space_is_measured_to_the_end_without_repeating(method: Any) -> None:
    problem = Problem(
        {"n": Integer(1, 3), "kind": Categorical(["a", "b"])},
        {"f": minimize, "g": maximize},
        groups={"one": Group(["f"]), "two": Group(["g"], cost=3.0)},
        noiseless=True,
    )
    study = Study(problem, method, start=2)
    experiments = {
        "one": lambda inputs: {"f": (inputs["n"] - 2) ** 2 + (inputs["kind"] == "a")},
        "two": lambda inputs: {"g": inputs["n"] - (inputs["kind"] == "b")},
    }
    study.run(experiments, trials=99)
    visits = {(trial.group, *trial.inputs.values()) for trial in study.trials()}
    assert len(visits) == len(study.trials()) == 12
    assert [(point.values["f"], point.values["g"]) for point in study.front()] == [
        (0.0, 1.0),
        (1.0, 3.0 - 1.0),
        (2.0, 3.0),
    ]


def test_a_run_finds_trade_offs_that_dominate_those_of_its_start() -> None:
    study = Study(APART, seed=1)
    study.run(EXPERIMENTS, trials=20)
    recommended = [point.inputs for point in study.recommend()]
    start = [trial.inputs for trial in study.trials() if trial.origin == "design"]

    def true_values(inputs: dict[str, Any]) -> np.ndarray:
        return np.array([bought(inputs)["cost"], -built(inputs)["stiffness"]])

    better = [
        any((true_values(r) < true_values(s)).all() for r in recommended)
        for s in start
        if built(s)["deflection"] <= 25.0
    ]
    assert np.mean(better) >= 0.5
