"""The names of one import statement: some come from elsewhere, some go. Only commas are at stake, so tokens suffice."""

import ast
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

from jaxfix.semantic.module import Module
from jaxfix.source.edits import Edit, Span, apply_edits
from jaxfix.source.frozen import frozen
from jaxfix.source.tokens import Token

Import = ast.Import | ast.ImportFrom
Changes = Mapping[ast.alias, str | None]
"""What becomes of names of a statement: the qualified name that they come from instead; None if they go."""

_TRIVIA = frozenset({"COMMENT", "NL", "NEWLINE"})
_REST = re.compile(rb"[ \t\f]*(#[^\r\n]*?)?[ \t\f]*(\r\n|\r|\n)")
_PRAGMA = re.compile(r"#\s*(noqa|type:\s*ignore|pyright:|pylint:|isort:)", re.IGNORECASE)


@frozen
class Rewritten:
    """What an import statement becomes: its text, None if nothing is left of it, and the statements that follow."""

    text: str | None
    following: tuple[str, ...]


def local_name(alias: ast.alias) -> str:
    """The name that an import binds."""
    return alias.asname or alias.name.partition(".")[0]


class ImportNames:
    """The names of one import statement, in bytes of the text of its file."""

    def __init__(self, module: Module, statement: Import, found: Sequence[Token]) -> None:
        self._module = module
        self._text = module.source.text
        self._statement = statement
        self._span = module.span(statement)
        self._leaving: frozenset[ast.alias] = frozenset()
        solid = [token for token in found if token.kind not in ("INDENT", "DEDENT")]
        first, end = (bisect_left(solid, place, key=_start) for place in (self._span.start, self._span.end))
        self._tokens = solid[first : end + 1]

    def rewritten(self, changes: Changes) -> Rewritten:
        """The statement with these changes; comments beside a name that leaves it go with the name."""
        if isinstance(self._statement, ast.Import):
            renamed = {alias: _plain(alias, name) for alias, name in changes.items() if name is not None}
            return Rewritten(self._with(renamed, [a for a in changes if a not in renamed]), ())
        groups = _groups(self._statement, changes)
        own = [alias for alias in self._statement.names if alias not in changes]
        renamed, edits = {}, []
        if not own and groups:
            parent, own = groups.pop(0)
            renamed = {alias: _member(alias, changes[alias]) for alias in own}
            edits = [Edit(self._origin, parent)]
        gone = [alias for alias in self._statement.names if alias not in own]
        self._leaving = frozenset(alias for _, some in groups for alias in some)
        following = [text for parent, some in groups for text in self._elsewhere(parent, some, changes)]
        return Rewritten(self._with(renamed, gone, edits), tuple(following))

    def _elsewhere(self, parent: str, aliases: Sequence[ast.alias], changes: Changes) -> Iterator[str]:
        """The statements that import `aliases` from `parent`: one, and one for each that brings a comment along."""
        bare = [alias for alias in aliases if not self._comment(alias)]
        for some in ([bare] if bare else []) + [[alias] for alias in aliases if alias not in bare]:
            members = ", ".join(_member(alias, changes[alias]) for alias in some)
            comment = self._comment(some[0]) or self._pragma
            yield f"from {parent} import {members}" + (f"  {comment}" if comment else "")

    def _with(
        self, renamed: Mapping[ast.alias, str], gone: Sequence[ast.alias], edits: Sequence[Edit] = ()
    ) -> str | None:
        """The text of the statement; None if every name is gone."""
        if len(gone) == len(self._statement.names):
            return None
        every = [*edits, *(Edit(self._module.span(alias), text) for alias, text in renamed.items())]
        every += [Edit(self._removed(alias, gone), "") for alias in gone]
        start, end = self._span.start, self._span.end
        inside = [Edit(Span(e.span.start - start, e.span.end - start), e.text) for e in every]
        return apply_edits(self._text[start:end], sorted(inside)).decode()

    def _removed(self, alias: ast.alias, gone: Sequence[ast.alias]) -> Span:
        """The text removed together with `alias`: its line, else the adjacent comma."""
        line = self._line(alias)
        names, span = self._statement.names, self._module.span(alias)
        if line is not None and (alias in self._leaving or not self._comment(alias)):
            return line
        if line is not None:
            return Span(span.start, self._text.index(b"#", span.end, line.end))
        place = names.index(alias)
        end = self._comma_end(alias) or span.end
        if any(other not in gone for other in names[:place]):
            before = self._module.span(names[place - 1]).end
            return Span(span.start if b"#" in self._text[before : span.start] else before, span.end)
        following = self._module.span(names[place + 1]).start if place + 1 < len(names) else end
        return Span(span.start, end if b"#" in self._text[end:following] else following)

    def _line(self, alias: ast.alias) -> Span | None:
        """The line that `alias` has to itself, comment included; None if it shares one."""
        lines, span = self._module.source.lines, self._module.span(alias)
        start = lines.line_start(lines.line(span.start))
        rest = _REST.match(self._text, self._comma_end(alias) or span.end)
        if start <= self._span.start or self._text[start : span.start].strip() or rest is None:
            return None
        return Span(start, rest.end()) if rest.end() <= self._span.end else None

    def _comment(self, alias: ast.alias) -> str:
        """The comment on the line that `alias` has to itself."""
        line = self._line(alias)
        rest = _REST.match(self._text, self._comma_end(alias) or self._module.span(alias).end)
        return rest[1].decode() if line is not None and rest is not None and rest[1] else ""

    @property
    def _pragma(self) -> str:
        """The pragma in the comment after the statement, which holds for every name of it."""
        behind = next((token for token in self._tokens if token.span.start >= self._span.end), None)
        is_pragma = behind is not None and behind.kind == "COMMENT" and _PRAGMA.match(behind.text)
        return behind.text if behind is not None and is_pragma else ""

    def _comma_end(self, alias: ast.alias) -> int | None:
        end = self._module.span(alias).end
        after = next((t for t in self._tokens if t.span.start >= end and t.kind not in _TRIVIA), None)
        return after.span.end if after is not None and after.text == "," else None

    @property
    def _origin(self) -> Span:
        """The module that names come from, between `from` and `import`."""
        last = next(n for n, token in enumerate(self._tokens) if token.text == "import")
        return Span(self._tokens[1].span.start, self._tokens[last - 1].span.end)


def _groups(statement: ast.ImportFrom, changes: Changes) -> list[tuple[str, list[ast.alias]]]:
    """The names that come from elsewhere, by the module that they come from."""
    found: dict[str, list[ast.alias]] = {}
    for alias in statement.names:
        name = changes.get(alias)
        if name is not None:
            found.setdefault(name.rpartition(".")[0], []).append(alias)
    return list(found.items())


def _start(token: Token) -> int:
    return token.span.start


def _plain(alias: ast.alias, name: str) -> str:
    return f"{name} as {alias.asname}" if alias.asname else name


def _member(alias: ast.alias, qualname: str | None) -> str:
    last = (qualname or "").rpartition(".")[2]
    local = alias.asname or alias.name
    return last if local == last and alias.name != alias.asname else f"{last} as {local}"
