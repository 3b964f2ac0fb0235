"""RANDOM: uniform inputs, and a random group in inverse proportion to its cost."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from tradespace.method import Method


@dataclass(frozen=True, kw_only=True)
class RandomSearch(Method):
    """Uniform inputs; the recommendation still comes from the models."""


def draw(
    rng: np.random.Generator, costs: Float[np.ndarray, " G"], size: int
) -> tuple[Float[np.ndarray, " size"], int]:
    """Uniform numbers, one per input, and the index of a group."""
    uniform = rng.random(size)
    weights = 1.0 / costs
    return uniform, int(rng.choice(len(costs), p=weights / weights.sum()))
