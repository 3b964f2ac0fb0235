"""Slow, obvious NumPy and SciPy twins of what conditioning on a front computes."""

from itertools import product

import numpy as np
from scipy import integrate, stats

INF = np.inf


def truncated(lower: float, upper: float) -> tuple[float, float, float]:
    """P, E[z] and E[z^2] of the standard normal on an interval, by adaptive quadrature."""
    low, high = max(lower, -12.0), min(upper, 12.0)
    total, first, second = (
        integrate.quad(lambda z, p=p: z**p * stats.norm.pdf(z), low, high, epsabs=1e-13)[0]
        for p in range(3)
    )
    return total, first / total, second / total


def adf(
    mean: np.ndarray, variance: np.ndarray, front: np.ndarray, bounds: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """One candidate's moments (B,) after each front point's factor, with running m and v."""
    m, v = mean.copy(), variance.copy()
    objectives = front.shape[1]
    for point in front:
        pieces = []
        for b in range(len(m)):
            sd = np.sqrt(v[b])
            if b < objectives:
                ends = -INF, (point[b] - m[b]) / sd
            else:
                ends = tuple((bounds[b - objectives] - m[b]) / sd)
            pieces.append(truncated(*ends))
        p = np.prod([piece[0] for piece in pieces])
        for b, (_, first, second) in enumerate(pieces):
            # With weight 1 outside and 0 inside: E = (E_all - p E_inside)/(1 - p).
            e1, e2 = -p * first / (1 - p), (1 - p * second) / (1 - p)
            m[b] += np.sqrt(v[b]) * e1
            v[b] *= e2 - e1 * e1
    return m, v


def method_adf(mean: np.ndarray, variance: np.ndarray, front: np.ndarray) -> tuple[list, list]:
    """The same with the formulae of the paper, for constraints c >= 0."""
    m, v = list(mean), list(variance)
    objectives = front.shape[1]
    for point in front:
        gamma = [(point[k] - m[k]) / np.sqrt(v[k]) for k in range(objectives)]
        gamma += [m[j] / np.sqrt(v[j]) for j in range(objectives, len(m))]
        log_p = sum(stats.norm.logcdf(g) for g in gamma)
        r = 1.0 / np.expm1(-log_p)
        for b, g in enumerate(gamma):
            a = np.exp(stats.norm.logpdf(g) - stats.norm.logcdf(g))
            m[b] += (1.0 if b < objectives else -1.0) * np.sqrt(v[b]) * r * a
            v[b] *= 1.0 + r * a * (g - r * a)
    return m, v


def is_removed(values: np.ndarray, front: np.ndarray, dominating: bool) -> np.ndarray:
    """Whether objective values (n, K) lie in the region a front removes, by comparing them all."""
    if dominating:
        return (values[:, None] <= front[None]).all(-1).any(1)
    return ~(front[None] <= values[:, None]).all(-1).any(1)


def conditioned(
    mean: np.ndarray,
    variance: np.ndarray,
    front: np.ndarray,
    bounds: np.ndarray,
    dominating: bool,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One candidate's exact means, variances and marginal entropies (B,) given a front.

    Each axis is cut where the weight may change; every cell of the product is either removed or
    not, which is found out by looking at a point inside it.
    """
    objectives, sd = front.shape[1], np.sqrt(variance)
    cuts = [np.unique(front[:, k]) for k in range(objectives)]
    cuts += [np.unique(ends[np.isfinite(ends)]) for ends in bounds]
    edges = [np.concatenate([[-INF], c, [INF]]) for c in cuts]
    inside = [np.concatenate([c[:1] - 1.0, (c[1:] + c[:-1]) / 2, c[-1:] + 1.0]) for c in cuts]
    cells = np.array(list(product(*inside)))
    held = np.array([True] * len(cells))
    for c, (low, high) in enumerate(bounds):
        held &= (cells[:, objectives + c] >= low) & (cells[:, objectives + c] <= high)
    removed = held & is_removed(cells[:, :objectives], front, dominating)
    weight = (~removed).astype(float).reshape([len(points) for points in inside])
    tables = [
        np.array([cell(e[i], e[i + 1], mean[b], sd[b]) for i in range(len(e) - 1)])
        for b, e in enumerate(edges)
    ]
    marginals = []
    for b in range(len(mean)):
        # The weight of each cell of axis b, all other axes integrated out.
        left = np.moveaxis(weight, b, 0)
        for other in reversed([i for i in range(len(mean)) if i != b]):
            left = left @ tables[other][:, 0]
        marginals.append(left)
    rest = marginals[0] @ tables[0][:, 0]
    means, variances, entropies = [], [], []
    for b, left in enumerate(marginals):
        share = left / rest
        first, second = (share @ tables[b][:, p] for p in (1, 2))
        means.append(mean[b] + sd[b] * first)
        variances.append(variance[b] * (second - first**2))
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.where(share > 0, np.log(share), 0.0)
        # -int q log q, with q = share(cell) N(x): the Gaussian's own logarithm is quadratic.
        entropies.append(
            -(share * logs) @ tables[b][:, 0] + 0.5 * np.log(2 * np.pi * variance[b]) + second / 2
        )
    return np.array(means), np.array(variances), np.array(entropies)


def cell(low: float, high: float, mean: float, sd: float) -> tuple[float, float, float]:
    """Integrals of 1, z and z^2 over one cell, z the standardised value."""
    a, b = (low - mean) / sd, (high - mean) / sd
    grid = [np.clip(x, -14.0, 14.0) for x in (a, b)]
    if grid[0] == grid[1]:
        return 0.0, 0.0, 0.0
    nodes, weights = np.polynomial.legendre.leggauss(20)
    panels = np.linspace(*grid, 30)
    half = np.diff(panels)[:, None] / 2
    z = panels[:-1, None] + half * (1.0 + nodes)
    mass = half * weights * np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi)
    return tuple((mass * z**p).sum() for p in range(3))
