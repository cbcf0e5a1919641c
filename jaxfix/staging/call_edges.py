"""The call graph of a file, edge by edge: where a function is called, under whatever name, and where it escapes."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from operator import or_

from jaxfix.dataflow.solver import Lattice, Solver
from jaxfix.library.facets import Transform
from jaxfix.library.generated import is_retrace
from jaxfix.library.table import short_names, where
from jaxfix.semantic.calls import arguments_of, made_by
from jaxfix.semantic.classes import class_of, family, methods, own_class
from jaxfix.semantic.dominance import always_runs
from jaxfix.semantic.module import Module
from jaxfix.semantic.project.summary_types import RETURNED, Runs, Wrapping
from jaxfix.semantic.reaching_definitions import reaching
from jaxfix.source.frozen import frozen
from jaxfix.staging.control_flow_calls import function_arguments
from jaxfix.staging.decorators import is_decorator, wrapping
from jaxfix.staging.jit import jitted_of, method, owner_of, transform_of
from jaxfix.staging.scripts import is_entry, is_script
from jaxfix.staging.visibility import (
    DERIVATIVES,
    JITS,
    MAPS,
    RULES,
    decorators,
    is_memoised,
    is_private,
    name_for_others,
)
from jaxfix.syntax.nodes import Function

_CALL_AT_ONCE = where(Transform.CALLS_AT_ONCE)
_APPLIES = where(Transform.APPLIES)
_BINDING = where(Transform.BINDS)
_WRAPPING = MAPS | DERIVATIVES | _BINDING | _APPLIES
_APPLIED = short_names(Transform.APPLIED)
"""The methods of an object that run the function which it was made of."""


@dataclass(frozen=True)
class CallEdge:
    """A call that a function comes to.

    Attributes:
      site: the call.
      callee: the function, or an expression that stands for one of another file.
      differentiated: a derivative is taken on the way.
    """

    module: Module
    site: ast.Call
    callee: ast.AST
    differentiated: bool = False

    @cached_property
    def caller(self) -> Function | None:
        """The function around the call; None for the module."""
        return self.module.function(self.site)

    @cached_property
    def repeats(self) -> bool:
        """Whether one call of the caller may come to the site repeatedly."""
        return bool(self.module.loops(self.site))

    @cached_property
    def always(self) -> bool:
        """Whether each call of the caller comes to the site."""
        return self.caller is not None and runs_at_each_call(self.module, self.site, self.caller)


@frozen
class Escape:
    """A use of a function that is not a call that was read.

    Attributes:
      runs: how the function runs there.
      differentiated: a derivative is taken on the way.
      given: the call that passes it to code which is unknown.
      returned: the dotted name of what returns it to other files: it runs as they run that.
    """

    runs: Runs
    differentiated: bool = False
    given: ast.Call | None = None
    returned: str | None = None


Use = CallEdge | Escape


def _in_order(uses: Iterable[Use]) -> tuple[Use, ...]:
    """Each once, by its place in the text: so one finds them in no other order, wherever a circle is entered."""
    return tuple(sorted({*uses}, key=_place))


def _place(use: Use) -> tuple[int, int, bool, str, str]:
    at = use.site if isinstance(use, CallEdge) else use.given
    line, column = (at.lineno, at.col_offset) if at is not None else (0, 0)
    if isinstance(use, CallEdge):
        return line, column, use.differentiated, "", ""
    return line, column, use.differentiated, use.runs.value, use.returned or ""


@frozen
class _Returned:
    """That what becomes of a function was read off the uses of another one, which returns it."""

    by: Function


@frozen
class _Found:
    """The uses of a function, and the functions that return it, themselves or through others."""

    uses: tuple[Use, ...] = ()
    returned_by: frozenset[Function] = frozenset()

    def __or__(self, other: "_Found") -> "_Found":
        return _Found(_in_order((*self.uses, *other.uses)), self.returned_by | other.returned_by)


_UNKNOWN = Escape(Runs.UNKNOWN)
_FOUND: Lattice[_Found] = Lattice(_Found(), or_, _Found((_UNKNOWN,)))


@frozen
class _Reference:
    """A node that stands for the function; `perhaps` where it is one of several that do."""

    node: ast.AST
    differentiated: bool = False
    perhaps: bool = False


def runs_at_each_call(module: Module, node: ast.AST, function: Function) -> bool:
    """Whether each call of `function`, the one around `node`, comes to `node`."""
    return not is_memoised(module, function) and always_runs(module, node, function)


class CallGraph:
    """Who uses the functions of one module, by following names, attributes, transformations and arguments."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._known = Solver(self._found, _FOUND)

    def uses(self, function: Function) -> tuple[Use, ...]:
        """The uses of `function` in its file, each once, as they stand in the text."""
        return self._known(function).uses

    def edges(self, function: Function) -> Iterator[CallEdge]:
        """The calls of `function` in its file."""
        return (use for use in self.uses(function) if isinstance(use, CallEdge))

    def returned_as(self, function: Function) -> Iterator[str]:
        """The names under which other files get `function` as what a function returns."""
        escapes = (use for use in self.uses(function) if isinstance(use, Escape))
        return (use.returned for use in escapes if use.returned is not None)

    def uses_of_expression(self, node: ast.expr) -> Iterator[Use]:
        """The uses of a function that `node` stands for."""
        return (use for use in self._followed(node, node) if not isinstance(use, _Returned))

    def _found(self, function: Function) -> _Found:
        """Its uses; that of a function which is returned in a circle, by itself at last, is unknown too."""
        found = [*self._uses(function)]
        returning = [each.by for each in found if isinstance(each, _Returned)]
        behind = frozenset(returning).union(*(self._known(each).returned_by for each in returning))
        uses = [use for use in found if not isinstance(use, _Returned)]
        return _Found(_in_order([*uses, _UNKNOWN] if function in behind else uses), behind)

    def _uses(self, function: Function) -> Iterator[Use | _Returned]:
        if any(transform_of(self._module, d) in DERIVATIVES for d in decorators(function)):
            yield Escape(Runs.UNKNOWN, differentiated=True)
        if isinstance(function, ast.Lambda):
            yield from self._followed(function, function)
            return
        owner = self._module.parent(function)
        if isinstance(owner, ast.ClassDef):
            yield from self._uses_of_method(function, owner)
            return
        scope = self._module.scope_of(function.name, function) or self._module.tree
        for name in self._module.reads(function.name, scope):
            found = jitted_of(self._module, name) if self._module.definition(name) is None else None
            if found is not None and found.function is function:
                yield Escape(Runs.TRACED)  # `step = jax.jit(step)` is above
            else:
                yield from self._followed(name, function)

    def _uses_of_method(
        self, method: ast.FunctionDef | ast.AsyncFunctionDef, owner: ast.ClassDef
    ) -> Iterator[Use | _Returned]:
        for attribute in self._module.attributes(method.name):
            around = self._module.functions_around(attribute)
            outermost = around[-1] if around else None
            first = outermost.args.args[0].arg if outermost is not None and outermost.args.args else None
            receiver = attribute.value.id if isinstance(attribute.value, ast.Name) else None
            in_class = outermost is not None and self._module.parent(outermost) is owner
            if receiver == owner.name or (in_class and receiver == first) or self._is_object_of(attribute.value, owner):
                yield from self._followed(attribute, method)
            else:
                yield Escape(Runs.UNKNOWN)  # perhaps of another object, perhaps of this class

    def _is_object_of(self, receiver: ast.expr, owner: ast.ClassDef) -> bool:
        """Whether `receiver` is `Owner(...)`, or a name that is bound once, to that."""
        made = receiver.func if isinstance(receiver, ast.Call) else made_by(self._module, receiver)
        return made is not None and class_of(self._module, made) is owner

    # --- following --------------------------------------------------------------------------------------------

    def _followed(self, node: ast.AST, callee: ast.AST) -> Iterator[Use | _Returned]:
        """What becomes of the function that `node` stands for: each reference to it is analysed once."""
        waiting, met = [_Reference(node)], set[_Reference]()
        while waiting:
            reference = waiting.pop()
            if reference in met:
                continue
            met.add(reference)
            found = [*self._step(reference, callee)]
            for use in found:
                if isinstance(use, CallEdge) and reference.perhaps:
                    yield Escape(Runs.UNKNOWN, use.differentiated)
                elif not isinstance(use, _Reference):
                    yield use
            waiting += [use for use in reversed(found) if isinstance(use, _Reference)]

    def _step(self, reference: _Reference, callee: ast.AST) -> Iterator[Use | _Returned | _Reference]:
        node, differentiated, perhaps = reference.node, reference.differentiated, reference.perhaps
        parent = self._module.parent(node)
        if isinstance(parent, ast.keyword | ast.Starred):
            node, parent = parent, self._module.parent(parent)
        match parent:
            case ast.Call(func=func) if func is node:
                yield CallEdge(self._module, parent, callee, differentiated)
            case ast.Call():
                taken = self._taken(node, self._bound(node, parent))
                if taken is None:
                    yield self._argument(node, parent, callee, reference)
                for read in taken or ():
                    yield replace(reference, node=read)
            case ast.List() | ast.Tuple() if isinstance(self._module.parent(parent), ast.Call):
                yield _Reference(parent, differentiated, perhaps)
            case ast.Assign(targets=[ast.Name() as target]) | ast.NamedExpr(target=target):
                yield from self._reads(target, reference)
            case ast.Assign(targets=[ast.Attribute() as target]):
                yield from self._reads_of_attribute(target, reference)
            case ast.Attribute(attr=attr) if attr in _APPLIED and self._is_applied(node):
                yield replace(reference, node=parent)
            case ast.IfExp():
                yield _Reference(parent, differentiated, True)
            case ast.Expr():
                return
            case ast.Return() if (function := self._module.function(parent)) is not None:
                yield from self._returned(function, reference)
            case ast.Attribute(attr=attr) if attr in RULES and self._is_decorator(parent):
                return
            case _:
                yield Escape(Runs.UNKNOWN, differentiated)

    def _returned(self, function: Function, reference: _Reference) -> Iterator[Escape | _Returned | _Reference]:
        """What becomes of the function that each call of `function` returns."""
        owner = self._module.parent(function)
        if isinstance(function, ast.Lambda | ast.AsyncFunctionDef) or function.decorator_list or owner is None:
            yield Escape(Runs.UNKNOWN, reference.differentiated)
            return
        if isinstance(owner, ast.ClassDef):
            yield Escape(Runs.UNKNOWN, reference.differentiated)
            return
        name = name_for_others(self._module, function)
        if not (is_script(self._module) or is_private(function.name)):
            end = None if name is None else name + RETURNED
            yield Escape(Runs.UNKNOWN, reference.differentiated, returned=end)
            if end is None:
                return
        yield _Returned(function)
        for use in self.uses(function):
            if isinstance(use, CallEdge):
                yield _Reference(use.site, reference.differentiated or use.differentiated, reference.perhaps)
            else:
                yield replace(use, differentiated=use.differentiated or reference.differentiated)

    def _reads(self, target: ast.Name, reference: _Reference) -> Iterator[Escape | _Reference]:
        """What reads the name that the function is bound to."""
        scope = self._module.scope_of(target.id, target)
        if scope is None or isinstance(scope, ast.ClassDef):
            yield Escape(Runs.UNKNOWN, reference.differentiated)
            return
        if scope is self._module.tree and not is_script(self._module) and not target.id.startswith("_"):
            yield Escape(Runs.UNKNOWN, reference.differentiated)
        bound = self._module.bindings(target.id, scope)
        for name in self._module.reads(target.id, scope):
            if any(binding.node is target for binding in reaching(self._module, name, bound)):
                yield _Reference(name, reference.differentiated, reference.perhaps)

    def _reads_of_attribute(self, target: ast.Attribute, reference: _Reference) -> Iterator[Escape | _Reference]:
        """What reads the attribute of `self` that the function is stored in, and in no other place."""
        owner = own_class(self._module, target.value)
        every = self._module.attributes(target.attr)
        stores = [each for each in every if not isinstance(each.ctx, ast.Load)]
        if owner is None or stores != [target] or methods(family(self._module, owner), target.attr):
            yield Escape(Runs.UNKNOWN, reference.differentiated)
            return
        if not is_private(target.attr) and not is_script(self._module):
            yield Escape(Runs.UNKNOWN, reference.differentiated)
        for each in every:
            if each is not target:
                yield replace(reference, node=each)

    def _is_applied(self, node: ast.AST) -> bool:
        """Whether `node` stands for an object that runs its function in a method, as `hk.transform(f)` does."""
        made = self._module.only_value(node) or node
        return isinstance(made, ast.Call) and transform_of(self._module, made.func) in _APPLIES

    def _taken(self, node: ast.AST, call: ast.Call) -> list[ast.Name] | None:
        """The reads of the parameter that takes `node`, where `call` calls a function of this file that makes none.

        Returns:
          None where nothing says which parameter that is, or what it stands for.
        """
        function, is_bound = self._module.definition(call.func), False
        if isinstance(call.func, ast.Attribute) and (owner := owner_of(self._module, call.func)) is not None:
            function, is_bound = method(self._module, owner, call.func.attr), True
        if not isinstance(function, ast.FunctionDef) or function.decorator_list or is_decorator(self._module, function):
            return None
        given = arguments_of(function, call, bound=is_bound) or {}
        handed_over = node.value if isinstance(node, ast.keyword) else node
        name = next((name for name, value in given.items() if value is handed_over), None)
        if name is None or len(self._module.bindings(name, function)) != 1:
            return None
        return list(self._module.reads(name, function))

    def _bound(self, node: ast.AST, call: ast.Call) -> ast.Call:
        """The call that `partial` prepares by binding `node` for it; any other call itself."""
        match call.args:
            case [func, *bound] if func is not node and transform_of(self._module, call.func) in _BINDING:
                return ast.Call(func, bound, call.keywords)
        return call

    def _argument(self, node: ast.AST, call: ast.Call, callee: ast.AST, reference: _Reference) -> Use | _Reference:
        """A function passed to `call`: transformed, traced, called there and then, or gone."""
        transform, differentiated = transform_of(self._module, call.func) or "", reference.differentiated
        if transform in JITS or self._is_run_by_control_flow(node, call):
            return Escape(Runs.TRACED, differentiated)
        derived = differentiated or transform in DERIVATIVES
        if transform in _BINDING and call.args[:1] != [node]:
            return Escape(self._runs_bound(node, call), differentiated)
        if transform in _CALL_AT_ONCE:
            return CallEdge(self._module, call, callee, derived)
        if transform in _WRAPPING or self._is_retrace(transform):
            return _Reference(call, derived, reference.perhaps)
        match wrapping(self._module, call.func) if call.args[:1] == [node] else None:
            case Wrapping.STAGES:
                return Escape(Runs.TRACED, differentiated)
            case Wrapping.CALLS:
                return _Reference(call, derived, reference.perhaps)
        if is_entry(self._module, node, call):
            return CallEdge(self._module, call, callee, differentiated)
        return Escape(Runs.UNKNOWN, differentiated, given=call)

    def _is_decorator(self, node: ast.AST) -> bool:
        function = self._module.parent(node)
        return isinstance(function, ast.FunctionDef) and node in function.decorator_list

    def _runs_bound(self, node: ast.AST, call: ast.Call) -> Runs:
        """How a function runs that `partial` binds as an argument of another one."""
        match call.args:
            case [func, *bound]:
                is_run = self._is_run_by_control_flow(node, ast.Call(func, bound, call.keywords))
                return Runs.TRACED if is_run or transform_of(self._module, func) in JITS else Runs.UNKNOWN
        return Runs.UNKNOWN

    def _is_run_by_control_flow(self, node: ast.AST, call: ast.Call) -> bool:
        handed_over = node.value if isinstance(node, ast.keyword) else node
        return any(taken is handed_over for taken, _ in function_arguments(self._module, call))

    def _is_retrace(self, transform: str) -> bool:
        return is_retrace(transform, self._module.surroundings.helpers)
