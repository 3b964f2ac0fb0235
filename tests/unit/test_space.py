import pickle

import numpy as np
import pytest

from tradespace.errors import InputError, ProblemError
from tradespace.space import Categorical, Integer, Real, Space

MIXED = Space(
    {
        "rate": Real(1e-5, 1e-1, log=True),
        "layers": Integer(1, 4),
        "activation": Categorical(["relu", "tanh", "gelu"]),
    }
)


def test_columns_are_counted_in_the_order_of_the_inputs() -> None:
    assert MIXED.names == ("rate", "layers", "activation")
    assert (MIXED.size, MIXED.width) == (3, 5)
    assert MIXED.column_input.tolist() == [0, 1, 2, 2, 2]
    assert MIXED.discrete.tolist() == [False, True, True, True, True]
    assert not MIXED.is_continuous
    assert Space({"x": Real(0, 1)}).is_continuous


def test_encode_puts_values_where_the_formulae_say() -> None:
    point = MIXED.encode({"activation": "tanh", "rate": 1e-3, "layers": 2})
    # log10: (-3 + 5)/4; cells of four integers: (2 - 0.5)/4; one-hot.
    np.testing.assert_allclose(point, [0.5, 0.375, 0.0, 1.0, 0.0], rtol=1e-14)


def test_log_integers_use_the_logarithm_of_cell_ends() -> None:
    space = Space({"n": Integer(1, 1000, log=True)})
    expected = np.log(30 / 0.5) / np.log(1000.5 / 0.5)
    np.testing.assert_allclose(space.encode({"n": 30}), [expected], rtol=1e-14)


def test_decode_returns_plain_python_values() -> None:
    values = MIXED.decode([0.5, 0.99, 0.2, 0.1, 0.3])
    assert {name: type(value) for name, value in values.items()} == {
        "rate": float,
        "layers": int,
        "activation": str,
    }
    assert values["layers"] == 4
    assert values["activation"] == "gelu"


def test_decode_reaches_bounds_exactly() -> None:
    for low, high, log in [(1e-5, 1e-1, True), (0.1, 0.3, False), (-1e9, 1e-9, False)]:
        space = Space({"x": Real(low, high, log=log)})
        assert space.decode([0.0])["x"] == low
        assert space.decode([1.0])["x"] == high
        assert space.encode({"x": low}).tolist() == [0.0]
        assert space.encode({"x": high}).tolist() == [1.0]


def test_choices_come_back_as_the_objects_themselves() -> None:
    choices = [("a", 1), None, 2.5, True]
    space = Space({"c": Categorical(choices)})
    for i, choice in enumerate(choices):
        assert space.decode(np.eye(4)[i])["c"] is choice


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"rate": 1e-3, "layers": 2}, "'activation' is missing"),
        ({"rate": 1e-3, "layers": 2, "activation": "relu", "x": 1}, "unknown input 'x'"),
        ({"rate": 1.0, "layers": 2, "activation": "relu"}, r"'rate' is 1.0, outside \[1e-05, 0.1"),
        ({"rate": float("nan"), "layers": 2, "activation": "relu"}, "'rate' must be a number"),
        ({"rate": "1e-3", "layers": 2, "activation": "relu"}, "'rate' must be a number"),
        ({"rate": 1e-3, "layers": True, "activation": "relu"}, "'layers' must be a whole number"),
        ({"rate": 1e-3, "layers": 2.5, "activation": "relu"}, "'layers' must be a whole number"),
        ({"rate": 1e-3, "layers": 5, "activation": "relu"}, r"'layers' is 5, outside \[1, 4\]"),
        ({"rate": 1e-3, "layers": 2, "activation": "elu"}, "'activation' is 'elu', not one of"),
        ([1e-3, 2, "relu"], "inputs must be a dict"),
    ],
)
def test_encode_refuses_what_is_not_legal(inputs: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        MIXED.encode(inputs)  # type: ignore[arg-type]


def test_numbers_of_numpy_are_numbers() -> None:
    point = MIXED.encode(
        {"rate": np.float32(1e-3), "layers": np.int64(2), "activation": np.str_("relu")}
    )
    same = MIXED.encode({"rate": np.array(1e-3, np.float32), "layers": 2.0, "activation": "relu"})
    np.testing.assert_array_equal(point, same)


def test_a_flag_is_not_the_number_it_equals() -> None:
    with pytest.raises(InputError, match="is True, not one of"):
        Space({"c": Categorical([1, 2])}).encode({"c": True})
    with pytest.raises(InputError, match="is 1, not one of"):
        Space({"c": Categorical([True, False])}).encode({"c": 1})


@pytest.mark.parametrize("point", [[0.1, 0.2], [np.nan] * 5, [[0.0] * 5]])
def test_decode_refuses_what_is_not_a_point(point: list[float]) -> None:
    with pytest.raises(InputError, match="5 finite numbers"):
        MIXED.decode(point)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({}, "inputs must be a dict"),
        ([Real(0, 1)], "inputs must be a dict"),
        ({"": Real(0, 1)}, "name must be a string"),
        ({3: Real(0, 1)}, "name must be a string"),
        ({"x": (0, 1)}, r"input 'x' must be Real\(low, high\)"),
        ({"x": Real}, r"input 'x' must be Real\(low, high\)"),
        ({"x": Real(1, 0)}, "input 'x': bounds are swapped"),
        ({"x": Real(1, 1)}, "input 'x': both bounds are 1.0"),
        ({"x": Real(0, np.inf)}, "input 'x': bound inf is not a finite number"),
        ({"x": Real(np.nan, 1)}, "input 'x': bound nan"),
        ({"x": Real("0", 1)}, "input 'x': bound '0'"),
        ({"x": Real(False, True)}, "input 'x': bound False"),
        ({"x": Real(0, 1, log=True)}, "input 'x': log=True needs a low bound above 0"),
        ({"x": Real(0, 1, log=1)}, "input 'x': log must be True or False"),
        ({"x": Real(-1.7e308, 1.7e308)}, "input 'x': .* too large"),
        ({"x": Real(1e300, np.nextafter(1e300, 2e300), log=True)}, "input 'x': .* too small"),
        ({"n": Integer(4, 1)}, "input 'n': bounds are swapped"),
        ({"n": Integer(4, 4)}, "input 'n': both bounds are 4"),
        ({"n": Integer(1.0, 4)}, "input 'n': bounds of an Integer must be whole numbers, not 1.0"),
        ({"n": Integer(True, 4)}, "input 'n': bounds of an Integer"),
        ({"n": Integer(0, 4, log=True)}, "input 'n': log=True needs a low bound at least 1"),
        ({"n": Integer(0, 10**15)}, r"input 'n': bound .* beyond 2\*\*40"),
        ({"c": Categorical("relu")}, "input 'c': choices must be a list"),
        ({"c": Categorical({"a", "b"})}, "input 'c': choices must be a list"),
        ({"c": Categorical([])}, "input 'c': a Categorical needs two choices"),
        ({"c": Categorical(["a"])}, "input 'c': a Categorical needs two choices"),
        ({"c": Categorical(["a", "b", "a"])}, "input 'c': choice 'a' is there twice"),
        ({"c": Categorical([1, True])}, "input 'c': choice True is there twice"),
        ({"c": Categorical([float("nan"), 1.0])}, "input 'c': choice nan is not equal to itself"),
        ({"c": Categorical([["a"], ["b"]])}, "input 'c': choice .* can be changed"),
    ],
)
def test_a_bad_space_is_refused_with_the_name_and_the_reason(inputs: object, message: str) -> None:
    with pytest.raises(ProblemError, match=message):
        Space(inputs)  # type: ignore[arg-type]


def test_snap_moves_to_the_middle_of_cells_and_leaves_reals_alone() -> None:
    points = np.array([[[0.3, 0.26, 0.2, 0.1, 0.9]], [[1.2, -3.0, 0.0, 0.0, 0.0]]])
    snapped = MIXED.snap(points)
    assert snapped.shape == points.shape
    np.testing.assert_allclose(snapped[0, 0], [0.3, 0.375, 0, 0, 1])
    np.testing.assert_allclose(snapped[1, 0], [1.0, 0.125, 1, 0, 0])


def test_sample_gives_every_integer_and_choice_its_share() -> None:
    uniform = np.stack([np.linspace(0.0, 1.0, 1200, endpoint=False)] * 3, axis=1)
    drawn = [MIXED.decode(point) for point in MIXED.sample(uniform)]
    layers = [values["layers"] for values in drawn]
    chosen = [values["activation"] for values in drawn]
    assert [layers.count(n) for n in (1, 2, 3, 4)] == pytest.approx([300] * 4, abs=1)
    assert [chosen.count(c) for c in ("relu", "tanh", "gelu")] == [400] * 3
    assert MIXED.sample(np.ones((1, 3))).tolist() == [[1.0, 0.875, 0.0, 0.0, 1.0]]


def test_a_discrete_space_lists_its_points() -> None:
    space = Space({"n": Integer(-1, 1), "c": Categorical(["a", "b"])})
    assert space.cardinality == 6
    points = [space.decode(point) for point in space.enumerate()]
    assert points == [{"n": n, "c": c} for n in (-1, 0, 1) for c in ("a", "b")]
    assert MIXED.cardinality is None
    with pytest.raises(InputError, match="no list of points"):
        MIXED.enumerate()


def test_neighbours_change_one_discrete_input() -> None:
    home = {"rate": 1e-3, "layers": 2, "activation": "tanh"}
    found = [MIXED.decode(point) for point in MIXED.neighbours(MIXED.encode(home))]
    assert [(v["layers"], v["activation"]) for v in found] == [
        (1, "tanh"),
        (3, "tanh"),
        (4, "tanh"),
        (2, "relu"),
        (2, "gelu"),
    ]
    assert all(v["rate"] == pytest.approx(1e-3, rel=1e-12) for v in found)
    assert Space({"x": Real(0, 1), "y": Real(0, 1)}).neighbours([0.1, 0.2]).shape == (0, 2)


def test_neighbours_of_a_wide_integer_reach_both_ends() -> None:
    space = Space({"n": Integer(0, 100)})
    found = [space.decode(point)["n"] for point in space.neighbours(space.encode({"n": 90}))]
    assert found == [0, 26, 58, 74, 82, 86, 88, 89, 91, 92, 94, 98, 100]


def test_spaces_compare_by_content_and_survive_pickling() -> None:
    twin = Space(dict(MIXED.inputs))
    assert twin == MIXED
    assert hash(twin) == hash(MIXED)
    assert pickle.loads(pickle.dumps(MIXED)) == MIXED
    assert Space({"b": Real(0, 1), "a": Real(0, 1)}) != Space({"a": Real(0, 1), "b": Real(0, 1)})


def test_derived_arrays_cannot_be_written_to() -> None:
    with pytest.raises(ValueError, match="read-only"):
        MIXED.column_input[0] = 7
