"""What is believed of the hyper-parameters before any data.

`Default` is scaled with the number of inputs, since distances in the unit cube grow as sqrt(d):
a log-normal lengthscale with median sqrt(d)/2, wide enough (one unit of the logarithm) for a
function that wiggles and for one that is nearly linear. `Reference` is the paper's system's.
"""

import math
from typing import NamedTuple, Protocol, runtime_checkable

import jax.numpy as jnp
import numpy as np
from jax.scipy.special import gammaln
from jaxtyping import Float

from tradespace.arrays import Array


@runtime_checkable
class Prior(Protocol):
    """Log densities of the LOGARITHMS of a black box's hyper-parameters."""

    def lengthscale(self, log_lengthscale: Float[Array, " d"]) -> Float[Array, ""]:
        """Of all lengthscales together, in units of the unit cube's side."""

    def amplitude(self, log_amplitude: Float[Array, "*a"]) -> Float[Array, "*a"]:
        """Of the variance of the function (standardised units)."""

    def noise(self, log_noise: Float[Array, "*a"]) -> Float[Array, "*a"]:
        """Of the variance of a measurement (standardised units)."""

    def draw(
        self, rng: np.random.Generator, count: int, inputs: int
    ) -> Float[np.ndarray, "count p"]:
        """Log lengthscales and, last, the log share of noise, as they are before any data."""


class Default(NamedTuple):
    """Log-normal lengthscales that grow as sqrt(d), amplitude near 1, noise from none to much."""

    lengthscale_sd: float = 1.0
    amplitude_sd: float = 1.5
    noise_median: float = 1e-3
    noise_sd: float = 2.5

    def lengthscale(self, log_lengthscale: Float[Array, " d"]) -> Float[Array, ""]:
        median = math.log(0.5 * math.sqrt(log_lengthscale.shape[-1]))
        return _normal(log_lengthscale, median, self.lengthscale_sd).sum()

    def amplitude(self, log_amplitude: Float[Array, "*a"]) -> Float[Array, "*a"]:
        return _normal(log_amplitude, 0.0, self.amplitude_sd)

    def noise(self, log_noise: Float[Array, "*a"]) -> Float[Array, "*a"]:
        return _normal(log_noise, math.log(self.noise_median), self.noise_sd)

    def draw(
        self, rng: np.random.Generator, count: int, inputs: int
    ) -> Float[np.ndarray, "count p"]:
        normal = rng.standard_normal((count, inputs + 1))
        lengthscale = math.log(0.5 * math.sqrt(inputs)) + self.lengthscale_sd * normal[:, :-1]
        noise = math.log(self.noise_median) + self.noise_sd * normal[:, -1:]
        return np.hstack([lengthscale, noise])


class Reference(NamedTuple):
    """The paper's system: lengthscale/5 ~ Beta(1.5, 7), amplitude ~ N(1, 1) above zero, noise
    variance ~ horseshoe(0.1)."""

    def lengthscale(self, log_lengthscale: Float[Array, " d"]) -> Float[Array, ""]:
        a, b, longest = 1.5, 7.0, 5.0
        share = jnp.exp(log_lengthscale) / longest
        inside = jnp.clip(share, 1e-12, 1.0 - 1e-12)
        constant = gammaln(a + b) - gammaln(a) - gammaln(b)
        density = constant + a * jnp.log(inside) + (b - 1.0) * jnp.log1p(-inside)
        return jnp.where(share < 1.0, density, -jnp.inf).sum()

    def amplitude(self, log_amplitude: Float[Array, "*a"]) -> Float[Array, "*a"]:
        above_zero = 0.8413447460685429  # P(N(1, 1) > 0)
        amplitude = jnp.exp(log_amplitude)
        return _normal(amplitude, 1.0, 1.0) - math.log(above_zero) + log_amplitude

    def noise(self, log_noise: Float[Array, "*a"]) -> Float[Array, "*a"]:
        # The horseshoe's density has no constant: log(1 + 3 (s/x)^2) is its usual bound.
        return jnp.log(jnp.log1p(3.0 * (0.1 * jnp.exp(-log_noise)) ** 2)) + log_noise

    def draw(
        self, rng: np.random.Generator, count: int, inputs: int
    ) -> Float[np.ndarray, "count p"]:
        lengthscale = np.log(5.0 * rng.beta(1.5, 7.0, (count, inputs)))
        noise = np.log(0.1 * np.abs(np.tan(0.5 * np.pi * rng.random((count, 1)))) + 1e-6)
        return np.hstack([lengthscale, noise])


PRIORS: dict[str, Prior] = {"default": Default(), "reference": Reference()}


def _normal(x: Float[Array, "*a"], mean: float, sd: float) -> Float[Array, "*a"]:
    return -0.5 * ((x - mean) / sd) ** 2 - math.log(sd * math.sqrt(2.0 * math.pi))
