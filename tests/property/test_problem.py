"""What holds for every quantity: conversion is monotone, reversible, and agrees on feasibility."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tradespace.problem import (
    Constraint,
    Direction,
    Problem,
    at_least,
    at_most,
    between,
    maximize,
    minimize,
)
from tradespace.space import Real

NUMBERS = st.floats(-1e9, 1e9)
CONSTRAINTS = st.one_of(
    NUMBERS.map(at_least),
    NUMBERS.map(at_most),
    st.tuples(NUMBERS, st.floats(1e-3, 1e9)).map(lambda b: between(b[0], b[0] + b[1])),
)


def problem_of(direction: Direction, constraint: Constraint) -> Problem:
    return Problem({"x": Real(0, 1)}, {"f": direction}, {"c": constraint})


@given(st.sampled_from([minimize, maximize]), CONSTRAINTS, NUMBERS)
def test_from_inside_undoes_to_inside(
    direction: Direction, constraint: Constraint, value: float
) -> None:
    problem = problem_of(direction, constraint)
    assert problem.from_inside("f", problem.to_inside("f", value)) == value
    back = problem.from_inside("c", problem.to_inside("c", value))
    np.testing.assert_allclose(back, value, rtol=0, atol=1e-6)


@given(CONSTRAINTS, NUMBERS)
def test_inside_and_outside_agree_on_feasibility(constraint: Constraint, value: float) -> None:
    problem = problem_of(minimize, constraint)
    inside = problem.to_inside("c", value)
    # Within one rounding of the upper bound of an interval either answer is right.
    near = abs(inside - problem.spans[0]) <= 1e-6
    assert near or problem.is_feasible({"c": value}) == (0.0 <= inside <= problem.spans[0])


@given(st.sampled_from([minimize, maximize]), CONSTRAINTS, NUMBERS, NUMBERS)
def test_better_is_smaller_inside(
    direction: Direction, constraint: Constraint, one: float, two: float
) -> None:
    problem = problem_of(direction, constraint)
    better, worse = sorted((one, two), reverse=direction is maximize)
    assert problem.to_inside("f", better) <= problem.to_inside("f", worse)
    for name in ("f", "c"):
        step = problem.to_inside(name, max(one, two)) - problem.to_inside(name, min(one, two))
        assert problem.sign(name) * step >= 0
