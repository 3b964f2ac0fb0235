"""What every test runs under: types and shapes checked at every call, fixed examples."""

from hypothesis import settings
from jaxtyping import install_import_hook

# Before anything imports tradespace: each annotated function of the numerical rooms then checks
# its arguments. The others take what people type, and say themselves what is wrong with it.
NUMERICAL = (
    "pareto",
    "sobol",
    "candidates",
    "gp",
    "paths",
    "fronts",
    "conditioning",
    "acquisition",
    "method",
    "climb",
    "programs",
    "model",
    "decision",
    "suggest",
    "recommend",
)
install_import_hook([f"tradespace.{room}" for room in NUMERICAL], "beartype.beartype")

# Compiling makes a first example slow, and a run must be repeatable.
settings.register_profile("tradespace", deadline=None, derandomize=True)
settings.load_profile("tradespace")
