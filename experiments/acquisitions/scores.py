"""How near each method comes to the exact acquisition, as tables."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from experiments.acquisitions.compared import Compared, Curves
from jaxtyping import Float
from scipy import stats

# An acquisition over the inputs, or of several black boxes in a row.
Curve = Float[np.ndarray, " n"]
Gains = Float[np.ndarray, "3 n"]

TIE = 1e-4
MEANS = ("rank", "worst rank", "reached")
SUM = "exact, black box by black box"


class Score(NamedTuple):
    """Spearman's rank correlation with the exact curve, the distance between the maximisers, the
    share of the exact maximum that is reached at the method's, and the mean absolute error."""

    correlation: float
    distance: float
    reached: float
    error: float


def score(found: Curve, exact: Curve, inputs: Curve) -> Score:
    """How near a curve is to the exact one; -inf is the lowest rank, and in no mean."""
    ranks = _ranks(found), _ranks(exact)
    same = any(np.ptp(rank) == 0.0 for rank in ranks)
    correlation = np.nan if same else float(np.corrcoef(*ranks)[0, 1])
    mine, best = int(np.argmax(found)), int(np.argmax(exact))
    there = np.isfinite(found)
    return Score(
        correlation,
        float(abs(inputs[mine] - inputs[best])),
        float(exact[mine] / exact[best]),
        float(np.abs(found - exact)[there].mean()) if there.any() else np.nan,
    )


def coupled(of: Curves, dominating: Curve) -> list[str]:
    """Every method's sum over the black boxes against the exact joint gains; and against those
    when only what dominates a front is removed."""
    inputs = of.situation.inputs

    def row(name: str, total: Curve, in_nats: bool) -> str:
        against = score(total, of.exact.joint, inputs)
        smaller = score(total, dominating, inputs)
        return _row(
            name,
            f"{against.correlation:.3f}",
            f"{against.distance:.3f}",
            f"{against.reached:.0%}",
            f"{against.error:.3f}" if in_nats else "",
            f"{smaller.correlation:.3f}",
            f"{smaller.error:.3f}" if in_nats else "",
        )

    return [
        *_head("rank", "apart", "reached", "error", "*dominating:* rank", "error"),
        row(SUM, of.exact.marginal.sum(0), True),
        *(row(each.name, gains.sum(0), each.in_nats) for each, gains in of.found.items()),
    ]


def decoupled(of: Curves) -> list[str]:
    """Every method's gain of each black box against the exact gain of that black box."""
    names = of.situation.test_problem.problem.black_boxes
    inputs, exact = of.situation.inputs, of.exact.marginal

    def row(name: str, gains: Gains, in_nats: bool) -> str:
        cells = []
        for each in (score(*pair, inputs) for pair in zip(gains, exact, strict=True)):
            error = f"{each.error:.3f}" if in_nats else ""
            cells += [f"{each.correlation:.3f}", f"{each.distance:.3f}", error]
        box, place = _best(gains)
        return _row(name, *cells, f"{names[box]} at {inputs[place]:.3f}")

    columns = [f"{name} {what}" for name in names for what in ("rank", "apart", "error")]
    return [
        *_head(*columns, "would measure"),
        row(SUM, exact, True),
        *(
            row(each.name, gains, each.in_nats)
            for each, gains in of.found.items()
            if not each.method.is_coupled_only
        ),
    ]


def many(of_all: Sequence[Curves]) -> list[str]:
    """Every method in several situations, and in how many it chooses the exact one's black box."""

    def row(name: str, gains: Callable[[Curves], Gains], chooses: bool) -> str:
        inputs = [of.situation.inputs for of in of_all]
        together = [
            score(gains(of).sum(0), of.exact.joint, x) for of, x in zip(of_all, inputs, strict=True)
        ]
        # Levels are compared across black boxes: all of them in one ranking.
        apart = [
            score(gains(of).ravel(), of.exact.marginal.ravel(), np.tile(x, 3))
            for of, x in zip(of_all, inputs, strict=True)
        ]
        same = sum(_best(gains(of))[0] == _best(of.exact.marginal)[0] for of in of_all)
        cells = [*_means(together), *(_means(apart) if chooses else [""] * 3)]
        return _row(name, *cells, f"{same} of {len(of_all)}" if chooses else "")

    columns = [f"{mode} {what}" for mode in ("coupled", "decoupled") for what in MEANS]
    return [
        *_head(*columns, "same black box"),
        row(SUM, lambda of: of.exact.marginal, True),
        *(
            row(each.name, _gains_of(each), not each.method.is_coupled_only)
            for each in of_all[0].found
        ),
    ]


def _means(scores: Sequence[Score]) -> list[str]:
    correlations = [each.correlation for each in scores if not np.isnan(each.correlation)]
    if not correlations:
        return [""] * len(MEANS)
    reached = np.mean([each.reached for each in scores])
    return [f"{np.mean(correlations):.2f}", f"{min(correlations):.2f}", f"{reached:.0%}"]


def _ranks(curve: Curve) -> Curve:
    """Ranks, shared by what differs by less than TIE of the largest value: rounding errors."""
    largest = np.abs(curve[np.isfinite(curve)]).max(initial=1e-300)
    return np.asarray(stats.rankdata(np.round(curve / (TIE * largest))))


def _gains_of(each: Compared) -> Callable[[Curves], Gains]:
    return lambda of: of.found[each]


def _best(gains: Gains) -> tuple[int, int]:
    """The black box and the input with the largest gain."""
    box, place = np.unravel_index(np.argmax(gains), gains.shape)
    return int(box), int(place)


def _head(*columns: str) -> list[str]:
    return [_row("acquisition", *columns), _row(*["---"] * (1 + len(columns)))]


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"
