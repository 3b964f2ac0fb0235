"""The trade-offs the models stand behind now: the Pareto set of their means."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jaxtyping import Float

from tradespace import fronts, pareto
from tradespace.acquisition import MesmocPlus, Method, mesmoc_plus
from tradespace.data import Data
from tradespace.fronts import POPULATION, Searched
from tradespace.model import Key, Padded, Setting, explored, pad
from tradespace.problem import Problem
from tradespace.programs import Decided, Explored, Means, decide, surroundings
from tradespace.sobol import sobol

# Points the search of the means starts from (Sobol, and at or near the data), and generations.
EVERYWHERE, NEAR_DATA, GENERATIONS = 256, 128, 40
# Trade-offs shown at most, and the step by which the level is relaxed when nothing reaches it.
SIZE, RELAXATION = 50, 0.05


@dataclass(frozen=True)
class RecommendedInput:
    """One trade-off: inputs, and what the models say is measured there, in the user's units.

    `feasible` is the probability that all constraints hold, `feasible_each` that each one does.
    """

    inputs: dict[str, Any]
    mean: dict[str, float]
    sd: dict[str, float]
    feasible: float
    feasible_each: dict[str, float]


@dataclass(frozen=True)
class Recommendation:
    """Trade-offs none of which is better than another, each feasible with enough probability.

    Every constraint holds with probability `level` or more; `relaxed` says that `level` had to be
    lowered from 1 - `delta` for there to be anything.
    """

    points: tuple[RecommendedInput, ...]
    delta: float
    level: float

    @property
    def relaxed(self) -> bool:
        """Whether less was asked of the constraints than 1 - delta."""
        return self.level < 1.0 - self.delta - 1e-12

    def __iter__(self) -> Iterator[RecommendedInput]:
        return iter(self.points)

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, index: int) -> RecommendedInput:
        return self.points[index]


def recommend(
    key: Key, problem: Problem, data: Data, method: Method, delta: float = 0.05
) -> Recommendation:
    """The Pareto set of the hyper-averaged posterior means, where every constraint holds with
    probability 1 - delta; where it does nowhere, delta is raised step by step.
    """
    if not 0.0 < delta < 1.0:
        raise ValueError(f"delta must lie between 0 and 1, not {delta!r}")
    setting = Setting(problem, method.samples, method.prior, key[0])
    with surroundings():
        padded = pad(problem, data, with_pending=False)
        found = explored(setting, key, data, padded, fronts_too=False)
        means = _search(setting, key, data, 1.0 - delta)
        level = 1.0 - delta
        while True:
            points = _front(setting, method, padded, found, means, level)
            if points is not None:
                break
            level = max(level - RELAXATION, 0.0)
            means = means._replace(level=np.float64(level))
        predicted = _look(setting, method, padded, found, points)
    return Recommendation(_described(problem, padded, points, predicted), delta, level)


def no_search(setting: Setting) -> Means:
    """Means of the same shape as a search's, for no search at all."""
    return _means(setting, np.zeros((EVERYWHERE + NEAR_DATA, setting.problem.space.width)), 0, 0.0)


def _search(setting: Setting, key: Key, data: Data, level: float) -> Means:
    space, rng = setting.problem.space, setting.rng("recommend", *key)
    everywhere = sobol(rng, space, EVERYWHERE)
    measured = np.unique(np.concatenate([p for p in data.points if len(p)] or [everywhere]), axis=0)
    near = measured[rng.permutation(len(measured))[:NEAR_DATA]]
    rest = near[rng.integers(len(near), size=NEAR_DATA - len(near))]
    steps = 0.1 * rng.standard_normal(rest.shape)
    near = np.concatenate([near, space.snap(np.clip(rest + steps, 0.0, 1.0))])
    rounds = (EVERYWHERE + NEAR_DATA) // POPULATION + GENERATIONS
    return _means(setting, np.concatenate([near, everywhere]), rounds, level)


def _means(
    setting: Setting, start: Float[np.ndarray, "n width"], rounds: int, level: float
) -> Means:
    variation = fronts.draw_variation(
        setting.rng("children"),
        GENERATIONS,
        1,
        setting.problem.space.width,
        len(setting.problem.objectives),
    )
    return Means(start[None], variation, np.float64(level), np.int32(rounds))


def _decide(
    setting: Setting,
    method: Method,
    padded: Padded,
    found: list[Explored],
    points: Float[np.ndarray, "n width"],
    ticks: int,
    means: Means,
) -> Decided:
    problem = setting.problem
    total = _candidate_count(setting, method)
    candidates = points[np.arange(total) % len(points)]
    given = None
    if isinstance(method, MesmocPlus):
        nowhere = [np.zeros((1, len(problem.objectives)))] * method.samples
        bounds = np.broadcast_to(padded.bounds, (method.samples, *padded.bounds.shape))
        given = mesmoc_plus.prepare(np.random.default_rng(0), method, nowhere, bounds)
    weights = np.zeros((len(problem.groups), len(problem.black_boxes)))
    climbs = max(4 // len(weights), 2)
    return jax.block_until_ready(
        decide(
            setting.shape,
            method,
            climbs,
            [share.posterior for share in found],
            padded.bounds,
            given,
            candidates,
            weights,
            np.int32(ticks),
            means,
        )
    )


def _candidate_count(setting: Setting, method: Method) -> int:
    if isinstance(method, MesmocPlus):
        return (method.candidates + 280) // 2 // setting.shares * 2
    return 2 * SIZE


def _front(
    setting: Setting,
    method: Method,
    padded: Padded,
    found: list[Explored],
    means: Means,
    level: float,
) -> Float[np.ndarray, "S width"] | None:
    """The best mean trade-offs that reach the level, None when no point seen does."""
    nowhere = np.zeros((1, setting.problem.space.width))
    decided = _decide(setting, method, padded, found, nowhere, -1, means)
    points, values = (np.asarray(x)[0] for x in Searched(*decided.searched))
    objectives = len(setting.problem.objectives)
    reached = (values[:, objectives:] >= 0.0).all(1) & (values[:, 0] < fronts.FAR)
    if not reached.any():
        return None
    points, values = points[reached], values[reached, :objectives]
    kept = pareto.non_dominated(values)
    points, values = points[kept], values[kept]
    return points[pareto.thin(values, SIZE)]


def _look(
    setting: Setting,
    method: Method,
    padded: Padded,
    found: list[Explored],
    points: Float[np.ndarray, "S width"],
) -> list[Float[np.ndarray, "B S"]]:
    decided = _decide(setting, method, padded, found, points, 0, no_search(setting))
    return [np.asarray(x)[:, : len(points)] for x in decided.predicted]


def _described(
    problem: Problem,
    padded: Padded,
    points: Float[np.ndarray, "S width"],
    predicted: list[Float[np.ndarray, "B S"]],
) -> tuple[RecommendedInput, ...]:
    standardised, spread, holding = predicted
    mean, sd = {}, {}
    for b, (name, scaling) in enumerate(zip(problem.black_boxes, padded.scalings, strict=True)):
        mean[name] = problem.from_inside(name, scaling.inverse(standardised[b]))
        sd[name] = spread[b] * scaling.slope(standardised[b])
    described = []
    for i, point in enumerate(points):
        each = {name: float(holding[c, i]) for c, name in enumerate(problem.constraints)}
        described.append(
            RecommendedInput(
                problem.space.decode(point),
                {name: float(mean[name][i]) for name in problem.black_boxes},
                {name: float(sd[name][i]) for name in problem.black_boxes},
                float(np.prod(list(each.values()))),
                each,
            )
        )
    return tuple(described)
