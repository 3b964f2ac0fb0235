"""Measurements as the models see them, and the models' hyper-parameters given them.

The hyper-parameters come from chains that are warm: each is continued from the chain of an
earlier part of the data, that one from a still earlier part, and so on. Which parts is decided by
the data alone, so that a study that is resumed, or told its trials in another order, has the
chains of one that was not; what was computed before is only remembered.
"""

import hashlib
import zlib
from collections import OrderedDict
from dataclasses import dataclass
from typing import TypeVar

import jax
import numpy as np
from jaxtyping import Bool, Float

from tradespace import fronts, paths
from tradespace.compilation import in_shares
from tradespace.data import Data
from tradespace.gp import chain
from tradespace.gp.chain import Moves
from tradespace.gp.kernel import layout
from tradespace.gp.posterior import Posterior, Rows
from tradespace.gp.priors import PRIORS, Prior
from tradespace.gp.scaling import Scaling
from tradespace.problem import Problem
from tradespace.programs import Explored, Shape, explore, padded_rows
from tradespace.sobol import sobol

Key = tuple[int, ...]
T = TypeVar("T")

# Numbers of trials whose chains later ones continue.
CHECKPOINTS = (4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048)
# Points a path's search starts from.
START = 8192
FAR = 1e6
REMEMBERED = 64


@dataclass(frozen=True)
class Setting:
    """What the models of one problem and method have in common, whatever the data."""

    problem: Problem
    samples: int
    prior: str
    seed: int

    @property
    def shape(self) -> Shape:
        """What programs are compiled for."""
        two_sided = bool(np.isfinite(self.problem.spans).any())
        return Shape(layout(self.problem.space), len(self.problem.objectives), two_sided)

    @property
    def prior_density(self) -> Prior:
        """The prior of the hyper-parameters."""
        return PRIORS[self.prior]

    @property
    def shares(self) -> int:
        """Parts the samples are worked on in, one thread each."""
        return 2 if self.samples % 2 == 0 else 1

    def rng(self, purpose: str, *more: int | str) -> np.random.Generator:
        """Random numbers for one purpose, the same whatever else was drawn."""
        words = [zlib.crc32(w.encode()) if isinstance(w, str) else w for w in (purpose, *more)]
        return np.random.default_rng([self.seed, *words])


@dataclass(frozen=True)
class Padded:
    """Standardised, padded rows of every black box, and the constraints' bounds on that scale.

    `imagined` are rows without values, of pending and failed trials; `measured` are the inputs of
    all rows with values, each once.
    """

    scalings: tuple[Scaling, ...]
    rows: Rows
    imagined: Bool[np.ndarray, "B N"]
    bounds: Float[np.ndarray, "C 2"]
    measured: Float[np.ndarray, "n width"]
    is_measured: Bool[np.ndarray, " n"]


_remembered: OrderedDict[bytes, Float[np.ndarray, "B M p"]] = OrderedDict()
# Of the last data alone: a recommendation most often follows a suggestion from the same data.
_latest: list[tuple[bytes, list[Posterior]]] = []


def pad(problem: Problem, data: Data, imagine: bool = True) -> Padded:
    """The data as arrays; pending and failed trials are rows of what their group measures.

    A failed trial has told nothing, but measuring there again would not tell more.
    """
    names = problem.black_boxes
    unmeasured: list[list[Float[np.ndarray, " width"]]] = [[] for _ in names]
    for trial in (*data.pending, *data.failed) if imagine else ():
        for box in problem.group_boxes[trial.group]:
            unmeasured[box].append(trial.point)
    most = max(int(n) + len(w) for n, w in zip(data.counts, unmeasured, strict=True))
    shape = (len(names), padded_rows(most))
    points = np.zeros((*shape, problem.space.width))
    values, counted, imagined = np.zeros(shape), np.zeros(shape, bool), np.zeros(shape, bool)
    scalings = tuple(Scaling.of(v, p) for v, p in zip(data.values, data.points, strict=True))
    for b, scaling in enumerate(scalings):
        n, w = len(data.values[b]), len(unmeasured[b])
        points[b, :n], counted[b, :n] = data.points[b], True
        values[b, :n] = scaling.forward(data.values[b])
        if w:
            points[b, n : n + w], imagined[b, n : n + w] = unmeasured[b], True
    first = len(problem.objectives)
    ends = [
        scaling.forward(np.array([0.0, span]))
        for scaling, span in zip(scalings[first:], problem.spans, strict=True)
    ]
    bounds = np.clip(np.array(ends).reshape(-1, 2), -FAR, FAR)
    different = np.unique(np.concatenate(data.points), axis=0)
    measured = np.zeros((padded_rows(len(different)), problem.space.width))
    measured[: len(different)] = different
    is_measured = np.arange(len(measured)) < len(different)
    return Padded(scalings, Rows(points, values, counted), imagined, bounds, measured, is_measured)


def explored(
    setting: Setting, key: Key, data: Data, padded: Padded, fronts_too: bool = True
) -> list[Explored]:
    """Posteriors and searched paths given the data, in shares of the samples."""
    digest = _digest(setting, data)
    states, updates = _remembered.get(digest), 0
    if states is None:
        states, updates = _earlier_states(setting, data), chain.UPDATES
    moves = _moves(setting, data, states)
    problem, number = setting.problem, setting.samples // setting.shares
    space = problem.space
    rows = padded.rows.values.shape[1]
    features = [
        paths.draw_features(setting.rng("path", *key, name), (setting.samples,), space.width, rows)
        for name in problem.black_boxes
    ]
    rng = setting.rng("search", *key)
    start = sobol(rng, space, START).astype(np.float32)
    generations = search_generations(space.width)
    variation = fronts.draw_variation(
        rng, generations, setting.samples, space.width, len(problem.objectives)
    )
    rounds = START // fronts.POPULATION + generations if fronts_too else 1

    def work(share: int) -> Explored:
        part = slice(share * number, (share + 1) * number)
        return jax.block_until_ready(
            explore(
                setting.shape,
                setting.prior_density,
                _second_axis(moves, part),
                np.asarray(updates),
                states[:, part],
                padded.rows,
                padded.imagined,
                padded.bounds,
                _second_axis(jax.tree.map(lambda *leaves: np.stack(leaves), *features), part),
                _second_axis(variation, part),
                np.broadcast_to(start, (number, *start.shape)),
                np.asarray(rounds),
            )
        )

    found = in_shares(("explore", setting.shape, setting.prior, rows), work, setting.shares)
    _remember(digest, np.concatenate([np.asarray(share.states) for share in found], 1))
    if not padded.imagined.any():
        _latest[:] = [(digest, [share.posterior for share in found])]
    return found


def search_generations(width: int) -> int:
    """Generations of a path's search, in whole periods: fronts in more columns take longer."""
    return fronts.PERIOD * min(max(width - 2, 3), 6)


def posteriors(setting: Setting, key: Key, data: Data, padded: Padded) -> list[Posterior]:
    """Posteriors given the data and nothing imagined, in shares of the samples."""
    for digest, latest in _latest:
        if digest == _digest(setting, data):
            return latest
    return [share.posterior for share in explored(setting, key, data, padded, fronts_too=False)]


def _second_axis(tree: T, part: slice) -> T:
    cut: T = jax.tree.map(lambda leaf: leaf[:, part], tree)
    return cut


def _earlier_states(setting: Setting, data: Data) -> Float[np.ndarray, "B M p"]:
    """The states the chains of these data continue."""
    problem = setting.problem
    trials = len(np.unique(np.concatenate(data.trials)))
    before = [count for count in CHECKPOINTS if count < trials]
    if not before:
        size = problem.space.size
        return np.stack(
            [
                chain.draw_starts(
                    setting.rng("prior", name),
                    setting.prior_density,
                    setting.samples,
                    size,
                    problem.noiseless,
                )
                for name in problem.black_boxes
            ]
        )
    earlier = data.first(before[-1])
    digest = _digest(setting, earlier)
    if digest not in _remembered:
        explored(setting, (), earlier, pad(problem, earlier, False), fronts_too=False)
    _remembered.move_to_end(digest)
    return _remembered[digest]


def _moves(setting: Setting, data: Data, states: Float[np.ndarray, "B M p"]) -> Moves:
    drawn = [
        chain.draw_moves(
            setting.rng("chain", int(count), name), states[b], setting.problem.noiseless
        )
        for b, (name, count) in enumerate(
            zip(setting.problem.black_boxes, data.counts, strict=True)
        )
    ]
    return chain.stack(drawn)


def _digest(setting: Setting, data: Data) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    digest.update(
        repr((hash(setting.problem), setting.samples, setting.prior, setting.seed)).encode()
    )
    for arrays in (data.points, data.values, data.trials):
        for array in arrays:
            digest.update(str(array.shape).encode() + np.ascontiguousarray(array).tobytes())
    return digest.digest()


def _remember(digest: bytes, states: Float[np.ndarray, "B M p"]) -> None:
    _remembered[digest] = states
    _remembered.move_to_end(digest)
    while len(_remembered) > REMEMBERED:
        _remembered.popitem(last=False)
