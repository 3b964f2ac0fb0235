import pickle

import numpy as np
import pytest

import tradespace.problem as tp
from tradespace.errors import MeasurementError, ProblemError
from tradespace.problem import Group, Problem, at_least, at_most, between, maximize, minimize
from tradespace.space import Real

INPUTS = {"x": Real(0, 1), "y": Real(0, 1)}


def chip() -> Problem:
    return Problem(
        inputs=INPUTS,
        objectives={"error": minimize, "throughput": maximize},
        constraints={"area": at_most(1.0), "margin": at_least(-2.0), "load": between(0.2, 0.7)},
        groups={
            "train": Group(["error"], cost=10.0),
            "chip": Group(["load", "throughput", "area", "margin"]),
        },
    )


def test_names_are_listed_in_order() -> None:
    problem = chip()
    assert problem.objectives == ("error", "throughput")
    assert problem.constraints == ("area", "margin", "load")
    assert problem.black_boxes == problem.objectives + problem.constraints
    assert problem.group_boxes == {"train": (0,), "chip": (4, 1, 2, 3)}
    assert problem.is_decoupled
    assert problem.groups["train"].cost == 10.0


def test_without_groups_everything_is_measured_together() -> None:
    problem = Problem(INPUTS, {"f": minimize}, {"c": at_least(0.0)})
    assert problem.groups == {"all": Group(["f", "c"], cost=1.0)}
    assert not problem.is_decoupled
    assert not problem.noiseless


def test_inside_everything_is_minimised_and_holds_from_zero_to_the_span() -> None:
    problem = chip()
    assert problem.to_inside("error", 3.0) == 3.0
    assert problem.to_inside("throughput", 3.0) == -3.0
    assert problem.to_inside("area", 0.75) == 0.25
    assert problem.to_inside("margin", -3.0) == -1.0
    assert problem.to_inside("load", 0.5) == pytest.approx(0.3)
    np.testing.assert_allclose(problem.spans, [np.inf, np.inf, 0.5])
    assert [problem.sign(name) for name in problem.black_boxes] == [1, -1, -1, 1, 1]


def test_conversion_works_on_arrays_and_back() -> None:
    problem = chip()
    values = np.array([[-1.0, 0.25], [0.0, 8.0]])
    for name in problem.black_boxes:
        inside = problem.to_inside(name, values)
        assert inside.shape == values.shape
        np.testing.assert_allclose(problem.from_inside(name, inside), values, atol=1e-15)


def test_zero_never_comes_back_negative() -> None:
    problem = chip()
    for value in (problem.to_inside("throughput", 0.0), problem.from_inside("throughput", 0.0)):
        assert not np.signbit(value)


@pytest.mark.parametrize(
    ("values", "feasible"),
    [
        ({"area": 1.0, "margin": -2.0, "load": 0.2}, True),
        ({"area": 0.0, "margin": 5.0, "load": 0.7, "error": 9.0}, True),
        ({"area": 1.0001, "margin": 0.0, "load": 0.5}, False),
        ({"area": 1.0, "margin": -2.0001, "load": 0.5}, False),
        ({"area": 1.0, "margin": 0.0, "load": 0.19}, False),
        ({"area": 1.0, "margin": 0.0, "load": 0.71}, False),
    ],
)
def test_feasibility_includes_the_bounds(values: dict[str, float], feasible: bool) -> None:
    assert chip().is_feasible(values) is feasible


def test_feasibility_needs_every_constraint() -> None:
    with pytest.raises(MeasurementError, match="'load' has no measured value"):
        chip().is_feasible({"area": 0.0, "margin": 0.0})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"inputs": {"x": Real(1, 0)}}, "input 'x': bounds are swapped"),
        ({"objectives": {}}, "objectives must be a dict"),
        ({"objectives": ["f"]}, "objectives must be a dict"),
        ({"objectives": {"f": "min"}}, "objective 'f' is 'min': write minimize or maximize"),
        ({"objectives": {"f": min}}, "objective 'f' is <built-in"),
        ({"objectives": {" ": minimize}}, "name of each objective"),
        ({"objectives": {1: minimize}}, "name of each objective"),
        ({"objectives": {"x": minimize}}, "'x' is both an input and a measured quantity"),
        ({"constraints": ["c"]}, "constraints must be a dict"),
        ({"constraints": {"c": 1.0}}, "constraint 'c' is 1.0: write at_least"),
        ({"constraints": {"c": at_most}}, "constraint 'c' is <function"),
        ({"constraints": {"": at_most(1)}}, "name of each constraint"),
        ({"constraints": {"y": at_most(1)}}, "'y' is both an input and a measured quantity"),
        ({"constraints": {"f": at_most(1)}}, "'f' is both an objective and a constraint"),
        ({"constraints": {"c": at_most(np.nan)}}, "constraint 'c': bound nan"),
        ({"constraints": {"c": at_most("1")}}, "constraint 'c': bound '1'"),
        ({"constraints": {"c": between(2, 1)}}, "constraint 'c': bounds are swapped"),
        ({"constraints": {"c": between(1, 1)}}, "constraint 'c': both bounds are 1"),
        ({"constraints": {"c": at_least(-np.inf)}}, "constraint 'c': infinite bounds allow every"),
        ({"constraints": {"c": at_most(10**400)}}, "constraint 'c': infinite bounds allow every"),
        ({"constraints": {"c": between(-1.1e150, 0)}}, r"'c': bound -1.1e\+150 is beyond 1e\+150"),
        ({"constraints": {"c": at_most(1.1e150)}}, "constraint 'c': .*measure it in a larger unit"),
        ({"groups": {}}, "groups must be a dict"),
        ({"groups": [Group(["f"])]}, "groups must be a dict"),
        ({"groups": {"g": ["f"]}}, r"group 'g' is \['f'\]: write Group"),
        ({"groups": {3: Group(["f"])}}, "name of each group"),
        ({"groups": {"g": Group("f")}}, "group 'g': what it measures must be a list"),
        ({"groups": {"g": Group([])}}, "group 'g' measures nothing"),
        ({"groups": {"g": Group(["f", "h"])}}, "group 'g' measures 'h', which is neither"),
        ({"groups": {"g": Group(["f", "f"])}}, "group 'g' names 'f' twice"),
        ({"groups": {"a": Group(["f"]), "b": Group(["f"])}}, "'f' is in two groups, 'a' and 'b'"),
        (
            {"constraints": {"c": at_most(1)}, "groups": {"a": Group(["f"])}},
            "'c' is in no group",
        ),
        ({"groups": {"g": Group(["f"], cost=0)}}, "group 'g': cost must be above 0"),
        ({"groups": {"g": Group(["f"], cost=-1)}}, "group 'g': cost must be above 0"),
        ({"groups": {"g": Group(["f"], cost=np.nan)}}, "group 'g': cost must be above 0"),
        ({"groups": {"g": Group(["f"], cost="9")}}, "group 'g': cost must be above 0"),
        ({"noiseless": 1}, "noiseless must be True or False"),
    ],
)
def test_a_bad_definition_is_refused_with_the_name_and_the_reason(
    changes: dict[str, object], message: str
) -> None:
    definition: dict[str, object] = {"inputs": INPUTS, "objectives": {"f": minimize}}
    with pytest.raises(ProblemError, match=message):
        Problem(**{**definition, **changes})  # type: ignore[arg-type]


def test_the_largest_bounds_have_a_finite_span() -> None:
    problem = Problem(INPUTS, {"f": minimize}, {"c": between(-tp.LARGEST_VALUE, tp.LARGEST_VALUE)})
    assert np.isfinite(problem.spans**2).all()


def test_one_sided_bounds_that_allow_nothing_are_refused() -> None:
    for bound in (at_least(np.inf), at_most(-np.inf), at_least(10**400)):
        with pytest.raises(ProblemError, match="constraint 'c': an infinite bound allows nothing"):
            Problem(INPUTS, {"f": minimize}, {"c": bound})


def test_bounds_are_floats_whatever_kind_of_number_was_typed() -> None:
    typed = (np.array(1.0), np.float32(1.0), 1)
    problems = {Problem(INPUTS, {"f": minimize}, {"c": at_most(bound)}) for bound in typed}
    assert len(problems) == 1
    assert [type(between(bound, bound).lower) for bound in typed] == [float] * 3


def test_problems_compare_by_content_and_survive_pickling() -> None:
    assert chip() == chip()
    assert hash(chip()) == hash(chip())
    assert pickle.loads(pickle.dumps(chip())) == chip()
    assert chip() != Problem(INPUTS, {"error": minimize})


def test_a_definition_that_changes_later_does_not_change_the_problem() -> None:
    objectives = {"f": minimize}
    problem = Problem(INPUTS, objectives)
    objectives["g"] = maximize
    assert problem.objectives == ("f",)


def test_directions_read_well() -> None:
    assert repr({"f": tp.minimize}) == "{'f': minimize}"
