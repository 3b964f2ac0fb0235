"""The outcome as text: what it says, and that it fits a terminal and a file."""

from dataclasses import replace
from pathlib import Path

import pytest

from tradespace.cli import table
from tradespace.cli.outcome import Outcome

PICTURE = Path("somewhere/front.png")


@pytest.mark.parametrize("columns", ["80", "40", "200"])
def test_every_number_is_there_in_a_window_of_any_width(
    outcome: Outcome,
    columns: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    table.show(outcome, PICTURE)
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    rows = [line.split() for line in shown.splitlines() if line.rstrip().endswith("0.970")]
    assert [row[:2] for row in rows] == [
        [f"{point.inputs['power']:.0f}", f"{point.inputs['speed']:.0f}"]
        for point in outcome.recommendation
    ]
    strength = outcome.recommendation[0].mean["strength"]
    assert rows[0][2:5] == [f"{strength:.1f}", "±", "3.0"]
    assert max(len(line.rstrip()) for line in shown.splitlines()) <= 80
    for part in (f"{outcome.cost:g} h in all", f"{outcome.share:.1%}", "4 of 5", str(PICTURE)):
        assert part in shown


def test_only_a_few_of_many_recommended_inputs_are_shown(outcome: Outcome) -> None:
    many = replace(outcome.recommendation, points=outcome.recommendation.points * 4)
    assert table.recommended(replace(outcome, recommendation=many)).row_count == table.ROWS
    assert "8 of 20" in table.heading(replace(outcome, recommendation=many))


def test_a_level_that_had_to_be_lowered_is_said(outcome: Outcome) -> None:
    assert table.heading(outcome).endswith("probability 0.95 or more")
    relaxed = replace(outcome, recommendation=replace(outcome.recommendation, level=0.6))
    assert table.heading(relaxed).endswith("probability 0.60 or more (nothing reaches 0.95)")
