"""All nodes of a syntax tree, from one walk: in order, by class, by name, with what is around each."""

import ast
from collections import defaultdict
from typing import Any, Final

from jaxfix.syntax.nodes import FIELDS

Scope = ast.AST
"""A function, a class, a comprehension or the module."""
COMPREHENSIONS = frozenset({ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp})
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_SCOPES = frozenset({*_DEFINITIONS, ast.Lambda, ast.Module, *COMPREHENSIONS})
_BINDING = frozenset(
    {
        *(*_DEFINITIONS, ast.Import, ast.ImportFrom, ast.ExceptHandler),
        *(ast.MatchAs, ast.MatchStar, ast.MatchMapping),
    }
)
_TELLING = _BINDING | _SCOPES
_Into = tuple[Scope | None]
"""Stands among the nodes still to come where the walk enters or leaves a scope."""


class Index:
    """The nodes below a module, each before those below it, in the order of their fields.

    Attributes:
      kinds: those of each class, except variables.
      names: the variables, bound and read, by their name.
      attributes: the attributes, by their name.
      binding: what binds each name, whatever scope it does so in.
      parents: the node right above each.
      around: the innermost scope that each is evaluated in: of a default or a decorator the one around its function.
    """

    __slots__ = ("around", "attributes", "binding", "kinds", "names", "parents")

    def __init__(self, tree: ast.Module) -> None:
        self.kinds: Final[dict[type[ast.AST], list[ast.AST]]] = defaultdict(list)
        self.names: Final[dict[str, list[ast.Name]]] = defaultdict(list)
        self.attributes: Final[dict[str, list[ast.Attribute]]] = defaultdict(list)
        self.binding: Final[dict[str, list[ast.AST]]] = defaultdict(list)
        self.parents: Final[dict[ast.AST, ast.AST]] = {}
        self.around: Final[dict[ast.AST, Scope | None]] = {}
        self._fill(tree)
        for found in (self.kinds, self.names, self.attributes, self.binding):
            found.default_factory = None  # a lookup of a missing key adds nothing

    def _fill(self, tree: ast.Module) -> None:
        """One flat loop without calls: no other line of jaxfix runs as often as these."""
        kinds, names, attributes = self.kinds, self.names, self.attributes
        binding, parents, around = self.binding, self.parents, self.around
        variable, constant, attribute, argument, load = ast.Name, ast.Constant, ast.Attribute, ast.arg, ast.Load
        call, mark, fields_of = ast.Call, tuple, FIELDS
        scope: Scope | None = None
        pending: list[Any] = [tree]
        pop, push = pending.pop, pending.append
        while pending:
            node = pop()
            kind = node.__class__
            if kind is variable:
                around[node] = scope
                name = node.id
                names[name].append(node)
                if node.ctx.__class__ is not load:
                    binding[name].append(node)
                continue
            if kind is mark:
                (scope,) = node
                continue
            fields = fields_of[kind]
            if fields is None:
                continue
            around[node] = scope
            kinds[kind].append(node)
            if kind is constant:
                continue
            if kind is attribute:
                attributes[node.attr].append(node)
                value = node.value
                parents[value] = node
                push(value)
                continue
            if kind is argument:
                binding[node.arg].append(node)
                value = node.annotation
                if value is not None:
                    parents[value] = node
                    push(value)
                continue
            if kind is call:
                below = [node.func, *node.args, *node.keywords]
            else:
                below, parts = [], node.__dict__  # of what was parsed it has each
                for field in fields:
                    part: Any = parts[field]
                    if part.__class__ is list:
                        below += part
                    elif part is not None:
                        below.append(part)
            for child in below:
                parents[child] = node
            if kind in _TELLING:
                for name in bound_by(node):
                    binding[name].append(node)
                if kind in _SCOPES:
                    below = _entering(node, below, scope)
            below.reverse()
            pending += below


def _entering(scope: Scope, below: list[ast.AST], outer: Scope | None) -> list[Any]:
    """The nodes below a scope, with markers around those evaluated in it, which are contiguous."""
    first, last = 0, len(below)
    match scope:
        case ast.FunctionDef(body=body) | ast.AsyncFunctionDef(body=body):
            first, last = 1, 1 + len(body)
        case ast.ClassDef(bases=bases, keywords=keywords, body=body):
            first = len(bases) + len(keywords)
            last = first + len(body)
        case ast.Lambda():
            first = 1
    return [*below[:first], (scope,), *below[first:last], (outer,), *below[last:]]


def is_inside(scope: Scope, child: ast.AST) -> bool:
    """Whether `child`, right below `scope`, is evaluated in it, and not around it as a default, a decorator, a base."""
    if isinstance(scope, ast.Lambda):
        return child is scope.body
    return not isinstance(scope, _DEFINITIONS) or isinstance(child, ast.stmt)


def bound_by(node: ast.AST) -> tuple[str, ...] | list[str]:
    """The names that a statement, or a part of one other than a variable or a parameter, itself binds."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return (name,)
        case ast.Import(names=aliases):
            return [alias.asname or alias.name.partition(".")[0] for alias in aliases]
        case ast.ImportFrom(names=aliases):
            return [alias.asname or alias.name for alias in aliases]
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return (name,)
        case ast.MatchMapping(rest=str(name)):
            return (name,)
    return ()
