"""Markdown whose code blocks are the cells of a notebook: jupytext's, R Markdown, Quarto, MyST; or any with Python."""

import re
from collections.abc import Mapping

from jaxfix.source.errors import ForeignNotebookError, SourceError
from jaxfix.source.frozen import frozen

_BOM = b"\xef\xbb\xbf"
_FENCE = re.compile(r"(`{3,}|~{3,}|:{3,})[ \t]*([^\r\n]*)")
_LANGUAGE = re.compile(r"\{?[ \t]*\.?(?:code-cell[}][ \t]*)?((?:i?python|py)[\d.]*)(?![\w.+-])", re.IGNORECASE)
_CODE_CELL = re.compile(r"\{[ \t]*code-cell[ \t]*\}[ \t]*$")
_NO_CELL = re.compile(r"\.noeval\b|\beval[ \t]*=[ \t]*(?:FALSE|False|false)\b")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_OPTION = re.compile(r":[\w-]+:")
_FORMATS = re.compile(r"(?m)^[ \t]*formats:[ \t]*['\"]?([^'\"\r\n]+?)['\"]?[ \t]*$")


@frozen
class Fences:
    """The text around the blocks of Python.

    Attributes:
      sources: of each block.
      starts: where each begins, in characters.
      lines: the line of the file, from 1, on which each begins.
      formats: what jupytext pairs it with, as its header has it; None for nothing.
    """

    sources: tuple[str, ...]
    starts: tuple[int, ...]
    lines: tuple[int, ...]
    formats: str | None = None

    def written(self, raw: bytes, changed: Mapping[int, str]) -> bytes:
        """The bytes of the document with other sources, by the number of the block, from 1; all else stays."""
        mark = _BOM if raw.startswith(_BOM) else b""
        text = raw[len(mark) :].decode()
        pieces, at = [], 0
        for number, source in sorted(changed.items()):
            start = self.starts[number - 1]
            pieces += [text[at:start], source]
            at = start + len(self.sources[number - 1])
        return mark + "".join((*pieces, text[at:])).encode()


def read(path: str, raw: bytes) -> Fences:
    """Reads the blocks of Python; one that is indented, as in a list, is none.

    Raises:
      ForeignNotebookError: there are none.
      SourceError: it is not UTF-8.
    """
    try:
        text = raw.removeprefix(_BOM).decode()
    except UnicodeDecodeError as error:
        raise SourceError(path, f"cannot be decoded: {error}") from error
    found = list(_blocks(text))
    if not found:
        raise ForeignNotebookError(path, "has no block of Python, as ```` ```python ```` begins one")
    lines = [text.count("\n", 0, start) + 1 for start, _ in found]
    header = text[: found[0][0]] if text.startswith("---") else ""
    formats = _FORMATS.search(header) if "jupytext" in header else None
    sources = tuple(source for _, source in found)
    return Fences(sources, tuple(start for start, _ in found), tuple(lines), formats[1] if formats else None)


def _blocks(text: str) -> list[tuple[int, str]]:
    """Where each block of Python begins, and its text without the newline in front of the closing fence."""
    found: list[tuple[int, str]] = []
    fence, start, is_python = "", 0, False
    for line in _LINE.finditer(text):
        opened = _FENCE.match(line[0])
        if not fence and opened and not (opened[1][0] == "`" and "`" in opened[2]):
            is_python = _is_cell(opened[2])
            if opened[1][0] != ":" or is_python:  # in any other part between colons, blocks are as everywhere
                fence, start = opened[1], line.end()
        elif fence and opened and opened[1].startswith(fence) and not opened[2].strip():
            if is_python:
                begin = start + _options(text[start : line.start()])
                found.append((begin, _without_newline(text[begin : line.start()])))
            fence = ""
    return found


def _is_cell(info: str) -> bool:
    return bool(_LANGUAGE.match(info) or _CODE_CELL.match(info)) and _NO_CELL.search(info) is None


def _options(block: str) -> int:
    """How many characters at the top of a MyST cell say what it is, rather than what it does."""
    lines = list(_LINE.finditer(block))
    if lines and lines[0][0].rstrip() == "---":
        closing = next((line for line in lines[1:] if line[0].rstrip() == "---"), None)
        return closing.end() if closing is not None else 0
    end = 0
    for line in lines:
        if not _OPTION.match(line[0]):
            break
        end = line.end()
    return end


def _without_newline(text: str) -> str:
    return text[: -2 if text.endswith("\r\n") else -1] if text.endswith(("\n", "\r")) else text
