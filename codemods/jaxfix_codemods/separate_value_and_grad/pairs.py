"""Calls of a function and of its gradient, with the same arguments, in one block."""

import ast
from collections.abc import Iterator
from itertools import zip_longest

from jaxfix.api import Module, frozen, in_order, jitted_of
from jaxfix.api.analysis import is_alike, positional_of
from jaxfix.api.library import Transform, where

_BOTH = where(Transform.WITH_VALUE)
GRADIENTS = {name.replace("value_and_", ""): name for name in _BOTH}
"""Transformations that return a gradient, and their forms that return the value too."""
_JITS = where(Transform.COMPILES)
_OPTIONS = frozenset({"argnums", "has_aux", "allow_int"})
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return)
_PLAIN = (
    *(ast.Name, ast.Constant, ast.Attribute, ast.Subscript, ast.Tuple, ast.List, ast.Dict, ast.Slice),
    *(ast.UnaryOp, ast.unaryop, ast.BinOp, ast.operator, ast.Starred, ast.expr_context),
)
"""What arguments are made of that are the same twice."""


@frozen
class Derivative:
    """An expression that makes a gradient.

    Attributes:
      made: the call of `jax.grad`.
      whole: that, or the call of `jit` around it.
      function: what the gradient is of.
      target: the variable that is bound to it, or a function that returns it for its own parameters; None where it is
        called at once.
      has_aux: whether it returns more than the gradient.
    """

    made: ast.Call
    whole: ast.Call
    function: ast.expr
    target: ast.Name | ast.FunctionDef | None
    has_aux: bool

    @property
    def is_jitted(self) -> bool:
        return self.whole is not self.made or bool(getattr(self.target, "decorator_list", ()))

    @property
    def name(self) -> str | None:
        """What it is called by; None where it is called at once."""
        return self.target.id if isinstance(self.target, ast.Name) else getattr(self.target, "name", None)


@frozen
class Pair:
    """A call of a function and one of its gradient: `first` of the two in the text, and `last`.

    Attributes:
      block: the statements from the one to the other.
    """

    derivative: Derivative
    value: ast.Call
    gradient: ast.Call
    block: tuple[ast.stmt, ...]

    @property
    def first(self) -> ast.Call:
        return min(self.value, self.gradient, key=_position)

    @property
    def last(self) -> ast.Call:
        return max(self.value, self.gradient, key=_position)


def pairs(module: Module) -> Iterator[Pair]:
    """The pairs of `module`, each call in one of them at most."""
    taken: set[ast.Call] = set()
    for derivative in derivatives(module):
        for gradient in calls_of(module, derivative):
            found = next((pair for pair in _with(module, derivative, gradient) if pair.value not in taken), None)
            if found is not None and gradient not in taken:
                taken |= {found.value, gradient}
                yield found


def derivatives(module: Module) -> Iterator[Derivative]:
    """What makes a gradient, and is called at once or bound to a variable once."""
    for made in module.calls(*GRADIENTS):
        has_aux = _has_aux(made)
        if has_aux is None or not isinstance(made.args[0], ast.Name | ast.Attribute):
            continue
        whole, around = made, module.parent(made)
        if isinstance(around, ast.Call) and around.args == [made] and module.qualname(around.func) in _JITS:
            if around.keywords:
                continue
            whole = around
        target = _target(module, whole) or (_wrapper(module, made) if whole is made else None)
        around = module.parent(whole)
        if target is not None or (isinstance(around, ast.Call) and around.func is whole):
            yield Derivative(made, whole, made.args[0], target, has_aux)


def calls_of(module: Module, derivative: Derivative) -> tuple[ast.Call, ...]:
    """The calls of a gradient, in the order of the text."""
    if derivative.target is None:
        called = module.parent(derivative.whole)
        return (called,) if isinstance(called, ast.Call) else ()
    found = [call for use in uses_of(module, derivative) if isinstance(call := module.parent(use), ast.Call)]
    return tuple(in_order([call for call in found if isinstance(call.func, ast.Name)]))


def uses_of(module: Module, derivative: Derivative) -> tuple[ast.Name, ...]:
    """The reads of the variable that a gradient is bound to."""
    target, name = derivative.target, derivative.name
    return () if target is None or name is None else module.reads(name, module.scope_of(name, target))


def is_value_jitted(module: Module, value: ast.Call) -> bool:
    """Whether a call of the function itself runs a program that was compiled."""
    return jitted_of(module, value.func) is not None


def _has_aux(made: ast.Call) -> bool | None:
    """Whether a gradient returns more; None where its options say what is not followed."""
    match made.args:
        case [first] | [first, _] if not isinstance(first, ast.Starred):
            pass
        case _:
            return None
    if any(keyword.arg not in _OPTIONS for keyword in made.keywords):
        return None
    given = next((keyword.value for keyword in made.keywords if keyword.arg == "has_aux"), ast.Constant(value=False))
    return given.value if isinstance(given, ast.Constant) and isinstance(given.value, bool) else None


def _target(module: Module, whole: ast.Call) -> ast.Name | None:
    match module.parent(whole):
        case ast.Assign(targets=[ast.Name() as target]) if module.only_value(target) is whole:
            return target
    return None


def _wrapper(module: Module, made: ast.Call) -> ast.FunctionDef | None:
    """The function that does nothing but return a gradient for its own parameters, plain or under a plain `jit`."""
    called = module.parent(made)
    match module.parent(called) if isinstance(called, ast.Call) and called.func is made else None:
        case ast.Return() as last:
            function = module.function(last)
        case _:
            return None
    if not isinstance(function, ast.FunctionDef) or not isinstance(called, ast.Call) or called.keywords:
        return None
    body = [each for each in function.body if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))]
    arguments = function.args
    names = [each.arg for each in positional_of(arguments)]
    is_plain = not (arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults)
    given = [each.id if isinstance(each, ast.Name) else "" for each in called.args]
    decorators = [module.qualname(each) in _JITS for each in function.decorator_list]
    is_one = body == [last] and len(module.bindings(function.name, module.scope_of(function.name, function))) == 1
    is_free = module.method_of(function) is None and len(decorators) <= 1 and all(decorators)
    return function if is_one and is_plain and is_free and given == names else None


def _with(module: Module, derivative: Derivative, gradient: ast.Call) -> Iterator[Pair]:
    """The pairs that a call of a gradient can be in, the nearest call of the function first."""
    if not _is_plain(gradient) or not _runs_with_its_statement(module, gradient):
        return
    function = module.function(gradient)
    called = [call for call in _values(module, derivative) if module.function(call) is function]
    for call in sorted(called, key=lambda call: abs(call.lineno - gradient.lineno)):
        if _same_arguments(call, gradient) and _runs_with_its_statement(module, call):
            block = _between(module, *sorted((call, gradient), key=_position))
            if block and not _binds_arguments(module, gradient, block):
                yield Pair(derivative, call, gradient, block)


def _values(module: Module, derivative: Derivative) -> Iterator[ast.Call]:
    """The calls of the function that a gradient is of, or of what `jit` made of it."""
    inner = derivative.function
    name = inner.id if isinstance(inner, ast.Name) else inner.attr if isinstance(inner, ast.Attribute) else ""
    jitted = {
        target.id
        for target, value in module.names.assigned
        if isinstance(value, ast.Call) and _jits(module, value, inner)
    }
    for call in module.spelled_calls({name, *jitted}):
        if is_same(module, call.func, inner) or _stands_for_jitted(module, call.func, inner):
            yield call


def _stands_for_jitted(module: Module, func: ast.expr, inner: ast.expr) -> bool:
    value = module.only_value(func)
    return isinstance(value, ast.Call) and _jits(module, value, inner)


def _jits(module: Module, call: ast.Call, inner: ast.expr) -> bool:
    is_plain = len(call.args) == 1 and not call.keywords and module.qualname(call.func) in _JITS
    return is_plain and is_same(module, call.args[0], inner)


def is_same(module: Module, one: ast.expr, other: ast.expr) -> bool:
    """Whether two expressions name the same function, unless an attribute is rebound."""
    match one, other:
        case ast.Name(), ast.Name():
            binding = module.names.only_binding(one)
            theirs = module.names.only_binding(other)
            return binding is not None and theirs is not None and binding.node is theirs.node
        case ast.Attribute(value=a, attr=x), ast.Attribute(value=b, attr=y):
            return x == y and is_same(module, a, b)
    return False


def _is_plain(call: ast.Call) -> bool:
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    return bool(given) and all(isinstance(node, _PLAIN) for value in given for node in ast.walk(value))


def _same_arguments(one: ast.Call, other: ast.Call) -> bool:
    mine, theirs = (sorted(call.keywords, key=lambda keyword: keyword.arg or "") for call in (one, other))
    pairs = [*zip_longest(one.args, other.args), *zip_longest(mine, theirs)]
    return all(a is not None and b is not None and is_alike(a, b) for a, b in pairs)


def _runs_with_its_statement(module: Module, call: ast.Call) -> bool:
    """Whether each run of the statement, which is not a compound one, runs the call once."""
    for outer in module.ancestors(call):
        if isinstance(outer, ast.stmt):
            return isinstance(outer, _SIMPLE)
        if isinstance(outer, ast.Lambda | ast.IfExp | ast.BoolOp | ast.comprehension | ast.Compare | ast.NamedExpr):
            return False
        if isinstance(outer, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp | ast.Await | ast.Yield):
            return False
    return False


def _between(module: Module, first: ast.Call, last: ast.Call) -> tuple[ast.stmt, ...]:
    """The statements of one block from that of `first` to that of `last`; empty where they are in two."""
    one, other = module.statement(first), module.statement(last)
    around = module.parent(one)
    for field in ("body", "orelse", "finalbody"):
        block = getattr(around, field, None)
        if isinstance(block, list) and one in block and other in block:
            return tuple(block[block.index(one) : block.index(other) + 1])
    return ()


def _binds_arguments(module: Module, call: ast.Call, block: tuple[ast.stmt, ...]) -> bool:
    """Whether a statement before the last one binds what is passed: the arguments are spelled alike, and differ."""
    given = {node.id for part in (*call.args, *call.keywords) for node in ast.walk(part) if isinstance(node, ast.Name)}
    between = (node for statement in block[:-1] for node in ast.walk(statement))
    return any(
        isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) and node.id in given for node in between
    )


def _position(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset
