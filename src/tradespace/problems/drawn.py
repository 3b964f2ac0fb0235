"""Test problems drawn from Gaussian-process priors, as in the paper's synthetic experiments."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np

from tradespace.inputs import Floats
from tradespace.pareto import hypervolume, thin
from tradespace.problem import Problem, at_least, minimize
from tradespace.problems.search import search
from tradespace.problems.testproblem import Answer, Columns, TestProblem
from tradespace.space import Real

FEATURES = 1000
GRID = 1000
# Of each constraint's values on the grid, at least this share is on either side of zero.
SHARE = 0.25
GENERATIONS = 100
KEPT = 500
CHUNK = 256  # rows of points at a time: their angles stay in the cache


@dataclass(frozen=True, eq=False)
class Drawn:
    """Functions of the unit cube: sums of cosines that a Matern-5/2 prior makes likely.

    `rough` takes the cosines in single precision: values are within 1e-6, in a tenth of the time.
    """

    names: tuple[str, ...]
    frequencies: Floats  # turns per unit of each input, (B, d, features)
    phases: Floats  # turns, (B, features)
    weights: Floats  # (B, features)
    rough: bool = False

    def __call__(self, inputs: Columns) -> dict[str, Floats]:
        points = np.stack(list(inputs.values()), axis=1)
        return {name: self.values(i, points) for i, name in enumerate(self.names)}

    def values(self, box: int, points: Floats) -> Floats:
        """One black box at points (n, d), (n,)."""
        values = np.empty(len(points))
        for rows in np.split(np.arange(len(points)), range(CHUNK, len(points), CHUNK)):
            turns = points[rows] @ self.frequencies[box]
            turns += self.phases[box]
            turns -= np.rint(turns)
            angles = (2.0 * np.pi * turns).astype(np.float32 if self.rough else np.float64)
            values[rows] = np.cos(angles, out=angles) @ self.weights[box].astype(angles.dtype)
        return values


def drawn(
    inputs: int = 4, objectives: int = 2, constraints: int = 2, seed: int = 0, noise: float = 0.0
) -> TestProblem:
    """Functions from a Matern-5/2 prior of lengthscale 0.25 d and variance 1 on the unit cube.

    Objectives f1, f2, ... are minimised, constraints c1, c2, ... are at least 0: each of them is
    negative on a quarter of the cube or more, positive on a quarter or more, and all together are
    feasible somewhere. The answer is found by a search that takes seconds: with two objectives its
    hypervolume is within 0.1 % of the front's, with four it is that of tens of thousands of points,
    two or three percent short of the front's.
    """
    names = [f"f{k + 1}" for k in range(objectives)] + [f"c{j + 1}" for j in range(constraints)]
    problem = Problem(
        inputs={f"x{i + 1}": Real(0.0, 1.0) for i in range(inputs)},
        objectives=dict.fromkeys(names[:objectives], minimize),
        constraints=dict.fromkeys(names[objectives:], at_least(0.0)),
        noiseless=noise == 0,
    )
    label = f"drawn_{inputs}_{objectives}_{constraints}_{seed}"
    solve = partial(_solve, inputs, objectives, constraints, seed)
    return TestProblem(label, problem, _draw(inputs, objectives, constraints, seed), solve, noise)


@cache
def _draw(inputs: int, objectives: int, constraints: int, seed: int) -> Drawn:
    rng = np.random.default_rng([inputs, objectives, constraints, seed])
    names = [f"f{k + 1}" for k in range(objectives)] + [f"c{j + 1}" for j in range(constraints)]
    grid = rng.random((GRID, inputs))
    while True:
        boxes = [_draw_box(rng, inputs) for _ in range(objectives)]
        feasible = np.ones(GRID, dtype=bool)
        for _ in range(constraints):
            box, values = _draw_constraint(rng, grid)
            boxes.append(box)
            feasible &= values >= 0
        if feasible.any():
            return _stack(tuple(names), boxes)


def _draw_constraint(rng: np.random.Generator, grid: Floats) -> tuple[tuple[Floats, ...], Floats]:
    while True:
        box = _draw_box(rng, grid.shape[1])
        values = _stack(("c",), [box]).values(0, grid)
        if SHARE <= np.mean(values < 0) <= 1 - SHARE:
            return box, values


def _draw_box(rng: np.random.Generator, inputs: int) -> tuple[Floats, ...]:
    """Frequencies from the spectrum of Matern-5/2, a multivariate t with 5 degrees of freedom."""
    scale = np.sqrt(5.0 / rng.chisquare(5.0, FEATURES)) / (0.25 * inputs)
    frequencies = rng.standard_normal((inputs, FEATURES)) * scale / (2.0 * np.pi)
    return (
        frequencies,
        rng.random(FEATURES),
        np.sqrt(2.0 / FEATURES) * rng.standard_normal(FEATURES),
    )


def _stack(names: tuple[str, ...], boxes: list[tuple[Floats, ...]]) -> Drawn:
    frequencies, phases, weights = (np.stack(part) for part in zip(*boxes, strict=True))
    return Drawn(names, frequencies, phases, weights)


@cache
def _solve(inputs: int, objectives: int, constraints: int, seed: int) -> Answer:
    rough = replace(_draw(inputs, objectives, constraints, seed), rough=True)
    problem = replace(drawn(inputs, objectives, constraints, seed), function=rough)
    front = search(np.random.default_rng(seed), problem, GENERATIONS).objectives
    worst = front.max(axis=0)
    # The amplitude of every function is 1: a front that is almost a point still has some room.
    room = np.maximum(0.1 * (worst - front.min(axis=0)), 0.1)
    # Rounded, so that it does not follow the last digits of a search.
    reference = np.ceil(100.0 * (worst + room)) / 100.0
    return Answer(reference, front[thin(front, KEPT)], hypervolume(front, reference))
