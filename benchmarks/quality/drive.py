"""One run: start design, then suggestion after suggestion, and checkpoints on the way."""

import hashlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.quality.methods import Chooser
from benchmarks.quality.record import DECIMALS, Record, short

import tradespace
from tradespace.errors import SpaceExhausted
from tradespace.problem import Problem
from tradespace.problems.testproblem import TestProblem, log_hypervolume_difference
from tradespace.study.design import default_start, design
from tradespace.study.measured import measured_front
from tradespace.study.trial import Origin, Trial

# Costs are sums of fractions.
EVEN = 1e-9


def advance(
    record: Record,
    test_problem: TestProblem,
    seed: int,
    make: Callable[[], Chooser],
    budget: float,
    every: int,
    deadline: float = np.inf,
) -> bool:
    """Continue a run until its budget is spent (then True) or the deadline is over (False)."""
    problem = test_problem.problem
    start = _start(problem, seed)
    trials = [_trial(test_problem, i, entry) for i, entry in enumerate(record.trials)]
    chooser = make()
    if not record.engines or record.engines[-1] != engine():
        record.write({"engine": engine()})
    while True:
        due = _due(record, len(start), every, budget)
        if due is not None:
            record.write({"checkpoint": due, **_score(test_problem, trials, chooser)})
        if record.cost >= budget - EVEN:
            return True
        if time.monotonic() >= deadline:
            return False
        if len(trials) < len(start):
            point, group, said = *start[len(trials)], {}
        else:
            try:
                suggested = chooser.suggest(trials)
            except SpaceExhausted:
                return True
            point, group = suggested.point, suggested.group
            said = {"seconds": short(suggested.seconds, 3), "gain": short(suggested.gain, 4)}
        entry = {
            "point": [round(float(u), DECIMALS) for u in point],
            "group": group,
            "cost": short(record.cost + problem.groups[group].cost, 12),
            **said,
        }
        trial = _trial(test_problem, len(trials), entry)
        entry["values"] = [short(value, 6) for value in trial.values.values()]
        record.write(entry)
        trials.append(trial)


def recommended_difference(
    record: Record, test_problem: TestProblem, chooser: Chooser, cost: float
) -> float:
    """Log hypervolume difference of what a method recommends from a run's first trials, up to
    that cost."""
    entries = [entry for entry in record.trials if entry["cost"] <= cost + EVEN]
    trials = [_trial(test_problem, i, entry) for i, entry in enumerate(entries)]
    return _score(test_problem, trials, chooser)["dropped"]


def _start(problem: Problem, seed: int) -> list[tuple[np.ndarray, str]]:
    """The start design of a study, the same for every method."""
    points = design(problem.space, default_start(problem.space), seed)
    return [(point, group) for point in points for group in problem.groups]


def _trial(test_problem: TestProblem, number: int, entry: dict[str, Any]) -> Trial:
    """The trial of an entry, its values measured anew and so exact."""
    problem = test_problem.problem
    inputs = problem.space.decode(np.array(entry["point"]))
    group = problem.groups[entry["group"]]
    true = test_problem.evaluate(inputs)
    values = {name: true[name] for name in group.measures}
    origin: Origin = "method" if "gain" in entry else "design"
    return Trial(
        number, inputs, entry["group"], group.measures, origin, group.cost, "measured", values
    )


def _due(record: Record, start: int, every: int, budget: float) -> float | None:
    """The checkpoint that the last trial reached: the start's end, or a multiple of `every`."""
    if len(record.trials) < start:
        return None
    before = float(record.trials[-2]["cost"]) if len(record.trials) > 1 else 0.0
    reached = min(np.floor((record.cost + EVEN) / every) * every, budget)
    first = len(record.trials) == start
    if reached <= before + EVEN:
        reached = record.cost if first else np.nan
    done = bool(record.checkpoints) and record.checkpoints[-1]["checkpoint"] >= reached - EVEN
    return None if np.isnan(reached) or done else short(float(reached), 12)


def _score(test_problem: TestProblem, trials: list[Trial], chooser: Chooser) -> dict[str, Any]:
    """Log relative hypervolume differences of the recommendation and of what was measured."""
    recommended = chooser.recommend(trials)
    true = test_problem.evaluate_points(recommended.points)
    problem = test_problem.problem
    front = [
        [problem.to_inside(name, point.values[name]) for name in problem.black_boxes]
        for point in measured_front(problem, trials)
    ]
    measured = np.array(front).reshape(-1, len(problem.black_boxes))
    count = len(problem.objectives)
    met = (true[1] >= 0) & (true[1] <= problem.spans)
    return {
        "dropped": short(log_hypervolume_difference(test_problem, *true, "dropped")),
        "void": short(log_hypervolume_difference(test_problem, *true, "void")),
        "measured": short(
            log_hypervolume_difference(test_problem, measured[:, :count], measured[:, count:])
        ),
        "size": len(recommended.points),
        "feasible": int(met.all(axis=1).sum()),
        "level": short(recommended.level),
        "seconds": short(recommended.seconds, 3),
    }


def engine() -> str:
    """A fingerprint of the code that suggests and recommends."""
    root = Path(tradespace.__file__).parent
    digest = hashlib.blake2b(digest_size=4)
    for path in sorted(root.rglob("*.py")):
        if path.relative_to(root).parts[0] not in ("cli", "study", "problems"):
            digest.update(path.read_bytes())
    return digest.hexdigest()
