"""Points that a front does not dominate, against the boxes in which they must lie."""

import numpy as np
import pytest

from tradespace import pareto

DRAWS, COUNT = 24, 1000


def crowded(objectives: int, size: int = 60) -> np.ndarray:
    """A front that dominates nearly all of the cube: points whose product is tiny."""
    rng = np.random.default_rng([objectives, size])
    return 10.0 ** (-5.0 * rng.dirichlet(np.ones(objectives), size))


def share_left(front: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Boxes of the cube that nothing dominates, lower and upper corners, and their volumes."""
    lower, upper = (np.clip(side, 0.0, 1.0) for side in pareto.boxes(front))
    return lower, upper, (upper - lower).prod(1)


FRONTS = {
    "one objective": np.array([[0.3], [0.7]]),
    "one point": np.array([[0.2, 0.6]]),
    "crowded, two objectives": crowded(2),
    "crowded, three objectives": crowded(3),
    "beyond the cube": np.array([[-0.4, 0.8, 0.5], [0.3, 1.4, 0.2], [0.6, 0.1, 0.3]]),
}


@pytest.mark.parametrize("name", FRONTS)
def test_points_are_uniform_where_nothing_dominates(name: str) -> None:
    """Boxes, and their halves, hold their share of points, within four standard errors."""
    front = FRONTS[name]
    lower, upper, volumes = share_left(front)
    rng = np.random.default_rng(1)
    middle, found = (lower + upper) / 2, []
    for _ in range(DRAWS):
        drawn, _ = pareto.draw_undominated(rng, front, COUNT)
        assert drawn.shape == (COUNT, front.shape[1])
        assert ((drawn >= 0.0) & (drawn < 1.0)).all()
        assert not (front[:, None] <= drawn).all(-1).any()
        inside = ((drawn[:, None] >= lower) & (drawn[:, None] < upper)).all(-1)
        np.testing.assert_array_equal(inside.sum(1), 1)
        low = drawn[:, None] < middle
        halves = [(inside & low[..., k]).mean(0) for k in range(front.shape[1])]
        found.append(np.stack([inside.mean(0), *halves]))
    expected = np.stack([volumes, *[volumes / 2] * front.shape[1]]) / volumes.sum()
    error = np.maximum(np.std(found, 0), np.sqrt(expected / COUNT)) / np.sqrt(DRAWS)
    assert (np.abs(np.mean(found, 0) - expected) <= 4.0 * error + 1e-12).all()


@pytest.mark.parametrize("objectives", [2, 3])
def test_the_volume_is_exact_in_few_objectives(objectives: int) -> None:
    front = crowded(objectives)
    volume = pareto.draw_undominated(np.random.default_rng(0), front, 100)[1]
    assert volume == pytest.approx(share_left(front)[2].sum(), rel=1e-9)
    assert volume < 3e-3


@pytest.mark.parametrize("objectives", [2, 3])
def test_the_volume_in_many_objectives_is_estimated(
    objectives: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a thousandth of the cube to a tenth, without bias."""
    monkeypatch.setattr(pareto, "EXACT", 0)
    front, rng = crowded(objectives), np.random.default_rng(2)
    exact = share_left(front)[2].sum()
    found = [pareto.draw_undominated(rng, front, COUNT)[1] / exact for _ in range(DRAWS)]
    assert np.std(found) < 0.15
    assert abs(np.mean(found) - 1.0) < 4.0 * np.std(found) / np.sqrt(DRAWS)


def test_without_a_front_the_whole_cube_is_left() -> None:
    rng = np.random.default_rng(0)
    for front in (np.zeros((0, 3)), np.array([[1.0, 0.2, 0.5]]), np.zeros((0, 0))):
        drawn, volume = pareto.draw_undominated(rng, front, 50)
        assert drawn.shape == (50, front.shape[1])
        assert volume == 1.0


def test_a_front_that_leaves_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="whole cube"):
        pareto.draw_undominated(np.random.default_rng(0), np.array([[0.0, -1.0]]), 5)
