"""What the engine decides: which packs count, which fixes are made, in what order, and which are held."""

import ast
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from jaxfix.engine.analyze import analyze
from jaxfix.engine.plan import plan
from jaxfix.engine.registry import load_registry
from jaxfix.report.finding import Equality, Finding, Fix, Safety
from jaxfix.report.reason import Code, Reason
from jaxfix.report.recipe import Rewriter
from jaxfix.report.report import Patch
from jaxfix.semantic.codemod import Codemod
from jaxfix.semantic.module import Module
from jaxfix.source.errors import BugError, PackError
from jaxfix.source.source_file import SourceFile
from jaxfix_codemods import CODEMODS

Rewrite = Callable[[Rewriter, Module, ast.Call], None]


def codemod(name: str, calls: str, rewrite: Rewrite) -> Codemod:
    """A codemod that rewrites each call of the function `calls`."""

    def find(module: Module) -> Iterator[Finding]:
        for call in module.nodes(ast.Call):
            if isinstance(call.func, ast.Name) and call.func.id == calls:
                recipe = partial(_cooked, rewrite, module, call)
                yield Finding(at=call, message=f"`{calls}` costs", title=f"Rewrite `{calls}`", recipe=recipe)

    return Codemod(name, (calls,), Safety.SAFE, Equality.BITWISE, find)


def _cooked(rewrite: Rewrite, module: Module, call: ast.Call, edit: Rewriter) -> None:
    rewrite(edit, module, call)


def into(text: str) -> Rewrite:
    """Replaces the whole call; `{}` stands for the text of its arguments."""

    def rewrite(edit: Rewriter, module: Module, call: ast.Call) -> None:
        edit.replace(call, text.format(", ".join(map(module.text, call.args))))

    return rewrite


def renamed(name: str) -> Rewrite:
    return lambda edit, module, call: edit.replace(call.func, name)


def source(text: str) -> SourceFile:
    return SourceFile.decode("a.py", text.encode())


def take_all(fix: Fix) -> str | None:
    return None


def planned(text: str, *codemods: Codemod) -> Patch:
    return plan(source(text), codemods, take_all)


# --- planning -----------------------------------------------------------------------------------------------------


def test_fixes_of_several_codemods_are_made() -> None:
    patch = planned("x = a(1)\ny = b(2)\n", codemod("fix-b", "b", renamed("d")), codemod("fix-a", "a", renamed("c")))
    assert patch.after == b"x = c(1)\ny = d(2)\n"
    assert [fix.codemod for fix in patch.applied] == ["fix-b", "fix-a"]


def test_fix_that_overlaps_waits_for_the_next_round() -> None:
    patch = planned("x = a(a(1))\n", codemod("fix-a", "a", into("c({})")))
    assert patch.after == b"x = c(c(1))\n"
    assert len(patch.applied) == 2 and patch.held == ()


def test_fix_that_another_one_decides_about_is_made_of_what_that_leaves() -> None:
    def told(edit: Rewriter, module: Module, call: ast.Call) -> None:
        edit.replace(call.func, "d" if b"a(" in module.source.text else "e")

    late, first = codemod("late", "b", told), codemod("first", "a", renamed("c"))
    text = "x = a(1)\ny = b(2)\n"
    assert planned(text, late, first).after == b"x = c(1)\ny = d(2)\n"
    assert planned(text, first, replace(late, after=("first",))).after == b"x = c(1)\ny = e(2)\n"
    held = plan(
        source(text),
        (first, replace(late, after=("first",))),
        lambda fix: Reason("left-out", "no") if fix.codemod == "first" else None,
    )
    assert held.after == b"x = a(1)\ny = d(2)\n"


def test_fixes_inside_one_another_take_as_many_rounds_as_they_are_deep() -> None:
    patch = planned(f"x = {'a(' * 15}1{')' * 15}\n", codemod("fix-a", "a", into("c({})")))
    assert patch.after == f"x = {'c(' * 15}1{')' * 15}\n".encode()


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_definitions_that_many_fixes_put_above_one_function_all_stand(newline: str) -> None:
    def rewrite(edit: Rewriter, module: Module, call: ast.Call) -> None:
        edit.insert_before(module.tree.body[0], f"def b{module.text(call.args[0])}():\n    pass")
        edit.replace(call.func, "b" + module.text(call.args[0]))

    calls = "".join(f"    a({n})\n" for n in range(12))
    patch = planned(f"def f():\n{calls}".replace("\n", newline), codemod("fix-a", "a", rewrite))
    made = "".join(f"def b{n}():\n    pass\n\n\n" for n in range(12))
    called = "".join(f"    b{n}({n})\n" for n in range(12))
    assert patch.after.decode() == f"{made}def f():\n{called}".replace("\n", newline)
    assert len(patch.applied) == 12


def test_first_codemod_wins_and_the_second_sees_what_it_made() -> None:
    outer, inner = codemod("outer", "a", into("c({}, {})")), codemod("inner", "b", into("d({})"))
    one = codemod("outer", "a", lambda edit, module, call: edit.replace(call, f"c({module.text(call.args[0])})"))
    assert planned("x = a(b(1))\n", one, inner).after == b"x = c(d(1))\n"
    assert planned("x = a(b(1))\n", inner, one).after == b"x = c(d(1))\n"
    with pytest.raises(BugError, match="`outer` broke: IndexError"):
        planned("x = a(b(1))\n", outer)


def test_fix_that_stays_overlapped_is_held_with_the_other_one() -> None:
    stubborn = codemod("stubborn", "a", into("a( {} )"))
    patch = plan(
        source("x = b(a(1))\n"),
        (codemod("fix-b", "b", into("c({})")), stubborn),
        lambda fix: Reason("left-out", "not now" if fix.codemod == "fix-b" else "nor this"),
    )
    assert patch.after == patch.before
    assert [held.reason.text for held in patch.held] == ["not now", "nor this"]


def test_import_that_two_fixes_need_is_made_once() -> None:
    def rewrite(edit: Rewriter, module: Module, call: ast.Call) -> None:
        edit.replace(call.func, edit.imported("jax.numpy", prefer="jnp") + ".sum")

    patch = planned("import os\n\nx = a(1)\ny = a(2)\n", codemod("fix-a", "a", rewrite))
    assert patch.after == b"import os\n\nimport jax.numpy as jnp\n\nx = jnp.sum(1)\ny = jnp.sum(2)\n"
    assert len(patch.applied) == 2


def test_many_fixes_are_told_apart_when_one_of_them_is_wrong() -> None:
    def rewrite(edit: Rewriter, module: Module, call: ast.Call) -> None:
        edit.replace(call.func, "c(" if module.text(call) == "a(7)" else "c")

    patch = planned("".join(f"x = a({n})\n" for n in range(20)), codemod("fix-a", "a", rewrite))
    assert patch.after.count(b"c(") == 19 and b"x = a(7)\n" in patch.after
    assert [held.reason for held in patch.held] == [Reason(Code.NOT_WRITABLE, "the rewritten file does not parse")]


@pytest.mark.parametrize(
    ("text", "new", "reason"),
    [
        ("x = a(1)\n", "b(", "the rewritten file does not parse"),
        ("x = 1  # one\ny = a(  # two\n    1)\n", "b(1)", "the comment on line 2 would be lost"),
        ("x = a(1)\n", "a(1)", "the rewrite changes nothing"),
        ("# coding: latin-1\nx = a(1)\n", "'ω'", "'ω' has no place in iso-8859-1"),
        ("x = f'{a(1)}'\n", "b", "line 1 cannot be rewritten: it is in an f-string"),
    ],
)
def test_fix_that_may_not_be_written_is_held_with_its_reason(text: str, new: str, reason: str) -> None:
    patch = planned(text, codemod("fix-a", "a", into(new)))
    assert patch.after == patch.before
    (held,) = patch.held
    assert held.reason.text.removeprefix("a.py: ") == reason
    assert held.fix.safety is Safety.DISPLAY_ONLY and held.fix.lowered_because == held.reason


def test_fixes_without_end_name_their_codemod() -> None:
    with pytest.raises(BugError, match=r"^a\.py: the fixes of `endless` do not terminate$"):
        planned("x = a(1)\n", codemod("endless", "a", into("a({}, 1)")))


def test_fixes_that_undo_each_other_are_both_named() -> None:
    there, back = codemod("there", "a", renamed("b")), codemod("back", "b", renamed("a"))
    with pytest.raises(BugError, match="the fixes of `back`, `there` do not terminate"):
        planned("x = a(1)\n", there, back)


def test_recipe_that_raises_is_named_with_its_place() -> None:
    def rewrite(edit: Rewriter, module: Module, call: ast.Call) -> None:
        raise ZeroDivisionError("boom")

    with pytest.raises(BugError, match=r"^a\.py:3: the recipe of `broken` broke: ZeroDivisionError: boom$"):
        planned("\n\nx = a(1)\n", codemod("broken", "a", rewrite))


@pytest.mark.parametrize(
    ("text", "is_asked"),
    [
        ("from here import scan\n", True),
        ("x.scan\n", True),
        ("def scan(): ...\n", True),
        ("f(scan=1)\n", True),
        ("__all__ = ['scan']\n", True),
        ("# scan\n", False),
        ('"It has a scan."\n', False),
        ("x = 2**n\n", True),
        ("x **= n\n", True),
        ("def f(n, **options): ...\n", False),
    ],
)
def test_codemod_is_asked_where_the_code_has_a_trigger(text: str, is_asked: bool) -> None:
    asked = []

    def find(module: Module) -> Iterator[Finding]:
        asked.append(module)
        yield from ()

    triggers = ("jax.lax.scan",) if "scan" in text else ("**",)
    analyze(source(text), [Codemod("told", triggers, Safety.SAFE, Equality.BITWISE, find)])
    assert bool(asked) is is_asked


def test_codemod_that_raises_does_not_stop_the_others() -> None:
    def find(module: Module) -> Iterator[Finding]:
        raise ZeroDivisionError("boom")
        yield

    broken = Codemod("broken", ("a",), Safety.SAFE, Equality.BITWISE, find)
    analysis = analyze(source("x = a(1)\n"), (broken, codemod("fix-a", "a", renamed("c"))))
    assert analysis.bugs == ("a.py: codemod `broken` broke: ZeroDivisionError: boom",)
    assert [found.codemod.id for found in analysis.found] == ["fix-a"]


# --- keys ---------------------------------------------------------------------------------------------------------


ALIKE = "def f():\n    x = a(1)\n    x = a(1)\n    x = a(1)\n"


def test_keys_are_distinct_and_stay_when_lines_move() -> None:
    fix_a = codemod("fix-a", "a", renamed("c"))
    keys = [found.key for found in analyze(source(ALIKE), (fix_a,)).found]
    moved = [found.key for found in analyze(source("import os\n\n\n" + ALIKE), (fix_a,)).found]
    assert len(set(keys)) == 3 and moved == keys


@pytest.mark.parametrize("wanted", [0, 1, 2])
def test_one_of_several_alike_is_made_and_no_other(wanted: int) -> None:
    fix_a = codemod("fix-a", "a", renamed("c"))
    keys = [found.key for found in analyze(source(ALIKE), (fix_a,)).found]
    patch = plan(
        source(ALIKE), (fix_a,), lambda fix: None if fix.key == keys[wanted] else Reason("left-out", "not this one")
    )
    assert [fix.key for fix in patch.applied] == [keys[wanted]]
    assert patch.after.splitlines()[1 + wanted] == b"    x = c(1)"
    assert patch.after.count(b"a(1)") == 2


# --- packs --------------------------------------------------------------------------------------------------------

PAGE = '"""A pack.\n\nBefore:\n    a\n\nAfter:\n    b\n\nSafety: safe.\n\nEvidence: none.\n\nSource: here.\n"""\n'
BODY = """
from jaxfix.api import Codemod, Equality, Safety

def find(module):
    return iter(())

CODEMODS = (Codemod("{id}", ("a",), Safety.SAFE, Equality.BITWISE, find),)
"""


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Makes a pack with the given name and text; no other packs are installed."""
    monkeypatch.setattr(sys, "path", [str(tmp_path)])

    def installed(name: str, text: str) -> None:
        module = f"{name}_of_{tmp_path.name}"
        (tmp_path / f"{module}.py").write_text(text)
        folder = tmp_path / f"{name}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (folder / "entry_points.txt").write_text(f"[jaxfix.codemods]\n{name} = {module}:CODEMODS\n")

    return installed


def test_no_pack_is_an_error_with_its_cure(install: Callable[[str, str], None]) -> None:
    with pytest.raises(PackError, match=r"no codemod packs are installed; run `pip install -e \.`"):
        load_registry()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1 / 0\n", "pack 'bad': ZeroDivisionError: division by zero"),
        (PAGE + "CODEMODS = []\n", "pack 'bad': the entry point is not a tuple of codemods"),
        (PAGE + "CODEMODS = (1,)\n", "pack 'bad': 1 is not a `Codemod`"),
        (PAGE + "CODEMOD = ()\n", "pack 'bad': AttributeError"),
        (PAGE + BODY.format(id="good"), "pack 'bad': codemod 'good' has an id that is already taken"),
        (PAGE.replace("Evidence:", "") + BODY.format(id="bad"), "pack 'bad': codemod 'bad' has no `Evidence:` section"),
        (PAGE + BODY.format(id="bad").replace('("a",)', "()"), "pack 'bad': codemod 'bad' has no triggers"),
    ],
)
def test_broken_pack_is_named_and_the_others_run(install: Callable[[str, str], None], text: str, reason: str) -> None:
    install("bad", text)
    install("also", PAGE + BODY.format(id="also"))
    install("jaxfix", PAGE + BODY.format(id="good"))
    registry = load_registry()
    assert [codemod.id for codemod in registry.codemods] == ["good", "also"]
    (failure,) = registry.failures
    assert str(failure).startswith(reason)


def test_id_that_a_pack_has_twice_is_named(install: Callable[[str, str], None]) -> None:
    install("bad", PAGE + BODY.format(id="twin") + "CODEMODS += CODEMODS\n")
    assert str(load_registry().failures[0]).startswith("pack 'bad': codemod 'twin' has an id that is already taken")


def test_what_is_moot_is_not_fixed_beside_what_is_not() -> None:
    layer = """\
import flax.linen as nn
from jax import jit, lax


class Cell(nn.Module):
    def __call__(self, x):
        def body(i, value):
            return value * 0.5

        return lax.fori_loop(0, 3, body, x)


def f(x):
    return jit(lambda v: v + 1)(x)
"""
    source = SourceFile.decode("layer.py", layer.encode())
    assert {fix.codemod for fix in plan(source, CODEMODS, lambda fix: None).applied} == {"local-jit"}
    assert [found.id for found in analyze(source, CODEMODS).diagnostics] == ["local-jit"]


SCANNED = """\
import flax.linen as nn
from jax import lax


def smoothed(x):
    def body(i, value):
        return value * 0.5

    return lax.fori_loop(0, 3, body, x)


class Cell(nn.Module):
    def __call__(self, x):
        return smoothed(x) + 1
"""


@pytest.mark.parametrize(
    ("more", "told"),
    [("", []), ("\n\ndef report(xs):\n    return [smoothed(x) for x in xs]\n", ["local-loop-function"])],
    ids=["a layer", "and a loop"],
)
def test_what_only_layers_call_is_left_to_the_jit_around_the_model(more: str, told: list[str]) -> None:
    source = SourceFile.decode("layer.py", f"{SCANNED}{more}".encode())
    assert [found.id for found in analyze(source, CODEMODS).diagnostics] == told
