"""The tables of docs/performance.md from what is stored: `python -m benchmarks.quality.table`.

It runs nothing.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.page import PAGE, fill
from benchmarks.quality.methods import PEERS
from benchmarks.quality.record import Record, Run
from benchmarks.quality.whereabouts import whereabouts

RESULTS = Path(__file__).with_name("results")
SCORES = {
    "dropped": "the recommendation, infeasible inputs dropped",
    "void": "the recommendation, of which one infeasible input makes the whole count nothing",
    "measured": "the measured front",
}
# A method with results of less than this share of the cases is left out of a table.
ENOUGH = 0.5

Case = tuple[str, int]
HEAD = """Natural logarithm of the share of the hypervolume that is missing: lower is better. Means
over problems and seeds, the same start design for every method; +- is the standard error of the
mean once what all methods have in common in a case (one problem, one seed) is taken away. Rank is
the average over cases, 1 the best. A cost of 1 measures everything once.
"""


@dataclass(frozen=True)
class Stored:
    """All records of one row of a table, by case."""

    name: str
    records: dict[Case, Record]

    def at(self, checkpoint: float) -> dict[Case, dict[str, Any]]:
        """What a checkpoint found, for the cases that reached it."""
        found = {}
        for case, record in self.records.items():
            for entry in record.checkpoints:
                if entry["checkpoint"] == checkpoint:
                    found[case] = entry
        return found

    def cases(self, checkpoints: Sequence[float]) -> set[Case]:
        """The cases that reached every one of the checkpoints."""
        return set.intersection(*(set(self.at(each)) for each in checkpoints))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.quality.table", description=__doc__)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--at", nargs="+", type=float, default=[20.0, 40.0])
    parser.add_argument("--methods", nargs="+", help="default: all that have enough results")
    parser.add_argument("--problems", nargs="+", help="default: all")
    chosen = parser.parse_args(arguments)
    text = write(chosen.results, chosen.at, chosen.methods, chosen.problems)
    chosen.page.write_text(fill(chosen.page.read_text(), "quality", text))
    print(text)
    return 0


def write(
    results: Path,
    at: Sequence[float],
    methods: Sequence[str] | None = None,
    problems: Sequence[str] | None = None,
) -> str:
    """Markdown of everything stored in a folder."""
    path = results / "reference.json"
    reference = json.loads(path.read_text()) if path.exists() else {}
    sizes = {name: len(entry["reference"]) for name, entry in reference.items()}
    rows = _read(results, methods, problems)
    parts = [HEAD]
    for objectives in sorted(set(sizes.values())):
        fitting = {name for name, size in sizes.items() if size == objectives}
        coupled = _only(rows, "coupled", fitting)
        if coupled:
            parts += [f"### {objectives} objectives, coupled\n", *_section(coupled, at, reference)]
        apart = _only(rows, "decoupled", fitting)
        if apart:
            kept = {stored.name for stored in apart}
            both = [
                *(Stored(f"{stored.name}, decoupled", stored.records) for stored in apart),
                *(s for s in coupled if s.name in kept or s.name.startswith("qLog")),
            ]
            parts += [f"### {objectives} objectives, decoupled against coupled at equal cost\n"]
            parts += _section(both, at, reference)
    return "\n".join(parts).rstrip()


def _read(
    results: Path, methods: Sequence[str] | None, problems: Sequence[str] | None
) -> dict[tuple[str, str], dict[Case, Record]]:
    rows: dict[tuple[str, str], dict[Case, Record]] = {}
    for path in sorted(results.glob("*.jsonl")):
        run = Run.of_file(path.name)
        if (methods is None or run.method in methods) and (
            problems is None or run.problem in problems
        ):
            cases = rows.setdefault((run.mode, run.method), {})
            cases[run.problem, run.seed] = Record.read(path)
    return rows


def _only(
    rows: dict[tuple[str, str], dict[Case, Record]], mode: str, problems: set[str]
) -> list[Stored]:
    found = []
    for (its_mode, method), records in rows.items():
        part = {case: record for case, record in records.items() if case[0] in problems}
        if its_mode == mode and part:
            found.append(Stored(method, part))
    return found


def _section(rows: list[Stored], at: Sequence[float], reference: dict[str, Any]) -> list[str]:
    most = max(len(stored.cases(at)) for stored in rows)
    shown = [s for s in rows if most and len(s.cases(at)) >= ENOUGH * most]
    left_out = [f"{s.name} ({len(s.cases(at))} of {most})" for s in rows if s not in shown]
    cases = sorted(set.intersection(*(s.cases(at) for s in shown))) if shown else []
    if not cases:
        return [f"No case has reached {_numbers(at)} with every method.\n"]
    problems = sorted({problem for problem, _ in cases})
    ours = [s for s in shown if s.name not in PEERS]
    engines = {engine for s in ours for case in cases for engine in s.records[case].engines}
    said = [f"{len(cases)} cases of {len(problems)} problems, {len(shown)} methods."]
    if left_out:
        said.append(f"Left out for want of results: {', '.join(left_out)}.")
    if len(engines) > 1:
        said.append(f"From {len(engines)} states of the code.")
    summary = _summary(shown, cases, at)
    went = _whereabouts(shown, cases)
    return [" ".join(said) + "\n", *summary, *_by_problem(shown, cases, at[-1], reference), *went]


def _summary(shown: list[Stored], cases: list[Case], at: Sequence[float]) -> list[str]:
    """A row for each method, the best average rank first."""
    last = at[-1]
    scores = {
        (score, checkpoint): np.array(
            [[s.at(checkpoint)[case][score] for case in cases] for s in shown]
        )
        for score in SCORES
        for checkpoint in at
    }
    ranks = _ranks(scores["dropped", last]).mean(axis=1)
    heads = ["method", f"rank at {last:g}"]
    heads += [f"recommended at {checkpoint:g}" for checkpoint in at]
    heads += ["worst", f"void at {last:g}", f"measured at {last:g}", "s per iteration"]
    lines = [_line(heads), _line(["---"] * len(heads))]
    for row in np.argsort(ranks, kind="stable"):
        cells = [shown[row].name, f"{ranks[row]:.1f}"]
        cells += [_mean(scores["dropped", checkpoint], row) for checkpoint in at]
        cells += [f"{scores['dropped', last][row].max():.2f}"]
        cells += [_mean(scores["void", last], row), _mean(scores["measured", last], row)]
        cells += [_seconds(shown[row], cases)]
        lines.append(_line(cells))
    explained = "; ".join(f"{name}: {what}" for name, what in SCORES.items() if name != "dropped")
    return ["\n".join(lines) + "\n", f"{explained[0].upper()}{explained[1:]}.\n"]


def _by_problem(
    shown: list[Stored], cases: list[Case], checkpoint: float, reference: dict[str, Any]
) -> list[str]:
    """Where each method wins and loses."""
    problems = sorted({problem for problem, _ in cases})
    lines = [_line(["method", *problems]), _line(["---"] * (len(problems) + 1))]
    shown_limit = [f"{reference[problem]['shown']:.2f}" for problem in problems]
    for stored in shown:
        found = stored.at(checkpoint)
        means = [
            np.mean([found[case]["dropped"] for case in cases if case[0] == problem])
            for problem in problems
        ]
        lines.append(_line([stored.name, *(f"{mean:.2f}" for mean in means)]))
    lines.append(_line(["*fifty points of the true front*", *shown_limit]))
    return [f"Recommended at {checkpoint:g}, by problem:\n", "\n".join(lines) + "\n"]


def _whereabouts(shown: list[Stored], cases: list[Case]) -> list[str]:
    """Where the suggestions of each method went."""
    lines = [_line(["method", "feasible", "on the front", "on the edge", "step"])]
    lines.append(_line(["---"] * 5))
    for stored in shown:
        went = whereabouts((case[0], stored.records[case]) for case in cases)
        if went is not None:
            shares = [f"{100.0 * share:.0f} %" for share in went[:3]]
            lines.append(_line([stored.name, *shares, f"{went.step:.3f}"]))
    said = """Where the suggestions went: shares that were feasible, that are on the run's front in
the end, and of coordinates on the edge of their range; step: the median distance to the nearest
input before, as a share of the diagonal.
"""
    return [said, "\n".join(lines) + "\n"]


def _ranks(scores: np.ndarray) -> np.ndarray:
    """Ranks (methods, cases) of scores, 1 the lowest; equal ones share the mean of theirs."""
    below = (scores[None] < scores[:, None]).sum(axis=1)
    even = (scores[None] == scores[:, None]).sum(axis=1)
    ranks: np.ndarray = below + 0.5 * (even + 1)
    return ranks


def _mean(scores: np.ndarray, row: int) -> str:
    """The row's mean with its standard error after the cases' own means are taken away."""
    apart = scores[row] - scores.mean(axis=0)
    error = apart.std(ddof=1) / np.sqrt(len(apart)) if len(apart) > 1 else np.nan
    return f"{scores[row].mean():.2f} ± {error:.2f}"


def _seconds(stored: Stored, cases: list[Case]) -> str:
    """Median seconds of a suggestion plus median seconds of a recommendation."""
    entries = [entry for case in cases for entry in stored.records[case].trials]
    asked = [entry["seconds"] for entry in entries if "seconds" in entry]
    told = [e["seconds"] for case in cases for e in stored.records[case].checkpoints]
    return f"{np.median(asked) + np.median(told):.2f}" if asked else "-"


def _numbers(at: Sequence[float]) -> str:
    return " and ".join(f"{checkpoint:g}" for checkpoint in at)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.exit(main())
