"""Constrained problems of the literature, with constraints as their papers write them."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from tradespace.inputs import Floats
from tradespace.problem import Problem, at_least, at_most, minimize
from tradespace.problems.stored import stored
from tradespace.problems.testproblem import Columns, TestProblem
from tradespace.space import Real

C2_RADII = {2: 0.2, 3: 0.4, 4: 0.5}


def c2_dtlz2(inputs: int = 4, objectives: int = 2) -> TestProblem:
    """Parts of a sphere: near its corners and near its middle.

    Jain and Deb (2014), An evolutionary many-objective optimization algorithm, part II. The front
    does not depend on the number of inputs. Objectives: 2 to 4.
    """
    if objectives not in C2_RADII or inputs < objectives:
        raise ValueError(f"no C2-DTLZ2 with {inputs} inputs and {objectives} objectives")
    problem = Problem(
        inputs={f"x{i + 1}": Real(0.0, 1.0) for i in range(inputs)},
        objectives={f"f{k + 1}": minimize for k in range(objectives)},
        constraints={"squared_distance": at_most(C2_RADII[objectives] ** 2)},
        noiseless=True,
    )
    solve = partial(stored, f"c2_dtlz2_{objectives}", (1.1,) * objectives)
    function = partial(_c2_dtlz2, objectives)
    return TestProblem(f"c2_dtlz2_{inputs}_{objectives}", problem, function, solve)


def _c2_dtlz2(objectives: int, inputs: Columns) -> dict[str, Floats]:
    points = np.stack(list(inputs.values()), axis=1)
    angles = 0.5 * math.pi * points[:, : objectives - 1]
    radius = 1.0 + ((points[:, objectives - 1 :] - 0.5) ** 2).sum(axis=1)
    values = np.repeat(radius[:, None], objectives, axis=1)
    for k in range(objectives):
        values[:, k] *= np.cos(angles[:, : objectives - 1 - k]).prod(axis=1)
        if k > 0:
            values[:, k] *= np.sin(angles[:, objectives - 1 - k])
    centres = np.vstack([np.eye(objectives), np.full(objectives, 1.0 / math.sqrt(objectives))])
    distance = ((values[:, None] - centres) ** 2).sum(axis=2).min(axis=1)
    return {**{f"f{k + 1}": values[:, k] for k in range(objectives)}, "squared_distance": distance}


def constrained_branin_currin() -> TestProblem:
    """Branin's and Currin's functions, inside a circle around one of Branin's minima.

    Daulton, Balandat and Bakshy (2020), Differentiable expected hypervolume improvement.
    """
    problem = Problem(
        inputs={"x1": Real(0.0, 1.0), "x2": Real(0.0, 1.0)},
        objectives={"branin": minimize, "currin": minimize},
        constraints={"squared_distance": at_most(50.0)},
        noiseless=True,
    )
    solve = partial(stored, "constrained_branin_currin", (80.0, 12.0))
    return TestProblem("constrained_branin_currin", problem, _branin_currin, solve)


def _branin_currin(inputs: Columns) -> dict[str, Floats]:
    x, y = inputs["x1"], inputs["x2"]
    a, b = 15.0 * x - 5.0, 15.0 * y
    valley = b - 5.1 / (4.0 * math.pi**2) * a**2 + 5.0 / math.pi * a - 6.0
    branin = valley**2 + 10.0 * (1.0 - 1.0 / (8.0 * math.pi)) * np.cos(a) + 10.0
    # At y = 0 the factor's limit is 1: exp(-inf) is 0.
    with np.errstate(divide="ignore"):
        factor = 1.0 - np.exp(-0.5 / y)
    top = 2300.0 * x**3 + 1900.0 * x**2 + 2092.0 * x + 60.0
    currin = factor * top / (100.0 * x**3 + 500.0 * x**2 + 4.0 * x + 20.0)
    return {"branin": branin, "currin": currin, "squared_distance": (a - 2.5) ** 2 + (b - 7.5) ** 2}


def osy() -> TestProblem:
    """Six inputs, six constraints; the front has five parts, on different constraints each.

    Osyczka and Kundu (1995).
    """
    highs = {"x1": 10.0, "x2": 10.0, "x3": 5.0, "x4": 6.0, "x5": 5.0, "x6": 10.0}
    problem = Problem(
        inputs={name: Real(float(name in ("x3", "x5")), high) for name, high in highs.items()},
        objectives={"f1": minimize, "f2": minimize},
        constraints={
            "g1": at_least(2.0),
            "g2": at_most(6.0),
            "g3": at_most(2.0),
            "g4": at_most(2.0),
            "g5": at_most(4.0),
            "g6": at_least(4.0),
        },
        noiseless=True,
    )
    return TestProblem("osy", problem, _osy, partial(stored, "osy", (-19.0, 83.0)))


def _osy(inputs: Columns) -> dict[str, Floats]:
    a, b, c, d, e, f = (inputs[f"x{i}"] for i in range(1, 7))
    far = 25.0 * (a - 2.0) ** 2 + (b - 2.0) ** 2 + (c - 1.0) ** 2 + (d - 4.0) ** 2
    return {
        "f1": -(far + (e - 1.0) ** 2),
        "f2": a**2 + b**2 + c**2 + d**2 + e**2 + f**2,
        "g1": a + b,
        "g2": a + b,
        "g3": b - a,
        "g4": a - 3.0 * b,
        "g5": (c - 3.0) ** 2 + d,
        "g6": (e - 3.0) ** 2 + f,
    }


def srn() -> TestProblem:
    """Two inputs; the front is a line in them, with ends along the constraints.

    Srinivas and Deb (1994). Papers usually give the line alone, which ends at (24.5, -24.75) and
    (212.4, -212.7).
    """
    problem = Problem(
        inputs={"x1": Real(-20.0, 20.0), "x2": Real(-20.0, 20.0)},
        objectives={"f1": minimize, "f2": minimize},
        constraints={"g1": at_most(225.0), "g2": at_most(-10.0)},
        noiseless=True,
    )
    return TestProblem("srn", problem, _srn, partial(stored, "srn", (244.0, 25.0)))


def _srn(inputs: Columns) -> dict[str, Floats]:
    x, y = inputs["x1"], inputs["x2"]
    return {
        "f1": 2.0 + (x - 2.0) ** 2 + (y - 1.0) ** 2,
        "f2": 9.0 * x - (y - 1.0) ** 2,
        "g1": x**2 + y**2,
        "g2": x - 3.0 * y,
    }


def tnk() -> TestProblem:
    """The objectives are the inputs; the front is a wavy and broken edge. Tanaka et al. (1995)."""
    problem = Problem(
        inputs={"x1": Real(0.0, math.pi), "x2": Real(0.0, math.pi)},
        objectives={"f1": minimize, "f2": minimize},
        constraints={"g1": at_least(1.0), "g2": at_most(0.5)},
        noiseless=True,
    )
    return TestProblem("tnk", problem, _tnk, partial(stored, "tnk", (1.14, 1.14)))


def _tnk(inputs: Columns) -> dict[str, Floats]:
    x, y = inputs["x1"], inputs["x2"]
    wave = 0.1 * np.cos(16.0 * np.arctan2(x, y))
    g2 = (x - 0.5) ** 2 + (y - 0.5) ** 2
    return {"f1": x, "f2": y, "g1": x**2 + y**2 - wave, "g2": g2}


def bnh() -> TestProblem:
    """Two inputs, nearly everything feasible. Binh and Korn (1997)."""
    problem = Problem(
        inputs={"x1": Real(0.0, 5.0), "x2": Real(0.0, 3.0)},
        objectives={"f1": minimize, "f2": minimize},
        constraints={"g1": at_most(25.0), "g2": at_least(7.7)},
        noiseless=True,
    )
    return TestProblem("bnh", problem, _bnh, partial(stored, "bnh", (150.0, 55.0)))


def _bnh(inputs: Columns) -> dict[str, Floats]:
    x, y = inputs["x1"], inputs["x2"]
    return {
        "f1": 4.0 * x**2 + 4.0 * y**2,
        "f2": (x - 5.0) ** 2 + (y - 5.0) ** 2,
        "g1": (x - 5.0) ** 2 + y**2,
        "g2": (x - 8.0) ** 2 + (y + 3.0) ** 2,
    }
