"""The numerical rooms run in double precision, and are tested there."""

from collections.abc import Iterator

import jax
import pytest


@pytest.fixture(autouse=True)
def double_precision() -> Iterator[None]:
    with jax.enable_x64(True):
        yield
