"""Slice sampling along given directions (Neal, 2003)."""

from collections.abc import Callable
from typing import NamedTuple

import jax.numpy as jnp
from jax import lax
from jaxtyping import Float, Int

from tradespace.arrays import Array

# Below this share of the first bracket the point no longer moves; the shrinking stops there.
SMALLEST_BRACKET = 1e-6


class Draws(NamedTuple):
    """Uniform numbers one chain uses up: a height, a bracket's place, and its shrinking."""

    height: Float[Array, " updates"]
    place: Float[Array, " updates"]
    shrink: Float[Array, "updates tries"]


def slice_sample(
    draws: Draws,
    log_density: Callable[[Float[Array, " p"]], tuple[Float[Array, ""], Float[Array, ""]]],
    start: Float[Array, " p"],
    directions: Float[Array, "updates p"],
    updates: Int[Array, ""] | int,
) -> tuple[Float[Array, " p"], Float[Array, ""]]:
    """The chain's state after so many updates, one a direction, and what came with its density.

    A bracket as long as the direction is laid at random over the state and shrunk towards it;
    the target stays invariant whatever the length, as long as it does not depend on the state.
    """
    tries = draws.shrink.shape[1]

    def update(i: Array, carry: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        state, density, extra = carry
        # The first and last rounds have no direction and no floor: they find what the density
        # and its companion are at the start and at the end. They are rounds like the others so
        # that the density is compiled once.
        still = (i == 0) | (i > updates)
        k = jnp.clip(i - 1, 0, len(directions) - 1)
        floor = jnp.where(still, -jnp.inf, density + jnp.log(draws.height[k]))
        direction = jnp.where(still, 0.0, directions[k])

        def unfinished(bracket: tuple[Array, ...]) -> Array:
            tried, left, right, accepted = bracket[:4]
            return ~accepted & (tried < tries) & (right - left > SMALLEST_BRACKET)

        def shrink(bracket: tuple[Array, ...]) -> tuple[Array, ...]:
            tried, left, right = bracket[:3]
            step = left + draws.shrink[k, tried] * (right - left)
            proposed, with_it = log_density(state + step * direction)
            accepted = (proposed > floor) | still
            left = jnp.where(~accepted & (step < 0.0), step, left)
            right = jnp.where(~accepted & (step >= 0.0), step, right)
            return tried + 1, left, right, accepted, step, proposed, with_it

        left = -draws.place[k]
        zero = jnp.zeros_like(left)
        first: tuple[Array, ...] = (
            jnp.array(0),
            left,
            1.0 + left,
            jnp.array(False),
            zero,
            zero,
            zero,
        )
        _, _, _, accepted, step, proposed, with_it = lax.while_loop(unfinished, shrink, first)
        moved = jnp.where(accepted, state + step * direction, state)
        return (
            moved,
            jnp.where(accepted, proposed, density),
            jnp.where(accepted, with_it, extra),
        )

    nothing = jnp.zeros_like(start[0])
    state, _, extra = lax.fori_loop(0, updates + 2, update, (start, nothing, nothing))
    return state, extra
