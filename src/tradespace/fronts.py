"""The feasible Pareto front of a path, by descents and evolution in turns from a wide start.

In a descent every point goes down the gradients for itself, towards its own part of the front:
what has been found elsewhere does not keep it from a part that is hard to reach. Descents begin at
the best of many points all over the space, each by weights of its own, and again from what the
evolution in between has kept.

The same search finds the front of a path (one per hyper-parameter sample) and of the posterior
means (the recommendation). Its work is fixed: so many generations of so many points, whether or
not a feasible point is among them.
"""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Float, Int

from tradespace import pareto
from tradespace.arrays import Array
from tradespace.gp.kernel import Layout, snap

POPULATION = 128
# Share of children that go down the gradients, and the lengths of their steps and of the others'.
DESCENDING = 0.5
DESCENT = (3e-3, 0.3)
STEP = (1e-3, 0.2)
# Of PERIOD generations the first DESCENTS are descents. Lengths of their first steps, in the first
# period and in later ones, and by how much a step is longer after one that went down, or shorter.
PERIOD, DESCENTS = 16, 5
FIRST, AGAIN, LONGER, SHORTER = 0.1, 0.06, 1.5, 0.4
# The value, in standardised units, of what was not evaluated.
FAR = 1e9

# Values of all black boxes at points, objectives first, then slacks (feasible where >= 0), and
# their gradients.
Evaluate = Callable[
    [Float[Array, "m P width"]],
    tuple[Float[Array, "m P B"], Float[Array, "m P B width"]],
]


class Variation(NamedTuple):
    """All that is random in a search, for each child of each generation."""

    parents: Int[Array, "G m P 3"]
    stretch: Float[Array, "G m P"]  # of the difference of two parents
    steps: Float[Array, "G m P width"]
    weights: Float[Array, "G m P K"]  # of the objectives to go down
    descent: Float[Array, "G m P"]  # how far


class Searched(NamedTuple):
    """Every point a search has looked at; feasible where no slack is negative."""

    points: Float[Array, "m n width"]
    values: Float[Array, "m n B"]


class Front(NamedTuple):
    """Points of a front, their values (as in Searched), and by how much slacks fall short of 0."""

    points: Float[np.ndarray, "S width"]
    values: Float[np.ndarray, "S B"]
    relaxed: Float[np.ndarray, " C"]


class _State(NamedTuple):
    points: Float[Array, "m P width"]
    values: Float[Array, "m P B"]
    gradients: Float[Array, "m P B width"]


class _Descents(NamedTuple):
    at: _State
    weights: Float[Array, "m P K"]
    length: Float[Array, "m P"]


def draw_variation(
    rng: np.random.Generator, generations: int, searches: int, width: int, objectives: int
) -> Variation:
    """Random numbers for the children of `generations` generations."""
    shape = (generations, searches, POPULATION)
    descends = rng.random(shape) < DESCENDING
    stretch = np.where(descends, 0.0, rng.choice([0.0, 0.5, 1.0], shape))
    length = np.exp(rng.uniform(np.log(STEP[0]), np.log(STEP[1]), (*shape, 1)))
    moved = rng.random((*shape, width)) < max(0.4, 1.0 / width)
    steps = rng.standard_normal((*shape, width), dtype=np.float32) * length * moved
    weights = rng.standard_exponential((*shape, objectives), dtype=np.float32) ** 2
    descent = np.exp(rng.uniform(np.log(DESCENT[0]), np.log(DESCENT[1]), shape))
    return Variation(
        rng.integers(0, POPULATION, (*shape, 3), dtype=np.int32),
        stretch.astype(np.float32),
        np.where(descends[..., None], 0.0, steps).astype(np.float32),
        # Single precision draws a zero now and then, and with one objective nothing else.
        weights / np.maximum(weights.sum(-1, keepdims=True), np.float32(1e-30)),
        np.where(descends, descent, 0.0).astype(np.float32),
    )


def search(
    layout: Layout,
    objectives: int,
    evaluate: Evaluate,
    variation: Variation,
    start: Float[Array, "m n width"],
    rounds: Int[Array, ""] | int,
) -> Searched:
    """All points seen in so many rounds: first the start, a population at a time, then children.

    The start's size is a multiple of the population's. Points not reached have the value FAR.
    """
    # Traced once, however often it stands below: tracing takes as long as many searches.
    evaluate = jax.jit(evaluate)
    batches = start.shape[1] // POPULATION
    values, slopes = jax.eval_shape(evaluate, start[:, :POPULATION])

    def one_batch(i: Array, seen: Searched) -> Searched:
        points = lax.dynamic_slice_in_dim(start, i * POPULATION, POPULATION, 1)
        return _note(seen, i, points, evaluate(points)[0])

    def one_generation(
        i: Array, carry: tuple[_State, _Descents, Searched]
    ) -> tuple[_State, _Descents, Searched]:
        state, descents, seen = carry
        draw = jax.tree.map(lambda x: x[i - batches], variation)
        turn = (i - batches) % PERIOD
        again = _Descents(
            state, draw.weights.astype(values.dtype), jnp.full_like(descents.length, AGAIN)
        )
        begins = (turn == 0) & (i > batches)
        descents = jax.tree.map(lambda new, old: jnp.where(begins, new, old), again, descents)
        points = jnp.where(
            turn < DESCENTS,
            _further_down(layout, objectives, descents),
            _children(layout, objectives, state, draw),
        )
        children = _State(points, *evaluate(points))
        descents = _descended(objectives, descents, children)
        return _survivors(objectives, state, children), descents, _note(seen, i, *children[:2])

    seen = _unseen(batches + variation.parents.shape[0], start, values, objectives)
    seen = lax.fori_loop(0, jnp.minimum(rounds, batches), one_batch, seen)
    weights = variation.weights[0].astype(values.dtype)
    first = _best_of_parts(objectives, start, seen.values[:, : start.shape[1]], weights)
    flat = jnp.zeros(slopes.shape, slopes.dtype)
    at = lax.cond(rounds > batches, lambda x: evaluate(x)[1], lambda _: flat, first[0])
    state = _State(*first, at)
    descents = _Descents(state, weights, jnp.full(weights.shape[:2], FIRST, values.dtype))
    return lax.fori_loop(batches, rounds, one_generation, (state, descents, seen))[2]


def feasible_front(
    points: Float[np.ndarray, "n width"], values: Float[np.ndarray, "n B"], objectives: int
) -> Front:
    """The non-dominated feasible points seen.

    Where nothing seen is feasible, every constraint is relaxed by as much as the point with the
    smallest violation in all needs, so that the front is never empty.
    """
    # Column by column: a reduction over a short last axis is ten times slower.
    slacks = [values[:, j].astype(float) for j in range(objectives, values.shape[1])]
    violation = sum((np.maximum(-slack, 0.0) for slack in slacks), np.zeros(len(values)))
    nearest = int(np.argmin(violation))
    relaxed = np.array([max(-slack[nearest], 0.0) for slack in slacks])
    feasible = np.ones(len(values), bool)
    for slack, by in zip(slacks, relaxed, strict=True):
        feasible &= slack >= -by
    points, values = points[feasible], values[feasible].astype(float)
    kept = pareto.non_dominated(values[:, :objectives])
    return Front(points[kept], values[kept], relaxed)


def _unseen(batches: int, start: Array, values: jax.ShapeDtypeStruct, objectives: int) -> Searched:
    """Room for so many populations of points, none of which is feasible or any good."""
    m, size, number = values.shape
    worst = jnp.full((m, size, number), FAR, values.dtype).at[..., objectives:].set(-FAR)
    points = jnp.zeros((m, batches * size, start.shape[-1]), start.dtype)
    return Searched(points, jnp.tile(worst, (1, batches, 1)))


def _note(seen: Searched, i: Array, points: Array, values: Array) -> Searched:
    return Searched(
        lax.dynamic_update_slice_in_dim(seen.points, points, i * POPULATION, 1),
        lax.dynamic_update_slice_in_dim(seen.values, values, i * POPULATION, 1),
    )


def _best_of_parts(
    objectives: int,
    start: Float[Array, "m n width"],
    values: Float[Array, "m n B"],
    weights: Float[Array, "m P K"],
) -> tuple[Float[Array, "m P width"], Float[Array, "m P B"]]:
    """The first population: for each weighting the best of its own part of the start; where none
    of a part is feasible, the one that is nearest to it."""

    def parts(x: Float[Array, "m n c"]) -> Float[Array, "m parts P c"]:
        return x.reshape(len(x), -1, POPULATION, x.shape[-1])

    f = values[..., :objectives]
    scaled = parts((f - f.mean(1, keepdims=True)) / jnp.maximum(f.std(1, keepdims=True), 1e-12))
    violation = jnp.maximum(-parts(values)[..., objectives:], 0.0).sum(-1)
    height = (weights[:, None] * scaled).sum(-1)
    # Of a feasible point below zero, in the order of its height.
    rank = jnp.where(violation > 0.0, violation, height / (1.0 + jnp.abs(height)) - 1.0)
    chosen = jnp.argmin(rank, 1)[:, None, :, None]
    points, values = (jnp.take_along_axis(parts(x), chosen, 1)[:, 0] for x in (start, values))
    return points, values


def _further_down(layout: Layout, objectives: int, descents: _Descents) -> Array:
    at, weights, length = descents
    step = _descent(at.points, at.gradients, at.values[..., objectives:], weights, length)
    return snap(layout, jnp.clip(at.points + step, 0.0, 1.0))


def _descended(objectives: int, descents: _Descents, tried: _State) -> _Descents:
    """Each descent where it has got to: no constraint is broken more, or the weighted sum fell."""
    at, weights, length = descents
    before, after = (jnp.maximum(-s.values[..., objectives:], 0.0).sum(-1) for s in (at, tried))
    steepness = jnp.sqrt((at.gradients[..., :objectives, :] ** 2).sum(-1))
    fall = (at.values - tried.values)[..., :objectives] / jnp.maximum(steepness, 1e-12)
    down = (after < before) | ((after == before) & ((weights * fall).sum(-1) > 0.0))

    def either(new: Array, old: Array) -> Array:
        return jnp.where(down.reshape(down.shape + (1,) * (new.ndim - 2)), new, old)

    length = jnp.minimum(jnp.where(down, LONGER, SHORTER) * length, DESCENT[1])
    return _Descents(jax.tree.map(either, tried, at), weights, length)


def _children(
    layout: Layout, objectives: int, state: _State, draw: Variation
) -> Float[Array, "m P width"]:
    def parent(of: Array, which: int) -> Array:
        return jax.vmap(lambda row, index: row[index])(of, draw.parents[..., which])

    first, second, third = (parent(state.points, which) for which in range(3))
    slack = parent(state.values, 0)[..., objectives:]
    step = _descent(first, parent(state.gradients, 0), slack, draw.weights, draw.descent)
    # Differential evolution: the difference of two members follows the set's own shape.
    moved = first + draw.stretch[..., None] * (second - third) + draw.steps + step
    return snap(layout, jnp.clip(moved, 0.0, 1.0))


def _descent(
    points: Float[Array, "m P width"],
    gradients: Float[Array, "m P B width"],
    slack: Float[Array, "m P C"],
    weights: Float[Array, "m P K"],
    length: Float[Array, "m P"],
) -> Float[Array, "m P width"]:
    """A step down a weighted sum of objectives, bent so that no linearised slack is negative."""
    objectives = weights.shape[-1]
    down = -(weights[..., None] * _unit(gradients[..., :objectives, :])).sum(-2)
    outwards = ((points <= 0.0) & (down < 0.0)) | ((points >= 1.0) & (down > 0.0))
    step = length[..., None] * _unit(jnp.where(outwards, 0.0, down))
    # Projecting on one constraint may break another, hence twice around.
    for j in [*range(slack.shape[-1])] * 2:
        slope = gradients[..., objectives + j, :]
        missing = jnp.maximum(-(slack[..., j] + (slope * step).sum(-1)), 0.0)
        step += (missing / jnp.maximum((slope * slope).sum(-1), 1e-12))[..., None] * slope
    longest = DESCENT[1]
    return jnp.where(length[..., None] > 0.0, jnp.clip(step, -longest, longest), 0.0)


def _unit(vectors: Float[Array, "*n width"]) -> Float[Array, "*n width"]:
    length = jnp.sqrt((vectors * vectors).sum(-1, keepdims=True))
    return vectors / jnp.maximum(length, 1e-12)


def _survivors(objectives: int, state: _State, children: _State) -> _State:
    both = jax.tree.map(lambda p, q: jnp.concatenate([p, q], 1), state, children)
    violation = jnp.maximum(-both.values[..., objectives:], 0.0).sum(-1)
    kept = jax.vmap(_best)(both.values[..., :objectives], violation)
    return jax.tree.map(lambda x: jax.vmap(lambda row, index: row[index])(x, kept), both)


def _best(objectives: Float[Array, "n K"], violation: Float[Array, " n"]) -> Int[Array, " P"]:
    """Indices of the least beaten; of those unbeaten, the ones farthest from the others."""
    # Component by component: a reduction over a short last axis is ten times slower on a CPU.
    n = len(violation)
    below, better = jnp.ones((n, n), bool), jnp.zeros((n, n), bool)
    for f in objectives.T:
        below &= f[:, None] <= f[None]
        better |= f[:, None] < f[None]
    even = violation[:, None] == violation[None]
    beats = (violation[:, None] < violation[None]) | (even & below & better)
    beaten = beats.astype(jnp.float32).sum(0)
    front = beaten == 0.0
    apart, end = jnp.zeros((n, n), objectives.dtype), jnp.zeros(n, bool)
    for f in objectives.T:
        low = jnp.where(front, f, jnp.inf).min()
        high = jnp.where(front, f, -jnp.inf).max()
        apart += ((f[:, None] - f[None]) / jnp.maximum(high - low, 1e-12)) ** 2
        end |= front & (f == low)
    others = front[:, None] & ~jnp.eye(n, dtype=bool)
    distance = jnp.sqrt(jnp.where(others, apart, jnp.inf).min(0))
    crowding = jnp.where(end, 1.0, distance / (1.0 + distance))
    return lax.top_k(jnp.where(front, crowding, -beaten), POPULATION)[1]
