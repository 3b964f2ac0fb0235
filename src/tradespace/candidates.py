"""Where the search for the next input begins, and which inputs need not be measured again."""

from collections.abc import Iterable, Sequence

import numpy as np
from jaxtyping import Bool, Float

from tradespace.data import Data
from tradespace.problem import Problem
from tradespace.sobol import sobol
from tradespace.space import Space

# Candidates besides those everywhere: near the sampled fronts' inputs, and near measured ones.
FROM_FRONTS, FROM_DATA = 160, 120
# Two points whose real columns are nearer than this, in the unit cube, are the same measurement.
SAME = 1e-6


def candidates(
    rng: np.random.Generator,
    problem: Problem,
    data: Data,
    optima: Sequence[Float[np.ndarray, "_ width"]],
    grid: int,
) -> Float[np.ndarray, "n width"]:
    """Legal points to start from: `grid` of them everywhere, others at the sampled optima and near
    the data; where no more than that many are left, all of these."""
    space, total = problem.space, grid + FROM_FRONTS + FROM_DATA
    if space.is_listable:
        left = unvisited(space, data.avoid.values() if problem.noiseless else [])
        if len(left) <= total:
            return left
        everywhere = left[rng.choice(len(left), grid, replace=False)]
    else:
        everywhere = sobol(rng, space, grid)
    at_optima = np.concatenate(optima).astype(float)
    at_optima = at_optima[rng.permutation(len(at_optima))[:FROM_FRONTS]]
    measured = np.concatenate([p for p in data.points if len(p)] or [everywhere])
    rest = total - grid - len(at_optima)
    steps = np.exp(rng.uniform(np.log(1e-3), np.log(0.2), (rest, 1)))
    near = measured[rng.integers(len(measured), size=rest)]
    near = space.snap(np.clip(near + steps * rng.standard_normal(near.shape), 0.0, 1.0))
    return np.concatenate([everywhere, at_optima, near])


def visited(
    space: Space, points: Float[np.ndarray, "n width"], avoid: Float[np.ndarray, "a width"]
) -> Bool[np.ndarray, " n"]:
    """Which points are as good as the same as one to avoid."""
    if not len(avoid):
        return np.zeros(len(points), bool)
    same = np.where(space.discrete, 1e-13, SAME)
    return (np.abs(points[:, None] - avoid[None]) < same).all(-1).any(1)


def unvisited(
    space: Space, avoid: Iterable[Float[np.ndarray, "_ width"]]
) -> Float[np.ndarray, "n width"]:
    """The legal points of a finite space but for those to be avoided for every one of several
    reasons."""
    listed = space.enumerate()
    known = [{point.tobytes() for point in points} for points in avoid]
    if not known:
        return listed
    everywhere = set.intersection(*known)
    return listed[[point.tobytes() not in everywhere for point in listed]]
