"""Find the best trade-offs between expensive objectives under expensive constraints.

Names are imported from their rooms when they are first used, so that `import tradespace` costs
milliseconds and JAX is loaded only by what computes with it.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tradespace import problems
    from tradespace.acquisition import Bmoo, Mesmoc, MesmocPlus, Pesmoc, RandomSearch
    from tradespace.data import Data
    from tradespace.errors import (
        ArgumentError,
        InputError,
        MeasurementError,
        ProblemError,
        SpaceExhausted,
        StudyError,
        TooManyFailures,
        TradespaceError,
    )
    from tradespace.problem import (
        Constraint,
        Direction,
        Group,
        Problem,
        at_least,
        at_most,
        between,
        maximize,
        minimize,
    )
    from tradespace.recommend import Recommendation
    from tradespace.space import Categorical, Integer, Real, Space
    from tradespace.study import Front, Study, Trial
    from tradespace.suggest import Suggestion

    __version__: str

__all__ = [
    "ArgumentError",
    "Bmoo",
    "Categorical",
    "Constraint",
    "Data",
    "Direction",
    "Front",
    "Group",
    "InputError",
    "Integer",
    "MeasurementError",
    "Mesmoc",
    "MesmocPlus",
    "Pesmoc",
    "Problem",
    "ProblemError",
    "RandomSearch",
    "Real",
    "Recommendation",
    "Space",
    "SpaceExhausted",
    "Study",
    "StudyError",
    "Suggestion",
    "TooManyFailures",
    "TradespaceError",
    "Trial",
    "__version__",
    "at_least",
    "at_most",
    "between",
    "maximize",
    "minimize",
    "problems",
]

_ROOMS = {
    "acquisition": ("Bmoo", "Mesmoc", "MesmocPlus", "Pesmoc", "RandomSearch"),
    "data": ("Data",),
    "errors": (
        "ArgumentError",
        "InputError",
        "MeasurementError",
        "ProblemError",
        "SpaceExhausted",
        "StudyError",
        "TooManyFailures",
        "TradespaceError",
    ),
    "problem": (
        "Constraint",
        "Direction",
        "Group",
        "Problem",
        "at_least",
        "at_most",
        "between",
        "maximize",
        "minimize",
    ),
    "recommend": ("Recommendation",),
    "space": ("Categorical", "Integer", "Real", "Space"),
    "study": ("Front", "Study", "Trial"),
    "suggest": ("Suggestion",),
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version  # takes longer than all the rest of this file

        value: object = version("tradespace")
    elif name == "problems":
        value = import_module("tradespace.problems")
    elif name in _ROOM_OF:
        value = getattr(import_module(f"tradespace.{_ROOM_OF[name]}"), name)
    else:
        raise AttributeError(f"module 'tradespace' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
