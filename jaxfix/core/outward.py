"""What a file tells the other files of its project."""

import ast
from collections.abc import Container, Iterator

from jaxfix.core.asking import NOBODY, Asking
from jaxfix.core.changes import MUTATORS
from jaxfix.core.facts import ANY_NAME, Called, Facts, Use
from jaxfix.core.jitted import Jit
from jaxfix.core.model import Module
from jaxfix.core.passing import Interest, Passing
from jaxfix.core.reach import Outcome
from jaxfix.core.values import Values

_PATCHERS = ("setattr", "delattr", "patch")
_BY_NAME = ("setattr", "delattr", "object", "getattr", "hasattr")
_STEPS = 100
"""Sources that are looked at for one argument: every file asks for many."""


def facts(module: Module, packages: Container[str], *, is_test: bool = False, asking: Asking = NOBODY) -> Facts:
    """The facts of `module`, whose name must be known.

    Args:
      packages: the first parts of the names of the project's files: what else is imported is not theirs.
      asking: the functions that need to know more of what they are passed.
    """
    assert module.surroundings.name is not None
    return _Outward(module, module.surroundings.name, packages, is_test, asking).facts()


class _Outward:
    def __init__(self, module: Module, name: str, packages: Container[str], is_test: bool, asking: Asking) -> None:
        self.module, self.name, self.packages, self.is_test = module, name, packages, is_test
        self.asking = asking
        self.passing = Passing(module, Values(module, steps=_STEPS))
        self.stars = tuple(dict.fromkeys(self._stars()))
        self.aliases = dict(self._aliases())
        self.borrowed: set[str] = set()
        self.theirs: dict[str, list[str]] = {}
        for name, of in self._imported():
            self.borrowed.add(name)
            if of.startswith(".") or self._is_theirs(of):
                self.theirs.setdefault(name, []).append(module.absolute(of))

    def facts(self) -> Facts:
        references = tuple(self._references())
        return Facts(
            self.name,
            self.is_test,
            self.aliases,
            self.stars,
            dict(self._jits()),
            tuple(self._uses(references)),
            tuple(dict.fromkeys((*self._rebinds(references), *self._patched()))),
            tuple(sorted(self.module.changes.perhaps_rebound)),
            tuple(sorted(self.module.names() - self.module.imports.keys())) if self.stars else (),
        )

    def _aliases(self) -> Iterator[tuple[str, str]]:
        """The names of the module for what is imported, through `name = other.name` too."""
        imports = self.module.imports
        for name in self.module.names():
            if name in imports:
                found: str | None = imports[name]
            else:
                (first, *more) = self.module.bindings(name)
                value = self.module.value_of(first.node) if isinstance(first.node, ast.Name) and not more else None
                is_name = isinstance(value, ast.Name | ast.Attribute)
                found = self.module.qualname(value) if is_name and value is not None else None
            if found is not None and not found.startswith("."):
                yield name, found

    def _is_alias(self, node: ast.expr, of: str) -> bool:
        """Whether `node` is all that a name of the module is bound to: those who use that name say what they do."""
        match self.module.parent(node):
            case ast.Assign(targets=[ast.Name(id=name) as target], value=value) if value is node:
                is_own = self.module.scope_of(name, target) is self.module.tree
                return is_own and self.aliases.get(name) == of
        return False

    def _imported(self) -> Iterator[tuple[str, str]]:
        """The names that imports bind, in any scope, each with the dotted name of what it stands for."""
        for node in self.module.nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    first = alias.name.partition(".")[0]
                    yield (alias.asname, alias.name) if alias.asname else (first, first)
            elif isinstance(node, ast.ImportFrom):
                of = "." * node.level + (f"{node.module}." if node.module else "")
                yield from ((alias.asname or alias.name, f"{of}{alias.name}") for alias in node.names)

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
                elif isinstance(node, ast.Name) and node.id in self.theirs:
                    yield from ((node, each) for each in self._perhaps(node))
                elif self.stars and isinstance(node, ast.Name) and self.module.scope_of(node.id, node) is None:
                    yield from ((node, f"{star}.{node.id}") for star in self.stars if self._is_theirs(star))

    def _perhaps(self, node: ast.Name) -> tuple[str, ...]:
        """What a name may stand for that is imported in one of several places: by the way that is taken."""
        scope = self.module.scope_of(node.id, node)
        bindings = self.module.bindings(node.id, scope) if scope is not None else ()
        if not any(isinstance(binding.node, ast.Import | ast.ImportFrom) for binding in bindings):
            return ()
        return tuple(dict.fromkeys(self.theirs[node.id]))

    def _goes_on(self, node: ast.expr) -> bool:
        parent = self.module.parent(node)
        return isinstance(parent, ast.Attribute) and parent.value is node and self._dotted(parent) is not None

    def _dotted(self, node: ast.expr) -> str | None:
        root = node
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name):
            return None
        if root.id in self.borrowed:
            found = self.module.qualname(node) if root.id in self.theirs else None
        else:
            found = self._of_object(node)
        return found if found is not None and self._is_theirs(found) else None

    def _is_theirs(self, qualname: str) -> bool:
        return qualname.partition(".")[0] in self.packages

    def _of_object(self, node: ast.expr) -> str | None:
        """The dotted name of `obj.method`, where `obj` is bound once to a call of a class of another file."""
        if not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)):
            return None
        made = self.module.made_by(node.value)
        owner = self.module.qualname(made) if made is not None else None
        return None if owner is None else f"{owner}.{node.attr}"

    def _uses(self, references: tuple[tuple[ast.expr, str], ...]) -> Iterator[Use]:
        every = ((node, of, outcome) for node, of in references for outcome in self._outcomes(node, of))
        found = [(of, self._direct(node, outcome, of), outcome, node) for node, of, outcome in every]
        calls: dict[str, list[ast.Call]] = {}
        for of, call, _, _ in found:
            if call is not None:
                calls.setdefault(of, []).append(call)
        for of, call, outcome, node in found:
            known = tuple(sorted(outcome.ways.known, key=lambda way: way.value))
            # Through a function under `jit` nobody else gets here.
            left = tuple(way for way in outcome.through if way.name in outcome.ways.open)
            told = None if call is None else self._called(calls[of], call, of)
            repeats, surely, derived = outcome.repeats, outcome.surely, outcome.differentiated
            yield Use(of, known, left, repeats, surely, derived, self._place(call or node), told)

    def _outcomes(self, node: ast.expr, of: str) -> Iterator[Outcome]:
        if not isinstance(getattr(node, "ctx", None), ast.Load):
            return
        reach = self.module.reach
        found = reach.calls_of_expression(node) if self.is_test else reach.uses_of_expression(node)
        is_alias = self._is_alias(node, of)
        yield from (outcome for outcome in found if outcome.call is not None or not is_alias)

    def _direct(self, node: ast.expr, outcome: Outcome, of: str) -> ast.Call | None:
        """The call that `node` comes to, if it is what is called there, under whatever name."""
        call = outcome.call
        if call is None or call.func is node or self._is_name_of(call.func, of):
            return call
        return None

    def _is_name_of(self, func: ast.expr, of: str) -> bool:
        return isinstance(func, ast.Name) and self.module.qualname(func) == of

    def _called(self, calls: list[ast.Call], call: ast.Call, of: str) -> Called:
        bound = isinstance(call.func, ast.Attribute) and self.module.qualname(call.func) is None
        name = of.rpartition(".")[2]
        how = Interest(
            values=not self.is_test and (name in self.asking.raising or name in self.asking.working),
            objects=name in self.asking.working,
        )
        return self.passing.called(calls, call, self._place, bound=bound, interest=how)

    def _place(self, node: ast.AST) -> str:
        return f"{self.module.source.path}:{getattr(node, 'lineno', 1)}"

    def _rebinds(self, references: tuple[tuple[ast.expr, str], ...]) -> Iterator[str]:
        for node, of in references:
            yield from self._changed(node, of)
            yield from (f"{name}.{ANY_NAME}" for name in self._opened(node, of))

    def _patched(self) -> Iterator[str]:
        """The names that calls such as `mock.patch("module.name")` spell as a text."""
        for call in self.module.all_calls():
            match call.args:
                case [ast.Constant(value=str(name)), *_] if "." in name and _last(call.func) in _PATCHERS:
                    yield name

    def _opened(self, node: ast.expr, of: str) -> Iterator[str]:
        """The modules, or other things, of which any name may be listed or bound: by whoever gets them."""
        before, namespace, _ = of.partition(".__dict__")
        function, globals_, _ = of.partition(".__globals__")
        if namespace:
            yield before
        if globals_:
            yield function.rpartition(".")[0]
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and self._is_handed_on(node):
            yield of

    def _is_handed_on(self, node: ast.Name) -> bool:
        match self.module.parent(node):
            case ast.Attribute():
                return False
            case ast.Call(func=func, args=[first, *more]) if first is node:
                is_named = bool(more) and isinstance(more[0], ast.Constant)
                return not (is_named and _last(func) in _BY_NAME)
            case ast.Call(func=func):
                return func is not node
        return True

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
