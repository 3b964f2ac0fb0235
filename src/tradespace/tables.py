"""Rows, which are flat dicts, as a table of another library."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def to_pandas(rows: list[dict[str, Any]]) -> Any:
    """A pandas DataFrame with these rows; what a row lacks is missing."""
    try:
        pandas = import_module("pandas")
    except ImportError as error:
        raise ImportError(
            "to_pandas() needs pandas: `pip install pandas`, or use rows(), a list of dicts"
        ) from error
    return pandas.DataFrame(rows)
