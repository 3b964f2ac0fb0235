"""From the start of a process to its first suggestion, without and with compiled programs."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from benchmarks.speed.machine import median
from benchmarks.speed.steady import Case

SCRIPT = Path(__file__).with_name("first.py")


def measure(measured: int, repeats: int) -> dict[str, Any]:
    """Seconds by the clock; each repeat begins with an empty cache, then uses what is in it."""
    test_problem = Case().problem
    space = test_problem.problem.space
    points = space.sample(np.random.default_rng(1).random((measured, space.size)))
    results = [
        {"inputs": inputs, "values": test_problem.evaluate(inputs)}
        for inputs in map(space.decode, points)
    ]
    given = json.dumps(results)
    # Once before, so that what the operating system reads from disk is in memory.
    with TemporaryDirectory() as cache:
        _seconds(given, cache)
    cold, warm = [], []
    for _ in range(repeats):
        with TemporaryDirectory() as cache:
            cold.append(_seconds(given, cache))
            warm.append(_seconds(given, cache))
    return {
        "measured": measured,
        "repeats": repeats,
        "cold": median(cold),
        "warm": median(warm),
        "all": {"cold": cold, "warm": warm},
    }


def _seconds(given: str, cache: str) -> float:
    start = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, str(SCRIPT)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TRADESPACE_CACHE": cache},
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(given)
        process.stdin.close()
        said = process.stdout.readline()
        seconds = time.perf_counter() - start
    if process.returncode or not said:
        raise RuntimeError(f"{SCRIPT.name} ended with status {process.returncode}")
    return seconds
