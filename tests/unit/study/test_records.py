import sys
from types import SimpleNamespace

import pytest

from tradespace.problem import Problem, at_most, minimize
from tradespace.space import Categorical, Real
from tradespace.study import Study


@pytest.fixture
def study() -> Study:
    problem = Problem(
        # Names that a trial has too must not collide.
        {"group": Categorical(["a", "b"]), "id": Real(0, 1)},
        {"cost": minimize},
        {"c": at_most(1.0)},
    )
    study = Study(problem)
    study.add({"group": "a", "id": 0.5}, {"cost": 2.0, "c": 0.0})
    study.add({"group": "b", "id": 0.25}, {"cost": 1.0})
    study.fail(study.ask(), "broken")
    return study


def test_trials_become_rows(study: Study) -> None:
    rows = study.trials().rows()
    assert rows[0] == {
        "trial.id": 0,
        "trial.group": "all",
        "trial.state": "measured",
        "trial.origin": "added",
        "trial.cost": 0.0,
        "group": "a",
        "id": 0.5,
        "cost": 2.0,
        "c": 0.0,
        "trial.reason": "",
        "trial.note": "",
    }
    assert "c" not in rows[1]
    assert (rows[2]["trial.state"], rows[2]["trial.reason"]) == ("failed", "broken")


def test_the_front_becomes_rows(study: Study) -> None:
    assert study.front().rows() == [{"group": "a", "id": 0.5, "cost": 2.0, "c": 0.0}]


def test_rows_go_to_pandas_when_it_is_there(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(DataFrame=lambda rows: ("df", rows)))
    assert study.trials().to_pandas() == ("df", study.trials().rows())
    assert study.front().to_pandas() == ("df", study.front().rows())


def test_without_pandas_the_error_says_what_to_do(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"needs pandas: `pip install pandas`, or use rows\(\)"):
        study.trials().to_pandas()
