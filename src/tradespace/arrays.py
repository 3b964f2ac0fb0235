"""What compiled programs take and give: JAX's arrays, or NumPy's on their way in and out."""

from typing import Any, TypeAlias

import jax
import numpy.typing as npt

Array: TypeAlias = jax.Array | npt.NDArray[Any]
