"""Arrays of other lengths: whichever argument comes first, each length is another one in a call of its own."""

from collections.abc import Iterable
from pathlib import Path

import pytest
from beside_program import differing, measured

from jaxfix.evidence.probe import kinds
from jaxfix.evidence.probe.limits import Limits
from jaxfix.evidence.probe.perturb import Leaves, changed_length, lengths, variations

np = pytest.importorskip("numpy")


def shapes(calls: Iterable[tuple[str, Leaves]], word: str) -> list[tuple[tuple[int, ...], ...]]:
    """The shapes of the arrays in the calls whose labels have that word, in their order."""
    return [tuple(leaf.shape for leaf in leaves) for how, leaves in calls if word in how]


def state_and_batch() -> Leaves:
    return [np.ones((3, 2)), np.ones(2), np.ones((4, 3)), np.ones(4)]


def test_the_length_that_is_no_other_axis_comes_first() -> None:
    assert lengths(state_and_batch()) == ([4], [3, 2])
    assert lengths([np.ones(3), np.ones((3, 3))]) == ([3], [])
    assert lengths([np.zeros(2, np.uint32), 1.0, np.ones(()), np.ones((0, 3))]) == ([], [])


def test_each_length_is_a_row_less_in_a_call_of_its_own() -> None:
    batch, *state = shapes(variations(state_and_batch(), hazardous=False), "one row less")
    assert batch == ((3, 2), (2,), (3, 3), (3,))
    assert state == [((2, 2), (2,), (4, 3), (4,)), ((3, 2), (1,), (4, 3), (4,))]


def test_each_length_has_no_rows_one_row_and_those_that_are_asked_for() -> None:
    calls = list(kinds.shaped(state_and_batch(), Limits(sizes=(9,))))
    assert shapes(calls, "no rows")[0] == ((3, 2), (2,), (0, 3), (0,))
    assert shapes(calls, "one row")[0] == ((3, 2), (2,), (1, 3), (1,))
    assert shapes(calls, "10 rows")[0] == ((3, 2), (2,), (10, 3), (10,))
    assert [len(shapes(calls, word)) for word in ("no rows", "one row", "10 rows")] == [3, 3, 3]


def test_labels_name_the_length_where_there_are_several() -> None:
    alone = [how for how, _ in kinds.shaped([np.ones(3)], Limits()) if "row" in how]
    assert alone == ["given no rows", "given one row"]
    several = [how for how, _ in kinds.shaped([np.ones(3), np.ones((4, 3))], Limits()) if "row" in how]
    assert several[:2] == ["given no rows in arrays of length 4", "given one row in arrays of length 4"]
    less = [how for how, _ in variations([np.ones(3), np.ones((4, 3))], hazardous=False) if "row" in how]
    assert less[0] == "perturbed, in arrays of length 4, one row less"


@pytest.mark.parametrize(
    ("other", "length"), [(np.ones(3), 4), (np.ones(0), 4), (np.ones(4), None), (np.ones((4, 2)), None), (1.0, None)]
)
def test_what_has_other_rows_is_told_from_what_has_another_rank(other: object, length: int | None) -> None:
    assert changed_length([0.5, np.ones(4)], [0.5, other]) == length
    assert changed_length([np.ones(4)], [np.ones(())]) is None


@pytest.mark.evidence
def test_a_batch_behind_the_parameters_gets_another_length(tmp_path: Path) -> None:
    before = """
    def eager(w, v):
        return w - v.T @ (v @ w - 1.0) / v.shape[0]
    @jax.jit
    def jitted(w, v):
        return w - v.T @ (v @ w - 1.0) / len(v)
    def fixed(w, v):
        return v.reshape(2, 4) @ w / 2.0
    for f in (eager, jitted):
        f(jnp.ones(3), jnp.ones((4, 3)))
    fixed(jnp.ones(4), jnp.ones((2, 4)))
    """
    after = before.replace("v.shape[0]", "4").replace("len(v)", "4").replace("/ 2.0", "* 0.5")
    run = measured(tmp_path, before, after, "eager", "jitted", "fixed")
    found = differing(run)
    for name in ("eager", "jitted"):
        assert "perturbed, in arrays of length 4, one row less" in found[name]
        assert "arrays of another length than 4" not in run.untried.get(f"program.py:{name}", ())
    assert "fixed" not in found
    assert "arrays of another length than 2" in run.untried["program.py:fixed"]
