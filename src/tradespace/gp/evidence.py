"""How likely the measurements of a black box are, its amplitude integrated out.

Given lengthscales and the noise's share, the likelihood depends on the amplitude through one
number (the quadratic form), so the integral over it is a sum over a few dozen nodes, and the
amplitude itself can be drawn from them at no cost.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import lax
from jaxtyping import Float

from tradespace.arrays import Array
from tradespace.gp.kernel import Layout
from tradespace.gp.posterior import NO_NOISE, Rows, cholesky
from tradespace.gp.priors import Prior

# Nodes for the logarithm of the amplitude, over this many of its deviations either side.
NODES, REACH = 41, 6.0
# Deviation of the logarithm that the nodes' place allows for; wider than both priors.
WIDEST = 1.5


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
    nodes = _nodes(square, count)
    log_weights = -0.5 * (square * jnp.exp(-nodes) + count * nodes) + prior.amplitude(nodes)
    # Without noise its prior has nothing to say.
    log_weights += jnp.where(log_noise > NO_NOISE, prior.noise(nodes + log_noise), 0.0)
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


def _nodes(square: Float[Array, ""], count: Float[Array, ""]) -> Float[Array, " a"]:
    # Newton towards the mode of -(q e^-t + n t)/2 - t^2/(2 s^2), from its value without a prior.
    precision = 1.0 / WIDEST**2
    start = jnp.clip(jnp.log((square + 1e-9) / jnp.maximum(count, 1.0)), -14.0, 14.0)

    def newton(_: Array, mode: Array) -> Array:
        pull = 0.5 * square * jnp.exp(-mode)
        slope = pull - 0.5 * count - precision * mode
        return mode + jnp.clip(slope / (pull + precision), -2.0, 2.0)

    mode = lax.fori_loop(0, 4, newton, jnp.where(count > 0, start, 0.0))
    deviation = 1.0 / jnp.sqrt(0.5 * count + precision)
    return mode + deviation * jnp.linspace(-REACH, REACH, NODES)
