"""Whether the objects that a factory is given, and those that it reads itself, can change while a loop runs."""

import ast
from collections.abc import Iterator

from jaxfix.api import FUNCTIONS, Code, Declined, Function, Module, Reason, returned, walk
from jaxfix.api.analysis import (
    Form,
    Solver,
    Values,
    aliases,
    argument_values,
    changes_of,
    class_of,
    default_of,
    function_identity,
    hoisting,
    is_stored,
    optional,
    purity,
    stores_of,
    transform_of,
    why_unstable,
)
from jaxfix.api.library import Member, Result, short_names

_NUMBERS = (Form.PYTHON, Form.WEAK, Form.STRONG, Form.ARRAY)
_OF_ARRAYS = short_names(Member.USUAL)
_OF_CONTAINERS = short_names(Member.MAPPING)
_DISPLAYS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
_CONTAINERS = short_names(Result.MUTABLE, "builtins")
_ARRAYS = short_names(Result.FRESH, "jax.numpy")
_REASON = optional(Reason(Code.UNREAD, "what it receives is unknown"))


class Given:
    """Judges for one loop, and one factory.

    Every question raises `Declined` with what changes.
    """

    def __init__(self, module: Module, factory: ast.FunctionDef, call: ast.Call, loop: ast.For | ast.While) -> None:
        self._module, self._factory, self._call, self._loop = module, factory, call, loop
        self._values = module.get(Values)
        self._why_unkept: Solver[tuple[ast.expr, bool], Reason | None] = Solver(self._why_changing, _REASON)

    def check_argument(self, parameter: str, argument: ast.expr | None) -> None:
        """What a parameter of the factory takes, its default where nothing is passed."""
        given = argument if argument is not None else default_of(self._factory, parameter)
        if given is not None:
            self._check(given, is_data=self._is_data(parameter))

    def check_own(self) -> None:
        """What the factory reads of the code around it, and what its functions keep."""
        module = self._module
        captures = module.captures(self._factory)
        for name in sorted(captures.free | captures.globals) if captures is not None else ():
            for binding in module.bindings(name, module.scope_of(name, self._factory)):
                if isinstance(binding.node, ast.Name) and module.definition(binding.node) is None:
                    self._check_data(binding.node)
                elif isinstance(binding.node, ast.arg) and self._is_data(name):
                    self._check_filled(name)
        for function in (node for node in walk(self._factory) if isinstance(node, FUNCTIONS)):
            inner = module.captures(function)
            if function is not self._factory and inner is not None and inner.rebinds:
                raise Declined(Reason(Code.REBOUND, f"what it makes rebinds `{min(inner.rebinds)}`, at each trace"))

    # --- one argument -----------------------------------------------------------------------------------------

    def _check(self, expr: ast.expr, *, is_data: bool) -> None:
        reason = self._why_unkept((expr, is_data))
        if reason is not None:
            raise Declined(reason)

    def _why_changing(self, question: tuple[ast.expr, bool]) -> Reason | None:
        try:
            self._look_at(question[0], is_data=question[1])
        except Declined as declined:
            return declined.reason
        return None

    def _look_at(self, expr: ast.expr, *, is_data: bool) -> None:
        value = self._module.only_value(expr) or expr
        if isinstance(value, ast.Attribute) and any(methods(self._module, value.attr)):
            raise Declined(Reason(Code.UNSTABLE, f"`{self._module.text(value)}` reads its object at each trace"))
        found = self._values.origins.of(expr) or (expr,)
        stays = [self._stays(source) for source in found]
        if is_data and (not all(stays) or _is_item(expr)):
            for name in names(expr):
                self._check_data(name)

    def _stays(self, source: ast.AST) -> bool:
        """Whether no code can change what `source` is; False where that is unknown."""
        if isinstance(source, FUNCTIONS):
            self.check_function(source)
            return True
        if isinstance(source, ast.Call):
            return self._is_kept_result(source)
        if isinstance(source, ast.Name | ast.Attribute | ast.Constant | ast.ClassDef):
            return True
        value = self._values.any_of((source,))
        return value.form in _NUMBERS and not value.assumed

    def _is_kept_result(self, call: ast.Call) -> bool:
        module = self._module
        owner = class_of(module, call.func)
        if owner is not None:
            self._check_object(owner)
            return True
        function = module.definition(call.func)
        if function is not None:
            for result in returned(function):
                inner = module.definition(result)
                if inner is not None and function in module.ancestors(inner):
                    raise Declined(
                        Reason(
                            Code.UNSTABLE, f"the result of `{module.text(call)}` reads the arguments it was made with"
                        )
                    )
                self._check(result, is_data=True)
            return True
        package = (module.qualname(call.func) or "").partition(".")[0]
        if package in ("", "numpy"):
            return False
        for argument in argument_values(call):
            self._check(argument, is_data=True)
        return True

    def _check_object(self, owner: ast.ClassDef) -> None:
        module = self._module
        for method in owner.body:
            if not isinstance(method, ast.FunctionDef):
                continue
            is_first = method.name in ("__init__", "__post_init__")
            bound = stores_of(module, method)
            if bound and not is_first:
                raise Declined(Reason(Code.MUTATED, f"`{owner.name}.{method.name}` changes `{bound[0]}`"))
            for attribute in bound:
                self.check_attribute(attribute.partition(".")[2], attribute)
        for name in sorted(module.names.bound_in(owner)):
            self.check_attribute(name, f"{owner.name}.{name}")

    def check_attribute(self, name: str, shown: str) -> None:
        """An attribute that some code stores: the object is seldom known."""
        if is_stored(self._module, name):
            raise Declined(Reason(Code.UNSTABLE, f"it reads `{shown}`, which can change between iterations"))

    def check_function(self, function: Function) -> None:
        """A function that the factory takes: it has to read the same at each iteration."""
        module = self._module
        shown = "a lambda" if isinstance(function, ast.Lambda) else f"`{function.name}`"
        reason = purity(module, function).reason
        if reason is not None:
            raise Declined(reason.restated(f"it is created with {shown}, which cannot be traced once: {reason}"))
        for name in hoisting.free_names(module, function):
            scope = module.scope_of(name, function)
            reason = why_unstable(module, name, scope, around=self._loop) if scope is not None else None
            if reason is not None or any(self._loop in module.ancestors(b.node) for b in module.bindings(name, scope)):
                reason = reason or Reason(Code.REBOUND, "the loop rebinds that")
                raise Declined(reason.restated(f"it is created with {shown}, which reads `{name}`: {reason}"))

    # --- data -------------------------------------------------------------------------------------------------

    def _is_data(self, name: str) -> bool:
        """Whether the factory reads the variable as more than a function, or an object that has some."""
        reads = (node for node in walk(self._factory) if isinstance(node, ast.Name) and node.id == name)
        return any(not self._is_of_functions(read) for read in reads)

    def _is_of_functions(self, read: ast.Name) -> bool:
        match self._module.parent(read):
            case ast.Call(func=func) if func is read:
                return True
            case ast.Attribute(attr=attr):
                return attr not in _OF_ARRAYS | _OF_CONTAINERS
            case ast.Call(func=func, args=[first, *_]) if first is read:
                return (transform_of(self._module, func) or "") in function_identity.RENEWING
        return False

    def _check_data(self, name: ast.Name) -> None:
        """A variable that may hold a list, a dictionary or a NumPy array: no other code may hold it."""
        module = self._module
        scope = module.scope_of(name.id, name)
        if scope is None or name.id in module.names.imports or self._values.of(name).form in _NUMBERS:
            return
        for use in module.reads(name.id, scope):
            if self._call not in module.ancestors(use) and not aliases.only_reads(module, use):
                raise Declined(
                    Reason(Code.ESCAPES, f"line {use.lineno} passes `{name.id}` to code that may change it", use.lineno)
                )
        if not all(_is_made_here(module, binding.node) for binding in module.bindings(name.id, scope)):
            self._check_filled(name.id)

    def _check_filled(self, name: str) -> None:
        """What came from elsewhere, where others may hold it too."""
        filled = next(self._filled(), None)
        if filled is not None:
            raise Declined(
                Reason(
                    Code.MUTATED,
                    f"line {filled.lineno} changes `{filled.id}` in place, which may be `{name}` too",
                    filled.lineno,
                )
            )
        other = next(self._runs_others(), None)
        if other is not None:
            raise Declined(
                Reason(
                    Code.ESCAPES,
                    f"line {other.lineno} runs unknown code, which may change `{name}`",
                    other.lineno,
                )
            )

    def _runs_others(self) -> Iterator[ast.expr]:
        """Where the loop waits, or calls what it was passed."""
        module = self._module
        for node in walk(self._loop):
            match node:
                case ast.Yield() | ast.YieldFrom() | ast.Await():
                    yield node
                case ast.Call(func=ast.Name(id=name) as func) if (scope := module.scope_of(name, func)) is not None:
                    if any(isinstance(binding.node, ast.arg) for binding in module.bindings(name, scope)):
                        yield node

    def _filled(self) -> Iterator[ast.Name]:
        """What the loop, and the code of this file that it runs, changes in place: except what it made itself."""
        module = self._module
        running = {self._loop, *_called(module, self._loop)}
        for roots in changes_of(module).roots.values():
            for root in roots:
                if running.isdisjoint(module.ancestors(root)) or is_functional(module, root):
                    continue
                scope = module.scope_of(root.id, root)
                bound = [binding.node for binding in module.bindings(root.id, scope)] if scope is not None else []
                if not bound or not all(_is_made_here(module, node) for node in bound):
                    yield root


def _called(module: Module, loop: ast.AST) -> set[Function]:
    """The functions and methods of this file that `loop` may call, by their names."""
    found: set[Function] = set()
    pending: list[ast.AST] = [loop]
    while pending:
        for node in walk(pending.pop()):
            if isinstance(node, ast.Call):
                own = module.definition(node.func)
                new = [own] if own is not None else []
                new += [*methods(module, node.func.attr)] if isinstance(node.func, ast.Attribute) else []
                pending += [each for each in new if each not in found]
                found.update(new)
    return found


def _is_made_here(module: Module, node: ast.AST) -> bool:
    """Whether a binding gives its variable something new: nothing else holds it."""
    value = module.value_of(node) if isinstance(node, ast.Name) else None
    if not isinstance(value, ast.Call):
        return isinstance(value, _DISPLAYS)
    package, _, made_by = (module.qualname(value.func) or module.text(value.func)).rpartition(".")
    return made_by in {"": _CONTAINERS, "numpy": _ARRAYS}.get(package, ())


def methods(module: Module, name: str) -> Iterator[ast.FunctionDef]:
    """The methods of that name of the classes of this file."""
    for function in module.functions:
        if isinstance(function, ast.FunctionDef) and function.name == name and module.method_of(function) is not None:
            yield function


def names(expr: ast.expr) -> Iterator[ast.Name]:
    """The variables that `expr` reads."""
    yield from (node for node in walk(expr) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))


def is_method(module: Module, attribute: ast.Attribute) -> bool:
    """Whether `attribute` is what a call calls."""
    call = module.parent(attribute)
    return isinstance(call, ast.Call) and call.func is attribute


def is_functional(module: Module, root: ast.Name) -> bool:
    """Whether `root` is the `x` of an `x.update(...)` whose result is used."""
    method = module.parent(root)
    call = module.parent(method) if method is not None else None
    is_update = isinstance(method, ast.Attribute) and method.attr == "update"
    return is_update and isinstance(call, ast.Call) and not isinstance(module.parent(call), ast.Expr)


def _is_item(expr: ast.expr) -> bool:
    """Whether `expr` is made of an item of something that may be refilled: no shape is."""
    return any(
        isinstance(part, ast.Subscript) and not (isinstance(part.value, ast.Attribute) and part.value.attr == "shape")
        for part in walk(expr)
    )
