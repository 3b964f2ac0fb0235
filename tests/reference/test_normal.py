"""The normal distribution on half-lines and intervals, against SciPy and against quadrature."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import special

from tradespace.conditioning.normal import (
    Interval,
    below,
    cdf,
    density,
    half_erfcx,
    half_line,
    interval,
    odds,
)

INF = np.inf
TAILS = np.concatenate([np.linspace(-40.0, 40.0, 1601), [-1e3, -1e5, 1e3, 1e5, -1e-9, 1e-300]])
NODES, WEIGHTS = np.polynomial.legendre.leggauss(40)


def by_quadrature(lower: float, upper: float) -> tuple[float, float, float, float]:
    """log P, E[z], E[z^2] and Var[z] of the standard normal on an interval: 40-point panels."""
    # The density is scaled by its largest value inside; 40 scale lengths off, nothing is left.
    top = min(max(lower, 0.0), upper)
    length = 1.0 / max(1.0, abs(top))
    low, high = max(lower, top - 40.0 * length), min(upper, top + 40.0 * length)
    ends = np.linspace(low, high, 101)
    half = np.diff(ends)[:, None] / 2
    z = (ends[:-1, None] + half * (1.0 + NODES)).ravel()
    mass = (half * WEIGHTS).ravel() * np.exp(-0.5 * (z - top) * (z + top))
    total = mass.sum()
    share = mass / total
    first = top + share @ (z - top)
    log_probability = math.log(total) - 0.5 * top * top - 0.5 * math.log(2 * math.pi)
    return log_probability, first, share @ z**2, share @ (z - first) ** 2


def test_quadrature_agrees_with_scipy_where_both_can() -> None:
    for lower, upper in [(-1.0, 2.0), (-INF, 0.3), (0.5, 0.6), (-9.0, INF)]:
        expected = math.log(special.ndtr(upper) - special.ndtr(lower))
        assert by_quadrature(lower, upper)[0] == pytest.approx(expected, rel=1e-13, abs=1e-14)


def test_half_erfcx_to_1e_14() -> None:
    x = np.concatenate([np.linspace(0.0, 40.0, 4001), np.geomspace(40.0, 1e8, 100)])
    np.testing.assert_allclose(
        half_erfcx(jnp.array(x)), 0.5 * special.erfcx(x / math.sqrt(2)), rtol=1e-14
    )


def test_cdf_keeps_its_relative_accuracy_in_the_tail() -> None:
    inside = TAILS[np.abs(TAILS) < 37.0]
    np.testing.assert_allclose(cdf(jnp.array(inside)), special.ndtr(inside), rtol=1e-12)
    np.testing.assert_allclose(cdf(jnp.array([-INF, INF])), [0.0, 1.0], atol=1e-300)


def test_log_cdf_and_ratio() -> None:
    log_probability, ratio = below(jnp.array(TAILS))
    assert np.isfinite(ratio).all()
    # Relative below zero; above, where log Phi vanishes, the digits of 1 are what there is.
    np.testing.assert_allclose(log_probability, special.log_ndtr(TAILS), rtol=1e-13, atol=2e-16)
    # phi/Phi = sqrt(2/pi) / erfcx(-x/sqrt(2)), which SciPy has for either sign.
    inside = TAILS[(TAILS > -1e4) & (TAILS < 38.0)]
    with np.errstate(over="ignore"):
        expected = math.sqrt(2 / math.pi) / special.erfcx(-inside / math.sqrt(2))
    np.testing.assert_allclose(below(jnp.array(inside))[1], expected, rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("upper", [-40.0, -8.0, -1.0, 0.0, 1.0, 8.0, 40.0])
def test_half_line_moments(upper: float) -> None:
    found = half_line(jnp.array(upper))
    expected = by_quadrature(-INF, upper)
    for got, want, floor in zip(found, expected, (1e-15, 1e-15, 0.0), strict=False):
        assert float(got) == pytest.approx(want, rel=1e-11, abs=floor)


WIDE = [
    (-1.0, 2.0),
    (0.0, 1.0),
    (-0.3, 0.2),
    (5.0, 6.0),
    (-6.0, -5.0),
    (-40.0, -39.0),
    (39.0, 40.0),
    (20.0, 200.0),
    (-30.0, 30.0),
    (-3.0, 1e6),
    (-1e6, 3.0),
]
HALF = [(-INF, -40.0), (-INF, 0.0), (-INF, 3.0), (40.0, INF), (0.0, INF), (-3.0, INF)]


@pytest.mark.parametrize("ends", WIDE + HALF)
def test_interval_moments(ends: tuple[float, float]) -> None:
    found = interval(*jnp.array(ends))
    log_probability, first, second, _ = by_quadrature(*ends)
    assert float(found.log_probability) == pytest.approx(log_probability, rel=1e-12, abs=1e-14)
    assert float(found.first) == pytest.approx(first, rel=1e-10, abs=1e-12)
    assert float(found.second) == pytest.approx(second, rel=1e-9)


def test_the_whole_line_is_an_interval() -> None:
    found = interval(jnp.array(-INF), jnp.array(INF))
    assert [float(x) for x in found] == [0.0, 0.0, 1.0]


@pytest.mark.parametrize("middle", [0.0, 1e-4, 0.5, -2.0, 5.0, -10.0, 30.0])
@pytest.mark.parametrize("width", [1e-1, 1e-2, 1e-3, 1e-4])
def test_moments_of_narrow_intervals(middle: float, width: float) -> None:
    ends = middle - width / 2, middle + width / 2
    found = interval(*jnp.array(ends))
    log_probability, first, second, _ = by_quadrature(*ends)
    # What is left of 16 digits after the difference of two probabilities this close.
    digits = 1e-14 / width
    assert float(found.log_probability) == pytest.approx(log_probability, abs=10 * digits)
    assert float(found.first) == pytest.approx(first, abs=10 * digits / width)
    assert float(found.second) == pytest.approx(
        second, abs=10 * digits * max(1.0, abs(middle)) / width
    )


@pytest.mark.parametrize("middle", [0.0, 0.5, -5.0, 20.0])
@pytest.mark.parametrize("width", [1e-6, 1e-9, 1e-12, 0.0])
def test_a_vanishing_interval_is_a_point(middle: float, width: float) -> None:
    # All digits may be lost here; what must not be lost is that the point lies inside.
    ends = middle - width / 2, middle + width / 2
    found = interval(*jnp.array(ends))
    assert np.isfinite(np.array(found)).all()
    assert ends[0] <= float(found.first) <= ends[1]
    assert float(found.log_probability) <= math.log(2.0 * width + 1e-15)


def test_interval_is_mirrored_exactly() -> None:
    for low, high in WIDE:
        there, back = interval(*jnp.array((low, high))), interval(*jnp.array((-high, -low)))
        assert there.log_probability == back.log_probability
        assert there.first == -back.first
        assert there.second == back.second


def difference(function: object, x: float, step: float) -> np.ndarray:
    """Central differences of the fourth order."""
    moved = jax.vmap(function)(x + step * jnp.array([-2.0, -1.0, 1.0, 2.0]))
    at = np.array(jax.tree.leaves(moved)).T
    return (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * step)


@pytest.mark.parametrize("x", [-40.0, -12.0, -5.0, -1.0, -0.01, 0.3, 2.0, 5.0])
@pytest.mark.parametrize("function", [cdf, below, half_line, density])
def test_derivatives_of_half_lines(function: object, x: float) -> None:
    exact = np.array(jax.tree.leaves(jax.jacfwd(function)(jnp.array(x))))
    scale = np.abs(np.array(jax.tree.leaves(function(jnp.array(x)))))
    np.testing.assert_allclose(
        exact, difference(function, x, 1e-3), rtol=1e-7, atol=1e-9 * scale.max()
    )


@pytest.mark.parametrize(
    "ends", [(-1.0, 2.0), (0.5, 0.9), (5.0, 7.0), (-15.0, -12.0), (-2.0, 30.0)]
)
@pytest.mark.parametrize("moving", [0, 1])
def test_derivatives_of_intervals(ends: tuple[float, float], moving: int) -> None:
    def moved(x: jax.Array) -> Interval:
        return interval(x, jnp.array(ends[1])) if moving == 0 else interval(jnp.array(ends[0]), x)

    exact = np.array(jax.tree.leaves(jax.jacfwd(moved)(jnp.array(ends[moving]))))
    np.testing.assert_allclose(exact, difference(moved, ends[moving], 1e-3), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("ends", [(-INF, 1.0), (1.0, INF), (-INF, -30.0), (30.0, INF), (-INF, INF)])
def test_derivatives_are_finite_at_infinite_ends(ends: tuple[float, float]) -> None:
    slopes = jax.jacfwd(lambda shift: interval(*(jnp.array(ends) - shift)))(jnp.array(0.0))
    assert np.isfinite(np.array(slopes)).all()
    if math.isinf(ends[0]) and math.isfinite(ends[1]):
        # d log P / d upper is phi/P; the mean rises by that times its distance to the end.
        log_probability, first, _, _ = by_quadrature(*ends)
        ratio = math.exp(-0.5 * ends[1] ** 2 - 0.5 * math.log(2 * math.pi) - log_probability)
        assert -float(slopes.log_probability) == pytest.approx(ratio, rel=1e-10)
        assert -float(slopes.first) == pytest.approx(ratio * (ends[1] - first), rel=1e-8)


@pytest.mark.parametrize("log_probability", [-1e-9, -1e-3, -0.7, -5.0, -50.0, -700.0, -1e4])
def test_odds_and_their_derivative(log_probability: float) -> None:
    r, slope = jax.value_and_grad(odds)(jnp.array(log_probability))
    # P/(1-P), and its derivative with respect to log P: P/(1-P)^2.
    p, rest = math.exp(log_probability), -math.expm1(log_probability)
    assert float(r) == pytest.approx(p / rest, rel=1e-12)
    assert float(slope) == pytest.approx(p / rest / rest, rel=1e-12)


def test_odds_of_the_impossible_are_zero() -> None:
    assert [float(x) for x in jax.value_and_grad(odds)(jnp.array(-INF))] == [0.0, 0.0]
