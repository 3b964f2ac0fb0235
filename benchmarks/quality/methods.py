"""The methods compared, by name, and what each of them does with a problem and its trials."""

import time
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from benchmarks.peers.peer import Answer, Peer

from tradespace.acquisition import MesmocPlus, RandomSearch
from tradespace.data import Data
from tradespace.method import Method
from tradespace.problem import Problem
from tradespace.recommend import recommend
from tradespace.study.trial import Trial
from tradespace.suggest import suggest

# Past this number of objectives a front has so many boxes that a suggestion takes minutes.
MOST_OBJECTIVES_FOR_BOXES = 3

NAMES = (
    "boxes-log-1e-2",
    "boxes-variance",
    "boxes-entropy-1e-2",
    "dominating-log-1e-2",
    "dominating-variance",
    "dominating-entropy-1e-2",
    "adf-log-1e-2",
    "adf-variance",
    "RandomSearch",
    "qLogNEHVI",
)
# The peer, by how it fits its models (see benchmarks/peers/README.md).
PEERS = {"qLogNEHVI": "list", "qLogNEHVI-batched": "batched"}


@dataclass(frozen=True)
class Suggested:
    """Where to measure next, in unit columns, and the seconds it took to say so."""

    point: np.ndarray  # (width,)
    group: str
    gain: float
    seconds: float


@dataclass(frozen=True)
class Recommended:
    """Inputs, in unit columns, each feasible with probability `level` as the models see it."""

    points: np.ndarray  # (n, width)
    level: float
    seconds: float


class Chooser(Protocol):
    """A method at work on one run."""

    def suggest(self, trials: list[Trial]) -> Suggested: ...

    def recommend(self, trials: list[Trial]) -> Recommended: ...


def method(name: str) -> Method:
    """The method a name stands for: conditioning, gain and floor, as in boxes-log-1e-2."""
    if name == "RandomSearch":
        return RandomSearch()
    conditioning, gain, *floor = name.split("-", 2)
    options: dict[str, Any] = {"conditioning": conditioning, "gain": gain}
    if floor:
        options["floor"] = float(floor[0])
    return MesmocPlus(**options)


def unfit(name: str, problem: Problem) -> str:
    """Why a method is not run on a problem; empty when it is."""
    if name in PEERS:
        if problem.is_decoupled:
            return "the peer measures everything at once"
        return "" if problem.space.is_continuous else "the peer takes continuous inputs only"
    chosen = method(name)
    many = len(problem.objectives) > MOST_OBJECTIVES_FOR_BOXES
    if many and isinstance(chosen, MesmocPlus) and chosen.conditioning in ("boxes", "dominating"):
        return "a front of so many objectives has too many boxes"
    return ""


@dataclass(frozen=True)
class Ours:
    """One of tradespace's methods, asked just as a study with this seed asks it."""

    problem: Problem
    method: Method
    seed: int

    def suggest(self, trials: list[Trial]) -> Suggested:
        start = time.perf_counter()
        data = Data.from_trials(self.problem, trials)
        said = suggest((self.seed, len(trials)), self.problem, data, self.method)
        seconds = time.perf_counter() - start
        return Suggested(self.problem.space.encode(said.inputs), said.group, said.gain, seconds)

    def recommend(self, trials: list[Trial]) -> Recommended:
        start = time.perf_counter()
        data = Data.from_trials(self.problem, trials)
        said = recommend((self.seed, len(trials)), self.problem, data, self.method)
        seconds = time.perf_counter() - start
        points = self.problem.space.encode_all([point.inputs for point in said])
        return Recommended(points, said.level, seconds)


class Nehvi:
    """BoTorch's qLogNEHVI; a suggestion and a recommendation from the same data share a fit."""

    def __init__(self, peer: Peer, problem: Problem, model: str, seed: int) -> None:
        self._peer, self._problem, self._model, self._seed = peer, problem, model, seed
        self._both: tuple[int, Answer] | None = None

    def suggest(self, trials: list[Trial]) -> Suggested:
        if self._both is not None and self._both[0] == len(trials):
            answer = self._both[1]
        else:
            answer = self._answer(trials, recommend=False)
        return Suggested(answer.point, trials[0].group, 0.0, answer.seconds_total)

    def recommend(self, trials: list[Trial]) -> Recommended:
        answer = self._answer(trials, recommend=True)
        self._both = (len(trials), answer)
        return Recommended(answer.recommended, answer.level, answer.seconds_recommend)

    def _answer(self, trials: list[Trial], recommend: bool) -> Answer:
        data = Data.from_trials(self._problem, trials)
        values = np.stack(data.values, axis=1)
        count = len(self._problem.objectives)
        return self._peer.suggest(
            data.points[0],
            values[:, :count],
            values[:, count:],
            spans=self._problem.spans,
            seed=1000 * self._seed + len(trials),
            noiseless=self._problem.noiseless,
            recommend=recommend,
            model=self._model,
        )
