"""What the figures were measured on, and how a measurement keeps to some of its cores."""

import os
import platform
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


def most_memory() -> float:
    """The most memory this process has held so far, in megabytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return float(line.split()[1]) * 1024.0 / 1e6
    raise RuntimeError("this system does not say how much memory a process has held")


def median(seconds: list[float]) -> float:
    return float(np.median(seconds))
