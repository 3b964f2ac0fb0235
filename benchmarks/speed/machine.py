"""What the figures were measured on, and how a measurement keeps to some of its cores."""

import os
import platform
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

PACKAGES = ("jax", "jaxlib", "numpy", "scipy", "moocore")


def describe() -> dict[str, Any]:
    """Cores, processor, Python and packages."""
    return {
        "cores": len(os.sched_getaffinity(0)),
        "cpu": cpu_name(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{package: version(package) for package in PACKAGES},
    }


def cpu_name(information: Path = Path("/proc/cpuinfo")) -> str:
    """The processor's name, with its family and model where the name leaves them open."""
    found: dict[str, str] = {}
    for line in information.read_text().splitlines():
        name, _, value = line.partition(":")
        found.setdefault(name.strip(), value.strip())
    name = found.get("model name", platform.processor() or "unknown")
    if "cpu family" in found:
        name += f" (family {found['cpu family']}, model {found.get('model', '?')})"
    return name


def apart(cores: int | None, work: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """What work returns in a process of its own, on so many of the cores (None: on all)."""
    allowed = sorted(os.sched_getaffinity(0))
    chosen = set(allowed[:cores])
    with ProcessPoolExecutor(1, get_context("spawn"), os.sched_setaffinity, (0, chosen)) as pool:
        return pool.submit(work, *arguments, **named).result()


class Others:
    """How many cores other work kept busy while a block ran, what it started itself left out."""

    def __enter__(self) -> "Others":
        self._before = time.monotonic(), _busy(), _own()
        return self

    def __exit__(self, *_: object) -> None:
        now = time.monotonic(), _busy(), _own()
        passed, busy, own = (b - a for a, b in zip(self._before, now, strict=True))
        self.cores = max(busy - own, 0.0) / passed


def _busy(statistics: Path = Path("/proc/stat")) -> float:
    """Seconds all cores have worked, or were kept from it by other guests of the same machine."""
    user, nice, system, _, _, *more = map(int, statistics.read_text().split()[1:9])
    return (user + nice + system + sum(more)) / os.sysconf("SC_CLK_TCK")


def _own() -> float:
    """Seconds this process has worked, with those it started that have ended."""
    return sum(os.times()[:4])


def most_memory() -> float:
    """The most memory this process has held so far, in megabytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return float(line.split()[1]) * 1024.0 / 1e6
    raise RuntimeError("this system does not say how much memory a process has held")


def median(seconds: list[float]) -> float:
    return float(np.median(seconds))
