"""Which imports nothing uses any more once edits are made; in doubt one is used."""

import ast
import re
from collections.abc import Iterable

from jaxfix.rewrite.import_names import local_name
from jaxfix.semantic.module import Module
from jaxfix.semantic.project.query import USERS
from jaxfix.source.edits import Edit

_NOQA = re.compile(r"#\s*noqa", re.IGNORECASE)


def becomes_unused(module: Module, alias: ast.alias, edits: Iterable[Edit]) -> bool:
    """Whether the code reads what `alias` binds, and no longer does once `edits` are made.

    False as well where something else may need it: `__all__` or another text, a re-export, another file, a type
    checker, a linter that keeps it, a `try` or an `if` that the import is a part of.
    """
    name, statement = local_name(alias), module.statement(alias)
    edits = tuple(edits)
    scope = module.scope_of(name, statement)
    uses = module.names.uses(name, scope)
    if not uses or len(module.bindings(name, scope)) != 1:
        return False
    if not all(any(edit.span.contains(module.span(use)) for edit in edits) for use in uses):
        return False
    return not (any(_reads(edit.text, name) for edit in edits) or _is_needed(module, alias))


def is_unused(module: Module, alias: ast.alias) -> bool:
    """Whether nothing reads what `alias` binds, nor may need it."""
    name, statement = local_name(alias), module.statement(alias)
    scope = module.scope_of(name, statement)
    is_read = bool(module.names.uses(name, scope)) or len(module.bindings(name, scope)) != 1
    return not (is_read or _is_needed(module, alias))


def _is_needed(module: Module, alias: ast.alias) -> bool:
    return _is_quoted(module, local_name(alias)) or _is_conditional(module, alias) or _is_kept(module, alias)


def _reads(text: str, name: str) -> bool:
    """Whether code may read the variable: after a dot it is an attribute."""
    return re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", text) is not None


def _mentions(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _is_quoted(module: Module, name: str) -> bool:
    """Whether a text names it: an entry of `__all__`, an annotation; a docstring does not count."""
    texts = (node for node in module.nodes(ast.Constant) if isinstance(node.value, str))
    return any(_mentions(str(node.value), name) and not isinstance(module.parent(node), ast.Expr) for node in texts)


def _is_conditional(module: Module, statement: ast.AST) -> bool:
    return any(isinstance(outer, ast.If | ast.Try | ast.TryStar) for outer in module.ancestors(statement))


def _is_kept(module: Module, alias: ast.alias) -> bool:
    """Whether the import is there for others: a linter comment says so, or another file may take the name from here."""
    statement, around = module.statement(alias), module.surroundings
    lines, span = module.source.lines, module.span(statement)
    text = module.source.text.splitlines()[lines.line(span.start) - 1 : lines.line(span.end)]
    if any(_NOQA.search(line.decode()) for line in text):
        return True
    if module.function(statement) is not None:
        return False
    is_package = around.is_package or module.source.path.endswith("__init__.py")
    return is_package or alias.asname == alias.name or _is_taken(module, local_name(alias))


def _is_taken(module: Module, name: str) -> bool:
    """Whether another file uses the import by its name in this module: asked by that, and by what it stands for."""
    around = module.surroundings
    own = f"{around.name}.{name}"
    asked = (own, module.names.imports.get(name, own))
    return around.name is not None and any(use.of == own for each in asked for use in around.project.ask(USERS, each))
