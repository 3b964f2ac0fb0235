"""How far a run has come: a moving bar on a terminal, else a line now and then."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager

from rich import progress as bars
from rich.console import Console

# Lines of a run that is not watched on a terminal.
LINES = 5


class Progress(ABC):
    """Hears what is being done now, and of every trial when it is done."""

    @abstractmethod
    def say(self, doing: str) -> None:
        """Show what is being done now."""

    @abstractmethod
    def advance(self, cost: float) -> None:
        """Show that one more trial is done and what has been spent since the beginning."""


@contextmanager
def shown(console: Console, trials: int, unit: str) -> Iterator[Progress]:
    """The progress of a run of so many trials, whose cost is counted in a unit."""
    if not console.is_terminal:
        yield _Lines(console, trials, unit)
        return
    with bars.Progress(
        bars.SpinnerColumn(),
        bars.TextColumn("{task.description}"),
        bars.BarColumn(bar_width=None),
        bars.MofNCompleteColumn(),
        bars.TextColumn("{task.fields[spent]}"),
        bars.TimeElapsedColumn(),
        console=console,
        transient=True,
    ) as display:
        yield _Bar(display, trials, unit)


class _Bar(Progress):
    def __init__(self, display: bars.Progress, trials: int, unit: str) -> None:
        self._display = display
        self._unit = unit
        self._task = display.add_task("", total=trials, spent="")

    def say(self, doing: str) -> None:
        self._display.update(self._task, description=doing)

    def advance(self, cost: float) -> None:
        self._display.update(self._task, advance=1, spent=f"{cost:g} {self._unit}")


class _Lines(Progress):
    def __init__(self, console: Console, trials: int, unit: str) -> None:
        self._console = console
        self._trials = trials
        self._unit = unit
        self._done = 0
        self._started = time.monotonic()

    def say(self, doing: str) -> None:
        self._print(doing)

    def advance(self, cost: float) -> None:
        self._done += 1
        # A line whenever another of LINES equal parts of the trials is complete.
        if self._done * LINES // self._trials > (self._done - 1) * LINES // self._trials:
            self._print(f"{self._done} of {self._trials} trials, {cost:g} {self._unit}")

    def _print(self, text: str) -> None:
        elapsed = time.monotonic() - self._started
        self._console.print(f"{elapsed:5.1f} s  {text}", soft_wrap=True)
