"""Methods, problems and measurements to try contracts on, alike in shape where they can be.

A program is compiled for each method, number of black boxes and kind of inputs, which takes
seconds; measurements and bounds are free.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import numpy as np

from tradespace.acquisition import (
    Bmoo,
    Mesmoc,
    MesmocPlus,
    Pesmoc,
    RandomSearch,
    default_method,
)
from tradespace.data import Data
from tradespace.method import Method, Sampled, Together
from tradespace.problem import Group, Problem, at_least, minimize
from tradespace.recommend import Recommendation
from tradespace.space import Real, Space
from tradespace.study.trial import Trial
from tradespace.suggest import Suggestion

SMALL: dict[str, Any] = {"samples": 4, "candidates": 64, "front_size": 10}
DEFAULT = replace(default_method(), **SMALL)
EVERY_METHOD: dict[str, Method] = {
    "default": DEFAULT,
    "random": RandomSearch(samples=4),
    "mesmoc": Mesmoc(**SMALL),
    "pesmoc": Pesmoc(**SMALL),
    "bmoo": Bmoo(**SMALL),
    "boxes-entropy": MesmocPlus("boxes", "entropy", **SMALL),
    "dominating-variance": MesmocPlus("dominating", "variance", **SMALL),
    "adf-log": MesmocPlus("adf", "log", **SMALL),
    "boxes-log": MesmocPlus("boxes", "log", **SMALL),
    "boxes-variance": MesmocPlus("boxes", "variance", **SMALL),
    "dominating-log": MesmocPlus("dominating", "log", **SMALL),
    "dominating-entropy": MesmocPlus("dominating", "entropy", **SMALL),
    "adf-variance": MesmocPlus("adf", "variance", **SMALL),
}
# The others need minutes of compiling together.
QUICK = (
    "default",
    "random",
    "mesmoc",
    "pesmoc",
    "bmoo",
    "boxes-entropy",
    "dominating-variance",
    "adf-log",
)

SQUARE = {"x": Real(0.0, 1.0), "y": Real(0.0, 1.0)}
APART = {"cheap": Group(["f"]), "dear": Group(["g", "c"], cost=3.0)}


def home(noiseless: bool = False, apart: bool = False) -> Problem:
    """Two inputs, two objectives and a constraint, measured together or apart."""
    groups = APART if apart else None
    bounds = {"c": at_least(0.0)}
    return Problem(SQUARE, dict.fromkeys("fg", minimize), bounds, groups, noiseless)


def home_values(points: np.ndarray) -> dict[str, np.ndarray]:
    """Smooth values of the home problem at points (n, 2); part of the front is on the bound."""
    x, y = points.T
    return {
        "f": (x - 0.2) ** 2 + (y - 0.3) ** 2,
        "g": np.sin(3.0 * x) - y,
        "c": 0.6 - x - 0.7 * y + 0.2 * np.cos(5.0 * y),
    }


def of_size(
    objectives: int, constraints: int, space: Space | int, noiseless: bool = False
) -> Problem:
    """So many objectives and constraints, of that many real inputs or of a space's."""
    inputs = (
        {f"x{i}": Real(0.0, 1.0) for i in range(space)}
        if isinstance(space, int)
        else dict(space.inputs)
    )
    return Problem(
        inputs,
        {f"f{k}": minimize for k in range(objectives)},
        {f"c{j}": at_least(0.0) for j in range(constraints)},
        noiseless=noiseless,
    )


def scattered(space: Space, count: int, seed: int = 0) -> np.ndarray:
    """Legal points (count, width), uniform."""
    return space.sample(np.random.default_rng([7, seed]).random((count, space.size)))


def told(
    problem: Problem,
    points: np.ndarray,
    values: Mapping[str, np.ndarray],
    waiting: np.ndarray | None = None,
    failed: np.ndarray | None = None,
) -> Data:
    """Everything measured at points (n, width); pending and failed trials of every group."""
    rows = [
        (problem.space.decode(p), {n: float(values[n][i]) for n in values})
        for i, p in enumerate(points)
    ]
    trials: list[Trial] = []

    def add(inputs: dict[str, Any], name: str, state: Any, measured: dict[str, float]) -> None:
        group = problem.groups[name]
        part = {q: measured[q] for q in group.measures if q in measured}
        trials.append(
            Trial(len(trials), inputs, name, group.measures, "method", group.cost, state, part)
        )

    # By name: ids, which chains go by, must not follow the order in which groups are listed.
    for name in sorted(problem.groups):
        for inputs, measured in rows:
            add(inputs, name, "measured", measured)
        for state, others in (("pending", waiting), ("failed", failed)):
            for point in [] if others is None else others:
                add(problem.space.decode(point), name, state, {})
    return Data.from_trials(problem, trials)


def fronts_alone(
    fronts: list[np.ndarray],
    slacks: list[np.ndarray],
    inputs: list[np.ndarray],
    bounds: np.ndarray,
    together: Together | None = None,
) -> Sampled:
    """Sampled fronts for a method that does not look at the models."""
    models: Any = [None] * (len(Sampled._fields) - 5)
    return Sampled(fronts, slacks, inputs, bounds, cast(Any, together), *models)


def check_suggestion(problem: Problem, suggestion: Suggestion) -> None:
    """The suggestion is legal and finite."""
    assert problem.space.legal(suggestion.inputs) == suggestion.inputs
    assert suggestion.group in problem.groups
    assert np.isfinite([suggestion.gain, *suggestion.gains.values()]).all()
    if suggestion.gains:
        assert suggestion.gain == suggestion.gains[suggestion.group]
        assert suggestion.gain == max(suggestion.gains.values())


def check_recommendation(problem: Problem, recommended: Recommendation) -> None:
    """The recommendation is there, legal, finite, and as sure as it says."""
    assert len(recommended) > 0
    assert 0.0 <= recommended.level <= 1.0 - recommended.delta + 1e-12
    for point in recommended:
        assert problem.space.legal(point.inputs) == point.inputs
        assert tuple(point.mean) == tuple(point.sd) == problem.black_boxes
        assert tuple(point.feasible_each) == problem.constraints
        assert np.isfinite([*point.mean.values(), *point.sd.values()]).all()
        assert min(point.sd.values()) >= 0.0
        each = np.array([*point.feasible_each.values()])
        assert ((each >= recommended.level - 1e-6) & (each <= 1.0 + 1e-9)).all()
        assert np.isclose(point.feasible, each.prod())
