"""Patches as unified diffs that `git apply` takes, byte for byte."""

import re
from collections.abc import Iterable, Iterator, Sequence

from jaxfix.render import cells, words
from jaxfix.render.line_hunks import line_hunks
from jaxfix.render.paint import Paint, printable
from jaxfix.report.report import Generated, Patch

_NO_NEWLINE = "\\ No newline at end of file\n"
_STYLES = {"-": "red", "+": "green"}
_OUTSIDE = {"---": "bold", "+++": "bold", "#": "dim"}
_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")


def counted(before: bytes | None, after: bytes) -> tuple[int, int]:
    """How many lines the diff adds, and how many it removes."""
    lines = list(line_hunks(_lines(before or b""), _lines(after)))
    return sum(line.startswith("+") for line in lines), sum(line.startswith("-") for line in lines)


def unified(patches: Iterable[Patch], generated: Iterable[Generated] = ()) -> bytes:
    """The diff of every file that changes, in the order given; `generated` ones may be new."""
    changes = [(patch.path, patch.before, patch.after) for patch in patches]
    texts = [(entry.path, entry.before, entry.after) for entry in generated]
    return b"".join(_unified(*change) for change in (*changes, *texts) if change[1] != change[2])


def painted(diff: bytes, paint: Paint) -> bytes:
    """The diff for a terminal: coloured, the words that have changed marked, and nothing in it that moves a cursor."""
    lines = diff.decode(errors="surrogateescape").split("\n")
    ends = ("\r" * line.endswith("\r") for line in lines)
    told = _painted([line.removesuffix("\r") for line in lines], paint)
    return "\n".join(map("".join, zip(told, ends, strict=True))).encode(errors="surrogateescape")


def hunks(patch: Patch, encoding: str, paint: Paint) -> str:
    """What a patch changes, for a terminal, without the names of the file; of a notebook, as Python."""
    of_cells = cells.hunks(patch.path, patch.before, patch.after)
    if of_cells is not None:
        return "\n".join(_painted([*of_cells, ""], paint))
    raw = _unified(patch.path, patch.before, patch.after)
    lines = raw.split(b"\n", 2)[2].decode(encoding, errors="replace").split("\n")
    return "\n".join(_painted([line.removesuffix("\r") for line in lines], paint))


def _unified(path: str, before: bytes | None, after: bytes) -> bytes:
    body = cells.headed(path, before, list(line_hunks(_lines(before or b""), _lines(after))))
    body = [line if line.endswith("\n") else f"{line}\n{_NO_NEWLINE}" for line in body]
    old, new = (f"{mark} {_quoted(f'{side}/{path}')}\n" for mark, side in (("---", "a"), ("+++", "b")))
    old = "--- /dev/null\n" if before is None else old
    return f"{old}{new}".encode(errors="surrogateescape") + "".join(body).encode("latin-1")


def _lines(raw: bytes) -> list[str]:
    """Lines as git sees them: they end at `\\n` alone. Latin-1 gives every byte back as it was."""
    return [f"{line}\n" for line in raw.decode("latin-1").split("\n")[:-1]] + _rest(raw)


def _rest(raw: bytes) -> list[str]:
    last = raw.rpartition(b"\n")[2]
    return [last.decode("latin-1")] if last else []


def _quoted(path: str) -> str:
    """The path as git writes it: quoted where a control character, a quote or a backslash asks for it."""
    if any(character in '"\\' or character < " " for character in path):
        escaped = path.replace("\\", "\\\\").replace('"', '\\"')
        return '"' + "".join(c if c >= " " else f"\\{ord(c):03o}" for c in escaped) + '"'
    return f"{path}\t" if " " in path else path


def _painted(lines: Sequence[str], paint: Paint) -> Iterator[str]:
    """The lines of a diff with colours; line by line, except those that replace others."""
    at, left = 0, (0, 0)
    while at < len(lines):
        header = _HUNK.match(lines[at])
        block = lines[at : at + 1] if header is not None or left == (0, 0) else _block(lines, at)
        at += len(block)
        if header is not None:
            left = (int(header[1] or 1), int(header[2] or 1))
            yield paint("cyan", _still(block[0]))
        elif left == (0, 0):
            yield _named(block[0], paint)
        else:
            left = _less(left, block)
            yield from _changed(block, paint)


def _block(lines: Sequence[str], start: int) -> Sequence[str]:
    """Lines that are removed and those that take their place, or one line of another kind."""
    end = start
    for mark in "-\\+\\":
        end = next((number for number in range(end, len(lines)) if not lines[number].startswith(mark)), len(lines))
    return lines[start : max(end, start + 1)]


def _less(left: tuple[int, int], block: Sequence[str]) -> tuple[int, int]:
    """How many old and new lines of the hunk are still to come."""
    old = sum(not line.startswith(("+", "\\")) for line in block)
    new = sum(not line.startswith(("-", "\\")) for line in block)
    return max(left[0] - old, 0), max(left[1] - new, 0)


def _changed(block: Sequence[str], paint: Paint) -> Iterator[str]:
    sides = {mark: [line[1:] for line in block if line.startswith(mark)] for mark in "-+"}
    marked = dict(zip("-+", map(iter, words.marked(sides["-"], sides["+"])), strict=True))
    for line in block:
        mark = line[:1]
        if mark not in marked:
            yield _still(line)
            continue
        style = _STYLES[mark]
        (first, is_marked), *rest = next(marked[mark])
        parts = [(mark, False), (first, True), *rest] if is_marked else [(mark + first, False), *rest]
        yield "".join(paint(f"{style} reverse" if is_new else style, _still(text)) for text, is_new in parts if text)


def _named(line: str, paint: Paint) -> str:
    """A line outside of all hunks: the name of a file, or a remark."""
    style = next((style for mark, style in _OUTSIDE.items() if line.startswith(mark)), None)
    return _still(line) if style is None else paint(style, _still(line))


def _still(text: str) -> str:
    """The text without what a terminal would act upon; bytes that are no UTF-8 stay."""
    if text.isprintable():
        return text
    return "".join(c if c == "\t" or "\udc80" <= c <= "\udcff" else printable(c) for c in text)
