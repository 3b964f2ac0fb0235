"""One iteration of a study in its steady state: a suggestion and a recommendation.

Everything is compiled, the chains of the data before the last measurement are known, and the
chains of the data with it are not: just as when a study has been told one more result.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from benchmarks.speed.compilations import compiled

import tradespace as ts
from tradespace.acquisition import MesmocPlus
from tradespace.problems.drawn import drawn
from tradespace.problems.testproblem import TestProblem

PROBLEM = 13

Inputs = dict[str, Any]


class Seconds(NamedTuple):
    """How long each half of an iteration took."""

    ask: float
    recommend: float

    @property
    def total(self) -> float:
        return self.ask + self.recommend


@dataclass(frozen=True)
class Case:
    """A drawn noiseless problem of some size, and the method that works on it."""

    inputs: int = 4
    objectives: int = 2
    constraints: int = 2
    decoupled: bool = False
    method: MesmocPlus = field(default_factory=MesmocPlus)

    @property
    def problem(self) -> TestProblem:
        """The same functions every time."""
        coupled = drawn(self.inputs, self.objectives, self.constraints, PROBLEM)
        return coupled.decoupled() if self.decoupled else coupled

    def study(self, measured: int, seed: int, inputs: Sequence[Inputs] | None = None) -> ts.Study:
        """A study that measured at the first of `inputs`, and then at one it asked for itself.

        Without `inputs` they are uniform: nothing makes them easy or hard for one method.
        """
        test_problem = self.problem
        space = test_problem.problem.space
        if inputs is None:
            uniform = np.random.default_rng([seed, measured]).random((measured - 1, space.size))
            inputs = [space.decode(point) for point in space.sample(uniform)]
        study = ts.Study(test_problem.problem, self.method, seed=seed, start=0)
        for each in inputs[: measured - 1]:
            study.add(each, test_problem.evaluate(each))
        trial = study.ask()
        values = test_problem.evaluate(trial.inputs)
        study.tell(trial, {name: values[name] for name in trial.measure})
        return study

    def gathered(self, measured: int, seed: int) -> list[Inputs]:
        """The inputs a study chooses one after the other, its start design first.

        It makes do with few hyper-parameter samples: thus hundreds of trials take seconds.
        """
        quick = replace(self.method, samples=2, candidates=200)
        study = ts.Study(self.problem.problem, quick, seed=seed)
        study.run(self.problem.evaluate, trials=measured)
        return [trial.inputs for trial in study.trials()]


def iterate(study: ts.Study) -> Seconds:
    """One iteration, timed; it must not compile anything."""
    before = len(compiled())
    start = time.perf_counter()
    study.ask()
    asked = time.perf_counter()
    study.recommend()
    done = time.perf_counter()
    during = compiled()[before:]
    if during:
        raise RuntimeError(f"{', '.join(during)} compiled in what should be a steady state")
    return Seconds(asked - start, done - asked)


def warm_up(case: Case, measured: int) -> None:
    """Compile all that iterations after so many measurements need."""
    study = case.study(measured, seed=0)
    study.ask()
    study.recommend()


def iterations(case: Case, measured: int, repeats: int) -> Iterator[Seconds]:
    """Iterations after so many measurements, each of other data and with another seed."""
    warm_up(case, measured)
    for seed in range(1, repeats + 1):
        yield iterate(case.study(measured, seed))
