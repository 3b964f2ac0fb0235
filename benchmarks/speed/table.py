"""The tables of docs/performance.md from what is stored: `python -m benchmarks.speed.table`.

It runs nothing. Each table stands between two comments of the page, which name it.
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.page import PAGE, fill, place
from benchmarks.speed.floor import PARTS, REST
from benchmarks.speed.run import AGAINST, RESULTS

# Times faster than BoTorch, by number of measurements; the other targets as they are stated.
FASTER = {"20": 15.0, "50": 10.0, "100": 6.0, "200": 3.0}
OVER_FLOOR = 3.0
COLD, WARM = 8.0, 2.5
COMPILATIONS = 8
MORE_OBJECTIVES, DECOUPLED = 2.0, 1.5
FRONTS = {4: 0.99, 6: 0.97}
LINEAR, CUBIC = 1.0, 3.0
MEGABYTES = 1500.0
# Cores that other work may keep busy while something is timed.
QUIET = 0.1

Stored = dict[str, Any]


class Missing(KeyError):
    """A part that has not been measured yet."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.speed.table", description=__doc__)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--page", type=Path, default=PAGE)
    chosen = parser.parse_args(arguments)
    stored = json.loads(chosen.results.read_text()) if chosen.results.exists() else {}
    page = filled(chosen.page.read_text(), stored)
    chosen.page.write_text(page)
    for name in TABLES:
        print(place(page, name))
    return 0


def filled(page: str, stored: Stored) -> str:
    """The page with every table written anew."""
    for name, write in TABLES.items():
        try:
            text = "\n".join(write(stored))
        except Missing as missing:
            text = f"Not measured yet: {missing.args[0]}."
        page = fill(page, name, text)
    return page


def _part(stored: Stored, name: str) -> Stored:
    if name not in stored:
        raise Missing(name)
    found: Stored = stored[name]
    return found


def machine(stored: Stored) -> list[str]:
    """What everything was measured on; more than one machine or state of the code is said."""
    if not stored:
        raise Missing("anything")
    described = [part["machine"] for part in stored.values()]
    engines = {part["engine"] for part in stored.values()}
    peers = [part["peer"] for part in stored.values() if "peer" in part]
    lines = []
    for one in [d for i, d in enumerate(described) if d not in described[:i]]:
        versions = [f"{k} {v}" for k, v in one.items() if k not in ("cores", "cpu", "system")]
        lines.append(
            f"{one['cores']} cores of {one['cpu']}, {one['system']}; {', '.join(versions)}."
        )
    for peer in peers[:1]:
        known = ", ".join(f"{k} {v}" for k, v in peer.items() if isinstance(v, str))
        fused = "with" if peer.get("fused_kernel") else "WITHOUT"
        lines.append(f"BoTorch in an environment of its own: {known}; {fused} its fused kernel.")
    busy = max(part["others"] for part in stored.values())
    if busy > QUIET:
        lines.append(
            f"**Other work kept up to {busy:.1f} cores busy meanwhile: not to be relied on.**"
        )
    if len(engines) > 1:
        lines.append(f"From {len(engines)} states of the code.")
    return lines


def summary(stored: Stored) -> list[str]:
    """Every target, and whether it is met."""
    rows = [row for write in ROWS for row in _rows(write, stored)]
    return _table(["what", "target", "measured", ""], rows)


def _rows(write: Callable[[Stored], list[list[str]]], stored: Stored) -> list[list[str]]:
    try:
        return write(stored)
    except Missing as missing:
        return [[missing.args[0], "", "not measured yet", ""]]


def _faster_rows(stored: Stored) -> list[list[str]]:
    rows = []
    for name in AGAINST:
        for size, one in _part(stored, name)["sizes"].items():
            ratio, target = one["theirs"] / one["ours"], FASTER[size]
            what = f"times faster than qLogNEHVI, N = {size}, {name.removeprefix('against, ')}"
            rows.append([what, f"{target:g}", f"{ratio:.1f}", _verdict(ratio >= target)])
    return rows


def _floor_rows(stored: Stored) -> list[list[str]]:
    return [
        _at_most(
            f"time over that of its floating-point work, N = {size}",
            one["seconds"] / one["floor"],
            OVER_FLOOR,
        )
        for size, one in _part(stored, "floor")["sizes"].items()
    ]


def _start_rows(stored: Stored) -> list[list[str]]:
    part = _part(stored, "start")
    what = f"process start to first suggestion, N = {part['measured']}"
    return [
        _at_most(f"{what}, nothing compiled", part["cold"], COLD, " s"),
        _at_most(f"{what}, programs on disk", part["warm"], WARM, " s"),
    ]


def _compilation_rows(stored: Stored) -> list[list[str]]:
    part = _part(stored, "compilations")
    what = f"compilations from N = 1 to {part['measured']}"
    number = part["compilations"]
    return [[what, f"at most {COMPILATIONS}", str(number), _verdict(number <= COMPILATIONS)]]


def _size_rows(stored: Stored) -> list[list[str]]:
    rows = []
    for name, what, target in (
        ("more objectives", "6 inputs, K = 4, C = 2 over 4 inputs, K = 2, C = 2", MORE_OBJECTIVES),
        ("decoupled", "decoupled (4 groups) over coupled", DECOUPLED),
    ):
        part = _part(stored, name)
        first, second = part["seconds"].values()
        rows.append(_at_most(f"{what}, N = {part['measured']}", second / first, target))
    return rows


def _front_rows(stored: Stored) -> list[list[str]]:
    rows = []
    for inputs, target in FRONTS.items():
        found = _part(stored, f"fronts, {inputs} inputs")["mean"]["found"]
        what = f"hypervolume of sampled fronts over the best known, {inputs} inputs"
        rows.append([what, f"{target:g}", f"{found:.3f}", _verdict(found >= target)])
    return rows


def _growth_rows(stored: Stored) -> list[list[str]]:
    boxes, sizes = (
        _part(stored, f"growth with {what}") for what in ("black boxes", "measurements")
    )
    memory = _part(stored, "memory")
    what = f"most memory at N = {memory['measured']}"
    return [
        _power("power of K + C the time grows with (ADF)", boxes["exponent"], LINEAR),
        _power("power of N the time grows with, last two sizes", sizes["last exponent"], CUBIC),
        _at_most(f"{what}, compiling", memory["cold"], MEGABYTES, " MB"),
        _at_most(f"{what}, programs from disk", memory["warm"], MEGABYTES, " MB"),
    ]


ROWS = (
    _faster_rows,
    _floor_rows,
    _start_rows,
    _compilation_rows,
    _size_rows,
    _front_rows,
    _growth_rows,
)


def against(stored: Stored) -> list[str]:
    """Both sides, part by part."""
    heads = ["threads", "data", "N", "ask", "recommend", "both", "fit", "acquisition", "both"]
    heads += ["times faster", "with theirs", "target"]
    rows = []
    for name, (threads, gathered) in AGAINST.items():
        for size, one in _part(stored, name)["sizes"].items():
            seconds = [one[part] for part in ("ask", "recommend", "ours")]
            seconds += [one[part] for part in ("fit", "acquisition", "theirs")]
            ratios = [one[part] / one["ours"] for part in ("theirs", "theirs with recommendation")]
            rows.append(
                [str(threads), "gathered" if gathered else "uniform", size]
                + [*map(_seconds, seconds)]
                + [f"{ratio:.1f}" for ratio in ratios]
                + [f"{FASTER[size]:g}"]
            )
    return _table(heads, rows)


def floor(stored: Stored) -> list[str]:
    """The floor and what it is made of."""
    names = [*PARTS.values(), REST]
    rows = []
    for size, one in _part(stored, "floor")["sizes"].items():
        numbers = [one["seconds"], one["floor"]]
        of_parts = [one["parts"].get(name, 0.0) for name in names]
        ratio = f"{one['seconds'] / one['floor']:.1f}"
        rows.append([size, *map(_seconds, numbers), ratio, f"{OVER_FLOOR:g}"])
        rows[-1] += [*map(_seconds, of_parts), f"{one['factors']:.0f}"]
    heads = ["N", "time", "floor", "ratio", "target", *names, "number of Cholesky factors"]
    return _table(heads, rows)


def compilations(stored: Stored) -> list[str]:
    """Which programs, and when."""
    part = _part(stored, "compilations")
    programs = [[name, str(number)] for name, number in part["programs"].items()]
    at = ", ".join(map(str, sorted(set(part["at"]))))
    return [*_table(["program", "compilations"], programs), "", f"Compiled at N = {at}."]


def sampled(stored: Stored) -> list[str]:
    """Shares of the best known hypervolume."""
    rows = []
    for inputs, target in FRONTS.items():
        part = _part(stored, f"fronts, {inputs} inputs")
        cells = []
        for name in ("found", "cut", "uniform"):
            cells += [f"{part['mean'][name]:.3f}", f"{part['worst'][name]:.3f}"]
        rows.append([str(inputs), str(part["paths"]), f"{target:g}", *cells])
    heads = ["inputs", "paths", "target", "found", "worst", "cut to 50 points", "worst"]
    return _table([*heads, "1000 d uniform points", "worst"], rows)


def growth(stored: Stored) -> list[str]:
    """Seconds against both sizes."""
    boxes, sizes = (
        _part(stored, f"growth with {what}") for what in ("black boxes", "measurements")
    )
    by_boxes = _table(
        [f"K + C, at N = {boxes['measured']}", *boxes["seconds"], "exponent"],
        [["time", *map(_seconds, boxes["seconds"].values()), f"{boxes['exponent']:.2f}"]],
    )
    by_size = _table(
        ["N", *sizes["seconds"], "exponent", "of the last two"],
        [
            ["time", *map(_seconds, sizes["seconds"].values())]
            + [f"{sizes[name]:.2f}" for name in ("exponent", "last exponent")]
        ],
    )
    return [*by_boxes, "", *by_size]


TABLES: dict[str, Callable[[Stored], list[str]]] = {
    "speed: machine": machine,
    "speed: summary": summary,
    "speed: against": against,
    "speed: floor": floor,
    "speed: compilations": compilations,
    "speed: fronts": sampled,
    "speed: growth": growth,
}


def _at_most(what: str, measured: float, target: float, unit: str = "") -> list[str]:
    number = f"{measured:.0f}" if measured >= 100 else f"{measured:.2f}"
    met = _verdict(measured <= target)
    return [what, f"at most {target:g}{unit}", f"{number}{unit}", met]


def _power(what: str, measured: float, target: float) -> list[str]:
    # A second decimal would be noise.
    power = round(measured, 1)
    return [what, f"at most {target:g}", f"{power:.1f}", _verdict(power <= target)]


def _verdict(met: bool) -> str:
    return "met" if met else "**missed**"


def _seconds(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1.0 else f"{1000.0 * seconds:.0f} ms"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [heads, ["---"] * len(heads), *rows]
    return [f"| {' | '.join(cells)} |" for cells in lines]


if __name__ == "__main__":
    sys.exit(main())
