"""The work of a whole iteration, counted with a small method."""

import pytest
from benchmarks.speed import floor
from benchmarks.speed.steady import Case, iterations

from tradespace import decision, model, programs
from tradespace.acquisition import MesmocPlus
from tradespace.gp.chain import TRIES, UPDATES

SAMPLES, MEASURED = 2, 6


@pytest.fixture(scope="module")
def case() -> Case:
    return Case(method=MesmocPlus(samples=SAMPLES, candidates=50))


@pytest.mark.slow
def test_work_is_counted_on_rows_without_padding_and_the_programs_are_put_back(case):
    before = programs.ROWS, model.explore, decision.decide
    tally = floor.count(case, MEASURED)
    assert (programs.ROWS, model.explore, decision.decide) == before
    factors = {k.shapes: n for k, n in tally.amounts.items() if k.name == "cholesky"}
    assert set(factors) == {((MEASURED, MEASURED),)}
    # One density at least for each update, at both ends of a chain, and one factor to condition
    # on; a recommendation finds the chains' states and does the rest again.
    chains = SAMPLES * 4
    (number,) = factors.values()
    fewest = (UPDATES + 2 + 1) + (2 + 1)
    assert chains * fewest <= number <= chains * (fewest + UPDATES * (TRIES - 1))
    names = {kind.name for kind in tally.amounts}
    assert {"exp", "arithmetic", "dot_general", "triangular_solve"} <= names


@pytest.mark.slow
def test_iterations_are_of_different_data_and_nothing_is_compiled_in_them(case):
    # `iterate` refuses an iteration during which anything was compiled.
    seconds = list(iterations(case, MEASURED, 2))
    assert len(seconds) == 2
    assert all(each.ask > 0.0 and each.recommend > 0.0 for each in seconds)
    first, second = (case.study(MEASURED, seed).data.points[0] for seed in (1, 2))
    assert first.shape == second.shape == (MEASURED, 4)
    assert not (first == second).any()
