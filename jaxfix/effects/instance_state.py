"""What a method reads of its object, and why that may be another thing at another call of it."""

import ast
import sys
from collections.abc import Iterable
from dataclasses import replace

from jaxfix.dataflow.call_graph import Callers, callers
from jaxfix.dataflow.solver import Lattice, Solver, optional
from jaxfix.dataflow.types import Values
from jaxfix.effects.attributes import InstanceAttribute, stores_of, why_object_changes
from jaxfix.effects.invariance import is_impure
from jaxfix.effects.object_sources import Sources
from jaxfix.effects.stability import KNOWN_PACKAGES, why_object_unstable, why_unstable
from jaxfix.effects.traceability import demands
from jaxfix.library.facets import Effect, Transform
from jaxfix.library.table import short_names, where
from jaxfix.report.reason import Code, Reason
from jaxfix.semantic.calls import arguments_passed
from jaxfix.semantic.classes import (
    class_around,
    class_of,
    family,
    is_of_others,
    methods,
    own_class,
    own_parameter,
    strange_base,
)
from jaxfix.semantic.dominance import exclude
from jaxfix.semantic.module import Module
from jaxfix.semantic.mutations import INITIALISERS
from jaxfix.staging.jit import jit_of, jitted_by_decorator
from jaxfix.syntax.nodes import FUNCTIONS, walk
from jaxfix.syntax.signatures import argument_values

_DERIVATIVES = where(Transform.DIFFERENTIATES)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_FUNCTIONAL = short_names(Effect.FUNCTIONAL)
"""Methods of an object that nobody read which give back what they change."""
_LIBRARY_METHODS = _FUNCTIONAL | short_names(Effect.APPLIES)
"""Those of models and optimizers that are given what they compute with."""
_UNREAD = Reason(Code.UNREAD, "it calls too many methods to be followed")
_REASON: Lattice[Reason | None] = optional(_UNREAD)


def users(module: Module, function: ast.FunctionDef) -> Callers:
    """The uses of a function; of a method without those of methods of other classes that have its name."""
    found = callers(module, function)
    owner = module.method_of(function)
    if owner is None:
        return found
    classes = family(module, owner)

    def may_be(use: ast.expr) -> bool:
        return not isinstance(use, ast.Attribute) or not (
            is_of_others(module, use, classes) or _is_of_library(module, use.value)
        )

    calls = tuple(call for call in found.calls if may_be(call.func))
    others = tuple(filter(may_be, found.others))
    is_private = all(each.name.startswith("_") for each in classes)
    return replace(found, calls=calls, others=others, is_private=is_private)


def _is_of_library(module: Module, receiver: ast.expr) -> bool:
    """Whether `self.opt` surely holds what a function of a library made, or is annotated to."""
    owner = own_class(module, receiver.value) if isinstance(receiver, ast.Attribute) else None
    if owner is None or not isinstance(receiver, ast.Attribute):
        return False
    sources = Sources(module, module.get(Values)).held(receiver.attr, family(module, owner))
    return bool(sources) and all(_is_made_by_library(module, source) for source in sources)


def _is_made_by_library(module: Module, source: ast.AST) -> bool:
    made_by = source.func if isinstance(source, ast.Call) else getattr(source, "annotation", None)
    package = (module.qualname(made_by) or "").partition(".")[0] if made_by is not None else ""
    return bool(package) and package not in sys.stdlib_module_names


def why_state_unstable(module: Module, values: Values, function: ast.FunctionDef) -> Reason | None:
    """Why what a method reads of its object may be another thing at a later call, or is data.

    Returns:
      None if neither.
    """
    reader = _Reader(module, values)
    return reader.of(function)


def why_read_unstable(module: Module, values: Values, name: ast.Name) -> Reason | None:
    """As `why_state_unstable`, of one place of a method that reads its object, `name`.

    Returns:
      None if it stays, or is read in no method.
    """
    owner = class_around(module, name)
    return _Reader(module, values).read(name, owner) if owner is not None else None


class _Reader:
    def __init__(self, module: Module, values: Values) -> None:
        self._module, self._sources = module, Sources(module, values)
        self.of: Solver[ast.FunctionDef, Reason | None] = Solver(self._why_unstable, _REASON)
        self._why_function_unstable: Solver[ast.AST, Reason | None] = Solver(self._why_made_unstable, _REASON)

    def _why_unstable(self, function: ast.FunctionDef) -> Reason | None:
        owner, own = self._module.method_of(function), own_parameter(function)
        if owner is None or own is None:
            return None
        for node in walk(function):
            if not (isinstance(node, ast.Name) and node.id == own):
                continue
            if self._module.function(node) is None or class_around(self._module, node) is not owner:
                continue
            reason = self.read(node, owner)
            if reason is not None:
                return reason
        return None

    def read(self, name: ast.Name, owner: ast.ClassDef) -> Reason | None:
        """Why what `name`, the object, is read for may be another thing at a later call, or is data."""
        node = self._module.parent(name)
        if not isinstance(node, ast.Attribute) or not isinstance(name.ctx, ast.Load):
            return Reason(Code.ESCAPES, f"line {name.lineno} passes all of `{name.id}` on", name.lineno)
        classes = family(self._module, owner)
        found = methods(classes, node.attr)
        if not found:
            return self._attribute(node, classes)
        if list(InstanceAttribute(self._module, node.attr, classes).bound()) != list(found):
            return Reason(Code.REBOUND, f"`{self._module.text(node)}` is not always a method")
        return self._methods(node, found, classes)

    def _methods(
        self, node: ast.Attribute, found: Iterable[ast.FunctionDef], classes: tuple[ast.ClassDef, ...]
    ) -> Reason | None:
        reason = InstanceAttribute(self._module, node.attr, classes).why_rebound()
        if reason is not None:
            return reason
        for method in found:
            for decorator in method.decorator_list:
                known = isinstance(decorator, ast.Name) and decorator.id in ("staticmethod", "property")
                is_abstract = self._module.qualname(decorator) == "abc.abstractmethod"
                if not known and not is_abstract and jitted_by_decorator(self._module, method) is None:
                    return Reason(
                        Code.DECORATED,
                        f"`{method.name}`, which it uses, is decorated with `{self._module.text(decorator)}`",
                    )
            is_static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in method.decorator_list)
            reason = None if is_static else self.of(method)
            if reason is not None:
                return reason
        return None

    # --- attributes -------------------------------------------------------------------------------------------

    def _attribute(self, node: ast.Attribute, classes: tuple[ast.ClassDef, ...]) -> Reason | None:
        module = self._module
        shown = module.text(node)
        attribute = InstanceAttribute(module, node.attr, classes)
        bound = list(attribute.bound())
        if not bound:
            return Reason(Code.UNREAD, f"`{shown}` is unknown")
        if any(isinstance(loop, _LOOPS) for statement in bound for loop in module.loops(statement)):
            return Reason(Code.REBOUND, f"`{shown}` is bound in a loop")
        for index, statement in enumerate(bound):
            if not all(exclude(module, statement, other) for other in bound[index + 1 :]):
                return Reason(Code.REBOUND, f"`{shown}` is bound more than once")
        reason = attribute.why_rebound() or attribute.why_filled()
        if reason is not None:
            return reason
        sources = [source for place in bound for source in self._sources.at(place)]
        inside = self._classes_inside(node, sources)
        if inside is not None:
            part = module.parent(node)
            assert isinstance(part, ast.Attribute)
            return self._attribute(part, inside)
        return self._why_no_constant(node, sources, classes)

    def _classes_inside(self, node: ast.Attribute, sources: list[ast.AST]) -> tuple[ast.ClassDef, ...] | None:
        """The classes of this file that the object of `self.config.rate` is of, if all that is read is an attribute."""
        module = self._module
        part = module.parent(node)
        call = module.parent(part) if part is not None else None
        is_called = isinstance(call, ast.Call) and call.func is part
        owners = [class_of(module, source.func) if isinstance(source, ast.Call) else None for source in sources]
        if not isinstance(part, ast.Attribute) or is_called or not owners:
            return None
        found: dict[ast.ClassDef, None] = {}
        for owner in owners:
            if owner is None:
                return None
            found.update(dict.fromkeys(family(module, owner)))
        classes = tuple(found)
        is_strange = any(strange_base(module, each) is not None or each.decorator_list for each in classes)
        return None if is_strange or methods(classes, part.attr) else classes

    # --- what it is -------------------------------------------------------------------------------------------

    def _why_no_constant(
        self, node: ast.Attribute, sources: list[ast.AST], classes: tuple[ast.ClassDef, ...]
    ) -> Reason | None:
        """Why what is read there is more than a function, an object that gives functions, or a Python constant."""
        module = self._module
        if not sources:
            return Reason(Code.UNREAD, f"`{module.text(node)}` is unknown")
        for source in sources:
            reason = self._why_function_unstable(source)
            if reason is not None:
                return reason.restated(f"`{module.text(node)}` holds a function: {reason}")
        top: ast.expr = node
        while isinstance(outer := module.parent(top), ast.Attribute):
            top = outer
        call = module.parent(top)
        is_called = isinstance(call, ast.Call) and call.func is top
        if isinstance(call, ast.Call) and (
            is_called or (call.args[:1] == [top] and module.qualname(call.func) in _DERIVATIVES)
        ):
            reason = self._why_no_function(node, top, call if is_called else None, sources)
            is_of_library = isinstance(top, ast.Attribute) and top.attr in _LIBRARY_METHODS
            if reason is None and not is_of_library and self._sources.is_given_elsewhere(node.attr, classes):
                reason = Reason(Code.CHANGED_ELSEWHERE, f"another file may give another `{module.text(node)}`")
            return reason
        if top is node and all(self._sources.is_constant(source) for source in sources):
            return None
        if top is node and all(self._is_function(source) for source in sources):
            return None
        listed = [_listed(module, source) for source in sources]
        if top is node and all(listed):
            return next(filter(None, map(self._why_listed_unstable, sources, listed)), None)
        shown = module.text(top)
        return Reason(
            Code.CAPTURED_DATA,
            f"`{shown}` may be data, which `jit` would make a constant of the program: take it as an argument",
        )

    def _why_listed_unstable(self, display: ast.AST, owners: Iterable[ast.ClassDef]) -> Reason | None:
        """Why objects of classes of this file, in a list, change, or why what their methods read of them does."""
        assert isinstance(display, ast.expr)
        members = (member for owner in owners for each in family(self._module, owner) for member in each.body)
        called = (each for each in members if isinstance(each, ast.FunctionDef) and each.name not in INITIALISERS)
        reason = why_object_unstable(self._module, display)
        return reason or next(filter(None, map(self.of, called)), None)

    def _is_function(self, source: ast.AST) -> bool:
        if isinstance(source, FUNCTIONS):
            return True
        if not isinstance(source, ast.expr):
            return False
        module = self._module
        return (
            module.definition(source) is not None
            or jit_of(module, source) is not None
            or module.qualname(source) is not None
        )

    def _why_made_unstable(self, source: ast.AST) -> Reason | None:
        """Why a function that an attribute holds, itself or in a call that was given it, cannot be traced once;
        None where it can, or is none.
        """
        module = self._module
        if isinstance(source, ast.expr) and jit_of(module, source) is not None:
            return None
        if isinstance(source, ast.Name | ast.Attribute) and is_impure(module.qualname(source)):
            return Reason(Code.IMPURE, f"`{module.text(source)}` returns a different value at every call")
        if isinstance(source, ast.Call):
            reasons = (self._why_argument_unstable(argument) for argument in _arguments(source))
            return next(filter(None, reasons), None)
        function = source if isinstance(source, FUNCTIONS) else None
        if function is None and isinstance(source, ast.expr):
            function = module.definition(source)
        if function is None or (
            isinstance(function, ast.FunctionDef) and jitted_by_decorator(module, function) is not None
        ):
            return None
        return demands(module, function).reason

    def _why_argument_unstable(self, argument: ast.expr) -> Reason | None:
        """As `_why_made_unstable`, of what such a call was given: a list that it keeps may be refilled, too."""
        module = self._module
        scope = module.scope_of(argument.id, argument) if isinstance(argument, ast.Name) else None
        if (
            isinstance(argument, ast.Name)
            and scope is not None
            and (reason := why_unstable(module, argument.id, scope))
        ):
            return reason
        reasons = (self._why_function_unstable(each) for each in self._sources.followed(argument))
        return next(filter(None, reasons), None)

    def _why_no_function(
        self, node: ast.Attribute, top: ast.expr, call: ast.Call | None, sources: Iterable[ast.AST]
    ) -> Reason | None:
        """Why what is called may return a different value for equal arguments."""
        module = self._module
        shown = module.text(top)
        if call is not None and top is not node and not any(self._varies(argument) for argument in _arguments(call)):
            return Reason(Code.IMPURE, f"it calls `{shown}`, which may return a different value at every call")
        for source in sources:
            if self._is_function(source):
                continue
            if not isinstance(source, ast.Call):
                is_functional = isinstance(top, ast.Attribute) and top.value is node and top.attr in _FUNCTIONAL
                if not is_functional:
                    return Reason(Code.UNREAD, f"`{module.text(node)}` is unknown")
                continue
            if is_impure(module.qualname(source.func)):
                return Reason(Code.IMPURE, f"it calls `{shown}`, which returns a different value at every call")
            reason = self._why_made_object_unstable(source, node, top)
            if reason is not None:
                return reason
        return None

    def _why_made_object_unstable(self, source: ast.Call, node: ast.Attribute, top: ast.expr) -> Reason | None:
        """As `of`, for what is called of an attribute that `source` made."""
        module = self._module
        owner, qualname = class_of(module, source.func), module.qualname(source.func)
        if owner is not None:
            return self._why_call_unstable(owner, node, top)
        is_method = isinstance(top, ast.Attribute) and top is not node
        is_known = isinstance(top, ast.Attribute) and top.attr in _LIBRARY_METHODS
        if qualname is None:
            is_known = module.definition(source.func) is not None and (is_known or not is_method)
        elif not is_method or _is_of_known_package(module, source.func):
            is_known = True
        return None if is_known else Reason(Code.UNREAD, f"`{module.text(node)}` is unknown")

    def _why_call_unstable(self, owner: ast.ClassDef, node: ast.Attribute, top: ast.expr) -> Reason | None:
        """As `of`, for the method that is called of an attribute which is an object of a class of this file."""
        name = top.attr if isinstance(top, ast.Attribute) and top is not node else "__call__"
        classes = family(self._module, owner)
        for each in classes:
            for member in each.body:
                if isinstance(member, ast.FunctionDef) and member.name not in INITIALISERS:
                    changed = stores_of(self._module, member)
                    if changed:
                        return Reason(
                            Code.MUTATED, f"`{each.name}.{member.name}` changes `{changed[0]}`", member.lineno
                        )
        strange = [base for each in classes if (base := strange_base(self._module, each)) is not None]
        found = methods(classes, name)
        unknown = Reason(Code.UNREAD, f"`{self._module.text(top)}` is unknown")
        if not all(_is_of_known_package(self._module, base) for base in strange) or not (found or strange):
            return unknown
        if isinstance(top, ast.Attribute) and top is not node and top.value is not node:
            return unknown
        bound = InstanceAttribute(self._module, name, classes)
        if list(bound.bound()) != list(found):
            return Reason(Code.REBOUND, f"`{self._module.text(top)}` is not always a method")
        reason = bound.why_rebound()
        for method in found or methods(classes, "__call__"):
            reason = reason or (why_object_changes(self._module, method) if strange else self.of(method))
            reason = reason or self._why_untraceable(method, top if found else None)
        return reason

    def _why_untraceable(self, method: ast.FunctionDef, use: ast.expr | None) -> Reason | None:
        """Why a method of an object that is held does more than compute, reads what changes, or needs a value."""
        module = self._module
        if jitted_by_decorator(module, method) is not None:
            return None
        asked = demands(module, method)
        if asked.reason is not None and asked.reason.code is not Code.DECORATED:
            return asked.reason.restated(f"it calls `{method.name}`, which cannot be traced: {asked.reason}")
        if not isinstance(use, ast.Name | ast.Attribute):
            return None
        given = arguments_passed(module, use, method, bound=True)
        for parameter, what in asked.values.items():
            value = given.get(parameter)
            is_known = isinstance(value, ast.Constant) or (value is None and parameter in given)
            if parameter != own_parameter(method) and not is_known:
                return Reason(Code.NEEDS_VALUE, f"it calls `{method.name}`, which {what}")
        return None

    def _varies(self, argument: ast.expr) -> bool:
        """Whether an argument is made of variables of the method, not of its object alone."""
        for name in walk(argument):
            if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Load):
                scope = self._module.scope_of(name.id, name)
                around = self._module.functions_around(name)
                if isinstance(scope, FUNCTIONS) and not (around and name.id == own_parameter(around[-1])):
                    return True
        return False


def _is_of_known_package(module: Module, expr: ast.expr) -> bool:
    return (module.qualname(expr) or "").partition(".")[0] in KNOWN_PACKAGES


def _arguments(call: ast.Call) -> list[ast.expr]:
    return argument_values(call)


def _listed(module: Module, display: ast.AST) -> list[ast.ClassDef]:
    """The classes of this file of which a display makes all of its items; none where others may be among them."""
    items = display.elts if isinstance(display, ast.List | ast.Tuple) else []
    items = [display.elt] if isinstance(display, ast.ListComp) else items
    owners = [class_of(module, item.func) if isinstance(item, ast.Call) else None for item in items]
    found = [owner for owner in owners if owner is not None]
    return found if len(found) == len(items) else []
