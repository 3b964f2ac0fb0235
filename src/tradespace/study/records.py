"""Lists that a study hands out, and their way into a table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tradespace.study.trial import Trial
from tradespace.tables import to_pandas


@dataclass(frozen=True)
class Tradeoff:
    """Inputs at which everything was measured, with the values in the user's units.

    An input measured more than once has the means of its values; `trials` are the ids behind them.
    """

    inputs: dict[str, Any] = field(hash=False)
    values: dict[str, float] = field(hash=False)
    trials: tuple[int, ...]


class Front(list[Tradeoff]):
    """The best trade-offs among what was measured, along the first objective."""

    def rows(self) -> list[dict[str, Any]]:
        """One flat dict for each trade-off: inputs, then values."""
        return [{**point.inputs, **point.values} for point in self]

    def to_pandas(self) -> Any:
        """A pandas DataFrame with a row for each trade-off."""
        return to_pandas(self.rows())


class Trials(list[Trial]):
    """Trials in the order of their ids."""

    def rows(self) -> list[dict[str, Any]]:
        """One flat dict for each trial: inputs and values by name, the rest as `trial.<what>`."""
        return [
            {
                "trial.id": trial.id,
                "trial.group": trial.group,
                "trial.state": trial.state,
                "trial.origin": trial.origin,
                "trial.cost": trial.cost,
                **trial.inputs,
                **trial.values,
                "trial.reason": trial.reason,
                "trial.note": trial.note,
            }
            for trial in self
        ]

    def to_pandas(self) -> Any:
        """A pandas DataFrame with a row for each trial; what was not measured is missing."""
        return to_pandas(self.rows())
