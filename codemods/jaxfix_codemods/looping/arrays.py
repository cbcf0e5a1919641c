"""Which expressions of traced code are surely arrays, and not Python numbers."""

import ast
from collections.abc import Sequence

from jaxfix.api import FUNCTIONS, Function, Module, jit_of, jitted_by_decorator, jitted_of, jittings, returned, walk
from jaxfix.api.analysis import EXISTS, Form, Solver, Values, positional_of, reaching
from jaxfix.api.library import Class, Member, Package, Result, Takes, Transform, members_of, short_names, where
from jaxfix_codemods.looping.parameters import TRACED, passed
from jaxfix_codemods.looping.rounds import as_loop, rounds_of
from jaxfix_codemods.looping.seen import are_arrays_seen

_OPERATING = where(Package.OPERATES) | where(Package.FRESH)
_MAPPED = where(Transform.ONLY_VALUES)
_BATCHING, _DERIVING = where(Transform.BATCHES), where(Transform.DIFFERENTIATES)
_MUTABLE, _ANNOTATIONS = where(Result.MUTABLE), where(Class.ARRAY)
_USUAL = short_names(Member.USUAL)
_ASKING = where(Takes.ARRAY)
_NO_ARRAYS = short_names(Result.STATIC)
_YIELDS = (ast.Yield, ast.YieldFrom)
_SEVERAL = (ast.Tuple, ast.List, ast.Dict)
_MEMBERS = members_of("jax.Array")
_ABSTRACT, _CONCRETE = short_names(Member.ABSTRACT), short_names(Member.CONCRETE)


class Arrays:
    """Answers for one module. Solved for is whether an expression may be no array: what refers to itself is one."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._may_not: Solver[ast.AST, bool] = Solver(self._transfer, EXISTS)
        self._may_be_more: Solver[ast.AST, bool] = Solver(self._is_more, EXISTS)
        self._traced: dict[ast.arg, bool] = {}

    def is_sure(self, expr: ast.AST) -> bool:
        """Whether a trace surely makes an array of `expr`, or a tree of them."""
        return not self._may_not(expr)

    def is_one(self, expr: ast.expr) -> bool:
        """Whether it is surely a single array, and no tree of them."""
        return not self._may_be_more(expr)

    def _is_more(self, expr: ast.AST) -> bool:
        return not self._is_one(expr)

    def _is_one(self, expr: ast.AST) -> bool:
        module = self._module
        match expr:
            case ast.Name():
                found = reaching(module, expr, module.bindings(expr.id, module.scope_of(expr.id, expr)))
                return bool(found) and all(self._binds_one(binding.node) for binding in found)
            case ast.Call(func=func) if (qualname := module.qualname(func)) is not None:
                return qualname not in _MUTABLE and self.is_sure(expr)
            case ast.BinOp() | ast.UnaryOp():
                return self.is_sure(expr)
            case ast.Call(func=ast.Attribute(attr=attr)) if attr in _MEMBERS:
                return self.is_sure(expr)
            case ast.Call(func=ast.Name() as func) if (function := self._called(func)) is not None:
                return self.is_sure(expr) and all(map(self.is_one, returned(function)))
            case ast.Subscript(value=value) | ast.Attribute(value=value) | ast.Call(func=value):
                return self.is_one(value) and self.is_sure(expr)
        return False

    def _called(self, func: ast.Name) -> ast.FunctionDef | None:
        """The function of this file that `func` is, or is made of by `jit`, where it returns something at all."""
        found = jitted_of(self._module, func)
        function = found.function if found is not None else self._module.definition(func)
        return function if isinstance(function, ast.FunctionDef) and returned(function) else None

    def _binds_one(self, node: ast.AST) -> bool:
        if isinstance(node, ast.arg):
            return self.is_sure(node) and (self._is_used_as_one(node) or self._is_given_one(node))
        value = self._module.value_of(node) if isinstance(node, ast.Name) else None
        return value is not None and self.is_one(value)

    def _is_given_one(self, parameter: ast.arg) -> bool:
        """Whether each use of its function in the file passes a single array, which a trace takes if it is of NumPy."""
        given = passed(self._module, parameter, through_jit=True)
        return bool(given) and all(isinstance(each, ast.expr) and self._is_one_or_of_host(each) for each in given)

    def _is_one_or_of_host(self, expr: ast.expr) -> bool:
        return self.is_one(expr) or form_of(self._module, expr) is Form.NUMPY

    def _is_used_as_one(self, parameter: ast.arg) -> bool:
        """Whether its annotation says so, or something is done with it that only an array can do."""
        module = self._module
        if parameter.annotation is not None and module.qualname(parameter.annotation) in _ANNOTATIONS:
            return True
        return any(_asks_for_array(module, module.parent(use), use) for use in self._uses_of(parameter))

    def has_axes(self, node: ast.AST) -> bool:
        """Whether it is a parameter with which something is done that neither a number nor a tree of arrays allows."""
        if not isinstance(node, ast.arg):
            return False
        uses = self._uses_of(node)
        return any(_asks_for_axes(self._module, use) or self._is_derived_by(use) for use in uses)

    def _uses_of(self, parameter: ast.arg) -> Sequence[ast.Name]:
        function = self._module.enclosing(parameter, FUNCTIONS)
        return self._module.uses(parameter.arg, function) if function is not None else ()

    def _is_derived_by(self, use: ast.Name) -> bool:
        """Whether a function of this file is differentiated by it, which asks for axes: `jax.grad(loss)(use)`."""
        match self._module.parent(use):
            case ast.Call(func=ast.Call(func=maker, args=[of, *_], keywords=[]), args=[first, *_]) if first is use:
                function = self._module.definition(of) if self._module.qualname(maker) in _DERIVING else None
                taken = positional_of(function.args)[:1] if function is not None else []
                return any(_asks_for_axes(self._module, each) for one in taken for each in self._uses_of(one))
        return False

    def _transfer(self, expr: ast.AST) -> bool:
        module, may_not = self._module, self._may_not
        match expr:
            case ast.BinOp(left=left, right=right):
                return may_not(left) and may_not(right)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() | ast.Invert(), operand=operand):
                return may_not(operand)
            case ast.Compare(left=left, comparators=others):
                return all(may_not(part) for part in (left, *others))
            case ast.Subscript(value=value):
                return may_not(value)
            case ast.Attribute(value=value, attr=attr):
                return attr in _ABSTRACT | _CONCRETE or may_not(value)
            case ast.Call(func=ast.Call(func=maker)) if module.qualname(maker) in _MAPPED:
                return False
            case ast.Call(func=func) if jit_of(module, func) is not None:
                return False
            case ast.Call(func=func):
                qualname = module.qualname(func)
                if qualname is None and (function := module.definition(func)) is not None:
                    return self._may_return_none(function)
                if qualname is None:
                    return not isinstance(func, ast.Attribute) or may_not(func)
                package, _, last = qualname.rpartition(".")
                return package not in _OPERATING or last in _NO_ARRAYS
            case ast.Name():
                return self._may_not_be_bound(expr)
            case ast.arg():
                return not self.is_traced(expr) and self._may_not_be_given(expr)
        return not module.get(Values).of(expr).is_array

    def _may_return_none(self, function: Function) -> bool:
        """Whether a function of this file may return something else than an array."""
        if not isinstance(function, ast.FunctionDef) or function.decorator_list:
            return True
        nodes = walk(function)
        is_open = any(isinstance(n, _YIELDS) or (isinstance(n, ast.Return) and n.value is None) for n in nodes)
        if is_open or not isinstance(function.body[-1], ast.Return):
            return True
        return any(isinstance(each, _SEVERAL) or self._may_not(each) for each in returned(function))

    def _may_not_be_bound(self, name: ast.Name) -> bool:
        module = self._module
        scope = module.scope_of(name.id, name)
        if scope is None or scope is module.tree:
            return module.qualname(name) is not None or not module.get(Values).of(name).is_array
        found = reaching(module, name, module.bindings(name.id, scope))
        return not found or any(self._may_bind_none(binding.node) for binding in found)

    def _may_bind_none(self, node: ast.AST) -> bool:
        """Whether a binding may give its variable something else than an array."""
        if isinstance(node, ast.arg):
            return self._may_not(node)
        if not isinstance(node, ast.Name):
            return True
        match self._module.parent(node), self._module.value_of(node):
            case _, ast.expr() as value:
                return self._may_not(value)
            case ast.AugAssign(value=value), _:
                return self._may_not(value)
            case (ast.For() | ast.comprehension()) as loop, _:
                return self._may_not_be_row(loop, node)
            case (ast.Tuple() | ast.List()) as pattern, _:
                match self._module.parent(pattern):
                    case ast.Assign(value=value):
                        return self._may_not_be_part(value, pattern, node)
                    case (ast.For() | ast.comprehension()) as loop:
                        return self._may_not_be_row(loop, node)
        return True

    def _may_not_be_given(self, parameter: ast.arg) -> bool:
        given = passed(self._module, parameter)
        return not given or any(self._may_not(each) for each in given if each is not TRACED)

    def _may_not_be_row(self, loop: ast.For | ast.comprehension, node: ast.Name) -> bool:
        rounds = rounds_of(self._module, as_loop(loop))
        if rounds is None or not rounds.arrays or rounds.number is node:
            return True
        return not are_arrays_seen(self._module, rounds) and any(map(self._may_not, rounds.arrays))

    def _may_not_be_part(self, value: ast.expr, pattern: ast.Tuple | ast.List, node: ast.Name) -> bool:
        match value:
            case ast.Tuple(elts=elts) if len(elts) == len(pattern.elts):
                return self._may_not(elts[pattern.elts.index(node)])
        return self._may_not(value)

    def is_traced(self, parameter: ast.arg) -> bool:
        """Whether it is a parameter of a function under `jit`, and no static one."""
        if parameter not in self._traced:
            self._traced[parameter] = self._is_traced(parameter)
        return self._traced[parameter]

    def _is_traced(self, parameter: ast.arg) -> bool:
        module = self._module
        arguments = module.parent(parameter)
        function = module.parent(arguments) if arguments is not None else None
        if not isinstance(function, FUNCTIONS) or parameter not in positional_of(function.args):
            return False
        direct = jitted_by_decorator(module, function)
        every = [made for _, made in jittings(module) if made.function is function]
        found = [direct] if direct is not None else every
        place = positional_of(function.args).index(parameter)
        is_own = module.method_of(function) is not None and place == 0
        return (
            bool(found)
            and not is_own
            and all(made.jit.is_static(place) is False and made.jit.is_static(parameter.arg) is False for made in found)
        )


def _asks_for_array(module: Module, outer: ast.AST | None, use: ast.Name) -> bool:
    match outer:
        case ast.Call(func=func, args=[first, *_]) if first is use:
            name = module.qualname(func) or ""
            # JAX raises there on a list, NumPy makes an array of it
            return name in _ASKING and name.rpartition(".")[0] in _OPERATING
        case ast.Attribute(attr=attr):
            return attr in _USUAL
    return _multiplies_or_slices(outer)


def _asks_for_axes(module: Module, use: ast.Name) -> bool:
    match module.parent(use):
        case ast.Call(func=ast.Call(func=maker, args=[_], keywords=[]), args=given):
            return module.qualname(maker) in _BATCHING and use in given
        case ast.Attribute(attr=attr):
            return attr in _USUAL and not hasattr(0.0, attr) and not hasattr(0, attr)
        case outer:
            return _multiplies_or_slices(outer)


def _multiplies_or_slices(outer: ast.AST | None) -> bool:
    """Whether what is around a variable asks for its axes: `w @ x`, or `x[:, i]`."""
    match outer:
        case ast.BinOp(op=ast.MatMult()):
            return True
        case ast.Subscript(slice=ast.Tuple(elts=elts)):
            return any(isinstance(each, ast.Slice) for each in elts)
    return False


def form_of(module: Module, expr: ast.expr) -> Form:
    """What form of value `expr` is."""
    return module.get(Values).of(expr).form
