"""Two pictures: what is believed, and every acquisition over the input beside the exact one."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from experiments.acquisitions.compared import BLUE, Compared, Curves
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure

AREA, EDGE, INK = "#DDDDDD", "#8C8C8C", "#000000"
# Panels are at most so many times as high as the exact curve's maximum.
CUT = 3.0
BESIDE = {"loc": "center left", "bbox_to_anchor": (1.01, 0.5), "frameon": False}

BY_BLACK_BOX = "exact, black box\nby black box"
DPI = 110

Curve = Float[np.ndarray, " n"]
Gains = Float[np.ndarray, "*b n"]


def draw_coupled(of: Curves, path: Path) -> None:
    """Left what is believed of each black box, right sums over the black boxes."""
    panels, exact = _panels(list(of.found)), of.exact.joint
    figure = Figure(figsize=(12.0, 8.5), layout="constrained")
    grid = figure.add_gridspec(1, 2, width_ratios=[1.0, 1.75])
    left, right = (figure.add_subfigure(grid[0, side]) for side in range(2))
    left.suptitle("Models, in standardised units", fontweight="bold")
    right.suptitle("Acquisitions, everything measured together", fontweight="bold")
    models = left.subplots(3, 1, sharex=True)
    for b, axes in enumerate(models):
        _draw_model(axes, of, b)
    models[-1].legend(frameon=False, fontsize="small")
    rows = np.atleast_1d(right.subplots(len(panels), 1, sharex=True))
    for axes, (title, members) in zip(rows, panels.items(), strict=True):
        _draw_exact(axes, of, exact, "exact, jointly")
        by_itself = _with_gaps(of, of.exact.marginal.sum(0))
        axes.plot(*by_itself, color=INK, linewidth=1.2, linestyle=":", label=BY_BLACK_BOX)
        for each in members:
            gains = of.found[each].sum(0)
            _draw_method(axes, of, each, gains, _scale(each, gains, exact))
        _title(axes, title)
        _finish(axes, axes, exact)
    for axes in (models[-1], rows[-1]):
        axes.set_xlabel("input")
    right.align_ylabels(rows)
    figure.savefig(path, dpi=DPI)


def draw_decoupled(of: Curves, path: Path) -> None:
    """A column for each black box: what is believed of it, and what measuring it alone is worth."""
    found = {each: gains for each, gains in of.found.items() if not each.method.is_coupled_only}
    panels, exact = _panels(list(found)), of.exact.marginal
    figure = Figure(figsize=(12.0, 11.0), layout="constrained")
    rows = figure.subplots(1 + len(panels), 3, sharex=True, sharey="row")
    for b in range(3):
        _draw_model(rows[0, b], of, b)
        rows[-1, b].set_xlabel("input")
    rows[0, 0].set_ylabel("standardised")
    rows[0, 2].legend(**BESIDE)
    for row, (title, members) in zip(rows[1:], panels.items(), strict=True):
        for b, axes in enumerate(row):
            _draw_exact(axes, of, exact[b], "exact")
            for each in members:
                # One scale for all black boxes: whose curve is highest is what is measured.
                scale = _scale(each, found[each], exact)
                _draw_method(axes, of, each, found[each][b], scale)
            _title(axes, "" if b else title)
        _finish(row[0], row[-1], exact)
    figure.align_ylabels(rows[:, 0])
    figure.savefig(path, dpi=DPI)


def _panels(compared: Sequence[Compared]) -> dict[str, list[Compared]]:
    titles = dict.fromkeys(each.panel for each in compared)
    return {title: [each for each in compared if each.panel == title] for title in titles}


def _draw_model(axes: Axes, of: Curves, box: int) -> None:
    """Mean and two deviations over all hyper-parameter samples, the truth and the data."""
    situation, problem = of.situation, of.situation.test_problem.problem
    mean = np.asarray(situation.beliefs.mean)[:, box]
    variance = np.asarray(situation.beliefs.variance)[:, box].mean(0) + mean.var(0)
    inputs, middle, sd = situation.inputs, mean.mean(0), np.sqrt(variance)
    axes.fill_between(
        inputs, middle - 2 * sd, middle + 2 * sd, color=BLUE, alpha=0.2, linewidth=0,
        label="± 2 deviations",
    )  # fmt: skip
    axes.plot(inputs, middle, color=BLUE, label="mean")
    axes.plot(inputs, situation.truth[box], color=INK, linewidth=1.0, linestyle=":", label="truth")
    axes.plot(situation.measured, situation.values[box], "o", color=INK, label="measured")
    name = problem.black_boxes[box]
    if box < len(problem.objectives):
        _title(axes, f"{name}, minimised")
    else:
        axes.axhline(situation.padded.bounds[0, 0], color=EDGE, linewidth=1.0)
        _title(axes, f"{name}, at least the grey line")


def _draw_exact(axes: Axes, of: Curves, curve: Curve, label: str) -> None:
    inputs, curve = _with_gaps(of, curve)
    axes.fill_between(inputs, 0.0, curve, color=AREA, linewidth=0)
    axes.plot(inputs, curve, color=EDGE, linewidth=2.5, label=label)


def _draw_method(axes: Axes, of: Curves, each: Compared, curve: Curve, scale: float) -> None:
    inputs, curve = _with_gaps(of, np.where(np.isfinite(curve), scale * curve, np.nan))
    label = each.label if each.in_nats else f"{each.label}, scaled\nto the exact maximum"
    axes.plot(inputs, curve, color=each.colour, linestyle=each.line, linewidth=1.6, label=label)


def _scale(each: Compared, gains: Gains, exact: Gains) -> float:
    """What brings gains that are not in nats to the height of the exact ones."""
    return 1.0 if each.in_nats else float(exact.max() / gains.max())


def _with_gaps(of: Curves, curve: Curve) -> tuple[Curve, Curve]:
    """The curve broken where inputs are left out near a measured one."""
    inputs = of.situation.inputs
    steps = np.diff(inputs)
    gaps = 1 + np.flatnonzero(steps > 1.5 * steps.min())
    return np.insert(inputs, gaps, np.nan), np.insert(curve, gaps, np.nan)


def _finish(first: Axes, last: Axes, exact: Gains) -> None:
    """The unit, the height and the legend of a row of acquisitions."""
    first.set_ylabel("nats")
    first.set_ylim(top=min(first.get_ylim()[1], CUT * float(exact.max())))
    last.legend(**BESIDE)


def _title(axes: Axes, text: str) -> None:
    axes.set_title(text, loc="left", fontsize="medium")
    axes.spines[["top", "right"]].set_visible(False)
