"""The one way `suggest` and `recommend` call the program `decide`, so that both share it."""

from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jaxtyping import Float

from tradespace import fronts
from tradespace.candidates import FROM_DATA, FROM_FRONTS
from tradespace.gp.posterior import Hyper, Posterior
from tradespace.method import Acquisition, Method, Sampled, Together
from tradespace.model import Padded, Setting
from tradespace.problem import Problem
from tradespace.programs import CHUNK, Decided, Means, decide

# Climbs of all groups together in each thread, at least two a group.
CLIMBS = 4
# Points the search of the means starts from (Sobol, and at or near the data), and generations.
EVERYWHERE, NEAR_DATA, GENERATIONS = 256, 128, 40


@dataclass(frozen=True, eq=False)
class Decision:
    """A method and the models it decides by."""

    setting: Setting
    method: Method
    posteriors: list[Posterior]
    padded: Padded

    @property
    def program(self) -> tuple[object, ...]:
        """What `decide` is compiled for here."""
        sizes = self.posteriors[0].weights.shape, len(self.padded.measured)
        return "decide", self.setting.shape, self.method, sizes

    def __call__(
        self,
        candidates: Float[np.ndarray, "n width"],
        given: Any = None,
        ticks: int = 0,
        means: Means | None = None,
    ) -> Decided:
        """What `decide` says; candidates are repeated or cut to the number it is compiled for."""
        setting, size = self.setting, candidate_count(self.setting, self.method)
        weights = group_weights(setting.problem)
        return jax.block_until_ready(
            decide(
                setting.shape,
                self.method,
                max(CLIMBS // len(weights), 2),
                self.posteriors,
                self.padded.bounds,
                self._nothing_given() if given is None else given,
                candidates[np.arange(size) % len(candidates)],
                np.asarray(min(len(candidates), size)),
                weights,
                np.asarray(ticks),
                no_search(setting) if means is None else means,
            )
        )

    def _nothing_given(self) -> Any:
        if not isinstance(self.method, Acquisition):
            return None
        problem, samples = self.setting.problem, self.method.samples
        sizes = len(problem.objectives), len(problem.constraints), problem.space.width
        fronts, slacks, inputs = ([np.zeros((1, size))] * samples for size in sizes)
        bounds = np.broadcast_to(self.padded.bounds, (samples, *self.padded.bounds.shape))
        boxes = len(problem.black_boxes)
        together = Together(np.zeros((0, boxes)), np.zeros((samples, 0, boxes)), self.padded.bounds)
        return self.method.blank(self.sampled(fronts, slacks, inputs, bounds, together))

    def sampled(
        self,
        fronts: list[Float[np.ndarray, "_ K"]],
        slacks: list[Float[np.ndarray, "_ C"]],
        inputs: list[Float[np.ndarray, "_ width"]],
        bounds: Float[np.ndarray, "M C 2"],
        together: Together,
    ) -> Sampled:
        """Sampled fronts with what else a method is told of the models."""
        shape = self.setting.shape
        join = lambda *shares: np.concatenate([np.asarray(share) for share in shares], 1)  # noqa: E731
        posterior = jax.tree.map(join, *self.posteriors)
        own = fronts, slacks, inputs, bounds, together
        measured = self.padded.measured, self.padded.is_measured
        return Sampled(*own, posterior, *measured, shape.layout, shape.two_sided)


def blank(setting: Setting, method: Method, padded: Padded) -> Decision:
    """A decision of the right sizes by models that say nothing, to compile the program with."""
    problem, share = setting.problem, setting.samples // setting.shares
    boxes, width, size = len(problem.black_boxes), problem.space.width, problem.space.size

    def zeros(*shape: int) -> Float[np.ndarray, "*b"]:
        return np.zeros((boxes, share, *shape))

    rows = padded.rows.values.shape[1]
    hyper = Hyper(zeros(size), zeros(), zeros())
    counted = zeros(rows).astype(bool)
    posterior = Posterior(hyper, zeros(rows, width), counted, zeros(rows, rows), zeros(rows))
    return Decision(setting, method, [posterior] * setting.shares, padded)


def candidate_count(setting: Setting, method: Method) -> int:
    """Room for candidates in one share."""
    grid = method.candidates if isinstance(method, Acquisition) else 0
    return -(-(grid + FROM_FRONTS + FROM_DATA) // (CHUNK * setting.shares)) * CHUNK


def group_weights(problem: Problem) -> Float[np.ndarray, "G B"]:
    """What one unit of each black box's gain is worth in each group: one over the cost."""
    weights = np.zeros((len(problem.groups), len(problem.black_boxes)))
    for g, (name, group) in enumerate(problem.groups.items()):
        weights[g, list(problem.group_boxes[name])] = 1.0 / group.cost
    return weights


def search_from(
    setting: Setting, start: Float[np.ndarray, "n width"], rounds: int, level: float
) -> Means:
    """A search of the posterior means for what reaches the level."""
    problem = setting.problem
    variation = fronts.draw_variation(
        setting.rng("children"), GENERATIONS, 1, problem.space.width, len(problem.objectives)
    )
    return Means(start[None], variation, np.asarray(level), np.asarray(rounds))


def no_search(setting: Setting) -> Means:
    """Means of the same shape as a search's, for no search at all."""
    nowhere = np.zeros((EVERYWHERE + NEAR_DATA, setting.problem.space.width))
    return search_from(setting, nowhere, 0, 0.0)
