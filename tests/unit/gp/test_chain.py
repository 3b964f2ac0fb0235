"""Chains of hyper-parameters on simulated data, whose true hyper-parameters are known.

Statistical tests with fixed keys: with right chains, each comparison would fail for fewer than
one key in ten thousand.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from tradespace.gp.chain import UPDATES, Moves, advance, advance_all, draw_moves, draw_starts, stack
from tradespace.gp.kernel import correlation, layout, stretch
from tradespace.gp.posterior import JITTER, NO_NOISE, Hyper, Rows
from tradespace.gp.priors import Default
from tradespace.space import Real, Space

SPACE = Space({"x": Real(0, 1), "y": Real(0, 1)})
LAYOUT = layout(SPACE)
PRIOR = Default()
ROWS, TABLES = 8, 400
RARE = 1e-4


def simulated(noiseless: bool) -> tuple[np.ndarray, np.ndarray, Rows]:
    """States (log lengthscales, log noise share) and log amplitudes drawn from the prior, and for
    each of them data drawn from its process."""
    rng = np.random.default_rng(int(noiseless))
    states = draw_starts(rng, PRIOR, TABLES, SPACE.size, noiseless)
    amplitude = PRIOR.amplitude_sd * rng.standard_normal(TABLES)
    if not noiseless:
        # The prior is one of the noise's variance, the state has its share of the amplitude.
        states[:, -1] -= amplitude
    points = rng.random((TABLES, ROWS, SPACE.width))

    @jax.jit
    @jax.vmap
    def factor(points: jax.Array, state: jax.Array, amplitude: jax.Array) -> jax.Array:
        stretched = stretch(LAYOUT, points, state[:-1])
        noise = (jnp.exp(state[-1]) + JITTER) * jnp.eye(ROWS)
        return jnp.exp(0.5 * amplitude) * jnp.linalg.cholesky(
            correlation(stretched, stretched) + noise
        )

    values = np.array(factor(points, states, amplitude)) @ rng.standard_normal((TABLES, ROWS, 1))
    return states, amplitude, Rows(points, values[..., 0], np.ones((TABLES, ROWS), bool))


@jax.jit
def _advance(moves: Moves, starts: jax.Array, rows: Rows) -> tuple[jax.Array, Hyper]:
    return jax.vmap(partial(advance, PRIOR, LAYOUT), (0, None, 0, 0))(moves, UPDATES, starts, rows)


def advanced(
    noiseless: bool, starts: np.ndarray, rows: Rows, times: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """States and log amplitudes of one chain for each table of data, after so many advances."""
    rng = np.random.default_rng([seed, times])
    states = starts
    for _ in range(times):
        # The other tables' chains are the others whose differences give directions.
        states, hyper = _advance(draw_moves(rng, np.array(states), noiseless), states, rows)
    return np.array(states), np.array(hyper.log_amplitude)


def coordinates(states: np.ndarray, amplitude: np.ndarray, noiseless: bool) -> np.ndarray:
    """What the prior says independent things of: lengthscales, noise variance, and amplitude."""
    noise = [] if noiseless else [states[:, -1] + amplitude]
    return np.column_stack([states[:, :-1], *noise, amplitude])


@pytest.mark.parametrize("noiseless", [False, True])
def test_chains_started_at_the_truth_stay_distributed_as_the_prior(noiseless: bool) -> None:
    """Data drawn from the truth make it a draw from the posterior: a right chain leaves it one, and
    posterior draws over all data are the prior's (Geweke, 2004)."""
    truth, _, rows = simulated(noiseless)
    states, amplitude = advanced(noiseless, truth, rows, 5, seed=1)
    assert (states[:, :2] != truth[:, :2]).mean() > 0.99
    found = coordinates(states, amplitude, noiseless)
    median = np.log(0.5 * np.sqrt(SPACE.size))
    laws = [stats.norm(median, PRIOR.lengthscale_sd)] * SPACE.size
    if not noiseless:
        laws.append(stats.norm(np.log(PRIOR.noise_median), PRIOR.noise_sd))
    laws.append(stats.norm(0.0, PRIOR.amplitude_sd))
    for column, law in zip(found.T, laws, strict=True):
        assert stats.kstest(column, law.cdf).pvalue > RARE
    # They are independent in the prior: correlations of 400 pairs have a deviation of 1/20.
    assert np.abs(np.corrcoef(found.T) - np.eye(len(laws))).max() < 4.5 / np.sqrt(TABLES)


@pytest.mark.parametrize("noiseless", [False, True])
def test_chains_started_from_the_prior_cover_the_truth(noiseless: bool) -> None:
    """The truth's rank among independent chains is uniform (Talts et al., 2018)."""
    truth, true_amplitude, rows = simulated(noiseless)
    chains, rng = 4, np.random.default_rng(3)
    ranks = 0
    for chain in range(chains):
        starts = draw_starts(rng, PRIOR, TABLES, SPACE.size, noiseless)
        states, amplitude = advanced(noiseless, starts, rows, 8, seed=10 + chain)
        found = coordinates(states, amplitude, noiseless)
        ranks = ranks + (found < coordinates(truth, true_amplitude, noiseless))
    for column in ranks.T:
        counts = np.bincount(column, minlength=chains + 1)
        assert stats.chisquare(counts).pvalue > RARE


def test_the_data_pull_chains_away_from_the_prior() -> None:
    # Without this the tests above could pass on chains that ignore the data.
    truth, _, rows = simulated(False)
    starts = draw_starts(np.random.default_rng(4), PRIOR, TABLES, SPACE.size, False)
    states, _ = advanced(False, starts, rows, 8, seed=5)
    for column in range(SPACE.size):
        related = stats.spearmanr(states[:, column], truth[:, column])
        assert related.statistic > 0.2


def test_noiseless_chains_keep_the_mark_of_no_noise() -> None:
    _, _, rows = simulated(True)
    starts = draw_starts(np.random.default_rng(6), PRIOR, TABLES, SPACE.size, True)
    assert (starts[:, -1] == NO_NOISE).all()
    states, _ = advanced(True, starts, rows, 8, seed=7)
    assert (states[:, -1] == NO_NOISE).all()


def test_no_updates_leave_the_states_and_give_their_hyperparameters() -> None:
    starts = draw_starts(np.random.default_rng(8), PRIOR, 3, SPACE.size, False)[None].repeat(2, 0)
    _, _, rows = simulated(False)
    rng = np.random.default_rng(9)
    moves = stack([draw_moves(rng, box, False) for box in starts])
    two = jax.tree.map(lambda leaf: leaf[:2], rows)
    states, hyper = jax.jit(partial(advance_all, PRIOR, LAYOUT))(moves, 0, starts, two)
    np.testing.assert_array_equal(states, starts)
    np.testing.assert_array_equal(hyper.log_lengthscale, starts[..., :-1])
    np.testing.assert_array_equal(hyper.log_noise, starts[..., -1])
    assert hyper.log_amplitude.shape == (2, 3)


def test_directions_do_not_depend_on_the_chain_they_move() -> None:
    # Or else the target would not stay invariant.
    starts = draw_starts(np.random.default_rng(10), PRIOR, 5, SPACE.size, False)
    other = starts.copy()
    other[2] += 1.0
    first, second = (draw_moves(np.random.default_rng(11), s, False) for s in (starts, other))
    np.testing.assert_array_equal(first.directions[2], second.directions[2])
    assert (first.directions != second.directions).any()
