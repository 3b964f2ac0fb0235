"""What surrounds the compiled programs: configuration, padding, threads."""

import os
import threading
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest

from tradespace.programs import cache_folder, compiling, in_shares, padded_rows, surroundings


def settings() -> dict[str, object]:
    return dict(jax.config.values)


def test_inside_precision_is_double_and_outside_it_is_as_before() -> None:
    before = settings()
    with surroundings():
        assert jnp.zeros(1).dtype == "float64"
    assert settings() == before
    assert jnp.zeros(1).dtype == "float32"


def test_an_error_inside_leaves_nothing_behind() -> None:
    before = settings()
    with pytest.raises(ZeroDivisionError), surroundings():
        _ = 1 / 0
    assert settings() == before
    assert jnp.zeros(1).dtype == "float32"


def test_surroundings_may_be_nested() -> None:
    before = settings()
    with surroundings():
        with surroundings():
            pass
        assert jnp.zeros(1).dtype == "float64"
        assert jax.config.values["jax_compilation_cache_dir"] == cache_folder()
    assert settings() == before


def test_a_users_double_precision_stays() -> None:
    with jax.enable_x64(True):
        with surroundings():
            pass
        assert jnp.zeros(1).dtype == "float64"


def test_a_users_cache_is_used_and_kept(tmp_path: Path) -> None:
    before = jax.config.values["jax_compilation_cache_dir"]
    jax.config.update("jax_compilation_cache_dir", str(tmp_path))
    try:
        with surroundings():
            assert jax.config.values["jax_compilation_cache_dir"] == str(tmp_path)
        assert jax.config.values["jax_compilation_cache_dir"] == str(tmp_path)
    finally:
        jax.config.update("jax_compilation_cache_dir", before)


def test_where_compiled_programs_are_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("TRADESPACE_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == str(tmp_path / "tradespace")
    monkeypatch.setenv("TRADESPACE_CACHE", str(tmp_path / "here"))
    assert cache_folder() == str(tmp_path / "here")
    monkeypatch.setenv("TRADESPACE_CACHE", "off")
    assert cache_folder() is None


def test_two_threads_at_once_leave_the_configuration_as_it_was() -> None:
    before, inside = settings(), threading.Barrier(2, timeout=30)
    dtypes = []

    def enter() -> None:
        inside.wait()
        with surroundings():
            dtypes.append(str(jnp.zeros(1).dtype))

    threads = [threading.Thread(target=enter) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert dtypes == ["float64"] * 2
    assert settings() == before


def test_padding_holds_every_row_and_wastes_little() -> None:
    for count in [*range(1, 500), 1003, 1005, 4004, 4005, 5000, 12_345]:
        rows = padded_rows(count)
        assert rows >= count
        if count > 24:
            # Twice as many at most, and less than that when there are many.
            assert rows <= 2.2 * count
        if count > 1000:
            assert rows <= 1.5 * count + 4


def test_growing_to_two_hundred_rows_takes_few_sizes() -> None:
    # Each program is compiled once for each size; there are two, and eight compilations allowed.
    assert len({padded_rows(count) for count in range(1, 201)}) <= 4


def test_sizes_are_no_powers_of_two() -> None:
    for rows in {padded_rows(count) for count in range(1, 5000)}:
        assert rows & (rows - 1) != 0


def test_padding_grows_with_the_rows() -> None:
    sizes = [padded_rows(count) for count in range(1, 9000, 7)]
    assert sizes == sorted(sizes)


@pytest.mark.parametrize("shares", [1, 2, 5])
def test_shares_come_back_in_their_order(shares: int) -> None:
    for _ in range(2):  # the first time a program is new, the second time it is known
        assert in_shares(("order", shares), lambda share: share**2, shares) == [
            share**2 for share in range(shares)
        ]


def test_a_new_programs_first_share_is_done_before_the_others_start() -> None:
    finished: list[int] = []

    def work(share: int) -> int:
        assert share == 0 or 0 in finished
        finished.append(share)
        return share

    in_shares("first alone", work, 4)
    assert sorted(finished) == [0, 1, 2, 3]


def test_shares_compute_in_double_precision() -> None:
    with surroundings():
        found = in_shares("precision", lambda share: str(jnp.zeros(1).dtype), 3)
    assert found == ["float64"] * 3


def test_what_goes_wrong_in_a_share_is_told() -> None:
    def work(share: int) -> float:
        return 1 / (share - 2)

    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            in_shares("wrong", work, 3)


@pytest.mark.skipif(len(os.sched_getaffinity(0)) == 1, reason="with one core nothing is ahead")
def test_compiling_ahead_calls_once_meanwhile() -> None:
    calls: list[str] = []
    for _ in range(2):
        with surroundings(), compiling("ahead", lambda: calls.append(str(jnp.zeros(1).dtype))):
            pass
    assert calls == ["float64"]
