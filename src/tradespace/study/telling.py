"""What a study is told, checked before it is recorded."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from tradespace.data import measurement
from tradespace.errors import MeasurementError
from tradespace.problem import Problem
from tradespace.study.trial import Trial

# Values at the same inputs that differ by no more are the same but for rounding: as a share of
# themselves, and of the largest value told.
ROUNDING, ROUNDING_OF_LARGEST = 1e-6, 1e-9


def told_values(
    problem: Problem, trial: Trial, values: object, trials: Iterable[Trial]
) -> dict[str, float]:
    """What a pending trial measured, checked by itself and against the other trials."""
    try:
        measured = checked_values(problem, trial.measure, values)
        check_agreement(problem, trial.inputs, measured, trials)
    except MeasurementError as error:
        raise MeasurementError(f"trial {trial.id} (group {trial.group!r}): {error}") from None
    return measured


def check_agreement(
    problem: Problem,
    inputs: Mapping[str, Any],
    values: Mapping[str, float],
    trials: Iterable[Trial],
) -> None:
    """Raise MeasurementError when a noiseless problem has other values at the same inputs."""
    if not problem.noiseless:
        return
    known = list(trials)
    for name, value in values.items():
        told = [trial for trial in known if name in trial.values]
        rounding = ROUNDING_OF_LARGEST * max((abs(t.values[name]) for t in told), default=0.0)
        for trial in told:
            before = trial.values[name]
            if trial.inputs == inputs and not math.isclose(
                value, before, rel_tol=ROUNDING, abs_tol=rounding
            ):
                raise MeasurementError(
                    f"{name!r} is {value!r} at {dict(inputs)!r}, where trial {trial.id} measured "
                    f"{before!r}: check both, or define the problem with noiseless=False"
                )


def checked_values(problem: Problem, measures: tuple[str, ...], values: object) -> dict[str, float]:
    """Values in order and as floats; MeasurementError, naming the quantity, if they are no use."""
    if not isinstance(values, Mapping):
        raise MeasurementError(f"values must be a dict with {list(measures)!r}, not {values!r}")
    for name in values:
        if name not in problem.black_boxes:
            raise MeasurementError(
                f"unknown quantity {name!r}; the problem has {list(problem.black_boxes)!r}"
            )
        if name not in measures:
            raise MeasurementError(
                f"{name!r} is measured in another group; this one measures {list(measures)!r}"
            )
    if not values:
        raise MeasurementError(
            f"no values; give some of {list(measures)!r}, or say that the trial failed"
        )
    return {name: measurement(name, values[name]) for name in measures if name in values}
