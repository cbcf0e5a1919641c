"""What an element or a row of an array is used for: the same of NumPy where it goes to the host at once."""

import ast
import re
from collections.abc import Iterable, Iterator

from jaxfix.api import Module, frozen, jit_of, walk
from jaxfix.api.analysis import MAY, Solver, Sources, Values, family, methods, own_class, reaching
from jaxfix.api.library import Member, Result, Takes, Transform, short_names, where
from jaxfix_codemods.element_reads.indices import are_known

_TAKING = where(Takes.ELEMENT)
_METHODS = short_names(Takes.ELEMENT, "jax.Array")
_PLAIN_JIT = where(Transform.COMPILES) & where(Transform.SAME_RESULT)
_CONVERTERS = short_names(Result.CONVERTED, "jax.numpy")
_STATIC = short_names(Member.STATIC, "jax.Array")
_ORDERING = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
_INSIDE = re.compile(r"\{[^{}:]*[.\[!]")
"""A field of a format that is more than the argument: a part of it, or its `repr`."""
_WITH_INDEX = 2
"""The parameters of a `__getitem__`."""
_MOST = 7
"""The greatest number that each dtype holds exactly, and below each less than one apart."""
_FRACTIONS = 4


@frozen
class Over:
    """A loop over an array: what each of its iterations binds.

    Attributes:
      array: what is iterated over.
      names: for one element or row, or for the parts of a row.
      loop: the statement or the comprehension.
    """

    array: ast.expr
    names: tuple[ast.Name, ...]
    loop: ast.AST


def loops_over(module: Module) -> Iterator[Over]:
    """Each array that a loop goes over, with the names that it binds to an element, or to parts of one."""
    for loop in module.nodes(ast.For, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp):
        for target, iterable in _headers(loop):
            for array, names in pairs(module, target, iterable):
                yield Over(array, names, loop)


def _headers(loop: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    match loop:
        case ast.For(target=target, iter=iterable):
            yield target, iterable
        case ast.ListComp(generators=found) | ast.SetComp(generators=found) | ast.GeneratorExp(generators=found):
            yield from ((each.target, each.iter) for each in found if not each.is_async)
        case ast.DictComp(generators=found):
            yield from ((each.target, each.iter) for each in found if not each.is_async)


def pairs(module: Module, target: ast.expr, iterable: ast.expr) -> Iterator[tuple[ast.expr, tuple[ast.Name, ...]]]:
    """What is iterated over, with the names that stand for its elements or for parts of them."""
    match iterable, target:
        case ast.Call(func=ast.Name(id="enumerate" as name), args=[first, *_]), ast.Tuple(elts=[_, inner]):
            if module.scope_of(name, iterable) is None:
                yield from pairs(module, inner, first)
        case ast.Call(func=ast.Name(id="zip" as name), args=several), ast.Tuple(elts=targets):
            if module.scope_of(name, iterable) is None and len(several) == len(targets):
                for each, inner in zip(several, targets, strict=True):
                    yield from pairs(module, inner, each)
        case _, ast.Name():
            yield iterable, (target,)
        case _, ast.Tuple(elts=targets):
            names = tuple(each for each in targets if isinstance(each, ast.Name))
            if names and len(names) == len(targets):
                yield iterable, names


class Uses:
    """Answers for one module."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._elsewhere: Solver[ast.AST, bool] = Solver(self._is_used_otherwise, MAY)
        self._of_names: dict[ast.Name, tuple[ast.Name, ...] | None] = {}

    def of_name(self, name: ast.Name) -> tuple[ast.Name, ...] | None:
        """The reads of what `name` binds, if each is of this binding alone and in the code of the function itself."""
        if name not in self._of_names:
            self._of_names[name] = self._find(name)
        return self._of_names[name]

    def _find(self, name: ast.Name) -> tuple[ast.Name, ...] | None:
        scope, around = self._module.scope_of(name.id, name), self._module.function(name)
        if scope is None:
            return None
        found = self._module.bindings(name.id, scope)
        if len(found) == 1 and found[0].node is name:
            uses = self._module.reads(name.id, scope)
            return uses if all(self._module.function(use) is around for use in uses) else None
        mine = []
        for use in self._module.reads(name.id, scope):
            if self._module.function(use) is not around:
                return None
            reached = [binding.node for binding in reaching(self._module, use, found)]
            if name in reached:
                if len(reached) > 1:
                    return None
                mine.append(use)
        return tuple(mine)

    def stay_on_host(self, name: ast.Name) -> bool:
        """Whether what `name` binds is used, and for nothing that would give another result for NumPy.

        Its own indices are left to the caller.
        """
        uses = self.of_name(name)
        return bool(uses) and all(map(self.is_of_host, uses or ()))

    def reads_values(self, name: ast.Name) -> bool:
        """Whether a use of what `name` binds asks for more than its shape, or the like, for which nothing waits."""
        parents = map(self._module.parent, self.of_name(name) or ())
        return not all(isinstance(each, ast.Attribute) and each.attr in _STATIC for each in parents)

    def go_into_jit(self, name: ast.Name) -> bool:
        """Whether what `name` binds becomes an argument of jitted functions, and otherwise stays on the host."""
        uses = self.of_name(name) or ()
        traced = [use for use in uses if self._is_traced(use)]
        return bool(traced) and all(use in traced or self.is_of_host(use) for use in uses)

    def _is_traced(self, use: ast.expr) -> bool:
        """Whether one use is as an argument that a function under `jax.jit` traces, and does not take over."""
        match self._module.parent(use):
            case ast.Call(func=func, args=args) as call if use in args:
                found = jit_of(self._module, func)
                if found is None or found.by not in _PLAIN_JIT or found.static != () or found.donated is None:
                    return False
                at = call.args.index(use)
                names = found.parameters[at : at + 1] if found.parameters is not None else ()
                is_spread = any(isinstance(each, ast.Starred) for each in args)
                return not is_spread and at not in found.donated and set(names).isdisjoint(found.donated)
        return False

    def is_of_host(self, use: ast.expr) -> bool:
        """Whether one use of an element, or of a row, gives the same for NumPy."""
        parent = self._module.parent(use)
        match parent:
            case ast.Call():
                return self._is_taken(parent, use)
            case ast.FormattedValue(value=value, conversion=conversion):
                return value is use and conversion in (-1, ord("s"))
            case ast.Starred():
                outer = self._module.parent(parent)
                return isinstance(outer, ast.Call) and self._is_builtin(outer, "print")
            case ast.Attribute(attr=attr):
                outer = self._module.parent(parent)
                is_called = isinstance(outer, ast.Call) and outer.func is parent and not (outer.args or outer.keywords)
                return attr in _STATIC or (attr in _METHODS and is_called)
            case ast.Subscript(value=value, ctx=ast.Load()) if value is use:
                return self.is_of_host(parent)
            case ast.Subscript(value=items, ctx=ast.Load()):
                return self._is_list(items) or self._stays_in_own_item(items)
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                other = right if left is use else left
                is_alike = isinstance(op, _ORDERING) and (_is_exact(other) or _are_of_one(use, other))
                return is_alike and (self._is_condition(parent) or self._is_made_bool(parent))
            case ast.For(iter=iterable, target=target) | ast.comprehension(iter=iterable, target=target):
                names = [name for _, some in pairs(self._module, target, iterable) for name in some]
                return iterable is use and bool(names) and not any(map(self._elsewhere, names))
            case ast.BinOp(op=ast.Mod(), left=ast.Constant(value=str() as pattern), right=right):
                return right is use and _is_plain(pattern)
            case ast.Tuple():
                return self._is_formatted(parent)
        return self._is_condition(use)

    def _is_made_bool(self, node: ast.expr) -> bool:
        outer = self._module.parent(node)
        return isinstance(outer, ast.Call) and self._is_builtin(outer, "bool")

    def _is_used_otherwise(self, bound: ast.AST) -> bool:
        """Of a name that a loop binds, or of a parameter."""
        assert isinstance(bound, ast.Name | ast.arg)
        uses = self.of_name(bound) if isinstance(bound, ast.Name) else self._of_parameter(bound)
        return uses is None or not all(self.is_of_host(use) and are_known(self._module, use) for use in uses)

    def _of_parameter(self, parameter: ast.arg) -> tuple[ast.Name, ...] | None:
        function = self._module.enclosing(parameter, ast.FunctionDef)
        found = self._module.bindings(parameter.arg, function)
        uses = self._module.reads(parameter.arg, function)
        is_own = all(self._module.function(use) is function for use in uses)
        return uses if len(found) == 1 and uses and is_own else None

    def _is_formatted(self, several: ast.Tuple) -> bool:
        match self._module.parent(several):
            case ast.BinOp(op=ast.Mod(), left=ast.Constant(value=str() as pattern), right=right):
                return right is several and _is_plain(pattern)
        return False

    def _is_builtin(self, call: ast.Call, *names: str) -> bool:
        func = call.func
        return isinstance(func, ast.Name) and func.id in names and self._module.scope_of(func.id, call) is None

    def _is_taken(self, call: ast.Call, use: ast.expr) -> bool:
        """Whether the function that `call` calls gives the same for the element as an argument."""
        if use not in call.args:
            return False
        if self._is_builtin(call, *_TAKING):
            return len(call.args) == 1 or self._is_builtin(call, "print", "format")
        match call.func:
            case ast.Attribute(value=ast.Constant(value=str() as pattern), attr="format"):
                return _INSIDE.search(pattern) is None
        package, _, last = (self._module.qualname(call.func) or "").rpartition(".")
        if package == "numpy" and last in _CONVERTERS:
            return len(call.args) == 1
        return self._stays_in_function(call, use)

    def _stays_in_function(self, call: ast.Call, use: ast.expr) -> bool:
        """Whether it is of a plain function of this file, which does nothing else with it."""
        function = self._module.definition(call.func)
        if not isinstance(function, ast.FunctionDef) or function.decorator_list:
            return False
        if any(isinstance(argument, ast.Starred) for argument in call.args):
            return False
        if any(isinstance(node, ast.Yield | ast.YieldFrom | ast.Global | ast.Nonlocal) for node in walk(function)):
            return False
        parameters = [*function.args.posonlyargs, *function.args.args]
        at = call.args.index(use)
        if at >= len(parameters) or self._module.method_of(function) is not None:
            return False
        return not self._elsewhere(parameters[at])

    def _is_list(self, items: ast.expr) -> bool:
        """Whether an index into `items` is asked for its number alone: they are a Python list, or the like."""
        module, values = self._module, self._module.get(Values)
        owner = own_class(module, items.value) if isinstance(items, ast.Attribute) else None
        if owner is not None and isinstance(items, ast.Attribute):
            sources: Iterable[ast.AST] = Sources(module, values).held(items.attr, family(module, owner))
        else:
            sources = values.origins.of(items)
        found = list(sources)
        return bool(found) and all(map(self._makes_list, found))

    def _makes_list(self, source: ast.AST) -> bool:
        if isinstance(source, ast.Call):
            name = self._module.qualname(source.func)
            return name == "collections.deque" or self._is_builtin(source, "list", "sorted")
        return isinstance(source, ast.List | ast.ListComp)

    def _stays_in_own_item(self, items: ast.expr) -> bool:
        """Whether it is an index of the own object, whose `__getitem__` does nothing else with it."""
        owner = own_class(self._module, items)
        found = methods(family(self._module, owner), "__getitem__") if owner is not None else ()
        if len(found) != 1 or found[0].decorator_list or len(found[0].args.args) != _WITH_INDEX:
            return False
        return not self._elsewhere(found[0].args.args[1])

    def _is_condition(self, node: ast.expr) -> bool:
        """Whether `node` is asked for nothing but its truth."""
        inner: ast.AST = node
        for outer in self._module.ancestors(node):
            match outer:
                case ast.UnaryOp(op=ast.Not()):
                    return True
                case ast.BoolOp():
                    inner = outer
                case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) | ast.Assert(test=test):
                    return test is inner
                case ast.comprehension(ifs=ifs):
                    return inner in ifs
                case _:
                    return False
        return False


def _is_exact(node: ast.expr) -> bool:
    """Whether `node` is a number that each dtype holds exactly."""
    match node:
        case ast.Constant(value=bool()):
            return False
        case ast.Constant(value=int() | float() as value):
            return 0 <= value <= _MOST and float(value * _FRACTIONS).is_integer()
    return False


def _are_of_one(one: ast.expr, other: ast.expr) -> bool:
    """Whether both are elements of one variable, taken in the same way."""
    match one, other:
        case ast.Subscript(value=a, slice=ast.Name() | ast.BinOp()), ast.Subscript(value=b):
            return isinstance(a, ast.Name) and isinstance(b, ast.Name) and a.id == b.id
    return False


def _is_plain(pattern: str) -> bool:
    return "%r" not in pattern and "%a" not in pattern and "%(" not in pattern
