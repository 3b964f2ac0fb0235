from typing import Any

import pytest

from tradespace.acquisition import RandomSearch
from tradespace.errors import ArgumentError


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"samples": 0}, "samples must be a whole number, 1 or more, not 0"),
        ({"samples": None}, "samples must be"),
        ({"prior": "paper"}, r"prior must be one of \['default', 'reference'\], not 'paper'"),
    ],
)
def test_what_makes_no_sense_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=f"RandomSearch: {message}"):
        RandomSearch(**settings)
