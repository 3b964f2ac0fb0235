"""What a measurement is worth: one file per method, none of which imports another."""

from tradespace.acquisition.bmoo import Bmoo
from tradespace.acquisition.mesmoc import Mesmoc
from tradespace.acquisition.mesmoc_plus import MesmocPlus
from tradespace.acquisition.pesmoc import Pesmoc
from tradespace.acquisition.random_search import RandomSearch

__all__ = ["Bmoo", "Mesmoc", "MesmocPlus", "Pesmoc", "RandomSearch", "default_method"]


def default_method() -> MesmocPlus:
    """The method that measures best; docs/performance.md has the table."""
    return MesmocPlus()
