"""What a front tells of two objectives and a constraint, by brute-force quadrature.

The reference the methods are compared with. It shares nothing with `tradespace`: a grid in the
standardised values of all three black boxes, and every node of it looked at: whether it is feasible
and what the front's points are to it.
"""

from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Bool, Float

# What a front removes of the feasible values: all that none of its points dominates weakly; only
# what dominates one of its points weakly; or that, and what is beyond an end of the front, better
# in an objective than all of it.
Removes = Literal["not dominated", "dominating", "dominating or beyond"]

# Standard deviations beyond which there is nothing.
REACH = 9.0
# Widest panel, in standard deviations, and nodes in each: LEAST, and FINENESS more for its width.
WIDEST, LEAST, FINENESS = 4.0, 2, 3.0
LOG_2PI = float(np.log(2.0 * np.pi))


class Axis(NamedTuple):
    """Nodes of one standardised black box, their weights, and log densities of the normal there."""

    at: Float[np.ndarray, " n"]
    weight: Float[np.ndarray, " n"]
    log_density: Float[np.ndarray, " n"]


class Entropies(NamedTuple):
    """Of the three black boxes together, and of each by itself, in nats."""

    joint: float
    marginal: Float[np.ndarray, "3"]


class Gains(NamedTuple):
    """By how much entropies fall at each candidate, together and for each black box by itself."""

    joint: Float[np.ndarray, " n"]
    marginal: Float[np.ndarray, "3 n"]


def gains(
    mean: Float[np.ndarray, "M 3 n"],
    variance: Float[np.ndarray, "M 3 n"],
    fronts: list[Float[np.ndarray, "_ 2"]],
    least: Float[np.ndarray, " M"],
    removes: Removes = "not dominated",
    fineness: float = FINENESS,
) -> Gains:
    """The exact acquisition, averaged over fronts; a constraint holds when it is `least` or more.

    Objectives come before the constraint. Without a front every standardised value has the entropy
    of a standard normal.
    """
    samples, _, count = mean.shape
    joint, marginal = np.zeros(count), np.zeros((3, count))
    before = 0.5 * (LOG_2PI + 1.0)
    for m, i in np.ndindex(samples, count):
        sd = np.sqrt(variance[m, :, i])
        front = (fronts[m] - mean[m, :2, i]) / sd[:2]
        after = entropies(front, float((least[m] - mean[m, 2, i]) / sd[2]), removes, fineness)
        joint[i] += (3.0 * before - after.joint) / samples
        marginal[:, i] += (before - after.marginal) / samples
    return Gains(joint, marginal)


def entropies(
    front: Float[np.ndarray, "S 2"],
    least: float,
    removes: Removes = "not dominated",
    fineness: float = FINENESS,
) -> Entropies:
    """Entropies of standardised values, given that what a front of such values removes is not."""
    # The density jumps at the front's coordinates and at the bound alone: edges of panels.
    axes = [axis(cuts, fineness) for cuts in (*front.T, np.array([least]))]
    f1, f2, c = (one.at for one in axes)
    removed = _removed(f1, f2, front, removes)[:, :, None] & (c >= least)
    normal = [one.weight * np.exp(one.log_density) for one in axes]
    mass = normal[0][:, None, None] * normal[1][:, None] * normal[2] * ~removed
    rest = mass.sum()
    if not rest > 0.0:
        raise ValueError(f"the front leaves nothing within {REACH:g} standard deviations")
    mass /= rest
    marginal, log_normal = np.zeros(3), 0.0
    for b, one in enumerate(axes):
        of_one = mass.sum(axis=tuple(other for other in range(3) if other != b))
        there = of_one > 0.0
        density = of_one[there] / one.weight[there]
        marginal[b] = -(of_one[there] * np.log(density)).sum()
        log_normal += float((of_one * one.log_density).sum())
    # What is left has the density of the normal over its probability.
    return Entropies(float(np.log(rest)) - log_normal, marginal)


def axis(cuts: Float[np.ndarray, " _"], fineness: float) -> Axis:
    """Gauss-Legendre nodes in panels that end at the cuts."""
    cuts = np.unique(np.clip(np.concatenate([[-REACH, REACH], cuts]), -REACH, REACH))
    nodes, weights = [], []
    for low, high in pairwise(cuts):
        panels = int(np.ceil((high - low) / WIDEST))
        edges = np.linspace(low, high, panels + 1)
        width = (high - low) / panels
        x, w = np.polynomial.legendre.leggauss(LEAST + int(np.ceil(fineness * width)))
        nodes.append((edges[:-1, None] + 0.5 * width * (1.0 + x)).ravel())
        weights.append(np.tile(0.5 * width * w, panels))
    at = np.concatenate(nodes)
    return Axis(at, np.concatenate(weights), -0.5 * (at**2 + LOG_2PI))


def _removed(
    f1: Float[np.ndarray, " n"],
    f2: Float[np.ndarray, " m"],
    front: Float[np.ndarray, "S 2"],
    removes: Removes,
) -> Bool[np.ndarray, "n m"]:
    """Whether the objectives of a node are what the front removes, were the node feasible."""
    first, second = f1[:, None, None], f2[:, None]
    if removes == "not dominated":
        return np.asarray(~((front[:, 0] <= first) & (front[:, 1] <= second)).any(-1))
    dominating = ((first <= front[:, 0]) & (second <= front[:, 1])).any(-1)
    if removes == "dominating":
        return np.asarray(dominating)
    return np.asarray(dominating | (f1[:, None] < front[:, 0].min()) | (f2 < front[:, 1].min()))
