"""What is compiled, and when: growing data must not stop a study for seconds."""

from collections.abc import Iterator
from dataclasses import replace

import jax
import numpy as np
import pytest

from tradespace.programs import padded_rows
from tradespace.recommend import recommend
from tradespace.suggest import suggest

from .cases import DEFAULT, of_size, scattered, told

COMPILED = "/jax/core/compile/backend_compile_duration"
# Black boxes and samples of their own, so that nothing is compiled beforehand by other tests.
PROBLEM = of_size(1, 0, 1)
METHOD = replace(DEFAULT, samples=3)


@pytest.fixture
def compilations() -> Iterator[list[str]]:
    """The names of events since the test began, one for each program compiled or loaded."""
    heard: list[str] = []

    def listen(event: str, _: float, **__: object) -> None:
        if event == COMPILED:
            heard.append(event)

    jax.monitoring.register_event_duration_secs_listener(listen)
    yield heard
    jax.monitoring.unregister_event_duration_listener(listen)


def step(count: int) -> None:
    """A suggestion and a recommendation from so many measurements."""
    points = scattered(PROBLEM.space, count)
    data = told(PROBLEM, points, {"f0": np.sin(9.0 * points[:, 0])})
    suggest((0, count), PROBLEM, data, METHOD)
    recommend((0, count), PROBLEM, data, METHOD)


def test_two_programs_are_compiled_for_a_bucket_and_none_while_data_grow_in_it(
    compilations: list[str],
) -> None:
    step(1)
    assert compilations
    last = max(n for n in range(1, 100) if padded_rows(n) == padded_rows(1))
    for count in (2, 3, 5, last - 1, last):
        compilations.clear()
        step(count)
        assert not compilations
    step(last + 1)
    # One explores, the other decides; suggestions and recommendations share them.
    assert len(compilations) == 2
    compilations.clear()
    step(last + 2)
    assert not compilations


def test_growing_to_two_hundred_measurements_takes_at_most_eight_compilations() -> None:
    assert 2 * len({padded_rows(count) for count in range(1, 201)}) <= 8
