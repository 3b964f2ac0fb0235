"""What every test runs under: types and shapes checked at every call, fixed examples."""

from hypothesis import settings
from jaxtyping import install_import_hook

# Before anything imports tradespace: each of its annotated functions then checks its arguments.
install_import_hook("tradespace", "beartype.beartype")

# Compiling makes a first example slow, and a run must be repeatable.
settings.register_profile("tradespace", deadline=None, derandomize=True)
settings.load_profile("tradespace")
