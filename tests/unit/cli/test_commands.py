"""What `tradespace` understands, its exit codes, and errors as one line."""

import argparse
import subprocess
import sys
from pathlib import Path

import pytest

from tradespace.cli import commands, demo
from tradespace.cli.commands import FAILED, MISUSED, STOPPED, main
from tradespace.errors import ProblemError


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("dmo", "unknown command 'dmo'; did you mean 'demo'?"),
        ("optimise", "unknown command 'optimise'; the commands are: demo"),
        ("--fast", "unrecognized arguments: --fast"),
        ("demo extra", "unrecognized arguments: extra"),
        ("demo --seed -1", "--seed: must be a whole number, 0 or more, not '-1'"),
        ("demo --seed 1.5", "--seed: must be a whole number, 0 or more, not '1.5'"),
        ("demo --trials 1", "--trials: must be a whole number, 2 or more, not '1'"),
        ("demo --trials", "--trials: expected one argument"),
    ],
)
def test_what_is_not_understood_is_said(
    words: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(words.split())
    assert stopped.value.code == MISUSED
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.strip().endswith(message)


def test_without_a_command_the_help_is_shown_as_an_error(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([]) == MISUSED
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "demo" in captured.err


@pytest.mark.parametrize("words", ["--help", "demo --help", "--version"])
def test_help_and_version_are_answers_that_fit_a_terminal(
    words: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as stopped:
        main(words.split())
    assert stopped.value.code == 0
    captured = capsys.readouterr()
    assert "tradespace" in captured.out
    assert max(map(len, captured.out.splitlines())) <= 80
    assert captured.err == ""


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (ProblemError("bounds are swapped"), "tradespace demo: bounds are swapped\n"),
        (OSError("the disk is full"), "tradespace demo: the disk is full\n"),
    ],
)
def test_an_error_a_user_can_act_on_is_one_line(
    error: Exception,
    line: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(options: argparse.Namespace) -> int:
        raise error

    monkeypatch.setattr(demo, "run", fail)
    assert main(["demo"]) == FAILED
    assert capsys.readouterr().err == line


def test_a_mistake_of_the_program_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(options: argparse.Namespace) -> int:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(demo, "run", fail)
    with pytest.raises(ZeroDivisionError, match="a bug"):
        main(["demo"])


def test_ctrl_c_ends_the_process_with_a_word(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(options: argparse.Namespace) -> int:
        raise KeyboardInterrupt

    def leave(code: int) -> None:
        raise SystemExit(code)

    monkeypatch.setattr(demo, "run", interrupted)
    monkeypatch.setattr(commands, "_leave", leave)
    with pytest.raises(SystemExit) as stopped:
        main(["demo"])
    assert stopped.value.code == STOPPED
    assert capsys.readouterr().err.strip() == "tradespace demo: stopped before the end"


def test_a_reader_that_has_had_enough_causes_no_traceback(tmp_path: Path) -> None:
    # More than a pipe holds, so that writing meets the closed end.
    program = (
        "import sys\n"
        "from tradespace.cli import commands, demo\n"
        "demo.run = lambda options: print('line\\n' * 100_000) or 0\n"
        "sys.exit(commands.main(['demo']))\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    with process, process.stderr:
        assert process.stdout.readline() == "line\n"
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == FAILED
