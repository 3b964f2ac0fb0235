"""How likely the measurements of a black box are, its amplitude integrated out.

Given lengthscales and the noise's share, the likelihood depends on the amplitude through one
number (the quadratic form), so the integral over it is a sum over a few dozen nodes, and the
amplitude itself can be drawn from them at no cost.
"""

from collections.abc import Callable
from typing import NamedTuple

import jax.numpy as jnp
from jax import lax
from jaxtyping import Float

from tradespace.arrays import Array
from tradespace.gp.kernel import Layout
from tradespace.gp.posterior import NO_NOISE, Rows, cholesky
from tradespace.gp.priors import Prior

# The logarithms of an amplitude that come into question, in standardised units.
LOWEST, HIGHEST = -16.0, 24.0
# Nodes of the sum, and of each round that narrows their range to where the weight is not
# negligible: exp(-18) of the largest, a normal's at six deviations.
NODES, COARSE, ROUNDS, NEGLIGIBLE = 41, 21, 3, 18.0


class Evidence(NamedTuple):
    """Log density of the values times the priors, and the amplitude's weighted nodes."""

    log_density: Float[Array, ""]
    nodes: Float[Array, " a"]
    log_weights: Float[Array, " a"]


def log_evidence(
    prior: Prior, layout: Layout, log_lengthscale: Array, log_noise: Array, rows: Rows
) -> Evidence:
    """The evidence for lengthscales and a noise share; -inf where the matrix has no factor."""
    _, factor = cholesky(layout, log_lengthscale, log_noise, rows)
    whitened = lax.linalg.triangular_solve(
        factor, rows.values[:, None], left_side=True, lower=True
    )[:, 0]
    square = whitened @ whitened
    count = rows.counted.sum().astype(square.dtype)

    def log_weight(nodes: Float[Array, " a"]) -> Float[Array, " a"]:
        likelihood = -0.5 * (square * jnp.exp(-nodes) + count * nodes)
        # Without noise its prior has nothing to say.
        noise = jnp.where(log_noise > NO_NOISE, prior.noise(nodes + log_noise), 0.0)
        return likelihood + prior.amplitude(nodes) + noise

    nodes = _nodes(log_weight)
    log_weights = log_weight(nodes)
    largest = log_weights.max()
    integral = largest + jnp.log(jnp.exp(log_weights - largest).sum() * (nodes[1] - nodes[0]))
    log_determinant = jnp.log(jnp.diagonal(factor)).sum()
    density = integral - log_determinant + prior.lengthscale(log_lengthscale)
    return Evidence(jnp.where(jnp.isnan(density), -jnp.inf, density), nodes, log_weights)


def draw_amplitude(uniform: Float[Array, ""], evidence: Evidence) -> Float[Array, ""]:
    """The logarithm of an amplitude drawn from the weighted nodes, uniform within a cell."""
    nodes, log_weights = evidence.nodes, evidence.log_weights
    weights = jnp.exp(log_weights - log_weights.max())
    upto = jnp.cumsum(weights) / weights.sum()
    cell = jnp.minimum((upto < uniform).sum(), NODES - 1)
    below = jnp.where(cell > 0, upto[cell - 1], 0.0)
    share = (uniform - below) / jnp.maximum(upto[cell] - below, 1e-300)
    return nodes[cell] + (share - 0.5) * (nodes[1] - nodes[0])


def _nodes(
    log_weight: Callable[[Float[Array, " a"]], Float[Array, " a"]],
) -> Float[Array, " a"]:
    """Evenly spaced nodes over the range in which the weight is not negligible."""

    def narrow(_: Array, ends: tuple[Array, Array]) -> tuple[Array, Array]:
        nodes = jnp.linspace(ends[0], ends[1], COARSE)
        heights = log_weight(nodes)
        kept = heights > heights.max() - NEGLIGIBLE
        step = nodes[1] - nodes[0]
        low = jnp.where(kept, nodes, jnp.inf).min() - step
        high = jnp.where(kept, nodes, -jnp.inf).max() + step
        return jnp.maximum(low, LOWEST), jnp.minimum(high, HIGHEST)

    low, high = lax.fori_loop(0, ROUNDS, narrow, (jnp.array(LOWEST), jnp.array(HIGHEST)))
    return jnp.linspace(low, high, NODES)
