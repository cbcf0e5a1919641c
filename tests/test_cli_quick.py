"""What is read without Typer is what Typer would read."""

from inspect import signature
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.main import get_command

from jaxfix.drivers.cli import app, helping, quick, usage

WORDS = ["a.py", "-", "", "--", "-h", "--help", "-x", "--al", "--all=1", "text", "json", "xml", "x,y", "--frobnicate"]
OPTIONS = [*usage.CHECK, *(f"{option}=json" for option in usage.CHECK)]
check: Any = get_command(app.app)  # of click, or of Typer where that has brought click along


def by_typer(words: list[str]) -> dict[str, object] | None:
    """The parameters that Typer reads, as far as they are not the defaults; None for wrong usage."""
    try:
        context = check.commands["check"].make_context("check", list(words), resilient_parsing=False)
    except (Exception, SystemExit):
        return None
    given = {name: getattr(value, "value", value) for name, value in context.params.items()}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in given.items() if value}


def meant(given: dict[str, Any]) -> dict[str, Any]:
    """The parameters that are read here, as far as they are not the defaults."""
    return {name: value for name, value in {"output_format": "text", **given}.items() if value}


@settings(deadline=None)
@given(st.lists(st.sampled_from([*WORDS, *OPTIONS]), max_size=6))
def test_what_is_read_is_what_typer_reads(words: list[str]) -> None:
    read = quick.read(words)
    assert read is None or meant(read) == by_typer(words)


@pytest.mark.parametrize(
    "words",
    [
        ["src", "--all", "more"],
        ["--select", "a,b", "--select=c", "--", "--all", "--"],
        ["--output-format", "json", "-", "--stdin-filename=x.py", "--exit-zero"],
        [],
    ],
)
def test_plain_words_are_read_without_typer(words: list[str]) -> None:
    read = quick.read(words)
    assert read is not None and meant(read) == by_typer(words)


def test_what_typer_reads_is_what_is_done() -> None:
    own = signature(quick.checking).parameters
    assert set(own) == set(signature(app.check).parameters) - {"context"}
    assert {name for name, _ in usage.CHECK.values()} | {"paths"} == set(own)


@pytest.mark.parametrize("words", [["--help"], ["-h"]])
def test_the_help_is_what_typer_prints(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    assert (helping.helped(words), app.read(words)()) == (0, 0)
    out, err = capsys.readouterr()
    assert (out, err) == (usage.HELP * 2, "")


def test_without_words_the_help_goes_to_stderr(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    assert helping.helped([]) == 2
    assert capsys.readouterr() == ("", usage.HELP)
    assert app.read([])() == 2
    assert "".join(capsys.readouterr()) == usage.HELP  # on stdout, if Typer is old


@pytest.mark.parametrize("columns", ["60", "79"])
def test_narrow_terminals_get_what_typer_makes_of_them(columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert helping.helped(["--help"]) is None


@pytest.mark.parametrize("columns", ["80", "0", "wide", None])
def test_elsewhere_the_text_is_at_hand(
    columns: str | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns is not None:
        monkeypatch.setenv("COLUMNS", columns)
    assert helping.helped(["--help"]) == 0  # no terminal here: as for 80 columns
    assert capsys.readouterr().out == usage.HELP


@pytest.mark.parametrize("words", [["--help"], []])
def test_nobody_has_to_read_the_help(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", None)
    monkeypatch.setattr("sys.stderr", None)
    assert helping.helped(words) == (0 if words else 2)
