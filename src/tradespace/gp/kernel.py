"""The Matern-5/2 kernel with one lengthscale per input, constant wherever the real input is.

Integers are rounded and categoricals made one-hot before the distance is taken
(Garrido-Merchan and Hernandez-Lobato, 2020), so that two points that stand for the same legal
value are the same point to the Gaussian process.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from tradespace.arrays import Array
from tradespace.inputs import Categorical, Integer
from tradespace.space import Space

# Variance of a function's unknown mean, as a share of its amplitude: a constant is part of every
# function drawn from the prior, so that data far from zero need no centring to be believed.
MEAN_VARIANCE = 1.0


class Segment(NamedTuple):
    """The columns [start, stop) of one input, and for an integer the ends of its scale."""

    kind: str
    start: int
    stop: int
    low: int = 0
    high: int = 0
    log: bool = False


Layout = tuple[Segment, ...]


def layout(space: Space) -> Layout:
    """Where each input's columns lie, as a hashable value a compiled program can be keyed by."""
    segments, start = [], 0
    for choice in space.inputs.values():
        stop = start + choice.width
        if isinstance(choice, Integer):
            segments.append(
                Segment("integer", start, stop, int(choice.low), int(choice.high), choice.log)
            )
        else:
            kind = "categorical" if isinstance(choice, Categorical) else "real"
            segments.append(Segment(kind, start, stop))
        start = stop
    return tuple(segments)


def snap(layout: Layout, points: Float[Array, "*n width"]) -> Float[Array, "*n width"]:
    """Points moved to the legal value whose cell they lie in; the same rule as `Space.snap`."""
    if all(segment.kind == "real" for segment in layout):
        return points
    return jnp.concatenate([_snap_segment(s, points[..., s.start : s.stop]) for s in layout], -1)


def _snap_segment(segment: Segment, columns: Float[Array, "*n c"]) -> Float[Array, "*n c"]:
    if segment.kind == "real":
        return columns
    if segment.kind == "categorical":
        largest = jnp.argmax(columns, axis=-1)
        return jax.nn.one_hot(largest, segment.stop - segment.start, dtype=columns.dtype)
    ends = np.array([segment.low - 0.5, segment.high + 0.5])
    # Python floats, which leave single precision single.
    low, high = (np.log(ends) if segment.log else ends).tolist()
    inner = low + columns * (high - low)
    value = jnp.round(jnp.exp(inner) if segment.log else inner)
    value = jnp.clip(value, segment.low, segment.high)
    return ((jnp.log(value) if segment.log else value) - low) / (high - low)


def stretch(
    layout: Layout, points: Float[Array, "n width"], log_lengthscale: Float[Array, " d"]
) -> Float[Array, "n width"]:
    """Legal points in units of the lengthscales; two choices of a categorical are 1 apart."""
    owner = np.concatenate([np.full(s.stop - s.start, i) for i, s in enumerate(layout)])
    one_hot = np.concatenate([np.full(s.stop - s.start, s.kind == "categorical") for s in layout])
    share = np.where(one_hot, np.sqrt(0.5), 1.0)
    return snap(layout, points) * (jnp.exp(-log_lengthscale)[owner] * share).astype(points.dtype)


@jax.custom_jvp
def matern52(squared: Float[Array, "*n"]) -> Float[Array, "*n"]:
    """(1 + t + t^2/3) exp(-t) with t = sqrt(5) r, of the squared distance r^2."""
    t = jnp.sqrt(5.0 * squared)
    return (1.0 + t + t * t / 3.0) * jnp.exp(-t)


@matern52.defjvp
def _matern52_jvp(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
    # d k / d r^2 = -5/6 (1 + t) exp(-t) is finite at zero, where d r / d r^2 is not.
    (squared,), (change,) = primals, tangents
    t = jnp.sqrt(5.0 * squared)
    decay = jnp.exp(-t)
    return (1.0 + t + t * t / 3.0) * decay, -5.0 / 6.0 * (1.0 + t) * decay * change


def correlation(a: Float[Array, "n width"], b: Float[Array, "m width"]) -> Float[Array, "n m"]:
    """Prior covariance of a function at stretched points, as a share of its amplitude."""
    squared = (a * a).sum(-1)[:, None] + (b * b).sum(-1)[None, :] - 2.0 * (a @ b.T)
    return MEAN_VARIANCE + matern52(jnp.maximum(squared, 0.0))


PRIOR_VARIANCE = MEAN_VARIANCE + 1.0
