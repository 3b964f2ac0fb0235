"""Assumed density filtering: a front's factors, one point after the other, as Gaussians.

The paper's approximation (its supplementary material, with the slips of its listing corrected).
A black box is put so that what a front point removes is an interval: an objective at or below the
point's value, a constraint within its bounds. One formula then serves both.

The factor of a point says that the candidate does not feasibly dominate it. Known behaviour: the
variance may increase (two objectives, m = 0, v = 1, f* = (2, 1/2), feasible: 1.217); the result
depends a little on the points' order; and the variance is shrunk too far as the front grows.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import lax
from jaxtyping import Bool, Float

from tradespace.arrays import Array
from tradespace.conditioning.normal import half_line, holding, odds

# Past this log probability of feasibly dominating a point the factor leaves nothing to condition.
CERTAIN = -1e-9
SMALLEST_SHRINKAGE = 1e-6


class Moments(NamedTuple):
    """Mean and variance of each black box at each candidate."""

    mean: Float[Array, "B n"]
    variance: Float[Array, "B n"]


def condition(
    mean: Float[Array, "B n"],
    variance: Float[Array, "B n"],
    front: Float[Array, "S K"],
    counted: Bool[Array, " S"],
    bounds: Float[Array, "C 2"],
    two_sided: bool,
) -> Moments:
    """Moments after the factors of the front's counted points, in their given order."""
    objectives = front.shape[1]

    def factor(state: Moments, point: tuple[Array, Array]) -> tuple[Moments, None]:
        values, counts = point
        m, v = state
        sd = jnp.sqrt(v)
        log_p, first, second = _removed(m, sd, values, bounds, objectives, two_sided)
        total = log_p.sum(0)
        # Masked by candidate: one that surely dominates keeps its moments, the others do not.
        usable = counts & (total < CERTAIN)
        r = jnp.where(usable, odds(jnp.where(usable, total, -1.0)), 0.0)
        shrinkage = 1.0 + r * (1.0 - second) - (r * first) ** 2
        moved = m - sd * r * first
        return Moments(moved, v * jnp.maximum(shrinkage, SMALLEST_SHRINKAGE)), None

    state, _ = lax.scan(factor, Moments(mean, variance), (front, counted))
    return state


def _removed(
    mean: Array, sd: Array, values: Array, bounds: Array, objectives: int, two_sided: bool
) -> tuple[Array, Array, Array]:
    # Per black box: log P(in the removed interval), and E[z], E[z^2] there.
    dominating = half_line((values[:, None] - mean[:objectives]) / sd[:objectives])
    if mean.shape[0] == objectives:
        return dominating.log_probability, dominating.first, dominating.second
    feasible = holding(mean[objectives:], sd[objectives:], bounds, two_sided)
    log_p, first, second = (
        jnp.concatenate(pair) for pair in zip(dominating, feasible, strict=True)
    )
    return log_p, first, second
