"""MESMOC: max-value entropy search of each black box by itself (Belakaria et al., 2019).

An objective is conditioned on being no smaller than its smallest value on a sampled front, a
constraint on being no better than its best there. When half a line below g is ruled out, the
entropy of a standard normal falls by

    -log(1 - Phi(g)) - g phi(g)/(2 (1 - Phi(g)))

and when an interval of probability P is, by -log(1 - P) - 1/2 P/(1 - P) (1 - E[z^2 | in it]).
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from tradespace.arrays import Array
from tradespace.conditioning.normal import below, interval, odds
from tradespace.method import Acquisition, Beliefs, Sampled

# Past this log probability the interval is all there is.
CERTAIN = -1e-9
# Narrowest interval of a constraint with two bounds.
NARROW = 1e-9


class Best(NamedTuple):
    """Of each sampled front: the smallest objectives, and the interval of each constraint that is
    better than what is reached on it."""

    objectives: Float[Array, "M K"]
    constraints: Float[Array, "M C 2"]


@dataclass(frozen=True, kw_only=True)
class Mesmoc(Acquisition):
    """Max-value entropy search of each objective and constraint by itself.

    It measures only where the mean of every constraint holds, and at random where that is nowhere.
    """

    restriction: ClassVar[str] = "no input was found where the mean of every constraint holds"

    def prepare(self, rng: np.random.Generator, sampled: Sampled) -> Best:
        """The best values on each front."""
        low, high = np.moveaxis(sampled.bounds, -1, 0)
        slack = np.array([slacks.max(0) for slacks in sampled.slacks])
        ends = np.stack([low + slack, np.maximum(high - slack, low + slack + NARROW)], -1)
        return Best(np.array([front.min(0) for front in sampled.fronts]), ends)

    def gains(self, beliefs: Beliefs, given: Best) -> Float[Array, "B n"]:
        """By how much the entropy of each black box falls; -inf where a mean does not hold."""
        found = gains(beliefs.mean, beliefs.variance, given, beliefs.two_sided)
        mean = beliefs.mean.mean(0)[given.objectives.shape[1] :]
        low, high = beliefs.bounds[:, :1], beliefs.bounds[:, 1:]
        holds = ((mean > low) & (mean < high)).all(0)
        return jnp.where(holds, found, -jnp.inf)


def gains(
    mean: Float[Array, "M B n"], variance: Float[Array, "M B n"], best: Best, two_sided: bool
) -> Float[Array, "B n"]:
    """By how much the entropy of each black box falls, averaged over the fronts."""

    def given_front(mean: Array, sd: Array, best: Best) -> Float[Array, "B n"]:
        objectives = len(best.objectives)
        found = [_without_half((best.objectives[:, None] - mean[:objectives]) / sd[:objectives])]
        if len(best.constraints):
            m, s = mean[objectives:], sd[objectives:]
            low, high = ((end[:, None] - m) / s for end in best.constraints.T)
            found.append(_without_interval(low, high) if two_sided else _without_half(-low))
        return jnp.concatenate(found)

    return jax.vmap(given_front)(mean, jnp.sqrt(variance), best).mean(0)


def _without_half(g: Float[Array, "b n"]) -> Float[Array, "b n"]:
    log_rest, ratio = below(-g)
    return -log_rest - 0.5 * g * ratio


def _without_interval(low: Float[Array, "b n"], high: Float[Array, "b n"]) -> Float[Array, "b n"]:
    inside = interval(low, high)
    r = odds(jnp.minimum(inside.log_probability, CERTAIN))
    return jnp.log1p(r) - 0.5 * r * (1.0 - inside.second)
