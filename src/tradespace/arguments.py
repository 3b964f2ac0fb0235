"""What calls are given, checked: numbers, counts, choices and types."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral
from numbers import Real as RealNumber

import numpy as np

from tradespace.errors import ArgumentError


def as_number(value: object) -> float | None:
    """The float behind a number or a 0-dimensional array.

    None for anything else, also for bools, durations and masked elements.
    """
    if type(value) is float:
        return value
    if isinstance(value, (bool, np.bool_)):
        return None
    if isinstance(value, RealNumber):
        try:
            return float(value)
        except OverflowError:
            return math.inf if value == abs(value) else -math.inf
        except TypeError:
            # A duration of NumPy's says that it is a number.
            return None
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        return None if np.ma.is_masked(value) else as_number(value.item())
    return None


def check_count(what: str, count: object, least: int, most: int | None = None) -> None:
    """Raise ArgumentError when a count is not a whole number from `least` to `most`."""
    whole = isinstance(count, Integral) and not isinstance(count, bool)
    if not whole or count < least or (most is not None and count > most):  # type: ignore[operator]
        allowed = f"{least} or more" if most is None else f"from {least} to {most}"
        raise ArgumentError(f"{what} must be a whole number, {allowed}, not {count!r}")


def amount(what: str, value: object) -> float:
    """An amount as a float; ArgumentError when it is not a finite number, 0 or more."""
    number = as_number(value)
    if number is None or not 0 <= number < math.inf:
        raise ArgumentError(f"{what} must be a finite number, 0 or more, not {value!r}")
    return number


def check_choice(what: str, value: object, choices: Sequence[str]) -> None:
    """Raise ArgumentError when a value is not one of a few words."""
    if not isinstance(value, str) or value not in choices:
        raise ArgumentError(f"{what} must be one of {list(choices)!r}, not {value!r}")


def check_type(what: str, value: object, kind: type) -> None:
    """Raise ArgumentError when a value is not of a type."""
    if not isinstance(value, kind):
        raise ArgumentError(f"{what} must be a {kind.__name__}, not {value!r}")
