"""What a demo found, and how that compares with the truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tradespace.inputs import Floats
from tradespace.pareto import hypervolume, thin
from tradespace.problem import Problem
from tradespace.problems.testproblem import TestProblem, is_feasible
from tradespace.study import Trial, Trials

if TYPE_CHECKING:
    from tradespace.recommend import Recommendation, RecommendedInput

# How often random settings are tried for comparison.
REPEATS = 200


@dataclass(frozen=True, eq=False)
class Outcome:
    """The trials of a study of a test problem, its recommendation, and the seconds it took."""

    test_problem: TestProblem
    seed: int
    trials: Trials
    recommendation: Recommendation
    seconds: float

    @property
    def problem(self) -> Problem:
        """What was to be found."""
        return self.test_problem.problem

    def measured(self, group: str) -> list[Trial]:
        """The trials that measured a group."""
        return [trial for trial in self.trials if trial.group == group]

    @property
    def cost(self) -> float:
        """What was spent."""
        return sum(trial.cost for trial in self.trials)

    @property
    def settings(self) -> int:
        """Number of different inputs at which something was measured."""
        return len({tuple(trial.inputs.values()) for trial in self.trials})

    @property
    def cost_of_everything(self) -> float:
        """What measuring every group at all those inputs would have cost."""
        return self.settings * sum(group.cost for group in self.problem.groups.values())

    def some(self, count: int) -> list[RecommendedInput]:
        """Of the recommended inputs a few that are spread out, in the same order."""
        kept = thin(self._predicted, min(count, len(self.recommendation)))
        return [self.recommendation.points[i] for i in sorted(kept)]

    @cached_property
    def _predicted(self) -> Floats:
        return np.array(
            [
                [self.problem.to_inside(name, point.mean[name]) for name in self.problem.objectives]
                for point in self.recommendation
            ]
        )

    def is_feasible(self, inputs: Mapping[str, Any]) -> bool:
        """Whether inputs truly meet every constraint."""
        return self.problem.is_feasible(self.test_problem.evaluate(inputs))

    @cached_property
    def holding(self) -> int:
        """Number of recommended inputs that truly meet every constraint."""
        return int(self._truth[1].sum())

    @property
    def share(self) -> float:
        """Hypervolume of what was recommended and is truly feasible, over the true front's."""
        objectives, feasible = self._truth
        return self._share(objectives[feasible])

    @cached_property
    def _truth(self) -> tuple[Floats, np.typing.NDArray[np.bool_]]:
        """True objectives inside (n, K) of the recommended inputs, and which are feasible (n,)."""
        points = self.problem.space.encode_all([point.inputs for point in self.recommendation])
        objectives, constraints = self.test_problem.evaluate_points(points)
        return objectives, is_feasible(self.problem, constraints)

    @cached_property
    def random_share(self) -> float:
        """The same share for random inputs where everything is measured, at no more cost.

        Those are judged by their true values: the best that anybody could pick from them.
        """
        each = sum(group.cost for group in self.problem.groups.values())
        rng = np.random.default_rng(self.seed)
        shares = []
        for _ in range(REPEATS):
            uniform = rng.random((int(self.cost // each), self.problem.space.size))
            points = self.problem.space.sample(uniform)
            objectives, constraints = self.test_problem.evaluate_points(points)
            shares.append(self._share(objectives[is_feasible(self.problem, constraints)]))
        return float(np.mean(shares))

    def _share(self, objectives: Floats) -> float:
        reached = hypervolume(objectives, self.test_problem.reference)
        return reached / self.test_problem.reference_hypervolume

    def as_json(self) -> dict[str, Any]:
        """Everything, in values that JSON knows."""
        recommendation = self.recommendation
        return {
            "problem": self.test_problem.name,
            "seed": self.seed,
            "seconds": round(self.seconds, 1),
            "groups": {
                name: {
                    "measures": list(group.measures),
                    "trials": len(self.measured(name)),
                    "cost": sum(trial.cost for trial in self.measured(name)),
                }
                for name, group in self.problem.groups.items()
            },
            "cost": self.cost,
            "settings": self.settings,
            "cost_of_everything": self.cost_of_everything,
            "hypervolume_share": self.share,
            "random_hypervolume_share": self.random_share,
            "recommendation": {
                "delta": recommendation.delta,
                "level": recommendation.level,
                "truly_feasible": self.holding,
                "points": [asdict(point) for point in self.recommendation],
            },
            "trials": [asdict(trial) for trial in self.trials],
        }
