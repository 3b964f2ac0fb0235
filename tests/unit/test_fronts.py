"""The search for a feasible front, on problems whose fronts are known in closed form."""

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tradespace import pareto
from tradespace.fronts import (
    DESCENTS,
    POPULATION,
    Searched,
    _best_of_parts,
    draw_variation,
    feasible_front,
    search,
)
from tradespace.gp.kernel import layout
from tradespace.sobol import sobol
from tradespace.space import Categorical, Integer, Real, Space

INPUTS, SEARCHES, BATCHES, GENERATIONS = 4, 2, 8, 40
REAL = Space({f"x{i}": Real(0, 1) for i in range(INPUTS)})
MIXED = Space({"x": Real(0, 1), "n": Integer(1, 7), "kind": Categorical(["a", "b"])})
# The objectives are squared distances to these two points.
ENDS = np.array([[0.2, 0.3, 0.5, 0.9], [0.8, 0.6, 0.4, 0.1]])
REFERENCE = np.array([1.5, 1.5])
Values = Callable[[jax.Array], jax.Array]


def front_of(
    points: np.ndarray, values: np.ndarray, objectives: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points and objectives of the feasible front, and what was relaxed."""
    found = feasible_front(points, values, objectives)
    return found.points, found.values[:, :objectives], found.relaxed


def distances(x: jax.Array) -> jax.Array:
    ends = jnp.array(ENDS, x.dtype)[:, : x.shape[-1]]
    return ((x[None] - ends) ** 2).sum(-1)


def bounded(x: jax.Array) -> jax.Array:
    """Feasible where the first input is at least 0.45: cuts off the middle of the front."""
    return jnp.concatenate([distances(x), x[None, 0] - 0.45])


def narrow(x: jax.Array) -> jax.Array:
    """Feasible in a ball of radius 0.05, which holds 3e-5 of the cube."""
    return jnp.concatenate([distances(x), 0.0025 - ((x - 0.55) ** 2).sum(-1, keepdims=True)])


PIT = np.array([0.9, 0.1, 0.9, 0.2])


def pitted(x: jax.Array) -> jax.Array:
    """A pit far from the rest of the front, which takes up a hundredth of the cube, is its end."""
    away = ((x - jnp.array(PIT, x.dtype)) ** 2).sum()
    return distances(x) - jnp.array([0.0, 1.5]) * jnp.exp(-away / (2 * 0.15**2))


def hopeless(x: jax.Array) -> jax.Array:
    """Two constraints that hold nowhere, nearest to holding at the first input's end."""
    return jnp.concatenate([distances(x), x[None, 0] - 1.5, -0.25 - 0.0 * x[None, 0]])


def searched(
    values: Values, space: Space = REAL, rounds: int = BATCHES + GENERATIONS, seed: int = 0
) -> Searched:
    rng = np.random.default_rng(seed)
    start = sobol(rng, space, BATCHES * POPULATION).astype(np.float32)
    variation = draw_variation(rng, GENERATIONS, SEARCHES, space.width, 2)

    def evaluate(points: jax.Array) -> tuple[jax.Array, jax.Array]:
        everywhere = jax.vmap(jax.vmap(lambda x: (values(x), jax.jacrev(values)(x))))
        return everywhere(points)

    run = jax.jit(partial(search, layout(space), 2, evaluate))
    found = run(variation, np.broadcast_to(start, (SEARCHES, *start.shape)), np.asarray(rounds))
    return Searched(*(np.array(x) for x in found))


def ratio(values: Values, space: Space, exact: np.ndarray, seed: int = 0) -> float:
    """The smallest hypervolume of a search's fronts, as a share of the exact front's."""
    found = searched(values, space, seed=seed)
    volumes = [
        pareto.hypervolume(front_of(points, seen, 2)[1], REFERENCE)
        for points, seen in zip(*found, strict=True)
    ]
    best = pareto.hypervolume(exact, REFERENCE)
    # Nothing feasible lies beyond the exact front; single precision may round it there.
    assert max(volumes) < best * (1.0 + 1e-5)
    return min(volumes) / best


def exact_front(first: float) -> np.ndarray:
    """Of the problem in which the first input is at least so much: each weighted sum's minimum."""
    t = np.linspace(0.0, 1.0, 20_001)[:, None]
    x = (1 - t) * ENDS[0] + t * ENDS[1]
    x[:, 0] = np.maximum(x[:, 0], first)
    return ((x[:, None] - ENDS) ** 2).sum(-1)


@pytest.mark.parametrize("seed", [0, 1])
def test_without_constraints_the_front_is_found(seed: int) -> None:
    # Of a finite sample of the front, n points miss about 1/n: 64 and more are carried on.
    assert ratio(lambda x: distances(x), REAL, exact_front(0.0), seed) > 0.99


@pytest.mark.parametrize("seed", [0, 1])
def test_a_front_along_a_constraint_is_found(seed: int) -> None:
    assert ratio(bounded, REAL, exact_front(0.45), seed) > 0.985


def test_the_search_is_better_than_as_many_random_points() -> None:
    found = searched(bounded)
    rng = np.random.default_rng(5)
    for points, seen in zip(*found, strict=True):
        random = rng.random(points.shape).astype(np.float32)
        values = np.array(jax.vmap(bounded)(jnp.array(random)))
        fronts = [front_of(*pair, 2)[1] for pair in ((points, seen), (random, values))]
        missing = [
            pareto.hypervolume(exact_front(0.45), REFERENCE) - pareto.hypervolume(f, REFERENCE)
            for f in fronts
        ]
        assert missing[0] < 0.2 * missing[1]


def test_a_region_that_no_start_lies_in_is_found() -> None:
    found = searched(narrow)
    start = found.values[:, : BATCHES * POPULATION, 2]
    assert (start < 0.0).all()
    for points, seen in zip(*found, strict=True):
        inputs, _, relaxed = front_of(points, seen, 2)
        assert relaxed.tolist() == [0.0]
        assert len(inputs) >= 5


@pytest.mark.parametrize("seed", range(4))
def test_an_end_of_the_front_in_a_pit_far_away_is_found(seed: int) -> None:
    bottom = float(pitted(jnp.array(PIT))[1])
    found = searched(pitted, seed=seed)
    for points, seen in zip(*found, strict=True):
        assert front_of(points, seen, 2)[1][:, 1].min() < bottom + 0.01


def test_the_first_descents_go_down_each_for_itself() -> None:
    found = searched(bounded)
    for points, seen in zip(*found, strict=True):
        start = feasible_only(seen[:POPULATION])
        first = BATCHES * POPULATION
        ways = [
            slice(first + i * POPULATION, first + (i + 1) * POPULATION) for i in range(DESCENTS)
        ]
        passed = np.array([feasible_only(seen[way]) for way in ways])
        lower = (passed < start).any(axis=2).any(axis=0)
        # From nowhere feasible to somewhere feasible is down too. A few began at the bottom.
        assert lower.mean() > 0.9
        # They do not run to one place: their ends are as far apart as the front is long.
        assert np.ptp(points[ways[-1]], axis=0).max() > 0.4


def feasible_only(values: np.ndarray) -> np.ndarray:
    """Objective values (n, K), where infeasible as bad as can be."""
    return np.where(values[:, 2:] >= 0.0, values[:, :2], np.inf)


def test_where_nothing_is_feasible_the_work_is_the_same_and_the_least_is_relaxed() -> None:
    found, usual = searched(hopeless), searched(bounded)
    assert found.points.shape == usual.points.shape
    assert found.points.shape[1] == (BATCHES + GENERATIONS) * POPULATION
    for points, seen in zip(*found, strict=True):
        inputs, front, relaxed = front_of(points, seen, 2)
        assert len(inputs) == len(front) >= 1
        # The search has gone to the end at which the first is violated by 1/2 only.
        np.testing.assert_allclose(relaxed, [0.5, 0.25], atol=1e-3)
        np.testing.assert_allclose(inputs[:, 0], 1.0, atol=1e-3)


@pytest.mark.parametrize("rounds", [0, 1, BATCHES, BATCHES + 3])
def test_as_many_points_are_seen_as_rounds_allow(rounds: int) -> None:
    found = searched(bounded, rounds=rounds)
    reached = np.arange(found.points.shape[1]) < rounds * POPULATION
    assert (found.values[:, reached] < 10.0).all()
    assert (found.values[:, ~reached, :2] > 1e8).all()
    assert (found.values[:, ~reached, 2] < -1e8).all()


def test_the_values_seen_are_those_of_the_points() -> None:
    found = searched(bounded)
    again = jax.vmap(jax.vmap(bounded))(jnp.array(found.points))
    np.testing.assert_allclose(found.values, again, atol=1e-5)
    assert (found.points >= 0.0).all()
    assert (found.points <= 1.0).all()


def test_searches_differ_only_by_what_is_random_in_them() -> None:
    first, again, other = searched(bounded), searched(bounded), searched(bounded, seed=1)
    np.testing.assert_array_equal(first.points, again.points)
    assert (first.points != other.points).any()
    assert (first.points[0] != first.points[1]).any()


def test_discrete_inputs_are_legal_and_their_front_complete() -> None:
    def values(x: jax.Array) -> jax.Array:
        # f2 falls with n and kind a, f1 rises: every n is on the front, with one kind each.
        real, n, a = x[0], x[1], x[2]
        return jnp.stack([n + 0.3 * a + real**2, 1.0 - n - 0.1 * a + real**2])

    found = searched(values, MIXED)
    np.testing.assert_allclose(found.points, MIXED.snap(found.points), atol=1e-6)
    listed = Space({name: kind for name, kind in MIXED.inputs.items() if name != "x"}).enumerate()
    exact = np.array([values(jnp.array([0.0, *row])) for row in listed])
    exact = exact[pareto.non_dominated(exact)]
    for points, seen in zip(*found, strict=True):
        _, front, _ = front_of(points, seen, 2)
        volume = pareto.hypervolume(front, REFERENCE)
        assert volume > 0.995 * pareto.hypervolume(exact, REFERENCE)


def test_the_front_is_that_of_brute_force() -> None:
    rng = np.random.default_rng(3)
    points, values = rng.random((60, 2)), rng.normal(size=(60, 4))
    inputs, front, relaxed = front_of(points, values, 2)
    feasible = (values[:, 2:] >= 0.0).all(1)
    assert relaxed.tolist() == [0.0, 0.0]
    kept = [
        i
        for i in np.flatnonzero(feasible)
        if not any(pareto.dominates(values[j, :2], values[i, :2]) for j in np.flatnonzero(feasible))
    ]
    assert sorted(inputs.tolist()) == sorted(points[kept].tolist())
    assert sorted(front.tolist()) == sorted(values[kept, :2].tolist())


def test_relaxing_lets_in_whatever_violates_no_more() -> None:
    # The second violates least in all; the third does not exceed it anywhere, the first does.
    values = np.array([[0.0, -3.0, 0.5], [1.0, -1.0, -0.5], [0.5, -1.0, -0.5]])
    inputs, front, relaxed = front_of(np.arange(3.0)[:, None], values, 1)
    assert relaxed.tolist() == [1.0, 0.5]
    assert (inputs.tolist(), front.tolist()) == ([[2.0]], [[0.5]])


def test_without_constraints_everything_is_feasible() -> None:
    values = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]])
    _, front, relaxed = front_of(np.zeros((3, 1)), values, 2)
    assert relaxed.shape == (0,)
    assert front.tolist() == values[:2].tolist()


def test_the_first_population_is_the_best_of_each_part_of_the_start() -> None:
    rng = np.random.default_rng(3)
    parts, width = 3, 2
    start = rng.random((1, parts * POPULATION, width))
    values = rng.standard_normal((1, parts * POPULATION, 3))
    weights = rng.random((1, POPULATION, 2))
    # No point of the last part is feasible.
    values[:, POPULATION - 1 :: POPULATION, 2] = [-3.0, -1.0, -2.0]
    points, found = _best_of_parts(2, *map(jnp.asarray, (start, values, weights)))
    scaled = (values[0, :, :2] - values[0, :, :2].mean(0)) / values[0, :, :2].std(0)
    for p in range(POPULATION):
        mine = range(p, parts * POPULATION, POPULATION)
        feasible = [i for i in mine if values[0, i, 2] >= 0.0]
        best = min(feasible, key=lambda i: weights[0, p] @ scaled[i]) if feasible else None
        nearest = max(mine, key=lambda i: values[0, i, 2])
        expected = nearest if best is None else best
        np.testing.assert_allclose(points[0, p], start[0, expected], rtol=1e-6)
        np.testing.assert_allclose(found[0, p], values[0, expected], rtol=1e-6)
    assert found[0, -1, 2] == -1.0


@pytest.mark.parametrize("objectives", [1, 3])
def test_weights_are_shares_even_where_zeros_were_drawn(objectives: int) -> None:
    class WithZeros(np.random.Generator):
        def standard_exponential(self, *arguments: Any, **named: Any) -> np.ndarray:
            drawn = np.asarray(super().standard_exponential(*arguments, **named))
            drawn[0] = 0.0
            return drawn

    variation = draw_variation(WithZeros(np.random.PCG64(0)), 3, 2, INPUTS, objectives)
    assert not variation.weights[0].any()
    np.testing.assert_allclose(variation.weights[1:].sum(-1), 1.0, rtol=1e-5)
