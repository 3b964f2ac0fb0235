"""A metal printer: a laser's power and speed, and the strength and roughness of what it prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from tradespace.inputs import Floats
from tradespace.pareto import hypervolume, thin
from tradespace.problem import Group, Problem, between, maximize, minimize
from tradespace.problems.search import search
from tradespace.problems.testproblem import Answer, Columns, TestProblem
from tradespace.space import Real

UNITS = {"power": "W", "speed": "mm/s", "strength": "MPa", "roughness": "µm", "depth": "µm"}
# Standard deviation of each quantity when its measurement is repeated.
ERRORS = {"strength": 3.0, "roughness": 0.25, "depth": 2.0}

GENERATIONS = 20
KEPT = 300


def metal_printer() -> TestProblem:
    """Strong and smooth parts from a laser that melts steel powder, layer by layer.

    A weld track (an hour) shows how deep the laser melts: too shallow leaves gaps between layers,
    too deep boils the metal. A test piece (ten hours) shows strength and roughness. The formulae
    are made up, in the shape of the scalings for normalised enthalpy and cooling rate.
    """
    problem = Problem(
        inputs={"power": Real(100.0, 400.0), "speed": Real(300.0, 2500.0)},
        objectives={"strength": maximize, "roughness": minimize},
        constraints={"depth": between(80.0, 120.0)},
        groups={
            "weld track": Group(["depth"], cost=1.0),
            "test piece": Group(["strength", "roughness"], cost=10.0),
        },
    )
    return TestProblem("metal_printer", problem, _values, _solve)


def measure(
    rng: np.random.Generator, quantities: Sequence[str], inputs: Mapping[str, Any]
) -> dict[str, float]:
    """Some of the quantities as one experiment finds them, with an error on each."""
    true = metal_printer().evaluate(inputs)
    return {name: true[name] + ERRORS[name] * rng.standard_normal() for name in quantities}


def _values(inputs: Columns) -> Columns:
    power, speed = (np.asarray(inputs[name], dtype=float) for name in ("power", "speed"))
    enthalpy = _enthalpy(power, speed)
    # Conduction melts in proportion; from an enthalpy of about 7 on, a keyhole adds to it.
    depth = 12.0 * enthalpy + 9.0 * np.logaddexp(0.0, enthalpy - 7.0)
    # The faster the metal cools, the finer and stronger its grain (Hall and Petch).
    cooling = speed / power
    grain = 0.6 * (cooling / 3.25) ** -0.6
    gaps = 0.4 / (1.0 + np.exp((depth - 35.0) / 9.0))
    pores = 0.1 / (1.0 + np.exp((160.0 - depth) / 22.0))
    strength = (200.0 + 270.0 / np.sqrt(grain)) * (1.0 - gaps - pores)
    # Fast tracks bead, cold ones do not wet what is below, and boiling ones spatter.
    beads = 7.0 * (speed / 2000.0) ** 1.5
    cold = 26.0 * np.exp(-enthalpy / 3.2)
    spatter = 0.05 * np.logaddexp(0.0, (depth - 120.0) / 12.0) ** 2
    return {"strength": strength, "roughness": 4.0 + beads + cold + spatter, "depth": depth}


def _enthalpy(power: Floats, speed: Floats) -> Floats:
    """Absorbed energy over the energy of melting, for a spot of 40 µm on steel.

    A P / (pi rho h sqrt(D v a^3)), P in W and v in mm/s.
    """
    absorbed, melting, diffusivity, spot = 0.4, 9.6e9, 5.4e-6, 40e-6
    heated = np.sqrt(diffusivity * 1e-3 * speed * spot**3)
    return np.asarray(absorbed * power / (np.pi * melting * heated))


@cache
def _solve() -> Answer:
    found = search(np.random.default_rng(0), metal_printer(), GENERATIONS)
    # A little worse than the front's ends, about 466 MPa and 14.7 µm.
    reference = np.array([-440.0, 17.0])
    front = found.objectives
    return Answer(reference, front[thin(front, KEPT)], hypervolume(front, reference))
