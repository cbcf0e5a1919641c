"""Where code runs: eagerly, only under a trace, or as someone outside of the module decides."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from jaxfix.core.conditions import always_runs, goes_around
from jaxfix.core.jax_names import CONTROL_FLOW, CONTROL_FLOW_KEYWORDS, DERIVATIVES, JITS
from jaxfix.core.scopes import Function

if TYPE_CHECKING:
    from jaxfix.core.model import Module

_MAPS = frozenset(
    {"jax.vmap", "equinox.filter_vmap", "flax.nnx.vmap", "jax.custom_jvp", "jax.custom_vjp", "jax.named_call"}
)
_CALL_AT_ONCE = frozenset(
    {"jax.jvp", "jax.vjp", "jax.linearize", "jax.eval_shape", "jax.tree.map", "jax.tree_util.tree_map"}
)
_MEMOS = frozenset({"functools.cache", "functools.lru_cache", "functools.cached_property"})
_TRANSPARENT_DECORATORS = frozenset({"staticmethod", "classmethod", "property", "abstractmethod", "override"})


class Runs(Enum):
    """Where a line runs, as far as its module tells."""

    EAGER = "eager"
    """At least one way to it that was read does not pass a trace."""
    TRACED = "traced"
    """Every way to it passes a trace."""
    UNKNOWN = "unknown"
    """It is public, or handed to code that was not read."""


@dataclass(frozen=True, slots=True)
class _Use:
    """One use of a function: what becomes of it there, and whether a derivative is taken on the way."""

    runs: Runs
    call: ast.Call | None
    differentiated: bool


class Reach:
    """Answers for one module, by following decorators, calls and references inside it."""

    def __init__(self, module: "Module") -> None:
        self._module = module
        self._loads: dict[str, list[ast.Name]] = {}
        self._attribute_loads: dict[str, list[ast.Attribute]] = {}
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                self._loads.setdefault(node.id, []).append(node)
            elif isinstance(node, ast.Attribute):
                self._attribute_loads.setdefault(node.attr, []).append(node)
        self._runs: dict[Function, Runs] = {}
        self._uses: dict[Function, tuple[_Use, ...]] = {}
        self._under_way: set[tuple[str, ast.AST]] = set()

    def runs(self, node: ast.AST) -> Runs:
        function = self._module.function(node)
        return Runs.EAGER if function is None else self._runs_of(function)

    def repeats(self, node: ast.AST) -> bool:
        if self.runs(node) is not Runs.EAGER:
            return False
        if self._module.loops(node):
            return True
        function = self._module.function(node)
        return function is not None and self._asked_once(
            "repeats", function, lambda use: use.call is not None and self.repeats(use.call)
        )

    def surely_repeats(self, node: ast.AST) -> bool:
        if self.runs(node) is not Runs.EAGER:
            return False
        if any(goes_around(loop) and always_runs(self._module, node, loop) for loop in self._module.loops(node)):
            return True
        function = self._module.function(node)
        if function is None or self._is_memoised(function) or not always_runs(self._module, node, function):
            return False
        return self._asked_once("surely", function, lambda use: use.call is not None and self.surely_repeats(use.call))

    def _is_memoised(self, function: Function) -> bool:
        return any(self._module.transform(decorator) in _MEMOS for decorator in _decorators(function))

    def differentiated(self, node: ast.AST) -> bool:
        return any(self._is_differentiated(function) for function in self._module.functions_around(node))

    def _is_differentiated(self, function: Function) -> bool:
        def is_so(use: _Use) -> bool:
            return use.differentiated or (use.call is not None and self.differentiated(use.call))

        return self._asked_once("differentiated", function, is_so)

    def _asked_once(self, question: str, function: Function, answer: Callable[[_Use], bool]) -> bool:
        """Whether `answer` holds of a use of `function`; no where the question led back to itself."""
        if (question, function) in self._under_way:
            return False
        self._under_way.add((question, function))
        try:
            return any(answer(use) for use in self._uses_of(function))
        finally:
            self._under_way.discard((question, function))

    def _runs_of(self, function: Function) -> Runs:
        if function in self._runs:
            return self._runs[function]
        if ("runs", function) in self._under_way:
            return Runs.UNKNOWN
        self._under_way.add(("runs", function))
        ways = {self._way(use) for use in self._uses_of(function) if not self._is_recursion(use, function)}
        self._under_way.discard(("runs", function))
        if self._is_jitted(function):
            ways = {Runs.TRACED}
        elif self._is_public(function) or self._has_strange_decorator(function):
            ways.add(Runs.UNKNOWN)
        answer = next((way for way in (Runs.EAGER, Runs.UNKNOWN, Runs.TRACED) if way in ways), Runs.UNKNOWN)
        self._runs[function] = answer
        return answer

    def _way(self, use: _Use) -> Runs:
        return use.runs if use.call is None else self.runs(use.call)

    def _is_recursion(self, use: _Use, function: Function) -> bool:
        return use.call is not None and function in self._module.functions_around(use.call)

    def _is_jitted(self, function: Function) -> bool:
        return any(self._module.transform(decorator) in JITS for decorator in _decorators(function))

    def _has_strange_decorator(self, function: Function) -> bool:
        for decorator in _decorators(function):
            known = self._module.transform(decorator)
            plain = decorator.id if isinstance(decorator, ast.Name) else getattr(decorator, "attr", None)
            if known not in JITS | _MAPS | DERIVATIVES and plain not in _TRANSPARENT_DECORATORS:
                return True
        return False

    def _is_public(self, function: Function) -> bool:
        if isinstance(function, ast.Lambda) or self._module.is_script:
            return False
        owner = self._module.parent(function)
        if self._module.function(function) is not None:
            return isinstance(owner, ast.ClassDef)
        private = function.name.startswith("_") and not function.name.endswith("__")
        return not private

    # --- uses -------------------------------------------------------------------------------------------------

    def _uses_of(self, function: Function) -> tuple[_Use, ...]:
        if function not in self._uses:
            self._uses[function] = ()  # a function that refers to itself through a name ends here
            self._uses[function] = tuple(self._find_uses(function))
        return self._uses[function]

    def _find_uses(self, function: Function) -> Iterator[_Use]:
        if any(self._module.transform(d) in DERIVATIVES for d in _decorators(function)):
            yield _Use(Runs.UNKNOWN, None, True)
        if isinstance(function, ast.Lambda):
            yield from self._use(function, False)
            return
        owner = self._module.parent(function)
        if isinstance(owner, ast.ClassDef):
            yield from self._method_uses(function, owner)
            return
        scope = self._module.scope_of(function.name, function) or self._module.tree
        for name in self._loads.get(function.name, ()):
            if self._module.scope_of(function.name, name) is scope:
                yield from self._use(name, False)

    def _method_uses(self, method: ast.FunctionDef | ast.AsyncFunctionDef, owner: ast.ClassDef) -> Iterator[_Use]:
        for attribute in self._attribute_loads.get(method.name, ()):
            around = self._module.functions_around(attribute)
            outermost = around[-1] if around else None
            first = outermost.args.args[0].arg if outermost is not None and outermost.args.args else None
            receiver = attribute.value.id if isinstance(attribute.value, ast.Name) else None
            in_class = outermost is not None and self._module.parent(outermost) is owner
            if receiver == owner.name or (in_class and receiver == first):
                yield from self._use(attribute, False)
            else:
                yield _Use(Runs.UNKNOWN, None, False)  # perhaps of another object, perhaps of this class

    def _use(self, node: ast.AST, differentiated: bool) -> Iterator[_Use]:
        """What becomes of the function that `node` stands for."""
        parent = self._module.parent(node)
        if isinstance(parent, ast.keyword | ast.Starred):
            node, parent = parent, self._module.parent(parent)
        match parent:
            case ast.Call(func=func) if func is node:
                yield _Use(Runs.UNKNOWN, parent, differentiated)
            case ast.Call():
                yield from self._argument(node, parent, differentiated)
            case ast.List() | ast.Tuple() if isinstance(self._module.parent(parent), ast.Call):
                yield from self._use(parent, differentiated)
            case ast.Assign(targets=[ast.Name() as target]) | ast.NamedExpr(target=target):
                yield from self._uses_of_name(target, differentiated)
            case ast.IfExp():
                yield from self._use(parent, differentiated)
            case ast.Expr():
                return
            case _:
                yield _Use(Runs.UNKNOWN, None, differentiated)

    def _uses_of_name(self, target: ast.Name, differentiated: bool) -> Iterator[_Use]:
        scope = self._module.scope_of(target.id, target)
        if scope is None or isinstance(scope, ast.ClassDef):
            yield _Use(Runs.UNKNOWN, None, differentiated)
            return
        key = ("name", target)
        if key in self._under_way:
            return
        self._under_way.add(key)
        if scope is self._module.tree and not self._module.is_script and not target.id.startswith("_"):
            yield _Use(Runs.UNKNOWN, None, differentiated)
        for name in self._loads.get(target.id, ()):
            if self._module.scope_of(target.id, name) is scope:
                yield from self._use(name, differentiated)
        self._under_way.discard(key)

    def _argument(self, node: ast.AST, call: ast.Call, differentiated: bool) -> Iterator[_Use]:
        """A function handed to `call`: transformed, traced, called there and then, or gone."""
        transform = self._module.transform(call.func) or ""
        if transform in JITS or _is_control_flow(transform, call, node):
            yield _Use(Runs.TRACED, None, differentiated)
        elif transform in _CALL_AT_ONCE:
            yield _Use(Runs.UNKNOWN, call, differentiated or transform in DERIVATIVES)
        elif transform == "functools.partial" or transform in _MAPS | DERIVATIVES:
            yield from self._use(call, differentiated or transform in DERIVATIVES)
        else:
            yield _Use(Runs.UNKNOWN, None, differentiated)


def _is_control_flow(transform: str, call: ast.Call, node: ast.AST) -> bool:
    if transform not in CONTROL_FLOW:
        return False
    if isinstance(node, ast.keyword):
        return node.arg in CONTROL_FLOW_KEYWORDS[transform]
    return any(call.args[i] is node for i in CONTROL_FLOW[transform] if i < len(call.args))


def _decorators(function: Function) -> list[ast.expr]:
    return [] if isinstance(function, ast.Lambda) else function.decorator_list
