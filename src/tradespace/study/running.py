"""Running a study: ask, experiment, tell, until the trials or the money are used up."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from tradespace.arguments import amount, check_count
from tradespace.errors import (
    ArgumentError,
    MeasurementError,
    SpaceExhausted,
    StudyError,
    TooManyFailures,
)
from tradespace.problem import Problem
from tradespace.study.trial import Trial

if TYPE_CHECKING:
    from tradespace.study.study import Study

Experiment: TypeAlias = Callable[[dict[str, Any]], Mapping[str, float]]


def run(
    study: Study,
    experiment: Experiment | Mapping[str, Experiment],
    trials: int | None,
    cost: float | None,
    callback: Callable[[Trial], object] | None,
    max_failures: int,
) -> None:
    """Do up to `trials` more trials while less than `cost` more is spent; see Study.run."""
    experiments = _by_group(study.problem, experiment)
    _check_counts(trials, cost, max_failures)
    budget = math.inf if cost is None else amount("cost", cost)
    done, spent, failures = 0, 0.0, 0
    while (trials is None or done < trials) and spent < budget:
        try:
            trial = study.ask()
        except SpaceExhausted:
            return
        error = _carry_out(study, trial, experiments[trial.group])
        done, spent = done + 1, spent + trial.cost
        failures = 0 if error is None else failures + 1
        if callback is not None:
            callback(study.trial(trial.id))
        if failures >= max_failures:
            raise TooManyFailures(
                f"{failures} trials in a row failed, the last one (trial {trial.id}, group "
                f"{trial.group!r}) because: {study.trial(trial.id).reason}"
            ) from error
        _check_nothing_left_out(study, trial, max_failures)


def _check_nothing_left_out(study: Study, trial: Trial, most: int) -> None:
    """Raise when a quantity of the trial's group was never told, in `most` told trials or more."""
    told = [t for t in study.trials() if t.group == trial.group and t.state == "measured"]
    asked = sum(t.origin != "added" for t in told)
    for name in trial.measure:
        if asked >= most and not any(name in t.values for t in told):
            raise TooManyFailures(
                f"{name!r} was left out of all {asked} trials that group {trial.group!r} was told; "
                "its experiment must return it now and then, or the problem do without it"
            )


def _carry_out(study: Study, trial: Trial, experiment: Experiment) -> Exception | None:
    """Do one trial and record it; what went wrong when it failed."""
    try:
        values = experiment(dict(trial.inputs))
    except Exception as error:
        study.fail(trial, error)
        return error
    except BaseException:
        study.take_back(trial)
        raise
    try:
        study.tell(trial, values)
    except MeasurementError as error:
        study.fail(trial, str(error))
        return error
    return None


def _by_group(problem: Problem, experiment: object) -> Mapping[str, Experiment]:
    names = list(problem.groups)
    experiments: dict[str, Any] = {}
    if isinstance(experiment, Mapping):
        experiments.update(experiment)
    elif problem.is_decoupled:
        raise StudyError(
            f"the problem has the groups {names!r}: give an experiment for each, such as "
            f"{{{names[0]!r}: ..., {names[1]!r}: ...}}"
        )
    else:
        experiments[names[0]] = experiment
    for name in experiments:
        if name not in names:
            raise StudyError(f"unknown group {name!r}; the groups are {names!r}")
    for name in names:
        if name not in experiments:
            raise StudyError(f"group {name!r} has no experiment")
        if not callable(experiments[name]):
            raise StudyError(
                f"the experiment of group {name!r} must be a function, not {experiments[name]!r}"
            )
    return experiments


def _check_counts(trials: object, cost: object, max_failures: object) -> None:
    if trials is None and cost is None:
        raise ArgumentError("say when to stop: trials=..., cost=..., or both")
    if trials is not None:
        check_count("trials", trials, 0)
    check_count("max_failures", max_failures, 1)
