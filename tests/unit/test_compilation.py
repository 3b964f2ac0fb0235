"""Where compiled programs run: configuration, threads, the cache, memory."""

import os
import sys
import threading
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest

from tradespace.compilation import cache_folder, compiling, cores, in_shares, surroundings


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


def test_the_users_own_programs_are_not_kept_with_ours(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TRADESPACE_CACHE", str(tmp_path))
    name = "jax_persistent_cache_min_compile_time_secs"
    before = jax.config.values[name]
    jax.config.update(name, 0.0)
    try:
        with surroundings():
            jax.jit(lambda x: 3.0 * x + 1.0)(jnp.arange(3.0)).block_until_ready()
        ours = sorted(tmp_path.iterdir())
        jax.jit(lambda x: 5.0 * x - 2.0)(jnp.arange(7.0)).block_until_ready()
    finally:
        jax.config.update(name, before)
    assert ours
    assert sorted(tmp_path.iterdir()) == ours


def test_cores_are_counted_where_there_is_no_affinity(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert cores() == (os.cpu_count() or 1)


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


@pytest.mark.skipif(cores() == 1, reason="with one core nothing is ahead")
def test_compiling_ahead_calls_once_meanwhile() -> None:
    calls: list[str] = []
    for _ in range(2):
        with surroundings(), compiling("ahead", lambda: calls.append(str(jnp.zeros(1).dtype))):
            pass
    assert calls == ["float64"]


@pytest.mark.skipif(sys.platform != "linux", reason="memory is given back on Linux only")
def test_memory_freed_while_compiling_goes_back_to_the_system() -> None:
    kept: list[bytearray] = []

    def leave_holes(_: int) -> None:
        # Pieces from the heap, of which the last keeps its end where it is.
        pieces = [bytearray(1000) for _ in range(200_000)]
        kept.append(pieces[-1])

    before = resident()
    leave_holes(0)
    held = resident() - before
    assert held > 1e8, "nothing was left to give back"
    in_shares("leaves holes", leave_holes, 1)
    assert resident() - before < 0.5 * held


def resident() -> float:
    """Bytes of memory this process holds."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
