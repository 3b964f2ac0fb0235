"""Every method's acquisition beside the exact one: `python -m experiments.acquisitions`.

Draws two pictures into a folder, and writes the tables of docs/acquisitions.md.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from benchmarks.page import fill
from experiments.acquisitions import picture, scores
from experiments.acquisitions.compared import Curves, curves, exact_gains
from experiments.acquisitions.scores import score
from experiments.acquisitions.situation import situation
from jaxtyping import Float

from tradespace.acquisition import MesmocPlus

PAGE = Path(__file__).parents[2] / "docs" / "acquisitions.md"
# What is drawn: a problem, and where everything is measured.
SEED, MEASURED = 5, (0.05, 0.25, 0.5, 0.7, 0.95)
# The exact acquisition's fineness, and the one it is checked with.
FINENESS, FINER = 2.0, 3.0


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="experiments.acquisitions", description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path(__file__).parent)
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--inputs", type=int, default=201, help="at which gains are computed")
    parser.add_argument("--samples", type=int, default=10, help="hyper-parameter samples")
    parser.add_argument("--front-size", type=int, default=50, help="points of a sampled front")
    parser.add_argument("--problems", type=int, default=12, help="of the last table, at least 1")
    chosen = parser.parse_args(arguments)
    method = MesmocPlus(samples=chosen.samples, front_size=chosen.front_size)

    def at(seed: int) -> Curves:
        return curves(situation(seed, MEASURED, chosen.inputs, method), FINENESS)

    drawn = at(SEED)
    picture.draw_coupled(drawn, chosen.folder / "coupled.png")
    picture.draw_decoupled(drawn, chosen.folder / "decoupled.png")
    several = [drawn if seed == SEED else at(seed) for seed in range(chosen.problems)]
    dominating = exact_gains(drawn.situation, FINENESS, "dominating").joint
    tables = {
        "acquisitions: accuracy": _accuracy(drawn),
        "acquisitions: ends": _ends(drawn, dominating),
        "acquisitions: coupled": scores.coupled(drawn, dominating),
        "acquisitions: decoupled": scores.decoupled(drawn),
        "acquisitions: many": scores.many(several),
    }
    page = chosen.page.read_text()
    for name, lines in tables.items():
        text = "\n".join(lines)
        page = fill(page, name, text)
        print(f"{name}\n\n{text}\n")
    chosen.page.write_text(page)
    return 0


def _accuracy(of: Curves) -> list[str]:
    """How far the exact curves are from those of a finer grid, and MESMOC+ from them."""
    finer = exact_gains(of.situation, FINER)
    pairs = zip(of.exact, finer, strict=True)
    refined = max(float(np.abs(once - again).max()) for once, again in pairs)
    apart = {
        each.name: float(np.abs(gains - of.exact.marginal).max())
        for each, gains in of.found.items()
        if each.in_nats
    }
    name = min(apart, key=lambda name: apart[name])
    return [
        f"{len(of.situation.inputs)} inputs. The exact curves change by {refined:.0e} nats at most "
        f"on a grid {FINER / FINENESS:g} times as fine. Of the methods, {name} is nearest to the "
        f"exact gains by black box: {apart[name]:.0e} nats from them at most."
    ]


def _ends(of: Curves, dominating: Float[np.ndarray, " n"]) -> list[str]:
    """How much of the difference between the two regions lies beyond the ends of a front."""
    beyond = exact_gains(of.situation, FINENESS, "dominating or beyond").joint
    inputs, whole = of.situation.inputs, of.exact.joint
    without, with_ends = (score(part, whole, inputs) for part in (dominating, beyond))
    return [
        "The exact joint gain when only what dominates a point of the front is removed differs "
        f"from that when all that is not dominated is by {without.error:.3f} nats in the mean "
        f"(rank correlation {without.correlation:.3f}); when what is beyond an end of the front, "
        "better in an objective than all of it, is removed besides, by "
        f"{with_ends.error:.3f} ({with_ends.correlation:.3f})."
    ]


if __name__ == "__main__":
    sys.exit(main())
