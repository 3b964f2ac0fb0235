"""What has been measured so far, in inside units and unit columns: all that the numbers see."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from tradespace.arguments import as_number
from tradespace.errors import InputError, MeasurementError
from tradespace.inputs import Floats
from tradespace.problem import LARGEST_VALUE, Problem

Ids: TypeAlias = npt.NDArray[np.int64]
State: TypeAlias = Literal["pending", "measured", "failed"]


class TrialRecord(Protocol):
    """What Data needs to know of a trial."""

    @property
    def id(self) -> int:
        """Its number, unique in a study."""
        ...

    @property
    def inputs(self) -> Mapping[str, Any]:
        """The inputs of the experiment, by name."""
        ...

    @property
    def group(self) -> str:
        """The group that was to be measured."""
        ...

    @property
    def state(self) -> State:
        """Whether it is waited for, measured or failed."""
        ...

    @property
    def values(self) -> Mapping[str, float]:
        """What was measured, by name, in the user's units."""
        ...


@dataclass(frozen=True, eq=False)
class Unmeasured:
    """A trial without values, waited for or failed; point (width,)."""

    group: str
    point: Floats
    trial: int


@dataclass(frozen=True, eq=False)
class Data:
    """Measurements of each black box, with rows in the order of trial ids.

    For black box b: points[b] (n_b, width), values[b] (n_b,) and trials[b] (n_b,) ids. For group
    g: avoid[g] (n, width) holds every input measured, pending or failed there, and
    avoid_trials[g] (n,) the ids. Nothing depends on the order in which the trials were told.
    """

    points: tuple[Floats, ...]
    values: tuple[Floats, ...]
    trials: tuple[Ids, ...]
    pending: tuple[Unmeasured, ...]
    failed: tuple[Unmeasured, ...]
    avoid: Mapping[str, Floats]
    avoid_trials: Mapping[str, Ids]

    @property
    def counts(self) -> Ids:
        """Number of values of each black box, (B,)."""
        return np.array([len(v) for v in self.values], dtype=np.int64)

    def first(self, trial_count: int) -> Data:
        """The data as they were when only the `trial_count` smallest measured ids were there."""
        ids = np.unique(np.concatenate(self.trials))[: max(trial_count, 0)]
        kept = [np.isin(t, ids) for t in self.trials]
        avoided = {group: np.isin(t, ids) for group, t in self.avoid_trials.items()}
        return Data(
            points=tuple(p[k] for p, k in zip(self.points, kept, strict=True)),
            values=tuple(v[k] for v, k in zip(self.values, kept, strict=True)),
            trials=tuple(t[k] for t, k in zip(self.trials, kept, strict=True)),
            pending=(),
            failed=(),
            avoid={group: self.avoid[group][k] for group, k in avoided.items()},
            avoid_trials={group: self.avoid_trials[group][k] for group, k in avoided.items()},
        )

    @classmethod
    def from_trials(cls, problem: Problem, trials: Iterable[TrialRecord]) -> Data:
        """The data of a study's trials, given in any order."""
        ordered = sorted(trials, key=lambda trial: trial.id)
        _check_trials(problem, ordered)
        points = problem.space.encode_all([trial.inputs for trial in ordered])
        ids = np.array([trial.id for trial in ordered], dtype=np.int64)
        rows: dict[str, list[int]] = {name: [] for name in problem.black_boxes}
        for row, trial in enumerate(ordered):
            for name in trial.values:
                rows[name].append(row)
        values = {
            name: np.array([ordered[row].values[name] for row in rows[name]], dtype=float)
            for name in rows
        }

        def without_values(state: State) -> tuple[Unmeasured, ...]:
            return tuple(
                Unmeasured(trial.group, points[row], trial.id)
                for row, trial in enumerate(ordered)
                if trial.state == state
            )

        visits = {
            group: np.array([trial.group == group for trial in ordered], dtype=bool)
            for group in problem.groups
        }
        return cls(
            points=tuple(points[rows[name]] for name in problem.black_boxes),
            values=tuple(problem.to_inside(name, values[name]) for name in problem.black_boxes),
            trials=tuple(ids[rows[name]] for name in problem.black_boxes),
            pending=without_values("pending"),
            failed=without_values("failed"),
            avoid={group: points[visited] for group, visited in visits.items()},
            avoid_trials={group: ids[visited] for group, visited in visits.items()},
        )


def measurement(name: str, value: object) -> float:
    """A measured value as a float; MeasurementError, naming the quantity, when it is no use."""
    number = as_number(value)
    if number is None:
        raise MeasurementError(f"{name!r} must be a number, not {value!r}")
    if not math.isfinite(number):
        raise MeasurementError(
            f"{name!r} is {number}; if the experiment did not work, say that it failed"
        )
    if abs(number) > LARGEST_VALUE:
        raise MeasurementError(
            f"{name!r} is {number}, beyond {LARGEST_VALUE:g} in size, too large to compute with; "
            "rescale the quantity, or if the experiment did not work, say that it failed"
        )
    return number


def _check_trials(problem: Problem, ordered: list[TrialRecord]) -> None:
    for before, trial in zip([None, *ordered], ordered, strict=False):
        if before is not None and before.id == trial.id:
            raise InputError(f"two trials have the id {trial.id}")
        if trial.group not in problem.groups:
            raise InputError(f"trial {trial.id}: unknown group {trial.group!r}")
        if trial.values and trial.state != "measured":
            raise MeasurementError(f"trial {trial.id} is {trial.state} but has values")
        for name, value in trial.values.items():
            if name not in problem.groups[trial.group].measures:
                raise MeasurementError(
                    f"trial {trial.id}: {name!r} is not measured by group {trial.group!r}"
                )
            try:
                measurement(name, value)
            except MeasurementError as error:
                raise MeasurementError(f"trial {trial.id}: {error}") from None
