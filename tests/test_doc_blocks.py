"""The blocks of code on the pages: commands with options that they have, and text in the language that it claims."""

import ast
import json
import re
import shlex
import tomllib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from textwrap import dedent

import pytest
import yaml

from jaxfix.drivers.cli import app

ROOT = Path(__file__).resolve().parents[1]
PAGES = (
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "editors" / "vscode" / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "codemods").glob("*.md")),
)
_BLOCK = re.compile(r"^( *)```([a-z]+)[^\n]*\n(.*?)^\1```", re.DOTALL | re.MULTILINE)
_OTHERS = ("lsp", "mcp")
"""Their options are their own: `jaxfix.__main__` starts them."""
READERS: dict[str, Callable[[str], object]] = {
    "json": json.loads,
    "python": ast.parse,
    "toml": tomllib.loads,
    "yaml": yaml.safe_load,
}


def blocks(*languages: str) -> Iterator[tuple[str, str, str]]:
    """The page, the language and the text of each block in one of these languages."""
    for page in PAGES:
        for _, language, text in _BLOCK.findall(page.read_text(encoding="utf-8")):
            if language in languages:
                yield page.relative_to(ROOT).as_posix(), language, dedent(text)


def lines() -> Iterator[tuple[str, str]]:
    """The page and the line of each command; of a console those behind its `$`."""
    for page, language, text in blocks("bash", "sh", "console"):
        for line in text.replace("\\\n", " ").splitlines():
            if language != "console" or line.startswith("$ "):
                yield page, line.removeprefix("$ ")
    for page in PAGES:
        for cell in re.findall(r"^\| `(jaxfix [^`]+)` \|", page.read_text(encoding="utf-8"), re.MULTILINE):
            if page.name != "cli.md":
                yield page.relative_to(ROOT).as_posix(), cell


def commands(line: str) -> Iterator[list[str]]:
    """The words behind `jaxfix` of each command of a line of a shell."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|;&>")
    lexer.whitespace_split = True
    words: list[str] = []
    for word in [*lexer, ";"]:
        if not set(word) <= set("|;&>"):
            words.append(word)
            continue
        words = words[words.index("-m") + 1 :] if "-m" in words[:2] else words
        if words[:1] == ["jaxfix"]:
            yield words[1:]
        words = []


def is_understood(words: list[str]) -> bool:
    """Whether the command line is read without a complaint; nothing is run."""
    command = app.read(words)
    return isinstance(command, partial) and command.func is not int  # an exit code, of a complaint


COMMANDS = sorted({(page, tuple(words)) for page, line in lines() for words in commands(line)})


@pytest.mark.parametrize(("page", "words"), COMMANDS)
def test_a_command_of_a_page_is_understood(page: str, words: tuple[str, ...]) -> None:
    if words[0] in _OTHERS or words[0].startswith("-"):
        return
    assert is_understood(list(words)), f"{page}: jaxfix {' '.join(words)}"


def test_commands_are_found_and_wrong_ones_are_not_understood() -> None:
    assert len(COMMANDS) > 60
    assert list(commands("cd x && python -m jaxfix check 'a;b' > out.txt")) == [["check", "a;b"]]
    assert not is_understood(["check", "--no-such-option"])
    assert not is_understood(["chek"])


def test_every_block_is_read_by_what_reads_its_language() -> None:
    wrong = []
    for page, language, text in blocks(*READERS):
        try:
            READERS[language](text)
        except Exception as error:
            wrong.append(f"{page}: {language}: {error}: {text[:80]}")
    assert wrong == []
