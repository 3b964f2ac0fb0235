"""The units a Gaussian process sees: every black box near mean 0 and variance 1, tails drawn in
where a Gaussian process then explains the values better.

The map is increasing, so neither dominance nor feasibility changes, and exact to undo.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.linalg
from jaxtyping import Float

# How strongly one side's values are drawn together; the first is not at all.
BENDS = (0.0, 1.0, 3.0, 10.0, 30.0)
# Robust deviations from the median beyond which a value is drawn in by its logarithm, or none is.
KNEES = (np.inf, 5.0)
# By how much (natural log of the evidence; for each value, and at least) a warp must beat a
# straight scale to be used. A logarithm gains 1 a value where there is one to find; flat ground
# around an optimum, where measurements crowd, less than 0.5.
EVIDENCE, LEAST = 0.5, 3.0
# The processes that values are explained by: lengthscales in shares of sqrt(width), noise in
# shares of the amplitude. More than MOST values are thinned evenly for it.
LENGTHSCALES, NOISES, MOST = (0.15, 0.4, 1.0, 2.5), (1e-7, 1e-4, 1e-1), 160
# Values that differ by less than this share of their size are all the same.
ROUNDING = 1e-10
# Where most values differ by a share of the largest between these, they are zeros but for rounding;
# by less than that, and the largest is a number that stands for failure, such as 1e20.
NEARLY_ZERO = (1e-18, 1e-14)


class Warp(NamedTuple):
    """How values in robust deviations are bent on one side, and squashed beyond the knee on both.

    The bend draws a long tail on one side together by a logarithm that starts at the extreme value
    of the other side (`end`).
    """

    bend: float = 0.0
    end: float = 0.0
    side: float = 1.0
    knee: float = np.inf

    def forward(self, robust: Float[np.ndarray, "*n"]) -> Float[np.ndarray, "*n"]:
        """Robust deviations to warped ones; infinities stay infinite."""
        return _squash(_bent(robust, self.bend, self.end, self.side), self.knee)

    def inverse(self, warped: Float[np.ndarray, "*n"]) -> Float[np.ndarray, "*n"]:
        """Warped deviations to robust ones."""
        return _straight(_unsquash(warped, self.knee), self.bend, self.end, self.side)

    def log_slope(self, warped: Float[np.ndarray, "*n"]) -> Float[np.ndarray, "*n"]:
        """Log of the robust deviations per warped one, where the warped ones are these."""
        beyond = _beyond(warped, self.knee)
        inwards = np.maximum(self.side * (_unsquash(warped, self.knee) - self.end), 0.0)
        return beyond + self.bend * inwards


@dataclass(frozen=True)
class Scaling:
    """z = (warp((y - centre) / spread) - shift) / scale."""

    centre: float
    spread: float
    warp: Warp
    shift: float
    scale: float

    @classmethod
    def of(cls, values: Float[np.ndarray, " n"], points: Float[np.ndarray, "n width"]) -> "Scaling":
        """The scaling of what was measured at these points; follows any affine change of units."""
        if len(values) == 0:
            return cls(0.0, 1.0, Warp(), 0.0, 1.0)
        centre = float(np.median(values))
        spread = _spread(values)
        robust = (values - centre) / spread
        warp = _best_warp(robust, points)
        warped = warp.forward(robust)
        scale = float(warped.std())
        shift = float(warped.mean())
        return cls(centre, spread, warp, shift, scale if scale > 1e-9 else 1.0)

    def forward(self, values: Float[np.ndarray, "*n"]) -> Float[np.ndarray, "*n"]:
        """Measured units to standardised ones; infinities stay infinite."""
        return (self.warp.forward((values - self.centre) / self.spread) - self.shift) / self.scale

    def inverse(self, standardised: Float[np.ndarray, "*n"]) -> Float[np.ndarray, "*n"]:
        """Standardised units to measured ones."""
        return self.centre + self.spread * self.warp.inverse(self._warped(standardised))

    def slope(self, standardised: Float[np.ndarray, "*n"]) -> Float[np.ndarray, "*n"]:
        """Measured units per standardised unit, for deviations."""
        steepness = np.exp(np.minimum(self.warp.log_slope(self._warped(standardised)), 700.0))
        return self.spread * self.scale * steepness

    def _warped(self, standardised: Float[np.ndarray, "*n"]) -> Float[np.ndarray, "*n"]:
        return standardised * self.scale + self.shift


def _best_warp(robust: Float[np.ndarray, " n"], points: Float[np.ndarray, "n width"]) -> Warp:
    """The warp under which a Gaussian process makes the values most likely.

    Their histogram does not tell: a search that crowds where values are low makes it look skewed.
    """
    ends = ((1.0, float(robust.min())), (-1.0, float(robust.max())))
    bent = [(bend, end, side) for side, end in ends for bend in BENDS[1:]]
    warps = [Warp(*bend, knee) for knee in KNEES for bend in [(0.0, 0.0, 1.0), *bent]]
    kept = np.unique(np.linspace(0, len(robust) - 1, MOST).round().astype(int))
    robust, points = robust[kept], points[kept]
    warped = np.array([warp.forward(robust) for warp in warps])
    slopes = [warp.log_slope(z).sum() for warp, z in zip(warps, warped, strict=True)]
    evidence = np.max([_evidence(factor, warped) for factor in _factors(points)], axis=0) - slopes
    best = int(np.argmax(evidence))
    enough = evidence[0] + max(EVIDENCE * len(robust), LEAST)
    return warps[best] if evidence[best] > enough else warps[0]


def _factors(points: Float[np.ndarray, "n width"]) -> Iterator[Float[np.ndarray, "n n"]]:
    """Cholesky factors of the correlations at points, one for each process."""
    apart = np.sqrt(((points[:, None] - points[None]) ** 2).mean(-1))
    for lengthscale in LENGTHSCALES:
        t = np.sqrt(5.0) / lengthscale * apart
        matern52 = (1.0 + t + t * t / 3.0) * np.exp(-t)
        for noise in NOISES:
            yield np.linalg.cholesky(matern52 + noise * np.eye(len(points)))


def _evidence(
    factor: Float[np.ndarray, "n n"], rows: Float[np.ndarray, "w n"]
) -> Float[np.ndarray, " w"]:
    """Log evidence of each row's values, at the mean and the amplitude that suit them best."""
    count = rows.shape[1]
    given = np.vstack([np.ones(count), rows]).T
    whitened = scipy.linalg.solve_triangular(factor, given, lower=True, check_finite=False)
    one, values = whitened[:, :1], whitened[:, 1:]
    square = (values**2).sum(0) - (one * values).sum(0) ** 2 / (one**2).sum()
    # Beside values this much larger, what is left of the others is rounding.
    square = np.maximum(square, count * (1e-10 * np.abs(rows).max(1)) ** 2 + 1e-300)
    return -0.5 * count * np.log(square / count) - np.log(np.diagonal(factor)).sum()


def _bent(
    robust: Float[np.ndarray, "*n"], bend: float, end: float, side: float
) -> Float[np.ndarray, "*n"]:
    # Straight beyond the end, with the slope it has there.
    if bend == 0.0:
        return robust
    inwards = side * (robust - end)
    drawn = np.log1p(bend * np.maximum(inwards, 0.0)) / bend
    return end + side * np.where(inwards > 0.0, drawn, inwards)


def _straight(
    bent: Float[np.ndarray, "*n"], bend: float, end: float, side: float
) -> Float[np.ndarray, "*n"]:
    if bend == 0.0:
        return bent
    inwards = side * (bent - end)
    drawn = np.expm1(np.minimum(bend * np.maximum(inwards, 0.0), 700.0)) / bend
    return end + side * np.where(inwards > 0.0, drawn, inwards)


def _spread(values: Float[np.ndarray, " n"]) -> float:
    size = float(np.abs(values).max())
    low, high = np.quantile(values, [0.25, 0.75])
    middle = float(high - low) / 1.349
    differ = middle > ROUNDING * max(abs(low), abs(high))
    if differ and not NEARLY_ZERO[0] * size < middle < NEARLY_ZERO[1] * size:
        return middle
    spread = float(values.std())
    if spread > ROUNDING * size:
        return spread
    # A constant's own size is all that is known of its units.
    return size if size > 0.0 else 1.0


def _squash(z: Float[np.ndarray, "*n"], knee: float) -> Float[np.ndarray, "*n"]:
    if np.isinf(knee):
        return z
    beyond = _beyond(z, knee)
    return np.where(beyond > 0.0, np.sign(z) * (knee + np.log1p(beyond)), z)


def _unsquash(z: Float[np.ndarray, "*n"], knee: float) -> Float[np.ndarray, "*n"]:
    if np.isinf(knee):
        return z
    beyond = _beyond(z, knee)
    return np.where(beyond > 0.0, np.sign(z) * (knee + np.expm1(np.minimum(beyond, 700.0))), z)


def _beyond(z: Float[np.ndarray, "*n"], knee: float) -> Float[np.ndarray, "*n"]:
    return np.maximum(np.abs(z) - knee, 0.0)
