"""What a rewritten function remembers, and when: calls that would show it, and a branch that is no longer one."""

import functools
import sys
import types
from collections.abc import Callable
from pathlib import Path

import pytest
from beside_program import differing, measured

from jaxfix.evidence.probe.between import Between
from jaxfix.evidence.probe.caches import Caches
from jaxfix.evidence.probe.effects import Reach
from jaxfix.evidence.probe.perturb import doubled
from jaxfix.evidence.probe.supplied import Supplied

TABLE: dict[int, int] = {7: 49}
LATEST = None


@functools.lru_cache(maxsize=2)
def bounded(number: int) -> int:
    return number * number


@functools.cache
def unbounded(number: int) -> int:
    return number * number


def plain(number: int) -> int:
    return number * number


def remembering(number: int) -> int:
    global LATEST
    LATEST = number
    return TABLE.setdefault(number, bounded(number))


class Square:
    def __init__(self, side: int) -> None:
        self.side = side

    @staticmethod
    def area(side: int) -> int:
        return plain(side)

    @classmethod
    def made(cls, side: int) -> int:
        return cls(side).side


def reached(function: types.FunctionType) -> Reach:
    reach = Reach([str(Path(__file__).parent)])
    reach.add(function.__code__, globals())
    return reach


def test_what_only_the_rewritten_function_remembers_is_emptied_and_put_back() -> None:
    caches = Caches(reached(plain), reached(remembering))
    assert caches.any
    assert caches.grow
    remembering(3)
    with caches.emptied():
        assert (TABLE, LATEST, bounded.cache_info().currsize) == ({}, None, 0)
        remembering(5)
    assert (TABLE, LATEST, bounded.cache_info().currsize) == ({7: 49, 3: 9}, 3, 0)


def test_a_bounded_cache_lets_go_and_one_of_the_original_is_its_own() -> None:
    assert not Caches(reached(plain), reached(lambda number: bounded(number))).grow
    assert Caches(reached(plain), reached(lambda number: unbounded(number))).grow
    assert not Caches(reached(remembering), reached(remembering)).any


def passed(kind: type) -> int:
    return int(kind(2).side)


@pytest.mark.parametrize(
    ("function", "names"),
    [
        (lambda side: Square.area(side), ["area", "plain"]),
        (lambda side: Square(side).area(side), ["__init__", "area", "plain"]),
        (lambda side: Square.area(side) + Square.made(side), ["__init__", "area", "made", "plain"]),
        (lambda side: Square.area(side) + passed(Square), ["__init__", "area", "passed", "plain"]),
    ],
)
def test_a_class_that_is_read_for_its_static_methods_makes_no_object(
    function: types.FunctionType, names: list[str]
) -> None:
    reach = Reach([str(Path(__file__).parent)])
    reach.add(function.__code__, globals())
    reach.settle()
    assert sorted(each.__name__ for each in reach.functions) == names


def importing() -> float:
    from settings import unused  # type: ignore[import-not-found]

    return float(unused())


def test_what_a_module_of_the_user_is_asked_for_is_reached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "settings.py").write_text("def rate():\n    return 2.0\n\n\ndef unused():\n    return 1.0\n")
    module = types.ModuleType("settings")
    module.__file__ = str(tmp_path / "settings.py")
    exec(compile(Path(module.__file__).read_text(), module.__file__, "exec"), vars(module))
    reach = Reach([str(tmp_path)])
    reach.is_mine = lambda name: name == "settings"  # type: ignore[method-assign]
    reach.add((lambda: settings.rate()).__code__, {"settings": module})  # type: ignore[name-defined]  # noqa: F821
    assert [function.__name__ for function in reach.functions] == ["rate"]
    within = Reach([str(tmp_path)])
    within.is_mine = reach.is_mine  # type: ignore[method-assign]
    monkeypatch.setitem(sys.modules, "settings", module)
    within.add(importing.__code__, {})
    assert [function.__name__ for function in within.functions] == ["unused"]
    relative: dict[str, Callable[[], float]] = {}
    exec("def beside():\n    from .. import settings\n    return settings.unused()", relative)
    package = types.ModuleType("pack")
    setattr(package, "settings", module)  # noqa: B010
    monkeypatch.setitem(sys.modules, "pack", package)
    around = Reach([str(tmp_path)])
    around.is_mine = lambda name: name in ("pack", "settings")  # type: ignore[method-assign]
    around.add(relative["beside"].__code__, {"__package__": "pack.inner"})  # type: ignore[attr-defined]
    assert [function.__name__ for function in around.functions] == ["unused"]


class Trainer:
    def __init__(self, hook: Callable[[object], None]) -> None:
        self.rate, self.hook = 0.5, hook


@pytest.mark.evidence
def test_hooks_and_lists_change_what_else_is_given_but_not_while_jax_traces() -> None:
    jax = pytest.importorskip("jax")
    trainer = Trainer(lambda given: None)
    options = {"rate": 0.5}
    given = {"trainer": trainer, "options": options, "batches": [1, 2]}
    between = Between(Supplied(given, {"rate", "hook"}, lambda value: isinstance(value, Trainer)))
    assert between.users() == ["batches", "trainer.hook"]
    undo = between.put("trainer.hook")
    jax.make_jaxpr(lambda v: (trainer.hook(trainer), v)[1])(1.0)
    assert (trainer.rate, options["rate"]) == (0.5, 0.5)
    trainer.hook(trainer)
    assert (trainer.rate, options["rate"]) == (1.0, 1.0)
    undo()
    undone = between.put("batches")
    assert [options["rate"] for _ in given["batches"]] == [0.5, 1.0]
    undone()
    assert (trainer.rate, options["rate"]) == (0.5, 0.5)
    assert Between(Supplied({"batches": [1, 2], "v": 1.0}, set(), lambda value: False)).users() == []


def test_another_function_of_the_same_name_is_given() -> None:
    assert doubled(plain).__qualname__ == plain.__qualname__
    assert (doubled(lambda v: v + 1.0)(1.0), plain(2)) == (4.0, 4)


@pytest.mark.evidence
def test_dear_operations_that_leave_their_branch_are_told() -> None:
    jax = pytest.importorskip("jax")
    from jaxfix.evidence.probe.work import freed

    def taken(m: object, due: object) -> object:
        return jax.lax.cond(due, lambda: jax.numpy.linalg.eigh(m)[1], lambda: m)

    def always(m: object, due: object) -> object:
        return jax.numpy.where(due, jax.numpy.linalg.eigh(m)[1], m)

    def never(m: object, due: object) -> object:
        return m

    before, after, none = (jax.make_jaxpr(f)(jax.numpy.eye(2), True).jaxpr for f in (taken, always, never))
    assert freed(before, after) == ["eigh"]
    assert freed(none, after) == ["eigh"]
    assert freed(after, before) == freed(before, before) == freed(after, after) == []


@pytest.mark.evidence
@pytest.mark.slow
def test_calls_in_a_row_show_what_is_remembered(tmp_path: Path) -> None:
    (tmp_path / "settings.py").write_text("held = {'rate': 2.0}\ndef rate():\n    return held['rate']\n")
    before = """
    import settings
    settings.held["rate"] = 2.0
    kept = {}
    @functools.cache
    def table(count):
        return jnp.arange(count) * 1.0
    class Model:
        def run(self, v):
            return v * 2.0
        @functools.cache
        def doubled(self, v=2.0):
            return v
    def remembered(key, value):
        return kept.setdefault(key, value)
    halved = jax.jit(lambda v: v * 0.5)
    donated = jax.jit(lambda v: v * 0.5, donate_argnums=0)
    def summed(v):
        return jnp.cumsum(v, -1)
    def applied(f, v):
        return f(v)
    def weighed(v):
        return v * jnp.arange(v.shape[0])
    def stepped(v):
        return halved(v)
    def scaled(v):
        return v * settings.rate()
    def half(v):
        return v * 0.5
    summed(x), applied(half, x), weighed(x), stepped(x), scaled(x), Model().run(x)
    """
    after = (
        before.replace("return jnp.cumsum(v, -1)", "return remembered(np.asarray(v).tobytes(), jnp.cumsum(v, -1))")
        .replace("return f(v)", "return remembered(f.__qualname__, f)(v)")
        .replace("v * jnp.arange(v.shape[0])", "v * table(v.shape[0])")
        .replace("return halved(v)", "return (donated if v.size > 3000 else halved)(v)")
        .replace("v * settings.rate()", "v * remembered('rate', settings.rate())")
        .replace("return v * 2.0", "return v * self.doubled()")
    )
    found = differing(measured(tmp_path, before, after, "summed", "applied", "weighed", "scaled", "Model.run"))
    assert "given the same bytes in another shape" in found["summed"]
    assert "perturbed, `half` doubled" in found["applied"]
    assert "as called, after a first call under jit" in found["weighed"]
    assert "rebound `held['rate']`" in found["scaled"]
    assert "as called, and `self` forgotten" in found["Model.run"]
    deleted = [pair.how for pair in measured(tmp_path, before, after, "stepped").beside if pair.deleted]
    assert deleted == ["given 3001 rows"]
