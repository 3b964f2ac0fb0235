"""Where the kernel is constant, and where it is smooth."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tradespace.gp.kernel import correlation, layout, matern52, snap, stretch
from tradespace.space import Categorical, Integer, Real, Space

MIXED = Space(
    {
        "kind": Categorical(["a", "b", "c"]),
        "rate": Real(1e-4, 1.0, log=True),
        "count": Integer(-3, 6),
        "size": Integer(1, 200, log=True),
        "flag": Categorical([True, False]),
        "depth": Real(-2.0, 5.0),
    }
)
LENGTHSCALES = np.log([0.7, 0.5, 0.4, 1.2, 2.0, 0.3])


def scattered(count: int = 400) -> np.ndarray:
    return np.random.default_rng(0).random((count, MIXED.width))


def within_cells(points: np.ndarray, share: float) -> np.ndarray:
    """Points moved by a share of the way to others that stand for the same legal values."""
    moved = points.copy()
    discrete = MIXED.discrete
    # Halfway from the snapped point to the point itself never leaves a cell.
    moved[:, discrete] += share * (MIXED.snap(points) - points)[:, discrete]
    return moved


def test_snapping_is_the_spaces() -> None:
    points = scattered()
    np.testing.assert_allclose(snap(layout(MIXED), jnp.array(points)), MIXED.snap(points))


def test_snapping_in_single_precision_keeps_the_cell() -> None:
    points = within_cells(scattered(), 0.5).astype(np.float32)
    found = snap(layout(MIXED), jnp.array(points))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, MIXED.snap(points), atol=1e-6)


def test_points_outside_the_cube_belong_to_the_cells_at_its_end() -> None:
    space = Space({"count": Integer(2, 9), "size": Integer(1, 50, log=True)})
    points = np.array([[-0.3, -0.2], [1.2, 1.4]])
    np.testing.assert_allclose(snap(layout(space), jnp.array(points)), space.snap(points))


def test_legal_points_stay_where_they_are() -> None:
    legal = MIXED.snap(scattered())
    np.testing.assert_allclose(snap(layout(MIXED), jnp.array(legal)), legal, atol=1e-12)


def test_the_kernel_is_constant_within_a_cell() -> None:
    points = scattered(40)
    here, moved = (
        stretch(layout(MIXED), jnp.array(p), LENGTHSCALES)
        for p in (points, within_cells(points, 0.9))
    )
    np.testing.assert_allclose(moved, here, atol=1e-12)


def test_the_kernel_has_no_slope_along_discrete_columns() -> None:
    points = jnp.array(scattered(20))

    def total(points: jax.Array) -> jax.Array:
        stretched = stretch(layout(MIXED), points, LENGTHSCALES)
        return correlation(stretched, stretched[:3]).sum()

    slope = np.array(jax.grad(total)(points))
    assert (slope[:, MIXED.discrete] == 0.0).all()
    assert (slope[:, ~MIXED.discrete] != 0.0).all()


def test_each_input_has_its_own_lengthscale() -> None:
    # Moving one input to another value changes the distance as its own lengthscale says.
    home = MIXED.encode(
        {"kind": "a", "rate": 0.01, "count": 0, "size": 10, "flag": True, "depth": 0.0}
    )
    other = {"kind": "b", "rate": 0.1, "count": 3, "size": 40, "flag": False, "depth": 3.0}
    for i, (name, value) in enumerate(other.items()):
        away = MIXED.encode({**MIXED.decode(home), name: value})
        a, b = np.array(stretch(layout(MIXED), jnp.array([home, away]), LENGTHSCALES))
        columns = np.abs(away - home)
        # Two choices are 1 apart, whichever they are.
        apart = 1.0 if isinstance(MIXED.inputs[name], Categorical) else columns.sum()
        assert np.linalg.norm(a - b) == pytest.approx(apart / np.exp(LENGTHSCALES[i]), rel=1e-12)


@pytest.mark.parametrize("distance", [0.0, 1e-9, 1e-3, 0.3, 2.0, 30.0])
def test_the_slope_is_that_of_finite_differences_at_every_distance(distance: float) -> None:
    away = jnp.array([distance, 0.0])

    def along(x: jax.Array) -> jax.Array:
        return matern52(((away + x * jnp.array([1.0, 0.5])) ** 2).sum())

    step = 1e-5
    numeric = (along(jnp.array(step)) - along(jnp.array(-step))) / (2 * step)
    # Central differences of a function with a third derivative below 10 are right to 1e-9.
    np.testing.assert_allclose(jax.grad(along)(jnp.array(0.0)), numeric, atol=1e-9)


def test_the_slope_by_the_squared_distance_is_finite_at_zero() -> None:
    step = 1e-8
    slope = jax.grad(lambda s: matern52(s))(jnp.array(0.0))
    # The next term of the series is of order step.
    assert float(slope) == pytest.approx(-5.0 / 6.0, abs=1e-12)
    assert float((matern52(jnp.array(step)) - 1.0) / step) == pytest.approx(-5 / 6, rel=1e-4)


def test_layouts_are_keys_for_compiled_programs() -> None:
    again = Space(dict(MIXED.inputs))
    assert layout(again) == layout(MIXED)
    assert hash(layout(again)) == hash(layout(MIXED))
    assert layout(MIXED) != layout(Space({"x": Real(0, 1)}))
