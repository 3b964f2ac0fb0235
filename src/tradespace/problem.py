"""What is to be found: inputs, objectives, constraints, and what one experiment measures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any, overload

import numpy as np

from tradespace.arguments import as_number
from tradespace.errors import MeasurementError, ProblemError
from tradespace.inputs import Floats, Input
from tradespace.space import Space

# Sums of squares of numbers up to this size are finite doubles.
LARGEST_VALUE = 1e150


class Direction(Enum):
    """Which way an objective is better."""

    MINIMIZE = "minimize"
    MAXIMIZE = "maximize"

    def __repr__(self) -> str:
        return self.value


minimize = Direction.MINIMIZE
maximize = Direction.MAXIMIZE


@dataclass(frozen=True)
class Constraint:
    """A quantity must lie between two bounds, both included; an absent bound is infinite."""

    lower: float = -math.inf
    upper: float = math.inf

    def __post_init__(self) -> None:
        # A wrong type is kept as it is for `check`, which knows the constraint's name.
        for side in ("lower", "upper"):
            number = as_number(getattr(self, side))
            if number is not None:
                object.__setattr__(self, side, number)

    def check(self, name: str) -> None:
        """Raise ProblemError when the bounds allow nothing, everything, or a single value."""
        for bound in (self.lower, self.upper):
            number = as_number(bound)
            if number is None or math.isnan(number):
                raise ProblemError(f"constraint {name!r}: bound {bound!r} is not a number")
        if self.lower == math.inf or self.upper == -math.inf:
            raise ProblemError(f"constraint {name!r}: an infinite bound allows nothing")
        if self.lower > self.upper:
            raise ProblemError(
                f"constraint {name!r}: bounds are swapped, {self.lower!r} is above {self.upper!r}"
            )
        if self.lower == self.upper:
            raise ProblemError(
                f"constraint {name!r}: both bounds are {self.lower!r}, which no measured value "
                "would meet; leave some room between them"
            )
        if math.isinf(self.lower) and math.isinf(self.upper):
            raise ProblemError(f"constraint {name!r}: infinite bounds allow everything")
        for bound in (self.lower, self.upper):
            if LARGEST_VALUE < abs(bound) < math.inf:
                raise ProblemError(
                    f"constraint {name!r}: bound {bound!r} is beyond {LARGEST_VALUE:g} in size, "
                    "too large to compute with; measure it in a larger unit"
                )

    @property
    def span(self) -> float:
        """Distance between the bounds, inf when there is one only."""
        return self.upper - self.lower

    def holds(self, value: float) -> bool:
        """Whether a measured value meets the constraint."""
        return self.lower <= value <= self.upper


def at_least(bound: float) -> Constraint:
    """The constraint that a quantity is the bound or more."""
    return Constraint(lower=bound)


def at_most(bound: float) -> Constraint:
    """The constraint that a quantity is the bound or less."""
    return Constraint(upper=bound)


def between(lower: float, upper: float) -> Constraint:
    """The constraint that a quantity lies between two bounds, both included."""
    return Constraint(lower, upper)


@dataclass(frozen=True)
class Group:
    """Quantities that one experiment measures together, and what that experiment costs."""

    measures: tuple[str, ...]
    cost: float = 1.0

    def __init__(self, measures: Sequence[str], cost: float = 1.0) -> None:
        # A wrong type is kept as it is for `check`, which knows the group's name.
        kept = tuple(measures) if isinstance(measures, (list, tuple)) else measures
        number = as_number(cost)
        object.__setattr__(self, "measures", kept)
        object.__setattr__(self, "cost", cost if number is None else number)

    def check(self, name: str, quantities: Sequence[str]) -> None:
        """Raise ProblemError when the group's list or cost makes no sense for these quantities."""
        if not isinstance(self.measures, tuple):
            raise ProblemError(
                f"group {name!r}: what it measures must be a list of names, not {self.measures!r}"
            )
        if not self.measures:
            raise ProblemError(f"group {name!r} measures nothing")
        for i, quantity in enumerate(self.measures):
            if quantity not in quantities:
                raise ProblemError(
                    f"group {name!r} measures {quantity!r}, which is neither an objective nor a "
                    f"constraint; those are {list(quantities)!r}"
                )
            if quantity in self.measures[:i]:
                raise ProblemError(f"group {name!r} names {quantity!r} twice")
        cost = as_number(self.cost)
        if cost is None or not 0 < cost < math.inf:
            raise ProblemError(f"group {name!r}: cost must be above 0, not {self.cost!r}")


@dataclass(frozen=True, init=False, eq=False)
class Problem:
    """What is to be found, checked once at construction; equal definitions are equal problems.

    `noiseless` says that measuring the same inputs again gives the same values.

    Inside, every objective is minimised and a constraint holds when 0 <= value <= its span:
    `to_inside` and `from_inside` are the one place where the two sides meet.
    """

    space: Space
    directions: Mapping[str, Direction]
    bounds: Mapping[str, Constraint]
    groups: Mapping[str, Group]
    noiseless: bool

    def __init__(
        self,
        inputs: Mapping[str, Input],
        objectives: Mapping[str, Direction],
        constraints: Mapping[str, Constraint] | None = None,
        groups: Mapping[str, Group] | None = None,
        noiseless: bool = False,
    ) -> None:
        space = Space(inputs)
        bounds = {} if constraints is None else constraints
        _check_objectives(objectives)
        _check_constraints(bounds)
        _check_apart(space, objectives, bounds)
        boxes = (*objectives, *bounds)
        if groups is None:
            groups = {"all": Group(boxes)}
        _check_groups(groups, boxes)
        if type(noiseless) is not bool:
            raise ProblemError(f"noiseless must be True or False, not {noiseless!r}")
        object.__setattr__(self, "space", space)
        object.__setattr__(self, "directions", dict(objectives))
        object.__setattr__(self, "bounds", dict(bounds))
        object.__setattr__(self, "groups", dict(groups))
        object.__setattr__(self, "noiseless", noiseless)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Problem) and self._content == other._content

    def __hash__(self) -> int:
        return hash(self._content)

    @cached_property
    def objectives(self) -> tuple[str, ...]:
        """The objectives' names, in order."""
        return tuple(self.directions)

    @cached_property
    def constraints(self) -> tuple[str, ...]:
        """The constraints' names, in order."""
        return tuple(self.bounds)

    @cached_property
    def black_boxes(self) -> tuple[str, ...]:
        """Every measured quantity: the objectives, then the constraints."""
        return self.objectives + self.constraints

    @cached_property
    def group_boxes(self) -> dict[str, tuple[int, ...]]:
        """For each group, the indices into `black_boxes` of what it measures."""
        index = {name: i for i, name in enumerate(self.black_boxes)}
        return {
            name: tuple(index[quantity] for quantity in group.measures)
            for name, group in self.groups.items()
        }

    @property
    def is_decoupled(self) -> bool:
        """Whether there is more than one group to choose from."""
        return len(self.groups) > 1

    @cached_property
    def spans(self) -> Floats:
        """Upper end of each constraint inside, (C,): inf when it has one bound only."""
        spans = np.array([bound.span for bound in self.bounds.values()], dtype=float)
        spans.setflags(write=False)
        return spans

    def sign(self, name: str) -> float:
        """+1 when a larger measured value is larger inside too, -1 when it is smaller."""
        return self._conversion[name][0]

    @overload
    def to_inside(self, name: str, value: float) -> float: ...
    @overload
    def to_inside(self, name: str, value: Floats) -> Floats: ...
    def to_inside(self, name: str, value: float | Floats) -> float | Floats:
        """Measured values of one quantity in inside units, element by element."""
        sign, offset = self._conversion[name]
        return sign * value + offset

    @overload
    def from_inside(self, name: str, value: float) -> float: ...
    @overload
    def from_inside(self, name: str, value: Floats) -> Floats: ...
    def from_inside(self, name: str, value: float | Floats) -> float | Floats:
        """Inside values of one quantity in the user's units, element by element."""
        sign, offset = self._conversion[name]
        # Adding 0.0 turns a negative zero into a positive one.
        return sign * (value - offset) + 0.0

    def is_feasible(self, values: Mapping[str, float]) -> bool:
        """Whether measured values meet every constraint; every one of them must be there."""
        missing = [name for name in self.constraints if name not in values]
        if missing:
            raise MeasurementError(f"constraint {missing[0]!r} has no measured value")
        return all(bound.holds(values[name]) for name, bound in self.bounds.items())

    @cached_property
    def _conversion(self) -> dict[str, tuple[float, float]]:
        """For each quantity (sign, offset): inside = sign * value + offset."""
        conversion = {
            name: (1.0 if direction is Direction.MINIMIZE else -1.0, 0.0)
            for name, direction in self.directions.items()
        }
        for name, bound in self.bounds.items():
            one_sided_above = math.isinf(bound.lower)
            conversion[name] = (-1.0, bound.upper) if one_sided_above else (1.0, -bound.lower)
        return conversion

    @cached_property
    def _content(self) -> tuple[Any, ...]:
        mappings = (self.directions, self.bounds, self.groups)
        return (self.space, *(tuple(m.items()) for m in mappings), self.noiseless)


def _check_objectives(objectives: object) -> None:
    if not isinstance(objectives, Mapping) or not objectives:
        raise ProblemError(
            f"objectives must be a dict such as {{'error': minimize}}, not {objectives!r}"
        )
    for name, direction in objectives.items():
        _check_name("objective", name)
        if not isinstance(direction, Direction):
            raise ProblemError(
                f"objective {name!r} is {direction!r}: write minimize or maximize (the objects "
                "tradespace.minimize and tradespace.maximize, not strings)"
            )


def _check_constraints(constraints: object) -> None:
    if not isinstance(constraints, Mapping):
        raise ProblemError(
            f"constraints must be a dict such as {{'area': at_most(1.0)}}, not {constraints!r}"
        )
    for name, bound in constraints.items():
        _check_name("constraint", name)
        if not isinstance(bound, Constraint):
            raise ProblemError(
                f"constraint {name!r} is {bound!r}: write at_least(bound), at_most(bound) or "
                "between(lower, upper)"
            )
        bound.check(name)


def _check_apart(space: Space, objectives: Mapping[str, Any], bounds: Mapping[str, Any]) -> None:
    for name in objectives:
        if name in bounds:
            raise ProblemError(
                f"{name!r} is both an objective and a constraint; give the constraint another "
                "name and measure it twice"
            )
    for name in (*objectives, *bounds):
        if name in space.inputs:
            raise ProblemError(f"{name!r} is both an input and a measured quantity")


def _check_groups(groups: object, boxes: Sequence[str]) -> None:
    if not isinstance(groups, Mapping) or not groups:
        raise ProblemError(
            f"groups must be a dict such as {{'train': Group(['error'])}}, not {groups!r}"
        )
    owner: dict[str, str] = {}
    for name, group in groups.items():
        _check_name("group", name)
        if not isinstance(group, Group):
            raise ProblemError(f"group {name!r} is {group!r}: write Group([names], cost=...)")
        group.check(name, boxes)
        for quantity in group.measures:
            if quantity in owner:
                raise ProblemError(
                    f"{quantity!r} is in two groups, {owner[quantity]!r} and {name!r}"
                )
            owner[quantity] = name
    for quantity in boxes:
        if quantity not in owner:
            raise ProblemError(f"{quantity!r} is in no group, so nothing would measure it")


def _check_name(what: str, name: object) -> None:
    if not isinstance(name, str) or not name.strip():
        raise ProblemError(f"the name of each {what} must be a string with letters, not {name!r}")
