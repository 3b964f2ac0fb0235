"""The trade-offs the models stand behind now: the Pareto set of their means."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from tradespace import fronts, pareto
from tradespace.compilation import surroundings
from tradespace.data import Data
from tradespace.decision import EVERYWHERE, GENERATIONS, NEAR_DATA, Decision, search_from
from tradespace.errors import ADVICE, ArgumentError, NumericalError
from tradespace.fronts import POPULATION
from tradespace.method import Method
from tradespace.model import Key, Padded, Setting, pad, posteriors
from tradespace.problem import Problem
from tradespace.programs import Means, Predicted
from tradespace.sobol import sobol
from tradespace.tables import to_pandas

# Trade-offs shown at most, and the step by which the level is relaxed when nothing reaches it.
SIZE, RELAXATION = 50, 0.05


@dataclass(frozen=True)
class RecommendedInput:
    """One trade-off: inputs, and what the models say of them, in the user's units.

    `mean` and `sd` are of the quantities without the noise of measuring them. `feasible_each` is
    the probability that each constraint holds; `feasible`, their product, that all do.
    """

    inputs: dict[str, Any]
    mean: dict[str, float]
    sd: dict[str, float]
    feasible: float
    feasible_each: dict[str, float]


@dataclass(frozen=True)
class Recommendation:
    """Trade-offs none of which is better than another, each feasible with enough probability.

    Sorted by the predicted means of the objectives, each with its better end first.
    Every constraint holds with probability `level` or more; `relaxed` says that `level` had to be
    lowered from 1 - `delta` for there to be anything.
    """

    points: tuple[RecommendedInput, ...]
    delta: float
    level: float

    @classmethod
    def of(
        cls, problem: Problem, points: Iterable[RecommendedInput], delta: float, level: float
    ) -> "Recommendation":
        """The recommendation of these points, given in any order."""

        def place(point: RecommendedInput) -> list[float]:
            return [problem.to_inside(name, point.mean[name]) for name in problem.objectives]

        return cls(tuple(sorted(points, key=place)), delta, level)

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

    def rows(self) -> list[dict[str, Any]]:
        """One flat dict for each trade-off: inputs and means by name, deviations as `<name>.sd`,
        `feasible` and, for each constraint, `<name>.feasible`.
        """
        return [
            {
                **point.inputs,
                **point.mean,
                **{f"{name}.sd": sd for name, sd in point.sd.items()},
                "feasible": point.feasible,
                **{f"{name}.feasible": each for name, each in point.feasible_each.items()},
            }
            for point in self
        ]

    def to_pandas(self) -> Any:
        """A pandas DataFrame with a row for each trade-off."""
        return to_pandas(self.rows())


def recommend(
    key: Key, problem: Problem, data: Data, method: Method, delta: float = 0.05
) -> Recommendation:
    """The Pareto set of the hyper-averaged posterior means, where every constraint holds with
    probability 1 - delta; where it does nowhere, delta is raised step by step.
    """
    if not 0.0 < delta < 1.0:
        raise ArgumentError(f"delta must lie between 0 and 1, not {delta!r}")
    setting = Setting(problem, method.samples, method.prior, key[0])
    with surroundings():
        padded = pad(problem, data, imagine=False)
        given = posteriors(setting, key, data, padded)
        decision = Decision(setting, method, given, padded)
        level = 1.0 - delta
        means = _search(setting, key, data, level)
        while (points := _front(decision, means)) is None:
            if level == 0.0:
                raise NumericalError(f"the models' means are not finite; {ADVICE}")
            level = max(level - RELAXATION, 0.0)
            means = means._replace(level=np.asarray(level))
        predicted = decision(points, ticks=0).predicted
    return Recommendation.of(problem, _described(problem, padded, points, predicted), delta, level)


def _search(setting: Setting, key: Key, data: Data, level: float) -> Means:
    space, rng = setting.problem.space, setting.rng("recommend", *key)
    everywhere = sobol(rng, space, EVERYWHERE)
    measured = np.unique(np.concatenate([p for p in data.points if len(p)] or [everywhere]), axis=0)
    near = measured[rng.permutation(len(measured))[:NEAR_DATA]]
    rest = near[rng.integers(len(near), size=NEAR_DATA - len(near))]
    steps = 0.1 * rng.standard_normal(rest.shape)
    near = np.concatenate([near, space.snap(np.clip(rest + steps, 0.0, 1.0))])
    rounds = (EVERYWHERE + NEAR_DATA) // POPULATION + GENERATIONS
    return search_from(setting, np.concatenate([near, everywhere]), rounds, level)


def _front(decision: Decision, means: Means) -> Float[np.ndarray, "S width"] | None:
    """The best mean trade-offs that reach the level, None when no point seen does."""
    problem = decision.setting.problem
    nowhere = np.zeros((1, problem.space.width))
    searched = decision(nowhere, means=means).searched
    points, values = np.asarray(searched.points)[0], np.asarray(searched.values)[0]
    objectives = len(problem.objectives)
    reached = (values[:, objectives:] >= 0.0).all(1) & (values[:, 0] < fronts.FAR)
    if not reached.any():
        return None
    points, values = points[reached], values[reached, :objectives]
    kept = pareto.non_dominated(values)
    points, values = points[kept], values[kept]
    return points[pareto.thin(values, SIZE)]


def _described(
    problem: Problem,
    padded: Padded,
    points: Float[np.ndarray, "S width"],
    predicted: Predicted,
) -> tuple[RecommendedInput, ...]:
    standardised, spread, holding = (np.asarray(x)[:, : len(points)] for x in predicted)
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
