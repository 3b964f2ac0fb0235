"""What every method has: its settings, and what it is asked in the course of a suggestion."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from inspect import isabstract
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from tradespace.arguments import check_choice, check_count
from tradespace.arrays import Array
from tradespace.errors import ProblemError
from tradespace.gp.kernel import Layout
from tradespace.gp.posterior import Posterior
from tradespace.gp.priors import PRIORS
from tradespace.problem import Problem


class Together(NamedTuple):
    """Values of trials of all black boxes at once, and the constraints' bounds, in standardised
    units; `imagined` has what each hyper-parameter sample takes pending and failed ones to be.

    There are none where groups are measured apart.
    """

    measured: Float[np.ndarray, "n B"]
    imagined: Float[np.ndarray, "M p B"]
    bounds: Float[np.ndarray, "C 2"]


class Sampled(NamedTuple):
    """The front of each hyper-parameter sample's joint path, in standardised units.

    Of the points of a front: objectives, slacks of the constraints (0 or more) and inputs. The
    constraints' bounds are relaxed where a sample is feasible nowhere. With them, the posterior
    of every black box and sample, and all inputs measured in any group, padded.
    """

    fronts: list[Float[np.ndarray, "_ K"]]
    slacks: list[Float[np.ndarray, "_ C"]]
    inputs: list[Float[np.ndarray, "_ width"]]
    bounds: Float[np.ndarray, "M C 2"]
    together: Together
    posterior: Posterior
    measured: Float[np.ndarray, "N width"]
    is_measured: Bool[np.ndarray, " N"]
    layout: Layout
    two_sided: bool


class Beliefs(NamedTuple):
    """What the models of each hyper-parameter sample say at candidates, in standardised units."""

    points: Float[Array, "n width"]
    mean: Float[Array, "M B n"]
    variance: Float[Array, "M B n"]
    noise: Float[Array, "M B"]
    bounds: Float[Array, "C 2"]
    posterior: Posterior
    layout: Layout
    two_sided: bool


@dataclass(frozen=True, kw_only=True)
class Method:
    """A way to choose what is measured next; the models and the recommendation are the same.

    `samples`: hyper-parameter samples. `prior`: what is believed of the hyper-parameters,
    "default" or "reference" (the paper's system's).
    """

    samples: int = 10
    prior: Literal["default", "reference"] = "default"

    # Whether everything must be measured at once.
    is_coupled_only: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_count(f"{type(self).__name__}: samples", self.samples, 1)
        check_choice(f"{type(self).__name__}: prior", self.prior, tuple(PRIORS))

    def check(self, problem: Problem) -> None:
        """Raise ProblemError where the method cannot be used on a problem."""
        if self.is_coupled_only and problem.is_decoupled:
            name, others = type(self).__name__, ", ".join(sorted(_choosing_groups(Method)))
            raise ProblemError(
                f"{name} measures everything at once and cannot choose between the groups "
                f"{list(problem.groups)!r}; these methods can: {others}"
            )


def _choosing_groups(kind: type[Method]) -> set[str]:
    """Names of the methods of a kind that can choose between groups."""
    found = set[str]()
    for each in kind.__subclasses__():
        found |= _choosing_groups(each)
        if not (each.is_coupled_only or isabstract(each)):
            found.add(each.__name__)
    return found


@dataclass(frozen=True, kw_only=True)
class Acquisition(Method, ABC):
    """A method that measures where its gain is largest.

    `front_size`: points kept of each sample's front. `candidates`: inputs spread over the whole
    space at which the gain is computed, besides those near fronts and data, before climbing from
    the best.
    """

    front_size: int = 50
    candidates: int = 1000

    # Why the gain may be -inf at every input, the suggestion being random then; empty: it is not.
    restriction: ClassVar[str] = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("front_size", "candidates"):
            check_count(f"{type(self).__name__}: {name}", getattr(self, name), 1)

    @abstractmethod
    def prepare(self, rng: np.random.Generator, sampled: Sampled) -> Any:
        """What `gains` is given: arrays of sizes that depend on the settings alone."""

    def blank(self, sampled: Sampled) -> Any:
        """The same shapes with nothing in them."""
        return self.prepare(np.random.default_rng(0), sampled)

    @abstractmethod
    def gains(self, beliefs: Beliefs, given: Any) -> Float[Array, "B n"]:
        """What measuring each black box at each candidate is worth; -inf where it must not be."""

    def note(self, objectives: int) -> str:
        """What was chosen for the user in so many objectives."""
        return ""
