"""The picture of an outcome: a PNG of its size, with everything in it."""

from dataclasses import replace
from pathlib import Path

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.image import imread

from tradespace.cli.outcome import Outcome
from tradespace.cli.picture import FEASIBLE, RECOMMENDED, WINDOW, draw


def test_it_is_a_png_in_which_everything_has_its_colour(outcome: Outcome, tmp_path: Path) -> None:
    path = tmp_path / "front.png"
    draw(outcome, path)
    assert path.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    pixels = imread(path)
    assert pixels.shape[:2] == (960, 1800)
    for colour in (FEASIBLE, RECOMMENDED, WINDOW, "black"):
        like = (np.abs(pixels[..., :3] - to_rgb(colour)) < 0.01).all(axis=2)
        assert like.sum() > 100, colour


def test_one_trial_of_each_group_is_enough(outcome: Outcome, tmp_path: Path) -> None:
    few = replace(outcome, trials=type(outcome.trials)(outcome.trials[:2]))
    assert {trial.group for trial in few.trials} == set(few.problem.groups)
    draw(few, tmp_path / "front.png")
    assert (tmp_path / "front.png").stat().st_size > 10_000
