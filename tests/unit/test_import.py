"""What importing tradespace loads, and what it leaves alone."""

import pkgutil
import subprocess
import sys
from types import ModuleType

import pytest

import tradespace

HEAVY = ("jax", "jaxlib", "matplotlib", "moocore", "rich", "scipy")


def loaded_after(program: str) -> set[str]:
    """The heavy packages a fresh interpreter has loaded after running a program."""
    report = f"import sys; print(*[name for name in {HEAVY} if name in sys.modules])"
    return set(run(f"{program}\n{report}").split())


def run(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_import_loads_nothing_heavy() -> None:
    assert loaded_after("import tradespace") == set()


def test_defining_a_problem_loads_nothing_heavy() -> None:
    program = """
import tradespace as ts
ts.Problem(
    inputs={"x": ts.Real(0, 1), "n": ts.Integer(1, 9), "kind": ts.Categorical(["a", "b"])},
    objectives={"f": ts.minimize, "g": ts.maximize},
    constraints={"c": ts.at_least(0), "d": ts.between(0, 1)},
    groups={"one": ts.Group(["f", "c"]), "two": ts.Group(["g", "d"], cost=2)},
)
"""
    assert loaded_after(program) == set()


def test_a_study_loads_no_jax_before_it_needs_numbers() -> None:
    program = """
import tradespace as ts
problem = ts.Problem(inputs={"x": ts.Real(0, 1)}, objectives={"f": ts.minimize})
study = ts.Study(problem, seed=0)
trial = study.ask()
study.tell(trial, {"f": 1.0})
study.front()
ts.problems
"""
    assert loaded_after(program) & {"jax", "jaxlib", "matplotlib", "rich"} == set()


UNCHANGED = """
after = dict(jax.config.values)
changed = {name: (value, after[name]) for name, value in before.items() if after[name] != value}
assert not changed, changed
assert jax.numpy.zeros(1).dtype == "float32"
"""


def test_importing_every_room_leaves_jax_as_it_was() -> None:
    program = """
import importlib, pkgutil
import jax
before = dict(jax.config.values)
import tradespace
for room in pkgutil.walk_packages(tradespace.__path__, "tradespace."):
    if not room.name.endswith("__main__"):
        importlib.import_module(room.name)
        print(room.name)
"""
    rooms = run(program + UNCHANGED).split()
    assert {"tradespace.gp", "tradespace.paths", "tradespace.fronts"} <= set(rooms)


def test_a_study_leaves_jax_as_it_was() -> None:
    program = """
import sys
import jax
before = dict(jax.config.values)
import tradespace as ts
problem = ts.Problem(inputs={"x": ts.Real(0, 1)}, objectives={"f": ts.minimize})
study = ts.Study(problem, seed=0)
study.run(lambda inputs: {"f": (inputs["x"] - 0.3) ** 2}, trials=8)
study.recommend()
assert "tradespace.programs" in sys.modules, "nothing was computed"
"""
    run(program + UNCHANGED)


@pytest.mark.parametrize("name", tradespace.__all__)
def test_every_public_name_is_there(name: str) -> None:
    value = getattr(tradespace, name)
    assert isinstance(value, ModuleType) == (name == "problems")


def test_no_public_name_is_also_a_room() -> None:
    # Importing the room anywhere would replace the public object by the module.
    rooms = {room.name for room in pkgutil.iter_modules(tradespace.__path__)}
    assert rooms & set(tradespace.__all__) == {"problems"}


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'minimise'"):
        _ = tradespace.minimise


def test_dir_lists_the_public_names() -> None:
    assert dir(tradespace) == sorted(tradespace.__all__)
