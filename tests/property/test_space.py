"""What holds for every space: the way to unit columns and back, legality, and neighbours."""

import math
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tradespace.space import Categorical, Input, Integer, Real, Space

UNIT = st.floats(0.0, 1.0)


@st.composite
def reals(draw: st.DrawFn) -> Real:
    if draw(st.booleans()):
        low = draw(st.floats(1e-12, 1e12))
        return Real(low, low * draw(st.floats(1.001, 1e9)), log=True)
    low = draw(st.floats(-1e9, 1e9))
    return Real(low, low + draw(st.floats(1e-3, 1e9)))


@st.composite
def integers(draw: st.DrawFn) -> Integer:
    log = draw(st.booleans())
    low = draw(st.integers(1 if log else -(2**39), 2**39))
    return Integer(low, low + draw(st.integers(1, 40) | st.integers(1, 2**39)), log=log)


CHOICES = st.one_of(st.text(max_size=3), st.integers(2, 99), st.booleans(), st.none())
CATEGORICALS = st.lists(CHOICES, min_size=2, max_size=5, unique=True).map(Categorical)


def spaces(kinds: st.SearchStrategy[Input], most: int = 4) -> st.SearchStrategy[Space]:
    named = st.lists(kinds, min_size=1, max_size=most)
    return named.map(lambda kept: Space({f"x{i}": kind for i, kind in enumerate(kept)}))


SPACES = spaces(reals() | integers() | CATEGORICALS)
FEW = st.builds(lambda a, n: Integer(a, a + n), st.integers(-9, 9), st.integers(1, 7))
SMALL = spaces(FEW | CATEGORICALS, most=2)


def legal_value(kind: Input) -> st.SearchStrategy[Any]:
    if isinstance(kind, Real):
        return st.floats(kind.low, kind.high)
    if isinstance(kind, Integer):
        return st.integers(kind.low, kind.high)
    return st.sampled_from(kind.choices)


@st.composite
def spaces_with_inputs(draw: st.DrawFn) -> tuple[Space, dict[str, Any]]:
    space = draw(SPACES)
    return space, {name: draw(legal_value(kind)) for name, kind in space.inputs.items()}


@st.composite
def spaces_with_points(draw: st.DrawFn) -> tuple[Space, np.ndarray]:
    space = draw(SPACES)
    shape = (draw(st.integers(1, 3)), space.width)
    return space, draw(arrays(float, shape, elements=UNIT))


@given(spaces_with_inputs())
def test_values_survive_the_way_to_columns_and_back(case: tuple[Space, dict[str, Any]]) -> None:
    space, inputs = case
    point = space.encode(inputs)
    assert point.shape == (space.width,)
    assert ((point >= 0) & (point <= 1)).all()
    back = space.decode(point)
    assert list(back) == list(space.names)
    for name, kind in space.inputs.items():
        if isinstance(kind, Real):
            # A log input keeps its relative precision; a linear one that of its range.
            scale = abs(inputs[name]) if kind.log else max(abs(kind.low), abs(kind.high))
            assert math.isclose(back[name], inputs[name], rel_tol=0, abs_tol=1e-12 * scale)
            assert type(back[name]) is float
        else:
            assert back[name] == inputs[name]
            assert type(back[name]) is type(inputs[name])


@given(spaces_with_points())
def test_any_point_decodes_to_legal_inputs_that_encode_to_its_cell(
    case: tuple[Space, np.ndarray],
) -> None:
    space, points = case
    for point in points:
        inputs = space.decode(point)
        np.testing.assert_allclose(
            space.encode(inputs), space.snap(point), rtol=0, atol=_resolution(space)
        )


@given(spaces_with_points())
def test_snapping_is_idempotent_and_works_point_by_point(case: tuple[Space, np.ndarray]) -> None:
    space, points = case
    snapped = space.snap(points)
    np.testing.assert_array_equal(space.snap(snapped), snapped)
    np.testing.assert_array_equal(np.stack([space.snap(point) for point in points]), snapped)
    reals = ~space.discrete
    np.testing.assert_array_equal(snapped[:, reals], points[:, reals])
    assert [space.decode(point) for point in points] == [space.decode(point) for point in snapped]


@given(SPACES, st.data())
def test_samples_are_legal(space: Space, data: st.DataObject) -> None:
    uniform = data.draw(arrays(float, (4, space.size), elements=UNIT))
    points = space.sample(uniform)
    assert points.shape == (4, space.width)
    np.testing.assert_array_equal(space.snap(points), points)


@given(spaces_with_points())
def test_neighbours_are_legal_distinct_and_differ_in_one_discrete_input(
    case: tuple[Space, np.ndarray],
) -> None:
    space, points = case
    home = space.snap(points[0])
    found = space.neighbours(home)
    np.testing.assert_array_equal(space.snap(found), found)
    assert len(np.unique(found, axis=0)) == len(found)
    for point in found:
        changed = np.unique(space.column_input[point != home])
        assert len(changed) == 1
        assert not isinstance(space.inputs[space.names[changed[0]]], Real)
    for kind in space.inputs.values():
        if isinstance(kind, Categorical):
            assert len(found) >= len(kind.choices) - 1


@given(SMALL)
def test_a_small_space_is_reached_by_enumeration_and_by_neighbours(space: Space) -> None:
    listed = [tuple(point) for point in space.enumerate()]
    assert len(set(listed)) == len(listed) == space.cardinality
    reached = {listed[0]}
    edge = [listed[0]]
    while edge:
        edge = [p for home in edge for p in map(tuple, space.neighbours(home)) if p not in reached]
        edge = sorted(set(edge))
        reached.update(edge)
    assert reached == set(listed)


@given(SPACES)
def test_bounds_are_reached_exactly(space: Space) -> None:
    for side, u in (("low", 0.0), ("high", 1.0)):
        inputs = space.decode(np.full(space.width, u))
        for name, kind in space.inputs.items():
            if not isinstance(kind, Categorical):
                assert inputs[name] == getattr(kind, side)


def _resolution(space: Space) -> float:
    """How far a real's column may move when its value is rounded to a double."""
    steps = [1e-12]
    for kind in space.inputs.values():
        if isinstance(kind, Real) and not kind.log:
            steps.append(
                4 * np.spacing(max(abs(kind.low), abs(kind.high))) / (kind.high - kind.low)
            )
        if isinstance(kind, Real) and kind.log:
            a, b = math.log(kind.low), math.log(kind.high)
            steps.append(4 * np.spacing(max(abs(a), abs(b), 1.0)) / (b - a))
    return max(steps)
