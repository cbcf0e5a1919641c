"""What in a cell of a notebook is not Python: magics, lines for the shell, questions, code of other languages.

Everything else keeps its line and its bytes; what is not Python becomes blank, with a `0` where a statement has to be.
"""

import ast
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field

from jaxfix.source.edits import Span
from jaxfix.source.frozen import frozen

_IN_PLACE = frozenset({"time", "prun", "memit", "mprun", "lprun", "capture", "snakeviz", "pyinstrument", "jupyter"})
"""Cell magics below which Python runs once, as if they were not there."""
_STATEMENTS = frozenset({"time", "prun", "memit", "mprun", "lprun"})
"""Line magics that run the statement after them once."""
_REPEATED = frozenset({"timeit"})
"""Magics that run Python repeatedly, and keep the variables that it binds to themselves."""
_ELSEWHERE = frozenset(
    {
        *("!", "HTML", "SVG", "bash", "cmd", "file", "html", "javascript", "js", "latex", "markdown", "perl", "pypy"),
        *("python", "python2", "python3", "ruby", "script", "sh", "svg", "sx", "system", "writefile"),
    }
)
"""Cell magics whose text runs in another process, in the browser, or not at all."""
_HARMLESS = frozenset(
    {
        *("alias", "autoawait", "autocall", "automagic", "autoreload", "bookmark", "cat", "cd", "clear", "cls"),
        *("colors", "conda", "config", "cp", "dhist", "dirs", "doctest_mode", "env", "flake8_on", "gui", "hist"),
        *("history", "ldir", "less", "lf", "lk", "ll", "load_ext", "logoff", "logon", "logstart", "logstate"),
        *("logstop", "ls", "lsmagic", "lx", "magic", "mamba", "man", "matplotlib", "micromamba", "mkdir", "more"),
        *("mv", "notebook", "page", "pastebin", "pdb", "pdef", "pdoc", "pfile", "pinfo", "pinfo2", "pip", "popd"),
        *("pprint", "precision", "psearch", "psource", "pushd", "pwd", "pycat", "quickref", "rehashx", "reload_ext"),
        *("rep", "rm", "rmdir", "save", "set_env", "sx", "system", "tb", "tensorboard", "unalias", "unload_ext"),
        *("uv", "watermark", "who", "who_ls", "whos", "xmode"),
    }
)
"""Line magics that bind no variable of the user's."""
_OPTIONS = {
    "time": re.compile(r"(?:--no-raise-error\s+)?"),
    "timeit": re.compile(r"(?:-[nrp]\s*\d+\s+|-[tcoqv]+\s+)*"),
    "prun": re.compile(r"(?:-[lsTD]\s+\S+\s+|-[rq]+\s+)*"),
    "memit": re.compile(r"(?:-[rt]\s*\d+\s+|-[ico]+\s+)*"),
    "mprun": re.compile(r"(?:-[fTD]\s+\S+\s+|-[rc]+\s+)*"),
    "lprun": re.compile(r"(?:-[fmTDusz]\s+\S+\s+|-[rq]+\s+)*"),
}
_PERHAPS = re.compile(r"(?m)^[ \t]*[%!?,;/]|\?[ \t]*;?[ \t]*\r?$|=[ \t]*[%!](?!=)")
"""Without a match there is no magic in a cell; with one there need not be any."""
_ABOVE = re.compile(r"(?:[ \t]*(?:#[^\r\n]*)?(?:\r\n|\r|\n))*")
"""What may stand above the magic of a cell: blank lines, in Colab comments too."""
_CELL_MAGIC = re.compile(r"%%\s*(\S*)")
_CAPTURED = re.compile(r"%%capture[ \t]+(?:--no-\w+[ \t]+)*([^\W\d]\w*)")
_OUTPUTS = re.compile(r"--[oep]")
"""Options that bind a variable to what a command has written: `--out`, `--err` and `--proc`, also cut short."""
_EXPANDED = re.compile(r"[${]")
"""Behind these commands and magics have Python that is evaluated."""
_COMMAND = re.compile(r"([ \t]*)([%!?,;/])(.*)", re.DOTALL)
_QUESTION = re.compile(r"[^#'\"\r\n]*\?[ \t]*;?[ \t]*$")
_ASSIGNED = re.compile(
    r"""([ \t]*[^\W\d](?:[\w., \t()*]|\[(?:'[^'\r\n]*'|"[^"\r\n]*"|[^\]='"\r\n])*\])*=[ \t]*)([%!])(?!=)(.*)""",
    re.DOTALL,
)
_MAGIC = re.compile(r"\s*([^\W\d][\w.]*|!)?(\s*)")
_LEXEME = re.compile(
    r"""(?P<comment>\#.*)|(?P<triple>\"{3}|'{3})|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|(?P<opening>[(\[{])"""
    r"""|(?P<closing>[)\]}])|(?P<continued>\\$)"""
)


@frozen
class Masked:
    """A cell as Python.

    Attributes:
      text: UTF-8, as long as the cell, line for line.
      foreign: the bytes of it that are no Python in the cell.
      head: the bytes in front that have to stay there: magics of the whole cell.
      strange: code in the cell that may bind any variable, or do anything with it.
      hidden: code in the cell that runs and is not part of `text`; it binds nothing.
    """

    text: bytes
    foreign: tuple[Span, ...] = ()
    head: int = 0
    strange: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()


def masked(source: str, unknown: str, *, is_python: bool = True) -> Masked:
    """The Python of a cell.

    Args:
      unknown: a short name that stands for what a magic or a command gives, of which nothing is known.
      is_python: whether the cell, if no magic says otherwise, is in Python.
    """
    if not is_python:
        return _without_python(source)
    is_indented = source.lstrip("\r\n").startswith((" ", "\t"))
    if _PERHAPS.search(source) is None and not is_indented:
        return Masked(source.encode())
    mask = _Mask(unknown)
    mask.cell(source)
    found = mask.result()
    if is_indented and not _parses(found.text.decode()) and _parses(textwrap.dedent(found.text.decode())):
        mask = _Mask(unknown, strange=[source])  # IPython passes over what all of a cell is indented by
        mask.blank(source)
        return mask.result()
    return found


def is_strange_call(method: str, magic: str | None) -> bool:
    """Whether a method of `get_ipython()` may bind any variable; `magic` is the line magic that it is given."""
    if method in ("run_line_magic", "magic"):
        return magic is None or magic.lstrip("%").partition(" ")[0] not in _HARMLESS | _REPEATED
    return method in ("run_cell", "run_cell_magic", "run_code", "ex", "push", "safe_execfile", "runcode")


def unknown_name(sources: str) -> str:
    """A name of two letters that is nowhere in `sources`."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    names = (first + second for first in f"{letters}{letters.upper()}_" for second in f"_{letters.upper()}{letters}")
    return next((name for name in names if name not in sources), "__")


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _without_python(source: str) -> Masked:
    mask = _Mask("")
    mask.blank(source)
    return mask.result()


@dataclass(slots=True)
class _Mask:
    """Goes through a cell and writes down what is left of it."""

    unknown: str
    parts: list[bytes] = field(default_factory=list)
    foreign: list[Span] = field(default_factory=list)
    strange: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)
    head: int = 0
    at: int = 0

    def result(self) -> Masked:
        return Masked(b"".join(self.parts), tuple(self.foreign), self.head, tuple(self.strange), tuple(self.hidden))

    def cell(self, source: str) -> None:
        """A cell, or what is left of it below a magic."""
        empty = _ABOVE.match(source).end()  # type: ignore[union-attr]  # it matches anything
        head, end = _first_line(source, empty)
        magic = _CELL_MAGIC.match(head)
        if magic is None:
            self._lines(source)
            return
        name, body = magic[1], source[end:]
        self.keep(source[:empty])
        bound = _CAPTURED.match(head)
        self.put(source[empty:end], f"{bound[1]}={self.unknown}" if bound else "0")
        self.head = self.at
        if name in _IN_PLACE:
            if _binds_above(name, head):
                self.strange.append(head)
            self.cell(body)
            return
        self.blank(body)
        if name in _REPEATED:
            self.hidden.append(source)
        elif (name not in _ELSEWHERE and not name.startswith("!")) or _OUTPUTS.search(head):
            self.strange.append(source)

    def keep(self, text: str) -> None:
        """Python, as it is."""
        raw = text.encode()
        self.parts.append(raw)
        self.at += len(raw)

    def put(self, text: str, instead: str) -> None:
        """`instead` in place of the first bytes of one line, blanks in place of the others; its newline stays."""
        line = text.rstrip("\r\n")
        size = len(line.encode())
        if size:
            self.foreign.append(Span(self.at, self.at + size))
        if len(instead.encode()) > size:
            instead = "_"[:size]
        self.keep(instead + " " * (size - len(instead.encode())) + text[len(line) :])

    def blank(self, text: str) -> None:
        """Blank lines in place of `text`."""
        for line in text.splitlines(keepends=True):
            self.put(line, "")

    def _lines(self, source: str) -> None:
        lines = iter(_lines_of(source))
        state = _State()
        for line in lines:
            if not state.is_at_statement:
                state.follow(line)
                self.keep(line)
                continue
            whole = line
            command, assigned = _COMMAND.match(line), _ASSIGNED.match(line)
            if command or assigned:
                while whole.rstrip("\r\n").endswith("\\") and (more := next(lines, None)) is not None:
                    whole += more
            if command:
                self._command(whole, command)
            elif _QUESTION.match(line.rstrip("\r\n")):
                self._statement(line, line)
            elif assigned:
                self._assigned(whole, assigned[1])
            else:
                state.follow(line)
                self.keep(line)

    def _command(self, text: str, found: re.Match[str]) -> None:
        indent, mark = found[1], found[2]
        rest = text[len(indent) + 1 :]
        self._expanded(text)
        if mark in "!?":
            self._statement(text, indent)
        elif mark in ",;/" or (name := _magic_name(rest)) is None:
            self._statement(text, indent)
            self.strange.append(text)
        else:
            self._magic(text, indent, name, rest)

    def _magic(self, text: str, indent: str, name: str, rest: str) -> None:
        """A line magic, which may have a statement after it."""
        ran = _ran(name, rest)
        if name in _STATEMENTS | _REPEATED and ran is not None and _is_simple(ran, expression=name in _REPEATED):
            front = text[: len(text) - len(ran)]
            self.keep(indent)
            self.put(front[len(indent) :], "0;")
            self.keep(ran)
            return
        self._statement(text, indent)
        if name in _REPEATED:
            self.hidden.append(text)
        elif name not in _HARMLESS and not (name in _STATEMENTS and ran is None):
            self.strange.append(text)

    def _assigned(self, text: str, front: str) -> None:
        """`files = !ls` or `spent = %timeit -o f(x)`: what is bound is unknown."""
        self._expanded(text)
        rest = text[len(front) + 1 :]
        name = _magic_name(rest) if text[len(front)] == "%" else "!"
        first, end = _first_line(text, 0)
        self.keep(front)
        self.put(first[len(front) :], self.unknown)
        self.blank(text[end:])
        if name in _REPEATED:
            self.hidden.append(text)
        elif name is None or (name != "!" and name not in _HARMLESS):
            self.strange.append(text)

    def _expanded(self, text: str) -> None:
        """Writes down what `!echo {f(x)}` or `%cd $folder` may read."""
        if _EXPANDED.search(text):
            self.hidden.append(text)

    def _statement(self, text: str, indent: str) -> None:
        """A statement that does nothing, in place of a command and the lines that continue it."""
        own = indent if not indent.strip() else indent[: len(indent) - len(indent.lstrip())]
        first, end = _first_line(text, 0)
        self.keep(own)
        self.put(first[len(own) :], "0")
        self.blank(text[end:])


@dataclass(slots=True)
class _State:
    """Where in the Python of a cell a line begins."""

    depth: int = 0
    quotes: str = ""
    is_continued: bool = False

    @property
    def is_at_statement(self) -> bool:
        return not (self.depth or self.quotes or self.is_continued)

    def follow(self, line: str) -> None:
        """Goes on to the end of `line`."""
        text = line.rstrip("\r\n")
        at, self.is_continued = 0, False
        while True:
            if self.quotes:
                end = re.compile(rf"(?:\\.|[^\\])*?{self.quotes}").match(text, at)
                if end is None:
                    return
                at, self.quotes = end.end(), ""
            found = _LEXEME.search(text, at)
            if found is None or found["comment"]:
                return
            at = found.end()
            self.quotes = found["triple"] or ""
            self.depth = max(self.depth + bool(found["opening"]) - bool(found["closing"]), 0)
            self.is_continued = bool(found["continued"])


def _lines_of(source: str) -> Iterator[str]:
    """The lines as Python counts them, with their newlines."""
    return (match[0] for match in re.finditer(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+", source))


def _first_line(text: str, start: int) -> tuple[str, int]:
    """The line that begins at `start`, with its newline, and where it ends."""
    line = next(_lines_of(text[start:]), "")
    return line, start + len(line)


def _magic_name(rest: str) -> str | None:
    found = _MAGIC.match(rest)
    return found[1] if found else None


def _ran(name: str, rest: str) -> str | None:
    """The statement after a magic and its options; None if there is none."""
    options = _OPTIONS.get(name)
    head = _MAGIC.match(rest)
    if options is None or head is None:
        return None
    skipped = options.match(rest, head.end())
    ran = rest[skipped.end() if skipped else head.end() :]
    return ran if ran.strip() else None


def _binds_above(name: str, head: str) -> bool:
    """Whether a cell magic runs code that is in its own line, as `%%prun x = 1` does."""
    if name in ("time", "capture"):
        return False
    return _ran(name, head[2:]) is not None if name in _OPTIONS else bool(head[2:].strip().removeprefix(name))


def _is_simple(text: str, *, expression: bool) -> bool:
    """Whether it is one line of Python that can stand after a `;`."""
    try:
        body = ast.parse(f"0;{text}").body[1:]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    is_line = len(text.strip().splitlines()) == 1 and not text.startswith("-")
    return is_line and bool(body) and (not expression or all(isinstance(part, ast.Expr) for part in body))
