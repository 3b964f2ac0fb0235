"""Dominance, hypervolume, thinning and boxes on small fronts that can be checked by eye."""

import numpy as np
import pytest

from tradespace.pareto import (
    boxes,
    dominates,
    dominating_boxes,
    hypervolume,
    non_dominated,
    thin,
)

INF = np.inf


def points(*rows: tuple[float, ...]) -> np.ndarray:
    return np.array(rows, dtype=float)


def test_a_point_dominates_when_it_is_smaller_somewhere_and_larger_nowhere() -> None:
    assert dominates(np.array([0.0, 1.0]), np.array([0.0, 2.0]))
    assert not dominates(np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    assert not dominates(np.array([0.0, 1.0]), np.array([1.0, 0.0]))


def test_of_equal_points_the_first_is_kept() -> None:
    front = points((1, 1), (0, 2), (1, 1), (2, 2), (0, 2))
    assert non_dominated(front).tolist() == [True, True, False, False, False]
    assert non_dominated(points((2,), (1,), (1,))).tolist() == [False, True, False]
    assert non_dominated(np.empty((0, 3))).tolist() == []


def test_hypervolume_of_three_boxes() -> None:
    front = points((0, 2), (1, 1), (2, 0), (1, 1), (2, 2))
    assert hypervolume(front, np.array([3.0, 3.0])) == 6.0
    assert hypervolume(points((0.5,), (0.75,)), np.array([2.0])) == 1.5


def test_points_beyond_the_reference_add_nothing() -> None:
    reference = np.array([1.0, 1.0])
    assert hypervolume(points((-9, 1), (2, -9)), reference) == 0.0
    assert hypervolume(points((0, 0), (-9, 1)), reference) == 1.0
    assert hypervolume(np.empty((0, 2)), reference) == 0.0


def test_thinning_takes_the_ends_then_the_farthest() -> None:
    line = np.column_stack([np.linspace(0, 1, 101), 1000 * np.linspace(1, 0, 101)])
    assert thin(line, 5).tolist() == [0, 100, 50, 25, 75]
    assert thin(line, 1).tolist() == [0]


def test_thinning_keeps_everything_when_there_is_room() -> None:
    assert thin(points((0, 1), (1, 0)), 2).tolist() == [0, 1]
    assert thin(np.empty((0, 2)), 7).tolist() == []


def test_thinning_never_takes_a_point_twice() -> None:
    same = np.ones((6, 2))
    assert sorted(thin(same, 4)) == [0, 1, 2, 3]


def test_two_objectives_give_strips() -> None:
    lower, upper = boxes(points((1, 0), (0, 1), (1, 1)))
    assert lower.tolist() == [[-INF, -INF], [0, -INF], [1, -INF]]
    assert upper.tolist() == [[0, INF], [1, 1], [INF, 0]]
    lower, upper = dominating_boxes(points((1, 0), (0, 1), (1, 1)))
    assert lower.tolist() == [[-INF, -INF], [0, -INF]]
    assert upper.tolist() == [[0, 1], [1, 0]]


def test_one_objective_gives_one_box() -> None:
    for decompose in (boxes, dominating_boxes):
        lower, upper = decompose(points((2,), (1,)))
        assert (lower.tolist(), upper.tolist()) == ([[-INF]], [[1]])


@pytest.mark.parametrize("objectives", [1, 2, 3, 5])
def test_an_empty_front_dominates_nothing(objectives: int) -> None:
    lower, upper = boxes(np.empty((0, objectives)))
    assert lower.tolist() == [[-INF] * objectives]
    assert upper.tolist() == [[INF] * objectives]
    assert [len(corner) for corner in dominating_boxes(np.empty((0, objectives)))] == [0, 0]


@pytest.mark.parametrize("size", [1, 2, 10, 50])
def test_three_objectives_give_the_smallest_number_of_boxes(size: int) -> None:
    lower, _ = boxes(sphere(size, 3))
    assert len(lower) == 2 * size + 1


def test_the_table_of_box_counts_is_true() -> None:
    assert 400 < len(boxes(sphere(50, 4))[0]) < 500
    assert 200 < len(dominating_boxes(sphere(50, 4))[0]) < 250
    assert 750 < len(boxes(sphere(30, 5))[0]) < 1200


def test_nan_and_infinity_are_refused() -> None:
    bad = points((0, np.nan))
    for refuse in (non_dominated, boxes, dominating_boxes, lambda p: thin(p, 3)):
        with pytest.raises(ValueError, match="NaN"):
            refuse(bad)
    with pytest.raises(ValueError, match="NaN"):
        hypervolume(bad, np.ones(2))
    with pytest.raises(ValueError, match="finite"):
        boxes(points((0, INF)))
    with pytest.raises(ValueError, match="at least one"):
        thin(bad, 0)


def sphere(size: int, objectives: int) -> np.ndarray:
    away = np.abs(np.random.default_rng(0).normal(size=(size, objectives)))
    return away / np.linalg.norm(away, axis=1, keepdims=True)
