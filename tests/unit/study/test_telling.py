import pytest

from tradespace.errors import MeasurementError
from tradespace.problem import Group, Problem, maximize, minimize
from tradespace.space import Real
from tradespace.study import Study


def study_of(noiseless: bool = True) -> Study:
    groups = {"one": Group(["f"]), "two": Group(["g"])}
    directions = {"f": minimize, "g": maximize}
    return Study(Problem({"x": Real(0, 1)}, directions, groups=groups, noiseless=noiseless))


def test_a_noiseless_quantity_has_one_value_at_an_input() -> None:
    study = study_of()
    trial = study.ask()
    study.add(trial.inputs, {"f": 1.0})
    said = r"'f' is 2.0 at {'x': .*}, where trial 1 measured 1.0: check both, or .*noiseless=False"
    with pytest.raises(MeasurementError, match=rf"trial 0 \(group 'one'\): {said}"):
        study.tell(trial, {"f": 2.0})
    assert study.trial(0).state == "pending"
    with pytest.raises(MeasurementError, match=said):
        study.add(trial.inputs, {"g": 0.0, "f": 2.0})
    assert len(study.trials()) == 2
    study.tell(trial, {"f": 1.0})
    study.add({"x": 0.123}, {"f": 2.0})


@pytest.mark.parametrize(
    ("largest", "first", "second", "same"),
    [
        (3e5, 3e5, 3e5 * (1 + 1e-7), True),
        (3e-5, 3e-5, 3e-5 * (1 + 1e-5), False),
        # A difference of large numbers: nothing but rounding.
        (-1e3, 0.0, 1e-7, True),
        (-1e3, 0.0, 1e-5, False),
    ],
)
def test_rounding_does_not_contradict(
    largest: float, first: float, second: float, same: bool
) -> None:
    study = study_of()
    study.add({"x": 0.9}, {"f": largest})
    study.add({"x": 0.5}, {"f": first})
    if same:
        study.add({"x": 0.5}, {"f": second})
    else:
        with pytest.raises(MeasurementError, match="noiseless=False"):
            study.add({"x": 0.5}, {"f": second})


def test_noisy_measurements_may_differ() -> None:
    study = study_of(noiseless=False)
    study.add({"x": 0.5}, {"f": 1.0})
    study.add({"x": 0.5}, {"f": 2.0})
    assert len(study.trials()) == 2
