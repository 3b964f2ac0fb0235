"""PESMOC: predictive entropy search (Garrido-Merchan and Hernandez-Lobato, 2019).

    alpha(x) = H(y | D, x) - E_{X*} H(y | D, x, X*)

where X* is the Pareto SET of a joint path, not its front. Expectation propagation makes the black
boxes at X* and at the measured inputs Gaussian again (conditioning/propagation.py); what is left at
a candidate is predicted from that, and then one more pass of factors says that the candidate does
not dominate any x* either.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Bool, Float, Int

from tradespace.arguments import amount
from tradespace.arrays import Array
from tradespace.conditioning.normal import below, holding
from tradespace.conditioning.propagation import (
    Joint,
    Known,
    approximate,
    removed,
    site,
)
from tradespace.gp.kernel import Layout, correlation, stretch
from tradespace.gp.posterior import Posterior, moments
from tradespace.method import Acquisition, Beliefs, Sampled

# Damping of the candidate's factors, and the share of its covariance with X* that they see.
DAMPING, STABLE = 0.1, 0.95
# Inputs nearer than this in every unit column are the same.
SAME = 1e-6
# Added to the diagonal of posterior covariances, in shares of the amplitude.
JITTER = 1e-8
# Measured inputs that are compared with the Pareto set: of more, those most likely to dominate it.
RIVALS = 40
# Smallest variances, in standardised units.
SMALLEST = 1e-12


class Box(NamedTuple):
    """One black box at X* and the measured inputs (n in all), after expectation propagation.

    With the covariance L L^T there before it, `unfactor` is L^-1; `whitened` and `push` are those
    of propagation.Gaussian, `spread` is whitened L^T at X*; mean and covariance are those at X*.
    """

    stretched: Float[Array, "*b n width"]
    explained: Float[Array, "*b N n"]
    unfactor: Float[Array, "*b n n"]
    whitened: Float[Array, "*b n n"]
    push: Float[Array, "*b n"]
    spread: Float[Array, "*b n S"]
    mean: Float[Array, "*b S"]
    covariance: Float[Array, "*b S S"]


class Approximated(NamedTuple):
    """What each sample's Pareto set says of every black box, and how its propagation ended."""

    boxes: Box
    counted: Bool[Array, "*M n"]
    bounds: Float[Array, "*M C 2"]
    passes: Int[Array, "*M"]
    change: Float[Array, "*M"]


@dataclass(frozen=True)
class Pesmoc(Acquisition):
    """Predictive entropy search for several objectives under constraints.

    `floor`: the smallest variance that still matters, as a share of the standardised variance; it
    is added to the noise in both terms.
    """

    floor: float = 1e-2

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "floor", amount("Pesmoc: floor", self.floor))

    def prepare(self, rng: np.random.Generator, sampled: Sampled) -> Approximated:
        """Expectation propagation for each sample's Pareto set."""
        return jax.block_until_ready(_approximated(*self._arguments(sampled)))

    def blank(self, sampled: Sampled) -> Approximated:
        """Zeros of the same shapes."""
        shapes = jax.eval_shape(
            partial(_approximated, sampled.layout, sampled.two_sided),
            *self._arguments(sampled)[2:],
        )
        return jax.tree.map(lambda x: np.zeros(x.shape, x.dtype), shapes)

    def gains(self, beliefs: Beliefs, given: Approximated) -> Float[Array, "B n"]:
        """By how much the entropy of each black box falls."""

        def one(sample: tuple[Any, ...]) -> Float[Array, "B n"]:
            mean, variance, noise, posterior, approximated = sample
            left = conditional_variance(
                beliefs.layout, beliefs.points, mean, variance, posterior, approximated, two_sided
            )
            least = noise[:, None] + self.floor
            return jnp.maximum(0.5 * jnp.log((variance + least) / (left + least)), 0.0)

        two_sided = beliefs.two_sided
        posterior = jax.tree.map(lambda leaf: jnp.swapaxes(leaf, 0, 1), beliefs.posterior)
        samples = beliefs.mean, beliefs.variance, beliefs.noise, posterior, given
        return lax.map(one, samples).mean(0)

    def _arguments(self, sampled: Sampled) -> tuple[Any, ...]:
        stars = np.zeros((len(sampled.inputs), self.front_size, sampled.measured.shape[1]))
        counted = np.zeros(stars.shape[:2], bool)
        for m, inputs in enumerate(sampled.inputs):
            stars[m, : len(inputs)], counted[m, : len(inputs)] = inputs, True
        return (
            sampled.layout,
            sampled.two_sided,
            sampled.posterior,
            stars,
            counted,
            sampled.measured,
            sampled.is_measured,
            sampled.bounds,
        )


@partial(jax.jit, static_argnums=(0, 1))
def _approximated(
    layout: Layout,
    two_sided: bool,
    posterior: Posterior,
    stars: Float[Array, "M S width"],
    counted: Bool[Array, "M S"],
    measured: Float[Array, "N width"],
    is_measured: Bool[Array, " N"],
    bounds: Float[Array, "M C 2"],
) -> Approximated:
    size = stars.shape[1]
    eye = jnp.eye(size, dtype=bool)

    def one(sample: tuple[Any, ...]) -> Approximated:
        posterior, stars, counted, bounds = sample
        chosen = _rivals(
            layout, two_sided, posterior, stars, counted, measured, is_measured, bounds
        )
        rivals, is_rival = measured[chosen], is_measured[chosen]
        inputs = jnp.concatenate([stars, rivals])
        counts = jnp.concatenate([counted, is_rival])
        at = jax.vmap(partial(_at_inputs, layout, inputs, counts))(posterior)
        apart = (jnp.abs(stars[:, None] - rivals) > SAME).any(-1)
        seen = counted[:, None] & is_rival & apart
        known = Known(counted[:, None] & counted & ~eye, seen, counted, bounds)
        found = approximate(Joint(at.mean, at.factor), known, two_sided)
        gaussian = found.gaussian
        box = Box(
            at.stretched,
            at.explained,
            at.unfactor,
            gaussian.whitened,
            gaussian.push,
            gaussian.whitened @ jnp.swapaxes(at.factor[:, :size], 1, 2),
            gaussian.mean[:, :size],
            gaussian.covariance[:, :size, :size],
        )
        return Approximated(box, counts, bounds, found.passes, found.change)

    by_sample = jax.tree.map(lambda leaf: jnp.swapaxes(leaf, 0, 1), posterior)
    return lax.map(one, (by_sample, stars, counted, bounds))


def _rivals(
    layout: Layout,
    two_sided: bool,
    posterior: Posterior,
    stars: Array,
    counted: Array,
    measured: Array,
    is_measured: Array,
    bounds: Array,
) -> Int[Array, " R"]:
    """The measured inputs that are most likely to dominate one of the Pareto set's."""
    of_every_box = jax.vmap(partial(moments, layout), (0, None))
    star_mean, star_variance = of_every_box(posterior, stars)
    mean, variance = of_every_box(posterior, measured)
    objectives = len(mean) - len(bounds)
    sd = jnp.sqrt(star_variance[:objectives, :, None] + variance[:objectives, None])
    above = (star_mean[:objectives, :, None] - mean[:objectives, None]) / sd
    feasible = holding(mean[objectives:], jnp.sqrt(variance[objectives:]), bounds, two_sided)[
        0
    ].sum(0)
    likely = below(above)[0].sum(0) + feasible
    likely = jnp.where(counted[:, None] & is_measured, likely, -jnp.inf).max(0)
    return lax.top_k(likely, min(RIVALS, len(measured)))[1]


class _AtInputs(NamedTuple):
    """One black box at the Pareto set and the measured inputs, given its data."""

    stretched: Float[Array, "*b n width"]
    explained: Float[Array, "*b N n"]
    mean: Float[Array, "*b n"]
    factor: Float[Array, "*b n n"]
    unfactor: Float[Array, "*b n n"]


def _at_inputs(layout: Layout, inputs: Array, counts: Array, posterior: Posterior) -> _AtInputs:
    stretched = stretch(layout, inputs, posterior.hyper.log_lengthscale)
    cross = correlation(posterior.stretched, stretched)
    cross = jnp.where(posterior.counted[:, None] & counts, cross, 0.0)
    explained = posterior.whitening @ cross
    amplitude = jnp.exp(posterior.hyper.log_amplitude)
    share = correlation(stretched, stretched) - explained.T @ explained
    # What does not count is one by itself: it changes nothing.
    eye = jnp.eye(len(inputs))
    share = jnp.where(counts[:, None] & counts, share, eye) + JITTER * eye
    factor = lax.linalg.cholesky(amplitude * share)
    unfactor = lax.linalg.triangular_solve(factor, eye, left_side=True, lower=True)
    return _AtInputs(stretched, explained, posterior.weights @ cross, factor, unfactor)


def conditional_variance(
    layout: Layout,
    points: Float[Array, "n width"],
    mean: Float[Array, "B n"],
    variance: Float[Array, "B n"],
    posterior: Posterior,
    given: Approximated,
    two_sided: bool,
) -> Float[Array, "B n"]:
    """Variance of each black box at candidates given one sample's Pareto set."""
    elsewhere = partial(_elsewhere, layout, points, given.counted)
    mean, variance, shared = jax.vmap(elsewhere)(mean, variance, posterior, given.boxes)
    left = _not_dominating(mean, variance, shared, given, two_sided)
    return jnp.where(jnp.isfinite(left) & (left > 0.0), left, variance)


def _elsewhere(
    layout: Layout,
    points: Array,
    counted: Array,
    mean: Array,
    variance: Array,
    posterior: Posterior,
    box: Box,
) -> tuple[Float[Array, " n"], Float[Array, " n"], Float[Array, "S n"]]:
    """A black box at candidates after propagation: mean, variance, and covariance with X*."""
    stretched = stretch(layout, points, posterior.hyper.log_lengthscale)
    cross = correlation(posterior.stretched, stretched)
    explained = posterior.whitening @ jnp.where(posterior.counted[:, None], cross, 0.0)
    share = correlation(box.stretched, stretched) - box.explained.T @ explained
    covariance = jnp.exp(posterior.hyper.log_amplitude) * share
    before = box.unfactor @ jnp.where(counted[:, None], covariance, 0.0)
    after = box.whitened @ before
    left = variance - (before**2).sum(0) + (after**2).sum(0)
    return mean + box.push @ before, jnp.maximum(left, SMALLEST), box.spread.T @ after


def _not_dominating(
    mean: Float[Array, "B n"],
    variance: Float[Array, "B n"],
    shared: Float[Array, "B S n"],
    given: Approximated,
    two_sided: bool,
) -> Float[Array, "B n"]:
    """Variances after one pass of the factors that no candidate dominates a point of X*."""
    objectives = len(mean) - len(given.bounds)
    size = shared.shape[1]
    f, v = mean[:objectives, None], variance[:objectives, None]
    stars, covariance = given.boxes.mean[:objectives], given.boxes.covariance[:objectives]
    shared = STABLE * shared[:objectives]
    star_variance = jnp.diagonal(covariance, axis1=1, axis2=2)[:, :, None]
    spread = jnp.maximum(star_variance + v - 2.0 * shared, SMALLEST)
    apart = stars[:, :, None] - f
    c = jnp.repeat(mean[objectives:, None], size, 1)
    c_variance = jnp.repeat(variance[objectives:, None], size, 1)
    left = removed(apart, spread, holding(c, jnp.sqrt(c_variance), given.bounds, two_sided))
    counts = given.counted[:size, None]
    precision = DAMPING * jnp.where(counts, site(apart, spread, left[0], left[1]).precision, 0.0)
    toward = shared - v
    between = covariance[..., None] - shared[:, None] - shared[:, :, None] + v[:, None]
    objective = variance[:objectives] - _explained(precision, toward, between)
    held = DAMPING * jnp.where(counts, site(c, c_variance, left[2], left[3]).precision, 0.0)
    constraint = 1.0 / (1.0 / variance[objectives:] + held.sum(1))
    return jnp.concatenate([objective, constraint])


def _explained(
    precision: Float[Array, "K S n"],
    toward: Float[Array, "K S n"],
    between: Float[Array, "K S S n"],
) -> Float[Array, "K n"]:
    """Variance that noisy sights of S differences explain: q^T (T^-1 + C)^-1 q, with the
    differences' covariance C, their precisions T and their covariances q with what is explained."""
    t, q = (jnp.moveaxis(x, 1, 2) for x in (precision, toward))
    c = jnp.moveaxis(between, 3, 1)
    matrix = jnp.eye(q.shape[-1]) + t[..., None] * c
    solved = jnp.linalg.solve(matrix, (t * q)[..., None])[..., 0]
    return (q * solved).sum(-1)
