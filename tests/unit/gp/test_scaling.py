"""The units a Gaussian process sees: undone exactly, increasing, the same whatever the user's."""

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import Matern, WhiteKernel

from tradespace.gp import scaling as module
from tradespace.gp.scaling import Scaling, Warp

# Values of the shapes that black boxes have: many, two, one; heavy tails; one far from the rest;
# nearly all the same.
SHAPES = {
    "normal": np.random.default_rng(0).standard_normal(40),
    "skewed": np.exp(2.0 * np.random.default_rng(1).standard_normal(40)),
    "cauchy": np.random.default_rng(2).standard_cauchy(40),
    "outlier": np.append(np.random.default_rng(3).standard_normal(20), 1e12),
    "nearly constant": np.append(np.zeros(30), [1.0, 2.0]),
    "two": np.array([3.0, 5.0]),
    "bounded below": np.random.default_rng(5).standard_exponential(40) ** 2,
}
CONSTANTS = [[0.0], [4.0], [-1e9] * 3, [1e-9] * 5, [0.1 + 0.2, 0.3], [1e5 + 1e-6, 1e5]]
UNITS = [1e-9, 1.0, 1e9]
# A warp of every kind, the straight one among them.
WARPS = [
    Warp(),
    Warp(3.0, -1.5, 1.0),
    Warp(30.0, 2.0, -1.0),
    Warp(knee=5.0),
    Warp(1.0, -1.0, 1.0, 5.0),
]


def somewhere(count: int) -> np.ndarray:
    return np.random.default_rng(count).random((count, 3))


def scaling_of(values: np.ndarray) -> Scaling:
    """The scaling of values that were measured anywhere."""
    return Scaling.of(values, somewhere(len(values)))


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_standardised_comes_back(shape: str, unit: float) -> None:
    values = unit * SHAPES[shape]
    scaling = scaling_of(values)
    span = values.max() - values.min()
    elsewhere = np.linspace(values.min() - span, values.max() + span, 101)
    for y in (values, elsewhere):
        # Rounding of 1e-16 in a logarithm of up to 30 grows to 1e-13 of the value.
        size = 1e-11 * np.abs(y) + 1e-12 * scaling.spread
        assert (np.abs(scaling.inverse(scaling.forward(y)) - y) <= size).all()


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("shape", SHAPES)
def test_the_map_is_increasing(shape: str, unit: float) -> None:
    values = unit * SHAPES[shape]
    scaling = scaling_of(values)
    ends = scaling.centre + scaling.spread * np.array([-1e4, 1e4])
    assert (np.diff(scaling.forward(np.linspace(*ends, 2001))) > 0.0).all()


@pytest.mark.parametrize("warp", WARPS)
def test_a_warp_is_increasing_and_undone(warp: Warp) -> None:
    robust = np.linspace(-30.0, 30.0, 9001)
    warped = warp.forward(robust)
    assert (np.diff(warped) > 0.0).all()
    np.testing.assert_allclose(warp.inverse(warped), robust, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("warp", WARPS)
def test_the_slope_of_a_warp_is_that_of_finite_differences(warp: Warp) -> None:
    # Not at the end or a knee, where a line meets a logarithm with another curvature.
    z = np.linspace(-5.7, 5.7, 58)
    step = 1e-6
    numeric = (warp.inverse(z + step) - warp.inverse(z - step)) / (2 * step)
    np.testing.assert_allclose(np.exp(warp.log_slope(z)), numeric, rtol=1e-3)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("shape", SHAPES)
def test_measured_values_are_standardised(shape: str, unit: float) -> None:
    standardised = scaling_of(unit * SHAPES[shape]).forward(unit * SHAPES[shape])
    assert standardised.mean() == pytest.approx(0.0, abs=1e-9)
    assert standardised.std() == pytest.approx(1.0, rel=1e-9)
    # One value among n that is n - 1 times the others' distance has a deviation of sqrt(n - 1).
    assert np.abs(standardised).max() < np.sqrt(len(standardised))


@pytest.mark.parametrize("factor", [1e-9, 0.3, 1e9, -1.0, -1e9])
@pytest.mark.parametrize("shift", [0.0, -70.0])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_units_of_the_user_do_not_matter(shape: str, shift: float, factor: float) -> None:
    values = SHAPES[shape]
    other = factor * (values + shift)
    expected = np.sign(factor) * scaling_of(values).forward(values)
    # Adding 70 rounds values at 1e-14, and 70 - 70.001 would keep eleven digits.
    np.testing.assert_allclose(scaling_of(other).forward(other), expected, atol=1e-9)


@pytest.mark.parametrize("values", CONSTANTS)
def test_constant_values_are_zero(values: list[float]) -> None:
    y = np.array(values)
    scaling = scaling_of(y)
    np.testing.assert_allclose(scaling.forward(y), 0.0, atol=1e-9)
    np.testing.assert_allclose(scaling.inverse(np.zeros(len(y))), y, rtol=1e-9)
    # Their own size is all that is known of their units.
    size = abs(y[0]) if y[0] else 1.0
    assert scaling.forward(y + size)[0] == pytest.approx(1.0, rel=1e-6)


def test_without_values_units_are_kept() -> None:
    y = np.array([-2.0, 0.0, 4.0])
    np.testing.assert_array_equal(scaling_of(np.zeros(0)).forward(y), y)


@pytest.mark.parametrize("size", [1e12, 1e20, -1e30, 1e100])
def test_an_outlier_leaves_room_for_the_others(size: float) -> None:
    values = np.append(SHAPES["outlier"][:-1], size)
    standardised = scaling_of(values).forward(values)
    # Divided by the plain deviation, all but the outlier would lie within 1e-11.
    assert np.ptp(standardised[:-1]) > 0.3


@pytest.mark.parametrize("offset", [1e9, -1e9])
def test_values_far_from_zero_keep_their_differences(offset: float) -> None:
    values = offset + np.random.default_rng(6).standard_normal(20)
    assert np.ptp(scaling_of(values).forward(values)) > 2.0


def test_rounding_is_not_taken_for_a_scale() -> None:
    # Three in four are zero but for rounding: the others have the say.
    values = np.concatenate([1e-17 * np.random.default_rng(4).random(30), np.linspace(1, 2, 9)])
    standardised = scaling_of(values).forward(values)
    assert np.ptp(standardised[:30]) < 1e-9
    # Two clumps are drawn a little together by the bend; the scale of the nine is still theirs.
    assert np.ptp(standardised[30:]) > 0.3


def skewness(values: np.ndarray) -> float:
    return float(((values - values.mean()) ** 3).mean() / values.std() ** 3)


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("seed", range(5))
def test_a_long_tail_on_one_side_is_drawn_in(seed: int, sign: float) -> None:
    values = sign * np.exp(2.0 * np.random.default_rng([7, seed]).standard_normal(40))
    scaling = scaling_of(values)
    assert scaling.warp.bend > 0.0
    assert scaling.warp.side == sign
    assert abs(skewness(scaling.forward(values))) < 0.4 * abs(skewness(values))


def drawn_at(points: np.ndarray, seed: int) -> np.ndarray:
    """One function, drawn from the models' own prior (lengthscale 1/2), at points."""
    rng = np.random.default_rng([9, seed])
    normal = rng.standard_normal((points.shape[1], 500))
    turns = points @ (2.0 * normal * np.sqrt(5.0 / rng.chisquare(5, 500)))
    return np.cos(turns + rng.uniform(0.0, 2.0 * np.pi, 500)) @ rng.standard_normal(500)


def test_points_that_crowd_where_values_are_low_are_no_tail() -> None:
    skewed, warped = [], []
    for seed in range(1000, 1060):
        rng = np.random.default_rng([10, seed])
        everywhere = rng.random((400, 2))
        lowest = everywhere[np.argmin(drawn_at(everywhere, seed))]
        crowd = np.clip(lowest + 0.03 * rng.standard_normal((30, 2)), 0.0, 1.0)
        points = np.concatenate([everywhere[:10], crowd])
        values = drawn_at(points, seed)
        skewed.append(skewness(values))
        warped.append(Scaling.of(values, points).warp != Warp())
    # The histograms look skewed, or there would be nothing to see through.
    assert np.median(skewed) > 1.0
    # Of two hundred functions 3 % were warped.
    assert np.mean(warped) < 0.1


@pytest.mark.parametrize("seed", range(5))
def test_the_logarithm_of_a_smooth_function_is_found(seed: int) -> None:
    points = np.random.default_rng([11, seed]).random((40, 2))
    smooth = drawn_at(points, seed)
    smooth = 3.0 * (smooth - smooth.mean()) / smooth.std()
    scaling = Scaling.of(np.exp(smooth), points)
    assert scaling.warp.bend > 0.0
    straight = np.exp(smooth)
    assert np.corrcoef(scaling.forward(straight), smooth)[0, 1] > 0.9
    assert np.corrcoef(straight, smooth)[0, 1] < 0.8


def test_the_evidence_is_that_of_another_library() -> None:
    points = somewhere(25)
    rows = np.array([drawn_at(points, 0), np.exp(drawn_at(points, 1) / 5.0)])
    for factor, lengthscale, noise in zip(
        module._factors(points), np.repeat(module.LENGTHSCALES, 3), module.NOISES * 4, strict=True
    ):
        inverse = np.linalg.inv(factor @ factor.T)
        for row, evidence in zip(rows, module._evidence(factor, rows), strict=True):
            centred = row - inverse.sum(0) @ row / inverse.sum()
            amplitude = centred @ inverse @ centred / len(row)
            kernel = amplitude * Matern(lengthscale * np.sqrt(3.0), nu=2.5)
            kernel += WhiteKernel(noise * amplitude)
            process = GaussianProcessRegressor(kernel, optimizer=None, alpha=0.0)
            likelihood = process.fit(points, centred).log_marginal_likelihood()
            constant = 0.5 * len(row) * (1.0 + np.log(2.0 * np.pi))
            assert evidence == pytest.approx(likelihood + constant, rel=1e-8)


def test_without_a_tail_values_keep_their_proportions() -> None:
    drawn = np.random.default_rng(8).standard_normal((200, 40))
    warped = [scaling_of(values).warp != Warp() for values in drawn]
    # A few samples of forty look skewed by chance.
    assert np.mean(warped) < 0.05
    for values in (drawn[0], drawn[0, :3], np.linspace(0.0, 1.0, 30)):
        scaling = scaling_of(values)
        assert scaling.warp == Warp()
        standardised = (values - values.mean()) / values.std()
        np.testing.assert_allclose(scaling.forward(values), standardised, atol=1e-9)


def test_beyond_the_end_a_bend_is_straight() -> None:
    # What is better than all that was measured is not drawn apart or together.
    values = SHAPES["bounded below"]
    scaling = scaling_of(values)
    assert scaling.warp.bend > 0.0
    beyond = values.min() - scaling.spread * np.array([0.0, 0.1, 0.2, 0.3])
    steps = np.diff(scaling.forward(beyond))
    np.testing.assert_allclose(steps, steps[0], rtol=1e-9)


def test_infinite_bounds_stay_infinite() -> None:
    scaling = scaling_of(SHAPES["skewed"])
    np.testing.assert_array_equal(scaling.forward(np.array([np.inf, -np.inf])), [np.inf, -np.inf])


@pytest.mark.parametrize("shape", SHAPES)
def test_the_slope_is_that_of_finite_differences(shape: str) -> None:
    scaling = scaling_of(SHAPES[shape])
    # Not at the knees, where a line meets a logarithm with the same slope but another curvature.
    z = np.linspace(-3.0, 3.0, 60)
    step = 1e-5
    numeric = (scaling.inverse(z + step) - scaling.inverse(z - step)) / (2 * step)
    np.testing.assert_allclose(scaling.slope(z), numeric, rtol=2e-3)
    assert (scaling.slope(z) > 0.0).all()
