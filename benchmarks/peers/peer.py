"""A client for the optimisers we compare with, each of which runs in an environment of its own."""

import argparse
import json
import os
import select
import shutil
import subprocess
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

VARIABLE = "TRADESPACE_PEER_PYTHON"
BOTORCH = Path(__file__).with_name("botorch_nehvi.py")
HOW = "see benchmarks/peers/README.md for how to make its environment"


class PeerError(RuntimeError):
    """The peer is missing, refused a request, or died."""


@dataclass(frozen=True)
class Answer:
    """A peer's suggestion and recommendation in the unit cube, and the seconds each part took."""

    point: np.ndarray  # (d,)
    seconds_fit: float
    seconds_acquisition: float
    seconds_total: float  # fit and acquisition, without the recommendation
    seconds_recommend: float
    recommended: np.ndarray  # (n, d), empty unless asked for
    level: float  # the probability of feasibility the recommendation was held to


def add_argument(parser: argparse.ArgumentParser) -> None:
    """Give a benchmark the option that says where the peer's Python is."""
    parser.add_argument(
        "--peer-python", metavar="PATH", help=f"the peer environment's Python (or set {VARIABLE})"
    )


def find_python(given: str | None = None) -> str:
    """The peer environment's Python: the one given, else the one the environment names."""
    path = given or os.environ.get(VARIABLE)
    if not path:
        raise PeerError(f"no Python for the peer: give --peer-python or set {VARIABLE}; {HOW}")
    if shutil.which(path) is None:
        raise PeerError(f"the peer's Python {path!r} is not an executable file; {HOW}")
    return path


class Peer:
    """A peer's process, warmed up when it is made; use it in a `with` block."""

    def __init__(
        self,
        python: str | None = None,
        *,
        threads: int = 1,
        timeout: float = 900.0,
        script: Path = BOTORCH,
    ) -> None:
        self.threads = threads
        self.timeout = timeout
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 - it lives as long as the peer
        counts = dict.fromkeys(
            ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), str(threads)
        )
        self._process = subprocess.Popen(
            [find_python(python), str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env={**os.environ, **counts},
        )
        try:
            self.versions = self._request({"versions": True})
        except BaseException:
            self.close()
            raise
        if not self.versions.get("fused_kernel", True):
            warnings.warn(
                "BoTorch runs without its fused kernel, which needs a C++ compiler: "
                "its times are not the ones to compare with",
                stacklevel=2,
            )

    def suggest(
        self,
        points: np.ndarray,
        objectives: np.ndarray,
        constraints: np.ndarray,
        *,
        spans: np.ndarray | None = None,
        reference: np.ndarray | None = None,
        seed: int = 0,
        noiseless: bool = False,
        recommend: bool = False,
        model: str = "list",
        restarts: int = 10,
        raw_samples: int = 512,
    ) -> Answer:
        """The next input after points (N, d), objectives (N, K) and constraints (N, C)."""
        request = {
            "points": points.tolist(),
            "objectives": objectives.tolist(),
            "constraints": constraints.tolist(),
            "spans": None
            if spans is None
            else [float(span) if np.isfinite(span) else None for span in spans],
            "reference": None if reference is None else reference.tolist(),
            "seed": seed,
            "noiseless": noiseless,
            "recommend": recommend,
            "model": model,
            "restarts": restarts,
            "raw_samples": raw_samples,
            "threads": self.threads,
        }
        reply = self._request(request)
        point, recommended = np.array(reply.pop("point")), np.array(reply.pop("recommended"))
        return Answer(point, recommended=recommended.reshape(-1, len(point)), **reply)

    def close(self) -> None:
        """End the peer's process."""
        self._process.terminate()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._errors):
            assert stream is not None
            try:
                stream.close()
            except BrokenPipeError:
                # Closing flushes what a dead peer can no longer read.
                continue

    def _request(self, request: dict[str, Any]) -> dict[str, Any]:
        """One line out and one line back."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        line = json.dumps(request, allow_nan=False) + "\n"
        try:
            stdin.write(line)
            stdin.flush()
        except BrokenPipeError:
            raise self._died() from None
        ready, _, _ = select.select([stdout], [], [], self.timeout)
        if not ready:
            self._process.kill()
            raise PeerError(f"the peer has not answered within {self.timeout:g} s")
        text = stdout.readline()
        if not text:
            raise self._died()
        reply: dict[str, Any] = json.loads(text)
        if "error" in reply:
            raise PeerError(f"the peer refused the request: {reply['error']}")
        return reply

    def _died(self) -> PeerError:
        """What the peer said last."""
        code = self._process.wait()
        self._errors.seek(0)
        last = "\n".join(self._errors.read().splitlines()[-5:])
        return PeerError(f"the peer ended with status {code}; {HOW}\n{last}")

    def __enter__(self) -> "Peer":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
