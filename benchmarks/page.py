"""docs/performance.md, whose tables are written by the benchmarks between two comments each."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"


def place(page: str, name: str) -> str:
    """What stands in the place of that name."""
    found = _block(name).search(page)
    if not found:
        raise ValueError(f"the page has no place for {name!r}: <!-- {name} --> .. <!-- end -->")
    return found[2]


def fill(page: str, name: str, text: str) -> str:
    """The page with the text in the place of that name."""
    place(page, name)
    return _block(name).sub(lambda found: f"{found[1]}\n{text}\n{found[3]}", page)


def _block(name: str) -> re.Pattern[str]:
    return re.compile(rf"(<!-- {re.escape(name)} -->\n)(.*?)(<!-- end -->)", re.DOTALL)
