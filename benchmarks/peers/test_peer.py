"""The client against a stand-in for the peer, and against BoTorch where its Python is named."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest
from benchmarks.peers.peer import VARIABLE, Peer, PeerError, find_python

STAND_IN = """
import json, os, sys
for line in sys.stdin:
    request = json.loads(line)
    if request.get("versions"):
        reply = {"threads": os.environ["OMP_NUM_THREADS"]}
    elif request["seed"] == 1:
        reply = {"error": "ValueError: no"}
    elif request["seed"] == 2:
        sys.exit("out of memory")
    else:
        seconds = dict.fromkeys(["fit", "acquisition", "total", "recommend"], 0.5)
        reply = {f"seconds_{name}": value for name, value in seconds.items()}
        reply |= {"point": request["points"][-1], "level": 0.95}
        reply |= {"recommended": [request["reference"], request["spans"]]}
    print(json.dumps(reply), flush=True)
"""
POINTS = np.array([[0.1, 0.2], [0.3, 0.4]])


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "stand_in.py"
    path.write_text(STAND_IN)
    return path


def test_a_request_is_answered(script: Path) -> None:
    with Peer(sys.executable, threads=2, script=script) as peer:
        answer = peer.suggest(
            POINTS, POINTS, POINTS, reference=np.array([1.5, 2.0]), spans=np.array([3.0, 4.0])
        )
        assert peer.versions == {"threads": "2"}
    np.testing.assert_array_equal(answer.point, POINTS[-1])
    np.testing.assert_array_equal(answer.recommended, [[1.5, 2.0], [3.0, 4.0]])
    assert answer.level == 0.95


def test_an_infinite_span_is_sent_as_null(script: Path) -> None:
    with Peer(sys.executable, script=script) as peer:
        answer = peer.suggest(
            POINTS, POINTS, POINTS, reference=np.zeros(2), spans=np.array([3.0, np.inf])
        )
    assert answer.recommended.tolist() == [[0.0, 0.0], [3.0, None]]


def test_a_refusal_is_an_error_and_the_peer_lives_on(script: Path) -> None:
    with Peer(sys.executable, script=script) as peer:
        with pytest.raises(PeerError, match="ValueError: no"):
            peer.suggest(POINTS, POINTS, POINTS, seed=1)
        answer = peer.suggest(POINTS, POINTS, POINTS, reference=np.zeros(2), spans=np.zeros(2))
    assert answer.seconds_total == 0.5


def test_a_dead_peer_says_its_last_words(script: Path) -> None:
    with (
        Peer(sys.executable, script=script) as peer,
        pytest.raises(PeerError, match=r"(?s)status 1.*out of memory"),
    ):
        peer.suggest(POINTS, POINTS, POINTS, seed=2)


def test_a_missing_python_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    with pytest.raises(PeerError, match="--peer-python or set TRADESPACE_PEER_PYTHON"):
        find_python()
    with pytest.raises(PeerError, match="'/no/such/python' is not an executable"):
        find_python("/no/such/python")
    monkeypatch.setenv(VARIABLE, sys.executable)
    assert find_python() == sys.executable


@pytest.mark.skipif(VARIABLE not in os.environ, reason=f"{VARIABLE} is not set")
@pytest.mark.parametrize("model", ["list", "batched"])
def test_botorch_finds_a_known_front(model: str) -> None:
    """SCH inside a band: the front is the part of the segment between two minima in the band.

    f = (|x - (.2, .5)|^2, |x - (.8, .5)|^2) and 0 <= x_1 - .4 <= .2.
    """
    points = np.random.default_rng(0).random((20, 2))
    low, high = np.array([0.2, 0.5]), np.array([0.8, 0.5])
    objectives = np.stack([((points - end) ** 2).sum(1) for end in (low, high)], axis=1)
    with Peer() as peer:
        answers = [
            peer.suggest(
                points,
                objectives,
                points[:, :1] - 0.4,
                spans=np.array([0.2]),
                noiseless=True,
                recommend=True,
                model=model,
            )
            for _ in range(2)
        ]
    first, again = answers
    np.testing.assert_array_equal(first.recommended, again.recommended)
    np.testing.assert_array_equal(first.point, again.point)
    assert first.level == 0.95
    x, y = first.recommended.T
    assert x.min() == pytest.approx(0.4, abs=0.01)
    assert x.max() == pytest.approx(0.6, abs=0.01)
    assert np.abs(y - 0.5).max() < 0.02
    assert np.diff(np.sort(x)).max() < 0.02
    assert 0.35 < first.point[0] < 0.65
