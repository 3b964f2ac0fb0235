"""The gains of MESMOC+ against closed forms, symmetries and finite differences."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from tradespace import pareto
from tradespace.acquisition.mesmoc_plus import FAR, Fronts, MesmocPlus, gains, prepare

from .slow_twins import adf, conditioned

METHODS = [
    MesmocPlus(conditioning=conditioning, gain=gain, front_size=6)
    for conditioning in ("boxes", "dominating", "adf")
    for gain in ("variance", "log", "entropy")
    if (conditioning, gain) != ("adf", "entropy")
]
# Boxes of either kind run through the same program.
PROGRAMS = [method for method in METHODS if method.conditioning != "dominating"]
compiled = jax.jit(gains, static_argnums=(0, 5))


def name(method: MesmocPlus) -> str:
    return f"{method.conditioning}-{method.gain}"


def drawn(
    objectives: int, constraints: int, samples: int = 2, candidates: int = 3
) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[np.ndarray], np.ndarray]:
    """Means and variances (M, B, n), noise (M, B), fronts and bounds (M, C, 2)."""
    rng = np.random.default_rng([objectives, constraints, samples, candidates])
    shape = (samples, objectives + constraints, candidates)
    fronts = [rng.normal(size=(5, objectives)) for _ in range(samples)]
    bounds = np.broadcast_to([0.0, FAR], (samples, constraints, 2))
    return (
        rng.normal(size=shape),
        rng.uniform(0.2, 2.0, shape),
        rng.uniform(0.0, 0.1, shape[:2]),
        fronts,
        bounds,
    )


def prepared(method: MesmocPlus, fronts: list[np.ndarray], bounds: np.ndarray) -> Fronts:
    return jax.tree.map(jnp.array, prepare(np.random.default_rng(0), method, fronts, bounds))


def gained(method: MesmocPlus, *given: object, two_sided: bool = False) -> np.ndarray:
    mean, variance, noise, fronts, bounds = given
    ready = prepared(method, fronts, bounds)
    return np.array(compiled(method, *map(jnp.array, (mean, variance, noise)), ready, two_sided))


@pytest.mark.parametrize("conditioning", ["boxes", "dominating"])
def test_one_objective_without_constraints_is_max_value_entropy_search(conditioning: str) -> None:
    method = MesmocPlus(conditioning=conditioning, gain="entropy", floor=0.0, front_size=4)
    mean, variance = np.linspace(-2.0, 6.0, 33), np.linspace(0.3, 2.0, 33)
    minima = np.array([-0.5, 0.3])
    found = gained(
        method,
        np.broadcast_to(mean, (2, 1, 33)),
        np.broadcast_to(variance, (2, 1, 33)),
        np.zeros((2, 1)),
        [minima[:1, None], minima[1:, None]],
        np.zeros((2, 0, 2)),
    )
    # Wang and Jegelka (2017), for a minimum: gamma phi/(2 Phi) - log Phi, averaged over minima.
    gamma = (mean - minima[:, None]) / np.sqrt(variance)
    phi, log_above = stats.norm.pdf(gamma), stats.norm.logcdf(gamma)
    expected = (gamma * phi / (2 * np.exp(log_above)) - log_above).mean(0)
    np.testing.assert_allclose(found[0], expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("method", METHODS, ids=name)
def test_the_gain_is_what_its_name_says(method: MesmocPlus) -> None:
    """One front far from the candidate tells nothing; a near one the more, the less is left."""
    mean, variance = np.array([[[0.0], [0.0]]]), np.ones((1, 2, 1))
    noise, bounds = np.full((1, 2), 0.05), np.zeros((1, 0, 2))
    far = gained(method, mean, variance, noise, [np.array([[-9.0, -9.0]])], bounds)
    # A single removed quadrant, whose moments are in every textbook: P = 1/4, E[z] = E[z^2] ...
    near = gained(method, mean, variance, noise, [np.array([[0.0, 0.0]])], bounds)
    if method.conditioning != "boxes":
        np.testing.assert_allclose(far, 0.0, atol=1e-9)
        mean_left = np.sqrt(2 / np.pi) / 4 / (3 / 4)
        left = (1 - 1 / 4) / (3 / 4) - mean_left**2
        if method.gain == "variance":
            np.testing.assert_allclose(near, 1 - left, rtol=1e-9)
        if method.gain == "log":
            expected = 0.5 * np.log((1 + 0.05 + method.floor) / (left + 0.05 + method.floor))
            np.testing.assert_allclose(near, expected, rtol=1e-9)
        if method.gain == "entropy":
            # The density is 2/3 of the normal's below zero and 4/3 above, and E[z^2] stays 1.
            power = np.exp(-2 * (np.log(2 / 3) + 2 * np.log(4 / 3)) / 3)
            expected = 0.5 * np.log(1.06 / (power + 0.06))
            np.testing.assert_allclose(near, expected, rtol=1e-9)
    else:
        # All but the front's upper quadrant is removed: two independent half-normals are left.
        left = 1 - 2 / np.pi
        expected = {
            "variance": 1 - left,
            "log": 0.5 * np.log(1.06 / (left + 0.06)),
            # The entropy of a half-normal is log 2 below the normal's.
            "entropy": 0.5 * np.log(1.06 / (0.25 + 0.06)),
        }
        np.testing.assert_allclose(near, expected[method.gain], rtol=1e-9)


@pytest.mark.parametrize("method", PROGRAMS, ids=name)
@pytest.mark.parametrize("two_sided", [False, True])
def test_gains_and_their_gradients_are_finite_everywhere(
    method: MesmocPlus, two_sided: bool
) -> None:
    levels = [-1e4, -40.0, -7.0, -1.0, 0.0, 5.0, 40.0, 1e4]
    variances = [1e-10, 1e-3, 1.0, 10.0]
    *grid, variance = (x.ravel() for x in np.meshgrid(levels, levels, levels, variances))
    _, _, _, fronts, bounds = drawn(2, 1, samples=1)
    fronts = [np.concatenate([fronts[0], fronts[0][:1]])]
    bounds = np.array([[[0.0, 0.7]]]) if two_sided else bounds
    ready = prepared(method, fronts, bounds)

    def total(mean: jax.Array, variance: jax.Array) -> tuple[jax.Array, jax.Array]:
        found = gains(method, mean, variance, jnp.zeros((1, 3)), ready, two_sided)
        return found.sum(), found

    with_slopes = jax.jit(jax.grad(total, (0, 1), has_aux=True))
    slopes, found = with_slopes(jnp.array(grid)[None], jnp.array([[variance] * 3]))
    for values in (found, *slopes):
        assert np.isfinite(values).all()


@pytest.mark.parametrize("method", PROGRAMS, ids=name)
def test_gradients_are_those_of_finite_differences(method: MesmocPlus) -> None:
    mean, variance, noise, fronts, bounds = drawn(2, 1, candidates=1)
    ready = prepared(method, fronts, bounds)

    def total(x: jax.Array) -> jax.Array:
        m, v = x.reshape(2, *mean.shape)
        return gains(method, m, v, jnp.array(noise), ready, False).sum()

    x = jnp.concatenate([jnp.array(mean).ravel(), jnp.array(variance).ravel()])
    steps = 1e-5 * jnp.eye(len(x))
    numeric = jax.jit(jax.vmap(lambda s: (total(x + s) - total(x - s)) / 2e-5))(steps)
    np.testing.assert_allclose(jax.jit(jax.grad(total))(x), numeric, atol=1e-8)


@pytest.mark.parametrize("method", METHODS, ids=name)
def test_permuting_black_boxes_permutes_their_gains(method: MesmocPlus) -> None:
    mean, variance, noise, fronts, _ = drawn(3, 2)
    bounds = np.array([[[0.0, FAR], [-0.5, 1.0]]] * 2)
    straight = gained(method, mean, variance, noise, fronts, bounds, two_sided=True)
    f, c = np.array([2, 0, 1]), np.array([1, 0])
    order = np.concatenate([f, 3 + c])
    turned = gained(
        method,
        mean[:, order],
        variance[:, order],
        noise[:, order],
        [front[:, f] for front in fronts],
        bounds[:, c],
        two_sided=True,
    )
    np.testing.assert_allclose(turned, straight[order], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("method", METHODS, ids=name)
def test_the_gain_is_the_mean_over_fronts(method: MesmocPlus) -> None:
    mean, variance, noise, fronts, bounds = drawn(2, 1)
    ready = prepared(method, fronts, bounds)
    given = jnp.array(mean), jnp.array(variance), jnp.array(noise), ready
    apart = [
        compiled(method, *jax.tree.map(lambda x, m=m: x[m : m + 1], given), False) for m in range(2)
    ]
    np.testing.assert_allclose(compiled(method, *given, False), np.mean(apart, 0), atol=1e-12)


@pytest.mark.parametrize("conditioning", ["boxes", "dominating", "adf"])
@pytest.mark.parametrize(("objectives", "constraints"), [(1, 1), (1, 2), (2, 0), (3, 1)])
def test_gains_are_those_of_the_slow_twins_moments(
    objectives: int, constraints: int, conditioning: str
) -> None:
    gain = "log" if conditioning == "adf" else "entropy"
    method = MesmocPlus(conditioning=conditioning, gain=gain, front_size=6)
    mean, variance, noise, fronts, bounds = drawn(objectives, constraints)
    fronts = [front[pareto.non_dominated(front)] for front in fronts]
    ready = prepared(method, fronts, bounds)
    expected = np.zeros(mean.shape)
    for m, i in np.ndindex(len(mean), mean.shape[-1]):
        one = mean[m, :, i], variance[m, :, i]
        half_lines = np.where(bounds[m] == FAR, np.inf, bounds[m])
        if conditioning == "adf":
            points = np.array(ready.points[m][ready.counted[m]])
            left = adf(*one, points, half_lines)[1]
        else:
            entropy = conditioned(*one, fronts[m], half_lines, conditioning == "dominating")[2]
            left = np.exp(2 * entropy) / (2 * np.pi * np.e)
        least = noise[m] + method.floor
        expected[m, :, i] = 0.5 * np.log((variance[m, :, i] + least) / (left + least))
    found = gained(method, mean, variance, noise, fronts, bounds)
    # The twins integrate numerically to 1e-10 and better.
    np.testing.assert_allclose(found, expected.mean(0), atol=1e-8)


@pytest.mark.parametrize("method", METHODS, ids=name)
def test_a_black_box_that_is_known_gains_nothing(method: MesmocPlus) -> None:
    mean, variance, noise, fronts, bounds = drawn(2, 1)
    found = gained(method, mean, np.full(variance.shape, 1e-10), noise, fronts, bounds)
    np.testing.assert_allclose(found, 0.0, atol=1e-6)


def test_fronts_are_cut_and_padded_to_size() -> None:
    rng = np.random.default_rng(0)
    method = MesmocPlus(conditioning="boxes", front_size=7)
    angle = np.linspace(0.0, np.pi / 2, 20)
    long = -np.column_stack([np.cos(angle), np.sin(angle)])
    fronts = [long, long[:3], long[:1]]
    ready = prepare(rng, method, fronts, np.array([[[-0.5, np.inf]]] * 3))
    assert ready.points.shape == (3, 7, 2)
    assert ready.counted.sum(1).tolist() == [7, 3, 1]
    for m, front in enumerate(fronts):
        kept = ready.points[m][ready.counted[m]]
        assert {tuple(p) for p in kept} <= {tuple(p) for p in front}
        # Both ends of a front are always kept.
        np.testing.assert_array_equal(kept.min(0), front.min(0))
    assert ready.bounds.tolist() == [[[-0.5, FAR]]] * 3


@pytest.mark.parametrize("objectives", [1, 2, 3])
@pytest.mark.parametrize("conditioning", ["boxes", "dominating"])
def test_prepared_boxes_hold_exactly_the_removed_region(objectives: int, conditioning: str) -> None:
    rng = np.random.default_rng(objectives)
    front = rng.normal(size=(6, objectives))
    method = MesmocPlus(conditioning=conditioning, front_size=9)
    boxes = prepare(rng, method, [front, front[:1]], np.zeros((2, 0, 2))).boxes
    edges, lower, upper = (np.array(x[0]) for x in boxes)
    points = 1.5 * rng.normal(size=(2000, objectives))
    columns = np.arange(objectives)
    inside = (points[:, None] > edges[columns, lower]) & (points[:, None] < edges[columns, upper])
    times = inside.all(-1).sum(1)
    if conditioning == "boxes":
        removed = ~(front[None] <= points[:, None]).all(-1).any(1)
    else:
        minima = [p for p in front if not ((front <= p).all(1) & (front < p).any(1)).any()]
        removed = (points[:, None] <= np.array(minima)).all(-1).any(1)
    np.testing.assert_array_equal(times, removed)
    assert (np.diff(edges) >= 0).all()


def test_room_for_boxes_does_not_depend_on_the_front() -> None:
    rng = np.random.default_rng(3)
    for objectives in (1, 2, 3):
        method = MesmocPlus(conditioning="boxes", front_size=8)
        sizes = {
            prepare(
                rng, method, [rng.normal(size=(n, objectives))], np.zeros((1, 0, 2))
            ).boxes.lower.shape
            for n in (1, 2, 8, 30)
        }
        assert len(sizes) == 1
