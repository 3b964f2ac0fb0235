"""The counter of floating-point work, on programs whose work is known."""

from collections import Counter

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from benchmarks.speed.rates import seconds
from benchmarks.speed.work import Counting, Kind, Tally
from jax import lax

from tradespace.conditioning.normal import below
from tradespace.gp.slice import Draws, slice_sample


def counted(function, *arguments):
    counting = Counting(function)
    with jax.enable_x64(True):
        result = counting(*arguments)
        expected = jax.jit(function)(*arguments)
    jax.tree.map(np.testing.assert_array_equal, result, expected)
    return counting.tally


def amounts(tally: Tally) -> dict[str, float]:
    total: Counter[str] = Counter()
    for kind, amount in tally.amounts.items():
        total[kind.name] += amount
    return dict(total)


def test_elements_reductions_and_powers():
    x = np.linspace(0.1, 0.9, 10)
    tally = counted(lambda x: (jnp.exp(x) + x).sum() + x[0] ** 4, x)
    # Ten sums, a reduction of ten, two squarings and the last sum.
    assert amounts(tally) == {"exp": 10, "arithmetic": 10 + 10 + 2 + 1}
    assert Kind("exp", "float64") in tally.amounts


def test_precisions_are_kept_apart():
    tally = counted(lambda x: jnp.cos(x.astype(jnp.float32)).sum() + jnp.cos(x).sum(), np.ones(3))
    assert tally.amounts[Kind("cos", "float32")] == tally.amounts[Kind("cos", "float64")] == 3


def test_whole_operations_have_shapes_and_moving_is_free():
    a = np.eye(4) + 0.1

    def function(a):
        factor = lax.linalg.cholesky(a, symmetrize_input=False)
        return factor.T @ jnp.concatenate([a, a], 1)

    tally = counted(function, a)
    shapes = {kind.name: kind.shapes for kind in tally.amounts}
    assert shapes == {"cholesky": ((4, 4),), "dot_general": ((4, 4), (4, 8))}
    assert set(tally.amounts.values()) == {1}


def test_products_are_the_same_whichever_way_the_arrays_lie():
    function = lambda a, b: (jnp.einsum("bij,kbi->bjk", a, b), a[0].T @ b[:, 0].T)  # noqa: E731
    tally = counted(function, np.ones((3, 4, 5)), np.ones((6, 3, 4)))
    assert tally.amounts == {Kind("dot_general", "float64", ((5, 4), (4, 6))): 3 + 1}


@pytest.mark.parametrize("rounds", [0, 1, 7])
def test_loops_count_the_rounds_they_really_do(rounds):
    def function(rounds, x):
        return lax.fori_loop(0, rounds, lambda _, y: jnp.sin(y) + lax.map(jnp.cos, y), x)

    tally = amounts(counted(function, np.asarray(rounds), np.ones(3)))
    assert tally.get("sin", 0) == tally.get("cos", 0) == 3 * rounds


def test_one_program_counts_anew_each_time():
    counting = Counting(lambda n, x: lax.fori_loop(0, n, lambda _, y: jnp.sin(y), x))
    for rounds in (2, 5):
        counting(np.asarray(rounds), np.ones(3, np.float32))
    assert amounts(counting.tally) == {"sin": 3 * 7}
    assert len(counting._programs) == 1


def test_only_the_branch_that_is_taken_counts():
    def function(which, x):
        return lax.cond(which, jnp.exp, lambda x: jnp.log(x), x)

    assert amounts(counted(function, np.asarray(True), np.ones(2))) == {"exp": 2}
    assert amounts(counted(function, np.asarray(False), np.ones(2))) == {"log": 2}


def test_what_no_result_needs_does_not_count():
    def function(x):
        _, pull = jax.vjp(lambda x: jnp.sin(x) * 2.0, x)
        return pull(jnp.ones_like(x))[0]

    assert "sin" not in amounts(counted(function, np.ones(5)))


def test_functions_with_derivatives_of_their_own_count():
    function = lambda x: below(x)[0].sum()  # noqa: E731
    points = np.linspace(-3.0, 3.0, 11)
    value = amounts(counted(function, points))
    gradient = amounts(counted(jax.grad(function), points))
    assert value["exp"] == value["log"] == 11
    assert gradient["exp"] == 11


def test_density_evaluations_of_a_slice_sampler():
    seen = []

    def density(state):
        jax.debug.callback(lambda: seen.append(0))
        return -jnp.cosh(state).sum(), state[0]

    def function(draws, start, directions):
        return slice_sample(draws, density, start, directions, 6)

    rng = np.random.default_rng(3)
    draws = Draws(rng.random(6), rng.random(6), rng.random((6, 24)))
    counting = Counting(function)
    with jax.enable_x64(True):
        counting(draws, np.ones(2), 5.0 * rng.standard_normal((6, 2)))
    jax.effects_barrier()
    assert amounts(counting.tally)["cosh"] == 2 * len(seen) > 2 * 8


def test_an_operation_that_is_not_classed_is_refused():
    with pytest.raises(ValueError, match="igamma"):
        Counting(lambda x: lax.igamma(x, x))(np.ones(3))


def test_every_kind_of_work_can_be_timed():
    def function(a, x):
        factor = lax.linalg.cholesky(a)
        solved = lax.linalg.triangular_solve(factor, a, left_side=True, lower=True)
        return jnp.exp(x / (1.0 + x)).sum() + jnp.sqrt(solved @ a).sum()

    tally = counted(function, np.eye(3), np.ones(2))
    names = {kind.name for kind in tally.amounts}
    assert names == {
        *("cholesky", "triangular_solve", "dot_general", "exp", "div", "sqrt", "arithmetic")
    }
    with jax.enable_x64(True):
        for kind, example in tally.examples.items():
            assert 0.0 < seconds(kind, example) < 1.0
