"""Hyper-parameters drawn given data: one slice-sampling chain per kept sample and black box."""

from typing import NamedTuple

import jax
import numpy as np
from jax import lax
from jaxtyping import Float, Int

from tradespace.arrays import Array
from tradespace.gp.evidence import draw_amplitude, log_evidence
from tradespace.gp.kernel import Layout
from tradespace.gp.posterior import NO_NOISE, Hyper, Rows
from tradespace.gp.priors import Prior
from tradespace.gp.slice import Draws, slice_sample

# Updates a chain gets for each new set of data, and brackets shrunk at most in one update.
UPDATES = 10
TRIES = 24
# Lengths of the brackets: in differences of two chains, and in units of the logarithms.
DIFFERENCES, UNITS = 3.0, 2.0


class Moves(NamedTuple):
    """All that is random in chains: brackets' directions, and uniform numbers."""

    directions: Float[Array, "*m updates p"]
    draws: Draws
    amplitude: Float[Array, "*m"]


def draw_starts(
    rng: np.random.Generator, prior: Prior, chains: int, inputs: int, noiseless: bool
) -> Float[np.ndarray, "chains p"]:
    """One black box's chains before any data: the prior's own draws."""
    starts = prior.draw(rng, chains, inputs)
    return np.column_stack([starts[:, :-1], np.full(chains, NO_NOISE)]) if noiseless else starts


def draw_moves(
    rng: np.random.Generator, starts: Float[np.ndarray, "chains p"], noiseless: bool
) -> Moves:
    """One black box's moves: along differences of other chains, and along random subspaces."""
    chains, p = starts.shape
    directions = np.empty((chains, UPDATES, p))
    for update in range(UPDATES):
        if update % 2 == 0 and chains > 2:
            other = np.array(
                [rng.permutation(np.delete(np.arange(chains), c)) for c in range(chains)]
            )
            directions[:, update] = DIFFERENCES * (starts[other[:, 0]] - starts[other[:, 1]])
        else:
            kept = rng.random((chains, p)) < max(0.5, 1.0 / p)
            directions[:, update] = UNITS * rng.standard_normal((chains, p)) * kept
    if noiseless:
        directions[..., -1] = 0.0
    draws = Draws(
        rng.random((chains, UPDATES)),
        rng.random((chains, UPDATES)),
        rng.random((chains, UPDATES, TRIES)),
    )
    return Moves(directions, draws, np.asarray(rng.random(chains)))


def advance(
    prior: Prior,
    layout: Layout,
    moves: Moves,
    updates: Int[Array, ""] | int,
    start: Float[Array, " p"],
    rows: Rows,
) -> tuple[Float[Array, " p"], Hyper]:
    """A chain's next state (log lengthscales, log noise share), and the hyper-parameters there."""

    def log_density(state: Float[Array, " p"]) -> tuple[Float[Array, ""], Float[Array, ""]]:
        evidence = log_evidence(prior, layout, state[:-1], state[-1], rows)
        return evidence.log_density, draw_amplitude(moves.amplitude, evidence)

    state, log_amplitude = slice_sample(moves.draws, log_density, start, moves.directions, updates)
    return state, Hyper(state[:-1], state[-1], log_amplitude)


def advance_all(
    prior: Prior,
    layout: Layout,
    moves: Moves,
    updates: Int[Array, ""] | int,
    starts: Float[Array, "B m p"],
    rows: Rows,
) -> tuple[Float[Array, "B m p"], Hyper]:
    """Every chain of every black box, one after the other: a matrix at a time stays in cache."""

    def one_box(box: tuple[Moves, Array, Rows]) -> tuple[Array, Hyper]:
        moves, starts, rows = box
        return lax.map(lambda c: advance(prior, layout, c[0], updates, c[1], rows), (moves, starts))

    return lax.map(one_box, (moves, starts, rows))


def stack(moves: list[Moves]) -> Moves:
    """Moves of several black boxes as one."""
    return jax.tree.map(lambda *leaves: np.stack(leaves), *moves)
