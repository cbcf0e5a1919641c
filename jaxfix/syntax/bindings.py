"""Which scope each name is bound in, and where: asked for name by name, since few of a file's names ever matter."""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from jaxfix.syntax.index import COMPREHENSIONS, Index, Scope
from jaxfix.syntax.nodes import FUNCTIONS, walk


class Binding(NamedTuple):
    """One place that binds `name`: `node` is the def, import, argument or target; `scope` its function or module."""

    name: str
    node: ast.AST
    scope: Scope


class Bindings:
    """Every binding of a module, in the order of the text, each in the scope that it binds in.

    Comprehensions bind their own targets, a walrus inside them the function's.

    Attributes:
      known: the answers that `of` has given.
    """

    def __init__(self, index: Index) -> None:
        self._index = index
        self._homes: dict[str, dict[Scope, list[ast.AST]]] = {}
        self.known: dict[tuple[str, Scope], tuple[Binding, ...]] = {}

    def of(self, name: str, scope: Scope) -> tuple[Binding, ...]:
        """The places that bind `name` in `scope`."""
        nodes = self.homes(name).get(scope, ())
        found = self.known[name, scope] = tuple([Binding(name, node, scope) for node in nodes])
        return found

    def homes(self, name: str) -> Mapping[Scope, Sequence[ast.AST]]:
        """The scopes that bind `name`, with the places that do."""
        try:
            return self._homes[name]
        except KeyError:
            found = self._homes[name] = self._find(name)
            return found

    @cached_property
    def names(self) -> Mapping[Scope, frozenset[str]]:
        """The names that each scope itself binds."""
        found: dict[Scope, list[str]] = {}
        for name in self._index.binding:
            for scope in self.homes(name):
                found.setdefault(scope, []).append(name)
        return {scope: frozenset(names) for scope, names in found.items()}

    def _find(self, name: str) -> dict[Scope, list[ast.AST]]:
        raw: dict[Scope, list[ast.AST]] = {}
        around = self._index.around
        for node in self._index.binding.get(name, ()):
            home = around[node]
            if home is None or type(node) is ast.arg or home.__class__ in COMPREHENSIONS:
                home = self._home(node)
            if home in raw:
                raw[home].append(node)
            else:
                raw[home] = [node]
        declared = self._declared(name, raw) if name in self._declarations else {}
        if not declared:
            return raw
        found: dict[Scope, list[ast.AST]] = {}
        for node in self._index.binding.get(name, ()):
            home = self._home(node)
            found.setdefault(declared.get(home, home), []).append(node)
        return found

    def _home(self, node: ast.AST) -> Scope:
        """The scope that `node` binds its names in, if nothing declares otherwise."""
        parents = self._index.parents
        if node.__class__ is ast.arg:
            return parents[parents[node]]
        found = self._index.around[node]
        if found.__class__ in COMPREHENSIONS:
            around = parents[node]
            if isinstance(around, ast.NamedExpr) and around.target is node:
                found = next(scope for scope in self._outwards(node) if scope.__class__ not in COMPREHENSIONS)
        assert found is not None
        return found

    def _declared(self, name: str, raw: Mapping[Scope, object]) -> dict[Scope, Scope]:
        """The scopes that `global` and `nonlocal` name for `name` in other scopes."""
        declared: dict[Scope, Scope] = {}
        for node in self._declarations.get(name, ()):
            inner, *outer = self._outwards(node)
            if isinstance(node, ast.Global):
                declared[inner] = outer[-1] if outer else inner
            else:
                owners = (s for s in outer if isinstance(s, FUNCTIONS) and s in raw and s not in declared)
                declared[inner] = next(owners, inner)
        return declared

    @cached_property
    def _declarations(self) -> dict[str, list[ast.Global | ast.Nonlocal]]:
        found: dict[str, list[ast.Global | ast.Nonlocal]] = {}
        for kind in (ast.Global, ast.Nonlocal):
            for node in self._index.kinds.get(kind, ()):
                if isinstance(node, ast.Global | ast.Nonlocal):
                    for name in node.names:
                        found.setdefault(name, []).append(node)
        return found

    def _outwards(self, node: ast.AST) -> Iterator[Scope]:
        """The scopes around `node`, from the inside out, the module last."""
        around = self._index.around
        found = around[node]
        while found is not None:
            yield found
            found = around[found]


def value_beside(target: ast.expr, targets: ast.Tuple | ast.List, statement: ast.AST | None) -> ast.expr | None:
    """The expression that is where `target` is among `targets`, those of `one, other = value, another`.

    Returns:
      None where `statement` is no such assignment, or the expression reads one of the targets, as in a swap.
    """
    match statement:
        case ast.Assign(targets=[only], value=ast.Tuple(elts=values) | ast.List(elts=values)) if only is targets:
            is_plain = not any(isinstance(each, ast.Starred) for each in (*targets.elts, *values))
            if is_plain and len(values) == len(targets.elts):
                value = values[targets.elts.index(target)]
                return value if value.__class__ is ast.Constant or not _reads_one(value, targets) else None
    return None


def _reads_one(value: ast.expr, targets: ast.expr) -> bool:
    """Whether `value` may read what `targets` bind: a variable, or an attribute of the same name, of any object."""
    read, changed = [*walk(value)], [*walk(targets)]
    if any(isinstance(node, ast.Subscript) for node in changed):  # an item of what other names may stand for too
        return not (_names(changed) | _attributes(changed)).isdisjoint(_names(read) | _attributes(read))
    changed = [node for node in changed if isinstance(getattr(node, "ctx", None), ast.Store)]
    return not (_names(changed).isdisjoint(_names(read)) and _attributes(changed).isdisjoint(_attributes(read)))


def _names(nodes: Iterable[ast.AST]) -> set[str]:
    return {node.id for node in nodes if type(node) is ast.Name}


def _attributes(nodes: Iterable[ast.AST]) -> set[str]:
    return {node.attr for node in nodes if type(node) is ast.Attribute}
