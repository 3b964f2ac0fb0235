"""Test problems with known answers, to compare methods on and to try things out with.

Each is a function that returns a `TestProblem`. `KNOWN` lists those of the literature, with answers
that are stored; `drawn` makes as many more as are wanted.
"""

from collections.abc import Callable

from tradespace.problems.drawn import drawn
from tradespace.problems.engineering import coil_spring, two_bar_truss, welded_beam
from tradespace.problems.testproblem import Answer, TestProblem, log_hypervolume_difference
from tradespace.problems.textbook import (
    bnh,
    c2_dtlz2,
    constrained_branin_currin,
    osy,
    srn,
    tnk,
)

KNOWN: tuple[Callable[[], TestProblem], ...] = (
    bnh,
    c2_dtlz2,
    coil_spring,
    constrained_branin_currin,
    osy,
    srn,
    tnk,
    two_bar_truss,
    welded_beam,
)

__all__ = [
    "KNOWN",
    "Answer",
    "TestProblem",
    "bnh",
    "c2_dtlz2",
    "coil_spring",
    "constrained_branin_currin",
    "drawn",
    "log_hypervolume_difference",
    "osy",
    "srn",
    "tnk",
    "two_bar_truss",
    "welded_beam",
]
