"""A stand-in for the numerical rooms: the study is tested without them."""

import hashlib
import sys
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tradespace.acquisition import RandomSearch
from tradespace.data import Data
from tradespace.problem import Problem

# Any method will do: the stand-in looks at none.
METHOD = RandomSearch()


@dataclass
class FakeNumbers:
    """Suggests uniformly, from the key and the content of the data, and keeps what it was given."""

    calls: list[tuple[Any, ...]] = field(default_factory=list)
    recommended: list[tuple[Any, ...]] = field(default_factory=list)

    def suggest(self, key: tuple[int, ...], problem: Problem, data: Data, method: Any) -> Any:
        self.calls.append((key, problem, data, method))
        rng = np.random.default_rng([*key, self.digest(data)])
        groups = list(problem.groups)
        for _ in range(1000):
            point = problem.space.sample(rng.random((1, problem.space.size)))[0]
            group = groups[rng.integers(len(groups))]
            if not (problem.noiseless and (data.avoid[group] == point).all(axis=1).any()):
                return SimpleNamespace(
                    inputs=problem.space.decode(point), group=group, note="by chance"
                )
        raise AssertionError("nothing left to suggest")

    def recommend(
        self, key: tuple[int, ...], problem: Problem, data: Data, method: Any, delta: float
    ) -> Any:
        self.recommended.append((key, problem, data, method, delta))
        return "a recommendation"

    @staticmethod
    def digest(data: Data) -> int:
        """A number that changes with any measured value, point or pending input, or their order."""
        arrays = [*data.points, *data.values, *(p.point for p in data.pending)]
        joined = b"|".join(array.tobytes() for array in arrays)
        return int.from_bytes(hashlib.sha256(joined).digest()[:8], "big")


@pytest.fixture
def numbers(monkeypatch: pytest.MonkeyPatch) -> FakeNumbers:
    fake = FakeNumbers()
    monkeypatch.setitem(sys.modules, "tradespace.suggest", SimpleNamespace(suggest=fake.suggest))
    monkeypatch.setitem(
        sys.modules, "tradespace.recommend", SimpleNamespace(recommend=fake.recommend)
    )
    return fake
