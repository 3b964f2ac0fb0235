"""BMOO's improvement against the closed form over boxes and against brute force."""

import jax
import numpy as np
import pytest
from scipy.stats import norm

from tradespace import pareto
from tradespace.acquisition.bmoo import (
    FAR,
    Targets,
    constraint_extent,
    draw_targets,
    log_improvement,
    objective_box,
)
from tradespace.method import Sampled, Together

from ..contracts.cases import fronts_alone

improved = jax.jit(log_improvement, static_argnums=4)
COUNT = 20_000
ONE_SIDED, TWO_SIDED = np.array([[-0.2, FAR]]), np.array([[-0.2, 0.5], [0.1, FAR]])


def sampled(
    measured: np.ndarray,
    fronts: list[np.ndarray],
    bounds: np.ndarray,
    imagined: np.ndarray | None = None,
) -> Sampled:
    m, boxes = len(fronts), measured.shape[1]
    waiting = np.zeros((m, 0, boxes)) if imagined is None else imagined
    nothing = [np.zeros((len(front), 0)) for front in fronts]
    relaxed = np.zeros((m, *bounds.shape))
    return fronts_alone(fronts, nothing, nothing, relaxed, Together(measured, waiting, bounds))


def targets(given: Sampled, count: int = COUNT, seed: int = 0) -> Targets:
    return draw_targets(np.random.default_rng(seed), given, count)


def primitive(y: np.ndarray, mean: float, sd: float) -> np.ndarray:
    """Of Phi((y - mean)/sd)."""
    z = (y - mean) / sd
    return sd * (z * norm.cdf(z) + norm.pdf(z))


def exact(mean: np.ndarray, sd: np.ndarray, front: np.ndarray, box: tuple) -> float:
    """Expected improvement of the hypervolume in a box, as a sum over boxes not dominated."""
    lower, upper = (np.clip(side, *box) for side in pareto.boxes(front))
    each = [
        primitive(upper[:, k], mean[k], sd[k]) - primitive(lower[:, k], mean[k], sd[k])
        for k in range(len(mean))
    ]
    return float(np.prod(each, 0).sum())


@pytest.mark.parametrize("objectives", [1, 2, 3])
def test_without_constraints_it_is_the_expected_hypervolume_improvement(objectives: int) -> None:
    """Within 4 per cent where 20 000 targets tell: a tenth of the front's range around it."""
    rng = np.random.default_rng(objectives)
    front = rng.dirichlet(np.ones(objectives), 12) if objectives > 1 else np.array([[0.4]])
    measured = np.concatenate([front, front + 0.3])
    fronts = [front - 0.2, 1.1 * front]
    mean = rng.uniform(-0.1, 0.6, (2, objectives, 9))
    variance = rng.uniform(0.01, 0.1, mean.shape)
    bounds = np.zeros((0, 2))
    found = improved(mean, variance, bounds, targets(sampled(measured, fronts, bounds)), False)
    box = objective_box(fronts, front)
    sd = np.sqrt(variance)
    for n in range(9):
        expected = np.mean([exact(mean[m, :, n], sd[m, :, n], front, box) for m in range(2)])
        assert np.exp(found[n]) == pytest.approx(expected, rel=0.04)


def extended(values: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """Psi of each row: two objectives, then violations."""
    columns = list(values.T)
    for j, (low, high) in enumerate(bounds):
        c = values[:, 2 + j]
        columns[2 + j] = np.where(c < low, low - c, np.where(c > high, c - high, 0.0))
    holds = np.all([column == 0.0 for column in columns[2:]], axis=0)
    return np.column_stack([np.where(holds, f, np.inf) for f in columns[:2]] + columns[2:])


def brute_force(
    mean: np.ndarray, sd: np.ndarray, given: Sampled, measured: np.ndarray
) -> tuple[float, float]:
    """The mean of the improvement over new observations, each compared with points all over the
    box, and its standard error."""
    rng = np.random.default_rng(5)
    bounds = given.together.bounds
    kept = measured[(extended(measured, bounds)[:, 2:] == 0.0).all(1)][:, :2]
    low, high = objective_box(given.fronts, kept)
    holds, worst, _ = constraint_extent(measured[:, 2:], bounds)
    ends = np.column_stack([bounds[:, 0] - worst, bounds[:, 0] + holds])
    ends[bounds[:, 1] < FAR, 1] += worst[bounds[:, 1] < FAR]
    box = np.vstack([np.column_stack([low, high]), ends])
    y = extended(rng.uniform(*box.T, (30_000, len(box))), bounds)
    dominated = np.zeros(len(y), bool)
    for one in extended(measured, bounds):
        dominated |= (one <= y).all(1)
    new = extended(mean + sd * rng.standard_normal((1000, len(mean))), bounds)
    better = np.array([((one <= y).all(1) & ~dominated).mean() for one in new])
    volume = np.prod(box[:, 1] - box[:, 0])
    return float(volume * better.mean()), float(volume * better.std() / np.sqrt(len(new)))


FEASIBLE = np.array([[0.5, 0.4, 0.3, 0.4], [0.2, 0.9, -1.2, 0.6], [0.8, 0.1, -0.1, 0.2]])
INFEASIBLE = np.array([[0.5, 0.4, -0.9, 0.4], [0.2, 0.9, 1.2, -0.6], [0.8, 0.1, -0.6, -0.5]])


@pytest.mark.parametrize("sides", ["one", "two"])
@pytest.mark.parametrize("measured", [FEASIBLE, INFEASIBLE], ids=["feasible", "infeasible"])
def test_with_constraints_it_is_what_brute_force_finds(measured: np.ndarray, sides: str) -> None:
    """Within four standard errors of 1000 observations and 4 per cent for the targets."""
    bounds = ONE_SIDED if sides == "one" else TWO_SIDED
    values = measured[:, : 2 + len(bounds)]
    given = sampled(values, [np.array([[0.1, 0.7], [0.6, 0.0]])], bounds)
    drawn = targets(given)
    rng = np.random.default_rng(3)
    for _ in range(3):
        mean = np.append(rng.uniform(0.1, 0.5, 2), rng.uniform(-0.5, 0.2, len(bounds)))
        sd = rng.uniform(0.3, 0.5, len(mean))
        moments = mean[None, :, None], (sd**2)[None, :, None]
        found = float(np.exp(improved(*moments, bounds, drawn, sides == "two")[0]))
        expected, error = brute_force(mean, sd, given, values)
        assert abs(found - expected) < 4.0 * error + 0.04 * expected


def test_several_samples_are_averaged_and_each_leaves_out_what_it_imagines() -> None:
    fronts = [np.array([[0.1, 0.7], [0.6, 0.0]])] * 2
    # In one sample the pending trial is feasible and dominates all, in the other it is not.
    imagined = np.array([[[-9.0, -9.0, 1.0]], [[-9.0, -9.0, -8.0]]])
    measured = FEASIBLE[:, :3]
    plain, pending = (
        targets(sampled(measured, fronts, ONE_SIDED, waiting)) for waiting in (None, imagined)
    )
    mean, variance = np.full((2, 3, 1), 0.3), np.full((2, 3, 1), 0.1)
    both, left = (float(improved(mean, variance, ONE_SIDED, t, False)[0]) for t in (plain, pending))
    assert left == pytest.approx(both - np.log(2.0), abs=1e-9)


@pytest.mark.parametrize("sides", ["one", "two"])
@pytest.mark.parametrize("measured", [FEASIBLE, INFEASIBLE], ids=["feasible", "infeasible"])
def test_gradients_are_finite_in_the_tails_and_right_elsewhere(
    measured: np.ndarray, sides: str
) -> None:
    bounds = ONE_SIDED if sides == "one" else TWO_SIDED
    values = measured[:, : 2 + len(bounds)]
    given = targets(sampled(values, [values[:, :2]], bounds), 200)
    away = np.array([-3000.0, -30.0, -2.0, -0.3, 0.0, 0.4, 2.0, 30.0, 3000.0])
    mean = np.tile(away, (1, 2 + len(bounds), 1))

    def total(mean: jax.Array, variance: jax.Array) -> jax.Array:
        return log_improvement(mean, variance, bounds, given, sides == "two").sum()

    slopes_of = jax.jit(jax.grad(total, (0, 1)))
    for spread in (1e-14, 0.7):
        variance = np.full_like(mean, spread)
        assert np.isfinite(improved(mean, variance, bounds, given, sides == "two")).all()
        slopes = slopes_of(mean, variance)
        assert all(np.isfinite(slope).all() for slope in slopes)
    h = 1e-5
    for b in range(mean.shape[1]):
        for slope, step in zip(slopes, ((h, 0.0), (0.0, h)), strict=True):
            moved = np.zeros_like(mean)
            moved[:, b] = 1.0
            up, down = (
                improved(
                    mean + sign * step[0] * moved,
                    variance + sign * step[1] * moved,
                    bounds,
                    given,
                    sides == "two",
                )
                for sign in (1.0, -1.0)
            )
            numeric = (np.array(up) - np.array(down)) / (2 * h)
            np.testing.assert_allclose(slope[0, b, 2:7], numeric[2:7], rtol=1e-5, atol=1e-6)
