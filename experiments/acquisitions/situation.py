"""One state of a study in one input: measurements, models, and a front for each of their samples.

All of it is what `suggest` computes from these measurements, so that the methods are compared by
the same models and fronts, and only by what they make of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from tradespace.arrays import Array
from tradespace.compilation import surroundings
from tradespace.decision import Decision
from tradespace.gp.kernel import Layout
from tradespace.gp.posterior import Posterior, moments, noise_variance
from tradespace.method import Acquisition, Beliefs, Sampled
from tradespace.model import Padded, Setting, explored, pad
from tradespace.problems import TestProblem, drawn
from tradespace.study import Study
from tradespace.suggest import sampled_fronts

# Nearer to a noiseless measurement everything is known to less than the spacing of a front's
# points, and entropies say no more than where a step of the staircase happens to be.
NEAR = 0.01


@dataclass(frozen=True, eq=False)
class Situation:
    """What is known and believed; values and beliefs are in the models' standardised units."""

    test_problem: TestProblem
    padded: Padded
    sampled: Sampled
    beliefs: Beliefs
    key: tuple[int, ...]

    @property
    def inputs(self) -> Float[np.ndarray, " n"]:
        """Where beliefs and acquisitions are computed."""
        return np.asarray(self.beliefs.points)[:, 0]

    @property
    def least(self) -> Float[np.ndarray, " M"]:
        """What the constraint must reach in each sample: its bound, lower where it is relaxed."""
        return self.sampled.bounds[:, 0, 0]

    @property
    def measured(self) -> Float[np.ndarray, " N"]:
        """The inputs at which everything has been measured."""
        rows = self.padded.rows
        return np.asarray(rows.points)[0, np.asarray(rows.counted)[0], 0]

    @property
    def values(self) -> Float[np.ndarray, "B N"]:
        """What was measured there."""
        rows = self.padded.rows
        return np.asarray(rows.values)[:, np.asarray(rows.counted)[0]]

    @property
    def truth(self) -> Float[np.ndarray, "B n"]:
        """What would be measured at the inputs."""
        values = self.test_problem.evaluate_points(self.inputs[:, None])
        columns = np.concatenate(values, axis=1).T
        scalings = self.padded.scalings
        return np.array([s.forward(c) for s, c in zip(scalings, columns, strict=True)])

    def gains(self, method: Acquisition) -> Float[np.ndarray, "B n"]:
        """What a method says the measurement of each black box is worth at the inputs."""
        with surroundings():
            given = method.prepare(np.random.default_rng(list(self.key)), self.sampled)
            arrays = self.beliefs._asdict()
            layout, two_sided = arrays.pop("layout"), arrays.pop("two_sided")
            return np.asarray(_gains(method, layout, two_sided, arrays, given))


def situation(seed: int, measured: Sequence[float], inputs: int, method: Acquisition) -> Situation:
    """A drawn noiseless problem of two objectives and a constraint, measured at a few inputs.

    The method says how many hyper-parameter samples there are, and how large a front may be. Of so
    many inputs those NEAR a measured one are left out.
    """
    test_problem = drawn(inputs=1, objectives=2, constraints=1, seed=seed)
    study = Study(test_problem.problem, seed=seed)
    for x in measured:
        study.add({"x1": x}, test_problem.evaluate({"x1": x}))
    setting = Setting(study.problem, method.samples, method.prior, study.seed)
    key = (study.seed, len(measured))
    with surroundings():
        padded = pad(study.problem, study.data)
        found = explored(setting, key, study.data, padded)
        decision = Decision(setting, method, [share.posterior for share in found], padded)
        sampled = sampled_fronts(decision, method, study.data, found)
        posterior = jax.tree.map(
            lambda *shares: jnp.concatenate(shares, 1), *[share.posterior for share in found]
        )
        grid = np.linspace(0.0, 1.0, inputs)
        apart = np.abs(grid[:, None] - np.array(measured)).min(axis=1)
        points = grid[apart >= NEAR, None]
        beliefs = _beliefs(setting, padded, posterior, points)
    return Situation(test_problem, padded, sampled, beliefs, key)


def _beliefs(
    setting: Setting, padded: Padded, posterior: Posterior, points: Float[np.ndarray, "n 1"]
) -> Beliefs:
    """As the program `decide` hands them to a method."""
    shape = setting.shape
    of_samples = jax.vmap(partial(moments, shape.layout), (0, None))
    mean, variance = jax.jit(jax.vmap(of_samples, (0, None)))(posterior, points)
    return Beliefs(
        points,
        jnp.swapaxes(mean, 0, 1),
        jnp.swapaxes(variance, 0, 1),
        noise_variance(posterior.hyper).T,
        padded.bounds,
        posterior,
        shape.layout,
        shape.two_sided,
    )


@partial(jax.jit, static_argnums=(0, 1, 2))
def _gains(
    method: Acquisition, layout: Layout, two_sided: bool, arrays: dict[str, Any], given: Any
) -> Float[Array, "B n"]:
    return method.gains(Beliefs(**arrays, layout=layout, two_sided=two_sided), given)
