"""A demo's outcome as text: what is recommended, what it took, and how good it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from tradespace.cli.outcome import Outcome
from tradespace.problems.printer import UNITS

# Recommended inputs in the table; all of them are in the picture and in the JSON.
ROWS = 8
# A table does not fold its columns in a narrow window or a file.
WIDTH = 80


def show(outcome: Outcome, picture: Path) -> None:
    """Print the outcome on standard output."""
    console = Console(highlight=False)
    console.width = max(console.width, WIDTH)
    console.print(heading(outcome), style="bold", soft_wrap=True)
    console.print(recommended(outcome))
    for line in summary(outcome):
        console.print(line, soft_wrap=True)
    console.print(f"\nPicture: {picture}", soft_wrap=True)


def heading(outcome: Outcome) -> str:
    """What the table of recommended inputs shows."""
    recommendation = outcome.recommendation
    of = f"{len(outcome.some(ROWS))} of {len(recommendation)} trade-offs"
    level = f"feasible with probability {recommendation.level:.2f} or more"
    relaxed = f" (nothing reaches {1 - recommendation.delta:.2f})" if recommendation.relaxed else ""
    return f"Recommended: {of}, {level}{relaxed}"


def recommended(outcome: Outcome) -> Table:
    """A row for each of a few recommended inputs, with predictions and their deviations."""
    problem = outcome.problem
    table = Table(box=box.SIMPLE_HEAD)
    for name in problem.space.inputs:
        table.add_column(_header(name), justify="right", style="bold")
    for name in problem.black_boxes:
        table.add_column(_header(name), justify="right")
    table.add_column("feasible\n", justify="right")
    for point in outcome.some(ROWS):
        table.add_row(
            *(f"{value:.0f}" for value in point.inputs.values()),
            *(f"{point.mean[name]:.1f} ± {point.sd[name]:.1f}" for name in problem.black_boxes),
            f"{point.feasible:.3f}",
        )
    return table


def summary(outcome: Outcome) -> Iterator[str]:
    """What was measured and what that cost, line by line, then how near it came to the truth."""
    problem = outcome.problem
    yield "[bold]Measured[/bold]"
    for name, group in problem.groups.items():
        count = len(outcome.measured(name))
        yield f"  {count:3d} {name}s × {group.cost:g} h = {count * group.cost:g} h"
    saved = 1.0 - outcome.cost / outcome.cost_of_everything
    yield (
        f"  {outcome.cost:g} h in all; both at each of the {outcome.settings} settings would take "
        f"{outcome.cost_of_everything:g} h ({saved:.0%} saved)"
    )
    yield "\n[bold]Compared with the truth[/bold]"
    yield f"  {outcome.share:.1%} of the hypervolume under the true front is reached"
    yield (
        f"  {outcome.random_share:.1%} is what random settings reach on average in "
        f"{outcome.cost:g} h, both measured at each"
    )
    yield f"  {outcome.holding} of {len(outcome.recommendation)} recommended settings are feasible"
    yield f"\nSolved in {outcome.seconds:.0f} seconds."


def _header(name: str) -> str:
    return f"{name}\n{UNITS[name]}"
