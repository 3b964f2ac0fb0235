"""The speed benchmark's page, from results made up here, and the small parts of its machinery."""

import json
import os

import jax
import numpy as np
import pytest
from benchmarks.speed import machine, run, table
from benchmarks.speed.compilations import compiled
from benchmarks.speed.growth import exponent
from benchmarks.speed.machine import Others, apart, cpu_name, most_memory

MACHINE = {"cores": 2, "cpu": "a processor", "system": "Linux", "python": "3.12.0", "jax": "0.10.0"}


def page(text: str = "") -> str:
    blocks = [f"<!-- {name} -->\n{text}<!-- end -->\n" for name in table.TABLES]
    return "# A page\n\n" + "\nBetween.\n\n".join(blocks)


def results() -> dict:
    one = {
        **{"ask": 0.1, "recommend": 0.05, "ours": 0.15},
        **{"fit": 0.4, "acquisition": 1.1, "theirs": 1.5, "theirs with recommendation": 3.0},
    }
    floor = {"seconds": 0.15, "floor": 0.06, "parts": {"exponentials": 0.06}, "factors": 900.0}
    fronts = {
        "paths": 4,
        "mean": {"found": 0.98, "cut": 0.97, "uniform": 0.6},
        "worst": {"found": 0.96, "cut": 0.95, "uniform": 0.5},
    }
    stored = {
        **{
            name: {"peer": {"botorch": "0.1"}, "sizes": {"20": one, "200": one}}
            for name in run.AGAINST
        },
        "floor": {"sizes": {"20": floor}},
        "start": {"measured": 20, "cold": 9.0, "warm": 2.0},
        "compilations": {
            "measured": 200,
            "compilations": 8,
            "programs": {"jit(explore)": 4, "jit(decide)": 4},
            "at": [1, 1, 25, 25, 53, 53, 105, 105],
        },
        "more objectives": {"measured": 100, "seconds": {"a": 0.2, "b": 0.5}},
        "decoupled": {"measured": 50, "seconds": {"a": 0.2, "b": 0.25}},
        "fronts, 4 inputs": fronts,
        "fronts, 6 inputs": fronts,
        "growth with black boxes": {
            "measured": 50,
            "seconds": {"2": 0.1, "4": 0.2},
            "exponent": 1.02,
        },
        "growth with measurements": {
            "seconds": {"200": 0.5, "400": 4.5},
            "exponent": 3.2,
            "last exponent": 3.2,
        },
        "memory": {"measured": 400, "cold": 1600.0, "warm": 900.0},
    }
    about = {"machine": MACHINE, "engine": "abc", "others": 0.0}
    return {name: {**about, **part} for name, part in stored.items()}


def row(text: str, *words: str) -> str:
    found = [line for line in text.splitlines() if all(word in line for word in words)]
    assert len(found) == 1, found
    return found[0]


def test_the_page_is_filled_between_its_comments_only():
    filled = table.filled(page(), results())
    assert filled.count("Between.") == len(table.TABLES) - 1
    assert filled.startswith("# A page\n")
    assert table.filled(filled, results()) == filled
    assert "a processor" in filled
    assert "botorch 0.1; WITHOUT its fused kernel" in filled


def test_misses_are_said():
    filled = table.filled(page(), results())
    assert "| 15 | 10.0 | **missed** |" in row(filled, "qLogNEHVI, N = 20, one thread, gathered")
    assert "| 3 | 10.0 | met |" in row(filled, "qLogNEHVI, N = 200, two threads, uniform")
    assert "| at most 8 s | 9.00 s | **missed** |" in row(filled, "nothing compiled")
    assert "| at most 2.5 s | 2.00 s | met |" in row(filled, "programs on disk")
    assert "| at most 8 | 8 | met |" in row(filled, "compilations from N = 1 to 200")
    assert "| at most 2 | 2.50 | **missed** |" in row(filled, "K = 4, C = 2 over")
    assert "| at most 1.5 | 1.25 | met |" in row(filled, "decoupled (4 groups)")
    assert "| 0.99 | 0.980 | **missed** |" in row(filled, "best known, 4 inputs")
    assert "| 0.97 | 0.980 | met |" in row(filled, "best known, 6 inputs")
    assert "| at most 1 | 1.0 | met |" in row(filled, "power of K + C the")
    assert "| at most 3 | 3.2 | **missed** |" in row(filled, "power of N the")
    assert "| at most 1500 MB | 1600 MB | **missed** |" in row(filled, "memory at N = 400, comp")
    assert "| at most 1500 MB | 900 MB | met |" in row(filled, "memory at N = 400, programs")
    assert "| at most 3 | 2.50 | met |" in row(filled, "floating-point work, N = 20")


def test_ratios_stand_beside_both_sides():
    line = row(table.filled(page(), results()), "| 1 | gathered | 20 |")
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert cells[3:6] == ["100 ms", "50 ms", "150 ms"]
    assert cells[6:] == ["400 ms", "1.10 s", "1.50 s", "10.0", "20.0", "15"]


def test_what_is_not_measured_is_said_and_the_rest_shown():
    stored = results()
    del stored["floor"]
    filled = table.filled(page("old\n"), stored)
    assert "old" not in filled
    assert "Not measured yet: floor." in filled
    assert "not measured yet" in row(filled, "| floor |")
    assert "met" in row(filled, "memory at N = 400, programs")
    assert "Not measured yet: anything." in table.filled(page(), {})


def test_results_of_different_code_are_said():
    stored = results()
    stored["memory"]["engine"] = "other"
    assert "From 2 states of the code." in table.filled(page(), stored)


def test_a_machine_that_was_not_quiet_is_said():
    stored = results()
    assert "Other work" not in table.filled(page(), stored)
    stored["start"]["others"] = 0.7
    assert "Other work kept up to 0.7 cores busy" in table.filled(page(), stored)


def test_a_page_without_a_place_is_refused():
    with pytest.raises(ValueError, match="speed: growth"):
        table.filled(page().replace("<!-- speed: growth -->", ""), results())


def test_the_published_page_has_every_place(tmp_path):
    text = table.PAGE.read_text()
    (tmp_path / "page.md").write_text(text)
    (tmp_path / "results.json").write_text(json.dumps(results()))
    arguments = ["--page", str(tmp_path / "page.md"), "--results", str(tmp_path / "results.json")]
    assert table.main(arguments) == 0
    assert "a processor" in (tmp_path / "page.md").read_text()


def test_every_part_has_its_row():
    assert set(results()) == set(run.parts(quick=False, peer_python=None))
    assert set(run.parts(quick=True, peer_python=None)) == set(results())


def test_run_goes_on_where_it_stopped(tmp_path, monkeypatch, capsys):
    calls = []

    def work(number: int) -> dict[str, int]:
        calls.append(number)
        if number == 2 and len(calls) == 2:
            raise KeyboardInterrupt
        return {"number": number}

    named = {f"part {i}": run.Part(work, {"number": i}) for i in (1, 2, 3)}
    monkeypatch.setattr(run, "parts", lambda quick, peer_python: named)
    monkeypatch.setattr(run, "apart", lambda cores, work, **named: work(**named))
    monkeypatch.setenv("TRADESPACE_CACHE", "off")
    path = tmp_path / "results.json"
    with pytest.raises(KeyboardInterrupt):
        run.main(["--results", str(path)])
    assert list(json.loads(path.read_text())) == ["part 1"]
    assert run.main(["--results", str(path)]) == 0
    assert calls == [1, 2, 2, 3]
    assert run.main(["--results", str(path), "--only", "2", "--restart"]) == 0
    assert calls[4:] == [2]
    stored = json.loads(path.read_text())
    assert {name: part["number"] for name, part in stored.items()} == {
        **{"part 1": 1, "part 2": 2, "part 3": 3}
    }
    assert run.main(["--results", str(path), "--only", "nothing"]) == 2
    assert "part 1; part 2; part 3" in capsys.readouterr().out


def test_exponent_of_a_power():
    assert exponent({str(n): 3.0 * n**2.5 for n in (10, 20, 70)}) == pytest.approx(2.5)


def test_compilations_are_counted_by_name():
    names = compiled()
    before = len(names)

    def a_program_of_this_test(x):
        return x + 1

    program = jax.jit(a_program_of_this_test)
    for size in (2, 3, 2):
        program(np.ones(size, np.float32))
    assert names[before:].count("jit(a_program_of_this_test)") == 2


def test_work_apart_keeps_to_its_cores():
    assert apart(1, os.sched_getaffinity, 0) == {min(os.sched_getaffinity(0))}
    assert apart(None, os.sched_getaffinity, 0) == os.sched_getaffinity(0)


def test_own_work_is_not_that_of_others(monkeypatch):
    busy, own, now = iter([100.0, 107.0]), iter([1.0, 5.0]), iter([0.0, 6.0])
    monkeypatch.setattr(machine, "_busy", lambda: next(busy))
    monkeypatch.setattr(machine, "_own", lambda: next(own))
    monkeypatch.setattr(machine.time, "monotonic", lambda: next(now))
    with Others() as others:
        pass
    assert others.cores == 0.5


def test_busy_seconds_grow_with_work():
    before, own = machine._busy(), machine._own()
    while machine._own() < own + 0.2:
        sum(range(10_000))
    assert machine._busy() - before >= 0.15


def test_memory_and_processor(tmp_path):
    before = most_memory()
    held = np.ones(30_000_000)
    assert most_memory() >= max(before, held.nbytes / 1e6)
    assert most_memory() < 100_000.0
    (tmp_path / "cpuinfo").write_text("model name\t: Some CPU\ncpu family\t: 6\nmodel\t\t: 85\n")
    assert cpu_name(tmp_path / "cpuinfo") == "Some CPU (family 6, model 85)"
