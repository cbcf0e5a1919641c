"""What is read without Typer is what Typer would read."""

import contextlib
import inspect
import io
from collections.abc import Callable, Sequence
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxfix.drivers.cli import app, helping, quick, usage
from jaxfix.drivers.cli.options.check import Check
from jaxfix.drivers.cli.options.declaration import Option, Parameter, parameters

WORDS = ["a.py", "-", "", "--", "-h", "--help", "-x", "--al", "text", "json", "xml", "x,y", "7", "--frobnicate", "-iy"]
# except those that run a program, whose options are not theirs
COMMANDS = (app.check, app.apply, app.review, app.report, app.undo, app.trust, app.receipts, app.doctor, app.explain)


def kind(command: Callable[..., int]) -> type:
    (options,) = inspect.signature(command).parameters.values()
    return options.annotation


def spellings(parameter: Parameter) -> tuple[str, ...]:
    return parameter.spelled.names if isinstance(parameter.spelled, Option) else ()


def lines(command: Callable[..., int]) -> st.SearchStrategy[list[str]]:
    """Command lines of any length with each option as it is, joined to a value, and abbreviated."""
    names = [name for parameter in parameters(kind(command)) for name in spellings(parameter)]
    forms = [form for name in names for form in (name, f"{name}=json", f"{name}=", f"{name}=-x", name[:-1])]
    return st.lists(st.sampled_from([*WORDS, *names, *forms]), max_size=6)


def by_typer(command: Callable[..., int], words: Sequence[str]) -> object:
    """The options that Typer reads; None for wrong usage and for help."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        run = app.read([command.__name__, *words])
    assert isinstance(run, partial)
    return run.args[0] if run.func is command else None


@settings(deadline=None, max_examples=300)
@given(st.sampled_from(COMMANDS).flatmap(lambda command: st.tuples(st.just(command), lines(command))))
def test_what_is_read_is_what_typer_reads(line: tuple[Callable[..., int], list[str]]) -> None:
    command, words = line
    read = quick.read(kind(command), words)
    assert read is None or read == by_typer(command, words)


@pytest.mark.parametrize(
    "words",
    [
        ["src", "--all", "more"],
        ["--select", "a,b", "--select=c", "--", "--all", "--"],
        ["--output-format", "json", "-", "--stdin-filename=x.py", "--exit-zero"],
        ["--output-file=", "--python", "a", "--python", "b"],
        [],
    ],
)
def test_plain_words_are_read_without_typer(words: list[str]) -> None:
    read = quick.read(Check, words)
    assert read is not None and read == by_typer(app.check, words)


@pytest.mark.parametrize("name", [name for parameter in parameters(Check) for name in spellings(parameter)])
def test_every_option_of_check_is_read_without_typer(name: str) -> None:
    assert any(quick.read(Check, words) not in (None, Check()) for words in ([name], [name, "json"]))


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (app.check, ["--al"]),
        (app.check, ["--all=1"]),
        (app.check, ["--select"]),
        (app.check, ["--select", "--all"]),
        (app.check, ["--output-format", "xml"]),
        (app.apply, ["--timeout", "7"]),
        (app.apply, ["-ix"]),
        (app.report, ["-o=page.html"]),
        (app.explain, []),
    ],
)
def test_what_is_not_plain_is_left_to_typer(command: Callable[..., int], words: list[str]) -> None:
    assert quick.read(kind(command), words) is None


def test_each_command_has_the_options_that_it_declares() -> None:
    for command in (*COMMANDS, app.trace, app.gate):
        names = [name for parameter in parameters(kind(command)) for name in spellings(parameter)]
        assert len(names) == len(set(names))
        with contextlib.redirect_stdout(io.StringIO()) as told:
            assert app.read([command.__name__, "--help"])() == 0
        assert [name for name in names if name not in told.getvalue()] == []


@pytest.mark.parametrize("words", [["--help"], ["-h"]])
def test_the_help_is_what_typer_prints(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    assert (helping.helped(words), app.read(words)()) == (0, 0)
    out, err = capsys.readouterr()
    assert (out, err) == (usage.HELP * 2, "")


def test_no_line_of_the_help_is_cut_off() -> None:
    described = usage.HELP.partition("Commands:\n")[2].splitlines()
    assert len(described) > 15
    assert [line for line in described if not line.endswith(".") or line.endswith("...")] == []


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
