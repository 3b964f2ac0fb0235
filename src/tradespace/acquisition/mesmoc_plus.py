"""MESMOC+: how much a measurement is expected to tell about the Pareto front.

    alpha(x) = H(y | D, x) - E_front H(y | D, x, front)

summed over the black boxes that are measured together. The expectation is a mean over sampled
fronts, one per hyper-parameter sample; conditioning on a front removes the region where x would
be feasible and not dominated by it.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Bool, Float

from tradespace import pareto
from tradespace.arguments import amount, check_choice
from tradespace.arrays import Array
from tradespace.conditioning import adf, boxes
from tradespace.conditioning.boxes import Boxes
from tradespace.errors import ArgumentError
from tradespace.method import Acquisition, Beliefs, Sampled

Conditioning = Literal["auto", "boxes", "dominating", "adf"]
Gain = Literal["entropy", "variance", "log"]

# Objectives up to which a front of `front_size` points has few enough boxes.
MOST_OBJECTIVES = 3
# Objectives beyond which boxes are accepted, but very many.
AFFORDABLE_OBJECTIVES = 4
# Stands for infinity in standardised units: infinities have no derivatives.
FAR = 1e6


class Fronts(NamedTuple):
    """Sampled fronts as a conditioning wants them, one per hyper-parameter sample."""

    points: Float[Array, "M S K"]
    counted: Bool[Array, "M S"]
    boxes: Boxes
    bounds: Float[Array, "M C 2"]


@dataclass(frozen=True)
class MesmocPlus(Acquisition):
    """Max-value entropy search for several objectives under constraints.

    `conditioning`: "boxes" (exact; everything not dominated by the front is removed), "dominating"
    (exact; only what dominates a point of it), "adf" (the paper's), or "auto": dominating up to
    three objectives, then ADF, which is cheaper with many. `gain`: by how much a black box's
    "variance" (the paper's), "log" variance or "entropy" ("log" where "auto" is ADF) falls.
    `floor`: the smallest variance that still matters, as a share of the standardised variance; it
    is added to the noise in both terms of "log" and "entropy".

    With one objective, no constraint and no noise, gain="entropy" and floor=0 make it max-value
    entropy search (MES).
    """

    conditioning: Conditioning = "auto"
    gain: Gain = "log"
    floor: float = 1e-2

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("MesmocPlus: conditioning", self.conditioning, get_args(Conditioning))
        check_choice("MesmocPlus: gain", self.gain, get_args(Gain))
        # A float, so that a method can be hashed whatever kind of number was given.
        object.__setattr__(self, "floor", amount("MesmocPlus: floor", self.floor))
        if self.conditioning == "adf" and self.gain == "entropy":
            raise ArgumentError(
                "MesmocPlus: gain='entropy' needs exact boxes; with conditioning='adf' use 'log' "
                "or 'variance'"
            )

    def prepare(self, rng: np.random.Generator, sampled: Sampled) -> Fronts:
        """The fronts as the conditioning wants them."""
        return prepare(rng, self, sampled.fronts, sampled.bounds)

    def gains(self, beliefs: Beliefs, given: Fronts) -> Float[Array, "B n"]:
        """alpha of each black box at each candidate."""
        return gains(self, beliefs.mean, beliefs.variance, beliefs.noise, given, beliefs.two_sided)

    def resolve(self, objectives: int) -> Conditioning:
        """The conditioning that is used for so many objectives."""
        if self.conditioning != "auto":
            return self.conditioning
        return "dominating" if objectives <= MOST_OBJECTIVES else "adf"

    def note(self, objectives: int) -> str:
        """Which conditioning is used, and why; which gain; and what costs a lot."""
        used = self.resolve(objectives)
        chosen = "chosen for" if self.conditioning == "auto" else "asked for with"
        gain = "log" if used == "adf" and self.gain == "entropy" else self.gain
        costly = used != "adf" and objectives > AFFORDABLE_OBJECTIVES
        warning = f"; boxes cost a lot with more than {AFFORDABLE_OBJECTIVES}, 'adf' costs less"
        return (
            f"conditioning {used!r}, {chosen} {objectives} objectives; gain {gain!r}"
            f"{warning if costly else ''}"
        )


def gains(
    method: MesmocPlus,
    mean: Float[Array, "M B n"],
    variance: Float[Array, "M B n"],
    noise: Float[Array, "M B"],
    fronts: Fronts,
    two_sided: bool,
) -> Float[Array, "B n"]:
    """alpha of each black box at each candidate, averaged over the fronts."""

    def given_front(
        mean: Array, variance: Array, noise: Array, front: Fronts
    ) -> Float[Array, "B n"]:
        if method.resolve(front.points.shape[-1]) == "adf":
            left = adf.condition(
                mean, variance, front.points, front.counted, front.bounds, two_sided
            ).variance
        else:
            given = boxes.condition(mean, variance, front.boxes, front.bounds, two_sided)
            left = given.entropy_power if method.gain == "entropy" else given.moments.variance
        if method.gain == "variance":
            return variance - left
        least = noise[:, None] + method.floor
        return 0.5 * jnp.log((variance + least) / (left + least))

    return jax.vmap(given_front)(mean, variance, noise, fronts).mean(0)


def prepare(
    rng: np.random.Generator,
    method: MesmocPlus,
    fronts: list[Float[np.ndarray, "_ K"]],
    bounds: Float[np.ndarray, "M C 2"],
) -> Fronts:
    """Fronts cut to size, padded, and decomposed where the conditioning needs boxes."""
    objectives = fronts[0].shape[1]
    used = method.resolve(objectives)
    cut = [front[pareto.thin(front, method.front_size)] for front in fronts]
    points = np.zeros((len(cut), method.front_size, objectives))
    counted = np.zeros(points.shape[:2], bool)
    for m, front in enumerate(cut):
        # ADF's result depends a little on the order, which is therefore random.
        points[m, : len(front)] = rng.permutation(front)
        counted[m, : len(front)] = True
    if used == "adf":
        empty = np.zeros((len(cut), 0, objectives), np.int32)
        decomposed = Boxes(np.zeros((len(cut), objectives, 2)), empty, empty)
    else:
        decompose = pareto.boxes if used == "boxes" else pareto.dominating_boxes
        decomposed = _stack([decompose(front) for front in cut], method.front_size)
    return Fronts(points, counted, decomposed, np.clip(bounds, -FAR, FAR))


def _stack(
    found: list[tuple[Float[np.ndarray, "_ K"], Float[np.ndarray, "_ K"]]], front_size: int
) -> Boxes:
    objectives = found[0][0].shape[1]
    edges = np.full((len(found), objectives, front_size + 3), FAR)
    most = _room(max(len(lower) for lower, _ in found), front_size, objectives)
    index = np.zeros((2, len(found), most, objectives), np.int32)
    for m, pair in enumerate(found):
        lower, upper = (np.clip(side, -FAR, FAR) for side in pair)
        for k in range(objectives):
            distinct = np.unique(np.concatenate([[-FAR, FAR], lower[:, k], upper[:, k]]))
            edges[m, k, : len(distinct)] = distinct
            index[0, m, : len(lower), k] = np.searchsorted(distinct, lower[:, k])
            index[1, m, : len(lower), k] = np.searchsorted(distinct, upper[:, k])
    return Boxes(edges, index[0], index[1])


def _room(boxes: int, front_size: int, objectives: int) -> int:
    """Room for so many boxes, from a short list so that programs are not compiled anew."""
    room = front_size + 1 if objectives <= 2 else 2 * front_size + 1
    while room < boxes:
        room *= 2
    return room
