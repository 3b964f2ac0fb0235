"""The kinds of input: legal values on one side, columns in the unit interval on the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tradespace.arguments import as_number
from tradespace.errors import InputError, ProblemError

Floats: TypeAlias = npt.NDArray[np.float64]

# An integer's column is a double: beyond this its logarithm no longer tells neighbours apart.
LARGEST_INTEGER = 2**40


@dataclass(frozen=True)
class Real:
    """A real input between two bounds, both included; `log` spreads it evenly over magnitudes."""

    low: float
    high: float
    log: bool = False

    def __post_init__(self) -> None:
        # A wrong type is kept as it is for `check`, which knows the input's name.
        for side in ("low", "high"):
            number = as_number(getattr(self, side))
            if number is not None:
                object.__setattr__(self, side, number)

    @property
    def width(self) -> int:
        """Number of unit columns."""
        return 1

    @property
    def cardinality(self) -> None:
        """Number of legal values: not countable."""
        return None

    def check(self, name: str) -> None:
        """Raise ProblemError when the bounds make no sense."""
        low, high = _checked_bounds(name, self.low, self.high)
        _check_log(name, self.log, low, smallest=None)
        a, b = self._ends
        if not 0 < b - a < math.inf:
            raise ProblemError(
                f"input {name!r}: the distance from {low!r} to {high!r} is too "
                f"{'large' if b > a else 'small'} for double precision"
            )

    def legal(self, name: str, value: object) -> float:
        """The value as a float; InputError when it is not one between the bounds."""
        number = as_number(value)
        if number is None or math.isnan(number):
            raise InputError(f"input {name!r} must be a number, not {value!r}")
        if not self.low <= number <= self.high:
            raise InputError(f"input {name!r} is {number!r}, outside [{self.low!r}, {self.high!r}]")
        return number

    def to_columns(self, values: Sequence[float]) -> Floats:
        """Legal values as (n, 1) columns."""
        a, b = self._ends
        return ((_scale(np.asarray(values, dtype=float), self.log) - a) / (b - a))[:, None]

    def from_columns(self, columns: Floats) -> list[float]:
        """(n, 1) columns as legal values; 0 and 1 are the bounds themselves, to the last bit."""
        a, b = self._ends
        u = columns[:, 0]
        inner = np.clip(_unscale(a + np.clip(u, 0.0, 1.0) * (b - a), self.log), self.low, self.high)
        values = np.where(u <= 0.0, self.low, np.where(u >= 1.0, self.high, inner))
        return [float(v) for v in values]

    def snap(self, columns: Floats) -> Floats:
        """(n, 1) columns moved into [0, 1]."""
        return np.clip(columns, 0.0, 1.0)

    def spread(self, uniform: Floats) -> Floats:
        """(n,) uniform numbers as (n, 1) columns of legal values."""
        return self.snap(uniform[:, None])

    @cached_property
    def _ends(self) -> tuple[float, float]:
        a, b = _scale(np.array([self.low, self.high], dtype=float), self.log)
        return float(a), float(b)


@dataclass(frozen=True)
class Integer:
    """A whole number between two bounds, both included; `log` spreads it evenly over magnitudes.

    The unit interval is cut into one cell per integer, from low - 1/2 to high + 1/2, so that a
    point drawn uniformly from the interval draws the ends as often as the others.
    """

    low: int
    high: int
    log: bool = False

    def __post_init__(self) -> None:
        # A wrong type is kept as it is for `check`, which knows the input's name.
        for side in ("low", "high"):
            bound = getattr(self, side)
            if isinstance(bound, Integral) and not isinstance(bound, bool):
                object.__setattr__(self, side, int(bound))

    @property
    def width(self) -> int:
        """Number of unit columns."""
        return 1

    @property
    def cardinality(self) -> int:
        """Number of legal values."""
        return self.high - self.low + 1

    def check(self, name: str) -> None:
        """Raise ProblemError when the bounds make no sense."""
        for bound in (self.low, self.high):
            if type(bound) is not int:
                raise ProblemError(
                    f"input {name!r}: bounds of an Integer must be whole numbers, not {bound!r}"
                )
            if abs(bound) > LARGEST_INTEGER:
                raise ProblemError(
                    f"input {name!r}: bound {bound!r} is beyond 2**40; use Real for such a range"
                )
        _checked_bounds(name, self.low, self.high)
        _check_log(name, self.log, self.low, smallest=1)

    def legal(self, name: str, value: object) -> int:
        """The value as an int; InputError when it is not a whole number between the bounds."""
        number = as_number(value)
        if number is None or not number.is_integer():
            raise InputError(f"input {name!r} must be a whole number, not {value!r}")
        if not self.low <= number <= self.high:
            raise InputError(f"input {name!r} is {int(number)}, outside [{self.low}, {self.high}]")
        return int(number)

    def to_columns(self, values: Sequence[int]) -> Floats:
        """Legal values as (n, 1) columns: the middles of their cells (before any logarithm)."""
        a, b = self._ends
        return ((_scale(np.asarray(values, dtype=float), self.log) - a) / (b - a))[:, None]

    def from_columns(self, columns: Floats) -> list[int]:
        """The legal values whose cells (n, 1) columns lie in."""
        a, b = self._ends
        inner = _unscale(a + np.clip(columns[:, 0], 0.0, 1.0) * (b - a), self.log)
        return [int(v) for v in np.clip(np.rint(inner), self.low, self.high)]

    def snap(self, columns: Floats) -> Floats:
        """(n, 1) columns moved to the legal value whose cell they lie in."""
        return self.to_columns(self.from_columns(columns))

    def spread(self, uniform: Floats) -> Floats:
        """(n,) uniform numbers as (n, 1) columns of legal values."""
        return self.snap(uniform[:, None])

    def all(self) -> range:
        """Every legal value, in order."""
        return range(self.low, self.high + 1)

    def others(self, value: int) -> list[int]:
        """The ends, and the values 1, 2, 4, ... away on either side, without the value itself."""
        steps = [2**k for k in range((self.high - self.low).bit_length())]
        reached = {value + step for step in steps} | {value - step for step in steps}
        legal = {v for v in reached if self.low <= v <= self.high} | {self.low, self.high}
        return sorted(legal - {value})

    @cached_property
    def _ends(self) -> tuple[float, float]:
        a, b = _scale(np.array([self.low - 0.5, self.high + 0.5]), self.log)
        return float(a), float(b)


@dataclass(frozen=True)
class Categorical:
    """One of several choices that have no order."""

    choices: tuple[Any, ...]

    def __init__(self, choices: Sequence[Any]) -> None:
        # A wrong type is kept as it is for `check`, which knows the input's name.
        kept = tuple(choices) if _is_listing(choices) else choices
        object.__setattr__(self, "choices", kept)

    @property
    def width(self) -> int:
        """Number of unit columns: one per choice."""
        return len(self.choices)

    @property
    def cardinality(self) -> int:
        """Number of legal values."""
        return len(self.choices)

    def check(self, name: str) -> None:
        """Raise ProblemError when the choices are not at least two different values."""
        if not isinstance(self.choices, tuple):
            raise ProblemError(
                f"input {name!r}: choices must be a list, such as ['a', 'b'], not {self.choices!r}"
            )
        for i, choice in enumerate(self.choices):
            if not _is_hashable(choice):
                raise ProblemError(
                    f"input {name!r}: choice {choice!r} can be changed; use a string, number or "
                    "tuple"
                )
            if choice != choice:
                raise ProblemError(f"input {name!r}: choice {choice!r} is not equal to itself")
            if choice in self.choices[:i]:
                raise ProblemError(f"input {name!r}: choice {choice!r} is there twice")
        if len(self.choices) < 2:
            raise ProblemError(
                f"input {name!r}: a Categorical needs two choices or more, not {len(self.choices)}"
            )

    def legal(self, name: str, value: object) -> Any:
        """The choice that equals the value; InputError when there is none."""
        return self.choices[self._index(name, value)]

    def to_columns(self, values: Sequence[Any]) -> Floats:
        """Legal values as (n, width) one-hot columns."""
        hot: Floats = self._hot[[self.choices.index(value) for value in values]]
        return hot

    def from_columns(self, columns: Floats) -> list[Any]:
        """The choices whose columns are largest, (n, width) columns given."""
        return [self.choices[i] for i in np.argmax(columns, axis=1)]

    def snap(self, columns: Floats) -> Floats:
        """(n, width) columns made one-hot at the largest."""
        hot: Floats = self._hot[np.argmax(columns, axis=1)]
        return hot

    def spread(self, uniform: Floats) -> Floats:
        """(n,) uniform numbers as (n, width) one-hot columns, every choice with equal share."""
        cells = np.clip(np.floor(uniform * self.width), 0, self.width - 1).astype(int)
        hot: Floats = self._hot[cells]
        return hot

    def all(self) -> tuple[Any, ...]:
        """Every legal value, in order."""
        return self.choices

    def others(self, value: object) -> list[Any]:
        """Every other choice."""
        return [choice for choice in self.choices if choice != value]

    @cached_property
    def _hot(self) -> Floats:
        return np.eye(self.width)

    def _index(self, name: str, value: object) -> int:
        for i, choice in enumerate(self.choices):
            # True == 1 in Python, but a flag is not a number.
            if isinstance(choice, bool) is isinstance(value, (bool, np.bool_)) and (
                _equal(choice, value)
            ):
                return i
        raise InputError(f"input {name!r} is {value!r}, not one of {list(self.choices)!r}")


Input: TypeAlias = Real | Integer | Categorical


def _scale(values: Floats, log: bool) -> Floats:
    return np.log(np.ascontiguousarray(values)) if log else values


def _unscale(values: Floats, log: bool) -> Floats:
    return np.exp(np.ascontiguousarray(values)) if log else values


def _checked_bounds(name: str, low: object, high: object) -> tuple[float, float]:
    a, b = _checked_bound(name, low), _checked_bound(name, high)
    if a == b:
        raise ProblemError(f"input {name!r}: both bounds are {low!r}, so there is nothing to vary")
    if a > b:
        raise ProblemError(
            f"input {name!r}: bounds are swapped, low {low!r} is above high {high!r}"
        )
    return a, b


def _checked_bound(name: str, bound: object) -> float:
    number = as_number(bound)
    if number is None or not math.isfinite(number):
        raise ProblemError(f"input {name!r}: bound {bound!r} is not a finite number")
    return number


def _check_log(name: str, log: object, low: float, smallest: int | None) -> None:
    if not isinstance(log, bool):
        raise ProblemError(f"input {name!r}: log must be True or False, not {log!r}")
    if log and (low <= 0 if smallest is None else low < smallest):
        need = "above 0" if smallest is None else f"at least {smallest}"
        raise ProblemError(f"input {name!r}: log=True needs a low bound {need}, not {low!r}")


def _is_listing(choices: object) -> bool:
    # A set has no order of its own: columns would change from one process to the next.
    return isinstance(choices, Sequence) and not isinstance(choices, (str, bytes))


def _is_hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _equal(choice: object, value: object) -> bool:
    # Comparing with an array answers with an array, which is no choice.
    return np.ndim(same := np.asarray(choice == value)) == 0 and bool(same)
