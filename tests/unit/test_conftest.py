"""The checks that conftest.py turns on are on."""

import numpy as np
import pytest
from jaxtyping import TypeCheckError

from tradespace.gp.scaling import Scaling


def test_a_wrong_shape_is_refused() -> None:
    with pytest.raises(TypeCheckError):
        Scaling.of(np.zeros((2, 2)))


def test_a_wrong_dtype_is_refused() -> None:
    with pytest.raises(TypeCheckError):
        Scaling.of(np.zeros(2, dtype=int))
