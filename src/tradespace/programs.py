"""The two compiled programs everything numerical runs in.

`explore` goes from measurements to hyper-parameters, paths and their fronts; it runs on shares of
the hyper-parameter samples, one share a thread. `decide` goes from posteriors and fronts to the
best inputs of an acquisition, or to the front of the posterior means. There are only two because
every program is compiled once for each size of the data.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Bool, Float, Int

from tradespace import climb, fronts, paths
from tradespace.arrays import Array
from tradespace.climb import Climbed
from tradespace.conditioning.normal import cdf, interval
from tradespace.fronts import Searched, Variation
from tradespace.gp import chain
from tradespace.gp.chain import Moves
from tradespace.gp.kernel import Layout
from tradespace.gp.posterior import (
    Posterior,
    Rows,
    condition,
    mean,
    moments,
    noise_variance,
    with_values,
)
from tradespace.gp.priors import Prior
from tradespace.method import Acquisition, Beliefs, Method
from tradespace.paths import Features

# Rows are padded to the first of these that holds them; powers of two are slow to factorise.
ROWS = (24, 52, 104, 204, 304, 408, 604, 804, 1004, 1504, 2004, 3004, 4004)
# Ticks of a climb at most: the best of several has nearly always arrived after ten.
TICKS = 20
# Candidates that are looked at together: what they need stays in the cache.
CHUNK = 64


class Shape(NamedTuple):
    """What a program is compiled for, besides the sizes of its arrays."""

    layout: Layout
    objectives: int
    two_sided: bool


class Explored(NamedTuple):
    """Chains' states, posteriors given the data (and imagined values), the values they are given,
    and all path values seen."""

    states: Float[Array, "B m p"]
    posterior: Posterior
    values: Float[Array, "B m N"]
    searched: Searched


class Predicted(NamedTuple):
    """Of each black box at each point: mean and deviation over all samples, and of constraints
    the probability of holding."""

    mean: Float[Array, "B n"]
    sd: Float[Array, "B n"]
    holding: Float[Array, "C n"]


class Decided(NamedTuple):
    """Gains and predictions at the candidates, climbs from the best, and all mean values seen."""

    gains: Float[Array, "B n"]
    predicted: Predicted
    climbed: Climbed
    groups: Int[Array, " r"]
    searched: Searched


class Means(NamedTuple):
    """What a search of the posterior means needs: where to start, and the level asked for."""

    start: Float[Array, "1 n width"]
    variation: Variation
    level: Float[Array, ""]
    rounds: Int[Array, ""]


@partial(jax.jit, static_argnums=(0, 1))
def explore(
    shape: Shape,
    prior: Prior,
    moves: Moves,
    updates: Int[Array, ""],
    starts: Float[Array, "B m p"],
    rows: Rows,
    imagined: Bool[Array, "B N"],
    bounds: Float[Array, "C 2"],
    features: Features,
    variation: Variation,
    start: Float[Array, "m n width"],
    rounds: Int[Array, ""],
) -> Explored:
    """Chains advanced, a path drawn for each state, and each joint path's front searched."""
    layout = shape.layout
    states, hyper = chain.advance_all(prior, layout, moves, updates, starts, rows)

    def draw(box: tuple[Any, ...]) -> tuple[paths.Path, Posterior, Array]:
        hyper, features, rows, imagined = box

        def one(sample: tuple[Any, Features]) -> tuple[paths.Path, Posterior, Array]:
            hyper, features = sample
            known = rows._replace(counted=rows.counted | imagined)
            given = condition(layout, hyper, known)
            path = paths.draw_path(layout, features, hyper, rows)
            # A trial without values is taken to measure what this sample's own path says there.
            values = paths.evaluate(layout, path, rows.points) + paths.noise(features, hyper)
            values = jnp.where(imagined, values, rows.values)
            return path, with_values(given, values), values

        return lax.map(one, (hyper, features))

    drawn, posterior, values = lax.map(draw, (hyper, features, rows, imagined))
    evaluate = partial(_path_values, shape, drawn, bounds)
    return Explored(
        states,
        posterior,
        values,
        fronts.search(layout, shape.objectives, evaluate, variation, start, rounds),
    )


def _path_values(
    shape: Shape, drawn: paths.Path, bounds: Float[Array, "C 2"], points: Float[Array, "m P width"]
) -> tuple[Float[Array, "m P B"], Float[Array, "m P B width"]]:
    def one(sample: tuple[paths.Path, Array]) -> tuple[Array, Array]:
        path, points = sample
        values, pull = jax.vjp(lambda p: paths.evaluate(shape.layout, path, p), points)
        return values, pull(jnp.ones_like(values))[0]

    values, slopes = lax.map(lambda box: lax.map(one, (box, points)), drawn)
    values, slopes = jnp.moveaxis(values, 0, -1), jnp.moveaxis(slopes, 0, -2)
    inside = values[..., shape.objectives :]
    low, high = bounds.astype(values.dtype).T
    slack = inside - low
    if shape.two_sided:
        nearer_high = high - inside < slack
        slack = jnp.where(nearer_high, high - inside, slack)
        sign = jnp.where(nearer_high, -1.0, 1.0)[..., None].astype(values.dtype)
        slopes = slopes.at[..., shape.objectives :, :].multiply(sign)
    return values.at[..., shape.objectives :].set(slack), slopes


@partial(jax.jit, static_argnums=(0, 1, 2))
def decide(
    shape: Shape,
    method: Method,
    climbs: int,
    posteriors: Sequence[Posterior],
    bounds: Float[Array, "C 2"],
    given: Any,
    candidates: Float[Array, "n width"],
    count: Int[Array, ""],
    weights: Float[Array, "G B"],
    ticks: Int[Array, ""],
    means: Means,
) -> Decided:
    """The best of the first `count` candidates for every group, climbed from; and the search of
    the posterior means.

    Without ticks there are predictions only, with no rounds the means are not searched. The number
    of candidates there is room for is a multiple of CHUNK.
    """
    posterior = jax.tree.map(lambda *shares: jnp.concatenate(shares, 1), *posteriors)
    noise = noise_variance(posterior.hyper).T

    def moments_at(points: Float[Array, "n width"]) -> tuple[Array, Array]:
        one = lambda sample: moments(shape.layout, sample, points)  # noqa: E731
        mean, variance = lax.map(lambda box: lax.map(one, box), posterior)
        return jnp.swapaxes(mean, 0, 1), jnp.swapaxes(variance, 0, 1)

    def gains_of(points: Array, mean: Array, variance: Array) -> Float[Array, "B n"]:
        if not isinstance(method, Acquisition):
            return jnp.zeros(mean.shape[1:])
        believed = points, mean, variance, noise, bounds, posterior
        return method.gains(Beliefs(*believed, shape.layout, shape.two_sided), given)

    @jax.jit
    def look(points: Float[Array, "n width"]) -> tuple[Array, Predicted]:
        mean, variance = moments_at(points)
        predicted = _averaged(shape, bounds, mean, variance)
        none = jnp.zeros(mean.shape[1:])
        return lax.cond(ticks > 0, gains_of, lambda *_: none, points, mean, variance), predicted

    at_candidates, predicted = _in_chunks(look, candidates, count)
    by_group = _weighed(weights[:, :, None], at_candidates).sum(1)
    counted = jnp.arange(len(candidates)) < count
    ranked = jnp.where(counted & jnp.isfinite(by_group), by_group, -jnp.inf)
    best = lax.top_k(ranked, climbs)[1]
    groups = jnp.repeat(jnp.arange(len(weights)), climbs)
    climbed = climb.climb(
        lambda points: _weighed(weights[groups].T, gains_of(points, *moments_at(points))).sum(0),
        candidates[best.ravel()],
        ticks,
    )
    evaluate = partial(_mean_values, shape, posterior, bounds, means.level)
    searched = fronts.search(
        shape.layout, shape.objectives, evaluate, means.variation, means.start, means.rounds
    )
    return Decided(at_candidates, predicted, climbed, groups, searched)


def _weighed(weights: Array, gains: Array) -> Array:
    # What is not in a group does not count there, not even where it must not be measured (-inf).
    return jnp.where(weights > 0.0, weights * gains, 0.0)


def _in_chunks(
    look: Callable[[Float[Array, "n width"]], tuple[Array, Predicted]],
    points: Float[Array, "n width"],
    count: Int[Array, ""],
) -> tuple[Array, Predicted]:
    """What there is to see at the first `count` points, CHUNK of them at a time."""

    def look_at_chunk(i: Array, seen: tuple[Array, Predicted]) -> tuple[Array, Predicted]:
        part = look(lax.dynamic_slice_in_dim(points, i * CHUNK, CHUNK))
        put = lambda all, new: lax.dynamic_update_slice_in_dim(all, new, i * CHUNK, 1)  # noqa: E731
        return jax.tree.map(put, seen, part)

    unseen = jax.tree.map(
        lambda x: jnp.zeros((*x.shape[:-1], len(points)), x.dtype),
        jax.eval_shape(look, points[:CHUNK]),
    )
    return lax.fori_loop(0, (count + CHUNK - 1) // CHUNK, look_at_chunk, unseen)


def _averaged(shape: Shape, bounds: Float[Array, "C 2"], mean: Array, variance: Array) -> Predicted:
    overall = mean.mean(0)
    spread = variance.mean(0) + ((mean - overall) ** 2).mean(0)
    k = shape.objectives
    low, high = bounds[:, :1], bounds[:, 1:]
    holding = _holding(shape.two_sided, low, high, mean[:, k:], variance[:, k:]).mean(0)
    return Predicted(overall, jnp.sqrt(spread), holding)


def _mean_values(
    shape: Shape,
    posterior: Posterior,
    bounds: Float[Array, "C 2"],
    level: Float[Array, ""],
    points: Float[Array, "1 P width"],
) -> tuple[Float[Array, "1 P B"], Float[Array, "1 P B width"]]:
    """Hyper-averaged means of objectives, and by how much the log odds of each constraint's
    holding exceed the level's: near the level these are almost linear, as probabilities are not."""
    k = shape.objectives
    objectives = jax.tree.map(lambda leaf: leaf[:k], posterior)
    constraints = jax.tree.map(lambda leaf: leaf[k:], posterior)

    def average(
        one: Callable[[Posterior, Array], Array], samples: Posterior
    ) -> Callable[[Array], Array]:
        return lambda x: lax.map(lambda sample: one(sample, x), samples).mean(0)

    def with_slopes(of_points: Callable[[Array], Array]) -> tuple[Array, Array]:
        values, pull = jax.vjp(of_points, points[0])
        return values, pull(jnp.ones_like(values))[0]

    def objective(samples: Posterior) -> tuple[Array, Array]:
        return with_slopes(average(partial(mean, shape.layout), samples))

    def constraint(box: tuple[Posterior, Array]) -> tuple[Array, Array]:
        samples, (low, high) = box

        def holding(sample: Posterior, x: Array) -> Array:
            mean, variance = moments(shape.layout, sample, x)
            # The variance's own slope would double the work, and the search does without it.
            return _holding(shape.two_sided, low, high, mean, lax.stop_gradient(variance))

        probability = average(holding, samples)
        return with_slopes(lambda x: _log_odds(probability(x)) - _log_odds(level))

    # The objectives' variances, most of the work, are not asked for.
    parts = [lax.map(objective, objectives)]
    if len(bounds):
        parts.append(lax.map(constraint, (constraints, bounds)))
    values, slopes = (jnp.concatenate(pair) for pair in zip(*parts, strict=True))
    return values.T[None], jnp.swapaxes(slopes, 0, 1)[None]


def _log_odds(probability: Float[Array, "*n"]) -> Float[Array, "*n"]:
    # Finite at zero, the level of which everything has enough, and at one.
    return jnp.log(jnp.maximum(probability, 1e-300)) - jnp.log(
        jnp.maximum(1.0 - probability, 1e-15)
    )


def _holding(two_sided: bool, low: Array, high: Array, mean: Array, variance: Array) -> Array:
    sd = jnp.sqrt(variance)
    if two_sided:
        return jnp.exp(interval((low - mean) / sd, (high - mean) / sd).log_probability)
    return cdf((mean - low) / sd)


def padded_rows(count: int) -> int:
    """The number of rows that `count` rows are padded to."""
    fitting = [rows for rows in ROWS if rows >= count]
    return fitting[0] if fitting else -(-count // 1000) * 1000 + 4
