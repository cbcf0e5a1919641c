"""The functions of a module that calls call, also where no name says so at once, and what they pass."""

import ast
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property

from jaxfix.dataflow.solver import Solver, optional
from jaxfix.dataflow.sources import Sources
from jaxfix.library.facets import Transform
from jaxfix.library.table import where
from jaxfix.semantic.classes import family, methods, own_class
from jaxfix.semantic.identifiers import Identifiers
from jaxfix.semantic.module import Module
from jaxfix.semantic.mutations import stored_attributes
from jaxfix.source.frozen import frozen
from jaxfix.staging.jit import is_jit, jitted_by_decorator, jitted_of, method
from jaxfix.syntax.nodes import FUNCTIONS, Function, walk
from jaxfix.syntax.signatures import default_of, positional_of

_TREE_MAPS = where(Transform.MAPS_LEAVES)
_WITH_VALUE = where(Transform.WITH_VALUE)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_NAMED_AS_DEFINED = frozenset({*_FUNCTIONS, ast.ClassDef, ast.Import, ast.ImportFrom})


@frozen
class _Callee:
    """A function as it is called.

    Attributes:
      jitted: through a `jax.jit` around it.
      bound: of an object, which is its first parameter.
    """

    function: Function
    jitted: bool = False
    bound: bool = False


class Callees:
    """Answers for one module.

    Args:
      functions: what the name of a function may stand for, where it is bound to more than a `def`.
    """

    def __init__(self, module: Module, functions: Callable[[ast.AST], Sources] | None) -> None:
        self._module, self._functions = module, functions
        self._called_by: dict[Function, list[ast.Call]] = {}

    def called(self, call: ast.Call) -> Function | None:
        """The function of this module that `call` calls, through a `jax.jit` around it if there is one."""
        found = self._of(call.func)
        return found.function if found is not None else None

    def _of(self, func: ast.expr) -> "_Callee | None":
        match func:
            case ast.Lambda():
                return _Callee(func)
            case ast.Name(id=name) if name in self._bound:
                function = self._module.definition(func)
                return _Callee(function) if function is not None else self._named(func)
            case ast.Attribute(attr=attr) if self._functions is not None and attr in self._attributes:
                return self._named(func)
        return None

    @cached_property
    def _bound(self) -> frozenset[str]:
        return self._module.get(Identifiers).bound

    @cached_property
    def _attributes(self) -> frozenset[str]:
        """The names of all that classes of the module define, and of all attributes that it stores."""
        bodies = (statement for node in self._module.nodes(ast.ClassDef) for statement in node.body)
        return self._stored.union(each.name for each in bodies if isinstance(each, _FUNCTIONS))

    @cached_property
    def _stored(self) -> frozenset[str]:
        """As `_attributes`, of what may be a function of another name."""
        stored = {node.attr for node in stored_attributes(self._module) if isinstance(node.ctx, ast.Store)}
        bodies = (statement for node in self._module.nodes(ast.ClassDef) for statement in node.body)
        return frozenset(stored.union(*(_bound_by(each) for each in bodies if not isinstance(each, _FUNCTIONS))))

    @cached_property
    def _named(self) -> "Solver[ast.expr, _Callee | None]":
        """What the name of a function stands for, where it is bound to more than a `def`."""
        return Solver(self._stands_for, optional())

    def _stands_for(self, expr: ast.expr) -> "_Callee | None":
        match expr:
            case ast.Call(func=func, args=[inner, *_]) if is_jit(self._module, func):
                found = self._of(inner)
                return replace(found, jitted=True) if found is not None else None
            case ast.Attribute():
                return self._of_attribute(expr)
        value = self._module.only_value(expr)
        if self._functions is None or value is not None:
            return self._stands_for(value) if isinstance(value, ast.Call) else None
        # As `init` of `init, update = make()`, and `update` of `update = jax.jit(update)` after it.
        several = [self._of_source(source) for source in self._functions(expr)]
        known = [each for each in several if each is not None]
        if len(known) < len(several) or len({each.function for each in known}) != 1:
            return None
        return next((each for each in known if each.jitted), known[0])

    def _of_source(self, source: ast.AST) -> "_Callee | None":
        match source:
            case ast.FunctionDef():
                return _Callee(source)
            case ast.Call():
                return self._named(source)
        return None

    def _of_attribute(self, expr: ast.Attribute) -> "_Callee | None":
        """The method that `self.step` or `solver.step` is, or the jitted function that is stored there."""
        module = self._module
        owner = own_class(module, expr.value)
        defined = methods(family(module, owner), expr.attr) if owner is not None else ()
        jitted = jitted_of(module, expr) if owner is not None and not defined else None
        if jitted is not None and jitted.function is not None:
            return _Callee(jitted.function, jitted=True, bound=module.method_of(jitted.function) is not None)
        function = method(module, owner, expr.attr) if owner is not None and len(defined) == 1 else None
        if function is None or len(function.decorator_list) > 1:
            return None
        is_jitted = jitted_by_decorator(module, function) is not None
        is_static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in function.decorator_list)
        known = is_jitted or is_static or not function.decorator_list
        return _Callee(function, jitted=is_jitted, bound=not is_static) if known else None

    def mapped(self, call: ast.Call) -> Function | None:
        """The function of this module that `jax.tree.map(function, tree, ...)` calls for the leaves of trees."""
        return self._module.definition(call.args[0]) if call in self._tree_maps and call.args else None

    @cached_property
    def _tree_maps(self) -> frozenset[ast.Call]:
        return frozenset(self._module.calls(*_TREE_MAPS))

    def jitted(self, call: ast.Call) -> Function | None:
        """As `called`, for names bound to `jax.jit(function)`, and for jitted methods."""
        found = self._of(call.func)
        return found.function if found is not None and found.jitted else None

    def valued(self, call: ast.Call) -> Function | None:
        """The function whose value `jax.value_and_grad(function)(...)` returns first; None for any other call."""
        match self._module.only_value(call.func) if isinstance(call.func, ast.Name) else call.func:
            case ast.Call(func=func, args=[inner, *_]) if self._module.qualname(func) in _WITH_VALUE:
                found = self._of(inner)
                return found.function if found is not None else None
        return None

    def arguments(self, parameter: ast.arg) -> tuple[list[ast.expr], bool]:
        """The arguments that calls in this module pass, and whether every one of these calls was understood."""
        arguments = self._module.parent(parameter)
        function = self._module.parent(arguments) if arguments is not None else None
        if not isinstance(function, FUNCTIONS) or not isinstance(arguments, ast.arguments):
            return [], False
        found, complete = [], True
        for call in self._callers(function):
            argument = self._passed(call, arguments, parameter, skipped=self._skipped(call, function))
            if argument is not None:
                found.append(argument)
            elif default(self._module, parameter) is None:
                complete = False
        return found, complete

    def _skipped(self, call: ast.Call, function: Function) -> int:
        """How many arguments `call` has before those of `function`: a method has one less, its object."""
        if self.mapped(call) is function:
            return 1
        found = self._of(call.func)
        return -1 if found is not None and found.bound else 0

    def _passed(self, call: ast.Call, arguments: ast.arguments, parameter: ast.arg, *, skipped: int) -> ast.expr | None:
        """What `call` passes, which has that many arguments that it does not."""
        for keyword in call.keywords if skipped <= 0 else ():
            if keyword.arg == parameter.arg:
                return keyword.value
        positional = positional_of(arguments)
        index = positional.index(parameter) + skipped if parameter in positional else len(call.args)
        if index < 0:
            return call.func.value if isinstance(call.func, ast.Attribute) else None
        is_plain = index < len(call.args) and not any(isinstance(a, ast.Starred) for a in call.args[: index + 1])
        return call.args[index] if is_plain else None

    def _callers(self, function: Function) -> list[ast.Call]:
        """The calls of a function of the module, those for the leaves of trees among them."""
        if function not in self._called_by:
            spelled = () if isinstance(function, ast.Lambda) else self._module.spelled_calls((function.name,))
            plain = (call for call in spelled if call not in self._tree_maps and self.called(call) is function)
            chosen = {*self._by_another_name.get(function, ()), *plain}
            every = self._module.nodes(ast.Call) if chosen else ()
            self._called_by[function] = [call for call in every if call in chosen]
        return self._called_by[function]

    @cached_property
    def _by_another_name(self) -> dict[Function, list[ast.Call]]:
        """The calls of each function that need not spell its name."""
        found: dict[Function, list[ast.Call]] = {}
        names, attributes = self._bound_otherwise, self._stored if self._functions is not None else frozenset[str]()
        for call in self._module.nodes(ast.Call):
            match call.func:
                case ast.Name(id=name) if name not in names and call not in self._tree_maps:
                    continue  # as most are
                case ast.Attribute(attr=name) if name not in attributes and call not in self._tree_maps:
                    continue
            function = self.called(call) if call not in self._tree_maps else self.mapped(call) or self.called(call)
            if function is not None:
                found.setdefault(function, []).append(call)
        return found

    @cached_property
    def _bound_otherwise(self) -> frozenset[str]:
        """The names that may stand for a function of another name: by an assignment, or as a parameter."""
        binding = self._module.index.binding
        return frozenset(
            name for name in self._bound if not {node.__class__ for node in binding[name]} <= _NAMED_AS_DEFINED
        )


def _bound_by(statement: ast.stmt) -> set[str]:
    return {node.id for node in walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def default(module: Module, parameter: ast.arg) -> ast.expr | None:
    """The default of a parameter, if it is another one than `None`."""
    arguments = module.parent(parameter)
    function = module.parent(arguments) if isinstance(arguments, ast.arguments) else None
    found = default_of(function, parameter.arg) if isinstance(function, FUNCTIONS) else None
    return None if isinstance(found, ast.Constant) and found.value is None else found
