"""The units a Gaussian process sees: every black box near mean 0 and variance 1, tails drawn in.

The map is increasing, so neither dominance nor feasibility changes, and exact to undo.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

# Robust deviations from the median beyond which a value is drawn in by its logarithm.
KNEE = 5.0


@dataclass(frozen=True)
class Scaling:
    """z = (squash((y - centre) / spread) - shift) / scale, squash logarithmic beyond the knee."""

    centre: float
    spread: float
    shift: float
    scale: float

    @classmethod
    def of(cls, values: Float[np.ndarray, " n"]) -> "Scaling":
        """The scaling of these measurements; follows any affine change of their units."""
        if len(values) == 0:
            return cls(0.0, 1.0, 0.0, 1.0)
        centre = float(np.median(values))
        spread = _spread(values)
        squashed = _squash((values - centre) / spread)
        scale = float(squashed.std())
        return cls(centre, spread, float(squashed.mean()), scale if scale > 1e-9 else 1.0)

    def forward(self, values: Float[np.ndarray, "*n"]) -> Float[np.ndarray, "*n"]:
        """Measured units to standardised ones; infinities stay infinite."""
        return (_squash((values - self.centre) / self.spread) - self.shift) / self.scale

    def inverse(self, standardised: Float[np.ndarray, "*n"]) -> Float[np.ndarray, "*n"]:
        """Standardised units to measured ones."""
        return self.centre + self.spread * _unsquash(standardised * self.scale + self.shift)

    def slope(self, standardised: Float[np.ndarray, "*n"]) -> Float[np.ndarray, "*n"]:
        """Measured units per standardised unit, for deviations."""
        beyond = np.maximum(np.abs(standardised * self.scale + self.shift) - KNEE, 0.0)
        return self.spread * self.scale * np.exp(beyond)


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
