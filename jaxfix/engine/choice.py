"""Which fixes go together: those whose edits do not overlap."""

from bisect import bisect_left, insort

from jaxfix.core.finding import Fix
from jaxfix.core.text import Edit, Span


class Chosen:
    """Fixes taken one after the other; an edit that several of them make is made once."""

    def __init__(self) -> None:
        self._edits: list[Edit] = []
        self._fixes: dict[Edit, Fix] = {}

    def take(self, fix: Fix) -> Fix | None:
        """Takes `fix`, or returns the fix taken before that it overlaps."""
        for edit in fix.edits:
            for other in self._around(edit.span):
                if other != edit and other.span.overlaps(edit.span):
                    return self._fixes[other]
        for edit in fix.edits:
            if edit not in self._fixes:
                insort(self._edits, edit)
                self._fixes[edit] = fix
        return None

    def _around(self, span: Span) -> list[Edit]:
        """The edits that `span` may overlap: those in it, and the one before, which may reach into it.

        Before a place where something is inserted there may be two: an insertion is no obstacle to what it is beside.
        """
        first = bisect_left(self._edits, Edit(span, ""))
        last = bisect_left(self._edits, Edit(Span(max(span.end, span.start + 1), 0), ""))
        return self._edits[max(first - 2, 0) : last]
