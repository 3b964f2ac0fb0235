"""How far a run has come: a few lines in a file, a bar on a terminal."""

import io

from rich.console import Console

from tradespace.cli.progress import LINES, shown


def told(terminal: bool, trials: int) -> str:
    file = io.StringIO()
    with shown(Console(file=file, force_terminal=terminal, width=100), trials, "hours") as progress:
        progress.say("Measuring")
        for trial in range(trials):
            progress.advance(10.0 * (trial + 1))
        progress.say("Drawing")
    return file.getvalue()


def test_a_file_gets_a_line_for_each_part_of_the_run() -> None:
    lines = told(terminal=False, trials=36).splitlines()
    assert [line.split(" s  ")[1] for line in lines] == [
        "Measuring",
        "8 of 36 trials, 80 hours",
        "15 of 36 trials, 150 hours",
        "22 of 36 trials, 220 hours",
        "29 of 36 trials, 290 hours",
        "36 of 36 trials, 360 hours",
        "Drawing",
    ]


def test_a_short_run_gets_a_line_for_each_trial() -> None:
    assert told(terminal=False, trials=3).count("of 3 trials") == 3
    assert told(terminal=False, trials=1000).count("trials") == LINES


def test_a_terminal_gets_a_bar_that_vanishes() -> None:
    output = told(terminal=True, trials=5)
    assert "5/5" in output
    assert "50 hours" in output
    # The cursor comes back, and the last thing done is to erase the line.
    assert output.rindex("\x1b[?25h") > output.rindex("\x1b[?25l")
    assert output.endswith("\x1b[2K")
