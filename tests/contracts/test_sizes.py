"""Every size of problem and every kind of input is served."""

import numpy as np
import pytest

from tradespace.acquisition import RandomSearch
from tradespace.problem import Problem, at_least, at_most, between, maximize, minimize
from tradespace.recommend import recommend
from tradespace.space import Categorical, Integer, Real, Space
from tradespace.suggest import suggest

from .cases import (
    DEFAULT,
    EVERY_METHOD,
    check_recommendation,
    check_suggestion,
    of_size,
    scattered,
    told,
)

MIXED = Space(
    {
        "rate": Real(1e-5, 1e-1, log=True),
        "width": Real(-3.0, 7.0),
        "layers": Integer(1, 4),
        "units": Integer(8, 512, log=True),
        "kind": Categorical(["relu", "tanh", ("leaky", 0.1)]),
    }
)
DISCRETE = Space({"n": Integer(-2, 3), "flag": Categorical([True, False])})
# Compiling each takes seconds: the corners are here, what lies between is slow.
QUICK = [(1, 0, 1), (2, 1, 30), (8, 10, MIXED)]
SLOW = [
    (1, 1, 2),
    (2, 0, 3),
    (2, 10, 2),
    (3, 1, DISCRETE),
    (4, 2, 6),
    (5, 0, 1),
    (6, 3, MIXED),
    (7, 1, 2),
    (8, 0, 30),
    (1, 10, DISCRETE),
]


def label(size: tuple[int, int, Space | int]) -> str:
    objectives, constraints, space = size
    inputs = f"{space} inputs" if isinstance(space, int) else "-".join(space.names)
    return f"{objectives} objectives, {constraints} constraints, {inputs}"


SIZES = [pytest.param(*size, id=label(size)) for size in QUICK] + [
    pytest.param(*size, id=label(size), marks=pytest.mark.slow) for size in SLOW
]


def turned(problem: Problem) -> Problem:
    """The same sizes, with both directions and every kind of bound in turn."""
    kinds = (at_least(-0.5), at_most(0.5), between(-1.0, 1.0))
    return Problem(
        problem.space.inputs,
        {name: (minimize, maximize)[i % 2] for i, name in enumerate(problem.objectives)},
        {name: kinds[i % 3] for i, name in enumerate(problem.constraints)},
        noiseless=problem.noiseless,
    )


@pytest.mark.parametrize(("objectives", "constraints", "space"), SIZES)
def test_every_size_gives_a_legal_suggestion_and_recommendation(
    objectives: int, constraints: int, space: Space | int
) -> None:
    for count in (1, 2, 9):
        for noiseless in (False, True):
            problem = turned(of_size(objectives, constraints, space, noiseless))
            points = np.unique(scattered(problem.space, count), axis=0)
            rng = np.random.default_rng(count)
            values = {name: rng.standard_normal(len(points)) for name in problem.black_boxes}
            data = told(problem, points, values)
            for method in (DEFAULT, EVERY_METHOD["bmoo"], RandomSearch(samples=4)):
                suggestion = suggest((3, count), problem, data, method)
                check_suggestion(problem, suggestion)
                apart = np.abs(problem.space.encode(suggestion.inputs) - points).max(axis=1)
                assert not noiseless or apart.min() > 1e-7
            check_recommendation(problem, recommend((3, count), problem, data, DEFAULT))


@pytest.mark.parametrize("objectives", [1, 3, 8])
def test_the_note_says_which_conditioning_was_chosen(objectives: int) -> None:
    """Boxes are affordable for few objectives only."""
    note = DEFAULT.note(objectives)
    assert f"{objectives} objective" in note
    assert ("'adf'" in note) == (objectives > 3)
