from typing import Any

import numpy as np
import pytest

from tradespace.acquisition import MesmocPlus
from tradespace.errors import ArgumentError


def test_what_is_affordable_is_chosen_and_said() -> None:
    method = MesmocPlus()
    assert [method.resolve(k) for k in (1, 2, 3, 4, 8)] == ["dominating"] * 3 + ["adf"] * 2
    assert "'adf', chosen for 4 objectives" in method.note(4)
    assert "'adf', asked for" in MesmocPlus(conditioning="adf").note(2)


@pytest.mark.parametrize("conditioning", ["boxes", "dominating"])
def test_boxes_in_many_objectives_are_said_to_cost_a_lot(conditioning: Any) -> None:
    method = MesmocPlus(conditioning)
    assert method.note(4).endswith("gain 'log'")
    assert method.note(5).endswith("; boxes cost a lot with more than 4, 'adf' costs less")
    assert MesmocPlus("adf").note(5).endswith("gain 'log'")


def test_the_note_says_which_gain_is_used() -> None:
    assert MesmocPlus(gain="entropy").note(3).endswith("gain 'entropy'")
    # ADF has moments alone.
    assert MesmocPlus(gain="entropy").note(4).endswith("gain 'log'")


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"conditioning": "adf", "gain": "entropy"}, "gain='entropy' needs exact boxes"),
        ({"conditioning": "box"}, "conditioning must be one of .*'dominating'.*, not 'box'"),
        ({"gain": "best"}, "gain must be one of"),
        ({"prior": None}, r"prior must be one of \['default', 'reference'\], not None"),
        ({"floor": float("nan")}, "floor must be a finite number, 0 or more, not nan"),
        ({"floor": "a"}, "floor must be .* not 'a'"),
        ({"floor": float("inf")}, "floor must be"),
        ({"samples": 0}, "samples must be a whole number, 1 or more, not 0"),
        ({"samples": "ten"}, "samples must be"),
        ({"front_size": 2.5}, "front_size must be a whole number, 1 or more, not 2.5"),
        ({"candidates": -1}, "candidates must be"),
    ],
)
def test_what_makes_no_sense_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=f"MesmocPlus: {message}"):
        MesmocPlus(**settings)


@pytest.mark.usefixtures("unchecked")
def test_methods_are_hashed_by_content_whatever_kind_of_number_was_given() -> None:
    given: tuple[Any, ...] = (0, 0.0, np.array(0.0))
    assert len({MesmocPlus(floor=floor, samples=np.int64(4)) for floor in given}) == 1
