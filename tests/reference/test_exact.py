"""The exact acquisition against closed forms and samples, and MESMOC+ against it."""

from typing import get_args

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from experiments.acquisitions.exact import FINENESS, Removes, entropies, gains
from scipy import stats

from tradespace.acquisition import mesmoc_plus
from tradespace.acquisition.mesmoc_plus import FAR, MesmocPlus
from tradespace.pareto import non_dominated

NORMAL = 0.5 * np.log(2.0 * np.pi * np.e)
CONDITIONING: dict[Removes, str] = {"not dominated": "boxes", "dominating": "dominating"}
FRONTS = {
    "one point": np.array([[0.2, -0.3]]),
    "three points": np.array([[-1.0, 0.8], [0.1, 0.2], [0.9, -1.4]]),
    "a point given twice": np.array([[-0.5, 0.5], [0.7, -0.2], [-0.5, 0.5]]),
    "a curve": np.column_stack([np.linspace(-2, 2, 40), -1 - np.tanh(np.linspace(-2, 2, 40))]),
    "far off": np.array([[-30.0, 0.4], [0.3, -30.0]]),
}
compiled = jax.jit(mesmoc_plus.gains, static_argnums=(0, 5))


def drawn(samples: int, points: int, candidates: int) -> tuple[np.ndarray, ...]:
    """Means and variances (M, 3, n), fronts and bounds (M,), whatever the numbers happen to be."""
    rng = np.random.default_rng([samples, points, candidates])
    shape = (samples, 3, candidates)
    fronts = [rng.normal(size=(points, 2)) for _ in range(samples)]
    # What dominated points would remove is not what the front removes.
    fronts = [front[non_dominated(front)] for front in fronts]
    return rng.normal(size=shape), rng.uniform(0.05, 3.0, shape), fronts, rng.normal(size=samples)


def by_mesmoc_plus(removes: Removes, *given: object) -> np.ndarray:
    """Gains in entropy of each black box, (3, n), by the closed forms."""
    mean, variance, fronts, least = given
    method = MesmocPlus(CONDITIONING[removes], "entropy", floor=0.0, front_size=40)
    bounds = np.column_stack([least, np.full(len(least), FAR)])[:, None]
    ready = mesmoc_plus.prepare(np.random.default_rng(0), method, fronts, bounds)
    arrays = (*map(jnp.array, (mean, variance)), jnp.zeros(mean.shape[:2]))
    return np.array(compiled(method, *arrays, jax.tree.map(jnp.array, ready), False))


def test_two_half_normals() -> None:
    """A feasible candidate that must be dominated by the origin; halving a normal takes log 2."""
    found = entropies(np.zeros((1, 2)), -20.0)
    assert found.joint == pytest.approx(3 * NORMAL - 2 * np.log(2.0), abs=1e-9)
    np.testing.assert_allclose(found.marginal, NORMAL - np.log([2.0, 2.0, 1.0]), atol=1e-9)


@pytest.mark.parametrize("removes", CONDITIONING)
def test_an_infeasible_candidate_is_left_as_it_is(removes: Removes) -> None:
    found = entropies(FRONTS["three points"], 20.0, removes)
    assert found.joint == pytest.approx(3 * NORMAL, abs=1e-9)
    np.testing.assert_allclose(found.marginal, NORMAL, atol=1e-9)


@pytest.mark.parametrize("removes", CONDITIONING)
@pytest.mark.parametrize("front", FRONTS.values(), ids=list(FRONTS))
def test_a_finer_grid_finds_the_same(front: np.ndarray, removes: Removes) -> None:
    for least in (-1.7, 0.0, 0.6):
        once, finer = (entropies(front, least, removes, f) for f in (FINENESS, 2 * FINENESS))
        assert once.joint == pytest.approx(finer.joint, abs=1e-8)
        np.testing.assert_allclose(once.marginal, finer.marginal, atol=1e-8)


@pytest.mark.parametrize("removes", get_args(Removes))
@pytest.mark.parametrize("front", FRONTS.values(), ids=list(FRONTS))
def test_entropies_are_those_of_samples_that_are_not_rejected(
    front: np.ndarray, removes: Removes
) -> None:
    """Within 0.01: five deviations of the joint entropy's estimate, twice those of the others."""
    least = -0.3
    z = np.random.default_rng(0).standard_normal((400_000, 3))
    kept = np.ones(len(z), bool)
    for point in front:
        if removes != "not dominated":
            kept &= ~((z[:, 0] <= point[0]) & (z[:, 1] <= point[1]) & (z[:, 2] >= least))
    if removes == "dominating or beyond":
        kept &= (z[:, :2] >= front.min(axis=0)).all(axis=1) | (z[:, 2] < least)
    if removes == "not dominated":
        dominated = [(z[:, 0] >= point[0]) & (z[:, 1] >= point[1]) for point in front]
        kept = np.any(dominated, axis=0) | (z[:, 2] < least)
    found, left = entropies(front, least, removes), z[kept]
    # The density that is left is the normal's over the share of samples that is.
    joint = np.log(kept.mean()) - stats.norm.logpdf(left).sum(axis=1).mean()
    assert found.joint == pytest.approx(joint, abs=0.01)
    # By the spacings of the ordered samples (Vasicek, 1976): no density is asked for.
    spaced = stats.differential_entropy(left, axis=0, method="vasicek")
    np.testing.assert_allclose(found.marginal, spaced, atol=0.01)


@pytest.mark.parametrize("removes", CONDITIONING)
@pytest.mark.parametrize(("samples", "points"), [(1, 1), (2, 4), (3, 12)])
def test_mesmoc_plus_by_boxes_is_exact_for_each_black_box(
    samples: int, points: int, removes: Removes
) -> None:
    given = drawn(samples, points, candidates=8)
    exact = gains(*given, removes)
    np.testing.assert_allclose(by_mesmoc_plus(removes, *given), exact.marginal, atol=1e-7)


@pytest.mark.parametrize("removes", CONDITIONING)
@pytest.mark.parametrize("front", FRONTS.values(), ids=list(FRONTS))
def test_mesmoc_plus_by_boxes_is_exact_along_a_line(front: np.ndarray, removes: Removes) -> None:
    """From a candidate that surely dominates the front to one that surely does not."""
    line, level = np.linspace(-2.5, 2.5, 9), np.array([0.4, 1.0, 0.7])
    mean = np.array([line, 0.5 * line, -line])[None]
    variance = np.broadcast_to(level[:, None], mean.shape[1:])[None]
    given = mean, variance, [front], np.array([-0.2])
    exact = gains(*given, removes)
    np.testing.assert_allclose(by_mesmoc_plus(removes, *given), exact.marginal, atol=1e-7)


@pytest.mark.parametrize("removes", CONDITIONING)
def test_together_black_boxes_tell_more_than_the_sum_of_each(removes: Removes) -> None:
    """The front ties them to one another, which no marginal entropy sees."""
    found = gains(*drawn(2, 4, 8), removes)
    tie = found.joint - found.marginal.sum(0)
    assert (tie > -1e-9).all()
    assert tie.max() > 0.02
