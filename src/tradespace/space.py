"""The space that named inputs span, and the way between their values and the unit cube."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from tradespace.errors import InputError, ProblemError
from tradespace.inputs import Categorical, Floats, Input, Integer, Real

__all__ = ["Categorical", "Input", "Integer", "Real", "Space"]

# Points of a finite space that are listed, at most.
LISTABLE = 2**16


@dataclass(frozen=True, init=False, eq=False)
class Space:
    """Named inputs in a fixed order, and the way between their values and unit columns.

    A point is a row of `width` columns in [0, 1]: one for a Real or an Integer, one per choice
    (one-hot) for a Categorical.
    """

    inputs: Mapping[str, Input]

    def __init__(self, inputs: Mapping[str, Input]) -> None:
        _check_inputs(inputs)
        object.__setattr__(self, "inputs", dict(inputs))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Space) and self._items == other._items

    def __hash__(self) -> int:
        return hash(self._items)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The inputs' names, in order."""
        return tuple(self.inputs)

    @cached_property
    def size(self) -> int:
        """Number of inputs."""
        return len(self.inputs)

    @cached_property
    def width(self) -> int:
        """Number of unit columns."""
        return sum(kind.width for kind in self.inputs.values())

    @cached_property
    def column_input(self) -> npt.NDArray[np.int64]:
        """Which input each column belongs to, (width,)."""
        widths = [kind.width for kind in self.inputs.values()]
        return _read_only(np.repeat(np.arange(self.size, dtype=np.int64), widths))

    @cached_property
    def discrete(self) -> npt.NDArray[np.bool_]:
        """Which columns belong to an Integer or a Categorical, (width,)."""
        kinds = [not isinstance(kind, Real) for kind in self.inputs.values()]
        return _read_only(np.array(kinds)[self.column_input])

    @property
    def is_continuous(self) -> bool:
        """Whether every input is Real."""
        return not self.discrete.any()

    @cached_property
    def cardinality(self) -> int | None:
        """Number of legal points when every input is discrete, else None."""
        counts = [kind.cardinality for kind in self.inputs.values()]
        return None if None in counts else math.prod(c for c in counts if c is not None)

    @property
    def is_listable(self) -> bool:
        """Whether the space is finite and no larger than can be listed in a moment."""
        return self.cardinality is not None and self.cardinality <= LISTABLE

    def legal(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """The inputs in order and as plain Python values; InputError when they are not legal."""
        _check_names(inputs, self.inputs)
        return {name: kind.legal(name, inputs[name]) for name, kind in self.inputs.items()}

    def encode(self, inputs: Mapping[str, Any]) -> Floats:
        """One set of inputs as a point (width,)."""
        return self.encode_all([inputs]).reshape(self.width)

    def encode_all(self, rows: Sequence[Mapping[str, Any]]) -> Floats:
        """Several sets of inputs as points (n, width)."""
        if not rows:
            return np.empty((0, self.width))
        legal = [self.legal(row) for row in rows]
        return np.hstack(
            [kind.to_columns([row[name] for row in legal]) for name, kind in self.inputs.items()]
        )

    def decode(self, point: npt.ArrayLike) -> dict[str, Any]:
        """A point (width,) as legal values: float, int, or the choice object itself."""
        row = np.asarray(point, dtype=float)
        if row.shape != (self.width,) or not np.isfinite(row).all():
            raise InputError(f"a point must be {self.width} finite numbers, not {point!r}")
        return {
            name: kind.from_columns(row[None, part])[0]
            for (name, kind), part in zip(self.inputs.items(), self._parts, strict=True)
        }

    def snap(self, points: npt.ArrayLike) -> Floats:
        """Points (..., width), each moved to the legal point whose cell it lies in."""
        array = np.asarray(points, dtype=float)
        rows = array.reshape(-1, self.width)
        snapped = [
            kind.snap(rows[:, part])
            for kind, part in zip(self.inputs.values(), self._parts, strict=True)
        ]
        return np.hstack(snapped).reshape(array.shape)

    def sample(self, uniform: npt.ArrayLike) -> Floats:
        """Uniform numbers (n, size), one per input, as legal points (n, width)."""
        draws = np.asarray(uniform, dtype=float)
        columns = [kind.spread(draws[:, i]) for i, kind in enumerate(self.inputs.values())]
        return np.hstack(columns)

    def enumerate(self) -> Floats:
        """Every legal point, (cardinality, width), the last input changing fastest."""
        if self.cardinality is None:
            raise InputError("a space with Real inputs has no list of points")
        columns = [
            kind.to_columns(kind.all())
            for kind in self.inputs.values()
            if not isinstance(kind, Real)
        ]
        picks = np.indices([len(c) for c in columns]).reshape(self.size, -1)
        return np.hstack([c[pick] for c, pick in zip(columns, picks, strict=True)])

    def neighbours(self, point: npt.ArrayLike) -> Floats:
        """Legal points (n, width) that differ from a point (width,) in one discrete input."""
        home = self.snap(point)
        moved = [np.empty((0, self.width))]
        for kind, part in zip(self.inputs.values(), self._parts, strict=True):
            if isinstance(kind, Real):
                continue
            columns = kind.to_columns(kind.others(kind.from_columns(home[None, part])[0]))
            block = np.tile(home, (len(columns), 1))
            block[:, part] = columns
            moved.append(block)
        return np.vstack(moved)

    @cached_property
    def _items(self) -> tuple[tuple[str, Input], ...]:
        return tuple(self.inputs.items())

    @cached_property
    def _parts(self) -> tuple[slice, ...]:
        ends = np.cumsum([0] + [kind.width for kind in self.inputs.values()]).tolist()
        return tuple(slice(a, b) for a, b in pairwise(ends))


def _check_inputs(inputs: object) -> None:
    if not isinstance(inputs, Mapping) or not inputs:
        raise ProblemError(f"inputs must be a dict such as {{'x': Real(0, 1)}}, not {inputs!r}")
    for name, kind in inputs.items():
        if not isinstance(name, str) or not name.strip():
            raise ProblemError(f"an input's name must be a string with letters, not {name!r}")
        if not isinstance(kind, (Real, Integer, Categorical)):
            raise ProblemError(
                f"input {name!r} must be Real(low, high), Integer(low, high) or "
                f"Categorical([...]), not {kind!r}"
            )
        kind.check(name)


def _check_names(inputs: object, known: Mapping[str, Input]) -> None:
    if not isinstance(inputs, Mapping):
        raise InputError(f"inputs must be a dict with {list(known)!r}, not {inputs!r}")
    for name in inputs:
        if name not in known:
            raise InputError(f"unknown input {name!r}; the inputs are {list(known)!r}")
    for name in known:
        if name not in inputs:
            raise InputError(f"input {name!r} is missing")


def _read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    array.setflags(write=False)
    return array
