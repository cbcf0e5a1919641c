"""The functions of a module that calls call, also where no name says so at once, and what they pass."""

import ast
from collections.abc import Callable
from functools import cached_property

from jaxfix.dataflow.sources import Sources
from jaxfix.library.facets import Transform
from jaxfix.library.table import where
from jaxfix.semantic.identifiers import Identifiers
from jaxfix.semantic.module import Module
from jaxfix.staging.jit import COMPILING
from jaxfix.syntax.bindings import Binding
from jaxfix.syntax.nodes import FUNCTIONS, Function
from jaxfix.syntax.signatures import default_of, positional_of

_TREE_MAPS = where(Transform.MAPS_LEAVES)


class Callees:
    """Answers for one module.

    Args:
      functions: what the name of a function may stand for, where it is bound to more than a `def`.
    """

    def __init__(self, module: Module, functions: Callable[[ast.AST], Sources] | None) -> None:
        self._module, self._functions = module, functions

    def called(self, call: ast.Call) -> Function | None:
        """The function of this module that `call` calls, through a `jax.jit` around it if there is one."""
        if not isinstance(call.func, ast.Name):
            return call.func if isinstance(call.func, ast.Lambda) else None
        if call.func.id not in self._module.get(Identifiers).bound:
            return None
        function = self._module.definition(call.func)
        return function or self.jitted(call) or self._unpacked_function(call.func)

    def _unpacked_function(self, name: ast.expr) -> Function | None:
        """As `init` of `init, update = make()`."""
        match self._bindings(name):
            case (Binding(node=ast.Name() as target),) if self._module.value_of(target) is None:
                match self._functions(name) if self._functions is not None else ():
                    case (ast.FunctionDef() as function,):
                        return function
        return None

    def _bindings(self, name: ast.expr) -> tuple[Binding, ...]:
        scope = self._module.scope_of(name.id, name) if isinstance(name, ast.Name) else None
        return self._module.bindings(name.id, scope) if isinstance(name, ast.Name) and scope is not None else ()

    def mapped(self, call: ast.Call) -> Function | None:
        """The function of this module that `jax.tree.map(function, tree, ...)` calls for the leaves of trees."""
        return self._module.definition(call.args[0]) if call in self._tree_maps and call.args else None

    @cached_property
    def _tree_maps(self) -> frozenset[ast.Call]:
        return frozenset(self._module.calls(*_TREE_MAPS))

    def jitted(self, call: ast.Call) -> Function | None:
        """As `called`, of a name that is bound to `jax.jit(function)`."""
        match self._module.only_value(call.func):
            case ast.Call(func=func, args=[inner, *_]) if self._module.qualname(func) in COMPILING:
                return self._module.definition(inner)
        return None

    def arguments(self, parameter: ast.arg) -> tuple[list[ast.expr], bool]:
        """The arguments that calls in this module pass, and whether every one of these calls was understood."""
        arguments = self._module.parent(parameter)
        function = self._module.parent(arguments) if arguments is not None else None
        if not isinstance(function, FUNCTIONS) or not isinstance(arguments, ast.arguments):
            return [], False
        found, complete = [], True
        for call in self._callers.get(function, ()):
            argument = self._passed(call, arguments, parameter, skipped=int(self.mapped(call) is function))
            if argument is not None:
                found.append(argument)
            elif default(self._module, parameter) is None:
                complete = False
        return found, complete

    def _passed(self, call: ast.Call, arguments: ast.arguments, parameter: ast.arg, *, skipped: int) -> ast.expr | None:
        """What `call` passes, which has that many arguments that it does not."""
        for keyword in call.keywords if not skipped else ():
            if keyword.arg == parameter.arg:
                return keyword.value
        positional = positional_of(arguments)
        if parameter not in positional or any(isinstance(a, ast.Starred) for a in call.args):
            return None
        index = positional.index(parameter) + skipped
        return call.args[index] if index < len(call.args) else None

    @cached_property
    def _callers(self) -> dict[Function, list[ast.Call]]:
        """The calls of each function of the module, those for the leaves of trees among them."""
        found: dict[Function, list[ast.Call]] = {}
        for call in self._module.nodes(ast.Call):
            function = self.mapped(call) or self.called(call)
            if function is not None:
                found.setdefault(function, []).append(call)
        return found


def default(module: Module, parameter: ast.arg) -> ast.expr | None:
    """The default of a parameter, if it is another one than `None`."""
    arguments = module.parent(parameter)
    function = module.parent(arguments) if isinstance(arguments, ast.arguments) else None
    found = default_of(function, parameter.arg) if isinstance(function, FUNCTIONS) else None
    return None if isinstance(found, ast.Constant) and found.value is None else found
