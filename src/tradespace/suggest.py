"""The next measurement: which group, at which inputs."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from tradespace import pareto
from tradespace.acquisition.random_search import draw
from tradespace.candidates import FROM_FRONTS, candidates, unvisited, visited
from tradespace.compilation import compiling, in_shares, surroundings
from tradespace.data import Data
from tradespace.decision import Decision, blank, group_weights
from tradespace.errors import ADVICE, NumericalError, SpaceExhausted
from tradespace.fronts import feasible_front
from tradespace.method import Acquisition, Method, Sampled, Together
from tradespace.model import Key, Padded, Setting, explored, pad
from tradespace.problem import Problem
from tradespace.programs import TICKS, Decided, Explored

# Rounds of trying the discrete neighbours of the best.
NEIGHBOUR_ROUNDS = 4
EXHAUSTED = "every legal input has been measured in every group"


@dataclass(frozen=True)
class Suggestion:
    """What to measure next; `gain` is per unit of cost, and `gains` has the best of each group.

    A gain may be negative: `Bmoo` takes the logarithm of a volume.
    """

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
    method.check(problem)
    rng = np.random.default_rng(list(key))
    if not isinstance(method, Acquisition):
        return _random(rng, problem, data)
    setting = Setting(problem, method.samples, method.prior, key[0])
    with surroundings():
        padded = pad(problem, data)
        ahead = blank(setting, method, padded)
        nowhere = np.zeros((1, problem.space.width))
        with compiling(ahead.program, lambda: ahead(nowhere)):
            found = explored(setting, key, data, padded)
        decision = Decision(setting, method, [share.posterior for share in found], padded)
        sampled = sampled_fronts(decision, method, data, found)
        given = method.prepare(rng, sampled)
        starts = candidates(rng, problem, data, _optima(sampled), method.candidates)
        if not len(starts):
            raise SpaceExhausted(EXHAUSTED)
        best = _maximize(decision, data, given, starts)
    if not best and method.restriction:
        return replace(_random(rng, problem, data), note=f"at random: {method.restriction}")
    if not best:
        raise SpaceExhausted(EXHAUSTED)
    reachable = {name: value for name, (value, _) in best.items()}
    group = max(reachable, key=lambda name: reachable[name])
    gain, point = best[group]
    note = method.note(len(problem.objectives))
    return Suggestion(problem.space.decode(point), group, gain, reachable, note)


def _together(problem: Problem, data: Data, padded: Padded, found: list[Explored]) -> Together:
    """What was measured, or is imagined, of all black boxes in one trial."""
    whole = set.intersection(*(set(trials.tolist()) for trials in data.trials))
    measured, imagined = [], []
    for b, trials in enumerate(data.trials):
        measured.append(padded.rows.values[b, : len(trials)][np.isin(trials, list(whole))])
        values = np.concatenate([np.asarray(share.values)[b] for share in found])
        imagined.append(values[:, padded.imagined[b] & (not problem.is_decoupled)])
    return Together(np.stack(measured, -1), np.stack(imagined, -1), padded.bounds)


def sampled_fronts(
    decision: Decision, method: Acquisition, data: Data, found: list[Explored]
) -> Sampled:
    """Each sample's front, cut to size, with what else a method is told."""
    objectives = len(decision.setting.problem.objectives)
    bounds = decision.padded.bounds
    nothing = np.empty((method.samples, *bounds.shape))
    together = _together(decision.setting.problem, data, decision.padded, found)
    sampled = decision.sampled([], [], [], nothing, together)
    for share in found:
        points, values = (np.asarray(x) for x in share.searched)
        for m in range(len(points)):
            front = feasible_front(points[m], values[m], objectives)
            kept = pareto.thin(front.values[:, :objectives], method.front_size)
            sampled.bounds[len(sampled.fronts)] = bounds + np.column_stack(
                [-front.relaxed, front.relaxed]
            )
            sampled.fronts.append(front.values[kept, :objectives])
            sampled.slacks.append(front.values[kept, objectives:] + front.relaxed)
            sampled.inputs.append(front.points[kept])
    return sampled


def _optima(sampled: Sampled) -> list[Float[np.ndarray, "_ width"]]:
    """Inputs of every sampled front, spread along it."""
    each = FROM_FRONTS // len(sampled.fronts) + 1
    pairs = zip(sampled.inputs, sampled.fronts, strict=True)
    return [inputs[pareto.thin(front, each)] for inputs, front in pairs]


def _maximize(
    decision: Decision,
    data: Data,
    given: Any,
    starts: Float[np.ndarray, "n width"],
) -> dict[str, tuple[float, Float[np.ndarray, " width"]]]:
    """For each group that has an input left: its best gain per cost, and where.

    Climbs move real inputs only; the discrete neighbours of the best are candidates in turn,
    until none is better.
    """
    problem, shares = decision.setting.problem, decision.setting.shares
    best: dict[str, tuple[float, Float[np.ndarray, " width"]]] = {}
    for _ in range(NEIGHBOUR_ROUNDS):
        parts = np.array_split(starts, min(shares, len(starts)))

        def work(share: int, parts: list[Float[np.ndarray, "_ width"]] = parts) -> Decided:
            return decision(parts[share], given, TICKS)

        decided = in_shares(decision.program, work, len(parts))
        rose = _better(problem, data, parts, decided, best)
        neighbours = [problem.space.neighbours(best[name][1]) for name in rose]
        starts = np.concatenate(neighbours) if neighbours else starts[:0]
        if not len(starts):
            break
    return best


def _better(
    problem: Problem,
    data: Data,
    parts: list[Float[np.ndarray, "_ width"]],
    decided: list[Decided],
    best: dict[str, tuple[float, Float[np.ndarray, " width"]]],
) -> list[str]:
    """The groups whose best was improved on; `best` is brought up to date."""
    weights, rose = group_weights(problem), []
    for g, name in enumerate(problem.groups):
        own, points, values = list(problem.group_boxes[name]), list(parts), []
        for part, one in zip(parts, decided, strict=True):
            gains = np.asarray(one.gains)[own, : len(part)]
            values.append(weights[g, own] @ gains)
        for one in decided:
            mine = np.asarray(one.groups) == g
            points.append(np.asarray(one.climbed.points)[mine])
            values.append(np.asarray(one.climbed.values)[mine])
        everywhere, gain = problem.space.snap(np.concatenate(points)), np.concatenate(values)
        if np.isnan(gain).all():
            raise NumericalError(f"no gain of group {name!r} is finite; {ADVICE}")
        gain = np.where(np.isfinite(gain), gain, -np.inf)
        if problem.noiseless:
            gain[visited(problem.space, everywhere, data.avoid[name])] = -np.inf
        top = int(np.argmax(gain))
        if gain[top] > (best[name][0] if name in best else -np.inf):
            best[name] = (float(gain[top]), everywhere[top])
            rose.append(name)
    return rose


def _random(rng: np.random.Generator, problem: Problem, data: Data) -> Suggestion:
    costs = np.array([group.cost for group in problem.groups.values()])
    names, space = list(problem.groups), problem.space
    # A noiseless measurement is not repeated; the tries are bounded, then what is left is listed.
    for _ in range(1000):
        uniform, g = draw(rng, costs, space.size)
        point = space.sample(uniform[None])
        if not (problem.noiseless and visited(space, point, data.avoid[names[g]])[0]):
            return Suggestion(space.decode(point[0]), names[g], 0.0)
    for name in names if space.is_listable else []:
        left = unvisited(space, [data.avoid[name]])
        if len(left):
            return Suggestion(space.decode(left[rng.integers(len(left))]), name, 0.0)
    raise SpaceExhausted(EXHAUSTED)
