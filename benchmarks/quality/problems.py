"""The problems methods are compared on: all noiseless, with answers that are kept on disk."""

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.quality.record import Mode

from tradespace.pareto import hypervolume, non_dominated, thin
from tradespace.problem import Group, Problem
from tradespace.problems import c2_dtlz2, constrained_branin_currin, drawn, osy, welded_beam
from tradespace.problems.search import search
from tradespace.problems.testproblem import Answer, TestProblem, log_hypervolume_difference

# A measurement of everything costs 1 in either mode. One group is dear, the others are not.
COSTS = (4.0, 1.0, 2.0, 1.0)
# Searches besides the problem's own, their generations, and points kept of each for the union.
SEARCHES, GENERATIONS, KEPT = 2, 300, {2: 4000, 3: 2000, 4: 1000}

PROBLEMS: dict[str, Callable[[], TestProblem]] = {
    "drawn-2": lambda: drawn(2, 2, 2, seed=11),
    "drawn-3": lambda: drawn(3, 2, 2, seed=12),
    "drawn-4": lambda: drawn(4, 2, 2, seed=13),
    "drawn-6": lambda: drawn(6, 2, 2, seed=15),
    "drawn-4-four": lambda: drawn(4, 4, 2, seed=16),
    "drawn-6-four": lambda: drawn(6, 4, 2, seed=17),
    "branin-currin": constrained_branin_currin,
    "c2-dtlz2": lambda: c2_dtlz2(inputs=4, objectives=2),
    "welded-beam": welded_beam,
    "osy": osy,
}


def named(name: str, mode: Mode = "coupled") -> TestProblem:
    """A problem of the list; decoupled, every black box is a group of its own."""
    found = PROBLEMS[name]()
    problem = found.problem
    groups = None
    if mode == "decoupled":
        weights = np.resize(COSTS, len(problem.black_boxes))
        groups = {
            box: Group([box], cost=float(weight / weights.sum()))
            for box, weight in zip(problem.black_boxes, weights, strict=True)
        }
    exact = Problem(
        problem.space.inputs, problem.directions, problem.bounds, groups, noiseless=True
    )
    return replace(found, problem=exact, noise=0.0)


def answered(name: str, mode: Mode, folder: Path) -> TestProblem:
    """The same with its answer read from `folder`, found and written there the first time."""
    path = folder / "reference.json"
    known: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    if name not in known:
        known[name] = _find(named(name))
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_suffix(".new")
        fresh.write_text(json.dumps(known, indent=1) + "\n")
        os.replace(fresh, path)
    entry = known[name]
    answer = Answer(np.array(entry["reference"]), np.array(entry["front"]), entry["hypervolume"])
    return replace(named(name, mode), solve=lambda: answer)


def _find(problem: TestProblem) -> dict[str, Any]:
    """The best hypervolume known, from the problem's own answer and independent searches.

    `apart` is the natural log of the largest share that one of the searches misses of it;
    `shown` is what fifty points spread over the whole front miss: no recommendation of fifty
    points does much better.
    """
    reference = problem.reference
    most = KEPT[len(reference)]
    parts = [problem.front]
    for seed in range(SEARCHES):
        found = search(np.random.default_rng([5, seed]), problem, GENERATIONS).objectives
        inside = found[(found < reference).all(axis=1)]
        parts.append(inside[thin(inside, most)] if len(inside) > most else inside)
    union = np.concatenate(parts)
    union = union[non_dominated(union)]
    best = max(problem.reference_hypervolume, hypervolume(union, reference))
    missed = [1.0 - hypervolume(part, reference) / best for part in parts[1:]]
    kept = union[thin(union, 50)]
    against = replace(problem, solve=lambda: Answer(reference, kept, best))
    holds = np.repeat(_feasible(problem)[None], len(kept), axis=0)
    return {
        "reference": reference.tolist(),
        "hypervolume": best,
        "apart": round(float(np.log(max(*missed, 1e-9))), 2),
        "shown": round(log_hypervolume_difference(against, kept, holds), 2),
        "front": [[float(f"{value:.6g}") for value in point] for point in kept],
    }


def _feasible(problem: TestProblem) -> np.ndarray:
    """Values (C,) that meet every constraint."""
    return np.zeros(len(problem.problem.constraints))
