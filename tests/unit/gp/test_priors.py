"""Priors are densities, their draws follow them, and they suit one input as well as thirty.

The statistical tests use fixed keys; with right draws one key in ten thousand fails each.
"""

from collections.abc import Callable

import jax.numpy as jnp
import numpy as np
import pytest
from scipy import integrate, stats

from tradespace.gp.kernel import correlation, layout, stretch
from tradespace.gp.priors import PRIORS, Default, Reference
from tradespace.space import Real, Space

GRID = np.linspace(-60.0, 40.0, 200_001)
RARE = 1e-4


def lengthscale_density(prior: str, inputs: int, log_lengthscale: np.ndarray) -> np.ndarray:
    """Of one of several lengthscales: the others are as likely wherever they stay."""
    others = [-1.0] * (inputs - 1)
    ask = PRIORS[prior].lengthscale
    logs = np.array([float(ask(jnp.array([x, *others]))) for x in log_lengthscale])
    if inputs == 1:
        return np.exp(logs)
    share = float(ask(jnp.array([-1.0] * inputs))) / inputs
    return np.exp(logs - (inputs - 1) * share)


def distribution(density: Callable[[np.ndarray], np.ndarray]) -> Callable[[np.ndarray], np.ndarray]:
    grid = np.linspace(-14.0, 9.0, 2301)
    upto = integrate.cumulative_simpson(density(grid), x=grid, initial=0.0)
    return lambda x: np.interp(x, grid, upto)


@pytest.mark.parametrize("prior", PRIORS)
def test_the_amplitudes_density_integrates_to_one(prior: str) -> None:
    density = np.exp(np.array(PRIORS[prior].amplitude(jnp.array(GRID))))
    assert integrate.simpson(density, x=GRID) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("inputs", [1, 3])
@pytest.mark.parametrize("prior", PRIORS)
def test_a_lengthscales_density_integrates_to_one(prior: str, inputs: int) -> None:
    upto = distribution(lambda x: lengthscale_density(prior, inputs, x))
    # The Beta's density falls off as the seventh power at its end, within a few grid steps.
    assert upto(9.0) == pytest.approx(1.0, abs=1e-5)


def test_the_noises_density_integrates_to_one() -> None:
    density = np.exp(np.array(Default().noise(jnp.array(GRID))))
    assert integrate.simpson(density, x=GRID) == pytest.approx(1.0, abs=1e-9)


def test_the_reference_noise_has_a_finite_integral() -> None:
    # The bound that stands for the horseshoe's density: int log(1 + 3 (s/x)^2) dx = sqrt(3) pi s.
    density = np.exp(np.array(Reference().noise(jnp.array(GRID))))
    expected = np.sqrt(3.0) * np.pi * 0.1
    assert integrate.simpson(density, x=GRID) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("inputs", [1, 5, 30])
@pytest.mark.parametrize("prior", PRIORS)
def test_drawn_lengthscales_follow_their_density(prior: str, inputs: int) -> None:
    rng = np.random.default_rng(inputs)
    drawn = PRIORS[prior].draw(rng, 3000 // inputs, inputs)
    assert drawn.shape == (3000 // inputs, inputs + 1)
    upto = distribution(lambda x: lengthscale_density(prior, inputs, x))
    assert stats.kstest(drawn[:, :-1].ravel(), upto).pvalue > RARE


def test_drawn_noises_follow_their_density() -> None:
    drawn = Default().draw(np.random.default_rng(0), 3000, 2)[:, -1]
    upto = integrate.cumulative_simpson(np.exp(np.array(Default().noise(GRID))), x=GRID, initial=0)
    assert stats.kstest(drawn, lambda x: np.interp(x, GRID, upto)).pvalue > RARE


def test_reference_noises_are_drawn_within_its_bulk() -> None:
    prior, drawn = Reference(), Reference().draw(np.random.default_rng(0), 3000, 2)[:, -1]
    density = np.exp(np.array(prior.noise(GRID)))
    upto = integrate.cumulative_simpson(density / (np.sqrt(3.0) * np.pi * 0.1), x=GRID, initial=0)
    # Chains only start there: the quartiles lie within the middle 90 per cent.
    for quantile in (0.25, 0.5, 0.75):
        assert 0.05 < np.interp(np.quantile(drawn, quantile), GRID, upto) < 0.95


def test_the_reference_prior_is_the_papers() -> None:
    prior, x = Reference(), np.linspace(-9.0, 1.5, 50)
    values = np.exp(x)
    # Each is the density of the logarithm: that of the value, times the value.
    beta = stats.beta(1.5, 7.0, scale=5.0).pdf(values) * values
    found = [float(prior.lengthscale(jnp.array([one]))) for one in x]
    np.testing.assert_allclose(np.exp(found), beta, rtol=1e-8)
    normal = stats.truncnorm(-1.0, np.inf, loc=1.0).pdf(values) * values
    np.testing.assert_allclose(np.exp(prior.amplitude(jnp.array(x))), normal, rtol=1e-8)
    horseshoe = np.log(1.0 + 3.0 * (0.1 / values) ** 2) * values
    np.testing.assert_allclose(np.exp(prior.noise(jnp.array(x))), horseshoe, rtol=1e-8)


def test_the_reference_prior_excludes_lengthscales_above_five() -> None:
    assert Reference().lengthscale(jnp.log(jnp.array([0.5, 5.1]))) == -np.inf
    assert np.isfinite(Reference().lengthscale(jnp.log(jnp.array([0.5, 4.9]))))


@pytest.mark.parametrize("inputs", [1, 2, 6, 15, 30])
def test_functions_are_neither_constant_nor_noise_whatever_the_inputs(inputs: int) -> None:
    """Two points drawn at random are correlated about as much with one input as with thirty."""
    rng = np.random.default_rng(0)
    places = layout(Space({f"x{i}": Real(0, 1) for i in range(inputs)}))
    drawn = Default().draw(rng, 200, inputs)[:, :-1]
    shares = []
    for log_lengthscale in drawn:
        a, b = (
            stretch(places, jnp.array(rng.random((1, inputs))), jnp.array(log_lengthscale))
            for _ in range(2)
        )
        shares.append(float(correlation(a, b)[0, 0]) - 1.0)
    assert 0.1 < np.median(shares) < 0.9
