"""Gaussian processes given data: how likely the data are, and what they say elsewhere.

Every black box has its own rows. Rows are padded to a common number; a padded row has a unit on
the diagonal and zeros elsewhere, so that it changes nothing.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import lax
from jaxtyping import Bool, Float

from tradespace.arrays import Array
from tradespace.gp.kernel import PRIOR_VARIANCE, Layout, correlation, stretch

# Added to the diagonal of every correlation matrix, in shares of the amplitude.
JITTER = 1e-9
# The logarithm of the noise share that stands for a noiseless black box.
NO_NOISE = -40.0
SMALLEST_SHARE = 1e-10


class Rows(NamedTuple):
    """What is known of one black box: points, standardised values, and which rows count."""

    points: Float[Array, "*b N width"]
    values: Float[Array, "*b N"]
    counted: Bool[Array, "*b N"]


class Hyper(NamedTuple):
    """Hyper-parameters of one black box; the noise is a share of the amplitude."""

    log_lengthscale: Float[Array, "*b d"]
    log_noise: Float[Array, "*b"]
    log_amplitude: Float[Array, "*b"]


class Posterior(NamedTuple):
    """A black box's process given its rows, ready for prediction."""

    hyper: Hyper
    stretched: Float[Array, "*b N width"]
    counted: Bool[Array, "*b N"]
    whitening: Float[Array, "*b N N"]  # inverse of the Cholesky factor of the correlations
    weights: Float[Array, "*b N"]  # correlations^-1 values


def cholesky(
    layout: Layout, log_lengthscale: Array, log_noise: Array, rows: Rows, jitter: float = JITTER
) -> tuple[Float[Array, "N width"], Float[Array, "N N"]]:
    """Stretched points, and the Cholesky factor of the rows' correlations with noise."""
    stretched = stretch(layout, rows.points, log_lengthscale)
    both = rows.counted[:, None] & rows.counted[None, :]
    noise = jnp.where(rows.counted, jnp.exp(log_noise) + jitter, 1.0)
    matrix = jnp.where(both, correlation(stretched, stretched), 0.0)
    diagonal = jnp.where(rows.counted, PRIOR_VARIANCE, 0.0) + noise
    eye = jnp.eye(len(noise), dtype=bool)
    matrix = jnp.where(eye, diagonal[:, None], matrix)
    return stretched, lax.linalg.cholesky(matrix, symmetrize_input=False)


def condition(layout: Layout, hyper: Hyper, rows: Rows) -> Posterior:
    """The process given its rows."""
    stretched, factor = cholesky(layout, hyper.log_lengthscale, hyper.log_noise, rows)
    eye = jnp.eye(factor.shape[0])
    whitening = lax.linalg.triangular_solve(factor, eye, left_side=True, lower=True)
    posterior = Posterior(hyper, stretched, rows.counted, whitening, rows.values)
    return with_values(posterior, rows.values)


def with_values(posterior: Posterior, values: Float[Array, " N"]) -> Posterior:
    """The same process given other values at the same rows."""
    whitening = posterior.whitening
    return posterior._replace(weights=whitening.T @ (whitening @ values))


def mean(
    layout: Layout, posterior: Posterior, points: Float[Array, "n width"]
) -> Float[Array, " n"]:
    """Mean of the function at points."""
    return posterior.weights @ _cross(layout, posterior, points)


def moments(
    layout: Layout, posterior: Posterior, points: Float[Array, "n width"]
) -> tuple[Float[Array, " n"], Float[Array, " n"]]:
    """Mean and variance of the noiseless function at points."""
    cross = _cross(layout, posterior, points)
    explained = posterior.whitening @ cross
    share = PRIOR_VARIANCE - (explained * explained).sum(0)
    amplitude = jnp.exp(posterior.hyper.log_amplitude)
    return posterior.weights @ cross, amplitude * jnp.maximum(share, SMALLEST_SHARE)


def _cross(
    layout: Layout, posterior: Posterior, points: Float[Array, "n width"]
) -> Float[Array, "N n"]:
    stretched = stretch(layout, points, posterior.hyper.log_lengthscale)
    return jnp.where(posterior.counted[:, None], correlation(posterior.stretched, stretched), 0.0)


def noise_variance(hyper: Hyper, jitter: float = JITTER) -> Float[Array, "*b"]:
    """Variance of a measurement around the function."""
    return jnp.exp(hyper.log_amplitude) * (jnp.exp(hyper.log_noise) + jitter)
