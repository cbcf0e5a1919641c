"""Codemods of strangers that break in every way: each is one bug, told with its file, and the others run on."""

import ast
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from command_line import apart

from jaxfix.engine import registry
from jaxfix.engine.analyze import analyze
from jaxfix.engine.plan import plan
from jaxfix.engine.survey import survey
from jaxfix.engine.unit import Unit
from jaxfix.report.finding import Equality, Finding, Safety
from jaxfix.report.reason import Reason
from jaxfix.report.recipe import Rewriter
from jaxfix.semantic.codemod import Codemod
from jaxfix.semantic.module import Module
from jaxfix.semantic.project.surroundings import ALONE
from jaxfix.source.errors import BugError
from jaxfix.source.source_file import SourceFile

TEXT = b"import jax\n\ny = jax.jit(f)\n"
SOURCE = SourceFile.decode("a.py", TEXT)
ELSEWHERE = ast.parse("x = 1\n\n\n\n\n\nother(1)\n")


def finding(at: object, **others: object) -> Finding:
    return Finding(at=at, message="it costs", title="Mend it", **others)  # type: ignore[arg-type]


def codemod(find: Callable[[Module], object], name: str = "odd") -> Codemod:
    return Codemod(name, ("jax.jit",), Safety.SAFE, Equality.BITWISE, find)  # type: ignore[arg-type]


def find_well(module: Module) -> Iterator[Finding]:
    (call,) = module.calls("jax.jit")
    yield finding(call, recipe=lambda edit: edit.replace(call.args[0], "g"))


GOOD = codemod(find_well, "good")


def exits(module: Module) -> Iterator[Finding]:
    sys.exit("done")


def never_returns(module: Module) -> Iterator[Finding]:
    return never_returns(module)


def never_ends(module: Module) -> Iterator[Finding]:
    for _ in count():
        yield finding(module.tree.body[0])


class Mute(Exception):
    def __str__(self) -> str:
        raise RuntimeError


def is_mute(module: Module) -> Iterator[Finding]:
    raise Mute


@pytest.mark.parametrize(
    ("find", "said"),
    [
        (exits, "broke: SystemExit: done"),
        (never_returns, "broke: RecursionError: it calls itself without end"),
        (never_ends, "does not come to an end: it has more than 100,000 findings"),
        (is_mute, "broke: Mute"),
        (lambda module: None, "broke: TypeError: 'NoneType' object is not iterable"),
        (lambda module: ["a.py:1"], "yields `str`, which is not a `Finding`"),
        (lambda module: [finding(ELSEWHERE.body[1])], "has a finding at a node outside this file"),
        (lambda module: [finding(None)], "has a finding at a node outside this file"),
        (lambda module: [finding(call.func.ctx) for call in module.calls("jax.jit")], "has a finding at "),
        (lambda module: [Finding(module.tree.body[0], None, "x")], "has a finding whose `message` is `None`"),
        (lambda module: [finding(module.tree.body[0], confidence="certain")], "has a finding whose `confidence` is"),
        (lambda module: [finding(module.tree.body[0], safety="safe")], "has a finding whose `safety` is `str`"),
        (lambda module: [finding(module.tree.body[0], recipe="x")], "has a finding whose `recipe` cannot be called"),
        (lambda module: [finding(module.tree.body[0], declined="no")], "has a finding whose `declined` is `str`"),
        (lambda module: [finding(module.tree.body[0], declined=Reason("No way", "no"))], "has the code 'No way'"),
    ],
)
def test_what_a_codemod_breaks_is_one_bug_and_the_others_run(find: Callable[[Module], object], said: str) -> None:
    analysis = analyze(SOURCE, [codemod(find), GOOD])
    (bug,) = analysis.bugs
    assert bug.startswith("a.py: codemod `odd` ") and said in bug
    assert [found.codemod.id for found in analysis.found] == ["good"]


def recipe_exits(edit: Rewriter) -> None:
    sys.exit(7)


def recipe_never_returns(edit: Rewriter) -> None:
    recipe_never_returns(edit)


@pytest.mark.parametrize(
    ("recipe", "said"),
    [
        (recipe_exits, "broke: SystemExit: 7"),
        (recipe_never_returns, "broke: RecursionError: it calls itself without end"),
        (
            lambda edit: edit.replace(ELSEWHERE.body[1].value, "z"),
            "broke: ValueError: `other(1)` is not a node of this file",
        ),
        (lambda edit: edit.insert_before(ELSEWHERE.body[1], "z = 1"), "is not a node of this file"),
        (lambda edit: edit.insert_after(ELSEWHERE.body[1], "z = 1"), "is not a node of this file"),
        (lambda edit: edit.delete(ELSEWHERE.body[1]), "is not a node of this file"),
        (lambda edit: edit.replace(None, "z"), "broke: "),
        (lambda: None, "broke: TypeError"),
    ],
)
def test_a_recipe_that_breaks_is_a_bug_of_its_line(recipe: Callable[[Rewriter], None], said: str) -> None:
    odd = codemod(lambda module: [finding(call, recipe=recipe) for call in module.calls("jax.jit")])
    with pytest.raises(BugError) as caught:
        plan(SOURCE, [odd, GOOD], lambda fix: None)
    assert str(caught.value).startswith("a.py:3: the recipe of `odd` broke") and said in str(caught.value)


@pytest.mark.parametrize("text", ["(", "g\n)", "jax.jit(f)"])
def test_a_rewrite_that_does_not_parse_or_changes_nothing_is_never_written(text: str) -> None:
    def find(module: Module) -> Iterator[Finding]:
        (call,) = module.calls("jax.jit")
        yield finding(call, recipe=lambda edit: edit.replace(call, text))

    patch = plan(SOURCE, [codemod(find)], lambda fix: None)
    assert patch.after == TEXT and len(patch.held) == 1


class Endless(str):
    """Fills the stack where the engine reads it, outside of the codemod."""

    def __format__(self, spec: str) -> str:
        return format(self, spec)


@pytest.mark.parametrize("signs", [0, 150])
def test_a_full_stack_is_the_fault_of_a_file_only_where_that_is_deep(signs: int) -> None:
    source = SourceFile.decode("a.py", TEXT + b"z = " + b"-" * signs + b"1\n")
    odd = codemod(lambda module: [Finding(module.tree.body[0], Endless("it costs"), "Mend it")])
    (look,) = survey([Unit(source, (odd,), ALONE)], lambda path: None).looks
    assert look.error == ("a.py: nested too deeply to be analysed" if signs else None)
    assert look.bugs == (() if signs else ("a.py: the analysis broke: RecursionError: it calls itself without end",))


def test_in_a_file_that_is_nested_too_deeply_no_codemod_is_to_blame() -> None:
    deep = SourceFile.decode("a.py", TEXT + b"z = " + b"-" * 150 + b"1\n")
    odd = codemod(lambda module: [finding(call, recipe=recipe_never_returns) for call in module.calls("jax.jit")])
    (held,) = plan(deep, [odd], lambda fix: None).held
    assert str(held.reason) == "the file is nested too deeply to be rewritten"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"id": None}, "has None for its `id`"),
        ({"safety": "safe"}, "has 'safe' for its `safety`"),
        ({"triggers": "jax.jit"}, "has a `triggers` that is not a tuple"),
        ({"triggers": (1,)}, "has a trigger that is not a string"),
        ({"find": None}, "has no callable `find`"),
        ({"proves": "speed"}, "has 'speed' for its `proves`"),
        ({"equality": "bitwise"}, "has 'bitwise' for its `equality`"),
        ({"equality": None, "safety": Safety.NEEDS_EVIDENCE}, "needs a rerun, and has no `equality`"),
        ({"jax": "0.4.25"}, "has '0.4.25' for its `jax`, which is not a condition"),
    ],
)
def test_what_is_hardly_a_codemod_is_refused(change: dict[str, object], said: str) -> None:
    fields = {
        "id": "x",
        "triggers": ("jax.jit",),
        "safety": Safety.SAFE,
        "equality": Equality.BITWISE,
        "find": find_well,
    }
    with pytest.raises(registry.PackError) as caught:
        registry.validated("mine", (Codemod(**fields | change),))  # type: ignore[arg-type]
    assert said in str(caught.value)


def test_a_pack_that_ends_the_process_while_it_loads_is_named_and_the_rest_runs(tmp_path: Path) -> None:
    info = tmp_path / "leaver-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: leaver\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{registry.GROUP}]\nleaver = leaver:CODEMODS\n")
    (tmp_path / "leaver.py").write_text("raise SystemExit(0)\n")
    (tmp_path / "a.py").write_text("import jax\n\nfor x in range(4):\n    jax.jit(lambda v: v + 1)(x)\n")
    done = apart("check", str(tmp_path / "a.py"), packs=(tmp_path,))
    assert done.code == 2
    assert "error: pack 'leaver': SystemExit: 0" in done.err
    assert "local-jit" in done.out
