"""The script that draws every acquisition beside the exact one, in a small form."""

from pathlib import Path

import numpy as np
import pytest
from benchmarks.page import place
from experiments.acquisitions.__main__ import PAGE, main
from experiments.acquisitions.compared import COMPARED
from experiments.acquisitions.scores import score
from experiments.acquisitions.situation import NEAR, situation

from tradespace.acquisition import MesmocPlus

TABLES = ("coupled", "decoupled", "many")
SMALL = ["--inputs", "21", "--samples", "2", "--front-size", "5", "--problems", "2"]
X = np.linspace(0.0, 1.0, 5)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the pictures, and the page, of the script in its smallest form."""
    folder = tmp_path_factory.mktemp("acquisitions")
    page = folder / "page.md"
    page.write_text(PAGE.read_text())
    assert main(["--folder", str(folder), "--page", str(page), *SMALL]) == 0
    return folder


def test_both_pictures_are_drawn(written: Path) -> None:
    for name in ("coupled.png", "decoupled.png"):
        assert (written / name).read_bytes().startswith(b"\x89PNG")
        assert f"experiments/acquisitions/{name}" in PAGE.read_text()


def test_every_method_has_a_row_in_every_table(written: Path) -> None:
    page = (written / "page.md").read_text()
    for name in TABLES:
        lines = place(page, f"acquisitions: {name}").split("\n")
        for each in COMPARED:
            assert sum(line.startswith(f"| {each.name} |") for line in lines) == 1
        # As many cells in every row as in the head.
        assert len({line.count("|") for line in lines if line}) == 1


def test_mesmoc_plus_by_boxes_is_the_exact_curve(written: Path) -> None:
    """Not only for moments of a test: for those of a study, too."""
    row = _row(written, "decoupled", "MESMOC+ boxes, entropy")
    assert row[:9] == ["1.000", "0.000", "0.000"] * 3
    assert row == _row(written, "decoupled", "exact, black box by black box")
    both = [_row(written, "coupled", name) for name in ("exact, black box by black box",
                                                        "MESMOC+ boxes, entropy")]  # fmt: skip
    assert both[0] == both[1]


def _row(folder: Path, table: str, name: str) -> list[str]:
    lines = place((folder / "page.md").read_text(), f"acquisitions: {table}").split("\n")
    line = next(line for line in lines if line.startswith(f"| {name} |"))
    return [cell.strip() for cell in line.split("|")[2:-1]]


def test_models_and_fronts_are_those_of_a_suggestion() -> None:
    method = MesmocPlus(samples=2, front_size=5)
    known = situation(3, [0.1, 0.5, 0.8], 21, method)
    assert known.measured.tolist() == [0.1, 0.5, 0.8]
    assert np.abs(known.inputs[:, None] - known.measured).min() >= NEAR
    assert len(known.sampled.fronts) == 2
    assert max(map(len, known.sampled.fronts)) <= 5
    # The true values pass through the measured ones, on the scale of the models.
    at_data = [np.interp(0.5, known.inputs, curve) for curve in known.truth]
    np.testing.assert_allclose(at_data, known.values[:, 1], atol=0.1)


def test_scores_of_the_exact_curve_itself_and_of_one_upside_down() -> None:
    curve = np.array([0.0, 1.0, 4.0, 3.0, 2.0])
    assert score(curve, curve, X) == (pytest.approx(1.0), 0.0, 1.0, 0.0)
    turned = score(-curve, curve, X)
    assert turned == (pytest.approx(-1.0), 0.5, 0.0, pytest.approx(4.0))


def test_what_must_not_be_measured_has_the_lowest_rank_and_no_error() -> None:
    curve = np.array([0.0, 1.0, 4.0, 3.0, 2.0])
    found = np.array([-np.inf, 1.0, 4.0, 3.5, 2.0])
    assert score(found, curve, X) == (pytest.approx(1.0), 0.0, 1.0, pytest.approx(0.125))
    nowhere = score(np.full(5, -np.inf), curve, X)
    assert np.isnan(nowhere.correlation)
    assert np.isnan(nowhere.error)
