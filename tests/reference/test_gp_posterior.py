"""The kernel and the posterior against scikit-learn's, with the same fixed hyper-parameters."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern

from tradespace.gp.kernel import MEAN_VARIANCE, correlation, layout, stretch
from tradespace.gp.posterior import (
    JITTER,
    NO_NOISE,
    Hyper,
    Posterior,
    Rows,
    condition,
    moments,
    noise_variance,
    with_values,
)
from tradespace.space import Real, Space

INPUTS = 3
LAYOUT = layout(Space({f"x{i}": Real(0, 1) for i in range(INPUTS)}))
LENGTHSCALES = np.array([0.3, 0.8, 1.7])
AMPLITUDE = 1.9
NOISES = {"noiseless": NO_NOISE, "little": np.log(1e-3), "much": np.log(0.5)}
conditioned = jax.jit(condition, static_argnums=0)
predicted = jax.jit(moments, static_argnums=0)


def data(count: int = 10, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng([seed, count])
    points = rng.random((count, INPUTS))
    return points, np.sin(5 * points.sum(1)) + 0.3 * rng.standard_normal(count)


def padded(points: np.ndarray, values: np.ndarray, room: int = 12, fill: float = 0.0) -> Rows:
    rows = Rows(
        np.full((room, INPUTS), fill), np.full(room, 3.0 * fill), np.arange(room) < len(points)
    )
    rows.points[: len(points)], rows.values[: len(points)] = points, values
    return jax.tree.map(jnp.array, rows)


def hyper(noise: str) -> Hyper:
    return Hyper(jnp.log(LENGTHSCALES), jnp.array(NOISES[noise]), jnp.array(np.log(AMPLITUDE)))


def process(noise: str, rows: Rows) -> Posterior:
    return conditioned(LAYOUT, hyper(noise), rows)


def twin(noise: str) -> GaussianProcessRegressor:
    kernel = ConstantKernel(AMPLITUDE, "fixed") * (
        ConstantKernel(MEAN_VARIANCE, "fixed") + Matern(LENGTHSCALES, "fixed", nu=2.5)
    )
    variance = AMPLITUDE * (np.exp(NOISES[noise]) + JITTER)
    return GaussianProcessRegressor(kernel, alpha=variance, optimizer=None)


@pytest.mark.parametrize("scale", [0.02, 0.3, 1.0, 20.0])
@pytest.mark.parametrize("inputs", [1, 3, 30])
def test_the_kernel_is_matern_five_halves(inputs: int, scale: float) -> None:
    rng = np.random.default_rng(inputs)
    a, b = rng.random((30, inputs)), rng.random((20, inputs))
    b[:5] = a[:5]
    lengthscales = scale * rng.uniform(0.5, 2.0, inputs)
    places = layout(Space({f"x{i}": Real(0, 1) for i in range(inputs)}))
    stretched = (stretch(places, jnp.array(x), jnp.log(lengthscales)) for x in (a, b))
    # Squared distances by a^2 + b^2 - 2ab lose the size of a^2 times 1e-16: 1e-12 at the shortest.
    np.testing.assert_allclose(
        correlation(*stretched) - MEAN_VARIANCE, Matern(lengthscales, nu=2.5)(a, b), atol=1e-11
    )


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("count", [1, 2, 10])
def test_mean_and_variance_are_those_of_the_twin(count: int, noise: str) -> None:
    points, values = data(count)
    new = np.concatenate([np.random.default_rng(9).random((20, INPUTS)), points])
    mean, variance = predicted(LAYOUT, process(noise, padded(points, values)), jnp.array(new))
    expected, covariance = twin(noise).fit(points, values).predict(new, return_cov=True)
    # Correlations are conditioned no worse than 1/JITTER = 1e9, and doubles have 16 digits.
    np.testing.assert_allclose(mean, expected, atol=1e-8)
    np.testing.assert_allclose(variance, np.diag(covariance), atol=1e-8)


@pytest.mark.parametrize("noise", NOISES)
def test_without_rows_the_process_is_the_prior(noise: str) -> None:
    nothing = padded(np.zeros((0, INPUTS)), np.zeros(0))
    mean, variance = predicted(LAYOUT, process(noise, nothing), jnp.array(data()[0]))
    np.testing.assert_array_equal(mean, 0.0)
    np.testing.assert_allclose(variance, AMPLITUDE * (MEAN_VARIANCE + 1.0), rtol=1e-12)


@pytest.mark.parametrize("noise", NOISES)
def test_padding_changes_nothing(noise: str) -> None:
    points, values = data()
    new = jnp.array(np.random.default_rng(9).random((20, INPUTS)))
    rows = [
        padded(points, values, room=10),
        padded(points, values, room=17),
        # Whatever stands in the padding: a point of the data itself, or another one.
        padded(points, values, room=17, fill=0.4),
    ]
    tight, *wider = (predicted(LAYOUT, process(noise, r), new) for r in rows)
    for found in wider:
        np.testing.assert_allclose(found[0], tight[0], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(found[1], tight[1], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("noise", ["little", "much"])
def test_repeated_rows_count_like_their_mean_with_less_noise(noise: str) -> None:
    points, values = data(4)
    repeats = 3
    rng = np.random.default_rng(1)
    shifted = values[:, None] + 0.2 * rng.standard_normal((4, repeats))
    many = padded(np.repeat(points, repeats, 0), shifted.ravel())
    new = np.random.default_rng(9).random((20, INPUTS))
    mean, variance = predicted(LAYOUT, process(noise, many), jnp.array(new))
    averaged = twin(noise)
    averaged.alpha = averaged.alpha / repeats
    expected, covariance = averaged.fit(points, shifted.mean(1)).predict(new, return_cov=True)
    np.testing.assert_allclose(mean, expected, atol=1e-8)
    np.testing.assert_allclose(variance, np.diag(covariance), atol=1e-8)


def test_repeated_noiseless_rows_are_as_good_as_one() -> None:
    points, values = data(4)
    new = jnp.array(np.random.default_rng(9).random((20, INPUTS)))
    once = predicted(LAYOUT, process("noiseless", padded(points, values)), new)
    thrice = padded(np.tile(points, (3, 1)), np.tile(values, 3))
    again = predicted(LAYOUT, process("noiseless", thrice), new)
    # The jitter is a noise of 1e-7, a third of which is the difference.
    np.testing.assert_allclose(again[0], once[0], atol=1e-5)
    np.testing.assert_allclose(again[1], once[1], atol=1e-5)


def test_a_noiseless_process_goes_through_its_rows() -> None:
    points, values = data()
    mean, variance = predicted(
        LAYOUT, process("noiseless", padded(points, values)), jnp.array(points)
    )
    np.testing.assert_allclose(mean, values, atol=1e-4)
    assert (np.array(variance) > 0.0).all()
    assert (np.array(variance) < 1e-6 * AMPLITUDE).all()


def test_other_values_at_the_same_rows() -> None:
    points, values = data()
    first = process("little", padded(points, values))
    other = padded(points, values**2)
    new = jnp.array(np.random.default_rng(9).random((20, INPUTS)))
    expected = predicted(LAYOUT, process("little", other), new)
    found = predicted(LAYOUT, with_values(first, other.values), new)
    # The same sums in two programs, whose roundings differ.
    np.testing.assert_allclose(found[0], expected[0], atol=1e-10)
    np.testing.assert_allclose(found[1], expected[1], atol=1e-10)


@pytest.mark.parametrize("noise", NOISES)
def test_slopes_of_moments_are_those_of_finite_differences(noise: str) -> None:
    points, values = data()
    posterior = process(noise, padded(points, values))
    # At a row itself too, where a distance has no slope.
    new = np.concatenate([np.random.default_rng(9).random((4, INPUTS)), points[:2]])
    across = np.random.default_rng(8).standard_normal(new.shape)

    def totals(x: jax.Array) -> jax.Array:
        return jnp.concatenate(moments(LAYOUT, posterior, new + x * across))

    found = jax.jit(jax.jacfwd(totals))(jnp.array(0.0))
    high, low = (jax.jit(totals)(jnp.array(x)) for x in (1e-5, -1e-5))
    # Rounding of 1e-10 in a difference over 2e-5.
    np.testing.assert_allclose(found, (high - low) / 2e-5, atol=1e-5)


def test_the_noise_is_a_share_of_the_amplitude() -> None:
    for noise, share in (("noiseless", 0.0), ("much", 0.5)):
        expected = AMPLITUDE * (share + JITTER)
        assert float(noise_variance(hyper(noise))) == pytest.approx(expected, rel=1e-9)
