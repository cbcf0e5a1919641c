"""What a method reads of its object, and why that may be another thing at another call of it."""

import ast
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace

from jaxfix.dataflow.call_graph import Callers, callers
from jaxfix.dataflow.types import Values
from jaxfix.effects.invariance import is_impure
from jaxfix.effects.stability import is_kept
from jaxfix.effects.traceability import demands
from jaxfix.library.jax_names import DERIVATIVES
from jaxfix.report.abstract_value import Form
from jaxfix.semantic.calls import arguments_of
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
from jaxfix.semantic.module import Module
from jaxfix.semantic.mutations import INITIALISERS, MUTATORS, SETTERS, changes_of
from jaxfix.staging.contexts import Staging
from jaxfix.staging.jit import jit_of, jitted_by_decorator
from jaxfix.syntax.nodes import FUNCTIONS, walk
from jaxfix.syntax.signatures import argument_values, positional_of

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_PLAIN_TYPES = frozenset({"int", "float", "bool", "str"})
_TELLING = frozenset(
    {
        *("__eq__", "__hash__", "__new__", "__del__", "__slots__", "__init_subclass__"),
        *("__getattr__", "__getattribute__", "__setattr__", "__delattr__", "__get__", "__set__"),
    }
)
_FUNCTIONAL = frozenset({"init", "update"})
"""Methods of an object that nobody read which give back what they change."""
_DEPTH = 6


def why_no_key(module: Module, owner: ast.ClassDef) -> str | None:
    """Why `jit` may not tell the objects of a class apart by their identity, as it does static arguments; or None."""
    for each in family(module, owner):
        base = strange_base(module, each)
        if base is not None:
            return f"`{each.name}` has the base `{module.text(base)}`, which may say how its objects are compared"
        if each.decorator_list:
            decorator = module.text(each.decorator_list[0])
            return f"`{each.name}` is decorated with `{decorator}`, which may say how its objects are compared"
        if each.keywords:
            return f"`{each.name}` has a `{each.keywords[0].arg or '**'}`, which may say how its objects are made"
        if isinstance(module.parent(each), ast.ClassDef):
            return f"`{each.name}` is defined in another class"
        if len(module.bindings(each.name, module.scope_of(each.name, each))) != 1:
            return f"`{each.name}` is defined more than once"
        for name in sorted(_TELLING & module.names.bound_in(each)):
            return f"`{each.name}` has a `{name}` of its own"
    return None


def why_many(module: Module, owner: ast.ClassDef) -> str | None:
    """Why there may be many objects of a class, each of which `jit` would compile for and keep alive; or None."""
    made = False
    for each in family(module, owner):
        for use in module.reads(each.name, module.scope_of(each.name, each)):
            match _place_of(module, use):
                case ast.Call(func=func) as call if func is use:
                    made = True
                    if module.loops(call) or module.get(Staging).repeats(call):
                        return (
                            f"line {call.lineno} makes objects of `{each.name}` again and again, and `jit` keeps each"
                        )
                case None:
                    return f"`{each.name}` is handed on in line {use.lineno}, to code that was not read"
        reason, calls = _outside(module, each)
        if reason is not None:
            return reason
        made = made or calls
    return None if made else f"no code that was read makes an object of `{owner.name}`"


def _place_of(module: Module, use: ast.Name) -> ast.AST | None:
    """What a class is used for that leaves it what it is: to make an object, as a base, to ask for a type; or None."""
    parent = module.parent(use)
    match parent:
        case ast.Call(func=func) if func is use:
            return parent
        case ast.Call(func=ast.Name(id="isinstance" | "issubclass" | "super")):
            return parent
        case ast.ClassDef() | ast.arg() | ast.AnnAssign() | ast.FunctionDef():
            return parent
        case ast.Attribute(ctx=ast.Load()):
            return parent
        case ast.Subscript() if isinstance(module.parent(parent), ast.ClassDef | ast.arg):
            return parent
    return None


def _outside(module: Module, owner: ast.ClassDef) -> tuple[str | None, bool]:
    """As `why_many`, of other files; and whether they make objects."""
    own = module.surroundings.name
    if own is None or module.function(owner) is not None:
        return None, False
    uses = module.surroundings.project.users(f"{own}.{owner.name}")
    for use in uses:
        if use.call is None:
            return f"`{owner.name}` is handed on in {use.at}, or has a subclass there", False
        if use.call.looped or use.repeats:
            return f"{use.at} makes objects of `{owner.name}` again and again, and `jit` keeps each", False
    return None, bool(uses)


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
    sources = _Reader(module, Values(module)).held(receiver.attr, family(module, owner))
    return bool(sources) and all(_is_made_by_library(module, source) for source in sources)


def _is_made_by_library(module: Module, source: ast.AST) -> bool:
    made_by = source.func if isinstance(source, ast.Call) else getattr(source, "annotation", None)
    package = (module.qualname(made_by) or "").partition(".")[0] if made_by is not None else ""
    return bool(package) and package not in sys.stdlib_module_names


def stores_of(module: Module, function: ast.FunctionDef) -> tuple[str, ...]:
    """The attributes of its own object that a method, or one that it calls, binds: `self.params`."""
    found: dict[str, None] = {}
    for each, own in _with_called(module, function):
        for node in walk(each):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del) and _is(node.value, own):
                found[f"{own}.{node.attr}"] = None
    return tuple(found)


def why_moves(module: Module, values: Values, function: ast.FunctionDef) -> str | None:
    """Why what a method reads of its object may be another thing at a later call, or is data; None if neither."""
    return _Reader(module, values).of(function, 0)


def _with_called(module: Module, function: ast.FunctionDef) -> Iterator[tuple[ast.FunctionDef, str]]:
    """A method and the methods that it calls of its own object, each with the name that the object has in it."""
    owner = module.method_of(function)
    classes = family(module, owner) if owner is not None else ()
    pending, met = [function], {function}
    while pending:
        each = pending.pop()
        own = own_parameter(each)
        if own is None:
            continue
        yield each, own
        for node in walk(each):
            if isinstance(node, ast.Attribute) and _is(node.value, own):
                new = [method for method in methods(classes, node.attr) if method not in met]
                met.update(new)
                pending += new


def _is(node: ast.AST, own: str) -> bool:
    return isinstance(node, ast.Name) and node.id == own


class _Reader:
    def __init__(self, module: Module, values: Values) -> None:
        self._module, self._values = module, values
        self._done: set[ast.FunctionDef] = set()

    def of(self, function: ast.FunctionDef, depth: int) -> str | None:
        owner, own = self._module.method_of(function), own_parameter(function)
        if function in self._done or owner is None or own is None:
            return None
        self._done.add(function)
        if depth > _DEPTH:
            return f"`{function.name}` calls too many methods to be followed"
        for node in walk(function):
            if not (_is(node, own) and isinstance(node, ast.Name)):
                continue
            if self._module.function(node) is None or class_around(self._module, node) is not owner:
                continue
            reason = self._read(node, owner, depth)
            if reason is not None:
                return reason
        return None

    def held(self, attribute: str, classes: tuple[ast.ClassDef, ...]) -> list[ast.AST]:
        """What the attribute of such an object is bound to; nothing where that is not certain."""
        if self._why_rebound(attribute, classes) is not None:
            return []
        return [source for place in self._bound(attribute, classes) for source in self._sources(place)]

    def _read(self, name: ast.Name, owner: ast.ClassDef, depth: int) -> str | None:
        node = self._module.parent(name)
        if not isinstance(node, ast.Attribute) or not isinstance(name.ctx, ast.Load):
            return f"line {name.lineno} hands `{name.id}` on as a whole"
        classes = family(self._module, owner)
        found = methods(classes, node.attr)
        if not found:
            return self._attribute(node, classes, depth)
        if list(self._bound(node.attr, classes)) != list(found):
            return f"`{self._module.text(node)}` is not always a method"
        return self._methods(node, found, classes, depth)

    def _methods(
        self, node: ast.Attribute, found: Iterable[ast.FunctionDef], classes: tuple[ast.ClassDef, ...], depth: int
    ) -> str | None:
        reason = self._why_rebound(node.attr, classes)
        if reason is not None:
            return reason
        for method in found:
            for decorator in method.decorator_list:
                known = isinstance(decorator, ast.Name) and decorator.id in ("staticmethod", "property")
                is_abstract = self._module.qualname(decorator) == "abc.abstractmethod"
                if not known and not is_abstract and jitted_by_decorator(self._module, method) is None:
                    return f"`{method.name}`, which it uses, is decorated with `{self._module.text(decorator)}`"
            is_static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in method.decorator_list)
            reason = None if is_static else self.of(method, depth + 1)
            if reason is not None:
                return reason
        return None

    # --- attributes -------------------------------------------------------------------------------------------

    def _attribute(self, node: ast.Attribute, classes: tuple[ast.ClassDef, ...], depth: int) -> str | None:
        module = self._module
        shown = module.text(node)
        bound = list(self._bound(node.attr, classes))
        if not bound:
            return f"what `{shown}` is was not read"
        if any(isinstance(loop, _LOOPS) for statement in bound for loop in module.loops(statement)):
            return f"`{shown}` is bound in a loop"
        for index, statement in enumerate(bound):
            if not all(_exclude(module, statement, other) for other in bound[index + 1 :]):
                return f"`{shown}` is bound more than once"
        reason = self._why_rebound(node.attr, classes) or self._why_filled(node.attr, classes)
        if reason is not None:
            return reason
        sources = [source for place in bound for source in self._sources(place)]
        inside = self._classes_inside(node, sources)
        if inside is not None and depth < _DEPTH:
            part = module.parent(node)
            assert isinstance(part, ast.Attribute)
            return self._attribute(part, inside, depth + 1)
        return self._why_no_constant(node, sources, depth)

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

    def _bound(self, attribute: str, classes: tuple[ast.ClassDef, ...]) -> Iterator[ast.AST]:
        """The places that bind it when an object is made, or in the class."""
        for node in self._module.attributes(attribute):
            if isinstance(node.ctx, ast.Store) and self._makes(node, classes):
                yield node
        for each in classes:
            for binding in self._module.bindings(attribute, each):
                yield binding.node

    def _makes(self, node: ast.Attribute, classes: tuple[ast.ClassDef, ...]) -> bool:
        """Whether `node` stands for an attribute of the object that an initialiser of `classes` makes."""
        function = self._module.function(node)
        if not isinstance(function, ast.FunctionDef) or function.name not in INITIALISERS:
            return False
        return self._module.method_of(function) in classes and _is(node.value, own_parameter(function) or "")

    def _why_rebound(self, attribute: str, classes: tuple[ast.ClassDef, ...]) -> str | None:
        module = self._module
        for node in module.attributes(attribute):
            if isinstance(node.ctx, ast.Load) or self._makes(node, classes) or is_of_others(module, node, classes):
                continue
            return f"line {node.lineno} binds `{module.text(node)}` anew"
        for text in module.nodes(ast.Constant):
            if text.value == attribute and _is_set_by_name(module, text):
                return f"line {text.lineno} binds `{attribute}` anew, by its name"
        if module.surroundings.project.stores(attribute):
            return f"another file binds an attribute `{attribute}` anew"
        if changes_of(module).any_attribute:
            return "attributes are bound by names that are not in the text"
        for node in module.attributes("__init__"):
            if not _makes_a_base(module, node):
                return f"line {node.lineno} may make an object again by `{module.text(node)}`"
        return None

    def _why_filled(self, attribute: str, classes: tuple[ast.ClassDef, ...]) -> str | None:
        """Why the object behind an attribute, or a part of it, changes in place."""
        module = self._module
        for node in module.attributes(attribute):
            if is_of_others(module, node, classes):
                continue
            part: ast.AST = node
            while isinstance(outer := module.parent(part), ast.Attribute | ast.Subscript) and outer.value is part:
                if isinstance(outer, ast.Attribute) and outer.attr == "at":
                    break
                part = outer
                if isinstance(part.ctx, ast.Store | ast.Del) or self._is_mutation(part):
                    return f"line {node.lineno} changes `{module.text(node)}` in place"
        return None

    def _is_mutation(self, method: ast.Attribute | ast.Subscript) -> bool:
        call = self._module.parent(method)
        if not isinstance(method, ast.Attribute) or not isinstance(call, ast.Call) or call.func is not method:
            return False
        is_dropped = isinstance(self._module.parent(call), ast.Expr)
        return method.attr in MUTATORS and (is_dropped or method.attr != "update")

    # --- what it is -------------------------------------------------------------------------------------------

    def _why_no_constant(self, node: ast.Attribute, sources: list[ast.AST], depth: int) -> str | None:
        """Why what is read there is more than a function, an object that gives functions, or a Python constant."""
        module = self._module
        if not sources:
            return f"what `{module.text(node)}` is was not read"
        for source in sources:
            reason = self._why_function_moves(source)
            if reason is not None:
                return f"`{module.text(node)}` holds a function: {reason}"
        top: ast.expr = node
        while isinstance(outer := module.parent(top), ast.Attribute):
            top = outer
        call = module.parent(top)
        if isinstance(call, ast.Call) and call.func is top:
            return self._why_no_function(node, top, call, sources, depth)
        if isinstance(call, ast.Call) and call.args[:1] == [top] and module.qualname(call.func) in DERIVATIVES:
            return self._why_no_function(node, top, None, sources, depth)
        if top is node and all(self._is_constant(source) for source in sources):
            return None
        if top is node and all(self._is_function(source) for source in sources):
            return None
        shown = module.text(top)
        return f"`{shown}` may be data, which `jit` would make a constant of the program: take it as an argument"

    def _sources(self, place: ast.AST) -> Iterator[ast.AST]:
        """What an attribute is bound to at `place`; of a parameter, what the objects of this file are made with."""
        value = self._value(place)
        if value is None:
            yield place
        else:
            yield from self._followed(value)

    def _followed(self, value: ast.expr) -> Iterator[ast.AST]:
        for source in self._values.origins.of(value):
            yield from self._given(source) if isinstance(source, ast.arg) else (source,)

    def _value(self, place: ast.AST) -> ast.expr | None:
        match self._module.parent(place):
            case ast.Assign(targets=[only], value=value) if only is place:
                return value
            case ast.AnnAssign(target=target, value=value) if target is place:
                return value
        return None

    def _given(self, parameter: ast.arg) -> Iterator[ast.AST]:
        module = self._module
        function = next((f for f in module.ancestors(parameter) if isinstance(f, FUNCTIONS)), None)
        owner = module.method_of(function) if function is not None else None
        if not isinstance(function, ast.FunctionDef) or owner is None or function.name != "__init__":
            yield parameter
            return
        calls = [use for use in module.nodes(ast.Call) if class_of(module, use.func) in family(module, owner)]
        found: list[ast.AST] = []
        for call in calls:
            arguments = arguments_of(function, call, bound=True)
            argument = arguments.get(parameter.arg) if arguments is not None else parameter
            found += self._values.origins.of(argument) if argument is not None else ()
        default = default_of(function, parameter.arg)
        yield from [*found, *([default] if default is not None else [])] or [parameter]

    def _is_constant(self, source: ast.AST) -> bool:
        match source:
            case ast.Constant():
                return True
            case ast.Tuple(elts=elts):
                return all(self._is_constant(element) for element in elts)
            case ast.arg(annotation=ast.Name(id=name)):
                return name in _PLAIN_TYPES
        return isinstance(source, ast.expr) and self._values.of(source).form is Form.PYTHON

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

    def _why_function_moves(self, source: ast.AST, depth: int = 0) -> str | None:
        """Why a function that an attribute holds, itself or in a call that was given it, cannot be traced once for all;
        None where it can, or is none.
        """
        module = self._module
        if isinstance(source, ast.expr) and jit_of(module, source) is not None:
            return None
        if isinstance(source, ast.Name | ast.Attribute) and is_impure(module.qualname(source)):
            return f"`{module.text(source)}` answers differently at every call"
        if isinstance(source, ast.Call) and depth < _DEPTH:
            reasons = (self._why_argument_moves(argument, depth + 1) for argument in _arguments(source))
            return next(filter(None, reasons), None)
        function = source if isinstance(source, FUNCTIONS) else None
        if function is None and isinstance(source, ast.expr):
            function = module.definition(source)
        if function is None or (
            isinstance(function, ast.FunctionDef) and jitted_by_decorator(module, function) is not None
        ):
            return None
        return demands(module, function).reason

    def _why_argument_moves(self, argument: ast.expr, depth: int) -> str | None:
        """As `_why_function_moves`, of what such a call was given: a list that it keeps may be filled anew, too."""
        module = self._module
        scope = module.scope_of(argument.id, argument) if isinstance(argument, ast.Name) else None
        if isinstance(argument, ast.Name) and scope is not None and (reason := is_kept(module, argument.id, scope)):
            return reason
        reasons = (self._why_function_moves(each, depth) for each in self._followed(argument))
        return next(filter(None, reasons), None)

    def _why_no_function(
        self, node: ast.Attribute, top: ast.expr, call: ast.Call | None, sources: Iterable[ast.AST], depth: int
    ) -> str | None:
        """Why what is called may answer differently for equal arguments."""
        module = self._module
        shown = module.text(top)
        if call is not None and top is not node and not any(self._varies(argument) for argument in _arguments(call)):
            return f"it calls `{shown}`, which may answer differently at every call"
        for source in sources:
            if self._is_function(source):
                continue
            if not isinstance(source, ast.Call):
                is_functional = isinstance(top, ast.Attribute) and top.value is node and top.attr in _FUNCTIONAL
                if not is_functional:
                    return f"what `{module.text(node)}` is was not read"
                continue
            owner = class_of(module, source.func)
            qualname = module.qualname(source.func)
            if is_impure(qualname):
                return f"it calls `{shown}`, which answers differently at every call"
            if owner is not None:
                reason = self._why_moves_inside(owner, node, top, depth)
                if reason is not None:
                    return reason
            elif qualname is None and module.definition(source.func) is None:
                return f"what `{module.text(node)}` is was not read"
        return None

    def _why_moves_inside(self, owner: ast.ClassDef, node: ast.Attribute, top: ast.expr, depth: int) -> str | None:
        """As `of`, for the method that is called of an attribute which is an object of a class of this file."""
        name = top.attr if isinstance(top, ast.Attribute) and top is not node else "__call__"
        classes = family(self._module, owner)
        for each in classes:
            for member in each.body:
                if isinstance(member, ast.FunctionDef) and member.name not in INITIALISERS:
                    changed = stores_of(self._module, member)
                    if changed:
                        return f"`{each.name}.{member.name}` changes `{changed[0]}`"
        if any(strange_base(self._module, each) is not None for each in classes):
            return None
        found = methods(classes, name)
        if not found:
            return f"what `{self._module.text(top)}` is was not read"
        for method in found:
            reason = self.of(method, depth + 1)
            if reason is not None:
                return reason
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


def _is_set_by_name(module: Module, text: ast.Constant) -> bool:
    """Whether `text` names an attribute that is bound: `setattr(trainer, "rate", 1)`, `vars(trainer)["rate"] = 1`."""
    match module.parent(text):
        case ast.Call(func=ast.Name(id=by) | ast.Attribute(attr=by), args=[_, second, *_]) if second is text:
            return by in SETTERS
        case ast.Subscript(value=value, ctx=ast.Store() | ast.Del()):
            called = value.func if isinstance(value, ast.Call) else value
            return (isinstance(called, ast.Name) and called.id == "vars") or (
                isinstance(called, ast.Attribute) and called.attr == "__dict__"
            )
    return False


def _makes_a_base(module: Module, node: ast.Attribute) -> bool:
    """Whether `node` is the initialiser of a base, used in one: `super().__init__`, `Base.__init__`."""
    function = module.function(node)
    if not isinstance(function, ast.FunctionDef) or function.name not in INITIALISERS:
        return False
    is_super = isinstance(node.value, ast.Call) and _is(node.value.func, "super")
    return is_super or class_of(module, node.value) is not None or module.qualname(node.value) is not None


def _arguments(call: ast.Call) -> list[ast.expr]:
    return argument_values(call)


def default_of(function: ast.FunctionDef, parameter: str) -> ast.expr | None:
    """The default of a parameter."""
    arguments = function.args
    positional = [each.arg for each in positional_of(arguments)]
    found = dict(zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults, strict=True))
    named = zip((each.arg for each in arguments.kwonlyargs), arguments.kw_defaults, strict=True)
    return found.get(parameter) or dict(named).get(parameter)


def _exclude(module: Module, one: ast.AST, other: ast.AST) -> bool:
    """Whether at most one of two nodes runs: they stand in the two arms of one `if`."""
    arms = {branch: _arm(module, one, branch) for branch in module.ancestors(one) if isinstance(branch, ast.If)}
    return any(
        arm is not None and (theirs := _arm(module, other, branch)) is not None and arm != theirs
        for branch, arm in arms.items()
    )


def _arm(module: Module, node: ast.AST, branch: ast.If) -> bool | None:
    inner: ast.AST = node
    for outer in module.ancestors(node):
        if outer is branch:
            return True if inner in branch.body else False if inner in branch.orelse else None
        inner = outer
    return None
