"""A beam, a truss and a spring: published designs, values worked out by hand, and their fronts."""

import math

import numpy as np
import pytest

from tradespace.pareto import hypervolume
from tradespace.problems import coil_spring, two_bar_truss, welded_beam
from tradespace.problems.engineering import WIRES
from tradespace.problems.testproblem import is_feasible


def test_the_cheapest_beam_of_the_literature_is_on_every_bound() -> None:
    beam = welded_beam()
    values = beam.evaluate({"weld": 0.24436, "length": 6.2175, "height": 8.2915, "width": 0.24437})
    expected = {
        "cost": 2.3810,
        "deflection": 0.01576,
        "shear_stress": 13_600.0,
        "bending_stress": 30_000.0,
        "buckling_load": 6000.0,
    }
    assert {name: values[name] for name in expected} == pytest.approx(expected, rel=1e-3)
    assert beam.front[:, 0].min() == pytest.approx(2.3810, rel=1e-3)


def test_the_stiffest_beam_is_as_high_and_wide_as_it_may_be() -> None:
    beam = welded_beam()
    # Deb (2000): 36.4403 and 0.000439.
    assert beam.front[:, 1].min() == pytest.approx(2.1952 / (10.0**3 * 5.0), rel=1e-4)
    assert beam.front[:, 0].max() == pytest.approx(36.44, rel=2e-3)


def test_the_front_of_the_truss_is_that_of_its_formula() -> None:
    """Both bars are as thin as the stress s allows: the volume is (400 + 100 y^2) / (y s).

    The best depth y is 2, or more where BC would be thicker than 0.01.
    """
    truss = two_bar_truss()
    stress = np.geomspace(8000.0 * math.sqrt(10.0) / 3.0, 1e5, 20_001)
    depth = np.maximum(2.0, 1.0 / np.sqrt((stress / 8000.0) ** 2 - 1.0))
    volume = (400.0 + 100.0 * depth**2) / (depth * stress)
    known = hypervolume(np.column_stack([volume, stress]), truss.reference)
    assert truss.reference_hypervolume == pytest.approx(known, rel=3e-4)
    at_same_stress = np.interp(truss.front[:, 1], stress, volume)
    np.testing.assert_allclose(truss.front[:, 0], at_same_stress, rtol=1e-3)


def test_a_truss_by_hand() -> None:
    values = two_bar_truss().evaluate({"section_ac": 0.001, "section_bc": 0.002, "depth": 3.0})
    assert values == pytest.approx(
        {
            "volume": 0.005 + 0.002 * math.sqrt(10.0),
            "stress": 80.0 * math.sqrt(10.0) / 0.006,
            "stress_ac": 100.0 / 0.003,
            "stress_bc": 80.0 * math.sqrt(10.0) / 0.006,
        }
    )


def test_a_spring_by_hand() -> None:
    values = coil_spring().evaluate(
        {"coils": 10, "wire": 5.0, "diameter": 40.0, "material": "music wire"}
    )
    rate = 80_000.0 * 5.0**4 / (8.0 * 40.0**3 * 10.0)  # N/mm
    expected = {
        "travel": 300.0 / rate,
        "mass": 232.4,
        "safety": 2.737,
        "length": 60.0 + 1.15 * 300.0 / rate,
        "index": 8.0,
    }
    assert values == pytest.approx(expected, rel=1e-3)


def test_the_front_of_the_spring_is_that_of_a_grid() -> None:
    spring = coil_spring()
    steps = np.linspace(0.0, 1.0, 61)
    reached = []
    for material in WIRES:
        axes = np.meshgrid(np.arange(3.0, 21.0), 10.0**steps, 15.0 + 65.0 * steps)
        coils, wire, diameter = (axis.ravel() for axis in axes)
        inputs = {"coils": coils, "wire": wire, "diameter": diameter}
        values = spring.function({**inputs, "material": np.full(len(coils), material)})
        boxes = spring.problem.black_boxes
        inside = np.column_stack([spring.problem.to_inside(name, values[name]) for name in boxes])
        reached.append(inside[is_feasible(spring.problem, inside[:, 2:]), :2])
    grid = np.concatenate(reached)
    share = hypervolume(grid, spring.reference) / spring.reference_hypervolume
    assert 0.93 < share < 1.0
    # Every point of the front has one of the grid that is nearly as good: it can be built.
    width = np.ptp(spring.front, axis=0)
    excess = ((grid[:, None] - spring.front[::10]) / width).max(axis=2)
    assert excess.min(axis=0).max() < 0.05
