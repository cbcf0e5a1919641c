"""Comments that silence findings: where they count, and for what."""

import ast
from collections.abc import Iterator

import pytest

from jaxfix.engine.analyze import analyze
from jaxfix.report.finding import Equality, Finding, Safety
from jaxfix.report.reason import Reason
from jaxfix.semantic.codemod import Codemod
from jaxfix.semantic.module import Module
from jaxfix.source.source_file import SourceFile


def find(module: Module) -> Iterator[Finding]:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Name) and node.id == "costly":
            yield Finding(
                at=node, message="`costly` costs", title="Drop it", declined=Reason("unread", "no one knows how")
            )


CODEMODS = tuple(
    Codemod(name, ("costly",), Safety.SAFE, Equality.BITWISE, find) for name in ("costly-name", "other-name")
)


def found(text: str) -> list[tuple[str, int]]:
    analysis = analyze(SourceFile.decode("a.py", text.encode()), CODEMODS)
    assert analysis.bugs == ()
    return [(diagnostic.id, diagnostic.line) for diagnostic in analysis.diagnostics]


@pytest.mark.parametrize(
    "text",
    [
        "y = costly  # jaxfix: ignore[costly-name]\n",
        "y = f(  # jaxfix: ignore[costly-name]\n    1,\n    costly,\n)\n",
        "y = f(\n    1,\n    costly,\n)  # jaxfix: ignore[costly-name]\n",
        "y = f(\n    1,\n    costly,  # jaxfix: ignore[costly-name]\n)\n",
        "y = costly  # noqa: F821  # jaxfix: ignore[costly-name]\n",
        "y = costly  #jaxfix:ignore[ costly-name ] as measured\n",
        "if costly:  # jaxfix: ignore[costly-name]\n    y\n",
        "@costly  # jaxfix: ignore[costly-name]\ndef f():\n    y\n",
    ],
)
def test_comment_on_the_first_or_last_line_silences_its_id(text: str) -> None:
    assert [name for name, _ in found(text)] == ["other-name"]


def test_comment_without_ids_silences_every_id() -> None:
    assert found("y = costly  # jaxfix: ignore\n") == []


def test_comment_with_several_ids_silences_each() -> None:
    assert found("y = costly  # jaxfix: ignore[costly-name, other-name]\n") == []


def test_comment_with_another_id_silences_nothing() -> None:
    assert len(found("y = costly  # jaxfix: ignore[costly]\n")) == 2


def test_comment_with_empty_brackets_silences_nothing() -> None:
    assert len(found("y = costly  # jaxfix: ignore[]\n")) == 2


@pytest.mark.parametrize("line", ["# jaxfix: ignore-file", "x = 1  # jaxfix: ignore-file[costly-name, other-name]"])
def test_file_is_silenced(line: str) -> None:
    assert found(f"y = costly\n\n{line}\nz = costly\n") == []


def test_file_is_silenced_for_one_id() -> None:
    assert found("# jaxfix: ignore-file[costly-name]\ny = costly\n") == [("other-name", 2)]


def test_string_is_no_comment() -> None:
    assert len(found("y = costly, '# jaxfix: ignore'\nz = '''\n# jaxfix: ignore-file\n'''\n")) == 2


def test_comment_speaks_of_its_own_statement_alone() -> None:
    assert [line for _, line in found("x = 1  # jaxfix: ignore\ny = costly\nz = 1  # jaxfix: ignore\n")] == [2, 2]


@pytest.mark.parametrize("header", ["while costly:", "def f(a=costly):", "async def f(a=costly):", "class A(costly):"])
def test_comment_in_a_block_does_not_speak_of_its_header(header: str) -> None:
    assert [line for _, line in found(f"{header}\n    x = 1\n    y = costly  # jaxfix: ignore\n")] == [1, 1]


def test_comment_on_a_header_does_not_speak_of_its_block() -> None:
    assert [line for _, line in found("def f():  # jaxfix: ignore\n    x = 1\n    y = costly\n")] == [3, 3]
