"""Names for modules: which one the file has already, and where a new import goes."""

import ast
import sys
from collections.abc import Iterable, Sequence
from itertools import pairwise

from jaxfix.rewrite.blocks import Blocks
from jaxfix.semantic.identifiers import Identifiers
from jaxfix.semantic.module import Module
from jaxfix.source.edits import Edit, Span
from jaxfix.source.frozen import frozen

_Import = ast.Import | ast.ImportFrom


@frozen
class NewImport:
    """An import to add; in the order of isort.

    Attributes:
      section: 0 for the standard library, 1 for other packages, 2 for relative imports.
      is_from: whether it is a `from` import.
      qualname: of what it imports.
      text: the statement.
    """

    section: int
    is_from: bool
    qualname: str
    text: str


@frozen
class Spot:
    """Where imports go in.

    Attributes:
      offset: in bytes, of the text of the file.
      is_after: whether they follow the line that ends there, or precede the one that begins there.
      section: of the import beside them; None if there is none.
    """

    offset: int
    is_after: bool
    section: int | None


class Imports:
    """The imports at the top level of one module."""

    def __init__(self, module: Module, blocks: Blocks) -> None:
        self._module = module
        self._blocks = blocks

    def name(self, qualname: str, at: ast.AST | None) -> str | None:
        """What the file calls the module `qualname`, at `at` or, for None, everywhere; None if it has no name."""
        for name, meaning in self._module.names.imports.items():
            if self._module.names.absolute(meaning) == qualname and self._is_visible(name, at) and self._is_run(name):
                return name
        root = qualname.partition(".")[0]
        for statement in self._module.tree.body:
            names = statement.names if isinstance(statement, ast.Import) else []
            if any(alias.name == qualname and alias.asname is None for alias in names) and self._is_visible(root, at):
                return qualname
        return None

    def unused(self, prefer: str) -> str:
        """`prefer`, or the like, which no code of the file uses as a variable."""
        return prefer if self._is_free(prefer) else self._module.get(Identifiers).unused(prefer)

    def _is_free(self, prefer: str) -> bool:
        used: set[str | None] = set()
        for node in ast.walk(self._module.tree):
            match node:
                case ast.Name(id=name) | ast.arg(arg=name):
                    used.add(name)
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                    used.add(name)
                case ast.ExceptHandler(name=name) | ast.MatchAs(name=name) | ast.MatchStar(name=name):
                    used.add(name)
                case ast.alias(name=name, asname=asname):
                    used.add(asname or name.partition(".")[0])
        return prefer not in used and not self._module.get(Identifiers).is_taken_elsewhere(prefer)

    def extended(self, module: str, name: str) -> tuple[ast.ImportFrom, int, str] | None:
        """The statement at the top, on one line, that takes other names from `module`, and what adds `name` where.

        None if there is none, or if other code of the file uses `name`.
        """
        if not self._is_free(name):
            return None
        for statement in self._block():
            is_line = isinstance(statement, ast.ImportFrom) and statement.lineno == statement.end_lineno
            if not isinstance(statement, ast.ImportFrom) or not is_line or statement.names[0].name == "*":
                continue
            if self._module.names.absolute(_origin(statement)) == module:
                return statement, *self._among(statement.names, name)
        return None

    def _among(self, names: Sequence[ast.alias], name: str) -> tuple[int, str]:
        """Where `name` goes among `names`, in their order if they have one, and its text there."""
        order = [alias.name.lower() for alias in names]
        following = next((alias for alias in names if alias.name.lower() > name.lower()), None)
        if following is not None and order == sorted(order):
            return self._module.span(following).start, f"{name}, "
        return self._module.span(names[-1]).end, f", {name}"

    def added(self, qualname: str, name: str) -> tuple[Spot, NewImport]:
        """The statement that imports the module or helper `qualname` as `name`, and its spot among those at the top."""
        parent, _, last = qualname.rpartition(".")
        text = f"import {qualname} as {name}"
        if parent and parent == self._module.surroundings.helpers:
            text = f"from {parent} import {last}" + (f" as {name}" if name != last else "")
        elif name == last:
            text = f"from {parent} import {last}" if parent else f"import {last}"
        new = NewImport(_section_of(qualname), text.startswith("from"), qualname, text)
        return self._spot(new), new

    def _spot(self, new: NewImport) -> Spot:
        block = self._block()
        if not block:
            return self._without_neighbours()
        section = [other for other in block if _section(other) == new.section]
        above = _above(new, section)
        if section and above is not None:
            beside = above[-1] if above else section[0]
            offset = self._blocks.line_end(beside) if above else self._blocks.lead(beside)
            return Spot(offset, above != [], new.section)
        kin = _kin(new.qualname, block)
        key = (new.is_from, new.qualname)
        above = [other for other in kin if (isinstance(other, ast.ImportFrom), _module(other)) <= key]
        if kin and not above:
            return Spot(self._blocks.lead(kin[0]), False, _section(kin[0]))
        if not kin:
            above = [other for other in block if _section(other) < new.section]
        if not above:
            return Spot(self._blocks.lead(block[0]), False, _section(block[0]))
        return Spot(self._blocks.line_end(above[-1]), True, _section(above[-1]))

    def _block(self) -> list[_Import]:
        """The first run of imports, less those from `__future__`."""
        run: list[_Import] = []
        for statement in self._module.tree.body:
            if isinstance(statement, ast.Import | ast.ImportFrom):
                run += [] if _is_future(statement) else [statement]
            elif run:
                break
        return run

    def _without_neighbours(self) -> Spot:
        body = self._module.tree.body
        head: list[ast.stmt] = [s for s in body if isinstance(s, ast.ImportFrom) and _is_future(s)]
        if not head and body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            head = [body[0]] if isinstance(body[0].value.value, str) else []
        if head:
            return Spot(self._blocks.line_end(head[-1]), True, None)
        return Spot(self._blocks.lead(body[0]) if body else 0, False, None)

    def _is_visible(self, name: str, at: ast.AST | None) -> bool:
        if at is not None:
            return self._module.scope_of(name, at) in (None, self._module.tree)
        return not any(name in self._module.names.bound_in(function) for function in self._module.functions)

    def _is_run(self, name: str) -> bool:
        """Whether the import of `name` runs, rather than being there for type checkers alone."""
        return not any(
            isinstance(outer, ast.If) and "TYPE_CHECKING" in self._module.text(outer.test)
            for binding in self._module.bindings(name)
            for outer in self._module.ancestors(binding.node)
        )


def added_at(spot: Spot, imports: Iterable[NewImport], newline: str) -> Edit:
    """The edit that adds `imports` at `spot`: in order, a blank line between sections."""
    ordered = sorted(imports, key=lambda each: (each.section, each.is_from, each.qualname))
    text = ordered[0].text
    for last, each in pairwise(ordered):
        text += newline * _gap(last.section, each.section) + each.text
    if spot.is_after:
        text = newline * _gap(spot.section, ordered[0].section) + text
    else:
        text += newline * _gap(ordered[-1].section, spot.section)
    return Edit(Span(spot.offset, spot.offset), text)


def _above(new: NewImport, section: Sequence[_Import]) -> list[_Import] | None:
    """The imports that `new` follows in a sorted section; None if it is not sorted."""
    name = new.qualname.rpartition(".")[0] if new.is_from else new.qualname
    kinds = [isinstance(other, ast.ImportFrom) for other in section]
    names = [_origin(other).lower() for other in section]
    by_kind, by_name = list(zip(kinds, names, strict=True)), list(zip(names, kinds, strict=True))
    if by_kind == sorted(by_kind):
        return [o for o, key in zip(section, by_kind, strict=True) if key <= (new.is_from, name.lower())]
    if by_name == sorted(by_name):
        return [o for o, key in zip(section, by_name, strict=True) if key <= (name.lower(), new.is_from)]
    return None


def _origin(statement: _Import) -> str:
    if isinstance(statement, ast.Import):
        return statement.names[0].name
    return "." * statement.level + (statement.module or "")


def _gap(above: int | None, below: int | None) -> int:
    """The newlines between imports of two sections."""
    return 1 if above == below else 2


def _kin(qualname: str, block: list[_Import]) -> list[_Import]:
    """The imports that one of `qualname` is among: of the same package if there are any, else of its section."""
    root = qualname.partition(".")[0]
    family = [other for other in block if _module(other).partition(".")[0] == root]
    return family or [other for other in block if _section(other) == _section_of(qualname)]


def _module(statement: _Import) -> str:
    if isinstance(statement, ast.Import):
        return statement.names[0].name
    # `from jax import lax` and `import jax.lax` name the same module.
    only = f".{statement.names[0].name}" if len(statement.names) == 1 else ""
    return "." * statement.level + (statement.module or "") + only


def _is_future(statement: _Import) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


def _section(statement: _Import) -> int:
    return _section_of(_module(statement))


def _section_of(qualname: str) -> int:
    """0 for the standard library, 1 for other packages, 2 for relative imports."""
    if qualname.startswith("."):
        return 2
    return 0 if qualname.partition(".")[0] in sys.stdlib_module_names else 1
