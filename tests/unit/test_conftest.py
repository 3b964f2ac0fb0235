"""The checks that conftest.py turns on are on, in every room that states its arrays' shapes."""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jaxtyping import TypeCheckError

import tradespace
from tradespace.climb import climb
from tradespace.gp.scaling import Scaling

from ..conftest import NUMERICAL

ROOT = Path(tradespace.__file__).parent


def test_every_room_that_states_shapes_is_checked() -> None:
    stating = [p for p in ROOT.rglob("*.py") if "from jaxtyping import" in p.read_text()]
    rooms = {path.relative_to(ROOT).parts[0].removesuffix(".py") for path in stating}
    assert rooms == set(NUMERICAL)


def test_a_wrong_shape_is_refused() -> None:
    with pytest.raises(TypeCheckError):
        Scaling.of(np.zeros((2, 2)), np.zeros((2, 1)))


def test_a_wrong_dtype_is_refused() -> None:
    with pytest.raises(TypeCheckError):
        Scaling.of(np.zeros(2, dtype=int), np.zeros((2, 1)))


def test_a_wrong_shape_of_a_traced_array_is_refused() -> None:
    with pytest.raises(TypeCheckError):
        jax.eval_shape(lambda starts: climb(lambda p: p.sum(-1), starts, 3), jnp.zeros(2))
