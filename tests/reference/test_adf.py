"""ADF against its slow, obvious twins, against quadrature, and where it must not break."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tradespace.conditioning import adf
from tradespace.conditioning.adf import Moments

from .slow_twins import adf as slow_adf
from .slow_twins import conditioned, method_adf

INF = np.inf
SHAPES = [(k, c) for k in (1, 2, 3) for c in (0, 1, 2)]
compiled = jax.jit(adf.condition, static_argnums=5)


def condition(
    mean: np.ndarray,
    variance: np.ndarray,
    front: np.ndarray,
    bounds: np.ndarray | None = None,
    counted: np.ndarray | None = None,
) -> Moments:
    """Moments of one or several candidates, (B,) or (B, n)."""
    constraints = len(mean) - front.shape[1]
    bounds = np.array([[0.0, 1e6]] * constraints).reshape(-1, 2) if bounds is None else bounds
    counted = np.ones(len(front), bool) if counted is None else counted
    two_sided = bool((bounds[:, 1] < 1e5).any())
    many = np.reshape(mean, (len(mean), -1)), np.reshape(variance, (len(mean), -1))
    found = compiled(*map(jnp.array, (*many, front, counted, bounds)), two_sided)
    return Moments(*(np.array(x).reshape(np.shape(mean)) for x in found))


def drawn(objectives: int, constraints: int, points: int) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng([objectives, constraints, points])
    boxes = objectives + constraints
    return (
        rng.normal(size=boxes),
        rng.uniform(0.2, 2.0, boxes),
        rng.normal(size=(points, objectives)),
    )


@pytest.mark.parametrize(("objectives", "constraints"), SHAPES)
def test_adf_is_the_papers_loop(objectives: int, constraints: int) -> None:
    mean, variance, front = drawn(objectives, constraints, 6)
    found = condition(mean, variance, front)
    expected = method_adf(mean, variance, front)
    np.testing.assert_allclose(found.mean, expected[0], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(found.variance, expected[1], rtol=1e-10)


@pytest.mark.parametrize(("objectives", "constraints"), [(1, 1), (2, 1), (2, 2)])
def test_adf_with_two_sided_constraints(objectives: int, constraints: int) -> None:
    mean, variance, front = drawn(objectives, constraints, 4)
    bounds = np.array([[-0.3, 0.5], [0.0, 1e6]])[:constraints]
    found = condition(mean, variance, front, bounds)
    expected = slow_adf(mean, variance, front, np.where(bounds > 1e5, INF, bounds))
    np.testing.assert_allclose(found.mean, expected[0], atol=1e-10)
    np.testing.assert_allclose(found.variance, expected[1], rtol=1e-10)


@pytest.mark.parametrize(("objectives", "constraints"), SHAPES)
def test_one_factor_has_the_exact_moments(objectives: int, constraints: int) -> None:
    mean, variance, front = drawn(objectives, constraints, 1)
    bounds = np.array([[0.0, INF]] * constraints).reshape(-1, 2)
    found = condition(mean, variance, front)
    means, variances, _ = conditioned(mean, variance, front, bounds, dominating=True)
    np.testing.assert_allclose(found.mean, means, atol=1e-10)
    np.testing.assert_allclose(found.variance, variances, rtol=1e-10)


def test_one_factor_has_the_moments_of_samples() -> None:
    mean, variance, front = np.array([0.3, -0.4, 0.6]), np.array([1.0, 0.5, 2.0]), [[0.5, 0.2]]
    samples = mean + np.sqrt(variance) * np.random.default_rng(1).standard_normal((2_000_000, 3))
    removed = (samples[:, :2] <= front).all(1) & (samples[:, 2] >= 0)
    left = samples[~removed]
    found = condition(mean, variance, np.array(front))
    # Five standard errors of a mean and of a variance.
    np.testing.assert_allclose(found.mean, left.mean(0), atol=5 * np.sqrt(2.0 / len(left)))
    np.testing.assert_allclose(found.variance, left.var(0), atol=5 * 2.0 * np.sqrt(2 / len(left)))


def test_the_variance_may_increase() -> None:
    # A constraint at 5 deviations is as good as none.
    found = condition(np.array([0.0, 0.0, 5.0]), np.ones(3), np.array([[2.0, 0.5]]))
    assert found.variance.max() == pytest.approx(1.217, abs=5e-4)


def test_points_that_do_not_count_change_nothing() -> None:
    mean, variance, front = drawn(2, 1, 5)
    counted = np.array([True, False, True, False, False])
    masked = condition(mean, variance, front, counted=counted)
    short = condition(mean, variance, front[counted])
    np.testing.assert_array_equal(masked.mean, short.mean)
    np.testing.assert_array_equal(masked.variance, short.variance)


def test_nothing_counted_leaves_the_moments() -> None:
    mean, variance, front = drawn(2, 1, 5)
    found = condition(mean, variance, front, counted=np.zeros(5, bool))
    np.testing.assert_array_equal(found.mean, mean)
    np.testing.assert_array_equal(found.variance, variance)


def test_candidates_do_not_touch_each_other() -> None:
    # One of them surely dominates the front, which leaves its own moments alone and no others'.
    mean, variance, front = drawn(2, 1, 5)
    sure = np.array([-60.0, -60.0, 60.0])
    both = condition(np.stack([mean, sure], 1), np.stack([variance, variance], 1), front)
    alone = condition(mean, variance, front)
    np.testing.assert_allclose(both.variance[:, 0], alone.variance, rtol=1e-13)
    np.testing.assert_array_equal(both.variance[:, 1], variance)
    np.testing.assert_array_equal(both.mean[:, 1], sure)


# How many deviations below the front the objectives lie, and above zero the constraint:
# from surely dominating it (log P = 0) to surely not (log P = -inf).
@pytest.mark.parametrize("objective", [-1e4, -40.0, -8.0, -6.0, 0.0, 6.0, 40.0, 1e4])
@pytest.mark.parametrize("constraint", [-1e4, -40.0, 0.0, 7.0, 40.0])
@pytest.mark.parametrize("two_sided", [False, True])
def test_moments_and_gradients_are_finite(
    objective: float, constraint: float, two_sided: bool
) -> None:
    front = jnp.array([[0.0, 0.0], [-0.5, 0.5], [0.0, 0.0]])
    bounds = jnp.array([[0.0, 80.0 if two_sided else 1e6]])

    def spread(mean: jax.Array, variance: jax.Array) -> jax.Array:
        found = compiled(
            mean[:, None], variance[:, None], front, jnp.ones(3, bool), bounds, two_sided
        )
        return found.variance.sum() + found.mean.sum()

    mean, variance = jnp.array([objective, objective, constraint]), jnp.full(3, 1.0)
    found = condition(np.array(mean), np.ones(3), np.array(front), np.array(bounds))
    assert np.isfinite(found.mean).all()
    assert (found.variance > 0).all()
    assert np.isfinite(found.variance).all()
    for slope in jax.grad(spread, (0, 1))(mean, variance):
        assert np.isfinite(slope).all()


def test_a_point_far_above_the_candidates_front_tells_nothing() -> None:
    found = condition(np.array([50.0, 50.0]), np.ones(2), np.zeros((3, 2)))
    np.testing.assert_allclose(found.variance, 1.0, rtol=1e-12)
    np.testing.assert_allclose(found.mean, 50.0, rtol=1e-12)


@pytest.mark.parametrize(("objectives", "constraints"), [(1, 0), (3, 2)])
def test_gradients_are_those_of_finite_differences(objectives: int, constraints: int) -> None:
    mean, variance, front = drawn(objectives, constraints, 6)
    bounds = jnp.array([[0.0, 1e6]] * constraints).reshape(-1, 2)

    def left(x: jax.Array) -> jax.Array:
        m, v = jnp.split(x, 2)
        found = adf.condition(
            m[:, None], v[:, None], jnp.array(front), jnp.ones(6, bool), bounds, False
        )
        return jnp.concatenate([found.mean[:, 0], found.variance[:, 0]])

    x = jnp.concatenate([jnp.array(mean), jnp.array(variance)])
    steps = 1e-5 * jnp.eye(len(x))
    numeric = jax.jit(jax.vmap(lambda s: (left(x + s) - left(x - s)) / 2e-5))(steps).T
    np.testing.assert_allclose(jax.jit(jax.jacrev(left))(x), numeric, atol=1e-8)
