"""RANDOM: uniform inputs, and a random group in inverse proportion to its cost."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Float

from tradespace.arguments import check_choice, check_count
from tradespace.gp.priors import PRIORS


@dataclass(frozen=True)
class RandomSearch:
    """Uniform inputs; the recommendation still comes from the models."""

    samples: int = 10
    prior: Literal["default", "reference"] = "default"

    def __post_init__(self) -> None:
        check_count("RandomSearch: samples", self.samples, 1)
        check_choice("RandomSearch: prior", self.prior, tuple(PRIORS))


def draw(
    rng: np.random.Generator, costs: Float[np.ndarray, " G"], size: int
) -> tuple[Float[np.ndarray, " size"], int]:
    """Uniform numbers, one per input, and the index of a group."""
    uniform = rng.random(size)
    weights = 1.0 / costs
    return uniform, int(rng.choice(len(costs), p=weights / weights.sum()))
