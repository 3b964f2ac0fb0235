"""The demo from start to end, and what stops it early."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tradespace.cli.commands import FAILED, STOPPED, main
from tradespace.cli.demo import INTRODUCTION


def test_it_ends_with_a_picture_and_a_result_that_a_program_can_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # The start takes 12 of the trials; the others are chosen by the method.
    out = tmp_path / "deep" / "down"
    assert main(["demo", "--trials", "14", "--seed", "1", "--out", str(out), "--json"]) == 0
    captured = capsys.readouterr()
    told = json.loads(captured.out)
    assert told["seed"] == 1
    assert [trial["origin"] for trial in told["trials"]] == ["design"] * 12 + ["method"] * 2
    assert told["cost"] == sum(trial["cost"] for trial in told["trials"])
    assert told["recommendation"]["points"]
    assert 0.0 < told["hypervolume_share"] <= 1.0
    assert told["picture"] == str(out / "front.png")
    assert (out / "front.png").read_bytes().startswith(b"\x89PNG")
    assert captured.err.startswith(INTRODUCTION)
    assert "14 of 14 trials" in captured.err


@pytest.mark.parametrize("taken", ["file", "picture"])
def test_a_place_that_cannot_be_written_is_refused_before_the_work(
    taken: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    if taken == "file":
        out.write_text("not a folder", encoding="utf-8")
    else:
        (out / "front.png").mkdir(parents=True)
    assert main(["demo", "--out", str(out)]) == FAILED
    error = capsys.readouterr().err
    assert error.startswith(f"tradespace demo: the picture cannot be saved as {out / 'front.png'}")
    assert error.endswith("choose another folder with --out\n")
    assert error.count("\n") == 1


def test_ctrl_c_is_heard_while_the_models_are_compiled(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", "from tradespace.cli import main; raise SystemExit(main(['demo']))"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "TRADESPACE_CACHE": "off"},
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        while "Compiling" not in (line := process.stderr.readline()):
            assert line, "the demo ended before it compiled anything"
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
        assert process.stdout.read() == ""
    assert process.returncode == STOPPED
    assert rest == "\ntradespace demo: stopped before the end\n"
