"""The standard normal on an interval: probability and moments, safe in both tails.

The library's double-precision log_ndtr is slow on a CPU and loses digits in the tail, so all of it
is built on one polynomial for erfcx(x) = exp(x^2) erfc(x).
"""

import math
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Float

from tradespace.arrays import Array

LOG_SQRT_2PI = 0.5 * math.log(2.0 * math.pi)
# (1 + 2x) erfcx(x) as a polynomial in (x - 3.75)/(x + 3.75); relative error below 1e-14 for x >= 0.
_ERFCX = (
    +1.23751263083782637e00,
    -1.40240598585505749e-01,
    +3.58541548576278568e-03,
    +8.22767384870404517e-02,
    -1.08803930154330625e-01,
    +9.23043212277115527e-02,
    -5.86933983839754078e-02,
    +2.83622767478264801e-02,
    -9.74658126249445568e-03,
    +1.75562954876343127e-03,
    +2.93721834191926407e-04,
    -2.90166391361438929e-04,
    +5.16247920094277805e-05,
    +2.24101577597770104e-05,
    -1.13976252879216547e-05,
    -1.00847137255462328e-06,
    +1.69392544782761755e-06,
    -2.76856638497009445e-08,
    -2.13213604098646025e-07,
    +8.51255945176133144e-09,
    +1.73122090831189331e-08,
)


class Interval(NamedTuple):
    """Log probability of an interval, and E[z] and E[z^2] inside it."""

    log_probability: Float[Array, "*n"]
    first: Float[Array, "*n"]
    second: Float[Array, "*n"]


def half_erfcx(x: Float[Array, "*n"]) -> Float[Array, "*n"]:
    """exp(x^2/2) Phi(-x) for x >= 0."""
    x = x * math.sqrt(0.5)
    t = (x - 3.75) / (x + 3.75)
    series = jnp.full_like(t, _ERFCX[-1])
    for coefficient in _ERFCX[-2::-1]:
        series = series * t + coefficient
    return 0.5 * series / (1.0 + 2.0 * x)


def density(x: Float[Array, "*n"]) -> Float[Array, "*n"]:
    """phi(x)."""
    return jnp.exp(-0.5 * x * x - LOG_SQRT_2PI)


@jax.custom_jvp
def cdf(x: Float[Array, "*n"]) -> Float[Array, "*n"]:
    """Phi(x), with full relative accuracy below zero; infinities are allowed."""
    size = jnp.minimum(jnp.abs(x), 40.0)
    tail = half_erfcx(size) * jnp.exp(-0.5 * size * size)
    return jnp.where(x < 0.0, tail, 1.0 - tail)


@cdf.defjvp
def _cdf_jvp(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
    return cdf(primals[0]), density(primals[0]) * tangents[0]


@jax.custom_jvp
def below(x: Float[Array, "*n"]) -> tuple[Float[Array, "*n"], Float[Array, "*n"]]:
    """log Phi(x) and the ratio phi(x)/Phi(x)."""
    size = jnp.abs(x)
    scaled = half_erfcx(size)
    decay = jnp.exp(-0.5 * size * size)
    negative = x < 0.0
    upper = 1.0 - scaled * decay
    log_probability = jnp.log(jnp.where(negative, scaled, upper))
    log_probability -= jnp.where(negative, 0.5 * size * size, 0.0)
    ratio = jnp.where(negative, 1.0, decay) / jnp.where(negative, scaled, upper)
    return log_probability, ratio * math.exp(-LOG_SQRT_2PI)


@below.defjvp
def _below_jvp(
    primals: tuple[Array], tangents: tuple[Array]
) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    (x,), (change,) = primals, tangents
    log_probability, ratio = below(x)
    return (log_probability, ratio), (ratio * change, -ratio * (x + ratio) * change)


def half_line(upper: Float[Array, "*n"]) -> Interval:
    """The standard normal below `upper`."""
    log_probability, ratio = below(upper)
    return Interval(log_probability, -ratio, 1.0 - upper * ratio)


@jax.custom_jvp
def interval(lower: Float[Array, "*n"], upper: Float[Array, "*n"]) -> Interval:
    """The standard normal between `lower` and `upper`, either of which may be infinite."""
    # Mirrored so that the interval's middle is not above zero, where Phi is accurate.
    mirrored = lower + upper > 0.0
    low = jnp.where(mirrored, -upper, lower)
    high = jnp.where(mirrored, -lower, upper)
    size_low, size_high = jnp.minimum(jnp.abs(low), 1e8), jnp.minimum(jnp.abs(high), 1e8)
    scaled_low, scaled_high = half_erfcx(size_low), half_erfcx(size_high)
    straddles = high > 0.0
    # Both below zero: Phi(high) - Phi(low) = phi-scale exp(-high^2/2) [.. - .. exp(-(l^2-h^2)/2)].
    gap = jnp.where(straddles, 0.0, 0.5 * (size_low - size_high) * (size_low + size_high))
    one_side = scaled_high - scaled_low * jnp.exp(-gap)
    both_sides = 1.0 - scaled_high * jnp.exp(-0.5 * size_high**2)
    both_sides -= scaled_low * jnp.exp(-0.5 * size_low**2)
    inside = jnp.maximum(jnp.where(straddles, both_sides, one_side), 1e-300)
    log_probability = jnp.log(inside) - jnp.where(straddles, 0.0, 0.5 * size_high**2)
    at_low = _ratio(low, log_probability)
    at_high = _ratio(high, log_probability)
    first = at_low - at_high
    second = 1.0 + _finite(low) * at_low - _finite(high) * at_high
    first = jnp.clip(first, low, high)
    return Interval(log_probability, jnp.where(mirrored, -first, first), second)


@interval.defjvp
def _interval_jvp(
    primals: tuple[Array, Array], tangents: tuple[Array, Array]
) -> tuple[Interval, Interval]:
    lower, upper = primals
    value = interval(lower, upper)
    down = -_ratio(lower, value.log_probability) * tangents[0]
    up = _ratio(upper, value.log_probability) * tangents[1]
    low, high = _finite(lower), _finite(upper)
    return value, Interval(
        down + up,
        down * (low - value.first) + up * (high - value.first),
        down * (low**2 - value.second) + up * (high**2 - value.second),
    )


def _ratio(x: Float[Array, "*n"], log_probability: Float[Array, "*n"]) -> Float[Array, "*n"]:
    # phi(x)/P; zero at infinity.
    return jnp.exp(jnp.minimum(-0.5 * x * x - LOG_SQRT_2PI - log_probability, 600.0))


def _finite(x: Float[Array, "*n"]) -> Float[Array, "*n"]:
    # An infinite end has density zero; any finite stand-in leaves its terms zero.
    return jnp.where(jnp.isinf(x), 0.0, x)


def holding(
    mean: Float[Array, "C *n"],
    sd: Float[Array, "C *n"],
    bounds: Float[Array, "C 2"],
    two_sided: bool,
) -> Interval:
    """Of each constraint, the part of its distribution that lies within its bounds."""
    low, high = (jnp.expand_dims(end, tuple(range(1, mean.ndim))) for end in bounds.T)
    if two_sided:
        return interval((low - mean) / sd, (high - mean) / sd)
    mirrored = half_line((mean - low) / sd)
    return mirrored._replace(first=-mirrored.first)


@jax.custom_jvp
def odds(log_probability: Float[Array, "*n"]) -> Float[Array, "*n"]:
    """P/(1-P) = 1/expm1(-log P), finite for P < 1."""
    return 1.0 / jnp.expm1(-log_probability)


@odds.defjvp
def _odds_jvp(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
    r = odds(primals[0])
    return r, r * (1.0 + r) * tangents[0]
