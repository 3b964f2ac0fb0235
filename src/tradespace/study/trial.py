"""One experiment of a study: what was asked, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from tradespace.data import State

Origin: TypeAlias = Literal["design", "method", "added"]


@dataclass(frozen=True)
class Trial:
    """One group measured, or to be measured, at one set of inputs.

    `values` are in the user's units and may be part of `measure`; `reason` says why a failed trial
    failed; `origin` is the start design, the method, or `added` when it was measured before the
    study asked; `cost` is what it costs this study (nothing when added); `note` is the method's on
    how it chose, such as which conditioning and gain it used.
    """

    id: int
    inputs: dict[str, Any] = field(hash=False)
    group: str
    measure: tuple[str, ...]
    origin: Origin
    cost: float
    state: State = "pending"
    values: dict[str, float] = field(default_factory=dict, hash=False)
    reason: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        # Copies, so that changing a dict that was handed out changes nothing in the study.
        object.__setattr__(self, "inputs", dict(self.inputs))
        object.__setattr__(self, "values", dict(self.values))
