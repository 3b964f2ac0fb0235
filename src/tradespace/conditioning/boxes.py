"""Exact moments and entropies given a front, by the boxes its removed region is made of.

What a front removes is {feasible} x {a union of disjoint boxes of objective values}, so all that
is needed are products of normal probabilities of the boxes' sides. No loop over front points, no
order, and no Gaussian assumption.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Float, Int

from tradespace.arrays import Array
from tradespace.conditioning.adf import Moments
from tradespace.conditioning.normal import LOG_SQRT_2PI, cdf, density, holding

# A region whose probability is above 1 minus this has, in double precision, no complement.
SMALLEST_REST = 1e-10


class Boxes(NamedTuple):
    """Boxes as indices into each objective's ascending edges; unused boxes are empty."""

    edges: Float[Array, "K E"]
    lower: Int[Array, "b K"]
    upper: Int[Array, "b K"]


class _Sides(NamedTuple):
    """Per objective and box: probability and partial moments of the side; and of each gap."""

    probability: Float[Array, "K b n"]
    first: Float[Array, "K b n"]
    second: Float[Array, "K b n"]
    gaps: Float[Array, "K gaps n"]


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
    feasible = holding(mean[objectives:], sd[objectives:], bounds, two_sided)
    p_feasible = jnp.exp(feasible[0].sum(0))
    sides = _sides(boxes, mean[:objectives], sd[:objectives])
    others = _products_of_others(sides.probability)
    removed = (sides.probability[0] * others[0]).sum(0)
    rest = jnp.maximum(1.0 - p_feasible * removed, SMALLEST_REST)
    covered = jnp.einsum("kgb,kbn->kgn", _covers(boxes), others)
    first = [-p_feasible * (sides.first * others).sum(1) / rest]
    second = [(1.0 - p_feasible * (sides.second * others).sum(1)) / rest]
    terms = _entropy_term(1.0 - p_feasible * covered)
    log_density = [(terms * sides.gaps).sum(1) / rest]
    if len(bounds):
        log_p, z, z2 = feasible
        p = jnp.exp(log_p)
        # Given c_j feasible, what is removed has probability V times the other constraints'.
        without = removed * jnp.exp(log_p.sum(0) - log_p)
        first.append(-without * p * z / rest)
        second.append((1.0 - without * p * z2) / rest)
        log_density.append(_entropy_term(1.0 - without) * p / rest)
    e1, e2 = jnp.concatenate(first), jnp.maximum(jnp.concatenate(second), 1e-12)
    spread = jnp.maximum(e2 - e1 * e1, 1e-12)
    # H = log Z - sum w log w DeltaPhi / Z + log(2 pi v)/2 + E[z^2]/2.
    entropy = jnp.log(rest) - jnp.concatenate(log_density) + LOG_SQRT_2PI + 0.5 * e2
    power = variance * jnp.exp(2.0 * entropy - 2.0 * LOG_SQRT_2PI - 1.0)
    return Conditioned(Moments(mean + sd * e1, variance * spread), power)


def _sides(boxes: Boxes, mean: Float[Array, "K n"], sd: Float[Array, "K n"]) -> _Sides:
    at_edge = (boxes.edges[:, :, None] - mean[:, None]) / sd[:, None]
    at_edge = jnp.clip(at_edge, -40.0, 40.0)
    below, height = cdf(at_edge), density(at_edge)
    ends = _ends(boxes)

    def across(of: Float[Array, "K E n"]) -> Float[Array, "K b n"]:
        # Products, which a compiler does not fuse: it would take the cdf anew for every box.
        return jnp.einsum("kbe,ken->kbn", ends, of)

    probability = across(below)
    first, second = -across(height), probability - across(at_edge * height)
    return _Sides(probability, first, second, below[:, 1:] - below[:, :-1])


def _ends(boxes: Boxes) -> Float[Array, "K b E"]:
    """+1 at a box's upper edge and -1 at its lower one: an empty box has both at once."""
    edge = jnp.arange(boxes.edges.shape[1])
    upper, lower = (side.T[:, :, None] == edge for side in (boxes.upper, boxes.lower))
    return upper.astype(float) - lower.astype(float)


def _covers(boxes: Boxes) -> Float[Array, "K gaps b"]:
    """1 where a box covers the gap between two edges of an objective, else 0."""
    gap = jnp.arange(boxes.edges.shape[1] - 1)[:, None]
    return ((gap >= boxes.lower.T[:, None]) & (gap < boxes.upper.T[:, None])).astype(float)


def _products_of_others(factors: Float[Array, "K b n"]) -> Float[Array, "K b n"]:
    """For each objective the product over all the other objectives."""
    k = len(factors)
    if k == 1:
        return jnp.ones_like(factors)
    if k == 2:
        return factors[::-1]
    before = jnp.cumprod(jnp.concatenate([jnp.ones_like(factors[:1]), factors[:-1]]), 0)
    after = jnp.cumprod(jnp.concatenate([jnp.ones_like(factors[:1]), factors[:0:-1]]), 0)[::-1]
    return before * after


def _entropy_term(weight: Float[Array, "*n"]) -> Float[Array, "*n"]:
    # w log w, zero and flat enough at zero for its gradient to stay finite.
    safe = jnp.maximum(weight, 1e-300)
    return jnp.where(weight > 1e-12, weight * jnp.log(safe), 0.0)
