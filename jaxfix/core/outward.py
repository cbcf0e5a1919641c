"""What a file tells the other files of its project."""

import ast
from collections.abc import Container, Iterator

from jaxfix.core.changes import MUTATORS
from jaxfix.core.facts import Facts, Use
from jaxfix.core.jitted import Jit
from jaxfix.core.model import Module


def facts(module: Module, packages: Container[str], *, is_test: bool = False) -> Facts:
    """The facts of `module`, whose name must be known.

    Args:
      packages: the first parts of the names of the project's files: what else is imported is not theirs.
    """
    assert module.surroundings.name is not None
    return _Outward(module, module.surroundings.name, packages, is_test).facts()


class _Outward:
    def __init__(self, module: Module, name: str, packages: Container[str], is_test: bool) -> None:
        self.module, self.name, self.packages, self.is_test = module, name, packages, is_test
        self.borrowed = {
            alias.asname or alias.name.partition(".")[0]
            for node in module.nodes
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        }

    def facts(self) -> Facts:
        references = tuple(self._references())
        return Facts(
            self.name,
            self.is_test,
            {name: qualname for name, qualname in self.module.imports.items() if not qualname.startswith(".")},
            tuple(self._stars()),
            dict(self._jits()),
            () if self.is_test else tuple(use for node, of in references for use in self._uses(node, of)),
            tuple(dict.fromkeys(self._rebinds(references))),
            tuple(sorted(self.module.changes.perhaps_rebound)),
        )

    def _stars(self) -> Iterator[str]:
        for node in self.module.nodes:
            if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
                found = self.module.absolute("." * node.level + (node.module or ""))
                if not found.startswith("."):
                    yield found

    def _jits(self) -> Iterator[tuple[str, Jit]]:
        for name in self.module.names():
            for binding in self.module.bindings(name)[:1]:
                found = self._jit(name, binding.node)
                if found is not None:
                    yield name, found
        for function in self.module.functions:
            owner = self.module.method_of(function)
            if owner is not None and self.module.function(owner) is None:
                found_method = self.module.decorated(function)
                if found_method is not None:
                    yield self.module.path(function), found_method.jit

    def _jit(self, name: str, node: ast.AST) -> Jit | None:
        if len(self.module.bindings(name)) != 1:
            return None
        if isinstance(node, ast.FunctionDef):
            found = self.module.decorated(node)
            return found.jit if found is not None else None
        value = self.module.value_of(node) if isinstance(node, ast.Name) else None
        return self.module.jit(value) if value is not None else None

    # --- uses of others' things -------------------------------------------------------------------------------

    def _references(self) -> Iterator[tuple[ast.expr, str]]:
        """The names and attributes that stand for something of another file of the project, with its dotted name."""
        for node in self.module.nodes:
            if isinstance(node, ast.Name | ast.Attribute) and not self._goes_on(node):
                of = self._dotted(node)
                if of is not None:
                    yield node, of

    def _goes_on(self, node: ast.expr) -> bool:
        parent = self.module.parent(node)
        return isinstance(parent, ast.Attribute) and parent.value is node and self._dotted(parent) is not None

    def _dotted(self, node: ast.expr) -> str | None:
        root = node
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name):
            return None
        found = self.module.qualname(node) if root.id in self.borrowed else self._of_object(node)
        is_theirs = found is not None and found.partition(".")[0] in self.packages
        return found if is_theirs else None

    def _of_object(self, node: ast.expr) -> str | None:
        """The dotted name of `obj.method`, where `obj` is bound once to a call of a class of another file."""
        if not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)):
            return None
        made = self.module.made_by(node.value)
        owner = self.module.qualname(made) if made is not None else None
        return None if owner is None else f"{owner}.{node.attr}"

    def _uses(self, node: ast.expr, of: str) -> Iterator[Use]:
        if not isinstance(getattr(node, "ctx", None), ast.Load):
            return
        for ways, through, repeats, surely, differentiated in self.module.reach.uses_of_expression(node):
            known = tuple(sorted(ways.known, key=lambda way: way.value))
            # Through a function under `jit` nobody else gets here.
            left = tuple(way for way in through if way.name in ways.open)
            yield Use(of, known, left, repeats, surely, differentiated)

    def _rebinds(self, references: tuple[tuple[ast.expr, str], ...]) -> Iterator[str]:
        for node, of in references:
            yield from self._changed(node, of)

    def _changed(self, node: ast.expr, of: str) -> Iterator[str]:
        """What of `of` and the modules and objects around it this reference binds anew or changes."""
        parent = self.module.parent(node)
        match node, parent:
            case ast.Attribute(ctx=ast.Store() | ast.Del()), _:
                yield of
                yield of.rpartition(".")[0]
            case _, ast.Subscript(value=value, ctx=ast.Store() | ast.Del()) if value is node:
                yield of
            case _, ast.AugAssign(target=target) if target is node:
                yield of
            case _, ast.Attribute(value=value, ctx=ast.Store() | ast.Del()) if value is node:
                yield of
            case ast.Attribute(attr=attr), ast.Call(func=func) if func is node and attr in MUTATORS:
                yield of.rpartition(".")[0]
            case _, ast.Call(func=func, args=[first, ast.Constant(value=str(name)), *_]) if first is node:
                if _last(func) in ("setattr", "delattr", "object"):  # also `monkeypatch.setattr`, `mock.patch.object`
                    yield f"{of}.{name}"


def _last(func: ast.expr) -> str | None:
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", None)
