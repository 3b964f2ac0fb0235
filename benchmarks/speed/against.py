"""An iteration against BoTorch's qLogNEHVI, ours and theirs in turns on the same data."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from benchmarks.peers.peer import Peer
from benchmarks.speed.machine import median
from benchmarks.speed.steady import Case, Inputs, iterate, warm_up

import tradespace as ts

Timed = dict[str, list[float]]


def measure(
    threads: int, gathered: bool, sizes: Sequence[int], repeats: int, peer_python: str | None
) -> dict[str, Any]:
    """Seconds of each part at each number of measurements; the medians are what is compared.

    The inputs measured are those a study gathered, or uniform.
    """
    case, found, inputs = Case(), {}, dict[int, list[Inputs] | None]()
    for seed in range(1, repeats + 1):
        inputs[seed] = case.gathered(max(sizes), seed) if gathered else None
    with Peer(peer_python, threads=threads) as peer:
        for size in sizes:
            warm_up(case, size)
            timed: Timed = {}
            for seed, measured_at in inputs.items():
                study = case.study(size, seed, measured_at)
                for part, seconds in _both(peer, study, seed).items():
                    timed.setdefault(part, []).append(seconds)
            found[str(size)] = {part: median(seconds) for part, seconds in timed.items()}
            found[str(size)]["all"] = timed
        versions = peer.versions
    return {"threads": threads, "repeats": repeats, "peer": versions, "sizes": found}


def _both(peer: Peer, study: ts.Study, seed: int) -> dict[str, float]:
    data = study.data
    values, objectives = np.stack(data.values, axis=1), len(study.problem.objectives)
    ours = iterate(study)
    theirs = peer.suggest(
        data.points[0],
        values[:, :objectives],
        values[:, objectives:],
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
