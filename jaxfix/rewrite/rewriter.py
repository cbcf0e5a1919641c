"""The verbs of a recipe, recorded and turned into edits."""

import ast
import re
import sys
from collections.abc import Iterable, Mapping, Sequence

from jaxfix.rewrite.arguments import Arguments
from jaxfix.rewrite.blocks import DEFINITIONS
from jaxfix.rewrite.expressions import is_word, needs_parentheses, standing
from jaxfix.rewrite.ground import ground
from jaxfix.rewrite.import_names import Import, ImportNames, local_name
from jaxfix.rewrite.imports import NewImport, Spot, added_at
from jaxfix.rewrite.layout import indentation
from jaxfix.rewrite.moving import Move, head_end, header, lines_of, reindented, renamed
from jaxfix.rewrite.pieces import Piece, Place, in_order, joined
from jaxfix.rewrite.unused_imports import becomes_unused, is_unused
from jaxfix.semantic.module import Module
from jaxfix.source.edits import Edit, Span, apply_edits
from jaxfix.source.errors import SourceError

_NAMED = re.compile(rb"([^\s=]+)\s*=\s*")
_LAST_TURN = sys.maxsize - 1
_INLINE = (Place.CLOSING, Place.INSIDE, Place.OPENING)


class EditRecorder:
    """Implements `jaxfix.report.recipe.Rewriter` for one recipe; `edits` is what the recipe asked for.

    `helpers` are the generated helper functions that it calls.

    Verbs compose: what is changed inside a function that is hoisted is changed in the text that moves, and what
    is changed inside a statement that is deleted goes with it.
    """

    def __init__(self, module: Module) -> None:
        self._module = module
        self._text = module.source.text
        self._ground = ground(module)
        self._layout = self._ground.layout
        self._blocks = self._ground.blocks
        self._pieces: list[Piece] = []
        self._moves: list[Move] = []
        self._deleted: list[ast.stmt] = []
        self._taken: dict[ast.stmt, Span | None] = {}
        self._filled: list[ast.stmt] = []
        self._split: set[ast.stmt] = set()
        self._arguments: dict[ast.Call, tuple[list[tuple[int | None, str]], dict[str, str]]] = {}
        self._imported: dict[str, str] = {}
        self._extended: set[tuple[str, str]] = set()
        self._new_imports: dict[Spot, list[NewImport]] = {}
        self._reimported: dict[Import, dict[ast.alias, str | None]] = {}
        self._unread: set[ast.alias] = set()
        self.helpers: set[str] = set()
        self.frees: set[str] = set()
        """The names of imports that are to go and are still read: other fixes may take what reads them."""

    # --- expressions ------------------------------------------------------------------------------------------

    def replace(self, node: ast.AST, text: str) -> None:
        if isinstance(node, ast.stmt):
            self._replace_statement(node, text)
            return
        span = self._span(node)
        if text.isidentifier():
            span = self._ground.grouping.around(span)
        around = self._text[span.start : span.end].decode()
        placed = self._layout.placed(standing(text), self._line_indent(span.start), around)
        self._add(Edit(span, self._spaced(span, placed)), span, Place.INSIDE)

    def wrap(self, node: ast.expr, before: str, after: str) -> None:
        span = self._span(node)
        if needs_parentheses(node, self._text[span.start : span.end].decode()):
            before, after = f"{before}(", f"){after}"
        start, end = Span(span.start, span.start), Span(span.end, span.end)
        self._add(Edit(start, self._spaced(start, self._layout.placed(before, ""))), span, Place.OPENING)
        self._add(Edit(end, self._layout.placed(after, "")), span, Place.CLOSING)

    def set_keyword(self, call: ast.Call, name: str, value: str) -> None:
        for keyword in call.keywords:
            if keyword.arg == name:
                self.replace(keyword.value, value)
                return
        self._further(call)[1][name] = value

    def insert_argument(self, call: ast.Call, value: str, *, before: int | None = None) -> None:
        if before is None and not self._arguments_of(call).takes_positional:
            raise self._blocks.refusal(call, "a positional argument follows a keyword")
        self._further(call)[0].append((None if before == len(call.args) else before, value))

    def name_argument(self, call: ast.Call, argument: ast.expr | ast.keyword, name: str | None) -> None:
        span = self._span(argument)
        if isinstance(argument, ast.keyword):
            old = _NAMED.match(self._text, span.start)
            end = span.start if old is None else old.end() if name is None else old.end(1)
            edit = Edit(Span(span.start, end), name or "")
        else:
            start = self._ground.grouping.around(span).start
            edit = Edit(Span(start, start), f"{name}=" if name is not None else "")
        self._add(edit, self._module.span(call), Place.INSIDE)

    # --- statements -------------------------------------------------------------------------------------------

    def insert_before(self, statement: ast.stmt, text: str, *, below_hoisted: bool = False) -> None:
        self._refuse_foreign(statement)
        if self._blocks.is_elif(statement):
            raise self._blocks.refusal(statement, "nothing can be inserted before an `elif`")
        self._filled.append(statement)
        owner, indent, newline = self._module.span(statement), self._blocks.indent(statement), self._layout.newline
        own = self._statements(text, indent)
        if not self._blocks.owns_line(statement):
            self._give_own_line(statement)
            self._add(Edit(Span(owner.start, owner.start), own + newline + indent), owner, Place.LINES_BEFORE)
            return
        first, last = _ends(text)
        start = self._blocks.lead(statement)
        gap, below = self._wanted(statement) if first else 0, self._wanted(statement) if last else 0
        if isinstance(statement, DEFINITIONS):
            above = self._blocks.blank_lines_above(start)
            gap = self._wanted(statement) if not above and self._blocks.is_below_definition(statement) else gap
            inside = 1 if self._begins_block(statement) else min(above, 1)
            below = max(below, 2 if self._blocks.in_module(statement) else inside)
        edit = Edit(Span(start, start), indent + own + newline * (1 + below))
        turn = _LAST_TURN if below_hoisted else 0
        self._pieces.append(Piece(edit, owner, Place.LINES_BEFORE, gap, not self._begins_block(statement), turn))

    def insert_after(self, statement: ast.stmt, text: str) -> None:
        self._refuse_foreign(statement)
        _, after = self._blocks.neighbours(statement)
        if after is not None:
            self.insert_before(after, text)
            return
        self._filled.append(statement)
        indent, newline = self._blocks.indent(statement), self._layout.newline
        self._give_own_line(statement)
        first, last = _ends(text)
        gap = self._wanted(statement) if first or isinstance(statement, DEFINITIONS) else 0
        end = self._blocks.body_end(statement)
        below = max(self._wanted(statement) - self._blocks.blank_lines_below(end), 0) if last else 0
        own = newline * (1 + gap) + indent + self._statements(text, indent) + newline * below
        self._add(Edit(Span(end, end), own), self._module.span(statement), Place.LINES_AFTER)

    def delete(self, statement: ast.stmt) -> None:
        self._refuse_foreign(statement)
        if self._blocks.is_elif(statement):
            raise self._blocks.refusal(statement, "an `elif` is not a separate statement")
        if statement not in self._deleted:
            self._deleted.append(statement)

    def take(self, statement: ast.stmt, replacements: Mapping[ast.AST, str]) -> str:
        self._refuse_foreign(statement)
        if any(self._blocks.neighbours(statement)):
            self.delete(statement)
            return self._module.substitute(statement, replacements)
        self._taken[statement] = region = self._blocks.region(statement)
        return lines_of(self._module, region, self._blocks.indent(statement), replacements)

    def into_function(self, loop: ast.For, head: str, last: str, behind: str) -> None:
        self._refuse_foreign(loop)
        first, start, lead = loop.body[0], self._blocks.start(loop), self._blocks.lead(loop)
        if not (self._blocks.owns_line(loop) and self._blocks.owns_line(first)) or any(self._blocks.neighbours(loop)):
            raise self._blocks.refusal(loop, "it shares a line")
        outer, inner, newline = self._blocks.indent(loop), self._blocks.indent(first), self._layout.newline
        span, end = self._module.span(loop), self._blocks.body_end(loop)
        self._pieces.append(
            Piece(
                Edit(Span(lead, lead), ""), span, Place.LINES_BEFORE, self._wanted(loop), not self._begins_block(loop)
            )
        )
        self._add(
            Edit(Span(start, head_end(self._ground.tokens, start)), self._statements(head, outer)), span, Place.INSIDE
        )
        texts = (f"{inner}{self._statements(last, inner)}", "", f"{outer}{self._statements(behind, outer)}")
        self._add(Edit(Span(end, end), newline + newline.join(texts)), span, Place.LINES_AFTER)

    def decorate(self, function: ast.FunctionDef | ast.AsyncFunctionDef, expression: str) -> None:
        self._refuse_foreign(function)
        start, indent = self._blocks.line_start(function), self._blocks.indent(function)
        text = indent + self._statements(f"@{expression}", indent) + self._layout.newline
        edit = Edit(Span(start, start), text)
        # Below all that recipes put before the definition.
        owner = self._module.span(function)
        self._pieces.append(Piece(edit, owner, Place.LINES_BEFORE, follows=False, turn=sys.maxsize))

    def hoist(
        self,
        function: ast.FunctionDef | ast.AsyncFunctionDef,
        before: ast.stmt,
        name: str,
        parameters: tuple[str, ...] = (),
    ) -> None:
        self._refuse_foreign(function)
        self._refuse_foreign(before)
        if not self._blocks.owns_line(before) or self._blocks.is_elif(before):
            raise self._blocks.refusal(before, "a definition cannot be inserted before it")
        span, region = self._module.span(function), self._blocks.region(function)
        indents = self._blocks.indent(function), self._blocks.indent(before)
        self._moves.append(Move(function, before, name, span, region, *indents))
        # The header moves with the function: it belongs to something inside it.
        inside = Span(span.start + 1, span.end)
        for edit in header(self._module, self._layout, self._ground.tokens, function, name, parameters):
            self._add(edit, inside, Place.INSIDE)

    # --- modules ----------------------------------------------------------------------------------------------

    def imported(self, qualname: str, *, prefer: str, at: ast.AST | None = None) -> str:
        imports = self._ground.imports
        name = imports.name(qualname, at) or self._imported.get(qualname)
        if name is None:
            name = self._imported[qualname] = imports.unused(prefer)
            self._import(*imports.added(qualname, name))
        return name

    def member(self, qualname: str, *, prefer: str, at: ast.AST | None = None) -> str:
        module, _, name = qualname.rpartition(".")
        imports = self._ground.imports
        if imports.name(module, at) is None and imports.name(qualname, at) == name:
            return name
        if imports.name(module, at) is None and self._extend(module, name):
            return name
        return f"{self.imported(module, prefer=prefer, at=at)}.{name}"

    def _extend(self, module: str, name: str) -> bool:
        """Takes `name` from `module` too, beside the other names of a `from` import; whether that could be done."""
        if (module, name) in self._extended:
            return True
        found = self._ground.imports.extended(module, name)
        if found is None or module in self._imported or found[0] in self._reimported:
            return False
        statement, offset, text = found
        span = self._module.span(statement)
        if not self._layout.fits(span.end - span.start + len(text)):
            return False
        self._extended.add((module, name))
        self._add(Edit(Span(offset, offset), text), span, Place.INSIDE)
        return True

    def rename_import(self, alias: ast.alias, qualname: str) -> None:
        self._names_of(alias)[alias] = qualname

    def remove_import(self, alias: ast.alias) -> None:
        self._names_of(alias)[alias] = None

    def remove_unread_import(self, alias: ast.alias) -> None:
        """Removes an imported name that nothing reads or may need; leaves any other."""
        if is_unused(self._module, alias):
            self._unread.add(alias)
            self.remove_import(alias)

    def helper(self, name: str, *, at: ast.AST | None = None) -> str:
        place = self._module.surroundings.helpers
        if place is None:
            raise SourceError(self._module.source.path, f"there is no place for the file that holds `{name}`")
        self.helpers.add(name)
        return self.imported(f"{place}.{name}", prefer=name, at=at)

    # --- edits ------------------------------------------------------------------------------------------------

    @property
    def edits(self) -> tuple[Edit, ...]:
        """What the recipe does, against the text of the module; in the order of the text.

        Raises:
          SourceError: the place cannot be rewritten.
          BugError: the recipe changes one place in two ways.
        """
        arguments = tuple(self._argument_pieces())
        self._settle_imports([piece.edit for piece in (*self._pieces, *arguments)])
        pieces = [*self._pieces, *arguments]
        pieces += self._own_names(pieces)
        pieces = self._with_removals(pieces)
        for turn, move in sorted(enumerate(self._moves, 1), key=lambda item: item[1].region.end - item[1].region.start):
            inside = [piece for piece in pieces if move.holds(piece.edit.span, piece.owner)]
            pieces = [piece for piece in pieces if piece not in inside]
            pieces.append(self._moved(move, inside, turn))
        return self._joined(pieces, shift=0)

    def _settle_imports(self, edits: Sequence[Edit]) -> None:
        """Writes the import statements with changed names, once all other edits are known."""
        statements, self._reimported = self._reimported, {}
        edits = [*edits, *(Edit(self._module.span(statement), "") for statement in self._deleted)]
        for statement, asked in statements.items():
            changes = {
                a: to for a, to in asked.items() if to or a in self._unread or becomes_unused(self._module, a, edits)
            }
            self.frees |= {local_name(a) for a in asked if a not in changes}
            found = ImportNames(self._module, statement, self._ground.tokens).rewritten(changes)
            if found.text is None:
                self.delete(statement)
                continue
            if changes:
                span = self._module.span(statement)
                self._add(Edit(span, found.text), span, Place.INSIDE)
            if found.following:
                self.insert_after(statement, "\n".join(found.following))

    def _names_of(self, alias: ast.alias) -> dict[ast.alias, str | None]:
        self._refuse_foreign(alias)
        statement = self._module.parent(alias)
        assert isinstance(statement, ast.Import | ast.ImportFrom)
        if alias.name == "*":
            raise self._blocks.refusal(statement, "it imports every name of a module")
        return self._reimported.setdefault(statement, {})

    def _argument_pieces(self) -> Iterable[Piece]:
        for call, (positional, keywords) in self._arguments.items():
            indent = self._line_indent(self._module.span(call).start)
            placed = tuple((p, self._layout.placed(standing(text), indent)) for p, text in positional)
            named = tuple(f"{n}={self._layout.placed(standing(text), indent)}" for n, text in keywords.items())
            for edit in self._arguments_of(call).added(placed, named, self._layout.newline):
                yield Piece(edit, self._module.span(call), Place.INSIDE)

    def _own_names(self, pieces: list[Piece]) -> list[Piece]:
        """The renamed uses of hoisted functions inside themselves, except those that the recipe replaces."""
        taken = [piece.edit.span for piece in pieces]
        return [
            Piece(edit, edit.span, Place.INSIDE)
            for move in self._moves
            for edit in renamed(self._module, move.function, move.name)
            if not any(edit.span.overlaps(span) for span in taken)
        ]

    def _with_removals(self, pieces: list[Piece]) -> list[Piece]:
        deleted = [self._module.span(statement) for statement in self._deleted]
        moved: dict[ast.stmt, Span | None] = {**self._taken, **{move.function: move.region for move in self._moves}}
        gone = {
            statement: region
            for statement, region in (dict.fromkeys(self._deleted) | moved).items()
            if not _is_inside(self._module.span(statement), deleted)
        }
        removed = self._ground.removals.pieces(gone, self._filled)
        kept = [
            self._outside(piece, removed)
            for piece in pieces
            if _is_import(piece)
            or (not _is_inside(piece.owner, deleted) and not (piece.place in _INLINE and piece.owner in deleted))
        ]
        return kept + removed

    def _outside(self, piece: Piece, removed: list[Piece]) -> Piece:
        """`piece`; lines beside a statement that is taken out become lines where it began."""
        if piece.place in _INLINE:
            return piece
        for removal in removed:
            span, start = removal.edit.span, piece.edit.span.start
            if span.start < start < span.end and (_is_import(piece) or not _is_inside(piece.owner, [removal.owner])):
                text = piece.edit.text
                if piece.place is Place.LINES_AFTER:
                    text = text.lstrip("\r\n") + self._layout.newline
                edit = Edit(Span(span.start, span.start), text)
                return Piece(edit, piece.owner, Place.LINES_BEFORE, piece.blank_lines, piece.follows)
        return piece

    def _moved(self, move: Move, inside: list[Piece], turn: int) -> Piece:
        """The text of the function at its new place."""
        start = move.region.start
        edits = self._joined(inside, move.shift)
        relative = [Edit(Span(e.span.start - start, e.span.end - start), e.text) for e in edits]
        text = apply_edits(self._text[start : move.region.end], relative)
        own = reindented(text, move.indent, move.new_indent)
        newline, wanted = self._layout.newline, self._wanted(move.before)
        own += newline * (wanted + (not own.endswith(("\n", "\r"))))
        place = self._blocks.lead(move.before)
        follows = not self._begins_block(move.before)
        owner = self._module.span(move.before)
        return Piece(Edit(Span(place, place), own), owner, Place.LINES_BEFORE, wanted, follows, turn)

    def _joined(self, pieces: list[Piece], shift: int) -> tuple[Edit, ...]:
        ordered = in_order(pieces)
        inline = [piece.edit for piece in ordered if piece.place in _INLINE]
        folded = [Piece(edit, edit.span, Place.INSIDE) for edit in self._ground.folding.folded(_once(inline), shift)]
        lines = [[p for p in ordered if p.place is place] for place in (Place.LINES_BEFORE, Place.LINES_AFTER)]
        every = sorted([*lines[0], *folded, *lines[1]], key=lambda piece: piece.edit.span)
        return joined(every, self._text, self._layout.newline)

    # --- places -----------------------------------------------------------------------------------------------

    def _import(self, spot: Spot, new: NewImport) -> None:
        """Adds an import; those of one spot are one edit."""
        news = self._new_imports.setdefault(spot, [])
        before = added_at(spot, news, self._layout.newline) if news else None
        self._pieces = [piece for piece in self._pieces if piece.edit != before]
        news.append(new)
        edit = added_at(spot, news, self._layout.newline)
        place = Place.LINES_AFTER if spot.is_after else Place.LINES_BEFORE
        self._pieces.append(Piece(edit, edit.span, place, turn=-1))

    def _add(self, edit: Edit, owner: Span, place: Place) -> None:
        self._pieces.append(Piece(edit, owner, place))

    def _further(self, call: ast.Call) -> tuple[list[tuple[int | None, str]], dict[str, str]]:
        self._span(call)
        return self._arguments.setdefault(call, ([], {}))

    def _arguments_of(self, call: ast.Call) -> Arguments:
        return Arguments(self._module.source, self._ground.syntax, call)

    def _span(self, node: ast.AST) -> Span:
        """The span of an expression that can be rewritten; of a generator that is all of a call, without brackets."""
        self._refuse_foreign(node)
        if not self._module.has_exact_spans(node):
            line = getattr(node, "lineno", 1)
            raise SourceError(self._module.source.path, f"line {line} cannot be rewritten: it is in an f-string")
        span = self._module.span(node)
        call = self._module.parent(node)
        is_argument = isinstance(node, ast.GeneratorExp) and isinstance(call, ast.Call) and node in call.args
        if is_argument and call is not None and span.end == self._module.span(call).end:
            return Span(span.start + 1, span.end - 1)  # `ast` counts the brackets of the call as the generator's
        return span

    def _refuse_foreign(self, node: ast.AST) -> None:
        """Raises ValueError for a node of another tree: its place in this text would be a wrong one."""
        if self._module.parent(node) is None:
            raise ValueError(f"`{ast.unparse(node)}` is not a node of this file")

    def _spaced(self, span: Span, text: str) -> str:
        """`text` with the space that keeps it from growing together with a word beside it."""
        before = self._text[max(span.start - 4, 0) : span.start].decode(errors="ignore")[-1:]
        after = self._text[span.end : span.end + 1].decode(errors="replace") if span.start < span.end else ""
        left = " " if is_word(before) and is_word(text[:1]) else ""
        right = " " if is_word(after) and is_word(text[-1:]) else ""
        return left + text + right

    def _line_indent(self, offset: int) -> str:
        lines = self._module.source.lines
        return indentation(self._text[lines.line_start(lines.line(offset)) : offset].decode())

    def _wanted(self, statement: ast.stmt) -> int:
        """How many blank lines stand around a definition next to `statement`."""
        return 2 if self._blocks.in_module(statement) else 1

    def _begins_block(self, statement: ast.stmt) -> bool:
        return self._blocks.is_first(statement) and not self._blocks.in_module(statement)

    def _statements(self, text: str, indent: str, around: str = "") -> str:
        return self._layout.placed(self._layout.fitted(text.strip("\n"), indent), indent, around)

    def _replace_statement(self, statement: ast.stmt, text: str) -> None:
        self._refuse_foreign(statement)
        if self._blocks.is_elif(statement):
            raise self._blocks.refusal(statement, "an `elif` is not a separate statement")
        span, indent = self._module.span(statement), self._blocks.indent(statement)
        own = self._statements(text, indent, self._text[span.start : span.end].decode())
        if "\n" in text.strip("\n"):
            _, after = self._blocks.neighbours(statement)
            for other in (statement, after):
                if other is not None:
                    self._give_own_line(other)
        self._add(Edit(span, own), span, Place.INSIDE)

    def _give_own_line(self, statement: ast.stmt) -> None:
        """Breaks `if x: a; b` and `a; b` so that `statement` begins a line."""
        block = self._blocks.siblings(statement)
        for before, other in zip([None, *block], block, strict=False):
            if not self._blocks.owns_line(other) and other not in self._split:
                start = self._blocks.start(other)
                blanks = len(self._text[:start]) - len(self._text[:start].rstrip(b" \t\f"))
                end = start - blanks if before is None else self._module.span(before).end
                edit = Edit(Span(end, start), self._layout.newline + self._blocks.indent(other))
                self._add(edit, self._module.span(other), Place.LINES_BEFORE)
                self._split.add(other)
            if other is statement:
                return


def _is_import(piece: Piece) -> bool:
    """Whether it is lines of their own that belong to the module: what precedes them may go."""
    return (
        piece.place not in _INLINE and piece.owner == piece.edit.span and piece.edit.span.start == piece.edit.span.end
    )


def _is_inside(span: Span, around: list[Span]) -> bool:
    return any(outer.contains(span) and outer != span for outer in around)


def _once(edits: list[Edit]) -> list[Edit]:
    """Replacements that were asked for twice, once; insertions as often as asked for."""
    return [e for n, e in enumerate(edits) if e.span.start == e.span.end or e not in edits[:n]]


def _ends(text: str) -> tuple[bool, bool]:
    """Whether statements begin, and whether they end, with a definition."""
    try:
        body = ast.parse(text.strip("\n")).body
    except SyntaxError:
        return False, False
    return (isinstance(body[0], DEFINITIONS), isinstance(body[-1], DEFINITIONS)) if body else (False, False)
