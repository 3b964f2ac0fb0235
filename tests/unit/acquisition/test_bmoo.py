"""BMOO measures everything at once, towards what is feasible and better than what was measured."""

import numpy as np
import pytest

import tradespace as ts
from tradespace.acquisition import Bmoo
from tradespace.acquisition.bmoo import (
    FAR,
    NOTHING,
    constraint_extent,
    draw_targets,
    objective_box,
)
from tradespace.errors import ArgumentError, ProblemError
from tradespace.method import Together
from tradespace.problem import Problem, at_least, at_most, maximize, minimize
from tradespace.study import Study
from tradespace.suggest import Suggestion, suggest

from ...contracts.cases import SMALL, SQUARE, fronts_alone, home, home_values, scattered, told

METHOD = Bmoo(**SMALL)


def measured(seed: int = 0, count: int = 9) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    points = scattered(home().space, count, seed)
    return points, home_values(points)


def point(said: Suggestion) -> np.ndarray:
    return home().space.encode(said.inputs)


def test_what_is_measured_apart_is_refused_and_who_can_is_named() -> None:
    problem = home(apart=True)
    with pytest.raises(ProblemError, match=r"Bmoo measures everything at once.*MesmocPlus"):
        suggest((0, 9), problem, told(problem, *measured()), METHOD)
    with pytest.raises(ProblemError, match=r"\['cheap', 'dear'\]; these methods can: Mesmoc,"):
        Study(problem, ts.Bmoo())


def test_no_targets_at_all_are_refused() -> None:
    with pytest.raises(ArgumentError, match="Bmoo: targets"):
        Bmoo(targets=0)


@pytest.mark.parametrize(("factor", "shift"), [(4.0, 0.0), (3.7e3, -12.0), (2.9e-9, 0.0)])
@pytest.mark.parametrize("by", [0.0, -10.0], ids=["feasible", "infeasible"])
def test_units_do_not_matter(factor: float, shift: float, by: float) -> None:
    points, values = measured()
    values["c"] = values["c"] + by
    said = suggest((0, 9), home(), told(home(), points, values), METHOD)
    for name in "fg":
        converted = {**values, name: factor * values[name] + shift}
        again = suggest((0, 9), home(), told(home(), points, converted), METHOD)
        np.testing.assert_allclose(point(again), point(said), atol=1e-6)
        assert again.gain == pytest.approx(said.gain, rel=1e-6, abs=1e-6)
    moved = Problem(SQUARE, home().directions, {"c": at_least(0.3 * factor)})
    converted = {**values, "c": factor * (values["c"] + 0.3)}
    again = suggest((0, 9), moved, told(moved, points, converted), METHOD)
    np.testing.assert_allclose(point(again), point(said), atol=1e-6)


def test_directions_do_not_matter() -> None:
    points, values = measured()
    turned = Problem(SQUARE, {"f": maximize, "g": minimize}, {"c": at_most(0.0)})
    against = {"f": -values["f"], "g": values["g"], "c": -values["c"]}
    said = suggest((0, 9), home(), told(home(), points, values), METHOD)
    assert suggest((0, 9), turned, told(turned, points, against), METHOD) == said


def test_where_nothing_is_feasible_it_goes_to_where_something_may_be() -> None:
    """Feasible is a corner that no measurement lies in."""
    points = scattered(home().space, 25)
    points = points[points.sum(1) > 0.6][:12]
    problem = home(noiseless=True)

    def values(at: np.ndarray) -> dict[str, np.ndarray]:
        return {**home_values(at), "c": 0.4 - at.sum(1)}

    assert (values(points)["c"] < 0.0).all()
    for seed in range(3):
        said = suggest((seed, 12), problem, told(problem, points, values(points)), METHOD)
        assert values(point(said)[None])["c"][0] > -0.05


def test_pending_trials_are_not_suggested_again() -> None:
    problem = home()
    points, values = measured(count=8)
    waiting = np.zeros((0, 2))
    for i in range(5):
        data = told(problem, points, values, waiting=waiting)
        said = point(suggest((0, 8 + i), problem, data, METHOD))
        assert (np.abs(waiting - said).max(1) > 1e-3).all()
        waiting = np.vstack([waiting, said])


def test_a_pending_trial_moves_the_next_one() -> None:
    """With the same key, so that nothing but the pending trial makes the difference."""
    problem, moved = home(), []
    for seed in range(6):
        points, values = measured(seed, 8)
        first = point(suggest((seed, 8), problem, told(problem, points, values), METHOD))
        data = told(problem, points, values, waiting=first[None])
        second = point(suggest((seed, 8), problem, data, METHOD))
        moved.append(np.linalg.norm(second - first))
    assert min(moved) > 0.01
    assert np.median(moved) > 0.1


def test_the_box_of_objectives_is_a_tenth_wider_than_the_fronts() -> None:
    fronts = [np.array([[0.0, 3.0], [1.0, 2.0]]), np.array([[0.5, 1.0]])]
    # The second is dominated, and as far away as it likes.
    low, high = objective_box(fronts, np.array([[2.0, 1.5], [99.0, 99.0]]))
    np.testing.assert_allclose(low, [-0.2, 0.8])
    np.testing.assert_allclose(high, [2.2, 3.2])


def test_the_box_of_constraints_reaches_as_far_as_measurements() -> None:
    bounds = np.array([[1.0, FAR], [-1.0, 2.0], [0.0, FAR]])
    extent = constraint_extent(np.array([[4.0, 2.5, 1.0], [-1.0, 0.0, 0.5]]), bounds)
    np.testing.assert_allclose(extent.holds, [3.0, 3.0, 1.0])
    np.testing.assert_allclose(extent.worst, [2.0, 0.5, 0.0])
    np.testing.assert_allclose(extent.sides, [1.0, 2.0, 1.0])


@pytest.mark.parametrize("constraints", [0, 2])
def test_targets_have_one_shape_whatever_was_measured(constraints: int) -> None:
    """What is compiled does not change when the first feasible point is found."""
    bounds = np.tile([0.0, FAR], (constraints, 1))
    front, shapes = np.array([[0.0, 1.0], [1.0, 0.0]]), []
    for values in (np.zeros((0, 2)), np.full((3, 2), -1.0), np.ones((3, 2))):
        trials = np.column_stack([np.ones((len(values), 2)), values[:, :constraints]])
        together = Together(trials, np.zeros((2, 0, 2 + constraints)), bounds)
        given = fronts_alone([front] * 2, [], [], np.zeros((2, constraints, 2)), together)
        drawn = draw_targets(np.random.default_rng(0), given, 40)
        shapes.append([part.shape for part in drawn])
        infeasible = bool(constraints) and len(values) > 0 and values[0, 0] < 0.0
        assert (drawn.infeasible_volume > NOTHING).any() == infeasible
    assert shapes[0] == shapes[1] == shapes[2]
