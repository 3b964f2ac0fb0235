"""The floating-point work a program does, counted while it runs.

A program is traced to JAX's own list of operations and run again operation by operation, inside
the same loops, with a counter carried along: loops whose length depends on the data count what
they really do. Nothing is known here of what the program is for.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn, Literal
from jax.interpreters import partial_eval

# One instruction an element.
ARITHMETIC = {
    *("add", "sub", "mul", "neg", "abs", "sign", "max", "min", "clamp", "add_any", "square"),
    *("round", "floor", "ceil", "lt", "le", "gt", "ge", "eq", "ne"),
}
# One instruction for each element that goes in.
REDUCTIONS = {
    *("reduce_sum", "reduce_max", "reduce_min", "reduce_prod", "argmax", "argmin"),
    *("cumsum", "cumprod", "cummax", "cummin"),
}
# Each timed by itself, an element at a time.
FUNCTIONS = {
    *("div", "rem", "sqrt", "rsqrt", "cbrt", "exp", "exp2", "log", "expm1", "log1p", "pow"),
    *("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "logistic"),
    *("erf", "erfc", "erf_inv", "lgamma", "digamma", "nextafter"),
}
# Each timed by itself, in its own shape.
WHOLE = {"dot_general", "cholesky", "triangular_solve"}
# Moves and chooses numbers, or works on integers and truth values only.
FREE = {
    *("broadcast_in_dim", "reshape", "squeeze", "transpose", "concatenate", "pad", "iota", "copy"),
    *("slice", "dynamic_slice", "dynamic_update_slice", "gather", "scatter", "rev"),
    *("select_n", "convert_element_type", "bitcast_convert_type", "stop_gradient"),
    *("sort", "top_k", "is_finite", "reduce_and", "reduce_or", "reduce_precision"),
    *("tile", "broadcast", "expand_dims", "split", "unstack", "stack", "optimization_barrier"),
}
# One instruction for each number scattered.
SCATTERS = {"scatter-add", "scatter_add", "scatter-mul", "scatter_mul"}
LEAVES = ARITHMETIC | REDUCTIONS | FUNCTIONS | WHOLE | FREE | SCATTERS


@dataclass(frozen=True)
class Kind:
    """One kind of work: arithmetic or a function in one precision, or an operation in a shape."""

    name: str
    dtype: str
    shapes: tuple[tuple[int, ...], ...] = ()
    parameters: str = ""


@dataclass
class Tally:
    """How often each kind of work was done, and for those with a shape an example of it."""

    amounts: Counter[Kind]
    examples: dict[Kind, JaxprEqn]

    def plus(self, other: "Tally") -> "Tally":
        return Tally(self.amounts + other.amounts, {**self.examples, **other.examples})


class Counting:
    """A function that counts: compiled once for each kind of arguments, like the one it runs.

    Arrays among the arguments are traced; everything else is part of the program.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.tally = Tally(Counter(), {})
        self._programs: dict[Any, Callable[..., tuple[Any, Tally]]] = {}

    def __call__(self, *arguments: Any) -> Any:
        leaves, tree = jax.tree.flatten(arguments)
        fixed = tuple(None if _is_array(leaf) else leaf for leaf in leaves)
        arrays = [leaf for leaf in leaves if _is_array(leaf)]
        key = (tree, fixed, tuple((a.shape, str(a.dtype)) for a in arrays))
        if key not in self._programs:
            self._programs[key] = self._program(tree, fixed, arrays)
        result, tally = self._programs[key](arrays)
        self.tally = self.tally.plus(tally)
        return result

    def _program(self, tree: Any, fixed: tuple[Any, ...], arrays: list[Any]) -> Any:
        def function(arrays: Sequence[Any]) -> Any:
            given = iter(arrays)
            whole = [next(given) if leaf is None else leaf for leaf in fixed]
            return self.function(*jax.tree.unflatten(tree, whole))

        closed, shape = jax.make_jaxpr(function, return_shape=True)(arrays)
        examples = dict(_kinds(closed))
        place = {kind: i for i, kind in enumerate(examples)}
        run = jax.jit(lambda arrays: _run(place, closed, arrays, jnp.zeros(len(place), float)))

        def counted(arrays: Sequence[Any]) -> tuple[Any, Tally]:
            values, amounts = run(arrays)
            found = zip(place, np.asarray(amounts).tolist(), strict=True)
            amount = Counter({kind: number for kind, number in found if number > 0.0})
            result = jax.tree.unflatten(jax.tree.structure(shape), values)
            return result, Tally(amount, {kind: examples[kind] for kind in amount})

        return counted


def _is_array(leaf: Any) -> bool:
    return isinstance(leaf, np.ndarray | np.generic | jax.Array)


def _alive(closed: ClosedJaxpr) -> Jaxpr:
    """A program without what no result needs: it would not be compiled."""
    used = [True] * len(closed.jaxpr.outvars)
    alive: Jaxpr = partial_eval.dce_jaxpr(closed.jaxpr, used, instantiate=True)[0]
    return alive


def _kinds(closed: ClosedJaxpr) -> Iterator[tuple[Kind, JaxprEqn]]:
    """Every kind of work in a program, its loops and branches included."""
    for equation in _alive(closed).eqns:
        inner = list(_inner(equation))
        for each in inner:
            yield from _kinds(each)
        if not inner:
            for kind, _ in _work(equation):
                yield kind, equation


def _inner(equation: JaxprEqn) -> Iterator[ClosedJaxpr]:
    if equation.primitive.name in LEAVES:
        return
    for value in equation.params.values():
        for one in value if isinstance(value, tuple | list) else (value,):
            if isinstance(one, ClosedJaxpr):
                yield one
            elif isinstance(one, Jaxpr):
                yield ClosedJaxpr(one, ())


def _work(equation: JaxprEqn) -> Iterator[tuple[Kind, float]]:
    """The kind of work an operation is, and how much of it; nothing where it moves numbers."""
    name, parameters = equation.primitive.name, equation.params
    floating = [v.aval for v in equation.invars if jnp.issubdtype(v.aval.dtype, jnp.floating)]
    if not floating or name in FREE:
        return
    dtype, result = str(floating[0].dtype), equation.outvars[0].aval
    if name in ARITHMETIC:
        yield Kind("arithmetic", dtype), result.size
    elif name in REDUCTIONS:
        yield Kind("arithmetic", dtype), floating[0].size
    elif name in SCATTERS:
        yield Kind("arithmetic", dtype), floating[-1].size
    elif name == "integer_pow":
        yield Kind("arithmetic", dtype), result.size * _multiplications(parameters["y"])
        if parameters["y"] < 0:
            yield Kind("div", dtype), result.size
    elif name == "div" and isinstance(equation.invars[1], Literal):
        # Compiled to a product with the reciprocal.
        yield Kind("arithmetic", dtype), result.size
    elif name in FUNCTIONS:
        yield Kind(name, dtype), result.size
    elif name == "dot_general":
        batches, shapes = _product(equation)
        yield Kind(name, dtype, shapes), batches
    elif name in WHOLE:
        shapes = tuple(v.aval.shape for v in equation.invars)
        yield Kind(name, dtype, shapes, _said(parameters)), 1.0
    else:
        raise ValueError(f"{name!r} is an operation that {__name__} cannot class; add it to a list")


def _product(equation: JaxprEqn) -> tuple[float, tuple[tuple[int, ...], ...]]:
    """How many products (m, k) (k, n) a contraction is, m <= n, whichever way its arrays lie."""
    (left, _), (left_batch, _) = equation.params["dimension_numbers"]
    a, b = (v.aval.shape for v in equation.invars)
    batches, inner = math.prod(a[i] for i in left_batch), math.prod(a[i] for i in left)
    rows, columns = sorted(math.prod(each) // (batches * inner) for each in (a, b))
    return float(batches), ((rows, inner), (inner, columns))


def _multiplications(power: int) -> int:
    # By repeated squaring.
    digits = bin(abs(power))[2:]
    return len(digits) + digits.count("1") - 2


def _said(parameters: dict[str, Any]) -> str:
    return ", ".join(f"{name}={parameters[name]}" for name in sorted(parameters))


def _run(
    place: dict[Kind, int], closed: ClosedJaxpr, arguments: Iterable[Any], amounts: Any
) -> tuple[list[Any], Any]:
    """A program's results, and the amounts with its own work added."""
    jaxpr = _alive(closed)
    known: dict[Any, Any] = dict(zip(jaxpr.constvars, closed.consts, strict=True))
    known.update(zip(jaxpr.invars, arguments, strict=True))
    straight = np.zeros(amounts.shape)
    for equation in jaxpr.eqns:
        given = [v.val if isinstance(v, Literal) else known[v] for v in equation.invars]
        if equation.primitive.name in _LOOPS:
            results, amounts = _LOOPS[equation.primitive.name](place, equation, given, amounts)
        elif inner := list(_inner(equation)):
            # A call: what JAX keeps apart for naming, or for a derivative of its own.
            results, amounts = _run(place, inner[0], given, amounts)
        else:
            for kind, amount in _work(equation):
                straight[place[kind]] += amount
            results = _bind(equation, given)
        known.update(zip(equation.outvars, results, strict=True))
    ends = [v.val if isinstance(v, Literal) else known[v] for v in jaxpr.outvars]
    return ends, amounts + straight


def _bind(equation: JaxprEqn, given: Sequence[Any]) -> Sequence[Any]:
    parameters = equation.primitive.get_bind_params(equation.params)
    with equation.ctx.manager:
        results = equation.primitive.bind(*given, **parameters)
    return results if equation.primitive.multiple_results else [results]


def _scan(
    place: dict[Kind, int], equation: JaxprEqn, given: Sequence[Any], amounts: Any
) -> tuple[list[Any], Any]:
    p = equation.params
    constants, carried = p["num_consts"], p["num_carry"]
    fixed = given[:constants]

    def body(carry: tuple[Any, Any], slices: Any) -> tuple[tuple[Any, Any], Any]:
        state, amounts = carry
        ends, amounts = _run(place, p["jaxpr"], [*fixed, *state, *slices], amounts)
        return (ends[:carried], amounts), ends[carried:]

    begin = (list(given[constants : constants + carried]), amounts)
    slices = list(given[constants + carried :])
    (state, amounts), stacked = lax.scan(
        body, begin, slices, length=p["length"], reverse=p["reverse"]
    )
    return [*state, *stacked], amounts


def _while(
    place: dict[Kind, int], equation: JaxprEqn, given: Sequence[Any], amounts: Any
) -> tuple[list[Any], Any]:
    p = equation.params
    of_test, of_body = p["cond_nconsts"], p["body_nconsts"]
    for_test, for_body = given[:of_test], given[of_test : of_test + of_body]

    def test(carry: tuple[Any, Any]) -> Any:
        return _run(place, p["cond_jaxpr"], [*for_test, *carry[0]], carry[1])[0][0]

    def body(carry: tuple[Any, Any]) -> tuple[Any, Any]:
        state, amounts = carry
        return _run(place, p["body_jaxpr"], [*for_body, *state], amounts)

    return lax.while_loop(test, body, (list(given[of_test + of_body :]), amounts))


def _cond(
    place: dict[Kind, int], equation: JaxprEqn, given: Sequence[Any], amounts: Any
) -> tuple[list[Any], Any]:
    def branch(closed: ClosedJaxpr) -> Callable[..., Any]:
        return lambda state, amounts: _run(place, closed, state, amounts)

    branches = [branch(closed) for closed in equation.params["branches"]]
    return lax.switch(given[0], branches, list(given[1:]), amounts)


_LOOPS = {"scan": _scan, "while": _while, "cond": _cond}
