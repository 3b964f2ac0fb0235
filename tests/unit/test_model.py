"""The models' chains depend on the data alone, not on the way that led there."""

from collections.abc import Iterator

import jax
import numpy as np
import pytest

from tradespace import fronts, model
from tradespace.compilation import surroundings
from tradespace.data import Data, State
from tradespace.gp.posterior import moments
from tradespace.model import Setting, explored, pad, posteriors, search_generations
from tradespace.problem import Group, Problem, at_least, between, maximize, minimize
from tradespace.programs import Explored, padded_rows
from tradespace.space import Real
from tradespace.study import Trial

PROBLEM = Problem(
    inputs={"x": Real(0.0, 1.0)},
    objectives={"f": minimize},
    constraints={"c": at_least(-0.2)},
    groups={"one": Group(["f"]), "two": Group(["c"], cost=3.0)},
)
BOTH = Problem({"x": Real(0.0, 1.0)}, {"f": minimize}, {"c": at_least(-0.2)})
SETTING = Setting(PROBLEM, 4, "default", 7)


@pytest.fixture(autouse=True)
def forgetful() -> Iterator[None]:
    """Nothing is remembered before a test or after it."""
    model._remembered.clear()
    model._latest.clear()
    yield
    model._remembered.clear()
    model._latest.clear()


def trial(number: int, state: State = "measured") -> Trial:
    """The number decides inputs, group and value, and so all data."""
    rng = np.random.default_rng(number)
    x, group = float(rng.random()), ("one", "two")[number % 2]
    values = {"one": {"f": float(np.sin(6 * x))}, "two": {"c": float(x - 0.5)}}[group]
    return Trial(
        number,
        {"x": x},
        group,
        PROBLEM.groups[group].measures,
        "method",
        1.0,
        state,
        values=values if state == "measured" else {},
    )


def data(measured: int, pending: int = 0, state: State = "pending") -> Data:
    trials = [trial(i) for i in range(measured)]
    trials += [trial(measured + i, state) for i in range(pending)]
    return Data.from_trials(PROBLEM, trials)


def states(known: Data, key: tuple[int, ...] = (7, 1), setting: Setting = SETTING) -> np.ndarray:
    """The chains' states given the data, (B, M, p)."""
    with surroundings():
        found = explored(setting, key, known, pad(PROBLEM, known), fronts_too=False)
        return np.concatenate([np.array(share.states) for share in found], 1)


def test_a_resumed_study_has_the_chains_of_one_that_was_not() -> None:
    for count in range(1, 15):
        step_by_step = states(data(count))
    model._remembered.clear()
    np.testing.assert_array_equal(states(data(14)), step_by_step)


def test_asking_again_changes_nothing() -> None:
    first = states(data(9))
    np.testing.assert_array_equal(states(data(9)), first)
    # Another trial of the same study: its key differs, its chains do not.
    np.testing.assert_array_equal(states(data(9), key=(7, 2)), first)


def test_what_was_looked_at_in_between_changes_nothing() -> None:
    straight = states(data(14))
    model._remembered.clear()
    for count in (13, 3, 20, 8, 14):
        wandered = states(data(count))
    np.testing.assert_array_equal(wandered, straight)


def test_forgetting_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = [states(data(count)) for count in range(9, 15)]
    model._remembered.clear()
    monkeypatch.setattr(model, "REMEMBERED", 1)
    for count, before in zip(range(9, 15), expected, strict=True):
        np.testing.assert_array_equal(states(data(count)), before)
        assert len(model._remembered) <= 1


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "REMEMBERED", 3)
    for count in range(1, 8):
        states(data(count))
        assert len(model._remembered) <= 3


def test_pending_trials_do_not_touch_the_chains() -> None:
    alone = states(data(9))
    np.testing.assert_array_equal(states(data(9, pending=2)), alone)
    model._remembered.clear()
    np.testing.assert_allclose(states(data(9, pending=2)), alone, rtol=1e-9)


def test_more_padding_for_pending_trials_does_not_touch_the_chains() -> None:
    alone = states(data(46))
    model._remembered.clear()
    with_pending = states(data(46, pending=8))
    assert padded_rows(46 // 2) < padded_rows(46 // 2 + 8 // 2)
    # Padding adds exact zeros to sums; a factorisation may add them in another order.
    np.testing.assert_allclose(with_pending, alone, rtol=1e-9)


def test_posteriors_are_those_of_the_data_whatever_came_before() -> None:
    def weights(known: Data) -> np.ndarray:
        with surroundings():
            shares = posteriors(SETTING, (7, 1), known, pad(PROBLEM, known))
            return np.concatenate([np.asarray(share.weights) for share in shares], 1)

    fresh = weights(data(8))
    np.testing.assert_array_equal(weights(data(8)), fresh)
    states(data(9))
    assert not np.array_equal(weights(data(9)), fresh)
    # Pending points change the posteriors that a suggestion sees, and no others.
    pending = data(8, pending=2)
    with surroundings():
        explored(SETTING, (7, 1), pending, pad(PROBLEM, pending), fronts_too=False)
    np.testing.assert_allclose(weights(data(8)), fresh, atol=1e-9)


def test_trials_without_values_are_imagined_as_each_samples_path_goes() -> None:
    """Imagined values deviate from the means by as much as the variances say: the mean of so many
    squares of standard normals, several at one path, lies within these limits but once in 1e4."""
    setting = Setting(PROBLEM, 40, "default", 3)
    for state in ("pending", "failed"):
        known, ahead = data(12), data(12, pending=6, state=state)
        with surroundings():
            before = explored(setting, (3, 1), known, pad(PROBLEM, known), fronts_too=False)
            after = explored(setting, (3, 1), ahead, pad(PROBLEM, ahead), fronts_too=False)
            squares = []
            for trial in ahead.pending + ahead.failed:
                for box in PROBLEM.group_boxes[trial.group]:
                    mean, variance = at(setting, before, box, trial.point)
                    imagined, left = at(setting, after, box, trial.point)
                    assert (left < 0.9 * variance).all()
                    squares.append(((imagined - mean) ** 2 / (variance - left)).mean())
        assert 0.5 < np.mean(squares) < 1.8


def at(
    setting: Setting, found: list[Explored], box: int, point: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Means and variances of one black box at a point, of every sample."""
    layout = setting.shape.layout
    found_there = []
    with surroundings():
        for share in found:
            for m in range(share.posterior.hyper.log_noise.shape[1]):
                one = jax.tree.map(lambda x, m=m: x[box, m], share.posterior)
                found_there.append(moments(layout, one, point[None]))
    mean, variance = np.array(found_there)[..., 0].T
    return mean, variance


def test_other_data_and_seeds_have_other_chains() -> None:
    first = states(data(9))
    assert (states(data(10)) != first).any()
    other = Setting(PROBLEM, 4, "default", 8)
    assert (states(data(9), setting=other) != first).any()


def test_the_chains_of_one_black_box_are_its_own() -> None:
    # Trial 9 measures the constraint alone, and no checkpoint lies between.
    before, after = states(data(9)), states(data(10))
    np.testing.assert_array_equal(before[0], after[0])
    assert (before[1] != after[1]).any()


def test_rows_are_standardised_and_padded() -> None:
    known = data(7, pending=3)
    padded = pad(PROBLEM, known)
    for b, (points, values) in enumerate(zip(known.points, known.values, strict=True)):
        counted = padded.rows.counted[b]
        np.testing.assert_array_equal(padded.rows.points[b][counted], points)
        back = padded.scalings[b].inverse(padded.rows.values[b][counted])
        np.testing.assert_allclose(back, values, atol=1e-12)
        assert not (counted & padded.imagined[b]).any()
        assert len(counted) == padded_rows(7 // 2 + 1 + 2)
    # Trials 7 and 9 are pending in the second group, trial 8 in the first.
    assert padded.imagined.sum(1).tolist() == [1, 2]
    waiting = [p.point.tolist() for p in known.pending if p.group == "two"]
    assert padded.rows.points[1][padded.imagined[1]].tolist() == waiting
    assert not pad(PROBLEM, known, imagine=False).imagined.any()


def test_bounds_are_on_the_scale_of_the_values() -> None:
    problem = Problem(
        {"x": Real(0.0, 1.0)},
        {"f": maximize},
        {"low": at_least(2.0), "between": between(-1.0, 3.0)},
    )
    rng = np.random.default_rng(0)
    trials = []
    for i in range(9):
        values = {"f": rng.normal(), "low": 2.0 + rng.normal(), "between": 4.0 * rng.normal()}
        trials.append(
            Trial(
                i,
                {"x": rng.random()},
                next(iter(problem.groups)),
                problem.black_boxes,
                "method",
                1.0,
                "measured",
                values=values,
            )
        )
    padded = pad(problem, Data.from_trials(problem, trials))
    for c, name in enumerate(problem.constraints):
        standardised = padded.rows.values[1 + c][:9]
        low, high = padded.bounds[c]
        inside = (standardised >= low) & (standardised <= high)
        ends = {"low": (2.0, np.inf), "between": (-1.0, 3.0)}[name]
        expected = [ends[0] <= t.values[name] <= ends[1] for t in trials]
        assert inside.tolist() == expected
    assert np.isfinite(padded.bounds).all()


@pytest.mark.parametrize("width", [1, 2, 4, 6, 8, 30])
def test_paths_are_searched_for_whole_periods_longer_in_more_columns(width: int) -> None:
    generations = search_generations(width)
    assert generations % fronts.PERIOD == 0
    assert search_generations(1) <= generations <= 2 * search_generations(1)
    assert generations >= search_generations(width - 1)
