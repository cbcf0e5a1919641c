"""What a step does with the rows of a batch: padding may stand among them where each row is computed by itself."""

import ast
from collections.abc import Iterable, Iterator
from enum import IntEnum

from jaxfix.api import FUNCTIONS, Code, Declined, Function, Module, Reason, arguments_of, returned, walk
from jaxfix.api.library import Result, Takes, Transform, short_names, where

_PASSES = 4
"""Over a step, which suffice for values that go through three functions or variables against the order of the text."""
_BY_ROW = frozenset(
    name
    for line in (
        "abs absolute add arctan array asarray astype bfloat16 ceil celu clip convert_element_type copy cos cosh",
        "deg2rad divide elu equal erf exp expand_dims expm1 finfo float16 float32 floor gelu glu greater",
        "greater_equal hard_sigmoid hard_swish hard_tanh huber_loss hypot int32 isfinite isinf isnan l2_loss",
        "leaky_relu less less_equal log log10 log1p log2 log_cosh log_sigmoid logaddexp logical_and logical_not",
        "logical_or maximum minimum mish mod multiply nan_to_num negative not_equal one_hot ones_like power",
        "reciprocal relu relu6 rint round rsqrt selu sigmoid sigmoid_binary_cross_entropy sign silu sin sinh",
        "soft_sign softmax_cross_entropy softmax_cross_entropy_with_integer_labels softplus sparse_plus sqrt square",
        "squared_error squareplus standard_normal_logpdf stop_gradient subtract swish tan tanh true_divide where",
        "zeros_like",
    )
    for name in line.split()
)
"""Functions that compute each row by itself, whatever the rank."""
_LAST_AXIS = frozenset({"softmax", "log_softmax", "normalize", "standardize", "glu"})
"""Along the last axis, if no other one is named."""
_OVER_AN_AXIS = short_names(Takes.AXIS)
_OTHER_AXES = ("-1", "1", "(1, 2)", "(1, 2, 3)", "(-2, -1)")
_FILLED = where(Result.FILLED)
_GRADIENTS = where(Transform.GRADIENT)
_COUNTING = "jax.lax.fori_loop"
_CHECKPOINTING = where(Transform.TRACES) & where(Transform.SAME_RESULT)
_ABOUT_TYPES = frozenset({"dtype", "ndim", "weak_type"})


class Rows(IntEnum):
    """What an expression has of the rows of a batch."""

    NONE = 0
    """Nothing: it is the same whatever the padding is."""
    EACH = 1
    """A row for each, along the first axis."""
    MAYBE = 2
    """One or the other."""


class Means:
    """The means over rows of a batch that a step takes, itself or by functions of its file.

    Args:
      given: the parameters of the step that take rows.
      masked: the means over a whole array that can be passed a mask.

    Raises:
      Declined: a row may meet another one.
    """

    def __init__(self, module: Module, step: Function, given: Iterable[str], masked: Iterable[ast.Call]) -> None:
        self.module, self.masked = module, frozenset(masked)
        self.names: dict[Function, dict[str, Rows]] = {step: dict.fromkeys(given, Rows.EACH)}
        self.results: dict[Function, Rows] = {}
        self._calls: dict[Function, dict[ast.Call, dict[str, Rows]]] = {}
        self.over_rows: set[ast.Call] = set()
        for is_last in (*[False] * _PASSES, True):
            for function in list(self.names):
                _Reader(self, function, is_last=is_last).read()
        self._check_others()
        if self.results.get(step, Rows.NONE) is not Rows.NONE:
            raise Declined(Reason(Code.OTHER_USES, "the step returns what may have a row for each of the batch"))

    def _check_others(self) -> None:
        """Functions inside that something else calls must not read rows of the batch."""
        for function, names in self.names.items():
            inside = (each for each in ast.walk(function) if isinstance(each, FUNCTIONS) and each not in self.names)
            for node in (each for inner in inside for each in walk(inner)):
                if isinstance(node, ast.Name) and names.get(node.id, Rows.NONE) is not Rows.NONE:
                    raise _mixes(node, f"reads `{node.id}` in a function that is passed on,")

    def called(self, function: Function, call: ast.Call, values: dict[str, Rows]) -> Rows:
        """What a call of a function of the file gives, whose parameters it gives `values`."""
        calls = self._calls.setdefault(function, {})
        calls[call] = values
        around = self.module.function(function)
        names = self.names.setdefault(function, {})
        for name, kind in self.names.get(around, {}).items() if around is not None else ():
            names.setdefault(name, kind)  # it reads variables of the function around
        for name in values:
            kinds = {each.get(name, Rows.NONE) for each in calls.values()}
            names[name] = kinds.pop() if len(kinds) == 1 else Rows.MAYBE
        return self.results.get(function, Rows.NONE)


class _Reader:
    """Reads one function: what its variables have of the rows."""

    def __init__(self, means: Means, function: Function, *, is_last: bool) -> None:
        self._means, self._module, self._function, self._is_last = means, means.module, function, is_last
        self._names = means.names[function]

    def read(self) -> None:
        for node in _own(self._function):
            match node:
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        self._bind(target, value)
                case ast.AnnAssign(target=target, value=ast.expr() as value):
                    self._bind(target, value)
                case ast.AugAssign(target=target, value=value) | ast.NamedExpr(target=target, value=value):
                    self._bind(target, value)
                case ast.Expr(value=test) | ast.If(test=test) | ast.While(test=test) | ast.Assert(test=test):
                    self._tried(test)
                case ast.For(iter=each) | ast.comprehension(iter=each) if self._tried(each) and self._is_last:
                    raise _mixes(each, "takes the rows one by one")
        self._means.results[self._function] = max(map(self._tried, returned(self._function)), default=Rows.NONE)

    def _tried(self, value: ast.expr) -> Rows:
        try:
            return self.kind(value)
        except Declined:
            if self._is_last:
                raise
            return Rows.MAYBE

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        kind = self._tried(value)
        match target, value:
            case ast.Tuple(elts=[first, second]), ast.Call(func=ast.Call() as made) if self._has_more(made):
                with_value = self._module.qualname(made.func) in where(Transform.WITH_VALUE)
                more, slopes = (first, second) if with_value else (second, first)
                self._to(slopes, Rows.NONE)
                self._to(more, kind)
            case _:
                self._to(target, kind)

    def _to(self, target: ast.expr, kind: Rows) -> None:
        for each in ast.walk(target):
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                self._names[each.id] = max(self._names.get(each.id, Rows.NONE), kind)

    def kind(self, node: ast.expr) -> Rows:
        """What `node` has of the rows.

        Raises:
          Declined: it may mix them.
        """
        match node:
            case ast.Name(id=name):
                return self._names.get(name, Rows.NONE)
            case ast.Attribute(value=value, attr=name):
                return self._attribute(node, self.kind(value), name)
            case ast.Subscript(value=ast.Attribute(value=of, attr="shape"), slice=ast.Constant(value=axis)) if axis:
                self.kind(of)
                return Rows.NONE  # along another axis than that of the rows
            case ast.Subscript(value=value, slice=index):
                return self._element(node, self.kind(value), index)
            case ast.BinOp(left=left, op=ast.MatMult(), right=right):
                return self._product(node, self.kind(left), self.kind(right))
            case ast.Call():
                return self._call(node)
            case ast.Lambda():
                return Rows.NONE  # what calls it decides
        inner = (each for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr))
        return max(map(self.kind, inner), default=Rows.NONE)

    def _attribute(self, node: ast.expr, of: Rows, name: str) -> Rows:
        if name in _ABOUT_TYPES:
            return Rows.NONE
        if of is not Rows.NONE:
            raise _mixes(node, f"takes `{name}` of the rows")
        return of

    def _element(self, node: ast.expr, of: Rows, index: ast.expr) -> Rows:
        if of is Rows.NONE:
            return self.kind(index)  # a row of a table for each
        first = index.elts[0] if isinstance(index, ast.Tuple) else index
        match first:
            case ast.Constant(value=str()) | ast.Slice(lower=None, upper=None, step=None):
                return of
            case ast.Constant(value=value) if value is ...:
                return of
        raise _mixes(node, "picks rows")

    def _product(self, node: ast.expr, left: Rows, right: Rows) -> Rows:
        if right is not Rows.NONE:
            raise _mixes(node, "sums over rows in a product")
        return left

    def _call(self, call: ast.Call) -> Rows:
        if call in self._means.masked:
            return self._mean(call)
        function = self._callee(call.func)
        if function is not None:
            return self._own(call, function)
        name = self._module.qualname(call.func) or ""
        if name in _FILLED and self._is_for_rows(call):
            return Rows.EACH
        if name == _COUNTING and len(call.args) == 4:
            return self._looped(call)
        kinds = [self.kind(each) for each in (*call.args, *(keyword.value for keyword in call.keywords))]
        if isinstance(call.func, ast.Attribute) and not name:
            kinds.append(self.kind(call.func.value))
        whole = max(kinds, default=Rows.NONE)
        if whole is Rows.NONE or (self._is_by_row(call, name) and not self._stacks(call)):
            return whole
        if name.endswith((".dot", ".matmul")) and len(kinds) == len(call.args) == 2:
            return self._product(call, *kinds)
        raise _mixes(call, f"calls `{' '.join(ast.unparse(call.func).split())}`, which may mix rows,")

    def _looped(self, call: ast.Call) -> Rows:
        """What a loop that counts gives: its carry, which has the rows that it begins with."""
        *bounds, body, start = call.args
        while isinstance(body, ast.Call) and self._module.qualname(body.func) in _CHECKPOINTING and body.args:
            body = body.args[0]
        function = self._callee(body) if isinstance(body, ast.Name | ast.Lambda) else None
        if function is None or any(map(self.kind, bounds)):
            raise _mixes(call, "runs a loop that cannot be followed,")
        names = [each.arg for each in function.args.args]
        carried = self.kind(start)
        if len(names) != 2 or self._means.called(function, call, {names[0]: Rows.NONE, names[1]: carried}) > carried:
            raise _mixes(call, "runs a loop whose carry gets rows,")
        return carried

    def _is_for_rows(self, call: ast.Call) -> bool:
        """Whether it makes an array of one value, with a row for each of the batch."""
        match call.args:
            case [
                ast.Tuple(
                    elts=[ast.Subscript(value=ast.Attribute(attr="shape"), slice=ast.Constant(value=0)) as rows, *more]
                ),
                *rest,
            ]:
                of = rows.value
                return (
                    isinstance(of, ast.Attribute)
                    and self.kind(of.value) is Rows.EACH
                    and all(self.kind(each) is Rows.NONE for each in (*more, *rest))
                )
        return False

    def _stacks(self, call: ast.Call) -> bool:
        """Whether it is given a display of arrays, which it puts along a new first axis."""
        displays = (each for each in call.args if isinstance(each, ast.List | ast.Tuple))
        return any(self.kind(each) is not Rows.NONE for each in displays)

    def _is_by_row(self, call: ast.Call, name: str) -> bool:
        is_builtin = isinstance(call.func, ast.Name) and self._module.scope_of(call.func.id, call) is None
        short = (name or (ast.unparse(call.func) if is_builtin else "." + getattr(call.func, "attr", ""))).rpartition(
            "."
        )[2]
        axis = next((ast.unparse(keyword.value) for keyword in call.keywords if keyword.arg == "axis"), None)
        if short in _BY_ROW or (short in _LAST_AXIS and axis in (None, *_OTHER_AXES)):
            return True
        return (short in _OVER_AN_AXIS and axis in _OTHER_AXES) or self._is_model(call.func)

    def _is_model(self, func: ast.expr) -> bool:
        """Whether it is a function that the step is passed, or is mapped: what it computes of a row is that row's."""
        match func:
            case ast.Attribute(value=ast.Name(), attr="apply" | "apply_fn"):
                return self.kind(func.value) is Rows.NONE
            case ast.Call(func=made):
                return self._module.qualname(made) == "jax.vmap"
            case ast.Name(id=name):
                parameters = {each.arg for each in ast.walk(self._function.args) if isinstance(each, ast.arg)}
                return name in parameters and self.kind(func) is Rows.NONE
        return False

    def _mean(self, call: ast.Call) -> Rows:
        of = call.args[0] if call.args else call.func.value if isinstance(call.func, ast.Attribute) else call.func
        kind = self.kind(of)
        if kind is Rows.MAYBE:
            raise _mixes(call, "takes a mean of what may have no rows")
        if kind is Rows.EACH and self._is_last:
            self._means.over_rows.add(call)
        return Rows.NONE

    def _callee(self, func: ast.expr) -> Function | None:
        """The function of the file that a call runs, itself or by its gradient."""
        if isinstance(func, ast.Call) and self._module.qualname(func.func) in _GRADIENTS and func.args:
            func = func.args[0]
        if isinstance(func, ast.Lambda):
            return func
        found = self._module.definition(func) if isinstance(func, ast.Name) else None
        return found if isinstance(found, FUNCTIONS) else None

    def _own(self, call: ast.Call, function: Function) -> Rows:
        passed = arguments_of(function, call)
        if passed is None:
            raise _mixes(call, "passes arguments that cannot be followed,")
        kinds = {name: Rows.NONE if value is None else self.kind(value) for name, value in passed.items()}
        result = self._means.called(function, call, kinds)
        if not isinstance(call.func, ast.Call):
            return result
        return Rows.MAYBE if self._has_more(call.func) and result is not Rows.NONE else Rows.NONE

    def _has_more(self, made: ast.Call) -> bool:
        """Whether a gradient comes with more than a value."""
        is_gradient = self._module.qualname(made.func) in _GRADIENTS
        return is_gradient and any(keyword.arg == "has_aux" for keyword in made.keywords)


def _own(function: Function) -> Iterator[ast.AST]:
    """The nodes of the block of a function, without those of functions inside."""
    pending: list[ast.AST] = [function.body] if isinstance(function, ast.Lambda) else list(function.body)
    while pending:
        node = pending.pop(0)
        yield node
        pending = [*(each for each in ast.iter_child_nodes(node) if not isinstance(each, FUNCTIONS)), *pending]


def _mixes(node: ast.expr, does: str) -> Declined:
    return Declined(Reason(Code.OTHER_USES, f"line {node.lineno} {does} and would see the padding", node.lineno))
