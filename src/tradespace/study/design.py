"""The space-filling start of a study, before there is anything to learn from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np

from tradespace.errors import SpaceExhausted
from tradespace.inputs import Floats
from tradespace.problem import Problem
from tradespace.space import Space
from tradespace.study.trial import Trial

# Beyond this a longer start costs more experiments than the models gain from it.
LONGEST_START = 20

# A longer start is a slip: each of its inputs is an experiment, if not several.
MOST_ASKED = 10_000

# A space that can be listed is, when as many draws still miss some of its points.
LONGEST_DRAW = 2**12


def default_start(space: Space) -> int:
    """Number of inputs to start with: twice one more than there are inputs, at most 20."""
    return min(2 * (space.size + 1), LONGEST_START)


@lru_cache(maxsize=16)
def design(space: Space, count: int, seed: int) -> Floats:
    """Distinct legal points (n, width) that fill the space, n = count or all that there are.

    They are a scrambled Sobol sequence in which repeated points are left out, so that a longer
    design begins with the shorter one.
    """
    if space.cardinality is not None:
        count = min(count, space.cardinality)
    # A sequence of 2^m points is balanced; a shorter one is its beginning.
    draw = 1 << max(count - 1, 0).bit_length()
    points = _distinct(space.sample(_sobol(space.size, draw, seed)))
    while len(points) < count and not (space.is_listable and draw >= LONGEST_DRAW):
        draw *= 2
        points = _distinct(space.sample(_sobol(space.size, draw, seed)))
    if len(points) < count:
        points = _distinct(np.vstack([points, space.enumerate()]))
    points = points[:count]
    points.setflags(write=False)
    return points


def next_start(
    problem: Problem, trials: Iterable[Trial], start: int, seed: int
) -> tuple[dict[str, Any], str] | None:
    """The inputs and group to start with next, None when the start is over.

    Every group is measured at each of `start` inputs; those measured completely before the study
    count among them. Then the groups of quantities that have no value yet, because their trials
    failed or are waited for, go on at further inputs. A quantity that was left out of as many told
    trials as a start has is left to the method. Inputs are repeated only for a noisy problem that
    has no further one.
    """
    known = list(trials)
    lacking = _lacking(problem, known, max(start, 1))
    complete = _complete_before(problem, known)
    wanted = max(start - len(complete), 0)
    asked = sum(trial.origin == "design" for trial in known)
    if not lacking and asked >= wanted * len(problem.groups):
        return None
    count = wanted + len(complete) + (len(known) + 1 if lacking else 0)
    inputs = [problem.space.decode(point) for point in design(problem.space, count, seed)]
    fresh = [chosen for chosen in inputs if _key(chosen) not in complete]
    slots = [(chosen, group) for chosen in fresh[:wanted] for group in problem.groups]
    slots += [(chosen, group) for chosen in fresh[wanted:] for group in lacking]
    visited = {(_key(trial.inputs), trial.group) for trial in known}
    for chosen, group in slots:
        if (_key(chosen), group) not in visited:
            return chosen, group
    return _again(problem, lacking, slots, known) if lacking else None


def _lacking(problem: Problem, trials: list[Trial], enough: int) -> list[str]:
    """Groups with a quantity that has no value, told in fewer trials than are enough."""
    unmeasured = set(problem.black_boxes).difference(*(trial.values for trial in trials))
    told = Counter(trial.group for trial in trials if trial.state == "measured")
    return [
        name
        for name, group in problem.groups.items()
        if unmeasured.intersection(group.measures) and told[name] < enough
    ]


def _again(
    problem: Problem,
    lacking: list[str],
    slots: list[tuple[dict[str, Any], str]],
    trials: list[Trial],
) -> tuple[dict[str, Any], str]:
    if not problem.noiseless:
        again = [slot for slot in slots if slot[1] in lacking]
        return again[len(trials) % len(again)]
    group = lacking[0]
    measures = list(problem.groups[group].measures)
    pending = sum(trial.state == "pending" and trial.group == group for trial in trials)
    if pending:
        raise SpaceExhausted(
            f"group {group!r} was tried or is pending at every input, and some of {measures!r} has "
            f"no value yet; tell its {pending} pending trials first"
        )
    raise SpaceExhausted(
        f"group {group!r} was tried at every input, and still some of {measures!r} has no value"
    )


def _complete_before(problem: Problem, trials: list[Trial]) -> set[tuple[Any, ...]]:
    names: dict[tuple[Any, ...], set[str]] = {}
    for trial in trials:
        if trial.origin == "added":
            names.setdefault(_key(trial.inputs), set()).update(trial.values)
    return {key for key, measured in names.items() if measured.issuperset(problem.black_boxes)}


def _sobol(size: int, count: int, seed: int) -> Floats:
    # Here and not above: importing tradespace must not wait for SciPy.
    from scipy.stats import qmc

    sequence = qmc.Sobol(size, scramble=True, rng=np.random.default_rng(seed))
    return np.asarray(sequence.random(count), dtype=float)


def _distinct(points: Floats) -> Floats:
    """The points without repetitions, in the order of first appearance."""
    _, first = np.unique(points, axis=0, return_index=True)
    return points[np.sort(first)]


def _key(inputs: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(inputs.values())
