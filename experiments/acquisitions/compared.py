"""The methods that are compared with the exact acquisition, and all of them at one situation."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from experiments.acquisitions.exact import FINENESS, Gains, Removes, gains
from experiments.acquisitions.situation import Situation
from jaxtyping import Float

from tradespace.acquisition import Mesmoc, MesmocPlus
from tradespace.method import Acquisition

# From Okabe and Ito's palette: told apart with every kind of colour vision.
BLUE, VERMILION, GREEN, PURPLE, SKY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9"
OTHER = "The default, and other methods"


@dataclass(frozen=True)
class Compared:
    """A method, the panel of the pictures it is in, and its label and line there."""

    name: str
    panel: str
    label: str
    method: Acquisition
    colour: str
    line: str
    # The exact acquisition's unit; variances, say, are not.
    in_nats: bool = True


def _plus(
    conditioning: Literal["boxes", "dominating", "adf"],
    gain: Literal["entropy", "log", "variance"],
) -> Compared:
    """MESMOC+ without the floor, which is there for noiseless studies and not in the formulae."""
    shown = {"boxes": "boxes", "dominating": "dominating boxes", "adf": "ADF"}[conditioning]
    colour, line = {"entropy": (BLUE, "-"), "log": (VERMILION, "--"), "variance": (GREEN, "-.")}[
        gain
    ]
    return Compared(
        f"MESMOC+ {shown}, {gain}",
        f"MESMOC+, {shown}",
        gain,
        MesmocPlus(conditioning, gain, floor=0.0),
        colour,
        line,
        gain != "variance",
    )


# A method more is a line more here; one that is coupled only is left out where groups are compared.
COMPARED = (
    _plus("boxes", "entropy"),
    _plus("boxes", "log"),
    _plus("boxes", "variance"),
    _plus("dominating", "entropy"),
    _plus("dominating", "log"),
    _plus("dominating", "variance"),
    _plus("adf", "log"),
    _plus("adf", "variance"),
    Compared("MESMOC+ as it is by default", OTHER, "MESMOC+, default", MesmocPlus(), SKY, "-"),
    Compared("MESMOC", OTHER, "MESMOC", Mesmoc(), PURPLE, "--"),
)


@dataclass(frozen=True, eq=False)
class Curves:
    """Gains over the inputs: exact, and by every method for each black box."""

    situation: Situation
    exact: Gains
    found: dict[Compared, Float[np.ndarray, "3 n"]]


def curves(situation: Situation, fineness: float = FINENESS) -> Curves:
    """All gains, with the samples and fronts of the situation."""
    fronts = situation.sampled.fronts
    samples, size = len(fronts), max(map(len, fronts))
    return Curves(
        situation,
        exact_gains(situation, fineness),
        {
            each: situation.gains(replace(each.method, samples=samples, front_size=size))
            for each in COMPARED
        },
    )


def exact_gains(situation: Situation, fineness: float, removes: Removes = "not dominated") -> Gains:
    """The exact gains, by the situation's moments and fronts."""
    moments = np.asarray(situation.beliefs.mean), np.asarray(situation.beliefs.variance)
    return gains(*moments, situation.sampled.fronts, situation.least, removes, fineness)
