"""A demo's outcome as a picture: the front on the left, where it was looked for on the right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tradespace.cli.outcome import Outcome
from tradespace.problems.printer import UNITS
from tradespace.problems.testproblem import is_feasible

# From Okabe and Ito's palette: told apart with every kind of colour vision. Shapes say the same.
FEASIBLE, INFEASIBLE, RECOMMENDED = "#0072B2", "#8C8C8C", "#D55E00"
WINDOW = "#DCEBF5"
# Marker and its size by group: when feasible, when not.
MARKS = {"weld track": ("^", "x", 6.5), "test piece": ("o", "X", 9.5)}
# Recommended inputs shown: more of them would hide the rest.
SHOWN = 16
GRID = 400
# Entries of the legend, column by column.
LEGEND = (
    "test piece, feasible",
    "test piece, infeasible",
    "weld track, feasible",
    "weld track, infeasible",
    "true front",
    "truly feasible settings",
    "recommended, ± 1 standard deviation",
)


def draw(outcome: Outcome, path: Path) -> None:
    """Save the picture as a PNG of 1800 x 960 pixels."""
    figure = Figure(figsize=(12.0, 6.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    _draw_front(left, outcome)
    _draw_inputs(right, outcome)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    entries = dict(_entries(left) + _entries(right))
    labels = [label for label in LEGEND if label in entries]
    figure.legend(
        [entries[label] for label in labels],
        labels,
        loc="outside lower center",
        ncols=4,
        frameon=False,
    )
    figure.savefig(path, format="png", dpi=150)


def _draw_front(axes: Axes, outcome: Outcome) -> None:
    """Objectives: the true front, the test pieces, and what is recommended."""
    problem = outcome.problem
    y, x = problem.objectives
    front = outcome.test_problem.front
    front = front[front[:, 0].argsort()]
    strength, roughness = problem.from_inside(y, front[:, 0]), problem.from_inside(x, front[:, 1])
    axes.plot(roughness, strength, color="black", linewidth=2, label="true front", zorder=2)
    points = outcome.some(SHOWN)
    axes.errorbar(
        [point.mean[x] for point in points],
        [point.mean[y] for point in points],
        xerr=[point.sd[x] for point in points],
        yerr=[point.sd[y] for point in points],
        fmt="D",
        color=RECOMMENDED,
        markersize=6,
        markeredgecolor="white",
        markeredgewidth=0.7,
        label="recommended, ± 1 standard deviation",
        zorder=4,
    )
    measured = outcome.measured("test piece")
    _scatter(axes, outcome, "test piece", [(t.values[x], t.values[y]) for t in measured])
    axes.set_xlabel(f"{x} ({UNITS[x]}), less is better")
    axes.set_ylabel(f"{y} ({UNITS[y]}), more is better")
    axes.set_title(f"Trade-offs: {outcome.share:.0%} of the hypervolume reached", loc="left")


def _draw_inputs(axes: Axes, outcome: Outcome) -> None:
    """Inputs: where all constraints hold, what was measured where, and what is recommended."""
    x, y = outcome.problem.space.inputs
    _draw_window(axes, outcome)
    for group in outcome.problem.groups:
        places = [(trial.inputs[x], trial.inputs[y]) for trial in outcome.measured(group)]
        _scatter(axes, outcome, group, places)
    points = outcome.some(SHOWN)
    axes.plot(
        [point.inputs[x] for point in points],
        [point.inputs[y] for point in points],
        "D",
        color=RECOMMENDED,
        markersize=6,
        markeredgecolor="white",
        markeredgewidth=0.7,
        zorder=4,
    )
    axes.set_xlabel(f"{x} ({UNITS[x]})")
    axes.set_ylabel(f"{y} ({UNITS[y]})")
    # Room for what lies on the bounds.
    axes.use_sticky_edges = False
    axes.margins(0.03)
    spent = f"{outcome.cost:g} hours instead of {outcome.cost_of_everything:g}"
    axes.set_title(f"Experiments: {spent}", loc="left")


def _scatter(axes: Axes, outcome: Outcome, group: str, places: list[tuple[float, float]]) -> None:
    """The trials of a group, those that are truly feasible told from the others."""
    feasible = np.array([outcome.is_feasible(trial.inputs) for trial in outcome.measured(group)])
    good, bad, size = MARKS[group]
    at = np.array(places)
    axes.plot(
        *at[feasible].T, good, color=FEASIBLE, markersize=size, markeredgecolor="white",
        markeredgewidth=0.7, label=f"{group}, feasible", zorder=3,
    )  # fmt: skip
    edge = "white" if bad == "X" else INFEASIBLE
    axes.plot(
        *at[~feasible].T, bad, color=INFEASIBLE, markersize=size, markeredgecolor=edge,
        markeredgewidth=0.7 if bad == "X" else 1.5, label=f"{group}, infeasible", zorder=3,
    )  # fmt: skip


def _draw_window(axes: Axes, outcome: Outcome) -> None:
    problem = outcome.problem
    ends = [list(problem.space.decode(corner).values()) for corner in (np.zeros(2), np.ones(2))]
    (left, bottom), (right, top) = ends
    across, up = np.meshgrid(np.linspace(0.0, 1.0, GRID), np.linspace(0.0, 1.0, GRID))
    points = np.column_stack([across.ravel(), up.ravel()])
    feasible = is_feasible(problem, outcome.test_problem.evaluate_points(points)[1])
    axes.contourf(
        left + (right - left) * across,
        bottom + (top - bottom) * up,
        feasible.reshape(across.shape).astype(float),
        [0.5, 1.5],
        colors=[WINDOW],
    )
    # An empty patch stands for the area in the legend.
    axes.fill([], [], color=WINDOW, label="truly feasible settings")


def _entries(axes: Axes) -> list[tuple[str, Any]]:
    handles, labels = axes.get_legend_handles_labels()
    return list(zip(labels, handles, strict=True))
