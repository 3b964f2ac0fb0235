"""The metal printer: what its quantities depend on, its errors, and its front."""

import math

import numpy as np
import pytest

from tradespace.pareto import hypervolume, non_dominated
from tradespace.problems.printer import ERRORS, UNITS, measure, metal_printer
from tradespace.problems.testproblem import is_feasible


def test_a_group_shows_its_own_quantities_with_errors_of_their_own() -> None:
    rng = np.random.default_rng(0)
    inputs = {"power": 300.0, "speed": 1000.0}
    true = metal_printer().evaluate(inputs)
    for group in metal_printer().problem.groups.values():
        repeats = [measure(rng, group.measures, inputs) for _ in range(1000)]
        assert all(tuple(values) == group.measures for values in repeats)
        for name in group.measures:
            errors = np.array([values[name] - true[name] for values in repeats])
            # Four standard errors of a mean and of a standard deviation.
            assert abs(errors.mean()) < 4 * ERRORS[name] / math.sqrt(1000)
            assert errors.std() == pytest.approx(ERRORS[name], rel=4 / math.sqrt(2000))


def test_every_input_and_quantity_has_a_unit() -> None:
    problem = metal_printer().problem
    assert UNITS.keys() == {*problem.space.inputs, *problem.black_boxes}
    assert ERRORS.keys() == {*problem.black_boxes}


def test_the_melt_is_deeper_with_more_power_and_less_speed() -> None:
    power, speed = np.meshgrid(np.linspace(100.0, 400.0, 40), np.linspace(300.0, 2500.0, 40))
    depth = metal_printer().function({"power": power, "speed": speed})["depth"]
    assert (np.diff(depth, axis=1) > 0).all()
    assert (np.diff(depth, axis=0) < 0).all()


def test_the_front_is_that_of_a_fine_grid() -> None:
    printer = metal_printer()
    steps = np.linspace(0.0, 1.0, 601)
    points = np.column_stack([axis.ravel() for axis in np.meshgrid(steps, steps)])
    objectives, constraints = printer.evaluate_points(points)
    feasible = is_feasible(printer.problem, constraints)
    # Neither a needle in a haystack nor nearly everything.
    assert 0.05 < feasible.mean() < 0.5
    share = hypervolume(objectives[feasible], printer.reference) / printer.reference_hypervolume
    assert 0.998 < share < 1.0005
    assert non_dominated(printer.front).all()
    assert (printer.front < printer.reference).all()
    assert hypervolume(printer.front, printer.reference) <= printer.reference_hypervolume
