"""The next measurement: which group, at which inputs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import jax
import numpy as np
from jaxtyping import Bool, Float

from tradespace import pareto
from tradespace.acquisition import MesmocPlus, Method, RandomSearch, mesmoc_plus
from tradespace.acquisition.random_search import draw
from tradespace.data import Data
from tradespace.errors import SpaceExhausted
from tradespace.fronts import feasible_front
from tradespace.model import Key, Padded, Setting, explored, pad
from tradespace.problem import Problem
from tradespace.programs import TICKS, Decided, Explored, decide, in_shares, surroundings
from tradespace.recommend import no_search
from tradespace.sobol import sobol
from tradespace.space import Space

# Candidates besides the Sobol grid: near the sampled fronts' inputs, and near measured ones.
FROM_FRONTS, FROM_DATA = 160, 120
# Climbs of all groups together in each thread, and rounds of trying discrete neighbours.
CLIMBS, NEIGHBOUR_ROUNDS = 4, 4
# Two inputs nearer than this, in the unit cube, are the same measurement.
SAME = 1e-6


@dataclass(frozen=True)
class Suggestion:
    """What to measure next; `gain` is per unit of cost, and `gains` has the best of each group."""

    inputs: dict[str, Any]
    group: str
    gain: float
    gains: Mapping[str, float] = field(default_factory=dict)
    note: str = ""


def suggest(key: Key, problem: Problem, data: Data, method: Method) -> Suggestion:
    """The input and group whose measurement tells most about the front for its cost.

    `key[0]` seeds the models' chains, so that successive suggestions share them; the whole key
    seeds the rest.
    """
    rng = np.random.default_rng(list(key))
    if isinstance(method, RandomSearch):
        return _random(rng, problem, data)
    setting = Setting(problem, method.samples, method.prior, key[0])
    with surroundings():
        padded = pad(problem, data)
        found = explored(setting, key, data, padded)
        given, optima = _sampled_fronts(rng, problem, method, padded, found)
        candidates = _candidates(rng, problem.space, data, optima, method.candidates)
        best = _maximize(setting, method, data, padded, found, given, candidates)
    reachable = {name: value for name, (value, _) in best.items()}
    group = max(reachable, key=lambda name: reachable[name])
    gain, point = best[group]
    note = method.note(len(problem.objectives))
    return Suggestion(problem.space.decode(point), group, gain, reachable, note)


def _sampled_fronts(
    rng: np.random.Generator,
    problem: Problem,
    method: MesmocPlus,
    padded: Padded,
    found: list[Explored],
) -> tuple[mesmoc_plus.Fronts, list[Float[np.ndarray, "S width"]]]:
    """Each sample's front, ready for conditioning, and the inputs it is reached at."""
    fronts, optima, bounds = [], [], []
    for share in found:
        points, values = (np.asarray(x) for x in share.searched)
        for m in range(len(points)):
            inputs, front, relaxed = feasible_front(points[m], values[m], len(problem.objectives))
            fronts.append(front)
            optima.append(inputs[pareto.thin(front, FROM_FRONTS // method.samples + 1)])
            bounds.append(padded.bounds + np.column_stack([-relaxed, relaxed]))
    return mesmoc_plus.prepare(rng, method, fronts, np.array(bounds)), optima


def _candidates(
    rng: np.random.Generator,
    space: Space,
    data: Data,
    optima: list[Float[np.ndarray, "S width"]],
    grid: int,
) -> Float[np.ndarray, "n width"]:
    """Legal points to start from: everywhere, at the sampled optima, and near the data."""
    total = grid + FROM_FRONTS + FROM_DATA
    if space.cardinality is not None and space.cardinality <= total:
        listed = space.enumerate()
        return listed[np.arange(total) % len(listed)]
    everywhere = sobol(rng, space, grid)
    at_optima = np.concatenate(optima).astype(float)
    at_optima = at_optima[rng.permutation(len(at_optima))[:FROM_FRONTS]]
    measured = np.concatenate([p for p in data.points if len(p)] or [everywhere])
    rest = total - grid - len(at_optima)
    steps = np.exp(rng.uniform(np.log(1e-3), np.log(0.2), (rest, 1)))
    near = measured[rng.integers(len(measured), size=rest)]
    near = space.snap(np.clip(near + steps * rng.standard_normal(near.shape), 0.0, 1.0))
    return np.concatenate([everywhere, at_optima, near])


def _maximize(
    setting: Setting,
    method: MesmocPlus,
    data: Data,
    padded: Padded,
    found: list[Explored],
    given: mesmoc_plus.Fronts,
    candidates: Float[np.ndarray, "n width"],
) -> dict[str, tuple[float, Float[np.ndarray, " width"]]]:
    """For each group that has an input left: its best gain per cost, and where."""
    problem = setting.problem
    weights = _weights(problem)
    climbs = max(CLIMBS // len(weights), 2)
    posteriors = [share.posterior for share in found]
    means = no_search(setting)

    def look(points: Float[np.ndarray, "n width"]) -> list[tuple[Any, Decided]]:
        parts = np.array_split(points[: 2 * (len(points) // 2)], setting.shares)

        def work(share: int) -> Decided:
            return jax.block_until_ready(
                decide(
                    setting.shape,
                    method,
                    climbs,
                    posteriors,
                    padded.bounds,
                    given,
                    parts[share],
                    weights,
                    np.int32(TICKS),
                    means,
                )
            )

        return list(zip(parts, in_shares(work, setting.shares), strict=True))

    best: dict[str, tuple[float, Float[np.ndarray, " width"]]] = {}
    for _ in range(NEIGHBOUR_ROUNDS):
        rose = _better(problem, data, weights, look(candidates), best)
        neighbours = [problem.space.neighbours(best[name][1]) for name in rose]
        around = np.concatenate(neighbours) if neighbours else np.empty((0, 0))
        if not len(around):
            break
        candidates = around[np.arange(len(candidates)) % len(around)]
    if not best:
        raise SpaceExhausted("every legal input has been measured in every group")
    return best


def _weights(problem: Problem) -> Float[np.ndarray, "G B"]:
    """What one unit of each black box's gain is worth in each group: one over the cost."""
    weights = np.zeros((len(problem.groups), len(problem.black_boxes)))
    for g, (name, group) in enumerate(problem.groups.items()):
        weights[g, list(problem.group_boxes[name])] = 1.0 / group.cost
    return weights


def _better(
    problem: Problem,
    data: Data,
    weights: Float[np.ndarray, "G B"],
    looked: list[tuple[Float[np.ndarray, "n width"], Decided]],
    best: dict[str, tuple[float, Float[np.ndarray, " width"]]],
) -> list[str]:
    """The groups whose best was improved on; `best` is brought up to date."""
    rose = []
    for g, name in enumerate(problem.groups):
        points = [part for part, _ in looked]
        values = [weights[g] @ np.asarray(decided.gains) for _, decided in looked]
        for _, decided in looked:
            mine = np.asarray(decided.groups) == g
            points.append(np.asarray(decided.climbed.points)[mine])
            values.append(np.asarray(decided.climbed.values)[mine])
        everywhere, gain = problem.space.snap(np.concatenate(points)), np.concatenate(values)
        gain = np.where(np.isfinite(gain), gain, -np.inf)
        if problem.noiseless:
            gain[_visited(everywhere, data.avoid[name])] = -np.inf
        top = int(np.argmax(gain))
        before = best[name][0] if name in best else -np.inf
        if gain[top] > before + 1e-9 * abs(before if np.isfinite(before) else 0.0):
            best[name] = (float(gain[top]), everywhere[top])
            rose.append(name)
    return rose


def _visited(
    points: Float[np.ndarray, "n width"], avoid: Float[np.ndarray, "a width"]
) -> Bool[np.ndarray, " n"]:
    if not len(avoid):
        return np.zeros(len(points), bool)
    return (np.abs(points[:, None] - avoid[None]).max(-1) < SAME).any(1)


def _random(rng: np.random.Generator, problem: Problem, data: Data) -> Suggestion:
    costs = np.array([group.cost for group in problem.groups.values()])
    names = list(problem.groups)
    # A noiseless measurement is not repeated; the tries are bounded, then what is left is listed.
    for _ in range(1000):
        uniform, g = draw(rng, costs, problem.space.size)
        point = problem.space.sample(uniform[None])
        if not (problem.noiseless and _visited(point, data.avoid[names[g]])[0]):
            return Suggestion(problem.space.decode(point[0]), names[g], 0.0)
    if problem.space.cardinality is not None:
        for name in names:
            listed = problem.space.enumerate()
            left = listed[~_visited(listed, data.avoid[name])]
            if len(left):
                return Suggestion(problem.space.decode(left[rng.integers(len(left))]), name, 0.0)
    raise SpaceExhausted("every legal input has been measured in every group")
