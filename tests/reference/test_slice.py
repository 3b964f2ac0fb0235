"""Slice sampling against densities that are known.

Statistical tests: the keys are fixed, and each check would fail for fewer than one key in ten
thousand if the sampler were right.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from tradespace.gp.slice import Draws, slice_sample

CHAINS, TRIES = 20_000, 30
RARE = 1e-4
Density = Callable[[jax.Array], jax.Array]
CORRELATED = np.array([[1.0, 1.8], [1.8, 4.0]])


def normal(x: jax.Array) -> jax.Array:
    return -0.5 * ((x[0] - 3.0) / 0.5) ** 2


def correlated_normal(x: jax.Array) -> jax.Array:
    return -0.5 * x @ jnp.array(np.linalg.inv(CORRELATED)) @ x


def log_gamma(x: jax.Array) -> jax.Array:
    """Of log G, G ~ Gamma(1/2): a long tail to the left."""
    return 0.5 * x[0] - jnp.exp(x[0])


def bounded(x: jax.Array) -> jax.Array:
    inside = (x[0] > 0.0) & (x[0] < 1.0)
    safe = jnp.where(inside, x[0], 0.5)
    return jnp.where(inside, 0.5 * jnp.log(safe) + 6.0 * jnp.log1p(-safe), -jnp.inf)


def not_a_number_outside(x: jax.Array) -> jax.Array:
    """The same density: outside (0, 1) the logarithms are NaN."""
    return 0.5 * jnp.log(x[0]) + 6.0 * jnp.log(1.0 - x[0])


def two_hills(x: jax.Array) -> jax.Array:
    """Two normals of different widths: a slice in two pieces."""
    left = -0.5 * ((x[0] + 2.0) / 0.3) ** 2 - np.log(0.3)
    return jnp.logaddexp(left, -0.5 * ((x[0] - 1.0) / 0.8) ** 2 - np.log(0.8))


class TwoHills(stats.rv_continuous):
    """The same density in SciPy's terms."""

    def _cdf(self, x: np.ndarray) -> np.ndarray:
        return 0.5 * (stats.norm.cdf(x, -2.0, 0.3) + stats.norm.cdf(x, 1.0, 0.8))

    def _ppf(self, q: np.ndarray) -> np.ndarray:
        grid = np.linspace(-8.0, 8.0, 160_001)
        return np.interp(q, self._cdf(grid), grid)

    def _stats(self) -> tuple[float, float, float, float]:
        # Moments of the mixture about its mean of -1/2: components are at -3/2 and 3/2.
        narrow, wide = 0.3**2, 0.8**2
        variance = 1.5**2 + 0.5 * (narrow + wide)
        third = 0.5 * 3 * 1.5 * (wide - narrow)
        fourth = 0.5 * sum(1.5**4 + 6 * 1.5**2 * v + 3 * v**2 for v in (narrow, wide))
        return -0.5, variance, third / variance**1.5, fourth / variance**2 - 3.0


TARGETS = {
    "normal": (normal, [stats.norm(3.0, 0.5)]),
    "correlated": (correlated_normal, [stats.norm(0, 1), stats.norm(0, 2)]),
    "log-gamma": (log_gamma, [stats.loggamma(0.5)]),
    "bounded": (bounded, [stats.beta(1.5, 7.0)]),
    "two hills": (two_hills, [TwoHills(name="two hills")()]),
    "nan": (not_a_number_outside, [stats.beta(1.5, 7.0)]),
}


def exact(name: str, rng: np.random.Generator) -> np.ndarray:
    """Independent draws from a target."""
    if name == "correlated":
        return rng.multivariate_normal([0.0, 0.0], CORRELATED, CHAINS)
    return TARGETS[name][1][0].rvs((CHAINS, 1), random_state=rng)


def sampled(
    density: Density, starts: np.ndarray, updates: int, length: float
) -> tuple[np.ndarray, np.ndarray]:
    """States of independent chains, and the sum of each state as the density's companion."""
    rng = np.random.default_rng(updates)
    chains, p = starts.shape
    room = max(updates, 1)
    directions = length * rng.standard_normal((chains, room, p))
    draws = Draws(
        rng.random((chains, room)), rng.random((chains, room)), rng.random((chains, room, TRIES))
    )

    def chain(draws: Draws, start: jax.Array, directions: jax.Array) -> tuple[jax.Array, jax.Array]:
        both = lambda x: (density(x), x.sum())  # noqa: E731
        return slice_sample(draws, both, start, directions, updates)

    run = jax.jit(jax.vmap(chain))
    found = run(*jax.tree.map(jnp.array, (draws, starts, directions)))
    return np.array(found[0]), np.array(found[1])


def check(states: np.ndarray, name: str) -> None:
    """Each coordinate's distribution, its first two moments, and the correlation."""
    for column, marginal in zip(states.T, TARGETS[name][1], strict=True):
        assert stats.kstest(column, marginal.cdf).pvalue > RARE
        mean, variance, kurtosis = marginal.stats(moments="mvk")
        n = len(column)
        assert column.mean() == pytest.approx(mean, abs=4.0 * np.sqrt(variance / n))
        error = variance * np.sqrt((kurtosis + 2.0) / n)
        assert column.var() == pytest.approx(variance, abs=4.0 * error)
    if name == "correlated":
        found = np.arctanh(np.corrcoef(states.T)[0, 1])
        assert found == pytest.approx(np.arctanh(0.9), abs=4.0 / np.sqrt(len(states)))


@pytest.mark.parametrize("length", [0.3, 6.0])
@pytest.mark.parametrize("name", TARGETS)
def test_the_target_is_left_as_it_is(name: str, length: float) -> None:
    starts = exact(name, np.random.default_rng(1))
    states, _ = sampled(TARGETS[name][0], starts, 4, length)
    check(states, name)
    # It is no proof if nothing has moved.
    assert (states != starts).mean() > 0.9


@pytest.mark.parametrize("name", TARGETS)
def test_chains_from_one_place_reach_the_target(name: str) -> None:
    start = np.full((CHAINS, len(TARGETS[name][1])), 0.9)
    states, _ = sampled(TARGETS[name][0], start, 80, 3.0)
    check(states, name)


def test_what_comes_with_the_density_is_that_of_the_state() -> None:
    starts = exact("correlated", np.random.default_rng(2))
    for updates in (0, 4):
        states, companion = sampled(correlated_normal, starts, updates, 2.0)
        np.testing.assert_allclose(companion, states.sum(1), rtol=1e-12)


def test_no_updates_leave_the_start() -> None:
    starts = exact("correlated", np.random.default_rng(3))
    np.testing.assert_array_equal(sampled(correlated_normal, starts, 0, 2.0)[0], starts)


def test_a_start_outside_the_support_finds_its_way_in() -> None:
    states, _ = sampled(bounded, np.full((500, 1), 2.0), 200, 3.0)
    assert ((states > 0.0) & (states < 1.0)).all()


def test_a_direction_of_zero_keeps_its_coordinate() -> None:
    starts = exact("correlated", np.random.default_rng(4))
    rng = np.random.default_rng(5)
    draws = Draws(rng.random(3), rng.random(3), rng.random((3, TRIES)))
    both = lambda x: (correlated_normal(x), x.sum())  # noqa: E731
    direction = jnp.array([[2.0, 0.0]] * 3)
    state, _ = slice_sample(
        jax.tree.map(jnp.array, draws), both, jnp.array(starts[0]), direction, 3
    )
    assert state[0] != starts[0, 0]
    assert state[1] == starts[0, 1]
