"""Exact conditioning on a front's boxes against brute-force domination, samples and quadrature."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from tradespace import pareto
from tradespace.acquisition.mesmoc_plus import FAR, MesmocPlus, prepare
from tradespace.conditioning import boxes
from tradespace.conditioning.boxes import Boxes

from .slow_twins import conditioned, is_removed

INF = np.inf
SHAPES = [(k, c) for k in (1, 2, 3) for c in (0, 1, 2)]
CONDITIONINGS = ["boxes", "dominating"]
compiled = jax.jit(boxes.condition, static_argnums=4)


def decomposed(front: np.ndarray, conditioning: str, size: int = 8) -> Boxes:
    method = MesmocPlus(conditioning=conditioning, front_size=size)
    prepared = prepare(np.random.default_rng(0), method, [front], np.zeros((1, 0, 2)))
    return jax.tree.map(lambda x: jnp.array(x[0]), prepared.boxes)


def condition(
    mean: np.ndarray,
    variance: np.ndarray,
    front: np.ndarray,
    conditioning: str,
    bounds: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Means, variances and entropies of one or several candidates, (B,) or (B, n)."""
    constraints = len(mean) - front.shape[1]
    bounds = np.array([[0.0, FAR]] * constraints).reshape(-1, 2) if bounds is None else bounds
    many = [jnp.array(np.reshape(x, (len(mean), -1))) for x in (mean, variance)]
    found = compiled(
        *many,
        decomposed(front, conditioning),
        jnp.array(np.clip(bounds, -FAR, FAR)),
        bool((bounds[:, 1] < FAR).any()),
    )
    moments, power = found
    entropy = 0.5 * np.log(2 * np.pi * np.e * np.array(power))
    return tuple(np.reshape(x, np.shape(mean)) for x in (*moments, entropy))


def drawn(objectives: int, constraints: int, points: int = 5) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng([objectives, constraints, points])
    number = objectives + constraints
    front = rng.normal(size=(points, objectives))
    return rng.normal(size=number), rng.uniform(0.2, 2.0, number), front


def half_bounds(constraints: int) -> np.ndarray:
    return np.array([[0.0, INF]] * constraints).reshape(-1, 2)


@pytest.mark.parametrize("conditioning", CONDITIONINGS)
@pytest.mark.parametrize(("objectives", "constraints"), SHAPES)
def test_moments_and_entropies_are_exact(
    objectives: int, constraints: int, conditioning: str
) -> None:
    mean, variance, front = drawn(objectives, constraints)
    # What the dominated points would remove is not what the front removes from above.
    front = front[pareto.non_dominated(front)]
    found = condition(mean, variance, front, conditioning)
    expected = conditioned(
        mean, variance, front, half_bounds(constraints), conditioning == "dominating"
    )
    for got, want in zip(found, expected, strict=True):
        np.testing.assert_allclose(got, want, atol=1e-10)


@pytest.mark.parametrize("conditioning", CONDITIONINGS)
@pytest.mark.parametrize("bounds", [[[-0.3, 0.5]], [[0.0, INF], [-1.0, 2.0]], [[0.1, 0.2]] * 2])
def test_two_sided_constraints(bounds: list[list[float]], conditioning: str) -> None:
    mean, variance, front = drawn(2, len(bounds))
    ends = np.array(bounds)
    found = condition(mean, variance, front, conditioning, ends)
    front = front[pareto.non_dominated(front)]
    expected = conditioned(mean, variance, front, ends, conditioning == "dominating")
    for got, want in zip(found[:2], expected[:2], strict=True):
        np.testing.assert_allclose(got, want, atol=1e-9)
    np.testing.assert_allclose(found[2], expected[2], atol=1e-9)


@pytest.mark.parametrize("conditioning", CONDITIONINGS)
def test_two_objectives_and_a_constraint_by_plain_quadrature(conditioning: str) -> None:
    """The density on a grid of (f_1, f_2, c): no cells, no partial moments, no closed form."""
    mean, variance, _ = drawn(2, 1)
    front = np.array([[-0.5, 0.8], [0.1, 0.2], [1.0, -0.7]])
    sd = np.sqrt(variance)
    axes = [np.linspace(m - 6 * s, m + 6 * s, 161) for m, s in zip(mean, sd, strict=True)]
    f1, f2, c = np.meshgrid(*axes, indexing="ij")
    removed = is_removed(np.stack([f1, f2], -1).reshape(-1, 2), front, conditioning == "dominating")
    density = np.ones(f1.shape)
    for values, m, s in zip((f1, f2, c), mean, sd, strict=True):
        density *= stats.norm.pdf(values, m, s)
    density[removed.reshape(f1.shape) & (c >= 0)] = 0.0
    found = condition(mean, variance, front, conditioning)
    for b, axis in enumerate(axes):
        step = axis[1] - axis[0]
        marginal = density.sum(tuple(i for i in range(3) if i != b))
        marginal /= marginal.sum() * step
        first = (axis * marginal).sum() * step
        second = ((axis - first) ** 2 * marginal).sum() * step
        logs = np.log(np.maximum(marginal, 1e-300))
        # Three digits: a cell of the grid that the front's steps cut is counted whole.
        assert found[0][b] == pytest.approx(first, abs=0.01)
        assert found[1][b] == pytest.approx(second, abs=0.02)
        assert found[2][b] == pytest.approx(-(marginal * logs).sum() * step, abs=0.01)


@pytest.mark.parametrize("conditioning", CONDITIONINGS)
def test_three_objectives_and_two_constraints_by_samples(conditioning: str) -> None:
    mean, variance, front = drawn(3, 2)
    front = front[pareto.non_dominated(front)]
    mean[3:] = np.abs(mean[3:])
    sd = np.sqrt(variance)
    samples = mean + sd * np.random.default_rng(2).standard_normal((400_000, 5))
    removed = is_removed(samples[:, :3], front, conditioning == "dominating")
    left = samples[~(removed & (samples[:, 3:] >= 0).all(1))]
    found = condition(mean, variance, front, conditioning)
    assert 0.3 * len(samples) < len(left) < 0.999 * len(samples)
    error = 5 / np.sqrt(len(left))
    np.testing.assert_allclose(found[0], left.mean(0), atol=error * left.std(0).max())
    # Var(s^2) = (kurtosis - 1) s^4 / n, with room for a kurtosis of 5.
    np.testing.assert_allclose(found[1], left.var(0), atol=2 * error * left.var(0).max())


@pytest.mark.parametrize("objectives", [1, 2, 3])
@pytest.mark.parametrize("conditioning", CONDITIONINGS)
def test_points_given_twice_or_dominated_change_nothing(objectives: int, conditioning: str) -> None:
    mean, variance, front = drawn(objectives, 1)
    front = front[pareto.non_dominated(front)]
    again = np.concatenate([front, front[::-1], front[:1] + 0.5])[:8]
    once, twice = (condition(mean, variance, f, conditioning) for f in (front, again))
    for got, want in zip(twice, once, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-13)


def test_a_dominating_region_is_the_smaller_one() -> None:
    # Removing less leaves the variance of both objectives nearer the prior's.
    front = np.array([[-1.0, 1.0], [0.0, 0.0], [1.0, -1.0]])
    mean, variance = np.zeros(2), np.ones(2)
    all_of_it = condition(mean, variance, front, "boxes")[0]
    less = condition(mean, variance, front, "dominating")[0]
    assert (less > 0).all()
    assert (less < all_of_it).all()


@pytest.mark.parametrize("conditioning", CONDITIONINGS)
def test_black_boxes_that_cannot_matter_keep_their_moments(conditioning: str) -> None:
    front = np.array([[-1.0, 1.0], [0.0, 0.0]])
    # Infeasible for sure, in far tails.
    for depth in (-20.0, -40.0, -1e4):
        mean, variance = np.array([-3.0, 0.1, depth]), np.array([1.0, 2.0, 1.0])
        found = condition(mean, variance, front, conditioning)
        np.testing.assert_allclose(found[0], mean, rtol=1e-12)
        np.testing.assert_allclose(found[1], variance, rtol=1e-12)
        np.testing.assert_allclose(found[2], 0.5 * np.log(2 * np.pi * np.e * variance), rtol=1e-12)


@pytest.mark.parametrize("conditioning", CONDITIONINGS)
@pytest.mark.parametrize("depth", [2.0, 3.0, 4.0, 4.75])
def test_moments_stay_accurate_while_the_rest_is_rare(depth: float, conditioning: str) -> None:
    # At depth 4.75 what is not removed has probability 1e-6 for each objective.
    mean, variance = np.array([-depth, -depth, depth]), np.ones(3)
    front = np.zeros((1, 2))
    found = condition(mean, variance, front, conditioning)
    expected = conditioned(mean, variance, front, half_bounds(1), conditioning == "dominating")
    for got, want in zip(found, expected, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-7)


@pytest.mark.parametrize("objective", [-1e4, -40.0, -8.0, -6.0, 0.0, 6.0, 40.0, 1e4])
@pytest.mark.parametrize("constraint", [-1e4, -8.0, 0.0, 7.0, 40.0])
@pytest.mark.parametrize("conditioning", CONDITIONINGS)
@pytest.mark.parametrize("two_sided", [False, True])
def test_everything_is_finite_everywhere(
    objective: float, constraint: float, conditioning: str, two_sided: bool
) -> None:
    front = decomposed(np.array([[0.0, 0.0], [-0.5, 0.5], [0.0, 0.0]]), conditioning)
    bounds = jnp.array([[0.0, 80.0 if two_sided else FAR]])
    mean = jnp.array([objective, objective, constraint])[:, None]
    found, pulled = _with_slopes(two_sided, mean, jnp.ones((3, 1)), front, bounds)
    for got in jax.tree.leaves(found):
        assert np.isfinite(got).all()
    assert (np.array(found.moments.variance) > 0).all()
    assert (np.array(found.entropy_power) > 0).all()
    for slope in pulled:
        assert np.isfinite(slope).all()


@jax.jit(static_argnums=0)
def _with_slopes(
    two_sided: bool, mean: jax.Array, variance: jax.Array, front: Boxes, bounds: jax.Array
) -> tuple[boxes.Conditioned, tuple[jax.Array, ...]]:
    def given_front(mean: jax.Array, variance: jax.Array) -> boxes.Conditioned:
        return boxes.condition(mean, variance, front, bounds, two_sided)

    found, pull = jax.vjp(given_front, mean, variance)
    return found, pull(jax.tree.map(jnp.ones_like, found))


@pytest.mark.parametrize("conditioning", CONDITIONINGS)
@pytest.mark.parametrize(("objectives", "constraints"), [(1, 0), (3, 2)])
def test_gradients_are_those_of_finite_differences(
    objectives: int, constraints: int, conditioning: str
) -> None:
    mean, variance, front = drawn(objectives, constraints)
    bounds = jnp.array([[0.0, FAR]] * constraints).reshape(-1, 2)
    given = decomposed(front, conditioning)

    def left(x: jax.Array) -> jax.Array:
        m, v = jnp.split(x, 2)
        found = boxes.condition(m[:, None], v[:, None], given, bounds, False)
        return jnp.concatenate([leaf[:, 0] for leaf in jax.tree.leaves(found)])

    x = jnp.concatenate([jnp.array(mean), jnp.array(variance)])
    steps = 1e-5 * jnp.eye(len(x))
    numeric = jax.jit(jax.vmap(lambda s: (left(x + s) - left(x - s)) / 2e-5))(steps).T
    np.testing.assert_allclose(jax.jit(jax.jacrev(left))(x), numeric, atol=1e-8)
