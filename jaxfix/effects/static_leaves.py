"""What a pytree may hold beside arrays: JAX distinguishes it by `==` alone, and keeps what it was at the first trace.

As `1`, `1.0` and `True` are equal, two configurations may be, or a function whose surroundings have changed. Arrays and
numbers, and tuples, lists, dictionaries and named tuples of them hold nothing of that kind.
"""

import ast
from collections.abc import Iterable, Iterator

from jaxfix.dataflow.call_graph import callers
from jaxfix.dataflow.solver import EXISTS, MAY, Solver
from jaxfix.effects.aliases import is_fillable
from jaxfix.effects.pytree_classes import are_leaves_only
from jaxfix.effects.pytree_keys import is_odd_key, puts_odd_keys
from jaxfix.library.facets import Class, Effect, Package, Result, Transform
from jaxfix.library.table import CONTROL_FLOW, short_names, where
from jaxfix.semantic.calls import arguments_of, returned
from jaxfix.semantic.classes import class_of
from jaxfix.semantic.module import Module
from jaxfix.semantic.mutations import changes_of
from jaxfix.staging.jit import COMPILING, jitted_by_decorator, jitted_of
from jaxfix.syntax.nodes import FUNCTIONS, Function, walk
from jaxfix.syntax.signatures import argument_values, default_of

_ARRAY_TYPES = where(Class.ARRAY)
_NUMBER_TYPES = short_names(Result.IMMUTABLE, "builtins")
_READERS = short_names(Effect.PURE, "builtins") | short_names(Effect.READS, "builtins")
_MAPS = where(Transform.MAPS_LEAVES)
_GRADIENTS = where(Transform.GRADIENT)
_MADE_OF_ARRAYS = where(Package.FRESH)
_NUMBERS = where(Package.PURE)
_KEEPING = where(Package.LEAVES_ONLY)
_TUPLES = where(Class.TUPLE)


def hidden_operands(module: Module, operands: Iterable[ast.expr]) -> Iterator[str]:
    """The text of those `operands` of a compiled function that may hold more than arrays and numbers.

    Returns:
      Nothing where no object of the program that was read does.
    """
    if not are_leaves_only(module):
        may_hide = module.get(_may_hide)
        yield from (module.text(operand) for operand in operands if may_hide(operand))


def _may_hide(module: Module) -> Solver[ast.AST, bool]:
    return Solver(lambda node: _hides(module, node), MAY)


def _hides(module: Module, node: ast.AST) -> bool:
    """Whether what an expression, or a parameter, stands for may be a tree with other parts than leaves."""
    may_hide = module.get(_may_hide)
    match node:
        case ast.Constant():
            return False
        case ast.Compare(left=left, comparators=others):
            return any(map(may_hide, (left, *others)))
        case ast.UnaryOp(operand=part) | ast.Starred(value=part) | ast.NamedExpr(value=part):
            return may_hide(part)
        case ast.BinOp(left=left, right=right) | ast.IfExp(body=left, orelse=right):
            return may_hide(left) or may_hide(right)
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.BoolOp(values=parts):
            return any(map(may_hide, parts))
        case ast.Dict(keys=keys, values=parts):
            return not all(_is_text(key) for key in keys) or any(map(may_hide, parts))
        case ast.ListComp(elt=part) | ast.GeneratorExp(elt=part):
            return may_hide(part)
        case ast.Subscript(value=value):
            return may_hide(value)
        case ast.Attribute(value=value):
            package = (module.qualname(node) or "").partition(".")[0]
            return package not in _KEEPING if package else may_hide(value)
        case ast.Name():
            return _variable_hides(module, node)
        case ast.arg():
            return _parameter_hides(module, node)
        case ast.Call():
            return _result_hides(module, node)
    return True


def _is_text(key: ast.expr | None) -> bool:
    """Whether it is a text: of numbers, `1` and `True` are one key. None stands for `**`."""
    return isinstance(key, ast.Constant) and isinstance(key.value, str)


# --- variables and parameters -----------------------------------------------------------------------------------------


def _variable_hides(module: Module, name: ast.Name) -> bool:
    scope = module.scope_of(name.id, name)
    if scope is None:
        return True
    return any(_binding_hides(module, name.id, binding.node, scope) for binding in module.bindings(name.id, scope))


def _binding_hides(module: Module, name: str, node: ast.AST, scope: ast.AST) -> bool:
    may_hide = module.get(_may_hide)
    if isinstance(node, ast.arg):
        return may_hide(node)
    if not isinstance(node, ast.Name):
        return True
    value = module.value_of(node)
    if value is not None:
        is_filled = is_fillable(module, value) and (
            _is_given_away(module, name, scope) or module.get(_fills)(module.tree)
        )
        return is_filled or may_hide(value)
    part: ast.AST = node
    outer = module.parent(part)
    while isinstance(outer, ast.Tuple | ast.List | ast.Starred):
        part, outer = outer, module.parent(outer)
    match outer:
        case ast.Assign(value=whole) | ast.AugAssign(value=whole):
            return may_hide(whole)
        case ast.For(target=target, iter=whole) | ast.comprehension(target=target, iter=whole) if target is part:
            return may_hide(whole)
    return True


def _is_given_away(module: Module, name: str, scope: ast.AST) -> bool:
    """Whether code of another file can reach a container, and may fill it."""
    for use in module.reads(name, scope):
        parent = module.parent(use)
        call = module.parent(parent) if isinstance(parent, ast.keyword) else parent
        if isinstance(call, ast.Call) and call.func is not use:
            known = (module.qualname(call.func) or "").partition(".")[0] in _KEEPING
            is_own = module.definition(call.func) is not None or jitted_of(module, call.func) is not None
            is_method = isinstance(call.func, ast.Attribute) and not module.get(_may_hide)(call.func.value)
            is_builtin = isinstance(call.func, ast.Name) and module.scope_of(call.func.id, call) is None
            if not (known or is_own or is_method or is_builtin):
                return True
    return False


def _fills(module: Module) -> Solver[ast.AST, bool]:
    """Whether the file puts what may hide something into a container that it has, under whatever name."""
    return Solver(lambda node: any(_fill_hides(module, root) for root in _changed(module)), MAY)


def _changed(module: Module) -> list[ast.Name]:
    return [root for roots in changes_of(module).roots.values() for root in roots]


def _fill_hides(module: Module, root: ast.Name) -> bool:
    part: ast.AST = root
    while isinstance(outer := module.parent(part), ast.Attribute | ast.Subscript) and outer.value is part:
        part = outer
    match module.parent(part):
        case ast.Call(func=func) as call if func is part:
            return puts_odd_keys(module, call) or any(map(module.get(_may_hide), argument_values(call)))
        case ast.Assign(value=value) | ast.AugAssign(value=value) if isinstance(part, ast.Subscript):
            return is_odd_key(module, part.slice) or module.get(_may_hide)(value)
        case ast.Delete():
            return False
    return True


def _parameter_hides(module: Module, parameter: ast.arg) -> bool:
    """As `_hides`: not where the annotation promises an array, or all calls that there can be pass nothing else."""
    arguments = module.parent(parameter)
    function = module.parent(arguments) if arguments is not None else None
    if _is_promised(module, parameter):
        return isinstance(function, ast.FunctionDef) and _breaks_promise(module, function, parameter.arg)
    if isinstance(function, ast.Lambda):
        return _leaf_hides(module, function) and _jitted_hides(module, function, parameter.arg)
    if not isinstance(function, ast.FunctionDef) or not _is_called_as_it_stands(module, function):
        return True
    found = callers(module, function)
    if not found.calls or not found.are_all_here():
        return True
    return any(_passed_hides(module, function, call, parameter.arg) for call in found.calls)


def _is_promised(module: Module, parameter: ast.arg) -> bool:
    match parameter.annotation:
        case ast.Name(id=name) as annotation if module.scope_of(name, annotation) is None:
            return name in _NUMBER_TYPES
        case ast.Name() | ast.Attribute() as annotation:
            return module.qualname(annotation) in _ARRAY_TYPES
    return False


def _breaks_promise(module: Module, function: ast.FunctionDef, parameter: str) -> bool:
    """Whether a call of this file evidently passes an object of a class of its own, whatever the annotation says."""
    for call in callers(module, function).calls:
        bound = module.method_of(function) is not None and isinstance(call.func, ast.Attribute)
        argument = (arguments_of(function, call, bound=bound) or {}).get(parameter)
        if argument is not None and _is_object(module, argument) and module.get(_may_hide)(argument):
            return True
    return False


def _is_object(module: Module, expr: ast.expr) -> bool:
    values: list[ast.expr | None] = [expr]
    if isinstance(expr, ast.Name):
        bound = (binding.node for binding in module.bindings(expr.id, module.scope_of(expr.id, expr)))
        values = [module.value_of(node) for node in bound if isinstance(node, ast.Name)]
    return any(isinstance(value, ast.Call) and class_of(module, value.func) is not None for value in values)


def _is_called_as_it_stands(module: Module, function: ast.FunctionDef) -> bool:
    """Whether calls pass its arguments as they are: nothing decorates it but `jax.jit`."""
    jitted = jitted_by_decorator(module, function)
    is_jitted = jitted is not None and jitted.jit.by.startswith("jax.") and len(function.decorator_list) == 1
    return not function.decorator_list or is_jitted


def _jitted_hides(module: Module, function: ast.Lambda, parameter: str) -> bool:
    """Of `step = jax.jit(lambda ...)`, a variable that is only called."""
    jit = module.parent(function)
    target = getattr(module.parent(jit), "targets", [None])[0] if isinstance(jit, ast.Call) else None
    if not isinstance(target, ast.Name) or module.only_value(target) is not jit or not _is_jit(module, jit):
        return True
    scope = module.scope_of(target.id, target)
    if scope is None or scope is module.tree:
        return True
    calls = [parent for use in module.reads(target.id, scope) if isinstance(parent := module.parent(use), ast.Call)]
    is_called = all(module.parent(use) in calls for use in module.reads(target.id, scope))
    return not is_called or any(_passed_hides(module, function, call, parameter) for call in calls)


def _is_jit(module: Module, call: ast.AST | None) -> bool:
    return isinstance(call, ast.Call) and module.qualname(call.func) in COMPILING


def _passed_hides(module: Module, function: Function, call: ast.Call, parameter: str) -> bool:
    bound = module.method_of(function) is not None and isinstance(call.func, ast.Attribute)
    passed = arguments_of(function, call, bound=bound)
    if passed is None or parameter not in passed:
        return True
    argument = passed[parameter] or default_of(function, parameter)
    if argument is None or (is_fillable(module, argument) and module.get(_fills)(module.tree)):
        return True
    return module.get(_may_hide)(argument)


def _leaf_hides(module: Module, function: ast.Lambda) -> bool:
    """Of a lambda whose arguments are the leaves of trees."""
    call = module.parent(function)
    if not isinstance(call, ast.Call) or module.qualname(call.func) not in _MAPS or call.args[:1] != [function]:
        return True
    return any(map(module.get(_may_hide), call.args[1:]))


# --- calls ------------------------------------------------------------------------------------------------------------


def _result_hides(module: Module, call: ast.Call) -> bool:
    may_hide = module.get(_may_hide)
    qualname = module.qualname(call.func)
    if qualname is None:
        return _own_result_hides(module, call)
    package = qualname.rpartition(".")[0]
    if package in _MADE_OF_ARRAYS or package in _NUMBERS:
        return False
    if qualname in CONTROL_FLOW:
        return _carry_hides(module, call)
    if qualname in _MAPS:
        function = module.definition(call.args[0]) if call.args else None
        parts = (*call.args[1:], *(returned(function) if function is not None else ()))
        return function is None or any(map(may_hide, parts))
    return qualname.partition(".")[0] not in _KEEPING or any(map(may_hide, argument_values(call)))


def _carry_hides(module: Module, call: ast.Call) -> bool:
    """The result of a loop has the structure of its input; the result of a branch, that of its value."""
    carry = CONTROL_FLOW[module.qualname(call.func) or ""].carry
    if carry is None or carry.paired:
        return True
    named = [keyword.value for keyword in call.keywords if keyword.arg == carry.initial.name]
    given = [*call.args[carry.initial.position : carry.initial.position + 1], *named]
    return not given or any(map(module.get(_may_hide), given))


def _own_result_hides(module: Module, call: ast.Call) -> bool:
    may_hide = module.get(_may_hide)
    given = argument_values(call)
    if isinstance(call.func, ast.Name) and module.scope_of(call.func.id, call) is None:
        return call.func.id not in _READERS or puts_odd_keys(module, call) or any(map(may_hide, given))
    function = _called(module, call)
    if function is not None:
        results = (*returned(function), *_yielded(function))
        return not results or any(map(may_hide, results))
    if _is_gradient(module, call.func):
        return any(map(may_hide, given))
    owner = class_of(module, call.func)
    if owner is not None:
        is_tuple = any(module.qualname(base) in _TUPLES for base in owner.bases)
        has_methods = any(isinstance(member, FUNCTIONS) for member in owner.body)
        return not is_tuple or has_methods or bool(owner.decorator_list) or any(map(may_hide, given))
    match call.func:
        case ast.Attribute(value=value):  # a method of something that holds nothing else
            return may_hide(value) or any(map(may_hide, given))
    return True


def _yielded(function: Function) -> tuple[ast.expr, ...]:
    return tuple(node.value for node in walk(function) if isinstance(node, ast.Yield) and node.value is not None)


def _is_gradient(module: Module, func: ast.expr) -> bool:
    """Whether it is `jax.grad(f)`, `jax.value_and_grad(f)`, or a `jit` of them: results are like arguments."""
    return module.get(_gradients)(func)


def _gradients(module: Module) -> Solver[ast.expr, bool]:
    return Solver(lambda func: _differentiates(module, func), EXISTS)


def _differentiates(module: Module, func: ast.expr) -> bool:
    match module.only_value(func) if isinstance(func, ast.Name) else func:
        case ast.Call(func=by, args=[_], keywords=keywords) if module.qualname(by) in _GRADIENTS:
            return all(keyword.arg == "argnums" for keyword in keywords)
        case ast.Call(func=by, args=[inner]) if module.qualname(by) in COMPILING:
            return _is_gradient(module, inner)
    return False


def _called(module: Module, call: ast.Call) -> Function | None:
    """The function of the file that is called, as it is or under `jit`."""
    function = module.definition(call.func)
    if isinstance(function, ast.FunctionDef) and not function.decorator_list:
        return function
    jitted = jitted_of(module, call.func)
    is_plain = jitted is not None and jitted.jit.by.startswith("jax.") and not _is_gradient(module, call.func)
    return jitted.function if jitted is not None and is_plain else None
