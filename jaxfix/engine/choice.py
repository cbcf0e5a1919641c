"""Which fixes go together, and what they make together."""

import ast
from bisect import bisect_left, insort
from collections.abc import Sequence
from textwrap import dedent

from jaxfix.report.finding import Fix
from jaxfix.source.edits import Edit, Span


class Chosen:
    """Fixes of one text, taken one after the other, that do not overlap.

    An edit that several of them make is made once; whole lines that several insert at one place, as definitions
    above one function, all stand there, in the order of the fixes, and decorators of that function last; assignments
    stand together.
    """

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._spans: list[Span] = []
        self._texts: dict[Span, dict[str, None]] = {}
        self._alone: set[Span] = set()
        self._owners: dict[Span, Fix] = {}

    def take(self, fix: Fix) -> Fix | None:
        """Takes `fix`, or returns the fix taken before that it overlaps."""
        for edit in fix.edits:
            for span in self._around(edit.span):
                if span.overlaps(edit.span) and not (span == edit.span and self._goes_with(edit)):
                    return self._owners[span]
        for edit in fix.edits:
            if edit.span not in self._texts:
                insort(self._spans, edit.span)
                self._owners[edit.span] = fix
            self._texts.setdefault(edit.span, {})[edit.text] = None
            if not self._is_lines(edit.span, edit.text):
                self._alone.add(edit.span)
        return None

    @property
    def edits(self) -> tuple[Edit, ...]:
        """What the fixes change together."""
        return tuple(Edit(span, _joined(sorted(self._texts[span], key=_is_decorator))) for span in self._spans)

    def _goes_with(self, edit: Edit) -> bool:
        """Whether `edit` can be made beside those that are taken at its place."""
        if edit.text in self._texts[edit.span]:
            return True
        return edit.span not in self._alone and self._is_lines(edit.span, edit.text)

    def _is_lines(self, span: Span, text: str) -> bool:
        """Whether `text` is whole lines inserted between two, and no import, which has to come before others."""
        is_between = span.start == 0 or self._text[span.start - 1 : span.start] in (b"\n", b"\r")
        is_insertion = span.start == span.end and is_between
        return is_insertion and text.endswith(("\n", "\r")) and not text.startswith(("import ", "from "))

    def _around(self, span: Span) -> list[Span]:
        """The spans that `span` may overlap: those that begin in it, and the one before, which may reach into it.

        An insertion at the start of `span` is between it and that one, so it takes two.
        """
        first = bisect_left(self._spans, span)
        last = bisect_left(self._spans, Span(max(span.end, span.start + 1), 0))
        return self._spans[max(first - 2, 0) : last]


def _joined(texts: Sequence[str]) -> str:
    """All lines; between two assignments none that are blank, as a person would write them."""
    parts = [text.lstrip("\r\n") if number else text for number, text in enumerate(texts)]
    assigns = [len(parts) > 1 and _only_assigns(part) for part in parts]
    for number in range(len(parts) - 1):
        if assigns[number] and assigns[number + 1]:
            parts[number] = _without_blank_end(parts[number])
        elif assigns[number]:
            parts[number] = _with_blank_end(parts[number])
    return "".join(parts)


def _only_assigns(text: str) -> bool:
    """Whether all of these lines are assignments."""
    try:
        return all(isinstance(statement, ast.Assign) for statement in ast.parse(dedent(text)).body)
    except SyntaxError:  # a decorator, and what it stands above
        return False


def _without_blank_end(text: str) -> str:
    kept = text.rstrip("\r\n")
    return kept + text[len(kept) :].splitlines(keepends=True)[0]


def _with_blank_end(text: str) -> str:
    """With the blank lines that stand above a definition: two in a module, one elsewhere."""
    kept = _without_blank_end(text)
    newline = kept[len(kept.rstrip("\r\n")) :]
    return kept + newline * (1 if kept[:1].isspace() else 2)


def _is_decorator(text: str) -> bool:
    """Whether lines end with a decorator, for the definition right below them."""
    return text.rstrip().rpartition("\n")[2].lstrip().startswith("@")
