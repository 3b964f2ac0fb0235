"""What a demo says of its outcome: costs, order, and how near it is to the truth."""

import json
from dataclasses import replace

import pytest

from tradespace.cli.outcome import Outcome
from tradespace.pareto import hypervolume
from tradespace.recommend import Recommendation


def test_costs_are_those_of_the_trials(outcome: Outcome) -> None:
    # The start measures both groups at each of 12 settings; the last trial is not done.
    counts = {group: len(outcome.measured(group)) for group in outcome.problem.groups}
    assert sum(counts.values()) == 23
    assert outcome.cost == counts["weld track"] + 10 * counts["test piece"]
    assert outcome.settings == 12
    assert outcome.cost_of_everything == 12 * 11.0


def test_some_of_the_recommended_keep_their_order(outcome: Outcome) -> None:
    assert len(outcome.some(3)) == 3
    assert [p for p in outcome.recommendation if p in outcome.some(3)] == outcome.some(3)
    assert outcome.some(100) == list(outcome.recommendation)


def test_the_share_counts_what_is_truly_feasible_alone(outcome: Outcome) -> None:
    assert outcome.holding == 4
    good = [point for point in outcome.recommendation if outcome.is_feasible(point.inputs)]
    problem = outcome.problem
    points = problem.space.encode_all([point.inputs for point in good])
    reached = hypervolume(
        outcome.test_problem.evaluate_points(points)[0], outcome.test_problem.reference
    )
    assert outcome.share == reached / outcome.test_problem.reference_hypervolume
    assert 0.2 < outcome.share < 1.0
    bad = tuple(point for point in outcome.recommendation if point not in good)
    assert replace(outcome, recommendation=Recommendation(bad, 0.05, 0.95)).share == 0.0


def test_random_settings_of_the_same_cost_reach_less_with_less(outcome: Outcome) -> None:
    assert 0.0 < outcome.random_share < 1.0
    fewer = replace(outcome, trials=type(outcome.trials)(outcome.trials[:6]))
    assert fewer.cost < outcome.cost
    assert fewer.random_share < outcome.random_share


def test_json_holds_everything_and_no_more_than_json_knows(outcome: Outcome) -> None:
    told = json.loads(json.dumps(outcome.as_json(), allow_nan=False))
    assert told["cost"] == outcome.cost
    assert told["hypervolume_share"] == pytest.approx(outcome.share)
    assert len(told["trials"]) == 23
    assert told["trials"][0]["values"] == outcome.trials[0].values
    first = told["recommendation"]["points"][0]
    assert first["inputs"] == outcome.recommendation[0].inputs
    assert first["feasible_each"] == {"depth": 0.97}
    assert sum(group["cost"] for group in told["groups"].values()) == outcome.cost
