"""The identifiers of a file: which words it mentions, and which are free for a new name."""

import ast
import re
from collections.abc import Mapping, Sequence
from functools import cached_property

from jaxfix.semantic.module import Module
from jaxfix.semantic.project.query import STORES, TAKES_NAME
from jaxfix.syntax.index import bound_by
from jaxfix.syntax.nodes import walk

_TYPE = re.compile(r"[A-Za-z_][\w.]*(?:(?:\[+|\]*, ?|\]* ?\| ?)[\w.]+)*\]*")
_WORD = re.compile(r"[A-Za-z_]\w*")
_FUNCTIONS = frozenset({ast.FunctionDef, ast.AsyncFunctionDef})


class Identifiers:
    """The identifiers of one module."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._index = module.index
        self._numbers: dict[str, int] = {}
        self._given: set[str] = set()
        self._local: dict[ast.AST, set[str]] = {}
        self._numbers_at: dict[tuple[tuple[ast.AST, ...], str], int] = {}

    @cached_property
    def bound(self) -> frozenset[str]:
        """The names that some scope binds to something else than an import."""
        found = set()
        for name, nodes in self._index.binding.items():
            for node in nodes:
                if type(node.ctx) is ast.Store if type(node) is ast.Name else type(node) in _FUNCTIONS:
                    found.add(name)
                    break
        return frozenset(found)

    def unused(self, name: str) -> str:
        """`name`, or `name` with a number, that occurs nowhere in the file and was not given out before."""
        number = self._numbers.get(name, 0) + 1
        candidate = name if number == 1 else f"{name}_{number}"
        while self._is_taken(candidate):
            number += 1
            candidate = f"{name}_{number}"
        self._taken.add(candidate)
        self._given.add(candidate)
        self._numbers[name] = number
        return candidate

    def unused_at(self, name: str, *nodes: ast.AST) -> str:
        """As `unused`, of a variable of the functions around `nodes`: others may have theirs of that name."""
        around = [self._module.functions_around(node) for node in nodes]
        if not all(around):
            return self.unused(name)
        outermost = tuple(dict.fromkeys(functions[-1] for functions in around))
        taken = list(map(self._in, outermost))
        number = self._numbers_at.get((outermost, name), 0) + 1
        candidate = name if number == 1 else f"{name}_{number}"
        while candidate in self._given or any(candidate in some for some in taken):
            number += 1
            candidate = f"{name}_{number}"
        self._numbers_at[outermost, name] = number
        for some in (self._taken, *taken):
            some.add(candidate)
        return candidate

    def _in(self, function: ast.AST) -> set[str]:
        """The names that a function mentions, or was given."""
        if function not in self._local:
            self._local[function] = _mentioned(function)
        return self._local[function]

    def first_unused(self, names: Sequence[str]) -> str:
        """The first of `names` that `unused` would leave unchanged; else what that makes of the first."""
        free = (each for each in names if not self._is_taken(each))
        return self.unused(next(free, names[0]))

    def _is_taken(self, name: str) -> bool:
        stored = self._module.surroundings.project.ask(STORES, name)  # in this very module
        return name in self._taken or bool(stored) or self.is_taken_elsewhere(name)

    def is_taken_elsewhere(self, name: str) -> bool:
        """Whether `name`, at the top of this file, would replace or shadow one of a file that takes all its names."""
        own = self._module.surroundings.name
        return (
            own is not None
            and not name.startswith("_")
            and self._module.surroundings.project.ask(TAKES_NAME, f"{own}.{name}")
        )

    @cached_property
    def _taken(self) -> set[str]:
        return set(self.words)

    def mentions(self, word: str) -> bool:
        """Whether the identifier occurs in the code, and not just in a comment or a text of several words."""
        return self.mentions_any(frozenset({word}))

    def mentions_any(self, words: frozenset[str]) -> bool:
        """As `mentions`, of one of `words`."""
        index = self._index
        return not (
            index.names.keys().isdisjoint(words)
            and index.attributes.keys().isdisjoint(words)
            and index.binding.keys().isdisjoint(words)
            and self._named.isdisjoint(words)
            and self._origins.isdisjoint(words)
            and self._texts.isdisjoint(words)
        )

    def among(self, words: frozenset[str]) -> frozenset[str]:
        """Those of `words` that the code mentions, as `mentions` takes it; empty for none."""
        index, found = self._index, set[str]()
        for mapping in (index.names, index.attributes, index.binding):  # the cost is that of the shorter of the two
            found |= words.intersection(mapping) if len(mapping) < len(words) else words & mapping.keys()
        return frozenset(found) | (words & self._named) | (words & self._origins) | (words & self._texts)

    @cached_property
    def quoted(self) -> Mapping[str, frozenset[str]]:
        """The strings that may be types, `"jax.Array"` or `"list[Array]"`, each with its identifiers."""
        some = [text for text in self._texts if ("." in text or "[" in text) and _TYPE.fullmatch(text)]
        return {text: frozenset(_WORD.findall(text)) for text in some}

    @cached_property
    def in_types(self) -> frozenset[str]:
        """The identifiers of all strings that may be types."""
        return frozenset().union(*self.quoted.values())

    @property
    def words(self) -> frozenset[str]:
        """Every identifier of the code, also one that is all of a string, such as an entry of `__all__`."""
        index = self._index
        quoted = (text for text in self._texts if text.isidentifier())
        return self._named.union(index.names, index.attributes, index.binding, quoted)

    @cached_property
    def _named(self) -> frozenset[str]:
        """The identifiers that are parts of imports, or names of arguments."""
        imported = {part for alias in self._module.nodes(ast.alias) for part in alias.name.split(".")}
        return frozenset(imported.union([each.arg for each in self._module.nodes(ast.keyword) if each.arg is not None]))

    @cached_property
    def _origins(self) -> frozenset[str]:
        """The modules that names are imported from, and their last parts: nothing in the code is called so."""
        nodes = self._module.nodes(ast.ImportFrom)
        modules = [each.module for each in nodes if each.module is not None and not each.level]
        return frozenset([*modules, *(each.rpartition(".")[2] for each in modules)])

    @cached_property
    def _texts(self) -> frozenset[str]:
        """The strings of the code, be they identifiers or not."""
        return frozenset([each.value for each in self._module.nodes(ast.Constant) if type(each.value) is str])


def _mentioned(function: ast.AST) -> set[str]:
    """The identifiers of the code of a function, and of those in it."""
    found = set[str]()
    for node in walk(function):
        match node:
            case ast.Name(id=name) | ast.arg(arg=name):
                found.add(name)
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                found.update(names)
            case _:
                found.update(bound_by(node))
    return found
