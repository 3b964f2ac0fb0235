"""Where compiled programs run: threads, double precision, the cache on disk, memory given back."""

import ctypes
import os
import sys
import threading
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TypeVar

import jax
from jax.experimental.compilation_cache.compilation_cache import reset_cache
from threadpoolctl import ThreadpoolController

T = TypeVar("T")
_entering = threading.RLock()
_compiled: set[Hashable] = set()


def in_shares(program: Hashable, work: Callable[[int], T], shares: int) -> list[T]:
    """`work` of 0, 1, .. in as many threads as there are cores to run them.

    The first work that needs a program goes alone, so that it is compiled once.
    """
    first = []
    if program not in _compiled:
        first = [work(0)]
        _compiled.add(program)
        _give_back_memory()
    rest = range(len(first), shares)
    if len(rest) < 2 or cores() == 1:
        return first + [work(share) for share in rest]
    with ThreadPoolExecutor(len(rest)) as pool:
        return first + list(pool.map(_with_doubles(work), rest))


@contextmanager
def compiling(program: Hashable, call: Callable[[], object]) -> Iterator[None]:
    """Meanwhile another thread compiles a program, by a call of it that has nothing to do."""
    if program in _compiled or cores() == 1:
        yield
        return
    with ThreadPoolExecutor(1) as pool:
        ahead = pool.submit(_with_doubles(lambda _: call()), 0)
        yield
        ahead.result()
    _compiled.add(program)
    _give_back_memory()


def _with_doubles(work: Callable[[int], T]) -> Callable[[int], T]:
    # JAX's precision belongs to a thread.
    def in_this_thread(share: int) -> T:
        with jax.enable_x64(True):
            return work(share)

    return in_this_thread


@contextmanager
def surroundings() -> Iterator[None]:
    """Double precision, one BLAS thread and the compilation cache, for as long as the block runs.

    Whatever the user has configured of JAX is as it was afterwards.
    """
    with _entering, _blas().limit(limits=1, user_api="blas"), jax.enable_x64(True):
        before: str | None = jax.config.values["jax_compilation_cache_dir"]
        where = before or cache_folder()
        jax.config.update("jax_compilation_cache_dir", where)
        try:
            yield
        finally:
            jax.config.update("jax_compilation_cache_dir", before)
            if where != before:
                # JAX keeps the folder it has opened: the user's own programs would go there.
                reset_cache()


def cores() -> int:
    """Cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def cache_folder() -> str | None:
    """Where compiled programs are kept between processes; TRADESPACE_CACHE names it or is 'off'."""
    named = os.environ.get("TRADESPACE_CACHE")
    if named == "off":
        return None
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return named or str(Path(home) / "tradespace")


@cache
def _blas() -> ThreadpoolController:
    # Loaded first so that the controller finds the library JAX takes LAPACK from.
    import scipy.linalg  # noqa: F401

    return ThreadpoolController()


def _give_back_memory() -> None:
    """What the compiler has freed goes back to the system: glibc would keep most of it.

    Hundreds of megabytes a compilation, which add up as a study grows.
    """
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
