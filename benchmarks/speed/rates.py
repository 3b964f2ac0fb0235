"""How long each kind of floating-point work takes on this machine, alone and in the cache."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from benchmarks.speed.work import Kind
from jax import lax
from jax.extend.core import JaxprEqn

# Elements at a time, which fit the first or second cache, and the polynomial's degree.
ELEMENTS, DEGREE = 8192, 16
# A run is this long or longer, and the fastest of so many is taken.
ENOUGH, RUNS = 5e-3, 5


def seconds(kind: Kind, example: JaxprEqn) -> float:
    """Seconds for one unit of this kind of work: an instruction, or a whole operation."""
    rng = np.random.default_rng(0)
    if kind.name == "dot_general":
        return _product(rng, kind)
    if kind.shapes:
        operands = [_operand(rng, kind.name, i, v.aval) for i, v in enumerate(example.invars)]
        return _repeated(_bound(example), operands)
    number = len(example.invars) if kind.name != "arithmetic" else 1
    operands = [jnp.asarray(rng.uniform(0.1, 0.9, ELEMENTS), kind.dtype) for _ in range(number)]
    if kind.name == "arithmetic":
        return _repeated(_polynomial, operands) / (2 * DEGREE * ELEMENTS)
    if kind.name == "div":
        operands, function = operands[:1], lambda x: 1.0 / x
    else:
        function = _bound(example)
    return _repeated(function, operands) / ELEMENTS


def _product(rng: np.random.Generator, kind: Kind) -> float:
    """The product or its transpose, whichever is faster."""
    (m, k), (_, n) = kind.shapes

    def times(m: int, n: int) -> float:
        # A single row or column is a vector.
        left = rng.uniform(0.1, 0.9, (m, k) if m > 1 else (k,))
        right = rng.uniform(0.1, 0.9, (k, n) if n > 1 else (k,))
        return _repeated(jnp.matmul, [jnp.asarray(each, kind.dtype) for each in (left, right)])

    return min(times(m, n), times(n, m))


def _polynomial(x: Any) -> Any:
    """A product and a sum for each degree."""
    series = jnp.ones_like(x)
    for power in range(1, DEGREE + 1):
        series = series * x + 1.0 / power
    return series


def _bound(example: JaxprEqn) -> Callable[..., Any]:
    parameters = example.primitive.get_bind_params(example.params)
    return lambda *operands: example.primitive.bind(*operands, **parameters)


def _operand(rng: np.random.Generator, name: str, place: int, aval: Any) -> Any:
    """Numbers an operation can work on: positive definite, or triangular, where it must be."""
    numbers = rng.uniform(0.1, 0.9, aval.shape)
    if name in ("cholesky", "triangular_solve") and place == 0:
        side = aval.shape[-1]
        numbers = np.tril(numbers) / side if name == "triangular_solve" else numbers / side
        numbers = 0.5 * (numbers + np.swapaxes(numbers, -1, -2)) if name == "cholesky" else numbers
        numbers = numbers + 2.0 * np.eye(side)
    return jnp.asarray(numbers, aval.dtype)


def _repeated(function: Callable[..., Any], operands: Sequence[Any]) -> float:
    """Seconds for one call among many inside one program."""

    @jax.jit
    def run(operands: Sequence[Any], times: Any) -> Any:
        def once(_: Any, carry: tuple[Any, Any]) -> tuple[Any, Any]:
            first, before = carry
            # A trace of the last result goes into the next call: none can be left out.
            corner = (0,) * first.ndim
            trace = (1e-30 * before[(0,) * before.ndim]).astype(first.dtype)
            first = first.at[corner].add(trace)
            return first, function(first, *operands[1:])

        nothing = jnp.zeros_like(function(*operands))
        return lax.fori_loop(0, times, once, (operands[0], nothing))[1]

    times = 1
    while (spent := _timed(run, operands, times)) < ENOUGH:
        times *= max(2, min(100, int(ENOUGH / max(spent, 1e-5))))
    return min(_timed(run, operands, times) for _ in range(RUNS)) / times


def _timed(run: Callable[..., Any], operands: Sequence[Any], times: int) -> float:
    jax.block_until_ready(run(operands, times))
    start = time.perf_counter()
    jax.block_until_ready(run(operands, times))
    return time.perf_counter() - start
