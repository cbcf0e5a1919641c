"""Syntax that only a newer Python reads: it is found and mended there, and named elsewhere."""

import sys
from pathlib import Path

import pytest
from command_line import Cli

IS_NEW = sys.version_info >= (3, 14)
EXCEPT = """\
import jax


def total(rows):
    try:
        return sum(jax.jit(lambda row: row * 2.0)(row) for row in rows)
    except ValueError, TypeError:
        return None


print(total([1.0, 2.0]))
"""
TEMPLATE = """\
import jax

for row in (1.0, 2.0, 3.0, 4.0):
    told = t"\u00e9 {jax.jit(lambda row: row * 2.0)(row):>9.1f}"
    print(told.interpolations[0].expression, jax.jit(lambda row: row * 3.0)(row))
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "except.py").write_text(EXCEPT, "utf-8")
    (tmp_path / "template.py").write_text(TEMPLATE, "utf-8")
    return tmp_path


@pytest.mark.skipif(IS_NEW, reason="this Python reads it")
def test_an_older_python_names_what_it_cannot_read(project: Path, cli: Cli) -> None:
    done = cli("check", ".")
    assert done.code == 2
    assert "error: except.py: line 7: syntax error: " in done.err and "error: template.py: line 4: " in done.err


@pytest.mark.skipif(not IS_NEW, reason="the syntax is of Python 3.14")
def test_handlers_without_brackets_are_left_as_they_are(project: Path, cli: Cli) -> None:
    cli("apply", "--unproven", "--allow-no-vcs", "except.py")
    fixed = (project / "except.py").read_text("utf-8")
    assert "_total_jitted(row) for row in rows" in fixed and "    except ValueError, TypeError:\n" in fixed


@pytest.mark.skipif(not IS_NEW, reason="the syntax is of Python 3.14")
def test_a_template_string_holds_its_expressions_as_text_too(project: Path, cli: Cli) -> None:
    told = cli("check", "template.py").out
    assert "template.py:4:" in told and "(no fix: it is inside an f-string)" in told
    cli("apply", "--unproven", "--allow-no-vcs", "template.py")
    fixed = (project / "template.py").read_text("utf-8")
    assert TEMPLATE.splitlines()[3] in fixed and "_jitted(row))" in fixed
