"""An iteration against BoTorch's qLogNEHVI, ours and theirs in turns on the same data."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from benchmarks.peers.peer import Peer
from benchmarks.speed.machine import median
from benchmarks.speed.steady import Case, iterate, warm_up

Timed = dict[str, list[float]]


def measure(
    threads: int, sizes: Sequence[int], repeats: int, peer_python: str | None
) -> dict[str, Any]:
    """Seconds of each part at each number of measurements; the medians are what is compared."""
    case, found = Case(), {}
    with Peer(peer_python, threads=threads) as peer:
        for size in sizes:
            warm_up(case, size)
            timed: Timed = {}
            for seed in range(1, repeats + 1):
                for part, seconds in _both(peer, case, size, seed).items():
                    timed.setdefault(part, []).append(seconds)
            found[str(size)] = {part: median(seconds) for part, seconds in timed.items()}
            found[str(size)]["all"] = timed
        versions = peer.versions
    return {"threads": threads, "repeats": repeats, "peer": versions, "sizes": found}


def _both(peer: Peer, case: Case, size: int, seed: int) -> dict[str, float]:
    study = case.study(size, seed)
    data = study.data
    values = np.stack(data.values, axis=1)
    ours = iterate(study)
    theirs = peer.suggest(
        data.points[0],
        values[:, : case.objectives],
        values[:, case.objectives :],
        seed=seed,
        noiseless=True,
        recommend=True,
    )
    return {
        "ask": ours.ask,
        "recommend": ours.recommend,
        "ours": ours.total,
        "fit": theirs.seconds_fit,
        "acquisition": theirs.seconds_acquisition,
        "theirs": theirs.seconds_total,
        "theirs with recommendation": theirs.seconds_total + theirs.seconds_recommend,
    }
