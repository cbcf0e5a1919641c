"""The variables of a row of statements: what it reads, what it binds, and what stands for attributes and items."""

import ast
from collections.abc import Mapping, Sequence
from typing import TypeGuard

from jaxfix.api import Module, walk
from jaxfix.api.analysis import is_read_elsewhere, reaching
from jaxfix_codemods.unjitted_update.binding import counter_of, simple
from jaxfix_codemods.unjitted_update.checks import is_own
from jaxfix_codemods.unjitted_update.keyed import entry_text, is_spelled
from jaxfix_codemods.unjitted_update.lengths import lengths, own_constants
from jaxfix_codemods.unjitted_update.rows import defined
from jaxfix_codemods.unjitted_update.variables import dotted

_LOAD = ast.Load()


class Variables:
    """The variables of one scope that a row reads and binds, by the names that its text gives them.

    Attributes:
      inside: the nodes of the row.
      items: what it reads of a list, a dictionary or an object of options, or makes of a list, which it is passed.
      entries: those of dictionaries that are variables like others.
      attributes: those of objects that are.
    """

    def __init__(self, module: Module, row: Sequence[ast.stmt | ast.expr], scope: ast.AST) -> None:
        self._module, self._row, self._scope = module, row, scope
        self.inside = {node for part in row for node in walk(part)}
        self.items: dict[str, list[ast.Subscript] | list[ast.Attribute] | list[ast.Call]] = {}
        self._in_items = set[ast.AST]()
        self.entries: dict[str, list[ast.Subscript]] = {}
        self.attributes: Mapping[str, list[ast.Attribute]] = {}

    def pass_items(self, items: Mapping[str, list[ast.Subscript] | list[ast.Attribute] | list[ast.Call]]) -> None:
        """Adds to what the step is passed."""
        self.items |= items
        every = [item for some in items.values() for item in some]
        self._in_items |= {part for item in every for part in walk(item) if part is not item}

    def variables(self, statement: ast.stmt | ast.expr, context: type[ast.expr_context]) -> list[tuple[ast.expr, str]]:
        """The variables and attributes of the scope that a statement reads, or binds, in order."""
        module = self._module
        found: list[tuple[ast.expr, str]] = []
        for node in walk(statement):
            if self.items and self.is_item(node) and not self.is_in_item(node):
                found.append((node, module.text(node)))
            elif self.entries and isinstance(node, ast.Subscript) and self.is_entry_variable(node):
                found.append((node, entry_text(node)))
            elif isinstance(node, ast.Name | ast.Attribute) and self.is_part(node):
                continue
            elif isinstance(node, ast.Name):
                owner = module.scope_of(node.id, node)
                if owner is self._scope and not self.is_in_attribute(node) and not is_own(module, node):
                    found.append((node, node.id))
            elif isinstance(node, ast.Attribute) and self.is_variable(node):
                found.append((node, dotted(node)))
        chosen = [each for each in found if isinstance(context_of(each[0]), context)]
        if isinstance(statement, ast.AugAssign) and context is ast.Load:
            chosen += [each for each in found if each[0] is statement.target]
        return sorted(chosen, key=lambda each: (each[0].lineno, each[0].col_offset))

    def loads_of(self, name: str) -> list[ast.expr]:
        """Where the row reads the variable."""
        found = (each for statement in self._row for each in self.variables(statement, ast.Load))
        return [node for node, each in found if each == name]

    def read_first(self) -> tuple[str, ...]:
        """What the row reads before it binds it, in order."""
        found: dict[str, None] = {}
        bound: set[str] = set()
        bound |= self.counters()
        for statement in simple(self._row):
            found.update(dict.fromkeys(n for _, n in self.variables(statement, ast.Load) if n not in bound))
            bound |= {name for _, name in self.variables(statement, ast.Store)}
            bound |= {statement.name} if isinstance(statement, ast.FunctionDef) else set()
        return tuple(found)

    def counters(self) -> set[str]:
        """The variables of loops that a trace unrolls."""
        return {name for part in self._row if (name := counter_of(self._module, part)) is not None}

    def written(self) -> tuple[str, ...]:
        """What the row binds, in order; functions that it defines and lengths are its own."""
        found: dict[str, None] = {}
        for statement in self._row:
            if not self._defined_by(statement) and not isinstance(statement, ast.FunctionDef):
                found.update(dict.fromkeys(name for _, name in self.variables(statement, ast.Store)))
        return tuple(found)

    def defined(self) -> list[str]:
        """The functions and lengths that the row gives names to."""
        return [name for statement in self._row for name in self._defined_by(statement)]

    def _defined_by(self, statement: ast.stmt | ast.expr) -> tuple[str, ...]:
        name = defined(self._module, statement)
        known = lengths(self._module, statement) or own_constants(self._module, statement)
        return known if name is None else (name,)

    def read_outside(self) -> set[str]:
        """What of the variables that the row binds anything but the row reads."""
        module, found = self._module, {*self.attributes, *self.entries}
        if self._scope is module.tree:
            found |= {name for name in self.written() if is_read_elsewhere(module, name)}
        for name in {*self.defined(), *self.written()} - found:
            bindings = module.bindings(name, self._scope)
            for node in module.uses(name, self._scope):
                if isinstance(node.ctx, ast.Store) or node in self.inside:
                    continue
                if any(binding.node in self.inside for binding in reaching(module, node, bindings)):
                    found.add(name)
        return found

    def is_variable(self, attribute: ast.Attribute) -> bool:
        """Whether it is one of the attributes that are variables."""
        is_of_name = isinstance(attribute.value, ast.Name)
        return is_of_name and attribute in self.attributes.get(dotted(attribute), ())

    def is_in_attribute(self, name: ast.Name) -> bool:
        """Whether it is the object of such an attribute."""
        parent = self._module.parent(name)
        return isinstance(parent, ast.Attribute) and self.is_variable(parent)

    def is_part(self, part: ast.expr) -> bool:
        """Whether it is read or bound as a part of an item or an entry, which is the variable."""
        return (bool(self.items) and self.is_in_item(part)) or self.is_entry_variable(self._module.parent(part))

    def is_item(self, node: ast.AST) -> TypeGuard[ast.Subscript | ast.Attribute | ast.Call]:
        """Whether it is an item, an option, or an array made of a list, that the step is passed."""
        is_read = isinstance(node, ast.Subscript | ast.Attribute | ast.Call)
        return is_read and node in self.items.get(self._module.text(node), ())

    def is_in_item(self, part: ast.expr) -> bool:
        """Whether it is a part of an item that the step is passed: of the sequence, or of the key."""
        return part in self._in_items

    def is_entry_variable(self, node: ast.AST | None) -> bool:
        """Whether it is an entry of a dictionary that is a variable."""
        return isinstance(node, ast.Subscript) and is_spelled(node) and node in self.entries.get(entry_text(node), ())


def context_of(node: ast.expr) -> ast.expr_context:
    """Whether it is read, bound or deleted."""
    return node.ctx if isinstance(node, ast.Name | ast.Attribute | ast.Subscript) else _LOAD
