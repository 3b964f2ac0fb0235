"""Functions drawn from Gaussian processes given data, cheap to evaluate anywhere.

A path is a draw from the prior by random features (Rahimi and Recht, 2007) plus a correction that
takes it through the data (pathwise conditioning; Wilson et al., 2020), so that it stays exact near
the data however many there are. Two features of one frequency, a cosine and a sine with normal
weights, are one cosine with a Rayleigh weight and a uniform phase. Values are in float32.
"""

from functools import partial
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Float

from tradespace.arrays import Array
from tradespace.gp.kernel import MEAN_VARIANCE, Layout, matern52, stretch
from tradespace.gp.posterior import Hyper, Rows, cholesky, noise_variance

FEATURES = 256
# Added to the noise's share under a path, which misses the data by about this much of the
# corrections. With less, those of crowded rows grow so large that single precision misses more.
JITTER = 1e-7


class Features(NamedTuple):
    """All that is random in paths: frequencies in turns per lengthscale, phases in turns,
    weights, the constant, and the noise of each row."""

    frequencies: Float[Array, "*m width F"]
    phases: Float[Array, "*m F"]
    weights: Float[Array, "*m F"]
    constant: Float[Array, "*m"]
    noise: Float[Array, "*m N"]


class Path(NamedTuple):
    """One function, in standardised units."""

    frequencies: Float[Array, "*m width F"]
    phases: Float[Array, "*m F"]
    weights: Float[Array, "*m F"]
    constant: Float[Array, "*m"]
    log_lengthscale: Float[Array, "*m d"]
    stretched: Float[Array, "*m N width"]
    corrections: Float[Array, "*m N"]


def draw_features(
    rng: np.random.Generator, shape: tuple[int, ...], width: int, rows: int
) -> Features:
    """Features for `shape` paths; Matern-5/2's frequencies are multivariate t with 5 degrees."""
    normal = rng.standard_normal((*shape, width, FEATURES), dtype=np.float32)
    chi_square = 2.0 * rng.standard_gamma(2.5, (*shape, 1, FEATURES), dtype=np.float32)
    frequencies = normal * np.sqrt(5.0 / chi_square) / np.float32(2.0 * np.pi)
    rayleigh = np.sqrt(2.0 * rng.standard_exponential((*shape, FEATURES), dtype=np.float32))
    return Features(
        frequencies,
        rng.random((*shape, FEATURES), dtype=np.float32),
        rayleigh / np.float32(np.sqrt(FEATURES)),
        rng.standard_normal(shape, dtype=np.float32),
        rng.standard_normal((*shape, rows)),
    )


def cos_turns(turns: Float[Array, "*n"]) -> Float[Array, "*n"]:
    """cos(2 pi t) to 1e-6, a polynomial: the library's cosine costs thirty times as much."""
    # With y = |t| - 1/4 in [-1/4, 1/4], cos(2 pi |t|) = -sin(2 pi y).
    y = jnp.abs(turns - jnp.round(turns)) - 0.25
    z = y * y
    series = -6.28318516 + z * (41.3416550 + z * (-81.6010040 + z * (76.5497460 + z * -39.5367060)))
    return y * series


def draw_path(layout: Layout, features: Features, hyper: Hyper, rows: Rows) -> Path:
    """The path through the counted rows that these features give."""
    amplitude = jnp.exp(0.5 * hyper.log_amplitude)
    constant = jnp.sqrt(MEAN_VARIANCE) * amplitude * features.constant
    weights = (amplitude * features.weights).astype(jnp.float32)
    stretched, factor = cholesky(layout, hyper.log_lengthscale, hyper.log_noise, rows, JITTER)
    turns = stretched @ features.frequencies + features.phases
    prior = constant + cos_turns(turns) @ weights
    missing = jnp.where(rows.counted, rows.values - prior - noise(features, hyper), 0.0)
    solve = partial(lax.linalg.triangular_solve, factor, left_side=True, lower=True)
    corrections = solve(solve(missing[:, None]), transpose_a=True)[:, 0]
    # The kernel's constant part acts on the sum of the corrections alone.
    constant = constant + MEAN_VARIANCE * corrections.sum()
    return Path(
        features.frequencies,
        features.phases,
        weights,
        constant.astype(jnp.float32),
        hyper.log_lengthscale.astype(jnp.float32),
        stretched.astype(jnp.float32),
        corrections.astype(jnp.float32),
    )


def noise(features: Features, hyper: Hyper) -> Float[Array, " N"]:
    """The measurement noise of each row that goes with the path."""
    return jnp.sqrt(noise_variance(hyper, JITTER)) * features.noise


def evaluate(layout: Layout, path: Path, points: Float[Array, "n width"]) -> Float[Array, " n"]:
    """The path's values at points, in float32."""
    stretched = stretch(layout, points.astype(jnp.float32), path.log_lengthscale)
    features = cos_turns(stretched @ path.frequencies + path.phases) @ path.weights
    squared = (
        (stretched * stretched).sum(-1)[:, None]
        + (path.stretched * path.stretched).sum(-1)
        - 2.0 * stretched @ path.stretched.T
    )
    return path.constant + features + matern52(jnp.maximum(squared, 0.0)) @ path.corrections
