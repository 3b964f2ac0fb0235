"""BMOO: expected improvement of the extended hypervolume (Feliot, Bect and Vazquez, 2017).

An observation y counts as

    Psi(y) = (objectives, 0) where every constraint holds, else (+inf, violations),

a violation being how far outside its bounds a constraint is. Of two observations that one
dominates whose Psi does, so anything feasible dominates all that is not. The improvement expected
of a candidate is the volume of what nothing measured dominates and the candidate would,

    integral over y in G of P(Psi(candidate) <= Psi(y)),

G being the part of a box that no Psi of a measurement dominates. For a feasible y the probability
is prod_k Phi((y_k - m_k)/s_k) prod_j P(c_j holds), for an infeasible one
prod_j P(violation_j <= that of y), by the noiseless functions' posteriors. Once something feasible
has been measured there is nothing infeasible in G.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Bool, Float

from tradespace import pareto
from tradespace.arguments import check_count
from tradespace.arrays import Array
from tradespace.conditioning.normal import below, interval
from tradespace.method import Acquisition, Beliefs, Sampled

# By how much of its width the box of objectives is wider than the fronts, on either side, and
# the smallest width, in standardised units.
MARGIN, NARROW = 0.1, 1e-6
# A bound as far away as this is none.
FAR = 1e6
# Log volume of a target that does not count: a log of zero has no derivatives.
NOTHING = -1e3


class Targets(NamedTuple):
    """Points of G, and the log of the volume each stands for, by hyper-parameter sample."""

    feasible: Float[Array, "Y K"]  # objectives
    feasible_volume: Float[Array, "M Y"]
    violations: Float[Array, "Y C"]  # of the infeasible
    infeasible_volume: Float[Array, "M Y"]


class Extended(NamedTuple):
    """Psi of observations, the objectives as they are."""

    objectives: Float[np.ndarray, "n K"]
    violations: Float[np.ndarray, "n C"]

    @property
    def feasible(self) -> Bool[np.ndarray, " n"]:
        """Where every constraint holds."""
        return np.asarray((self.violations == 0.0).all(1))


class Extent(NamedTuple):
    """The box along each constraint: the length of where it holds, the largest violation, and the
    number of sides on which it can be violated."""

    holds: Float[np.ndarray, " C"]
    worst: Float[np.ndarray, " C"]
    sides: Float[np.ndarray, " C"]


@dataclass(frozen=True, kw_only=True)
class Bmoo(Acquisition):
    """Bayesian multi-objective optimization by the expected improvement of the hypervolume, with
    constraints; everything must be measured at once.

    `targets`: points not yet dominated at which the improvement is integrated. The gain is the
    logarithm of the volume expected, in standardised units, of which each black box is given an
    equal share: it may be negative. The box reaches a tenth beyond the measured front and the
    sampled ones; a constraint may be violated as much as in any measurement, and hold with as much
    slack as the largest distance of a measurement from its bound, or up to its second bound.
    """

    targets: int = 1000

    is_coupled_only: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("Bmoo: targets", self.targets, 1)

    def prepare(self, rng: np.random.Generator, sampled: Sampled) -> Targets:
        """Points that nothing measured dominates."""
        return draw_targets(rng, sampled, self.targets)

    def gains(self, beliefs: Beliefs, given: Targets) -> Float[Array, "B n"]:
        """Each black box's equal share of the log of the expected improvement.

        Climbs on the logarithm come higher where the improvement is tiny, as late in a study.
        """
        found = log_improvement(
            beliefs.mean, beliefs.variance, beliefs.bounds, given, beliefs.two_sided
        )
        boxes = beliefs.mean.shape[1]
        return jnp.broadcast_to(found / boxes, (boxes, len(found)))


def log_improvement(
    mean: Float[Array, "M B n"],
    variance: Float[Array, "M B n"],
    bounds: Float[Array, "C 2"],
    targets: Targets,
    two_sided: bool,
) -> Float[Array, " n"]:
    """Log of the volume a candidate is expected to add, averaged over hyper-parameter samples."""
    objectives = targets.feasible.shape[1]
    violable = (targets.infeasible_volume > NOTHING).any()

    def one(sample: tuple[Array, ...]) -> Float[Array, " n"]:
        mean, variance, feasible_volume, infeasible_volume = sample
        m, s = (x[:, :, None] for x in (mean, jnp.sqrt(variance)))
        constraints = m[objectives:], s[objectives:]
        better = below((targets.feasible.T[:, None] - m[:objectives]) / s[:objectives])[0].sum(0)
        holding = _log_within(bounds, constraints, jnp.zeros((len(bounds), 1)), two_sided)
        feasible = jax.nn.logsumexp(better + feasible_volume, -1) + holding[:, 0]

        def with_infeasible() -> Float[Array, " n"]:
            less = _log_within(bounds, constraints, targets.violations.T, two_sided)
            return jnp.logaddexp(feasible, jax.nn.logsumexp(less + infeasible_volume, -1))

        return lax.cond(violable, with_infeasible, lambda: feasible)

    volumes = targets.feasible_volume, targets.infeasible_volume
    each = lax.map(one, (mean, variance, *volumes))
    return jax.nn.logsumexp(each, 0) - jnp.log(len(each))


def _log_within(
    bounds: Float[Array, "C 2"],
    constraints: tuple[Float[Array, "C n 1"], Float[Array, "C n 1"]],
    violations: Float[Array, "C Y"],
    two_sided: bool,
) -> Float[Array, "n Y"]:
    """Log probability that no constraint is violated by more."""
    (m, s), (low, high) = constraints, bounds.T[:, :, None, None]
    least = (low - violations[:, None] - m) / s
    if two_sided:
        most = (high + violations[:, None] - m) / s
        return interval(least, most).log_probability.sum(0)
    return below(-least)[0].sum(0)


def draw_targets(rng: np.random.Generator, sampled: Sampled, count: int) -> Targets:
    """So many points of either kind, all over G."""
    objectives, bounds = sampled.fronts[0].shape[1], sampled.together.bounds
    measured = extend(sampled.together.measured, objectives, bounds)
    front = measured.objectives[measured.feasible]
    low, high = objective_box(sampled.fronts, front)
    extent = constraint_extent(sampled.together.measured[:, objectives:], bounds)
    log_box = np.log(high - low).sum()
    if len(front):
        unit, share = pareto.draw_undominated(rng, (front - low) / (high - low), count)
        violations, infeasible_volume = np.zeros((count, len(bounds))), np.full(count, NOTHING)
    else:
        unit, share = rng.random((count, objectives)), 1.0
        violations, log_volume = _draw_violations(rng, measured.violations, extent, count)
        infeasible_volume = np.where((violations > 0.0).any(1), log_box + log_volume, NOTHING)
    feasible = low + unit * (high - low)
    log_volume = log_box + np.log(extent.holds).sum() + np.log(share / count)
    feasible_volume = np.full(count, log_volume)
    left = [
        _left(extend(imagined, objectives, bounds), feasible, violations)
        for imagined in sampled.together.imagined
    ]
    return Targets(
        feasible,
        np.stack([np.where(mine, feasible_volume, NOTHING) for mine, _ in left]),
        violations,
        np.stack([np.where(mine, infeasible_volume, NOTHING) for _, mine in left]),
    )


def _draw_violations(
    rng: np.random.Generator, measured: Float[np.ndarray, "n C"], extent: Extent, count: int
) -> tuple[Float[np.ndarray, "Y C"], float]:
    """Violations that none measured dominates, and the log of the volume each stands for.

    Along a unit axis per constraint the first `share` is where it holds, the rest where it is
    violated more and more. Points at which all hold are among those drawn.
    """
    total = extent.holds + extent.sides * extent.worst
    share = extent.holds / total
    rest, worst = (np.where(extent.worst > 0.0, x, 1.0) for x in (1.0 - share, extent.worst))
    along = np.where(measured > 0.0, share + rest * measured / worst, 0.0)
    unit, volume = pareto.draw_undominated(rng, along, count)
    violations = extent.worst * np.maximum(unit - share, 0.0) / rest
    return violations, float(np.log(total).sum() + np.log(volume / count))


def _left(
    imagined: Extended, feasible: Float[np.ndarray, "Y K"], violations: Float[np.ndarray, "Y C"]
) -> tuple[Bool[np.ndarray, " Y"], Bool[np.ndarray, " Y"]]:
    """Which targets no pending trial dominates, if it measures what is imagined."""
    front = imagined.objectives[imagined.feasible]
    better = (front[:, None] <= feasible).all(-1)
    nearer = (imagined.violations[:, None] <= violations).all(-1)
    return np.logical_not(better.any(0)), np.logical_not(nearer.any(0))


def extend(
    values: Float[np.ndarray, "n B"], objectives: int, bounds: Float[np.ndarray, "C 2"]
) -> Extended:
    """Psi of values of all black boxes."""
    constraints, (low, high) = values[:, objectives:], bounds.T
    outside = np.maximum(low - constraints, constraints - high)
    return Extended(values[:, :objectives], np.maximum(outside, 0.0))


def objective_box(
    fronts: list[Float[np.ndarray, "_ K"]], measured: Float[np.ndarray, "n K"]
) -> tuple[Float[np.ndarray, " K"], Float[np.ndarray, " K"]]:
    """Lower and upper corner of the box of objectives."""
    points = np.concatenate([*fronts, measured[pareto.non_dominated(measured)]])
    low, high = points.min(0), points.max(0)
    margin = MARGIN * np.maximum(high - low, NARROW)
    return low - margin, high + margin


def constraint_extent(
    constraints: Float[np.ndarray, "n C"], bounds: Float[np.ndarray, "C 2"]
) -> Extent:
    """The box of constraints, from what was measured."""
    low, high = bounds.T
    bounded = high < FAR
    outside = np.maximum(low - constraints, constraints - high)
    farthest = np.abs(constraints - low).max(0, initial=0.0)
    holds = np.where(bounded, high - low, farthest)
    # Where every value is on the bound, or there is none, nothing is known of the scale but 1.
    holds = np.where(holds > 0.0, holds, 1.0)
    return Extent(holds, outside.max(0, initial=0.0), 1.0 + bounded)
