"""The names in a file that stand for something of other files."""

import ast
from collections.abc import Container, Iterator
from functools import cached_property

from jaxfix.semantic.calls import made_by
from jaxfix.semantic.module import Module


class Borrowed:
    """The meanings of the names of `module` in the files of `packages`, the first parts of dotted names.

    Attributes:
      module: the file.
      stars: the modules whose names it takes all.
      borrowed: the names that it imports.
      theirs: of those that are the project's, what each stands for; one per import.
    """

    def __init__(self, module: Module, packages: Container[str]) -> None:
        self.module, self._packages = module, packages
        self.stars = tuple(dict.fromkeys(self._stars()))
        self.borrowed: set[str] = set()
        self.theirs: dict[str, list[str]] = {}
        for (_, name), of in module.names.imported.items():
            self.borrowed.add(name)
            if of.startswith(".") or self.is_theirs(of):
                self.theirs.setdefault(name, []).append(module.names.absolute(of))

    def of(self, module: Module) -> "Borrowed":
        """The same of another text, in the same project."""
        return Borrowed(module, self._packages)

    def named(self, node: ast.expr) -> tuple[str, ...]:
        """The dotted names of what `node` may stand for in other files of the project."""
        of = self.dotted(node)
        if of is not None:
            return (of,)
        if isinstance(node, ast.Name) and node.id in self.theirs:
            return self._perhaps(node)
        if isinstance(node, ast.Name) and self.stars and self.module.scope_of(node.id, node) is None:
            return tuple(f"{star}.{node.id}" for star in self.stars if self.is_theirs(star))
        return ()

    def given(self) -> Iterator[tuple[str, ast.Call]]:
        """What it imports, of libraries too, and gives a call by that name alone: it may set names of a module."""
        parents, by_id = self.module.index.parents, self.module.names.by_id
        for name, of in self.module.names.imports.items():
            called = [node for node in by_id.get(name, ()) if parents[node].__class__ is ast.Call]
            for node in called:
                call = parents[node]
                if isinstance(call, ast.Call) and node in call.args:
                    yield of, call

    def _perhaps(self, node: ast.Name) -> tuple[str, ...]:
        """The possible meanings of a name imported in one of several places, depending on the branch taken."""
        scope = self.module.scope_of(node.id, node)
        bindings = self.module.bindings(node.id, scope) if scope is not None else ()
        if not any(isinstance(binding.node, ast.Import | ast.ImportFrom) for binding in bindings):
            return ()
        return tuple(dict.fromkeys(self.theirs[node.id]))

    def goes_on(self, node: ast.expr) -> bool:
        parent = self.module.parent(node)
        return isinstance(parent, ast.Attribute) and parent.value is node and self.dotted(parent) is not None

    def dotted(self, node: ast.expr) -> str | None:
        root = root_of(node)
        if root is None:
            return None
        if root.id in self.borrowed:
            found = self.module.qualname(node) if root.id in self.theirs else None
        else:
            found = self._of_object(node)
        return found if found is not None and self.is_theirs(found) else None

    def may_be_theirs(self, node: ast.expr) -> bool:
        """Whether `_named` may have an answer: most objects that are changed are the file's own."""
        root = root_of(node)
        return root is not None and (bool(self.stars) or root.id in self.theirs or root.id in self._made)

    @cached_property
    def _made(self) -> frozenset[str]:
        """The names that may stand for an object that a call has made."""
        return frozenset([target.id for target, value in self.module.names.assigned if type(value) is ast.Call])

    def is_theirs(self, qualname: str) -> bool:
        return qualname.partition(".")[0] in self._packages

    def _of_object(self, node: ast.expr) -> str | None:
        """The dotted name of `obj.method`, where `obj` is bound once to a call of a class of another file."""
        if not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)):
            return None
        made = made_by(self.module, node.value)
        owner = self.module.qualname(made) if made is not None else None
        return None if owner is None else f"{owner}.{node.attr}"

    def _stars(self) -> Iterator[str]:
        for node in self.module.names.star_imports:
            found = self.module.names.absolute("." * node.level + (node.module or ""))
            if not found.startswith("."):
                yield found


def root_of(node: ast.expr) -> ast.Name | None:
    """The name that a dotted name begins with."""
    while type(node) is ast.Attribute:
        node = node.value
    return node if type(node) is ast.Name else None
