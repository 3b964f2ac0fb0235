"""Parts of machines and buildings: problems of the literature, and one with mixed inputs."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from tradespace.inputs import Floats
from tradespace.problem import Problem, at_least, at_most, between, maximize, minimize
from tradespace.problems.stored import stored
from tradespace.problems.testproblem import Columns, TestProblem
from tradespace.space import Categorical, Integer, Real

# Shear modulus (GPa), density (g/cm^3), and allowed shear stress a wire^-m: a (MPa), m.
WIRES = {
    "music wire": (80.0, 7.85, 1000.0, 0.145),
    "stainless steel": (69.0, 7.92, 850.0, 0.2),
    "phosphor bronze": (41.0, 8.86, 450.0, 0.0),
    "titanium": (41.0, 4.46, 450.0, 0.0),
}
FORCE = 300.0  # N


def welded_beam() -> TestProblem:
    """A beam welded to a wall: its cost, and how far a load at its end (6000 lb) bends it (in).

    Lengths in inches, stresses in psi. Ragsdell and Phillips (1976), as in Deb (2000).
    """
    problem = Problem(
        inputs={
            "weld": Real(0.125, 5.0),
            "length": Real(0.1, 10.0),
            "height": Real(0.1, 10.0),
            "width": Real(0.125, 5.0),
        },
        objectives={"cost": minimize, "deflection": minimize},
        constraints={
            "shear_stress": at_most(13_600.0),
            "bending_stress": at_most(30_000.0),
            "buckling_load": at_least(6000.0),
            "overhang": at_least(0.0),
        },
        noiseless=True,
    )
    solve = partial(stored, "welded_beam", (39.8, 0.0173))
    return TestProblem("welded_beam", problem, _welded_beam, solve)


def _welded_beam(inputs: Columns) -> dict[str, Floats]:
    h, l, t, b = (inputs[name] for name in ("weld", "length", "height", "width"))  # noqa: E741
    load, reach = 6000.0, 14.0
    arm = np.sqrt(0.25 * (l**2 + (h + t) ** 2))
    direct = load / (math.sqrt(2.0) * h * l)
    inertia = math.sqrt(2.0) * h * l * (l**2 / 12.0 + 0.25 * (h + t) ** 2)
    torsion = load * (reach + 0.5 * l) * arm / inertia
    return {
        "cost": 1.10471 * h**2 * l + 0.04811 * t * b * (14.0 + l),
        "deflection": 2.1952 / (t**3 * b),
        "shear_stress": np.sqrt(direct**2 + torsion**2 + l * direct * torsion / arm),
        "bending_stress": 6.0 * load * reach / (b * t**2),
        "buckling_load": 64_746.022 * (1.0 - 0.0282346 * t) * t * b**3,
        "overhang": b - h,
    }


def two_bar_truss() -> TestProblem:
    """A load carried by two bars: their volume (m^3), and the larger of their stresses (kPa).

    Cross-sections in m^2, the joint's depth in m. Chankong and Haimes (1983), as in Deb (2001);
    cross-sections start at 1 cm^2 where his start at 0, and each bar's stress is limited by itself.
    """
    problem = Problem(
        inputs={
            "section_ac": Real(1e-4, 0.01),
            "section_bc": Real(1e-4, 0.01),
            "depth": Real(1.0, 3.0),
        },
        objectives={"volume": minimize, "stress": minimize},
        constraints={"stress_ac": at_most(1e5), "stress_bc": at_most(1e5)},
        noiseless=True,
    )
    solve = partial(stored, "two_bar_truss", (0.056, 109_000.0))
    return TestProblem("two_bar_truss", problem, _two_bar_truss, solve)


def _two_bar_truss(inputs: Columns) -> dict[str, Floats]:
    ac, bc, depth = inputs["section_ac"], inputs["section_bc"], inputs["depth"]
    long, short = np.sqrt(16.0 + depth**2), np.sqrt(1.0 + depth**2)
    stress_ac = 20.0 * long / (depth * ac)
    stress_bc = 80.0 * short / (depth * bc)
    return {
        "volume": ac * long + bc * short,
        "stress": np.maximum(stress_ac, stress_bc),
        "stress_ac": stress_ac,
        "stress_bc": stress_bc,
    }


def coil_spring() -> TestProblem:
    """A spring for 300 N that is light (g) and gives way far (mm): mixed inputs.

    It must not shear (safety), has to fit (length in mm), and can be wound only when its diameter
    is 5 to 12 times the wire's (mm both). Thin wires of steel are stronger than thick ones.
    Formulae: Shigley, Mechanical Engineering Design, with Wahl's factor; two more coils close the
    ends.
    """
    problem = Problem(
        inputs={
            "coils": Integer(3, 20),
            "wire": Real(1.0, 10.0, log=True),
            "diameter": Real(15.0, 80.0),
            "material": Categorical(list(WIRES)),
        },
        objectives={"mass": minimize, "travel": maximize},
        constraints={
            "safety": at_least(1.2),
            "length": at_most(150.0),
            "index": between(5.0, 12.0),
        },
        noiseless=True,
    )
    return TestProblem(
        "coil_spring", problem, _coil_spring, partial(stored, "coil_spring", (134.0, 0.0))
    )


def _coil_spring(inputs: Columns) -> dict[str, Floats]:
    coils, wire, diameter = inputs["coils"], inputs["wire"], inputs["diameter"]
    properties = np.array([WIRES[material] for material in inputs["material"]])
    modulus, density, strength, weakening = properties.T
    index = diameter / wire
    wahl = (4.0 * index - 1.0) / (4.0 * index - 4.0) + 0.615 / index
    stress = wahl * 8.0 * FORCE * diameter / (math.pi * wire**3)
    travel = 8.0 * FORCE * diameter**3 * coils / (1e3 * modulus * wire**4)
    wound = math.pi * diameter * (coils + 2.0) * 0.25 * math.pi * wire**2  # mm^3
    return {
        "mass": 1e-3 * density * wound,
        "travel": travel,
        "safety": strength * wire**-weakening / stress,
        "length": (coils + 2.0) * wire + 1.15 * travel,
        "index": index,
    }
