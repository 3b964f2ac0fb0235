"""The units a Gaussian process sees: every black box near mean 0 and variance 1, tails drawn in.

The map is increasing, so neither dominance nor feasibility changes, and exact to undo.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

# Robust deviations from the median beyond which a value is drawn in by its logarithm.
KNEE = 5.0
# How strongly one side's values are drawn together, tried in turn; the first is not at all.
BENDS = (0.0, 1.0, 3.0, 10.0, 30.0)
# By how much (natural log of the likelihood) a bend must beat a straight scale to be used.
EVIDENCE = 3.0


@dataclass(frozen=True)
class Scaling:
    """z = (squash(bend((y - centre) / spread)) - shift) / scale.

    The bend draws a long tail on one side together by a logarithm that starts at the extreme value
    of the other side (`end`), as much as makes the values most nearly normal; most often it is
    none. The squash is logarithmic beyond the knee on both sides.
    """

    centre: float
    spread: float
    bend: float
    end: float
    side: float
    shift: float
    scale: float

    @classmethod
    def of(cls, values: Float[np.ndarray, " n"]) -> "Scaling":
        """The scaling of these measurements; follows any affine change of their units."""
        if len(values) == 0:
            return cls(0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0)
        centre = float(np.median(values))
        spread = _spread(values)
        robust = (values - centre) / spread
        bend, end, side = _best_bend(robust)
        squashed = _squash(_bent(robust, bend, end, side))
        scale = float(squashed.std())
        shift = float(squashed.mean())
        return cls(centre, spread, bend, end, side, shift, scale if scale > 1e-9 else 1.0)

    def forward(self, values: Float[np.ndarray, "*n"]) -> Float[np.ndarray, "*n"]:
        """Measured units to standardised ones; infinities stay infinite."""
        robust = (values - self.centre) / self.spread
        bent = _bent(robust, self.bend, self.end, self.side)
        return (_squash(bent) - self.shift) / self.scale

    def inverse(self, standardised: Float[np.ndarray, "*n"]) -> Float[np.ndarray, "*n"]:
        """Standardised units to measured ones."""
        bent = _unsquash(standardised * self.scale + self.shift)
        return self.centre + self.spread * _straight(bent, self.bend, self.end, self.side)

    def slope(self, standardised: Float[np.ndarray, "*n"]) -> Float[np.ndarray, "*n"]:
        """Measured units per standardised unit, for deviations."""
        squashed = standardised * self.scale + self.shift
        beyond = np.maximum(np.abs(squashed) - KNEE, 0.0)
        inwards = np.maximum(self.side * (_unsquash(squashed) - self.end), 0.0)
        steepness = np.exp(np.minimum(beyond + self.bend * inwards, 700.0))
        return self.spread * self.scale * steepness


def _best_bend(robust: Float[np.ndarray, " n"]) -> tuple[float, float, float]:
    """Bend, end and side under which the values are most likely, were they normal."""
    best = (0.0, 0.0, 1.0)
    highest = _likelihood(robust, *best) + EVIDENCE
    for side, end in ((1.0, float(robust.min())), (-1.0, float(robust.max()))):
        for bend in BENDS[1:]:
            likelihood = _likelihood(robust, bend, end, side)
            if likelihood > highest:
                best, highest = (bend, end, side), likelihood
    return best


def _likelihood(robust: Float[np.ndarray, " n"], bend: float, end: float, side: float) -> float:
    deviation = _bent(robust, bend, end, side).std()
    inwards = np.maximum(side * (robust - end), 0.0)
    return float(-len(robust) * np.log(max(deviation, 1e-12)) - np.log1p(bend * inwards).sum())


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
    # A constant's own size is all that is known of its units; 1e-9 of it is rounding. The middle
    # half may be small beside one value far away, as long as doubles still tell it from nothing.
    size = float(np.abs(values).max())
    low, high = np.quantile(values, [0.25, 0.75])
    rounding = max(1e-9 * abs(low), 1e-9 * abs(high), 1e-14 * size)
    for spread, least in (((high - low) / 1.349, rounding), (values.std(), 1e-9 * size)):
        if spread > least:
            return float(spread)
    return size if size > 0.0 else 1.0


def _squash(z: Float[np.ndarray, "*n"]) -> Float[np.ndarray, "*n"]:
    beyond = np.maximum(np.abs(z) - KNEE, 0.0)
    return np.where(beyond > 0.0, np.sign(z) * (KNEE + np.log1p(beyond)), z)


def _unsquash(z: Float[np.ndarray, "*n"]) -> Float[np.ndarray, "*n"]:
    beyond = np.maximum(np.abs(z) - KNEE, 0.0)
    return np.where(beyond > 0.0, np.sign(z) * (KNEE + np.expm1(np.minimum(beyond, 700.0))), z)
