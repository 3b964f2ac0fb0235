"""The evidence, the amplitude integrated out, against quadrature over the amplitude."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import integrate, stats
from sklearn.gaussian_process.kernels import Matern

from tradespace.gp.evidence import HIGHEST, LOWEST, Evidence, draw_amplitude, log_evidence
from tradespace.gp.kernel import MEAN_VARIANCE, layout
from tradespace.gp.posterior import JITTER, NO_NOISE, Rows
from tradespace.gp.priors import PRIORS
from tradespace.space import Real, Space

LAYOUT = layout(Space({"x": Real(0, 1), "y": Real(0, 1)}))
LENGTHSCALES = np.array([0.3, 0.9])
ROOM = 14
GRID = np.linspace(LOWEST, HIGHEST, 16001)
evidence = jax.jit(log_evidence, static_argnums=(0, 1))
# How many rows, and how large their values: nothing known, a single or constant value (0 when
# standardised), and values whose size agrees with the priors of the amplitude, or does not.
SIZES = {
    "default": [(0, 1.0), (1, 0.0), (2, 1e-3), (5, 0.0), (14, 1.0), (14, 1e-3), (14, 30.0)],
    # Of constant values this prior says no more than that the amplitude is below any bound.
    "reference": [(0, 1.0), (1, 0.0), (2, 1.0), (14, 1.0), (14, 1e-3), (14, 30.0)],
}
NOISES = {"noiseless": NO_NOISE, "noisy": np.log(1e-2)}
CASES = [
    pytest.param(prior, *case, noise, id=f"{prior}-{case[0]}-{case[1]}-{name}")
    for prior, cases in SIZES.items()
    for case in cases
    for name, noise in NOISES.items()
]


def data(count: int, size: float) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(count)
    points = rng.random((count, 2))
    return points, size * (np.sin(6 * points.sum(1)) + 0.1 * rng.standard_normal(count))


def found(prior: str, points: np.ndarray, values: np.ndarray, noise: float) -> Evidence:
    rows = Rows(np.zeros((ROOM, 2)), np.zeros(ROOM), np.arange(ROOM) < len(values))
    rows.points[: len(values)], rows.values[: len(values)] = points, values
    rows = jax.tree.map(jnp.array, rows)
    return evidence(PRIORS[prior], LAYOUT, jnp.log(LENGTHSCALES), jnp.array(noise), rows)


def log_joint(prior: str, points: np.ndarray, values: np.ndarray, noise: float) -> np.ndarray:
    """log p(values, log amplitude) at the log amplitudes of GRID, given everything else."""
    correlations = np.zeros((len(values), len(values)))
    if len(values):
        correlations += MEAN_VARIANCE + Matern(LENGTHSCALES, nu=2.5)(points)
        correlations += (np.exp(noise) + JITTER) * np.eye(len(values))
    roots, turned = np.linalg.eigh(correlations)
    sd = np.sqrt(roots * np.exp(GRID)[:, None])
    density = stats.norm.logpdf(turned.T @ values, scale=sd).sum(1)
    density += np.array(PRIORS[prior].amplitude(GRID))
    if noise > NO_NOISE:
        density += np.array(PRIORS[prior].noise(GRID + noise))
    return density


def integrated(density: np.ndarray) -> tuple[float, np.ndarray]:
    """Log of the integral of exp(density) over the GRID, and its distribution there."""
    upto = integrate.cumulative_simpson(np.exp(density - density.max()), x=GRID, initial=0.0)
    return float(np.log(upto[-1]) + density.max()), upto / upto[-1]


@pytest.mark.parametrize(("prior", "count", "size", "noise"), CASES)
def test_the_evidence_is_the_integral_over_the_amplitude(
    prior: str, count: int, size: float, noise: float
) -> None:
    points, values = data(count, size)
    density = float(found(prior, points, values, noise).log_density)
    expected = integrated(log_joint(prior, points, values, noise))[0]
    expected += float(PRIORS[prior].lengthscale(jnp.log(LENGTHSCALES)))
    # The evidence leaves out the normal's constant, the same for all hyper-parameters.
    expected += 0.5 * count * np.log(2.0 * np.pi)
    assert density == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(("prior", "count", "size", "noise"), CASES)
def test_amplitudes_are_drawn_from_their_distribution(
    prior: str, count: int, size: float, noise: float
) -> None:
    points, values = data(count, size)
    given = found(prior, points, values, noise)
    uniform = (np.arange(400) + 0.5) / 400
    drawn = np.array(jax.jit(jax.vmap(draw_amplitude, (0, None)))(jnp.array(uniform), given))
    _, upto = integrated(log_joint(prior, points, values, noise))
    assert (np.diff(drawn) >= 0.0).all()
    # A cell is 0.3 deviations wide; a distribution that is straight within cells is this near.
    np.testing.assert_allclose(np.interp(drawn, GRID, upto), uniform, atol=0.02)


def test_hyperparameters_the_matrix_has_no_factor_for_are_impossible() -> None:
    points, values = data(14, 1.0)
    rows = Rows(*map(jnp.array, (points, values * np.nan, np.ones(14, bool))))
    impossible = evidence(
        PRIORS["default"], LAYOUT, jnp.log(LENGTHSCALES), jnp.array(NO_NOISE), rows
    )
    assert impossible.log_density == -np.inf
