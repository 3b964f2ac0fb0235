"""Exact moments and entropies given a front, by the boxes its removed region is made of.

What a front removes is {feasible} x {a union of disjoint boxes of objective values}, so all that
is needed are products of normal probabilities of the boxes' sides. No loop over front points, no
order, and no Gaussian assumption.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from tradespace.conditioning.adf import Moments
from tradespace.conditioning.normal import LOG_SQRT_2PI, cdf, density, half_line, interval

# A region whose probability is above 1 minus this has, in double precision, no complement.
SMALLEST_REST = 1e-10


class Boxes(NamedTuple):
    """Boxes as indices into each objective's ascending edges; unused boxes are empty."""

    edges: Float[Array, "K E"]
    lower: Int[Array, "b K"]
    upper: Int[Array, "b K"]


class Conditioned(NamedTuple):
    """Moments given the front, and the entropy power exp(2H)/(2 pi e) of each black box."""

    moments: Moments
    entropy_power: Float[Array, "B n"]


def condition(
    mean: Float[Array, "B n"],
    variance: Float[Array, "B n"],
    boxes: Boxes,
    bounds: Float[Array, "C 2"],
    two_sided: bool,
) -> Conditioned:
    """Each black box at each candidate, given that no candidate value lies in the boxes."""
    objectives = boxes.edges.shape[0]
    sd = jnp.sqrt(variance)
    feasible = _feasible(mean[objectives:], sd[objectives:], bounds, two_sided)
    p_feasible = jnp.exp(feasible[0].sum(0))
    m, s = mean[:objectives], sd[:objectives]
    sides = [
        _sides((boxes.edges[k][:, None] - m[k]) / s[k], boxes.lower[:, k], boxes.upper[:, k])
        for k in range(objectives)
    ]
    others = [
        _product([sides[i][0] for i in range(objectives) if i != k]) for k in range(objectives)
    ]
    removed = (sides[0][0] * others[0]).sum(0)
    rest = jnp.maximum(1.0 - p_feasible * removed, SMALLEST_REST)
    first, second, log_density = [], [], []
    for k in range(objectives):
        _, m1, m2, gaps = sides[k]
        first.append(-p_feasible * (m1 * others[k]).sum(0) / rest)
        second.append((1.0 - p_feasible * (m2 * others[k]).sum(0)) / rest)
        covers = _covers(boxes.edges.shape[1] - 1, boxes.lower[:, k], boxes.upper[:, k])
        weight = 1.0 - p_feasible * (covers @ others[k])
        log_density.append((_entropy_term(weight) * gaps).sum(0) / rest)
    if len(bounds):
        log_p, z, z2 = feasible
        p = jnp.exp(log_p)
        # Given c_j feasible, what is removed has probability V times the other constraints'.
        without = removed * jnp.exp(log_p.sum(0) - log_p)
        first.extend(-without * p * z / rest)
        second.extend((1.0 - without * p * z2) / rest)
        log_density.extend(_entropy_term(1.0 - without) * p / rest)
    e1, e2 = jnp.stack(first), jnp.maximum(jnp.stack(second), 1e-12)
    spread = jnp.maximum(e2 - e1 * e1, 1e-12)
    # H = log Z - sum w log w DeltaPhi / Z + log(2 pi v)/2 + E[z^2]/2.
    entropy = jnp.log(rest) - jnp.stack(log_density) + LOG_SQRT_2PI + 0.5 * e2
    power = variance * jnp.exp(2.0 * entropy - 2.0 * LOG_SQRT_2PI - 1.0)
    return Conditioned(Moments(mean + sd * e1, variance * spread), power)


def _feasible(mean: Array, sd: Array, bounds: Array, two_sided: bool) -> tuple[Array, Array, Array]:
    # Per constraint: log P(feasible), E[z], E[z^2] there.
    if two_sided:
        return interval((bounds[:, :1] - mean) / sd, (bounds[:, 1:] - mean) / sd)
    mirrored = half_line((mean - bounds[:, :1]) / sd)
    return mirrored.log_probability, -mirrored.first, mirrored.second


def _sides(
    edges: Float[Array, "E n"], lower: Int[Array, " b"], upper: Int[Array, " b"]
) -> tuple[Array, Array, Array, Array]:
    """Per box: probability and partial moments of one side; and the gaps between edges."""
    at_edge = jnp.clip(edges, -40.0, 40.0)
    probability, height = cdf(at_edge), density(at_edge)
    slope = at_edge * height
    p = probability[upper] - probability[lower]
    m1 = height[lower] - height[upper]
    m2 = p + slope[lower] - slope[upper]
    return p, m1, m2, probability[1:] - probability[:-1]


def _covers(gaps: int, lower: Int[Array, " b"], upper: Int[Array, " b"]) -> Float[Array, "gaps b"]:
    gap = jnp.arange(gaps)[:, None]
    return ((gap >= lower) & (gap < upper)).astype(float)


def _product(factors: list[Array]) -> Array | float:
    product: Array | float = 1.0
    for factor in factors:
        product = product * factor
    return product


def _entropy_term(weight: Float[Array, "*n"]) -> Float[Array, "*n"]:
    # w log w, zero and flat enough at zero for its gradient to stay finite.
    safe = jnp.maximum(weight, 1e-300)
    return jnp.where(weight > 1e-12, weight * jnp.log(safe), 0.0)
