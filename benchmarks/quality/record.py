"""What a run has done so far: a file of JSON lines that survives being stopped at any moment.

A line is an engine (a fingerprint of the code that did what follows), a trial, or a checkpoint.
"""

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

Mode = Literal["coupled", "decoupled"]

# Decimals of unit columns. The rounded input is what is measured: the file says all there is.
DECIMALS = 7


@dataclass(frozen=True, order=True)
class Run:
    """One method on one problem with one seed."""

    seed: int
    problem: str
    mode: Mode
    method: str

    @property
    def file(self) -> str:
        """The name of its file."""
        return f"{self.problem}.{self.mode}.{self.method}.{self.seed}.jsonl"

    @classmethod
    def of_file(cls, name: str) -> "Run":
        """The run whose file has that name."""
        problem, mode, method, seed, _ = name.split(".")
        return cls(int(seed), problem, cast(Mode, mode), method)


@dataclass
class Record:
    """The lines of one run; `trials` and `checkpoints` in the order they were written."""

    path: Path
    trials: list[dict[str, Any]] = field(default_factory=list)
    checkpoints: list[dict[str, Any]] = field(default_factory=list)
    engines: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, path: Path) -> "Record":
        """What is on disk; a last line that was not written to its end is not counted."""
        record = cls(path)
        if path.exists():
            for line in _whole_lines(path.read_bytes()):
                record._take(json.loads(line))
        return record

    @property
    def cost(self) -> float:
        """What all trials cost together."""
        return float(self.trials[-1]["cost"]) if self.trials else 0.0

    def write(self, entry: dict[str, Any]) -> None:
        """Add a line, on disk when this returns."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a+b") as file:
            file.seek(0)
            whole = sum(len(line) + 1 for line in _whole_lines(file.read()))
            file.truncate(whole)
            file.write(json.dumps(entry, separators=(",", ":"), allow_nan=False).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self._take(entry)

    def _take(self, entry: dict[str, Any]) -> None:
        if "engine" in entry:
            self.engines.append(entry["engine"])
        elif "checkpoint" in entry:
            self.checkpoints.append(entry)
        else:
            self.trials.append(entry)


def _whole_lines(text: bytes) -> list[bytes]:
    return text.split(b"\n")[:-1]


def short(number: float, digits: int = 5) -> float:
    """The number to so many digits: what is stored to be read and not to be continued from."""
    return float(f"{number:.{digits}g}")
