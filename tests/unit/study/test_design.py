from dataclasses import replace

import numpy as np
import pytest

from tradespace.errors import SpaceExhausted
from tradespace.problem import Group, Problem, at_least, minimize
from tradespace.space import Categorical, Integer, Real, Space
from tradespace.study.design import default_start, design, next_start
from tradespace.study.trial import Trial

SQUARE = Space({"x": Real(0, 1), "y": Real(0, 1)})
TINY = Space({"n": Integer(1, 3), "kind": Categorical(["a", "b"])})


def test_the_default_start_grows_with_the_inputs_up_to_twenty() -> None:
    sizes = {n: default_start(Space({f"x{i}": Real(0, 1) for i in range(n)})) for n in (1, 4, 30)}
    assert sizes == {1: 4, 4: 10, 30: 20}


def test_a_design_fills_the_space_better_than_chance() -> None:
    points = design(SQUARE, 16, seed=3)
    # A scrambled Sobol net has one point in each cell of a 4 x 4 grid; chance fills about 10.
    cells = {tuple(cell) for cell in np.floor(points * 4).astype(int)}
    assert len(cells) == 16


def test_a_design_is_decided_by_its_seed() -> None:
    np.testing.assert_array_equal(design(SQUARE, 6, seed=1), design(SQUARE, 6, seed=1))
    assert not np.array_equal(design(SQUARE, 6, seed=1), design(SQUARE, 6, seed=2))


@pytest.mark.parametrize("space", [SQUARE, TINY, Space({"n": Integer(1, 200, log=True)})])
def test_a_longer_design_begins_with_the_shorter(space: Space) -> None:
    longest = design(space, 40, seed=5)
    for count in range(40):
        np.testing.assert_array_equal(design(space, count, seed=5), longest[:count])


def test_a_design_never_repeats_a_point_and_ends_when_there_is_no_other() -> None:
    points = design(TINY, 99, seed=0)
    assert len(points) == TINY.cardinality == 6
    assert len(np.unique(points, axis=0)) == 6


def test_points_that_the_sequence_hardly_reaches_are_listed() -> None:
    # The cells of the largest of 30,000 integers are a millionth wide on a log scale.
    space = Space({"n": Integer(1, 30_000, log=True)})
    assert len(design(space, 30_000, seed=0)) == 30_000


def test_a_wide_space_is_never_listed() -> None:
    space = Space({"n": Integer(1, 2**40, log=True)})
    assert len(np.unique(design(space, 5000, seed=0))) == 5000


def problem_of(space: Space, noiseless: bool = False) -> Problem:
    return Problem(
        inputs=space.inputs,
        objectives={"f": minimize},
        constraints={"c": at_least(0)},
        groups={"one": Group(["f"]), "two": Group(["c"])},
        noiseless=noiseless,
    )


def fill(problem: Problem, trials: list[Trial], count: int, start: int) -> list[tuple[str, bool]]:
    """Take up to `count` slots of the start, every one failing; groups and whether it is new."""
    taken = []
    for _ in range(count):
        slot = next_start(problem, trials, start, seed=0)
        if slot is None:
            break
        inputs, group = slot
        seen = any((t.inputs, t.group) == (inputs, group) for t in trials)
        taken.append((group, not seen))
        trials.append(Trial(len(trials), inputs, group, (), "design", 1.0, "failed"))
    return taken


def test_every_group_is_measured_at_each_input_in_order() -> None:
    problem, trials = problem_of(SQUARE), []
    assert fill(problem, trials, 6, start=3) == [("one", True), ("two", True)] * 3
    for i in (0, 2, 4):
        assert trials[i].inputs == trials[i + 1].inputs
    assert len({tuple(trial.inputs.values()) for trial in trials}) == 3


def measured(trial_id: int, inputs: dict[str, object], group: str, **values: float) -> Trial:
    return Trial(trial_id, inputs, group, tuple(values), "added", 0.0, "measured", values)


def test_the_start_goes_on_for_what_has_no_value() -> None:
    problem, trials = problem_of(SQUARE), []
    fill(problem, trials, 4, start=2)
    trials.append(measured(4, {"x": 0.5, "y": 0.5}, "one", f=1.0))
    # "one" has a value by now; only "two" still needs one.
    assert fill(problem, trials, 5, start=2) == [("two", True)] * 5
    trials.append(measured(10, {"x": 0.5, "y": 0.5}, "two", c=1.0))
    assert next_start(problem, trials, 2, seed=0) is None


@pytest.mark.parametrize("start", [0, 3])
def test_the_start_ends_when_a_quantity_is_always_left_out(start: int) -> None:
    problem, trials = Problem(SQUARE.inputs, {"f": minimize}, {"c": at_least(0)}), []
    fill(problem, trials, 2, start)
    while slot := next_start(problem, trials, start, seed=0):
        assert len(trials) < 9
        trials.append(measured(len(trials), slot[0], slot[1], f=1.0))
    assert len(trials) == 2 + max(start, 1)


def test_inputs_measured_completely_before_count_as_part_of_the_start() -> None:
    problem = problem_of(SQUARE)
    trials = [
        measured(0, {"x": 0.1, "y": 0.2}, "one", f=1.0),
        measured(1, {"x": 0.1, "y": 0.2}, "two", c=1.0),
        measured(2, {"x": 0.3, "y": 0.2}, "two", c=1.0),
    ]
    assert len(fill(problem, trials, 99, start=3)) == 4
    assert next_start(problem, trials[:3], 1, seed=0) is None


def test_what_was_measured_before_is_not_asked_again() -> None:
    problem = problem_of(TINY)
    first = TINY.decode(design(TINY, 1, seed=0)[0])
    half = [measured(0, first, "one", f=1.0)]
    assert next_start(problem, half, 3, seed=0) == (first, "two")
    whole = [*half, measured(1, first, "two", c=1.0)]
    assert len(fill(problem, whole, 99, start=3)) == 4
    assert sum(trial.inputs == first for trial in whole) == 2


def test_a_noisy_finite_space_is_gone_through_again_when_nothing_has_a_value() -> None:
    problem, trials = problem_of(TINY), []
    taken = fill(problem, trials, 30, start=3)
    assert taken[:12] == [("one", True), ("two", True)] * 3 + [("one", True), ("two", True)] * 3
    assert [new for _, new in taken[12:]] == [False] * 18


def test_a_noiseless_finite_space_ends_when_nothing_has_a_value() -> None:
    problem, trials = problem_of(TINY, noiseless=True), []
    with pytest.raises(SpaceExhausted, match=r"group 'one' was tried at every input.*\['f'\]"):
        fill(problem, trials, 30, start=3)
    assert len(trials) == 12
    waiting = [replace(trial, state="pending") if trial.id < 3 else trial for trial in trials]
    with pytest.raises(SpaceExhausted, match=r"'one' was tried or is pending .* 2 pending trials"):
        next_start(problem, waiting, 3, seed=0)
