"""The best inputs of an acquisition: many candidates, then climbs from the best of them."""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Bool, Float, Int

from tradespace.arrays import Array

Value = Callable[[Float[Array, "r width"]], Float[Array, " r"]]

# Longest first step of a climb, and the shortest that is still tried.
FIRST, SHORTEST = 0.1, 1e-7
ENOUGH_RISE = 1e-4
# A climb is over when its slope along the next step promises less than this share of its height.
WORTHWHILE = 1e-4


class Climbed(NamedTuple):
    """Where climbs ended, and how high."""

    points: Float[Array, "r width"]
    values: Float[Array, " r"]


class _Climb(NamedTuple):
    point: Float[Array, "r width"]
    value: Float[Array, " r"]
    slope: Float[Array, "r width"]
    inverse: Float[Array, "r width width"]
    direction: Float[Array, "r width"]
    step: Float[Array, " r"]
    ticks: Int[Array, ""]
    fresh: Bool[Array, " r"]


def climb(value: Value, starts: Float[Array, "r width"], ticks: Int[Array, ""] | int) -> Climbed:
    """Quasi-Newton (BFGS) climbs inside the unit cube, all at once, each at its own pace.

    Every tick evaluates one trial point of every climb: a rise is taken and the next direction
    found, otherwise the step is cut. A coordinate at a bound that pushes outwards is held there.
    There are at most `ticks`, and no more once no climb expects a rise worth having.
    """

    def unfinished(at: _Climb) -> Array:
        promise = at.step * (at.slope * at.direction).sum(-1)
        hopeful = promise > WORTHWHILE * jnp.abs(at.value)
        return (at.ticks < ticks) & ((at.ticks == 0) | hopeful.any())

    def tick(at: _Climb) -> _Climb:
        trial = jnp.clip(at.point + at.step[:, None] * at.direction, 0.0, 1.0)
        values, pull = jax.vjp(value, trial)
        return _ticked(at, trial, values, pull(jnp.ones_like(values))[0])

    end = lax.while_loop(unfinished, tick, _begin(starts))
    return Climbed(end.point, end.value)


def _begin(starts: Float[Array, "r width"]) -> _Climb:
    r, width = starts.shape
    return _Climb(
        point=starts,
        value=jnp.full(r, -jnp.inf, starts.dtype),
        slope=jnp.zeros_like(starts),
        inverse=jnp.broadcast_to(jnp.eye(width), (r, width, width)),
        direction=jnp.zeros_like(starts),
        step=jnp.zeros(r, starts.dtype),
        ticks=jnp.array(0),
        fresh=jnp.ones(r, bool),
    )


def _ticked(at: _Climb, trial: Array, values: Array, slopes: Array) -> _Climb:
    """Every climb after a look at its trial point."""
    identity, first_look = jnp.eye(trial.shape[-1]), at.ticks == 0
    moved, fall = trial - at.point, at.slope - slopes
    expected = (at.slope * moved).sum(-1)
    # The first tick looks at the starts themselves.
    rise = (values > at.value + ENOUGH_RISE * jnp.maximum(expected, 0.0)) | first_look
    rise &= jnp.isfinite(values) & jnp.isfinite(slopes).all(-1)
    # Before its first update an inverse has the curvature just seen (Nocedal and Wright, 6.20).
    seen = (moved * fall).sum(-1) / jnp.maximum((fall * fall).sum(-1), 1e-300)
    scaled = (at.fresh & (seen > 0.0))[:, None, None]
    inverse = _update(jnp.where(scaled, seen[:, None, None] * identity, at.inverse), moved, fall)
    inverse = jnp.where((rise & ~first_look)[:, None, None], inverse, at.inverse)
    stuck = ~rise & (at.step * jnp.abs(at.direction).max(-1) < SHORTEST)
    point = jnp.where(rise[:, None], trial, at.point)
    slope = jnp.where(rise[:, None], slopes, at.slope)
    # A first step is as long whatever the units of the values.
    unit = FIRST / jnp.maximum(jnp.abs(slope).max(-1), 1e-300)
    anew = first_look | stuck
    inverse = jnp.where(anew[:, None, None], unit[:, None, None] * identity, inverse)
    turns = rise | stuck
    direction = jnp.where(turns[:, None], _direction(inverse, point, slope), at.direction)
    first = jnp.minimum(1.0, FIRST / jnp.maximum(jnp.abs(direction).max(-1), 1e-12))
    longest = jnp.where(first_look, first, jnp.minimum(1.0, 3.0 * first))
    return _Climb(
        point=point,
        value=jnp.where(rise, values, at.value),
        slope=slope,
        inverse=inverse,
        direction=direction,
        step=jnp.where(turns, longest, 0.3 * at.step),
        ticks=at.ticks + 1,
        fresh=anew | (at.fresh & ~rise),
    )


def _direction(inverse: Array, point: Array, slope: Array) -> Float[Array, "r width"]:
    free = ~(((point <= 0.0) & (slope < 0.0)) | ((point >= 1.0) & (slope > 0.0)))
    held = free[:, :, None] & free[:, None, :]
    ascent = (jnp.where(held, inverse, 0.0) * slope[:, None, :]).sum(-1)
    uphill = (ascent * slope).sum(-1, keepdims=True) > 0.0
    return jnp.where(uphill, ascent, jnp.where(free, slope, 0.0))


def _update(inverse: Array, moved: Array, fall: Array) -> Float[Array, "r width width"]:
    """BFGS for maximisation: `fall` is the slope before less the slope after."""
    curvature = (moved * fall).sum(-1)
    positive = curvature > 1e-12 * jnp.sqrt((moved * moved).sum(-1) * (fall * fall).sum(-1))
    rho = jnp.where(positive, 1.0 / jnp.where(positive, curvature, 1.0), 0.0)[:, None, None]
    outer = moved[:, :, None] * moved[:, None, :]
    push = (inverse * fall[:, None, :]).sum(-1)
    quadratic = (push * fall).sum(-1)[:, None, None]
    cross = moved[:, :, None] * push[:, None, :]
    updated = inverse - rho * (cross + jnp.swapaxes(cross, 1, 2))
    return updated + rho * (rho * quadratic + 1.0) * outer
