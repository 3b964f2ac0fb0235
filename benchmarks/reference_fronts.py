"""Find the fronts of the test problems, say how sure they are, and store them with --write.

Two objectives: evolution (tradespace.problems.search), then SLSQP from its points: each objective
alone, then each under 200 levels of the other. The hypervolume is that of all points found, and
of inputs between those that are neighbours on the front.
C2-DTLZ2: the front is known, and the hypervolume is the share of quasi-random points below the
reference that some point of the front dominates.
"""

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from scipy.stats import qmc

import tradespace.problems
from tradespace.pareto import hypervolume, non_dominated, thin
from tradespace.problems.search import search
from tradespace.problems.stored import FILE
from tradespace.problems.testproblem import TestProblem, is_feasible
from tradespace.problems.textbook import C2_RADII, c2_dtlz2

GENERATIONS = 80
STARTS = 40
LEVELS = 200
BETWEEN = 10
# Discrete inputs, which a descent does not change, differ between neighbours on the front.
NEAREST = 3
KEPT = 300


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="store what was found")
    arrays: dict[str, np.ndarray] = {}
    write = parser.parse_args().write
    print(f"{'problem':28}{'hypervolume':>14}{'evolution':>12}{'twice':>12}   ideal -> nadir")
    for make in tradespace.problems.KNOWN:
        problem = make()
        if not problem.name.startswith("c2_dtlz2"):
            arrays |= report(problem.name, *evolved(problem))
    for objectives in C2_RADII:
        arrays |= report(f"c2_dtlz2_{objectives}", *sphere(objectives))
    if write:
        path = Path(tradespace.problems.__file__).parent / FILE
        np.savez_compressed(path, **arrays)
        print(f"{path.name}: {path.stat().st_size} bytes")


def report(
    name: str, front: np.ndarray, best: float, evolution: float, twice: float
) -> dict[str, np.ndarray]:
    """A line of the table (shares of the hypervolume missed), and what is to be stored."""
    ideal, nadir = front.min(axis=0), front.max(axis=0)
    ends = " -> ".join(np.array2string(end, precision=5) for end in (ideal, nadir))
    shares = "".join(f"{1.0 - part / best:12.1e}" for part in (evolution, twice))
    print(f"{name:28}{best:14.8g}{shares}   {ends}", flush=True)
    return {name: front[thin(front, KEPT)], f"{name}.hypervolume": np.array(best)}


def evolved(problem: TestProblem) -> tuple[np.ndarray, float, float, float]:
    """Front, its hypervolume, and that of an evolution and of one twice as long, both unrefined."""
    reference = np.array(problem.solve.args[1])  # type: ignore[attr-defined]
    runs = [
        search(np.random.default_rng(effort), problem, effort * GENERATIONS) for effort in (1, 2)
    ]
    points = np.concatenate([run.points for run in runs])
    descend = Descent.of(problem, points)
    for objective in (0, 1):
        best = ends(descend, points, objective)
        points = np.concatenate([points, best])
    points = np.concatenate([points, *(along(descend, points, level) for level in (0, 1))])
    union = filled(descend, points)
    best_volume, *others = (
        hypervolume(front, reference) for front in (union, *(run.objectives for run in runs))
    )
    return union, best_volume, *others


def ends(descend: "Descent", points: np.ndarray, objective: int) -> np.ndarray:
    """Where descents on one objective end, then on the other without giving up on the first."""
    starts = points[thin(descend.feasible_objectives(points), STARTS)]
    found = []
    for start in starts:
        end = descend(start, objective)
        least = descend.feasible_objectives(end[None])[0, objective]
        level = least + 1e-6 * descend.widths[objective]
        found.append(descend(end, 1 - objective, level))
    return np.array(found)


def along(descend: "Descent", points: np.ndarray, bounded: int) -> np.ndarray:
    """Where descents on one objective end under even levels of the other, each from near there."""
    objectives = descend.feasible_objectives(points)
    front = non_dominated(objectives)
    points, at = points[front], objectives[front, bounded]
    nearest = NEAREST if descend.problem.problem.space.discrete.any() else 1
    found = []
    for level in np.linspace(at.min(), at.max(), LEVELS):
        for near in np.abs(at - level).argsort()[:nearest]:
            found.append(descend(points[near], 1 - bounded, level))
    return np.array(found)


def filled(descend: "Descent", points: np.ndarray) -> np.ndarray:
    """Objectives of the front of the points and of inputs between neighbours on their front."""
    objectives = descend.feasible_objectives(points)
    front = non_dominated(objectives)
    points, objectives = points[front], objectives[front]
    points = points[objectives[:, 0].argsort()]
    shares = np.linspace(0.0, 1.0, BETWEEN + 1)[1:-1, None, None]
    between = points[:-1] + shares * (points[1:] - points[:-1])
    between = descend.problem.problem.space.snap(between.reshape(-1, points.shape[1]))
    union = np.concatenate([objectives, descend.feasible_objectives(between)])
    return union[non_dominated(union)]


@dataclass(frozen=True)
class Descent:
    """SLSQP on one of two objectives, under the constraints and a bound on the other objective.

    Objectives are in widths of the front, constraints in standard deviations; discrete inputs stay.
    """

    problem: TestProblem
    widths: np.ndarray
    spreads: np.ndarray

    @classmethod
    def of(cls, problem: TestProblem, points: np.ndarray) -> "Descent":
        space = problem.problem.space
        anywhere = space.sample(np.random.default_rng(0).random((1000, space.size)))
        widths = np.ptp(problem.evaluate_points(points)[0], axis=0)
        return cls(problem, widths, problem.evaluate_points(anywhere)[1].std(axis=0))

    def __call__(self, start: np.ndarray, objective: int, level: float | None = None) -> np.ndarray:
        """The end of a descent if it is feasible, else its start."""
        free = ~self.problem.problem.space.discrete

        def moved(x: np.ndarray) -> np.ndarray:
            point = start.copy()
            point[free] = np.clip(x, 0.0, 1.0)
            return point

        def goal(x: np.ndarray) -> float:
            return float(self.values(moved(x))[0][objective])

        def room(x: np.ndarray) -> np.ndarray:
            objectives, slack = self.values(moved(x))
            if level is None:
                return slack
            other = 1 - objective
            return np.append(slack, level / self.widths[other] - objectives[other])

        end = minimize(
            goal,
            start[free],
            bounds=[(0.0, 1.0)] * int(free.sum()),
            constraints={"type": "ineq", "fun": room},
            method="SLSQP",
            options={"ftol": 1e-12, "maxiter": 50},
        )
        feasible = len(self.feasible_objectives(moved(end.x)[None])) == 1
        return moved(end.x) if feasible else start

    def values(self, point: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Objectives, and how far each bound of the constraints is away, both scaled."""
        objectives, constraints = self.problem.evaluate_points(point[None])
        spans = self.problem.problem.spans
        two_sided = np.isfinite(spans)
        upper = (spans - constraints[0])[two_sided] / self.spreads[two_sided]
        # A little inside, since SLSQP ends on a bound only to its own tolerance.
        slack = np.concatenate([constraints[0] / self.spreads, upper]) - 1e-9
        return objectives[0] / self.widths, slack

    def feasible_objectives(self, points: np.ndarray) -> np.ndarray:
        objectives, constraints = self.problem.evaluate_points(points)
        return objectives[is_feasible(self.problem.problem, constraints)]


def sphere(objectives: int) -> tuple[np.ndarray, float, float, float]:
    """C2-DTLZ2's front and hypervolume, that of half as many points, and of an evolution."""
    radius = C2_RADII[objectives]
    unit = np.abs(np.random.default_rng(0).standard_normal((20_000, objectives)))
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    unit[:objectives] = np.eye(objectives)
    close = 1.0 - 0.5 * radius**2  # the cosine of an angle whose chord is the radius
    near = (unit.max(axis=1) >= close) | (unit.sum(axis=1) >= close * objectives**0.5)
    shares = [np.mean([dominated(part, close) for part in parts]) for parts in halves(objectives)]
    problem = c2_dtlz2(objectives + 2, objectives)
    found = search(np.random.default_rng(0), problem, 40).objectives
    volume = 1.1**objectives
    return (
        unit[near],
        volume * shares[0],
        hypervolume(found, np.full(objectives, 1.1)),
        volume * shares[1],
    )


def halves(objectives: int) -> list[list[np.ndarray]]:
    """Quasi-random points below the reference in blocks: all, and half of them."""
    sobol = qmc.Sobol(objectives, seed=0)
    blocks = [1.1 * sobol.random(2**18) for _ in range(16)]
    return [blocks, blocks[:8]]


def dominated(values: np.ndarray, close: float) -> np.ndarray:
    """Whether a point of the unit sphere near a corner or the middle is no larger than each value.

    Near corner i there is one when the value is outside the sphere and f_i >= close. Near the
    middle, look at the point p <= f of the sphere with the largest sum: p_i = min(f_i, t).
    """
    objectives = values.shape[1]
    outside = (values**2).sum(axis=1) >= 1.0
    corner = outside & (values.max(axis=1) >= close)
    # With the i smallest values kept as they are, the others are equal to make the norm 1.
    ordered = np.sort(values, axis=1)
    used = np.cumsum(ordered**2, axis=1) - ordered**2
    others = objectives - np.arange(objectives)
    level = np.sqrt(np.maximum(1.0 - used, 0.0) / others)
    first = (ordered >= level).argmax(axis=1)
    rows = np.arange(len(values))
    kept = (np.cumsum(ordered, axis=1) - ordered)[rows, first]
    total = kept + others[first] * level[rows, first]
    return corner | (outside & (total >= close * objectives**0.5))


if __name__ == "__main__":
    main()
