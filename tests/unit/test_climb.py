"""Climbs reach the maxima of functions whose maxima are known, and never break the rules."""

from collections.abc import Callable, Iterator

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tradespace.climb import Climbed, climb

WIDTH, CLIMBS, TICKS = 3, 5, 40
STARTS = np.random.default_rng(0).random((CLIMBS, WIDTH))
Value = Callable[[jax.Array], jax.Array]


@pytest.fixture(autouse=True)
def double_precision() -> Iterator[None]:
    with jax.enable_x64(True):
        yield


def climbed(value: Value, starts: np.ndarray = STARTS, ticks: int = TICKS) -> Climbed:
    ended = jax.jit(lambda starts, ticks: climb(value, starts, ticks))(starts, ticks)
    return Climbed(*(np.array(x) for x in ended))


def bowl(top: list[float], scale: list[float]) -> Value:
    """1 - sum scale (x - top)^2, its maximum over the cube at clip(top)."""
    return lambda x: 1.0 - (jnp.array(scale) * (x - jnp.array(top)) ** 2).sum(-1)


def ridge(x: jax.Array) -> jax.Array:
    """A concave quadratic whose axes are not the inputs', a hundred times steeper along one."""
    turned, _ = np.linalg.qr(np.random.default_rng(1).standard_normal((WIDTH, WIDTH)))
    away = (x - jnp.array([0.4, 0.5, 0.6])) @ jnp.array(turned)
    return 1.0 - (jnp.array([1.0, 10.0, 100.0]) * away**2).sum(-1)


def bell(x: jax.Array) -> jax.Array:
    return jnp.exp(-10.0 * ((x - 0.4) ** 2).sum(-1))


@pytest.mark.parametrize(
    ("top", "scale"),
    [
        ([0.3, 0.5, 0.8], [1.0, 1.0, 1.0]),
        ([0.3, 0.5, 0.8], [0.1, 3.0, 30.0]),
        # Held at one bound, at two, and in a corner.
        ([-0.4, 0.5, 0.8], [1.0, 2.0, 3.0]),
        ([-0.4, 1.5, 0.8], [1.0, 2.0, 3.0]),
        ([-3.0, 1.5, 2.0], [1.0, 2.0, 3.0]),
        ([0.0, 1.0, 0.5], [1.0, 2.0, 3.0]),
    ],
)
def test_the_highest_point_of_a_bowl_in_the_cube_is_reached(
    top: list[float], scale: list[float]
) -> None:
    found = climbed(bowl(top, scale))
    best = bowl(top, scale)(jnp.clip(jnp.array(top), 0.0, 1.0))
    # A climb may end when its next step promises less than 1e-4 of its height.
    assert (found.values > float(best) - 3e-4 * max(1.0, abs(float(best)))).all()
    assert (found.values <= float(best) + 1e-12).all()


@pytest.mark.parametrize("value", [ridge, bell])
def test_the_highest_point_of_curved_hills_is_reached(value: Value) -> None:
    assert (climbed(value).values > 1.0 - 3e-4).all()


@pytest.mark.parametrize("factor", [1e-12, 1e-6, 1e-3, 1e3, 1e6])
@pytest.mark.parametrize("value", [ridge, bell])
def test_the_size_of_the_values_does_not_matter(value: Value, factor: float) -> None:
    # Few ticks, so that the way there is compared and not only where it ends.
    plain = climbed(value, ticks=6)
    found = climbed(lambda x: factor * value(x), ticks=6)
    np.testing.assert_allclose(found.points, plain.points, atol=1e-6)
    np.testing.assert_allclose(found.values, factor * plain.values, rtol=1e-9)


def test_no_climb_leaves_the_cube_or_ends_below_its_start() -> None:
    tops = np.random.default_rng(2).uniform(-1.0, 2.0, (10, WIDTH))

    def value(x: jax.Array) -> jax.Array:
        # Hills, waves and a steep wall, all at once.
        near = jnp.exp(-20.0 * ((x[:, None] - tops) ** 2).sum(-1)).sum(-1)
        return near + jnp.sin(40.0 * x).sum(-1) - 1e3 * jnp.maximum(x[:, 0] - 0.7, 0.0) ** 2

    found = climbed(value)
    assert (found.points >= 0.0).all()
    assert (found.points <= 1.0).all()
    assert (found.values >= np.array(value(jnp.array(STARTS)))).all()
    np.testing.assert_allclose(found.values, value(jnp.array(found.points)), rtol=1e-12)


def test_more_ticks_never_end_lower() -> None:
    ended = [climbed(ridge, ticks=ticks).values for ticks in (1, 2, 4, 8, 16)]
    assert (np.diff(ended, axis=0) >= 0.0).all()


def test_one_tick_looks_at_the_starts_themselves() -> None:
    found = climbed(ridge, ticks=1)
    np.testing.assert_array_equal(found.points, STARTS)
    np.testing.assert_allclose(found.values, ridge(jnp.array(STARTS)), rtol=1e-12)


@pytest.mark.parametrize("ticks", [0, -1])
def test_without_ticks_nothing_is_looked_at(ticks: int) -> None:
    found = climbed(ridge, ticks=ticks)
    np.testing.assert_array_equal(found.points, STARTS)
    assert (found.values == -np.inf).all()


def test_where_there_is_no_number_no_climb_goes() -> None:
    # The hill's top lies where the value is NaN, or its slope only.
    def value(x: jax.Array) -> jax.Array:
        return bell(x) + jnp.where(x[:, 0] < 0.5, jnp.nan, 0.0)

    starts = STARTS.copy()
    starts[:, 0] = 0.5 + 0.5 * starts[:, 0]
    found = climbed(value, starts)
    assert np.isfinite(found.values).all()
    assert (found.points[:, 0] >= 0.5).all()
    assert (found.values >= np.array(bell(jnp.array(starts)))).all()


def test_a_start_without_a_number_holds_up_no_other() -> None:
    def value(x: jax.Array) -> jax.Array:
        return jnp.where(x[:, 0] > 2 / 3, jnp.nan, bell(x))

    starts = np.full((CLIMBS, WIDTH), 0.2)
    starts[1] = 0.9
    found = climbed(value, starts)
    assert (np.delete(found.values, 1) > 1.0 - 3e-4).all()
    assert not found.values[1] > 1.0
    assert (found.points >= 0.0).all()
    assert (found.points <= 1.0).all()


def test_climbs_do_not_touch_each_other() -> None:
    together = climbed(ridge)
    turned = climbed(ridge, STARTS[::-1].copy())
    np.testing.assert_allclose(turned.points[::-1], together.points, atol=1e-9)


def test_a_flat_top_is_left_where_it_is() -> None:
    found = climbed(lambda x: 0.0 * x.sum(-1))
    np.testing.assert_array_equal(found.points, STARTS)
    np.testing.assert_array_equal(found.values, 0.0)
