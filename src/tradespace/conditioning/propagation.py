"""Expectation propagation: black boxes at the inputs of a sampled Pareto set, made Gaussian again.

What is known of a Pareto set X* beside the data: every constraint holds at every x*; no x*
dominates another; no measured input is feasible and dominates an x*. A factor that says that
something does not dominate, 1 - prod_k 1[f_k(x*) >= f_k(x)] prod_j 1[c_j(x) holds], is approximated
by a Gaussian in each difference f_k(x*) - f_k(x) and in each c_j(x), a factor that a constraint
holds by one in c_j(x*). All factors are refined at once, with damping (PESMOC's scheme;
Garrido-Merchan and Hernandez-Lobato, 2019).

Matching moments is the same for all of them. Of z = (u - m)/sqrt(v) in the cavity, the factor
leaves a mean a and a variance b; the site that does that has precision (1/b - 1)/v and shift
(m + sqrt(v) a)/(b v) - m/v.
"""

import math
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Bool, Float, Int

from tradespace.arrays import Array
from tradespace.conditioning.normal import Interval, below, holding, odds

# Share of the step that is taken at most; what it is multiplied by after a pass that changes less
# than the one before, after one that changes more, and after one that leaves no Gaussian; and the
# least it comes to then: with nothing at all it would look settled.
DAMPING, FASTER, SLOWER, BACK, LEAST = 0.5, 1.1, 0.6, 0.5, 1e-4
# Passes at most: with 30 points of X*, half of the hard cases take 60 and all of them fewer.
PASSES = 200
# A pass that would move no mean or deviation by more than this share of a prior deviation is the
# last one.
SETTLED = 1e-3
# Log of the largest probability that is believed of what a factor rules out. Its pull would grow
# without bounds, and passes that begin with many such factors would never settle; where they have
# settled, nothing is ruled out that is so probable.
BELIEVED = math.log(0.9)
# Smallest variance of a marginal, in standardised units, and smallest share a factor leaves of one.
SMALLEST, SHRUNK = 1e-9, 1e-3


class Joint(NamedTuple):
    """Every black box at the Pareto set's inputs (S) and then the measured ones (N), n in all."""

    mean: Float[Array, "B n"]
    factor: Float[Array, "B n n"]  # lower triangular, times its transpose the covariance


class Known(NamedTuple):
    """Which inputs count, which pairs of them are compared, and the constraints' bounds."""

    pairs: Bool[Array, "S S"]  # of x* (row: must not dominate; column: must not be dominated)
    seen: Bool[Array, "S N"]  # of an x* and a measured input that must not dominate it
    stars: Bool[Array, " S"]
    bounds: Float[Array, "C 2"]


class Site(NamedTuple):
    """Gaussian factors exp(-precision u^2 / 2 + shift u)."""

    precision: Float[Array, "..."]
    shift: Float[Array, "..."]


class Sites(NamedTuple):
    """One site for each factor and black box that it is about."""

    pairs: Site  # (K, S, S), in f(column) - f(row)
    seen: Site  # (K, S, N), in f(x*) - f(x)
    holds: Site  # (C, S), in c(x*)
    seen_holds: Site  # (C, S, N), in c(x)


class Gaussian(NamedTuple):
    """The approximation, and what predicts elsewhere from it (see `approximate`)."""

    mean: Float[Array, "B n"]
    covariance: Float[Array, "B n n"]
    whitened: Float[Array, "B n n"]
    push: Float[Array, "B n"]


class Approximation(NamedTuple):
    """The last Gaussian that was one, the number of passes, and what another would change."""

    gaussian: Gaussian
    passes: Int[Array, ""]
    change: Float[Array, ""]


class _State(NamedTuple):
    sites: Sites
    gaussian: Gaussian
    damping: Float[Array, ""]
    passes: Int[Array, ""]
    change: Float[Array, ""]


def approximate(joint: Joint, known: Known, two_sided: bool) -> Approximation:
    """The Gaussian that expectation propagation comes to, at most PASSES passes from the prior.

    With the prior covariance L L^T and the sites' precisions A, B = I + L^T A L: the covariance is
    L B^-1 L^T, `whitened` is chol(B)^-1, and the mean moves by L `push`.
    """
    sites = _no_sites(joint, known)
    start = _State(
        sites,
        _with_sites(joint, sites),
        jnp.asarray(DAMPING),
        jnp.array(0),
        jnp.asarray(jnp.inf),
    )
    prior_sd = jnp.sqrt(jnp.maximum((joint.factor**2).sum(-1), 1e-300))

    def unsettled(state: _State) -> Array:
        return (state.passes < PASSES) & (state.change > SETTLED)

    def one_pass(state: _State) -> _State:
        aim = _matched(state.sites, state.gaussian, known, two_sided)
        sites = jax.tree.map(lambda old, new: old + state.damping * (new - old), state.sites, aim)
        gaussian = _with_sites(joint, sites)
        sound = jnp.isfinite(gaussian.covariance).all() & jnp.isfinite(gaussian.mean).all()
        change = _apart(gaussian, state.gaussian, prior_sd) / state.damping
        settling = change <= state.change
        damping = state.damping * jnp.where(settling, FASTER, SLOWER)
        chosen = jax.tree.map(
            lambda new, old: jnp.where(sound, new, old),
            (sites, gaussian, jnp.clip(damping, LEAST, DAMPING), change),
            (
                _softened(state.sites),
                state.gaussian,
                jnp.maximum(BACK * state.damping, LEAST),
                state.change,
            ),
        )
        return _State(chosen[0], chosen[1], chosen[2], state.passes + 1, chosen[3])

    end = lax.while_loop(unsettled, one_pass, start)
    return Approximation(end.gaussian, end.passes, end.change)


def removed(
    means: Float[Array, "K *s"],
    variances: Float[Array, "K *s"],
    holds: Interval,
) -> tuple[Float[Array, "K *s"], Float[Array, "K *s"], Float[Array, "C *s"], Float[Array, "C *s"]]:
    """What is left when all differences above zero and all constraints holding is ruled out.

    `holds`: of each constraint, as it is where it holds. Returns mean and
    variance (of z, as in the module's docstring) of the differences, then of the constraints.
    """
    alpha = means / jnp.sqrt(variances)
    log_p, ratio = below(alpha)
    log_holding, first, second = holds
    r = odds(jnp.minimum(log_p.sum(0) + log_holding.sum(0), BELIEVED))
    shift = -r * ratio
    held = -r * first
    return (
        shift,
        jnp.maximum(1.0 - shift * (alpha + shift), SHRUNK),
        held,
        jnp.maximum(1.0 + r * (1.0 - second) - held**2, SHRUNK),
    )


def site(
    mean: Float[Array, "*s"],
    variance: Float[Array, "*s"],
    left_mean: Float[Array, "*s"],
    left_variance: Float[Array, "*s"],
) -> Site:
    """The site that turns a cavity into what its factor leaves."""
    precision = (1.0 / left_variance - 1.0) / variance
    moved = mean + jnp.sqrt(variance) * left_mean
    return Site(precision, moved / (left_variance * variance) - mean / variance)


def _no_sites(joint: Joint, known: Known) -> Sites:
    boxes, (s, n), constraints = len(joint.mean), known.seen.shape, len(known.bounds)
    objectives = boxes - constraints

    def nothing(*shape: int) -> Site:
        return Site(jnp.zeros(shape), jnp.zeros(shape))

    return Sites(
        nothing(objectives, s, s),
        nothing(objectives, s, n),
        nothing(constraints, s),
        nothing(constraints, s, n),
    )


def _with_sites(joint: Joint, sites: Sites) -> Gaussian:
    """The Gaussian that is the prior times all sites; NaN where there is none."""
    precision, shift = _natural(sites)

    def one(mean: Array, factor: Array, precision: Array, shift: Array) -> Gaussian:
        inner = jnp.eye(len(mean)) + factor.T @ precision @ factor
        lower = lax.linalg.cholesky(inner, symmetrize_input=False)
        whitened = lax.linalg.triangular_solve(
            lower, jnp.eye(len(mean)), left_side=True, lower=True
        )
        spread = whitened @ factor.T
        covariance = spread.T @ spread
        push = whitened.T @ (whitened @ (factor.T @ (shift - precision @ mean)))
        return Gaussian(mean + factor @ push, covariance, whitened, push)

    return jax.vmap(one)(joint.mean, joint.factor, precision, shift)


def _softened(sites: Sites) -> Sites:
    """Sites with half of every negative precision: those are what leaves no Gaussian."""
    return Sites(
        *(Site(jnp.where(p < 0.0, 0.5 * p, p), shift) for p, shift in sites),
    )


def _natural(sites: Sites) -> tuple[Float[Array, "B n n"], Float[Array, "B n"]]:
    """Precisions and shifts of all sites together, over all inputs."""
    pairs, seen = sites.pairs, sites.seen
    stars = jax.vmap(jnp.diag)(
        pairs.precision.sum(1) + pairs.precision.sum(2) + seen.precision.sum(2)
    )
    stars -= pairs.precision + jnp.swapaxes(pairs.precision, 1, 2)
    measured = jax.vmap(jnp.diag)(seen.precision.sum(1))
    above = jnp.concatenate([stars, -seen.precision], 2)
    beside = jnp.concatenate([-jnp.swapaxes(seen.precision, 1, 2), measured], 2)
    objectives = jnp.concatenate([above, beside], 1)
    shifts = [pairs.shift.sum(1) - pairs.shift.sum(2) + seen.shift.sum(2), -seen.shift.sum(1)]
    held = [sites.holds.precision, sites.seen_holds.precision.sum(1)]
    constraints = jax.vmap(jnp.diag)(jnp.concatenate(held, 1))
    held_shifts = [sites.holds.shift, sites.seen_holds.shift.sum(1)]
    return (
        jnp.concatenate([objectives, constraints]),
        jnp.concatenate([jnp.concatenate(shifts, 1), jnp.concatenate(held_shifts, 1)]),
    )


def _matched(sites: Sites, gaussian: Gaussian, known: Known, two_sided: bool) -> Sites:
    """Sites matched to their factors, each in the cavity that the others leave."""
    objectives, s = sites.pairs.shift.shape[:2]
    variance = jnp.diagonal(gaussian.covariance, axis1=1, axis2=2)
    f, c = gaussian.mean[:objectives], gaussian.mean[objectives:]
    f_var, c_var = variance[:objectives], variance[objectives:]
    shared = gaussian.covariance[:objectives, :s]

    apart = f[:, None, :s] - f[:, :s, None]
    spread = f_var[:, None, :s] + f_var[:, :s, None] - 2.0 * shared[:, :, :s]
    cavity = _cavity(apart, spread, sites.pairs)
    nothing = jnp.zeros((0, s, s))
    left = removed(cavity.mean, cavity.variance, Interval(nothing, nothing, nothing))
    pairs = _site(sites.pairs, cavity, left[0], left[1], known.pairs)

    above = f[:, :s, None] - f[:, None, s:]
    spread = f_var[:, :s, None] + f_var[:, None, s:] - 2.0 * shared[:, :, s:]
    cavity = _cavity(above, spread, sites.seen)
    ones = jnp.ones((1, s, 1))
    held = _cavity(c[:, None, s:] * ones, c_var[:, None, s:] * ones, sites.seen_holds)
    left = removed(
        cavity.mean,
        cavity.variance,
        holding(held.mean, jnp.sqrt(held.variance), known.bounds, two_sided),
    )
    seen = _site(sites.seen, cavity, left[0], left[1], known.seen)
    seen_holds = _site(sites.seen_holds, held, left[2], left[3], known.seen)

    cavity = _cavity(c[:, :s], c_var[:, :s], sites.holds)
    _, first, second = holding(cavity.mean, jnp.sqrt(cavity.variance), known.bounds, two_sided)
    inside = jnp.maximum(second - first**2, SHRUNK)
    holds = _site(sites.holds, cavity, first, inside, known.stars)
    return Sites(pairs, seen, holds, seen_holds)


class _Cavity(NamedTuple):
    mean: Float[Array, "..."]
    variance: Float[Array, "..."]
    sound: Bool[Array, "..."]


def _cavity(mean: Array, variance: Array, site: Site) -> _Cavity:
    """What is left of a marginal without a site; where that is no Gaussian, the marginal."""
    variance = jnp.maximum(variance, SMALLEST)
    rest = 1.0 / variance - site.precision
    sound = rest * variance > SHRUNK
    rest = jnp.where(sound, rest, 1.0 / variance)
    moved = jnp.where(sound, (mean / variance - site.shift) / rest, mean)
    return _Cavity(moved, 1.0 / rest, sound)


def _site(old: Site, cavity: _Cavity, mean: Array, variance: Array, counts: Array) -> Site:
    new = site(cavity.mean, cavity.variance, mean, variance)
    use = counts & cavity.sound
    return jax.tree.map(lambda fresh, kept: jnp.where(use, fresh, kept), new, old)


def _apart(new: Gaussian, old: Gaussian, prior_sd: Float[Array, "B n"]) -> Float[Array, ""]:
    """The largest move of a mean or a deviation, in prior deviations."""
    moved = jnp.abs(new.mean - old.mean)
    sd, before = (
        jnp.sqrt(jnp.maximum(jnp.diagonal(each.covariance, axis1=1, axis2=2), 0.0))
        for each in (new, old)
    )
    scale = jnp.maximum(prior_sd, jnp.sqrt(SMALLEST))
    return (jnp.maximum(moved, jnp.abs(sd - before)) / scale).max()
