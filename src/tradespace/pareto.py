"""Dominance among points to be minimised: fronts, hypervolume, thinning, disjoint boxes, and
random points that nothing dominates.

A point dominates another when it is no larger in any objective and smaller in one; it dominates
weakly when it is no larger in any.

The space around a front of S points, no two equal in an objective, in that many boxes (means over
random fronts on a plane and on a sphere):

    not dominated by the front             dominating the front
      K    S=10    S=30    S=50   S=100      S=10    S=30    S=50   S=100
      1       1       1       1       1         1       1       1       1
      2      11      31      51     101        10      30      50     100
      3      21      61     101     201        16      51      87     181
      4      55     262     446    1077        30     118     223     499
      5     123     942    2498    8095        50     289     569    1607
      6     293    3553   10725              105     681    1504
"""

import moocore
import numpy as np
from jaxtyping import Bool, Float, Int

# Points drawn in the cube: the share kept at each level, sweeps over all coordinates that follow it
# and the last, and coordinates up to which the exact volume costs less than the points.
KEPT, SWEEPS, LAST_SWEEPS, EXACT = 0.5, 2, 10, 5

Points = Float[np.ndarray, "n K"]
# Lower and upper corners of disjoint boxes.
Boxes = tuple[Float[np.ndarray, "b K"], Float[np.ndarray, "b K"]]
# The same with coordinates replaced by their ranks among the points: the points' are 1 to S.
Ranks = Int[np.ndarray, "S K"]
RankBoxes = tuple[Int[np.ndarray, "b K"], Int[np.ndarray, "b K"]]


def dominates(a: Float[np.ndarray, "K"], b: Float[np.ndarray, "K"]) -> bool:
    """Whether point a is no larger than b in any objective and smaller in one."""
    return bool((a <= b).all() and (a < b).any())


def non_dominated(points: Points) -> Bool[np.ndarray, "n"]:
    """Which points no other point dominates; of equal points, only the first."""
    _refuse_nan(points)
    return np.asarray(moocore.is_nondominated(points))


def hypervolume(points: Points, reference: Float[np.ndarray, "K"]) -> float:
    """Volume of what the points dominate below the reference; points beyond it add nothing."""
    _refuse_nan(points)
    return float(moocore.hypervolume(points, ref=reference))


def thin(points: Points, size: int) -> Int[np.ndarray, "m"]:
    """Indices of at most `size` points: each objective's best, then the farthest from the chosen.

    Distances are measured in units of each objective's range over the points.
    """
    if size < 1:
        raise ValueError(f"at least one point must be kept, not {size}")
    _refuse_nan(points)
    if len(points) <= size:
        return np.arange(len(points))
    low = points.min(axis=0)
    width = points.max(axis=0) - low
    scaled = np.ascontiguousarray(((points - low) / np.where(width > 0, width, 1.0)).T)
    chosen = list(dict.fromkeys(points.argmin(axis=0).tolist()))[:size]
    distance = np.full(len(points), np.inf)
    for i in range(size):
        if i == len(chosen):
            chosen.append(int(distance.argmax()))
        away = scaled - scaled[:, chosen[i], None]
        np.minimum(distance, np.einsum("kn,kn->n", away, away), out=distance)
        distance[chosen[i]] = -1.0  # not even a duplicate is farther: it is never chosen again
    return np.array(chosen)


def boxes(front: Points) -> Boxes:
    """Boxes [lower, upper) that are disjoint and cover what no front point weakly dominates."""
    points = _minima(front)
    count, objectives = points.shape
    if count == 0 or objectives == 1:
        upper = points if count else np.full((1, objectives), np.inf)
        return np.full((1, objectives), -np.inf), upper
    if objectives == 2:
        # Strips: from one point's first objective to the next's, below the second of the former.
        lower = np.full((count + 1, 2), -np.inf)
        upper = np.full((count + 1, 2), np.inf)
        lower[1:, 0] = upper[:-1, 0] = points[:, 0]
        upper[1:, 1] = points[:, 1]
        return lower, upper
    # Equal coordinates share the rank of the first, so that their boxes join.
    levels = _with_ends(np.sort(points, axis=0))
    columns = zip(levels[1:-1].T, points.T, strict=True)
    ranks = 1 + np.column_stack([np.searchsorted(*column) for column in columns])
    low, high = _join(*_sweep(ranks), count + 2)
    return _at(levels, low), _at(levels, high)


def dominating_boxes(front: Points) -> Boxes:
    """Boxes (lower, upper] that are disjoint and cover what weakly dominates some front point.

    A point that another one dominates is no front point, here as in `boxes`.
    """
    points = _minima(front)
    count, objectives = points.shape
    if objectives == 1:
        return np.full((count, 1), -np.inf), points
    if objectives == 2:
        x = points[:, 0]
        lower = np.full((count, 2), -np.inf)
        lower[1:, 0] = x[:-1]
        return lower, points
    # Turned upside down, it is what the points dominate.
    order = np.argsort(-points, axis=0, kind="stable")
    ranks = np.empty((count, objectives), dtype=np.int64)
    np.put_along_axis(ranks, order, np.arange(1, count + 1)[:, None], axis=0)
    levels = _with_ends(np.sort(-points, axis=0))
    low, high = (_at(levels, corners) for corners in _dominated(ranks))
    solid = (low < high).all(axis=1)
    return -high[solid], -low[solid]


def draw_undominated(
    rng: np.random.Generator, points: Points, count: int
) -> tuple[Float[np.ndarray, "m K"], float]:
    """So many uniform points of the unit cube that no given one dominates weakly; the volume.

    By splitting: at level z the points have gone the share z of their way to the cube's corner 1,
    where they dominate nothing, and the level falls so that about half of what was drawn is kept.
    Copies make up for the others and are moved by Gibbs sampling: a coordinate, the others fixed,
    is uniform from 0 to where a point begins to dominate, so no step has to be chosen. The volume
    is the product of the shares kept, or exact where that is cheap.
    """
    points = np.clip(points, 0.0, 1.0)
    if (points == 0.0).all(axis=1).any():
        raise ValueError("a point dominates the whole cube")
    # What touches the far side dominates nothing inside.
    front = points[(points < 1.0).all(axis=1)]
    front = front[non_dominated(front)].T if front.size else front.T
    drawn, volume, level = rng.random((len(front), count)), 1.0, np.inf
    while level > 0.0:
        levels = _levels(front, drawn)
        level = max(float(np.quantile(levels, KEPT)), 0.0)
        kept = np.flatnonzero(levels < level)
        volume *= len(kept) / count
        copied = np.concatenate([kept, rng.choice(kept, count - len(kept))])
        at = front + level * (1.0 - front)
        drawn = _swept(rng, at, drawn[:, copied], SWEEPS if level > 0.0 else LAST_SWEEPS)
    if len(front) <= EXACT and front.size:
        volume = 1.0 - hypervolume(front.T, np.ones(len(front)))
    return np.ascontiguousarray(drawn.T), volume


def _levels(
    front: Float[np.ndarray, "K S"], drawn: Float[np.ndarray, "K n"]
) -> Float[np.ndarray, " n"]:
    """The level down to which nothing dominates each point."""
    least = np.full((front.shape[1], drawn.shape[1]), np.inf)
    for at, to in zip(front, drawn, strict=True):
        np.minimum(least, (to - at[:, None]) / (1.0 - at[:, None]), out=least)
    # Below 0 nothing dominates it, however far below.
    return np.asarray(least.max(axis=0, initial=-1.0))


def _swept(
    rng: np.random.Generator,
    front: Float[np.ndarray, "K S"],
    drawn: Float[np.ndarray, "K n"],
    sweeps: int,
) -> Float[np.ndarray, "K n"]:
    """Every coordinate drawn anew so many times."""
    count, far = drawn.shape[1], np.full((len(front), 1), 1.0)
    # By each coordinate in turn: the first that dominates in all others is where it ends. The
    # corner 1 comes last and stops whatever is left.
    ordered = [np.hstack([front[:, column.argsort()], far]) for column in front]
    for _ in range(sweeps):
        for k, points in enumerate(ordered):
            stopped = np.ones((count, points.shape[1]), bool)
            for j in range(len(front)):
                if j != k:
                    stopped[:, :-1] &= points[j, :-1] <= drawn[j][:, None]
            drawn[k] = points[k][stopped.argmax(axis=1)] * rng.random(count)
    return drawn


def _minima(points: Points) -> Float[np.ndarray, "S K"]:
    """The non-dominated points, in the order of the first objective."""
    if np.isinf(points).any():
        raise ValueError("a front must be finite")
    kept = np.compress(non_dominated(points), points, axis=0)
    return kept[kept[:, 0].argsort()]


def _refuse_nan(points: Points) -> None:
    if np.isnan(points).any():
        raise ValueError("points with NaN have no place among the others")


def _with_ends(columns: Points) -> Float[np.ndarray, "m K"]:
    ends = np.full((1, columns.shape[1]), np.inf)
    return np.concatenate([-ends, columns, ends])


def _at(
    levels: Float[np.ndarray, "m K"], ranks: Int[np.ndarray, "b K"]
) -> Float[np.ndarray, "b K"]:
    return np.asarray(np.take_along_axis(levels, ranks, axis=0))


def _sweep(ranks: Ranks) -> RankBoxes:
    """Boxes that no point dominates, between ranks 0 and S + 1.

    The last objective rises. Below each point's value, the boxes open so far are kept; above it,
    what the point dominates is cut off from each in all other objectives, one after the other.
    """
    count, objectives = ranks.shape
    low = np.zeros((1, objectives), dtype=np.int64)
    high = np.full((1, objectives), count + 1)
    closed: list[RankBoxes] = []
    for point in ranks[np.argsort(ranks[:, -1], kind="stable")]:
        hit = (high[:, :-1] > point[:-1]).all(axis=1)
        inner_low, inner_high = low[hit], high[hit]
        open_low, open_high = [low[~hit]], [high[~hit]]
        for k in range(objectives - 1):
            sticks_out = inner_low[:, k] < point[k]
            piece = inner_high[sticks_out]
            piece[:, k] = point[k]
            open_low.append(inner_low[sticks_out])
            open_high.append(piece)
            np.maximum(inner_low[:, k], point[k], out=inner_low[:, k])
        solid = inner_low[:, -1] < point[-1]
        inner_high[:, -1] = point[-1]
        closed.append((inner_low[solid], inner_high[solid]))
        low, high = np.concatenate(open_low), np.concatenate(open_high)
    closed.append((low, high))
    return np.concatenate([c[0] for c in closed]), np.concatenate([c[1] for c in closed])


def _join(low: Int[np.ndarray, "a K"], high: Int[np.ndarray, "a K"], ranks: int) -> RankBoxes:
    """The same region in fewer boxes: neighbours of equal cross-section become one.

    With three objectives this reaches the smallest number there is, 2 S + 1.
    """
    objectives = low.shape[1]
    if ranks ** (objectives - 1) >= 2**63:
        raise ValueError(f"boxes around {ranks - 2} points in {objectives} objectives are too many")
    digits = ranks ** np.arange(objectives - 1)
    before = len(low) + 1
    while len(low) < before:
        before = len(low)
        for k in range(objectives):
            # Corners in all objectives but one, each as a single number.
            a = np.delete(low, k, axis=1) @ digits
            b = np.delete(high, k, axis=1) @ digits
            order = np.lexsort((low[:, k], b, a))
            a, b, low, high = a[order], b[order], low[order], high[order]
            apart = (a[1:] != a[:-1]) | (b[1:] != b[:-1]) | (low[1:, k] != high[:-1, k])
            ends = high[np.append(apart, True), k]
            first = np.append(True, apart)
            low, high = low[first], high[first]
            high[:, k] = ends
    return low, high


def _dominated(ranks: Ranks) -> RankBoxes:
    """Boxes that some point dominates, no two points having a rank in common.

    They hang on the local upper bounds: corners u below which no point lies, each with, for every
    objective j, the point that stops it there (its value in j is u_j). Lacour, Klamroth and
    Fonseca (2017), A box decomposition algorithm to compute the hypervolume indicator.
    """
    count, objectives = ranks.shape
    corners = np.full((1, objectives), count + 1)
    stops = (count + 1) * np.eye(objectives, dtype=np.int64)[None]
    others = [np.delete(np.arange(objectives), j) for j in range(objectives)]
    for point in ranks:
        hit = (corners > point).all(axis=1)
        moved, at = corners[hit], stops[hit]
        new_corners, new_stops = [corners[~hit]], [stops[~hit]]
        for j in range(objectives):
            holds = at[:, others[j], j].max(axis=1) < point[j]
            corner, stop = moved[holds], at[holds]
            corner[:, j] = point[j]
            stop[:, j] = point
            new_corners.append(corner)
            new_stops.append(stop)
        corners, stops = np.concatenate(new_corners), np.concatenate(new_stops)
    # Box of u: from u_0 up in the first objective; below u_j, and above the stops before j, in j.
    low, high = corners.copy(), corners.copy()
    high[:, 0] = count + 1
    for j in range(1, objectives):
        low[:, j] = stops[:, :j, j].max(axis=1)
    solid = (low < high).all(axis=1)
    return low[solid], high[solid]
