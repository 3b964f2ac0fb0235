"""Means and covariances of many paths against the posterior they are drawn from.

A path's values are linear in a draw from the prior, and the prior's features have exactly the
kernel's covariance on average, so that over many paths the first two moments are the posterior's.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern

from tradespace.gp.kernel import MEAN_VARIANCE, layout
from tradespace.gp.posterior import NO_NOISE, Hyper, Rows, condition, moments
from tradespace.paths import JITTER, cos_turns, draw_features, draw_path, evaluate, noise
from tradespace.space import Categorical, Integer, Real, Space

INPUTS, COUNT, ROOM, PATHS = 2, 6, 9, 4000
conditioned = jax.jit(condition, static_argnums=0)
drawn = jax.jit(draw_path, static_argnums=0)
evaluated = jax.jit(evaluate, static_argnums=0)
LAYOUT = layout(Space({f"x{i}": Real(0, 1) for i in range(INPUTS)}))
LENGTHSCALES, AMPLITUDE = np.array([0.25, 0.6]), 1.7
NOISES = {"noiseless": NO_NOISE, "noisy": np.log(0.2)}
RNG = np.random.default_rng(0)
POINTS = 0.5 * RNG.random((COUNT, INPUTS))
VALUES = np.sin(6 * POINTS.sum(1))
# At data, near them, and so far that they say little.
NEW = np.concatenate([POINTS[:2], POINTS[2:4] + 0.03, [[0.9, 0.8], [1.0, 0.0], [0.2, 1.0]]])


def given(noise_level: str, count: int = COUNT) -> tuple[Hyper, Rows]:
    rows = Rows(np.zeros((ROOM, INPUTS)), np.zeros(ROOM), np.arange(ROOM) < count)
    rows.points[:count], rows.values[:count] = POINTS[:count], VALUES[:count]
    rows = jax.tree.map(jnp.array, rows)
    logs = jnp.array(NOISES[noise_level]), jnp.array(np.log(AMPLITUDE))
    return Hyper(jnp.log(LENGTHSCALES), *logs), rows


@jax.jit
def values_of_paths(features: object, hyper: Hyper, rows: Rows) -> jax.Array:
    def one(features: object) -> jax.Array:
        path = draw_path(LAYOUT, features, hyper, rows)
        return evaluate(LAYOUT, path, jnp.array(NEW))

    return jax.lax.map(one, features)


def sampled(noise_level: str, count: int = COUNT) -> np.ndarray:
    """Values of many paths at the new points, (PATHS, n)."""
    features = draw_features(np.random.default_rng(count), (PATHS,), INPUTS, ROOM)
    return np.array(values_of_paths(features, *given(noise_level, count)), dtype=float)


def expected(noise_level: str, count: int) -> tuple[np.ndarray, np.ndarray]:
    kernel = ConstantKernel(AMPLITUDE, "fixed") * (
        ConstantKernel(MEAN_VARIANCE, "fixed") + Matern(LENGTHSCALES, "fixed", nu=2.5)
    )
    if count == 0:
        return np.zeros(len(NEW)), kernel(NEW)
    variance = AMPLITUDE * (np.exp(NOISES[noise_level]) + JITTER)
    twin = GaussianProcessRegressor(kernel, alpha=variance, optimizer=None)
    return twin.fit(POINTS[:count], VALUES[:count]).predict(NEW, return_cov=True)


@pytest.mark.parametrize("noise_level", NOISES)
@pytest.mark.parametrize("count", [0, 1, COUNT])
def test_paths_have_the_posteriors_mean_and_covariance(count: int, noise_level: str) -> None:
    values = sampled(noise_level, count)
    mean, covariance = expected(noise_level, count)
    sd = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    # Four and a half standard errors, of which one key in a thousand has one among all of these;
    # 1e-3 is for single precision and the polynomial cosine, times the corrections' size.
    error = 4.5 / np.sqrt(PATHS)
    np.testing.assert_array_less(np.abs(values.mean(0) - mean), error * sd + 1e-3)
    # Var(ab) = v_a v_b + cov^2 for normal values; a path's tails are hardly longer.
    spread = np.sqrt(np.outer(sd**2, sd**2) + covariance**2)
    found = np.cov(values.T)
    np.testing.assert_array_less(np.abs(found - covariance), 1.1 * error * spread + 1e-3)


def test_a_noiseless_path_goes_through_the_data() -> None:
    values = sampled("noiseless")[:, :2]
    # The jitter's deviation is 3e-4 of the amplitude's, the cosine's error 1e-6 times corrections.
    np.testing.assert_allclose(values, np.tile(VALUES[:2], (PATHS, 1)), atol=5e-3)


def test_a_noisy_paths_own_noise_leads_from_it_to_the_data() -> None:
    hyper, rows = given("noisy")
    features = draw_features(np.random.default_rng(3), (), INPUTS, ROOM)
    path = drawn(LAYOUT, features, hyper, rows)
    missing = rows.values - evaluated(LAYOUT, path, rows.points) - noise(features, hyper)
    # Matheron's rule: with C the correlations and s the noise's share, what C (C + s)^-1 r leaves
    # of a residual r is s (C + s)^-1 r.
    share = np.exp(NOISES["noisy"]) + JITTER
    np.testing.assert_allclose(missing[:COUNT], share * path.corrections[:COUNT], atol=1e-5)


def test_rows_that_do_not_count_change_nothing() -> None:
    hyper, rows = given("noisy")
    features = draw_features(np.random.default_rng(4), (), INPUTS, ROOM)
    # Of one the others are in place, but without values; of the other they are not there.
    without = [rows._replace(counted=jnp.arange(ROOM) < 4), given("noisy", 4)[1]]
    both = [drawn(LAYOUT, features, hyper, each) for each in without]
    found = [evaluated(LAYOUT, path, jnp.array(NEW)) for path in both]
    np.testing.assert_allclose(found[0], found[1], atol=1e-5)


def test_paths_of_many_rows_stay_near_the_data() -> None:
    """Sixty noiseless rows, badly conditioned: single precision must not be felt."""
    rng = np.random.default_rng(5)
    points = rng.random((60, INPUTS))
    values = np.sin(4 * points.sum(1))
    rows = Rows(jnp.array(points), jnp.array(values), jnp.ones(60, bool))
    hyper = Hyper(jnp.log(jnp.array([0.8, 1.5])), jnp.array(NO_NOISE), jnp.array(0.0))
    posterior = conditioned(LAYOUT, hyper, rows)
    mean, variance = moments(LAYOUT, posterior, new := jnp.array(rng.random((30, INPUTS))))
    for _ in range(20):
        features = draw_features(rng, (), INPUTS, 60)
        path = drawn(LAYOUT, features, hyper, rows)
        at_data = np.array(evaluated(LAYOUT, path, rows.points))
        np.testing.assert_allclose(at_data, values, atol=0.02)
        # Five deviations, and as much again as at the data.
        away = np.abs(np.array(evaluated(LAYOUT, path, new)) - mean)
        assert (away < 0.02 + 5.0 * np.sqrt(variance)).all()


def test_paths_are_constant_where_the_input_is() -> None:
    space = Space({"n": Integer(1, 4), "kind": Categorical(["a", "b"]), "x": Real(0, 1)})
    rng = np.random.default_rng(6)
    places, points = layout(space), rng.random((5, space.width))
    rows = Rows(jnp.array(space.snap(points)), jnp.array(rng.random(5)), jnp.ones(5, bool))
    hyper = Hyper(jnp.zeros(3), jnp.array(NO_NOISE), jnp.array(0.0))
    path = draw_path(places, draw_features(rng, (), space.width, 5), hyper, rows)
    new = rng.random((200, space.width))
    found, snapped = (
        np.array(evaluate(places, path, jnp.array(p))) for p in (new, space.snap(new))
    )
    np.testing.assert_allclose(found, snapped, atol=1e-4)
    assert len(np.unique(np.round(found, 3))) > 20


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, 1e-6), (np.float32, 2e-6)])
def test_the_polynomial_cosine(dtype: type, tolerance: float) -> None:
    turns = np.linspace(-30.0, 30.0, 200_001).astype(dtype)
    found = np.array(cos_turns(jnp.array(turns)))
    assert found.dtype == dtype
    exact = np.cos(2 * np.pi * turns.astype(float))
    np.testing.assert_allclose(found, exact, atol=tolerance)
