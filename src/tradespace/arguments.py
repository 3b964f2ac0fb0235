"""What calls are given, checked: numbers, counts, choices and types."""

from __future__ import annotations

import math
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


def check_count(what: str, count: object, least: int) -> None:
    """Raise ArgumentError when a count is not a whole number, `least` or more."""
    if isinstance(count, bool) or not isinstance(count, Integral) or count < least:
        raise ArgumentError(f"{what} must be a whole number, {least} or more, not {count!r}")


def check_amount(what: str, amount: object) -> None:
    """Raise ArgumentError when an amount is not a number, 0 or more."""
    number = as_number(amount)
    if number is None or not number >= 0:
        raise ArgumentError(f"{what} must be a number, 0 or more, not {amount!r}")


def check_type(what: str, value: object, kind: type) -> None:
    """Raise ArgumentError when a value is not of a type."""
    if not isinstance(value, kind):
        raise ArgumentError(f"{what} must be a {kind.__name__}, not {value!r}")
