"""MESMOC's gains against the formulae of max-value entropy search and against quadrature."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import integrate
from scipy.stats import norm

from tradespace.acquisition.mesmoc import Best, Mesmoc, gains

from ..contracts.cases import fronts_alone

gained = jax.jit(gains, static_argnums=3)
MEAN = np.array([[[0.3, -1.0, 2.0], [0.0, 0.5, -0.4], [0.2, -0.7, 1.5]]])
VARIANCE = np.array([[[1.0, 0.3, 2.0], [0.5, 0.1, 1.5], [0.4, 0.9, 0.2]]])


def best(objectives: list[float], ends: list[list[float]]) -> Best:
    constraints = np.array(ends).reshape(1, -1, 2)
    return jax.tree.map(jnp.array, Best(np.array([objectives]), constraints))


def entropy_fall(mean: float, sd: float, low: float, high: float) -> float:
    """By quadrature: the entropy of a normal less that of the same outside an interval."""
    z = 1.0 - (norm.cdf((high - mean) / sd) - norm.cdf((low - mean) / sd))

    def term(y: float) -> float:
        density = norm.pdf(y, mean, sd) / z
        return -density * np.log(density) if density > 0.0 else 0.0

    edges = [mean - 12 * sd, *sorted(np.clip([low, high], mean - 12 * sd, mean + 12 * sd))]
    parts = ((edges[0], edges[1]), (edges[2], mean + 12 * sd))
    left = sum(integrate.quad(term, *part, limit=200)[0] for part in parts if part[0] < part[1])
    return float(0.5 * np.log(2 * np.pi * np.e * sd**2) - left)


def test_gains_are_those_of_max_value_entropy_search() -> None:
    """The formulae as the paper has them, minimising objectives and maximising constraints."""
    smallest, largest = [-0.8, -0.2], 0.9
    found = gained(MEAN, VARIANCE, best(smallest, [[largest, np.inf]]), False)
    sd = np.sqrt(VARIANCE[0])
    for k in range(2):
        g = (smallest[k] - MEAN[0, k]) / sd[k]
        expected = -g * norm.pdf(g) / (2 * norm.sf(g)) - np.log(norm.sf(g))
        np.testing.assert_allclose(found[k], expected, rtol=1e-9, atol=1e-12)
    g = (largest - MEAN[0, 2]) / sd[2]
    expected = g * norm.pdf(g) / (2 * norm.cdf(g)) - np.log(norm.cdf(g))
    np.testing.assert_allclose(found[2], expected, rtol=1e-9, atol=1e-12)


def test_gains_are_falls_of_entropy_when_an_interval_is_ruled_out() -> None:
    ends = [[0.1, 0.8]]
    found = gained(MEAN, VARIANCE, best([-0.8, -0.2], ends), True)
    sd = np.sqrt(VARIANCE[0])
    for n in range(3):
        objective = entropy_fall(MEAN[0, 0, n], sd[0, n], -np.inf, -0.8)
        constraint = entropy_fall(MEAN[0, 2, n], sd[2, n], *ends[0])
        assert found[0, n] == pytest.approx(objective, abs=1e-7)
        assert found[2, n] == pytest.approx(constraint, abs=1e-7)


def test_several_fronts_are_averaged() -> None:
    each = [best([-0.8, -0.2], [[0.9, 9e5]]), best([0.1, -1.2], [[0.3, 9e5]])]
    together = jax.tree.map(lambda a, b: jnp.concatenate([a, b]), *each)
    twice = (np.concatenate([x, x]) for x in (MEAN, VARIANCE))
    found = gained(*twice, together, False)
    expected = sum(gained(MEAN, VARIANCE, one, False) for one in each) / 2
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("two_sided", [False, True])
def test_gains_and_gradients_are_finite_in_the_tails_and_right_elsewhere(two_sided: bool) -> None:
    away = np.array([-300.0, -30.0, -5.0, -0.3, 0.0, 0.4, 5.0, 30.0, 300.0])
    mean = np.tile(away, (1, 3, 1))
    variance = np.full_like(mean, 0.7)
    given = best([0.2, -0.1], [[0.3, 2.0 if two_sided else 1e6]])

    def total(mean: jax.Array, variance: jax.Array) -> jax.Array:
        return gains(mean, variance, given, two_sided).sum()

    found = gained(mean, variance, given, two_sided)
    assert np.isfinite(found).all()
    assert (np.array(found) > -1e-9).all()
    slopes = jax.jit(jax.grad(total, (0, 1)))(mean, variance)
    assert all(np.isfinite(slope).all() for slope in slopes)
    middle, h = slice(2, 7), 1e-5
    for slope, step in zip(slopes, ((h, 0.0), (0.0, h)), strict=True):
        up = gained(mean + step[0], variance + step[1], given, two_sided)
        down = gained(mean - step[0], variance - step[1], given, two_sided)
        numeric = (np.array(up) - np.array(down)) / (2 * h)
        np.testing.assert_allclose(slope[0][:, middle], numeric[:, middle], rtol=1e-5, atol=1e-7)


def test_the_best_of_a_front_is_each_black_boxs_own() -> None:
    fronts = [np.array([[0.0, 1.0], [0.5, -1.0]]), np.array([[2.0, 3.0]])]
    slacks = [np.array([[0.1, 0.7], [0.4, 0.2]]), np.array([[0.0, 5.0]])]
    bounds = np.array([[[0.5, 1e6], [-1.0, 1.0]]] * 2)
    nowhere = [np.zeros((len(front), 3)) for front in fronts]
    sampled = fronts_alone(fronts, slacks, nowhere, bounds)
    given = Mesmoc().prepare(np.random.default_rng(0), sampled)
    np.testing.assert_array_equal(given.objectives, [[0.0, -1.0], [2.0, 3.0]])
    # A slack is a distance from either bound: what is better lies that far inside of both.
    np.testing.assert_allclose(given.constraints[0], [[0.9, 1e6 - 0.4], [-0.3, 0.3]])
    np.testing.assert_allclose(given.constraints[1], [[0.5, 1e6], [4.0, 4.0]], atol=1e-8)
