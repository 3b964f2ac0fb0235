"""What holds for every set of points: dominance, boxes, hypervolume and thinning, by brute force.

Coordinates come from a small grid as often as from a continuum, so that ties and duplicates occur.
"""

import itertools

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tradespace.pareto import (
    boxes,
    dominates,
    dominating_boxes,
    hypervolume,
    non_dominated,
    thin,
)

Array = npt.NDArray[np.float64]
COORDINATES = st.integers(-3, 3).map(float) | st.floats(-3, 3)


@st.composite
def sets(draw: st.DrawFn, smallest: int = 0) -> Array:
    objectives = draw(st.integers(1, 5))
    size = draw(st.integers(smallest, (40, 30, 20, 12, 8)[objectives - 1]))
    return draw(arrays(float, (size, objectives), elements=COORDINATES))


def probes(front: Array, seed: int) -> Array:
    """Points to ask about: random ones, front points, and corners between front points."""
    rng = np.random.default_rng(seed)
    objectives = front.shape[1]
    anywhere = rng.uniform(-4, 4, (300, objectives))
    if len(front) == 0:
        return anywhere
    rows = rng.integers(0, len(front), (300, objectives))
    corners = np.take_along_axis(front, rows, axis=0)
    mixed = np.where(rng.random(corners.shape) < 0.7, corners, rng.uniform(-4, 4, corners.shape))
    return np.concatenate([anywhere, front, corners, mixed])


def slow_mask(points: Array) -> list[bool]:
    return [
        not any(dominates(b, a) for b in points) and not any((b == a).all() for b in points[:i])
        for i, a in enumerate(points)
    ]


def slow_hypervolume(points: Array, reference: Array) -> float:
    """Sum over the cells of the grid that all coordinates span."""
    levels = [np.unique(np.append(np.minimum(points[:, k], r), r)) for k, r in enumerate(reference)]
    volume = 0.0
    for cell in itertools.product(*(range(len(level) - 1) for level in levels)):
        low = np.array([level[i] for level, i in zip(levels, cell, strict=True)])
        high = np.array([level[i + 1] for level, i in zip(levels, cell, strict=True)])
        if (points <= low).all(axis=1).any():
            volume += float(np.prod(high - low))
    return volume


@given(sets())
def test_non_dominated_agrees_with_every_pair(points: Array) -> None:
    assert non_dominated(points).tolist() == slow_mask(points)


@given(sets(), st.integers(0, 2**32 - 1))
def test_a_point_is_in_one_box_when_nothing_dominates_it_and_in_none_otherwise(
    front: Array, seed: int
) -> None:
    lower, upper = boxes(front)
    asked = probes(front, seed)
    inside = (lower <= asked[:, None]).all(-1) & (asked[:, None] < upper).all(-1)
    dominated = (front <= asked[:, None]).all(-1).any(1)
    assert (inside.sum(axis=1) == ~dominated).all()
    assert (lower < upper).all()


@given(sets(), st.integers(0, 2**32 - 1))
def test_a_point_is_in_one_dominating_box_when_it_dominates_something(
    front: Array, seed: int
) -> None:
    lower, upper = dominating_boxes(front)
    asked = probes(front, seed)
    inside = (lower < asked[:, None]).all(-1) & (asked[:, None] <= upper).all(-1)
    dominating = (asked[:, None] <= front[non_dominated(front)]).all(-1).any(1)
    assert (inside.sum(axis=1) == dominating).all()
    assert (lower < upper).all()


@given(sets())
def test_boxes_do_not_depend_on_what_is_dominated_or_repeated(front: Array) -> None:
    for decompose in (boxes, dominating_boxes):
        once = decompose(front[non_dominated(front)])
        again = decompose(np.concatenate([front, front + 1.0, front]))
        np.testing.assert_array_equal(once, again)


@given(sets())
def test_two_objectives_give_a_strip_more_than_points(front: Array) -> None:
    count = int(non_dominated(front).sum())
    if front.shape[1] == 2:
        assert len(boxes(front)[0]) == count + 1
        assert len(dominating_boxes(front)[0]) == count
    if front.shape[1] == 3:
        assert len(boxes(front)[0]) <= 2 * count + 1


@given(sets(), st.floats(-2, 4))
def test_hypervolume_is_what_the_boxes_leave(points: Array, corner: float) -> None:
    reference = np.full(points.shape[1], corner)
    floor = min(-4.0, corner - 1.0)
    lower, upper = boxes(points)
    left = np.prod(np.clip(upper, floor, corner) - np.clip(lower, floor, corner), axis=1).sum()
    whole = (corner - floor) ** points.shape[1]
    assert hypervolume(points, reference) == pytest.approx(whole - left, abs=1e-9 * whole)


@given(sets(), st.floats(-2, 4))
def test_hypervolume_below_the_boxes_that_dominate(points: Array, corner: float) -> None:
    # Upside down, the boxes that dominate a front cover what is dominated.
    front = points[non_dominated(points)]
    reference = np.full(points.shape[1], corner)
    lower, upper = dominating_boxes(front)
    sides = np.clip(upper, -corner, None) - np.clip(lower, -corner, None)
    volume = np.prod(sides, axis=1).sum()
    assert hypervolume(-front, reference) == pytest.approx(volume, abs=1e-9 * 8**5)


@given(sets(), st.floats(-2, 4))
def test_hypervolume_agrees_with_its_slow_twin(points: Array, corner: float) -> None:
    points = points[:6]
    reference = np.full(points.shape[1], corner)
    slow = slow_hypervolume(points, reference)
    assert hypervolume(points, reference) == pytest.approx(slow, rel=1e-9, abs=1e-9)


@given(sets(), st.integers(1, 45))
def test_thinning_keeps_the_best_of_each_objective(points: Array, size: int) -> None:
    kept = thin(points, size)
    assert len(kept) == min(size, len(points)) == len(set(kept.tolist()))
    if size >= points.shape[1] and len(points):
        np.testing.assert_array_equal(points[kept].min(axis=0), points.min(axis=0))


@given(sets(), st.integers(1, 45))
def test_each_point_added_is_the_farthest(points: Array, size: int) -> None:
    kept = thin(points, size)
    if len(points) <= size:
        return
    width = np.ptp(points, axis=0)
    scaled = points / np.where(width > 0, width, 1.0)
    away = np.linalg.norm(scaled[:, None] - scaled, axis=-1)
    for i in range(points.shape[1], size):
        nearest = away[:, kept[:i]].min(axis=1)
        assert nearest[kept[i]] == pytest.approx(nearest.max(), abs=1e-6)
