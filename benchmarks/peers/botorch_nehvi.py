"""BoTorch's qLogNEHVI behind a line protocol: a JSON request a line in, a JSON answer a line out.

Run by the peer environment's own Python (see README.md); imports nothing of tradespace.
"""

import json
import os
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import botorch
import gpytorch
import numpy as np
import torch
from botorch.acquisition.multi_objective import logei
from botorch.acquisition.multi_objective.objective import IdentityMCMultiOutputObjective
from botorch.acquisition.multi_objective.utils import get_default_partitioning_alpha
from botorch.fit import fit_gpytorch_mll
from botorch.models import ModelListGP, SingleTaskGP
from botorch.models.model import Model
from botorch.models.transforms.outcome import Standardize
from botorch.optim import optimize_acqf
from botorch.sampling.normal import SobolQMCNormalSampler
from botorch.utils.multi_objective.hypervolume import infer_reference_point
from botorch.utils.multi_objective.pareto import is_non_dominated
from gpytorch.mlls import ExactMarginalLogLikelihood, SumMarginalLogLikelihood
from scipy.special import log_ndtr, ndtr
from torch import Tensor

NOISELESS_VARIANCE = 1e-6  # what SingleTaskGP's documentation gives for noise-free observations
SAMPLES = 128
FRONT_SIZE = 50
LEVELS = tuple(round(0.95 - 0.05 * step, 2) for step in range(19))  # .95, .90, ..., .05


@dataclass(frozen=True)
class Measured:
    """What was measured, in the units BoTorch works best in: maximised, of unit variance."""

    points: Tensor  # (N, d) in the unit cube
    outcomes: Tensor  # (N, K + C), objectives negated and standardised, constraints not centred
    objectives: int  # K
    spans: Tensor  # (C,): a constraint holds when 0 <= c <= span
    reference: Tensor | None  # (K,)

    def is_feasible(self, outcomes: Tensor) -> Tensor:
        """Which of the outcomes (n, K + C) satisfy every constraint."""
        constraints = outcomes[:, self.objectives :]
        return ((constraints >= 0) & (constraints <= self.spans)).all(1)


def scale_of(values: Tensor) -> Tensor:
    """The standard deviation of each column, or its size where it does not vary."""
    deviation = values.std(0, correction=0)
    size = values.abs().amax(0)
    size = torch.where(size > 0, size, torch.ones_like(size))
    return torch.where(deviation > 1e-12 * size, deviation, size)


def read(request: dict[str, Any]) -> Measured:
    """The measured data of a request.

    qLogNEHVI's smoothing temperatures are absolute numbers, so outcomes are brought to unit
    variance first, as Ax does for BoTorch; a constraint's zero must stay zero.
    """
    points = torch.tensor(request["points"], dtype=torch.double)
    objectives = torch.tensor(request["objectives"], dtype=torch.double)
    if points.ndim != 2 or objectives.ndim != 2 or len(objectives) != len(points):
        raise ValueError("points must be (N, d) and objectives (N, K), with the same N")
    count = objectives.shape[1]
    if count < 2:
        raise ValueError("qLogNEHVI needs at least two objectives")
    constraints = torch.tensor(request.get("constraints") or [[]] * len(points)).double()
    given = request.get("spans") or [None] * constraints.shape[1]
    spans = torch.tensor([np.inf if span is None else span for span in given]).double()
    if constraints.shape != (len(points), len(spans)):
        raise ValueError("constraints must be (N, C), and spans (C,) when given")
    centre, scale = objectives.mean(0), scale_of(objectives)
    reference = request.get("reference")
    if reference is not None:
        reference = -(torch.tensor(reference, dtype=torch.double) - centre) / scale
    size = scale_of(constraints) if len(spans) else spans
    outcomes = torch.cat([-(objectives - centre) / scale, constraints / size], dim=1)
    return Measured(points, outcomes, count, spans / size, reference)


def fit(measured: Measured, noiseless: bool, batched: bool) -> Model:
    """The fitted model: a SingleTaskGP per outcome, or one that holds all of them as a batch."""
    x, y = measured.points, measured.outcomes
    noise = torch.full_like(y, NOISELESS_VARIANCE) if noiseless else None
    if batched:
        model = SingleTaskGP(x, y, noise, outcome_transform=Standardize(m=y.shape[1]))
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        return model
    models = [
        SingleTaskGP(
            x,
            y[:, box : box + 1],
            None if noise is None else noise[:, box : box + 1],
            outcome_transform=Standardize(m=1),
        )
        for box in range(y.shape[1])
    ]
    model = ModelListGP(*models)
    fit_gpytorch_mll(SumMarginalLogLikelihood(model.likelihood, model))
    return model


def reference_point(model: Model, measured: Measured) -> Tensor:
    """The given reference point, or the one BoTorch infers from the models' means.

    The rule needs a range in every objective: it is applied to the feasible Pareto set, else to
    all feasible inputs, else to all measured inputs, whichever first has one.
    """
    if measured.reference is not None:
        return measured.reference
    with torch.no_grad():
        means = model.posterior(measured.points).mean
    objectives = means[:, : measured.objectives]
    feasible = objectives[measured.is_feasible(means)]
    for rows in (feasible[is_non_dominated(feasible)], feasible, objectives):
        if len(rows) > 1 and bool((rows.amax(0) - rows.amin(0) > 1e-6).all()):
            return infer_reference_point(rows)
    return objectives.amin(0) - 1.0


def below(outcomes: Tensor, index: int) -> Tensor:
    """How far an outcome is below 0."""
    return -outcomes[..., index]


def above(outcomes: Tensor, index: int, span: float) -> Tensor:
    """How far an outcome is above its span."""
    return outcomes[..., index] - span


def violations(measured: Measured) -> list[Callable[[Tensor], Tensor]] | None:
    """The constraints as BoTorch wants them: one callable per bound, negative where it holds."""
    bounds: list[Callable[[Tensor], Tensor]] = []
    for index, span in enumerate(measured.spans.tolist(), start=measured.objectives):
        bounds.append(partial(below, index=index))
        if np.isfinite(span):
            bounds.append(partial(above, index=index, span=span))
    return bounds or None


def suggest(model: Model, measured: Measured, request: dict[str, Any]) -> list[float]:
    """The next input by qLogNEHVI, in the unit cube."""
    dimension = measured.points.shape[1]
    acquisition = logei.qLogNoisyExpectedHypervolumeImprovement(
        model=model,
        ref_point=reference_point(model, measured),
        X_baseline=measured.points,
        sampler=SobolQMCNormalSampler(torch.Size([SAMPLES]), seed=request["seed"]),
        objective=IdentityMCMultiOutputObjective(outcomes=list(range(measured.objectives))),
        constraints=violations(measured),
        prune_baseline=True,
        alpha=get_default_partitioning_alpha(measured.objectives),
    )
    # BoTorch's default options: the tutorial's batch_limit of 5 takes twice as long to the same
    # optimum since its L-BFGS-B runs all restarts as one batch.
    points, _ = optimize_acqf(
        acq_function=acquisition,
        bounds=torch.stack([torch.zeros(dimension), torch.ones(dimension)]).double(),
        q=1,
        num_restarts=request.get("restarts", 10),
        raw_samples=request.get("raw_samples", 512),
        sequential=True,
    )
    return [float(value) for value in points.detach().reshape(-1)]


@dataclass(frozen=True)
class Population:
    """Inputs with what the models say of them."""

    points: np.ndarray  # (n, d)
    objectives: np.ndarray  # (n, K) posterior means, minimised
    log_feasible: np.ndarray  # (n, C) log probability that each constraint holds

    def take(self, rows: np.ndarray) -> "Population":
        """The population of the given rows."""
        return Population(self.points[rows], self.objectives[rows], self.log_feasible[rows])

    def join(self, other: "Population") -> "Population":
        """Both populations together."""
        return Population(
            np.concatenate([self.points, other.points]),
            np.concatenate([self.objectives, other.objectives]),
            np.concatenate([self.log_feasible, other.log_feasible]),
        )

    def shortfall(self, level: float) -> np.ndarray:
        """How far (n,), in log probability, the constraints are from holding with `level`."""
        short: np.ndarray = np.maximum(np.log(level) - self.log_feasible, 0.0).sum(1)
        return short


def predict(model: Model, measured: Measured, points: np.ndarray) -> Population:
    """What the models say at `points` (n, d), in pieces because posteriors are joint."""
    means, deviations = [], []
    with torch.no_grad():
        for piece in torch.from_numpy(points).split(256):
            posterior = model.posterior(piece)
            means.append(posterior.mean.numpy())
            deviations.append(posterior.variance.clamp_min(1e-18).sqrt().numpy())
    mean, deviation = np.concatenate(means), np.concatenate(deviations)
    count = measured.objectives
    low = mean[:, count:] / deviation[:, count:]
    high = (measured.spans.numpy() - mean[:, count:]) / deviation[:, count:]
    # P(0 <= c <= span) = Phi(high) - Phi(-low) = Phi(low) - Phi(-high), whichever cancels less.
    near, far = np.minimum(low, high), np.maximum(low, high)
    both = np.log(np.maximum(ndtr(near) - ndtr(-far), 1e-300))
    return Population(points, -mean[:, :count], np.where(np.isinf(high), log_ndtr(low), both))


def front_rows(objectives: np.ndarray) -> np.ndarray:
    """The rows of (n, K), minimised, that no other row dominates; duplicates only once."""
    return np.flatnonzero(is_non_dominated(torch.from_numpy(-objectives), deduplicate=True).numpy())


def thin(objectives: np.ndarray, size: int) -> np.ndarray:
    """Rows of a front (n, K): the minimum of each objective, then greedily the farthest."""
    if len(objectives) <= size:
        return np.arange(len(objectives))
    spread = np.ptp(objectives, axis=0)
    scaled = objectives / np.where(spread > 0, spread, 1.0)
    chosen = list(dict.fromkeys(scaled.argmin(0).tolist()))[:size]
    near = np.min([((scaled - scaled[row]) ** 2).sum(1) for row in chosen], axis=0)
    while len(chosen) < size:
        chosen.append(int(near.argmax()))
        near = np.minimum(near, ((scaled - scaled[chosen[-1]]) ** 2).sum(1))
    return np.array(chosen)


def select(population: Population, level: float, size: int) -> np.ndarray:
    """The `size` best rows: front after front of those that qualify, then the nearest to it."""
    shortfall = population.shortfall(level)
    chosen, left = np.empty(0, dtype=int), np.flatnonzero(shortfall == 0)
    # Objectives that agree have fronts of one point each: what is left after 20 goes unsorted.
    for _ in range(20):
        if not len(left) or len(chosen) >= size:
            break
        front = left[front_rows(population.objectives[left])]
        left = np.setdiff1d(left, front)
        room = size - len(chosen)
        chosen = np.concatenate([chosen, front[thin(population.objectives[front], room)]])
    missing = np.flatnonzero(shortfall > 0)
    nearest = missing[np.argsort(shortfall[missing], kind="stable")]
    return np.concatenate([chosen, left, nearest])[:size]


def offspring(rng: np.random.Generator, parents: np.ndarray) -> np.ndarray:
    """One child per parent (n, d): differences or simulated binary crossover, then mutation."""
    n, d = parents.shape
    a, b, c = parents, parents[rng.permutation(n)], parents[rng.permutation(n)]
    u = rng.random((n, d))
    spread = np.where(u < 0.5, 2 * u, 0.5 / (1 - u)) ** (1 / 16)
    crossed = np.where(rng.random((n, d)) < 0.5, a, 0.5 * ((1 + spread) * a + (1 - spread) * b))
    moved = a + rng.uniform(0.2, 0.8, (n, 1)) * (b - c)
    children = np.where(rng.random((n, 1)) < 0.5, crossed, moved)
    u = rng.random((n, d))
    step = np.where(u < 0.5, (2 * u) ** (1 / 21) - 1, 1 - (2 - 2 * u) ** (1 / 21))
    mutated: np.ndarray = np.clip(children + step * (rng.random((n, d)) < 1 / d), 0.0, 1.0)
    return mutated


def recommend(
    model: Model, measured: Measured, request: dict[str, Any]
) -> tuple[list[list[float]], float]:
    """The Pareto set of the posterior means, and the probability of feasibility it is held to.

    When no input qualifies at the first level, the search has made the constraints as likely as
    it can: the highest level that this reaches is then searched again.
    """
    rng = np.random.default_rng(request["seed"])
    engine = torch.quasirandom.SobolEngine(measured.points.shape[1], True, seed=request["seed"])
    sobol = engine.draw(2048, dtype=torch.double).numpy()
    population = predict(model, measured, np.concatenate([measured.points.numpy(), sobol]))
    level, size = LEVELS[0], request.get("population", 256)
    for _ in range(2):
        population = population.take(select(population, level, size))
        for _ in range(request.get("generations", 100)):
            children = predict(model, measured, offspring(rng, population.points))
            population = population.join(children)
            population = population.take(select(population, level, size))
        if (population.shortfall(level) == 0).any():
            qualified = population.take(np.flatnonzero(population.shortfall(level) == 0))
            front = qualified.take(front_rows(qualified.objectives))
            rows = thin(front.objectives, request.get("front_size", FRONT_SIZE))
            return front.points[rows].tolist(), level
        reached = [each for each in LEVELS if (population.shortfall(each) == 0).any()]
        if not reached:
            break
        level = reached[0]
    likeliest = int(population.log_feasible.sum(1).argmax())
    return [population.points[likeliest].tolist()], 0.0


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """The suggestion for a request, with the seconds it took; recommending is timed apart."""
    request = {**request, "seed": int(request.get("seed", 0))}
    torch.set_num_threads(int(request.get("threads") or torch.get_num_threads()))
    torch.manual_seed(request["seed"])
    batched = {"list": False, "batched": True}[request.get("model", "list")]
    start = time.perf_counter()
    measured = read(request)
    before_fit = time.perf_counter()
    model = fit(measured, bool(request.get("noiseless", False)), batched)
    fitted = time.perf_counter()
    point = suggest(model, measured, request)
    suggested = time.perf_counter()
    recommended, level = (
        recommend(model, measured, request) if request.get("recommend") else ([], 0)
    )
    return {
        "point": point,
        "seconds_fit": fitted - before_fit,
        "seconds_acquisition": suggested - fitted,
        "seconds_total": suggested - start,
        "seconds_recommend": time.perf_counter() - suggested,
        "recommended": recommended,
        "level": level,
    }


def warm_up() -> None:
    """Answer a small request of each kind once, which also builds BoTorch's fused kernel."""
    points = np.random.default_rng(0).random((8, 2))
    request: dict[str, Any] = {
        "points": points.tolist(),
        "objectives": np.stack([points[:, 0], (points**2).sum(1)], axis=1).tolist(),
        "constraints": (points[:, :1] - 0.3).tolist(),
        "restarts": 2,
        "raw_samples": 16,
        "recommend": True,
        "generations": 2,
    }
    for noiseless in (False, True):
        for model in ("list", "batched"):
            answer({**request, "noiseless": noiseless, "model": model})


def versions() -> dict[str, Any]:
    """What a table of results has to say about this peer."""
    return {
        "python": sys.version.split()[0],
        "torch": torch.__version__,
        "gpytorch": gpytorch.__version__,
        "botorch": botorch.__version__,
        "fused_kernel": logei._C is not None,
        "threads": torch.get_num_threads(),
    }


def main() -> None:
    """Answer until standard input ends; whatever else prints goes to standard error."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    # BoTorch builds its fused kernel with the ninja beside this Python; the build stays with it.
    os.environ["PATH"] = os.path.dirname(sys.executable) + os.pathsep + os.environ.get("PATH", "")
    os.environ.setdefault("TORCH_EXTENSIONS_DIR", os.path.join(sys.prefix, "torch_extensions"))
    warm_up()
    for line in sys.stdin:
        try:
            request = json.loads(line)
            reply = versions() if request.get("versions") else answer(request)
        except Exception as error:
            traceback.print_exc()
            reply = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(reply, allow_nan=False) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
