"""Random programs keep the laws, and twice the file is twice the work; `python -m benchmarks.reliability` goes on."""

import ast
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.reliability import growth, programs
from benchmarks.reliability.laws import examine
from jaxfix.engine.analyze import analyze
from jaxfix.report.finding import Finding
from jaxfix.report.recipe import Rewriter
from jaxfix.semantic.module import Module
from jaxfix.source.source_file import SourceFile
from jaxfix.testing import BESIDE
from jaxfix_codemods import CODEMODS

CONDS = "from jax import lax\n\n\ndef f(x):\n%s\n    return x\n"
EXAMPLES = [each for each in growth.examples(CODEMODS) if each.codemod.endswith("basic")]


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 10**6))
def test_mutants_keep_the_laws(seed: int) -> None:
    raw, _ = programs.mutant(seed, programs.own())
    assert not examine("mutant.py", raw, CODEMODS, variants=True).breaches


@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 10**6))
def test_torn_and_mutated_sources_of_libraries_keep_the_laws(seed: int) -> None:
    path, raw = programs.torn_or_mutated(seed, programs.installed())
    assert not examine(path.name, raw, CODEMODS).breaches


def test_the_laws_notice_a_codemod_that_breaks_and_one_that_comes_to_no_end() -> None:
    def breaks(module: Module) -> Iterator[Finding]:
        raise ZeroDivisionError

    def lengthens(module: Module) -> Iterator[Finding]:
        for name in module.spelled("scan"):
            yield Finding(at=name, message="m", title="T", recipe=partial(longer, name))

    def longer(name: ast.Name, edit: Rewriter) -> None:
        edit.replace(name, f"f({name.id})")

    for find in (breaks, lengthens):
        found = examine("a.py", b"import jax\nscan = 1\nprint(scan)\n", [replace(CODEMODS[0], find=find)])
        assert [breach.law for breach in found.breaches] == ["no codemod breaks"]


def test_what_python_does_not_read_is_refused_with_a_reason() -> None:
    assert examine("a.py", b"x = (\n", CODEMODS).refused == "syntax error"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.codemod)
def test_twice_the_file_is_twice_the_work(example: growth.Example) -> None:
    once, twice = (growth.work(example.times(count, "in a function"), CODEMODS) for count in (4, 8))
    assert twice < 2.6 * once


def test_what_a_command_takes_is_its_own(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import jax\n")
    taken = growth.ran(["check", str(tmp_path / "a.py")])
    held = bytearray(300_000_000)  # by who measures
    again = growth.ran(["check", str(tmp_path / "a.py")])
    del held
    assert taken["ends"] == again["ends"] == "0"
    assert all(0 < each["peak_mb"] < 200 and each["seconds"] > 0 for each in (taken, again))  # type: ignore[operator]


def test_a_chain_of_calls_is_looked_at_once_each() -> None:
    once, twice = (growth.work(CONDS % "\n".join(chain(count)), CODEMODS) for count in (12, 24))
    assert twice < 4.4 * once  # each read of the variable looks at every binding before it


def chain(count: int) -> list[str]:
    return [f"    x = lax.cond(x > {n}, lambda v: v + {n}, lambda v: v - {n}, x)" for n in range(count)]


def test_a_display_of_many_entries_is_read() -> None:
    rows = ", ".join(f"'{n}': ({n}, {n}.5)" for n in range(20_000))
    text = f"import jax\nTABLE = {{{rows}}}\ndef f(xs):\n    return jax.lax.scan(lambda c, x: (c + x, x), 0.0, xs)\n"
    found = analyze(SourceFile.decode("a.py", text.encode()), CODEMODS, surroundings=BESIDE).found
    assert [each.codemod.id for each in found if not each.finding.moot] == ["local-loop-function"]


@pytest.mark.parametrize(
    "body",
    [
        "    for _ in x:\n        g = g\n        jax.jit(g)(x)\n",
        "    return jax.lax.scan(lambda c, v: (c + sum(r for r in y), v), 0.0, x)\n",
        "    @jax.jit\n    def g(u):\n        nonlocal y\n        return u * y\n    return g(x) + g(x[:2]).sum()\n",
    ],
    ids=["a name for itself", "an array that a comprehension goes through", "a variable declared and only read"],
)
def test_what_random_programs_broke(body: str) -> None:
    examined = examine("a.py", f"import jax\n\n\ndef f(x, y):\n{body}".encode(), CODEMODS)
    assert not examined.breaches
    assert examined.refused is None
