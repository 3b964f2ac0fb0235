from typing import Any

import numpy as np
import pytest

from tradespace.arguments import amount, as_number, check_choice, check_count, check_type
from tradespace.errors import ArgumentError, TradespaceError


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (1, 1.0),
        (np.float32(0.5), 0.5),
        (np.array(2), 2.0),
        (10**400, np.inf),
        (-(10**400), -np.inf),
        (True, None),
        (np.array(True), None),
        ("1", None),
        (1j, None),
        (np.ones(1), None),
        (None, None),
        (np.ma.masked, None),
        (np.ma.array(1.0, mask=True), None),
        (np.ma.array(1.0), 1.0),
        (np.timedelta64(5, "s"), None),
    ],
)
def test_numbers_are_told_from_everything_else(value: Any, number: float | None) -> None:
    assert as_number(value) == number


@pytest.mark.parametrize("count", [0, -1, 1.5, "3", True, None, float("nan")])
def test_a_count_is_a_whole_number_from_the_least_on(count: Any) -> None:
    check_count("trials", np.int64(1), 1)
    with pytest.raises(ArgumentError, match="trials must be a whole number, 1 or more, not "):
        check_count("trials", count, 1)


def test_a_count_may_have_a_largest_value() -> None:
    check_count("start", 9, 0, 9)
    with pytest.raises(ArgumentError, match="start must be a whole number, from 0 to 9, not 10"):
        check_count("start", 10, 0, 9)


@pytest.mark.parametrize("value", [-0.1, float("nan"), np.inf, "9", True, None])
def test_an_amount_is_a_finite_number_from_zero_on(value: Any) -> None:
    assert type(amount("cost", np.array(0))) is float
    with pytest.raises(ArgumentError, match="cost must be a finite number, 0 or more, not "):
        amount("cost", value)


@pytest.mark.parametrize("value", ["c", "", None, ["a"], np.array(["a", "b"])])
def test_a_choice_is_one_of_the_words(value: Any) -> None:
    check_choice("gain", "a", ("a", "b"))
    with pytest.raises(ArgumentError, match=r"gain must be one of \['a', 'b'\], not "):
        check_choice("gain", value, ("a", "b"))


@pytest.mark.parametrize("kind", [TradespaceError, ValueError, TypeError])
def test_a_wrong_argument_is_caught_by_any_of_its_names(kind: type[Exception]) -> None:
    with pytest.raises(kind, match="reason must be a str, not 3"):
        check_type("reason", 3, str)
