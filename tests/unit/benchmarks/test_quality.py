"""The quality benchmark from its command line to its table, with a method that needs no time."""

import json
from pathlib import Path

import numpy as np
import pytest
from benchmarks.quality import problems, run, table
from benchmarks.quality.drive import advance
from benchmarks.quality.methods import Ours, Recommended, Suggested, method, unfit
from benchmarks.quality.problems import PROBLEMS, answered, named
from benchmarks.quality.record import Record, Run
from benchmarks.quality.whereabouts import whereabouts

from tradespace import Problem, Real
from tradespace.acquisition import MesmocPlus, RandomSearch
from tradespace.errors import ArgumentError
from tradespace.problem import at_least, minimize
from tradespace.problems.testproblem import Answer, TestProblem
from tradespace.study.trial import Trial


def simple(noiseless: bool = True) -> TestProblem:
    """The front is the line from (0, 1) to (0.9, 0.1), where the second input is 0."""
    problem = Problem(
        inputs={"x": Real(0.0, 1.0), "y": Real(0.0, 1.0)},
        objectives={"f": minimize, "g": minimize},
        constraints={"c": at_least(0.0)},
        noiseless=noiseless,
    )
    answer = Answer(np.array([2.0, 2.0]), np.array([[0.0, 1.0], [0.9, 0.1]]), 3.395)
    function = lambda q: {  # noqa: E731
        "f": q["x"] + q["y"],
        "g": 1.0 - q["x"] + q["y"],
        "c": 0.9 - q["x"],
    }
    return TestProblem("simple", problem, function, lambda: answer)


class Measured:
    """Recommends what was measured; suggests at random. No models."""

    def __init__(self, problem: Problem, seed: int) -> None:
        self._ours = Ours(problem, RandomSearch(), seed)
        self._problem = problem

    def suggest(self, trials: list[Trial]) -> Suggested:
        return self._ours.suggest(trials)

    def recommend(self, trials: list[Trial]) -> Recommended:
        points = self._problem.space.encode_all([trial.inputs for trial in trials])
        return Recommended(points, 0.95, 0.0)


def go(path: Path, budget: float, problem: TestProblem | None = None) -> Record:
    problem = problem or simple()
    record = Record.read(path)
    assert advance(record, problem, 3, lambda: Measured(problem.problem, 3), budget, 5)
    return record


def timeless(record: Record) -> list[dict[str, object]]:
    return [{k: v for k, v in entry.items() if k != "seconds"} for entry in record.trials]


def test_a_run_that_was_stopped_goes_on_as_if_it_had_not_been(tmp_path: Path) -> None:
    whole = go(tmp_path / "whole", 15)
    go(tmp_path / "parts", 9)
    with (tmp_path / "parts").open("ab") as file:
        file.write(b'{"point":[0.1,')  # the process was killed while it wrote this
    parts = go(tmp_path / "parts", 15)
    assert timeless(whole) == timeless(parts) == timeless(Record.read(tmp_path / "parts"))
    reached = [entry["checkpoint"] for entry in whole.checkpoints]
    assert reached == [6, 10, 15]
    assert whole.checkpoints[-1] == parts.checkpoints[-1]


def test_a_missing_checkpoint_is_made_up_for(tmp_path: Path) -> None:
    go(tmp_path / "run", 10)
    lines = (tmp_path / "run").read_bytes().splitlines(keepends=True)
    assert b"checkpoint" in lines[-1]
    (tmp_path / "run").write_bytes(b"".join(lines[:-1]))
    assert go(tmp_path / "run", 10).checkpoints[-1]["checkpoint"] == 10
    assert (tmp_path / "run").read_bytes().splitlines(keepends=True) == lines


def test_a_deadline_stops_between_evaluations(tmp_path: Path) -> None:
    record = Record.read(tmp_path / "run")
    problem = simple()
    chooser = Measured(problem.problem, 3)
    assert not advance(record, problem, 3, lambda: chooser, 10, 5, deadline=-np.inf)
    assert record.trials == []


def test_scores_are_of_true_values(tmp_path: Path) -> None:
    record = go(tmp_path / "run", 10)
    last = record.checkpoints[-1]
    assert last["feasible"] < last["size"] == 10
    # What is measured is recommended here, so that both are the same set of feasible points.
    assert last["dropped"] == last["measured"] < 0.0
    assert last["void"] == 0.0


def test_decoupled_costs_of_everything_add_up_to_one(tmp_path: Path) -> None:
    problem = named("drawn-2", "decoupled").problem
    costs = [group.cost for group in problem.groups.values()]
    assert sum(costs) == pytest.approx(1.0)
    assert len(set(costs)) > 1
    assert all(len(group.measures) == 1 for group in problem.groups.values())


def test_names_of_methods() -> None:
    assert method("boxes-log-1e-4") == MesmocPlus("boxes", "log", 1e-4)
    assert method("adf-variance") == MesmocPlus("adf", "variance")
    assert method("RandomSearch") == RandomSearch()
    with pytest.raises(ArgumentError, match="needs exact boxes"):
        method("adf-entropy")


def test_what_does_not_fit_is_left_out() -> None:
    four = named("drawn-4-four").problem
    assert unfit("boxes-log-1e-2", four)
    assert not unfit("adf-log-1e-2", four)
    assert unfit("qLogNEHVI", named("drawn-2", "decoupled").problem)
    assert not unfit("qLogNEHVI", named("drawn-2").problem)


@pytest.mark.parametrize("name", PROBLEMS)
def test_problems_are_noiseless_and_their_names_fit_into_files(name: str) -> None:
    problem = named(name)
    assert problem.problem.noiseless
    assert problem.noise == 0.0
    asked = Run(1, name, "coupled", "boxes-log-1e-2")
    assert Run.of_file(asked.file) == asked


def test_ranks_share_ties() -> None:
    ranks = table._ranks(np.array([[-3.0, -1.0], [-2.0, -1.0], [-1.0, -2.0]]))
    np.testing.assert_array_equal(ranks, [[1.0, 2.5], [2.0, 2.5], [3.0, 1.0]])


def test_whereabouts_of_suggestions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PROBLEMS, "simple", simple)
    record = Record.read(tmp_path / "run")
    # The first is of the start design. The third is infeasible; the fourth dominates the second.
    for point, more in [([0.5, 0.5], {}), ([0.5, 0.8], {"gain": 0.1})] + [
        (point, {"gain": 0.1}) for point in ([1.0, 0.8], [0.5, 0.0])
    ]:
        record.write({"point": point, "group": "all", "cost": 1.0, **more})
    went = whereabouts([("simple", record)])
    assert went is not None
    assert went.feasible == pytest.approx(2 / 3)
    assert went.front == pytest.approx(1 / 3)
    assert went.edge == pytest.approx(2 / 6)
    # 0.3, 0.5 and 0.5 along one of two inputs.
    assert went.step == pytest.approx(0.5 / np.sqrt(2.0))
    assert whereabouts([("simple", Record(tmp_path / "nothing"))]) is None


def test_the_command_line_runs_resumes_and_makes_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PROBLEMS, "simple", simple)
    monkeypatch.setattr(run, "_chooser", lambda _, problem, *rest: Measured(problem, 3))
    # The worker in this process: another would not see what was replaced above.
    monkeypatch.setattr(run, "_work_all", in_this_process)
    options = ["--methods", "RandomSearch", "adf-variance", "--problems", "simple"]
    options += ["--seeds", "3", "4", "--results", str(tmp_path)]
    write_answer(tmp_path)
    assert run.main([*options, "--budget", "5"]) == 0
    assert run.main([*options, "--budget", "10"]) == 0
    text = table.write(tmp_path, [5.0, 10.0])
    assert "No case has reached" in text  # the start design ends at 6
    text = table.write(tmp_path, [10.0])
    assert "2 cases of 1 problems, 2 methods." in text
    assert "| RandomSearch | 1.5 | " in text
    page = tmp_path / "page.md"
    page.write_text("Before.\n<!-- quality -->\nold\n<!-- end -->\nAfter.\n")
    at = ["--results", str(tmp_path), "--page", str(page), "--at", "10"]
    assert table.main(at) == 0
    assert text in page.read_text()
    assert page.read_text().startswith("Before.\n<!-- quality -->\n")
    assert page.read_text().endswith("<!-- end -->\nAfter.\n")
    assert "old" not in page.read_text()
    page.unlink()
    size = sum(path.stat().st_size for path in tmp_path.iterdir())
    assert size < 4 * 2500


def write_answer(folder: Path) -> None:
    entry = {"reference": [2.0, 2.0], "hypervolume": 3.395, "shown": -4.0, "front": [[0.0, 1.0]]}
    (folder / "reference.json").write_text(json.dumps({"simple": entry}))


def test_answers_are_searched_once_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PROBLEMS, "simple", simple)
    monkeypatch.setattr(problems, "GENERATIONS", 4)
    found = answered("simple", "coupled", tmp_path)
    assert found.reference_hypervolume == pytest.approx(3.395, rel=1e-6)
    assert 0 < len(found.front) <= 50
    monkeypatch.setattr(problems, "_find", None)
    again = answered("simple", "decoupled", tmp_path)
    np.testing.assert_array_equal(again.front, found.front)
    assert again.problem.is_decoupled


def in_this_process(runs: list[Run], settings: run.Settings, workers: int) -> int:
    for each in runs:
        assert run._one(each, settings, [])
    return 0
