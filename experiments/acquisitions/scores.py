"""How near each method comes to the exact acquisition, as tables."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from experiments.acquisitions.compared import Compared, Curves
from jaxtyping import Float
from scipy import stats

# An acquisition over the inputs, or over those of several black boxes in a row.
Curve = Float[np.ndarray, " n"]

SUM = "the exact gains of the black boxes, summed"


class Score(NamedTuple):
    """Spearman's rank correlation, the distance between the maximisers, and the mean absolute
    error in nats, where the method measures at all."""

    correlation: float
    distance: float
    error: float


def score(found: Curve, exact: Curve, inputs: Curve) -> Score:
    """How near a curve is to the exact one; -inf is the lowest rank."""
    ranks = stats.rankdata(found), stats.rankdata(exact)
    same = any(np.ptp(rank) == 0.0 for rank in ranks)
    correlation = np.nan if same else float(np.corrcoef(*ranks)[0, 1])
    distance = abs(inputs[np.argmax(found)] - inputs[np.argmax(exact)])
    there = np.isfinite(found)
    error = np.abs(found - exact)[there].mean() if there.any() else np.nan
    return Score(correlation, float(distance), float(error))


def coupled(of: Curves) -> list[str]:
    """A table of every method's sum over the black boxes against the exact joint gain."""
    inputs, exact = of.situation.inputs, of.exact
    rows = [_row(SUM, [score(exact.marginal.sum(0), exact.joint, inputs)], True)]
    for each, gains in of.found.items():
        found = score(gains.sum(0), exact.joint, inputs)
        rows.append(_row(each.name, [found], each.unit == "nats"))
    return [*_head(["rank correlation", "between maximisers", "mean error, nats"]), *rows]


def decoupled(of: Curves) -> list[str]:
    """A table of every method's gain of each black box against the exact one of that black box."""
    names = of.situation.test_problem.problem.black_boxes
    inputs, exact = of.situation.inputs, of.exact.marginal
    rows = [f"| exact |{' |' * 9} {_choice(of, exact)} |"]
    for each, gains in _apart(of).items():
        scores = [score(*pair, inputs) for pair in zip(gains, exact, strict=True)]
        row = _row(each.name, scores, each.unit == "nats")
        rows.append(f"{row} {_choice(of, gains)} |")
    columns = [
        f"{what} {name}"
        for name in names
        for what in ("rank correlation,", "between maximisers,", "mean error,")
    ]
    return [*_head([*columns, "would measure"]), *rows]


def many(all_of_them: Sequence[Curves]) -> list[str]:
    """A table over several situations: means, and in how many the choice is the exact one's."""
    rows = [_summary(SUM, all_of_them, lambda of: of.exact.marginal, True)]
    for each in all_of_them[0].found:
        gains = _gains_of(each)
        rows.append(_summary(each.name, all_of_them, gains, not each.method.is_coupled_only))
    columns = [
        "coupled: rank correlation, mean",
        "worst",
        "between maximisers, mean",
        "decoupled: rank correlation, mean",
        "worst",
        "same black box",
    ]
    return [*_head(columns), *rows]


def _gains_of(each: Compared) -> Callable[[Curves], Float[np.ndarray, "3 n"]]:
    return lambda of: of.found[each]


def _summary(
    name: str,
    all_of_them: Sequence[Curves],
    gains: Callable[[Curves], Float[np.ndarray, "3 n"]],
    chooses: bool,
) -> str:
    together, apart, same = [], [], 0
    for of in all_of_them:
        inputs, exact = of.situation.inputs, of.exact
        together.append(score(gains(of).sum(0), exact.joint, inputs))
        # Levels are compared across black boxes: all of them in one ranking.
        in_a_row = gains(of).ravel(), exact.marginal.ravel(), np.tile(inputs, 3)
        apart.append(score(*in_a_row).correlation)
        same += _best(gains(of))[0] == _best(exact.marginal)[0]
    correlations = [each.correlation for each in together]
    cells = [f"{np.nanmean(correlations):.2f}", f"{np.nanmin(correlations):.2f}"]
    cells.append(f"{np.mean([each.distance for each in together]):.3f}")
    cells += [f"{np.nanmean(apart):.2f}", f"{np.nanmin(apart):.2f}"] if chooses else ["", ""]
    cells.append(f"{same} of {len(all_of_them)}" if chooses else "")
    return f"| {name} | {' | '.join(cells)} |"


def _apart(of: Curves) -> dict[Compared, Float[np.ndarray, "3 n"]]:
    return {each: gains for each, gains in of.found.items() if not each.method.is_coupled_only}


def _best(gains: Float[np.ndarray, "3 n"]) -> tuple[int, int]:
    """The black box and the input with the largest gain."""
    box, place = np.unravel_index(np.argmax(gains), gains.shape)
    return int(box), int(place)


def _choice(of: Curves, gains: Float[np.ndarray, "3 n"]) -> str:
    box, place = _best(gains)
    name = of.situation.test_problem.problem.black_boxes[box]
    return f"{name} at {of.situation.inputs[place]:.3f}"


def _row(name: str, scores: Sequence[Score], in_nats: bool) -> str:
    cells = [name]
    for each in scores:
        cells += [f"{each.correlation:.3f}", f"{each.distance:.3f}"]
        cells.append(f"{each.error:.3f}" if in_nats else "")
    return f"| {' | '.join(cells)} |"


def _head(columns: Sequence[str]) -> list[str]:
    return [f"| acquisition | {' | '.join(columns)} |", "| --- |" + " --- |" * len(columns)]
