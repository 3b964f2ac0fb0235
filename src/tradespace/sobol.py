"""Space-filling legal points."""

import warnings

import numpy as np
from jaxtyping import Float
from scipy.stats import qmc

from tradespace.space import Space


def sobol(rng: np.random.Generator, space: Space, count: int) -> Float[np.ndarray, "count width"]:
    """A scrambled Sobol sequence's first points, as legal points."""
    sequence = qmc.Sobol(space.size, scramble=True, rng=rng)
    with warnings.catch_warnings():
        # A length that is no power of two loses the balance only.
        warnings.simplefilter("ignore", UserWarning)
        return space.sample(sequence.random(count))
