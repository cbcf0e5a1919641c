"""Names for modules: which one the file has already, and where a new import goes."""

import ast
import sys

from jaxfix.rewrite.blocks import Blocks
from jaxfix.semantic.identifiers import Identifiers
from jaxfix.semantic.module import Module
from jaxfix.source.edits import Edit, Span

_Import = ast.Import | ast.ImportFrom


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
        return prefer if prefer not in used else self._module.get(Identifiers).unused(prefer)

    def added(self, qualname: str, name: str, newline: str) -> Edit:
        """The edit that imports the module or helper `qualname` as `name`, in order among the imports at the top."""
        parent, _, last = qualname.rpartition(".")
        text = f"import {qualname} as {name}"
        if parent and parent == self._module.surroundings.helpers:
            text = f"from {parent} import {last}" + (f" as {name}" if name != last else "")
        elif name == last:
            text = f"from {parent} import {last}" if parent else f"import {last}"
        block = self._block()
        if not block:
            return self._without_neighbours(text, newline)
        kin = _kin(qualname, block)
        key = (text.startswith("from"), qualname)
        above = [other for other in kin if (isinstance(other, ast.ImportFrom), _module(other)) <= key]
        if kin and not above:
            start = self._blocks.lead(kin[0])
            return Edit(Span(start, start), text + newline)
        if not kin:
            above = [other for other in block if _section(other) < _section_of(qualname)]
        if not above:
            start = self._blocks.lead(block[0])
            return Edit(Span(start, start), text + newline * 2)
        end = self._blocks.line_end(above[-1])
        return Edit(Span(end, end), newline * (1 if kin else 2) + text)

    def _block(self) -> list[_Import]:
        """The first run of imports, less those from `__future__`."""
        run: list[_Import] = []
        for statement in self._module.tree.body:
            if isinstance(statement, ast.Import | ast.ImportFrom):
                run += [] if _is_future(statement) else [statement]
            elif run:
                break
        return run

    def _without_neighbours(self, text: str, newline: str) -> Edit:
        body = self._module.tree.body
        head: list[ast.stmt] = [s for s in body if isinstance(s, ast.ImportFrom) and _is_future(s)]
        if not head and body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            head = [body[0]] if isinstance(body[0].value.value, str) else []
        if head:
            end = self._blocks.line_end(head[-1])
            return Edit(Span(end, end), newline * 2 + text)
        start = self._blocks.lead(body[0]) if body else 0
        return Edit(Span(start, start), text + newline * 2)

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


def begins_section(one: Edit, other: Edit) -> bool:
    """Whether two edits each add an import of the standard library apart from all others."""
    texts = (one.text, other.text)
    ends = all(text.endswith(("\n\n", "\r\n\r\n")) for text in texts)
    begins = all(text.startswith(("\n\n", "\r\n\r\n")) for text in texts)
    modules = [text.split() for text in texts]
    is_standard = all(words[0] == "import" and _section_of(words[1]) == 0 for words in modules if words)
    return (ends or begins) and is_standard and all(len(words) == 2 for words in modules)


def as_section(one: Edit, other: Edit, newline: str) -> Edit:
    """Both imports, in order, as one section."""
    lines = newline.join(sorted(edit.text.strip() for edit in (one, other)))
    before = newline * 2 if one.text.startswith(newline) else ""
    return Edit(one.span, f"{before}{lines}{'' if before else newline * 2}")


def _kin(qualname: str, block: list[_Import]) -> list[_Import]:
    """The imports that one of `qualname` stands among: of the same package if there are any, else of its section."""
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
