"""A demo's outcome without the models: trials of a start design, and recommended inputs by hand."""

from functools import partial

import numpy as np
import pytest

from tradespace.cli.outcome import Outcome
from tradespace.problems.printer import ERRORS, measure, metal_printer
from tradespace.recommend import Recommendation, RecommendedInput
from tradespace.study import Study

# Power and speed; the last is not feasible: it melts too deep.
SETTINGS = [(400.0, 1900.0), (370.0, 1500.0), (350.0, 1200.0), (200.0, 320.0), (300.0, 300.0)]


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    printer = metal_printer()
    rng = np.random.default_rng(0)
    groups = printer.problem.groups
    study = Study(printer.problem, seed=0, start=12)
    study.run({name: partial(measure, rng, group.measures) for name, group in groups.items()}, 23)
    points = []
    for power, speed in SETTINGS:
        inputs = {"power": power, "speed": speed}
        mean = printer.evaluate(inputs)
        points.append(RecommendedInput(inputs, mean, dict(ERRORS), 0.97, {"depth": 0.97}))
    recommendation = Recommendation.of(printer.problem, points, 0.05, 0.95)
    return Outcome(printer, 3, study.trials(), recommendation, 12.3)
