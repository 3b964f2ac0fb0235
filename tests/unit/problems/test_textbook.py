"""Problems of the literature: published values, and fronts that are known in closed form."""

import math
from collections.abc import Mapping

import numpy as np
import pytest

from tradespace.inputs import Floats
from tradespace.pareto import hypervolume
from tradespace.problems import (
    TestProblem,
    bnh,
    c2_dtlz2,
    constrained_branin_currin,
    osy,
    srn,
    tnk,
)
from tradespace.problems.testproblem import is_feasible

T = np.linspace(0.0, 1.0, 20_001)
# Points this far outside a constraint are on it: the curves below run along them.
ROUNDING = 1e-9


def bnh_front() -> Floats:
    """x1 = x2 up to the bound of x2, then along that bound."""
    return np.vstack([np.column_stack([3 * T, 3 * T]), np.column_stack([3 + 2 * T, 3 + 0 * T])])


def srn_front() -> Floats:
    """Along g2 from the least f1, then x1 = -2.5, then along the circle g1 to the least f2."""
    x = 1.1 - 3.6 * T
    y = 2.5 + (math.sqrt(225 - 2.5**2) - 2.5) * T
    angle = math.asin(2.5 / 15) + 0.5 * T
    return np.vstack(
        [
            np.column_stack([x, (x + 10) / 3]),
            np.column_stack([0 * y - 2.5, y]),
            15 * np.column_stack([-np.sin(angle), np.cos(angle)]),
        ]
    )


def tnk_front() -> Floats:
    """The wavy edge g1 = 1, whole: what is dominated or breaks g2 is left out below."""
    angle = 0.5 * math.pi * np.linspace(0.0, 1.0, 200_001)
    radius = np.sqrt(1 + 0.1 * np.cos(16 * angle))
    return np.column_stack([radius * np.sin(angle), radius * np.cos(angle)])


def osy_front() -> Floats:
    """Five parts, as in Deb (2001), Multi-objective optimization, table 29; x4 = x6 = 0."""
    none, one = 0 * T, 0 * T + 1
    slope = 4.056 + 0.944 * T
    parts = [
        (5 * one, one, 1 + 4 * T, 5 * one),
        (5 * one, one, 1 + 4 * T, one),
        (slope, (slope - 2) / 3, one, one),
        (none, 2 * one, 1 + (1 + math.sqrt(3)) * T, one),
        (T, 2 - T, one, one),
    ]
    return np.vstack([np.column_stack([a, b, c, none, e, none]) for a, b, c, e in parts])


def arc() -> Floats:
    """The whole arc, the other inputs at their middle."""
    return np.column_stack([T, *(0 * T + 0.5 for _ in range(3))])


@pytest.mark.parametrize(
    ("test_problem", "inputs"),
    [
        (bnh(), bnh_front()),
        (srn(), srn_front()),
        (tnk(), tnk_front()),
        (osy(), osy_front()),
        (c2_dtlz2(4, 2), arc()),
    ],
    ids=lambda value: value.name if isinstance(value, TestProblem) else "",
)
def test_the_stored_front_is_the_one_known_in_closed_form(
    test_problem: TestProblem, inputs: Floats
) -> None:
    space = test_problem.problem.space
    names = list(space.inputs)
    rows = space.encode_all([dict(zip(names, row, strict=True)) for row in inputs.tolist()])
    objectives, constraints = test_problem.evaluate_points(rows)
    objectives = objectives[is_feasible(test_problem.problem, constraints + ROUNDING)]
    known = hypervolume(objectives, test_problem.reference)
    # Both are stairs below the same curve: the stored ones are good to 2e-4, these to 3e-5.
    assert test_problem.reference_hypervolume == pytest.approx(known, rel=2.3e-4)
    width = np.ptp(test_problem.front, axis=0)
    away = np.abs(test_problem.front[:, None] - objectives[:: len(objectives) // 4000]) / width
    assert away.max(axis=2).min(axis=1).max() < 5e-3


@pytest.mark.parametrize(
    ("test_problem", "inputs", "expected"),
    [
        (bnh(), (0.0, 0.0), {"f1": 0.0, "f2": 50.0, "g1": 25.0, "g2": 73.0}),
        (bnh(), (5.0, 3.0), {"f1": 136.0, "f2": 4.0, "g1": 9.0, "g2": 45.0}),
        (srn(), (-2.5, 2.5), {"f1": 24.5, "f2": -24.75, "g1": 12.5, "g2": -10.0}),
        (tnk(), (0.0, 1.0), {"f1": 0.0, "f2": 1.0, "g1": 0.9, "g2": 0.5}),
        (osy(), (5, 1, 5, 0, 5, 0), {"f1": -274.0, "f2": 76.0, "g1": 6.0, "g4": 2.0, "g5": 4.0}),
        (osy(), (0, 2, 1, 0, 1, 0), {"f1": -116.0, "f2": 6.0, "g1": 2.0, "g3": 2.0, "g6": 4.0}),
        # The minimum of Branin's function, and the maximum of Currin's.
        (
            constrained_branin_currin(),
            ((math.pi + 5) / 15, 2.275 / 15),
            {"branin": 0.397887, "squared_distance": (math.pi - 2.5) ** 2 + 5.225**2},
        ),
        (constrained_branin_currin(), (0.216667, 0.022786), {"currin": 13.798722}),
        (constrained_branin_currin(), (0.0, 0.0), {"currin": 3.0, "squared_distance": 112.5}),
        (c2_dtlz2(4, 2), (0.5, 0.5, 0.5, 0.5), {"f1": 0.5**0.5, "squared_distance": 0.0}),
        (c2_dtlz2(4, 3), (1, 0, 0, 1), {"f1": 0.0, "f2": 0.0, "f3": 1.5, "squared_distance": 0.25}),
    ],
)
def test_published_values(
    test_problem: TestProblem, inputs: tuple[float, ...], expected: Mapping[str, float]
) -> None:
    names = test_problem.problem.space.inputs
    values = test_problem.evaluate(dict(zip(names, map(float, inputs), strict=True)))
    assert {name: values[name] for name in expected} == pytest.approx(expected, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize(("objectives", "missed"), [(3, 0.03), (4, 0.1)])
def test_points_on_the_sphere_come_near_the_stored_hypervolume_from_below(
    objectives: int, missed: float
) -> None:
    test_problem = c2_dtlz2(objectives + 1, objectives)
    # The last inputs at the middle: on the sphere. A lattice of angles, with both ends.
    steps = np.linspace(0.0, 1.0, {3: 81, 4: 25}[objectives])
    lattice = np.meshgrid(*[steps] * (objectives - 1), [0.5], [0.5])
    values, constraints = test_problem.evaluate_points(
        np.column_stack([a.ravel() for a in lattice])
    )
    feasible = is_feasible(test_problem.problem, constraints)
    assert np.linalg.norm(values, axis=1) == pytest.approx(1.0)
    share = hypervolume(values[feasible], test_problem.reference)
    share /= test_problem.reference_hypervolume
    assert 1.0 - missed < share < 1.0


def test_the_front_of_branin_and_currin_is_that_of_a_fine_grid() -> None:
    test_problem = constrained_branin_currin()
    steps = np.linspace(0.0, 1.0, 1001)
    points = np.column_stack([axis.ravel() for axis in np.meshgrid(steps, steps)])
    objectives, constraints = test_problem.evaluate_points(points)
    objectives = objectives[is_feasible(test_problem.problem, constraints)]
    share = hypervolume(objectives, test_problem.reference) / test_problem.reference_hypervolume
    # BoTorch states 608.4004, from an evolution.
    assert test_problem.reference_hypervolume > 608.4
    assert 0.997 < share < 1.0


@pytest.mark.parametrize(("inputs", "objectives"), [(4, 1), (4, 5), (2, 3)])
def test_sizes_that_c2_dtlz2_does_not_have_are_refused(inputs: int, objectives: int) -> None:
    with pytest.raises(ValueError, match=f"{inputs} inputs and {objectives} objectives"):
        c2_dtlz2(inputs, objectives)
