"""How much of each sampled path's front the search finds that runs before every suggestion.

The paths are those of a suggestion. The best front known of a path is the union of what the search
saw, what the paper's uniform points saw, and what a long evolution of another kind finds.
"""

import time
from collections.abc import Callable, Mapping
from typing import Any

import jax
import numpy as np
from benchmarks.speed.steady import Case

from tradespace import fronts, model, paths
from tradespace.compilation import surroundings
from tradespace.model import Setting
from tradespace.pareto import hypervolume, non_dominated, thin
from tradespace.problem import Problem, at_least, minimize
from tradespace.problems.search import search
from tradespace.problems.testproblem import TestProblem

# Uniform points an input, as in the paper.
UNIFORM = 1000
# Single precision: what the compiled search saw and what is computed here agree to this.
AGREE = 1e-3

Evaluate = Callable[[np.ndarray], np.ndarray]


def measure(
    inputs: int, measured: int, studies: int, samples: int, generations: int
) -> dict[str, Any]:
    """Shares of the best hypervolume known, for the first paths of a suggestion in each study."""
    start = time.perf_counter()
    shares = [
        share
        for seed in range(1, studies + 1)
        for share in _of_study(inputs, measured, seed, samples, generations)
    ]
    columns = {name: [share[name] for share in shares] for name in shares[0]}
    return {
        "inputs": inputs,
        "measured": measured,
        "paths": len(shares),
        "generations": generations,
        "mean": {name: float(np.mean(column)) for name, column in columns.items()},
        "worst": {name: min(column) for name, column in columns.items()},
        "all": columns,
        "seconds": time.perf_counter() - start,
    }


def _of_study(
    inputs: int, measured: int, seed: int, samples: int, generations: int
) -> list[dict[str, float]]:
    case = Case(inputs=inputs)
    study = case.study(measured, seed)
    problem, method = study.problem, case.method
    setting = Setting(problem, method.samples, method.prior, study.seed)
    key = (study.seed, measured)
    with surroundings():
        padded = model.pad(problem, study.data)
        found = model.explored(setting, key, study.data, padded)
        return [
            _shares(
                problem,
                _evaluate(setting, key, padded, found, m),
                *_seen(found, m),
                np.random.default_rng([seed, m]),
                generations,
                method.front_size,
            )
            for m in range(samples)
        ]


def _seen(found: list[Any], sample: int) -> tuple[np.ndarray, np.ndarray]:
    """Points and values the search saw of one sample."""
    share, place = divmod(sample, len(found[0].searched.points))
    searched = found[share].searched
    return np.asarray(searched.points)[place], np.asarray(searched.values)[place]


def _evaluate(setting: Setting, key: Any, padded: Any, found: list[Any], sample: int) -> Evaluate:
    """One sample's path of every black box, objectives first, then slacks."""
    problem, layout = setting.problem, setting.shape.layout
    share, place = divmod(sample, len(found[0].searched.points))
    rows = padded.rows.values.shape[1]
    drawn = []
    for b, name in enumerate(problem.black_boxes):
        rng = setting.rng("path", *key, name)
        features = paths.draw_features(rng, (setting.samples,), problem.space.width, rows)
        one = lambda tree, i: jax.tree.map(lambda leaf: leaf[i], tree)  # noqa: E731
        hyper = one(found[share].posterior.hyper, (b, place))
        known = one(padded.rows, b)
        drawn.append(paths.draw_path(layout, one(features, sample), hyper, known))
    together = jax.tree.map(lambda *leaves: np.stack(leaves), *drawn)
    program = jax.jit(
        lambda points: jax.lax.map(lambda p: paths.evaluate(layout, p, points), together)
    )
    low = np.concatenate([np.zeros(len(problem.objectives)), padded.bounds[:, 0]])

    def evaluate(points: np.ndarray) -> np.ndarray:
        with jax.enable_x64(True):
            values = program(np.asarray(points, np.float32))
        return np.asarray(values, float).T - low

    points, values = _seen(found, sample)
    off = np.abs(evaluate(points[:64]) - values[:64]).max()
    if off > AGREE:
        raise RuntimeError(f"the path computed here differs by {off:.2g} from the one searched")
    return evaluate


def _shares(
    problem: Problem,
    evaluate: Evaluate,
    points: np.ndarray,
    values: np.ndarray,
    rng: np.random.Generator,
    generations: int,
    size: int,
) -> dict[str, float]:
    """Found by the search, the same cut to the size that is used, and by uniform points."""
    count = len(problem.objectives)
    uniform = rng.random((UNIFORM * problem.space.size, problem.space.size))
    at_uniform = evaluate(uniform)
    found = fronts.feasible_front(points, values, count).values[:, :count]
    crude = at_uniform[(at_uniform[:, count:] >= 0.0).all(1), :count]
    evolved = search(rng, _test_problem(problem, evaluate), generations).objectives
    together = np.concatenate([found, crude, evolved])
    best = together[non_dominated(together)]
    # As for drawn problems: a tenth of the range beyond the worst values, but some room always.
    reference = best.max(0) + np.maximum(0.1 * np.ptp(best, axis=0), 0.1)
    whole = hypervolume(best, reference)
    return {
        "found": hypervolume(found, reference) / whole,
        "cut": hypervolume(found[thin(found, size)], reference) / whole,
        "uniform": hypervolume(crude, reference) / whole,
    }


def _test_problem(problem: Problem, evaluate: Evaluate) -> TestProblem:
    """A path as a problem: objectives minimised, slacks at least zero."""
    names = problem.black_boxes
    count = len(problem.objectives)
    as_path = Problem(
        inputs=problem.space.inputs,
        objectives=dict.fromkeys(names[:count], minimize),
        constraints=dict.fromkeys(names[count:], at_least(0.0)),
    )

    def function(inputs: Mapping[str, Any]) -> dict[str, Any]:
        values = evaluate(np.stack(list(inputs.values()), axis=1))
        return dict(zip(names, values.T, strict=True))

    return TestProblem("path", as_path, function, lambda: None)
