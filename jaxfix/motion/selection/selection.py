"""Which calls of `lax.cond` do no more than choose between values, and what `jnp.where` would choose from."""

import ast
from collections.abc import Iterator

from jaxfix.dataflow.substitution import substitute
from jaxfix.dataflow.types import Values
from jaxfix.library.facets import Transform
from jaxfix.library.table import where
from jaxfix.motion.selection.choice import Choice, SelectedValue, choice, one_line
from jaxfix.motion.selection.elementwise import Elementwise, Reader
from jaxfix.report.abstract_value import Form, Kind
from jaxfix.report.reason import Code, Declined, Reason
from jaxfix.semantic.module import Module
from jaxfix.source.frozen import frozen
from jaxfix.staging.jit import transform_of
from jaxfix.syntax.nodes import walk

FAR = frozenset({Code.NOT_ELEMENTWISE, Code.FORMAT_STRING, Code.SIDE_EFFECT})
"""Codes of what `jnp.where` does not suit: no finding, rather than one without a fix."""
_MAPS = where(Transform.BATCHES) | where(Transform.PARALLEL)


@frozen
class Leaf:
    """Two values of which one is chosen."""

    yes: SelectedValue
    no: SelectedValue


@frozen
class Tree:
    """A tuple, list, dictionary or named tuple: `like` is one that either branch writes, `parts` what it holds."""

    like: ast.expr
    parts: "tuple[Leaf | Tree | None, ...]"


@frozen
class Selection:
    """What `jnp.where` would choose.

    Attributes:
      result: the two values, or the pytree of such pairs; None in it stands for `None`.
      named: the predicate and the operands that need a name of their own, lest they be computed twice.
      reader: says what the parts of a value mean in the caller, and which of them have to be made arrays.
    """

    choice: Choice
    result: Leaf | Tree
    named: tuple[ast.expr, ...]
    reader: Reader


def select(module: Module, call: ast.Call) -> Selection:
    """What `jnp.where` would choose from in place of `call`, a call of `lax.cond`, with the same results and gradients.

    Raises:
      Declined: it could not; with a code of `FAR` where it is not a choice between values at all.
    """
    if not module.has_exact_spans(call):
        raise Declined(Reason(Code.FORMAT_STRING, "the call is inside an f-string"))
    parts = choice(module, call)
    if b"debug_nans" in module.source.text:
        raise Declined(
            Reason(Code.GRADIENT, "this file looks for NaNs, and the branch that is not chosen may have some")
        )
    reader = Reader(module, module.get(Values))
    result = _Pairing(module, reader).pair(parts.yes.value, parts.no.value)
    if result is None:
        raise Declined(Reason(Code.NOT_ELEMENTWISE, "it chooses between `None` and `None`"))
    return Selection(parts, result, _named(module, parts, result), reader)


def selectable(module: Module, call: ast.Call) -> bool:
    """Whether `call` is a `lax.cond` for which `jnp.where` can stand, as cheap and with the same results and gradients.

    Then that is the better cure than to trace the call again each time.
    """
    if module.qualname(call.func) != "jax.lax.cond" or is_mapped(module, call):
        return False
    try:
        select(module, call)
    except Declined:
        return False
    return True


def is_mapped(module: Module, call: ast.Call) -> bool:
    """Whether `vmap` is made of a function around `call`: a predicate with a batch makes it a `where` anyway."""
    around = module.functions_around(call)
    if not module.get(_mapped).isdisjoint(around):
        return True
    decorators = (d for f in around if isinstance(f, ast.FunctionDef) for d in f.decorator_list)
    return any(transform_of(module, decorator) in _MAPS for decorator in decorators)


def _mapped(module: Module) -> frozenset[ast.AST]:
    """The functions that some `vmap` is made of."""
    taken = [mapping.args[0] for mapping in module.calls(*_MAPS) if mapping.args]
    return frozenset((*taken, *(function for each in taken if (function := module.definition(each)) is not None)))


def leaves(result: Leaf | Tree | None) -> Iterator[Leaf]:
    """The pairs of values in a pytree of them.

    Returns:
      In the order of the tree; nothing for None.
    """
    match result:
        case Leaf():
            yield result
        case Tree(parts=parts):
            for part in parts:
                yield from leaves(part)


# --- the values -----------------------------------------------------------------------------------------------


class _Pairing:
    """Pairs what the branches return."""

    def __init__(self, module: Module, reader: Reader) -> None:
        self._module = module
        self._reader = reader

    def pair(self, yes: SelectedValue, no: SelectedValue) -> Leaf | Tree | None:
        yes, no = self._looked_through(yes), self._looked_through(no)
        match yes.expr, no.expr:
            case ast.Constant(value=None), ast.Constant(value=None):
                return None
            case (ast.Tuple(elts=a), ast.Tuple(elts=b)) | (ast.List(elts=a), ast.List(elts=b)):
                return self._pairs(yes, no, a, b)
            case ast.Dict(), ast.Dict():
                return self._pairs(yes, no, _entries(yes.expr), _entries(no.expr))
            case ast.Call(), ast.Call() if self._is_named_tuple(yes.expr) and self._is_named_tuple(no.expr):
                if self._module.text(yes.expr.func) == self._module.text(no.expr.func):
                    return self._pairs(yes, no, _arguments(yes.expr), _arguments(no.expr))
        self._check_alike(yes, no)
        return Leaf(yes, no)

    def _pairs(self, yes: SelectedValue, no: SelectedValue, first: list[ast.expr], second: list[ast.expr]) -> Tree:
        if _layout(yes.expr) != _layout(no.expr) or len(first) != len(second):
            raise Declined(Reason(Code.STRUCTURE, "its branches do not return the same structure"))
        pairs = zip(first, second, strict=True)
        parts = tuple(self.pair(SelectedValue(a, yes.names), SelectedValue(b, no.names)) for a, b in pairs)
        if not parts:
            raise Declined(Reason(Code.STRUCTURE, "it chooses between empty structures"))
        return Tree(yes.expr, parts)

    def _looked_through(self, value: SelectedValue) -> SelectedValue:
        """The tuple or dictionary of the caller that a parameter stands for, in its place."""
        found = substitute(value.expr, value.names) if isinstance(value.expr, _PLACES) else None
        return SelectedValue(found, {}) if isinstance(found, ast.Tuple | ast.List | ast.Dict) else value

    def _is_named_tuple(self, call: ast.Call) -> bool:
        if not isinstance(call.func, ast.Name):
            return False
        match self._module.bindings(call.func.id, self._module.scope_of(call.func.id, call)):
            case (binding,) if isinstance(binding.node, ast.ClassDef):
                own = {s.name for s in binding.node.body if isinstance(s, ast.FunctionDef)}
                bases = [self._module.qualname(base) for base in binding.node.bases]
                return bases == ["typing.NamedTuple"] and "__new__" not in own
        return False

    def _check_alike(self, yes: SelectedValue, no: SelectedValue) -> None:
        """What has to be so that the chosen value is the same, and the gradient of the other one is nothing."""
        one, other = self._read(yes), self._read(no)
        if one.is_condition != other.is_condition or not self._same_types(one, other):
            shown = " and ".join(f"`{one_line(self._module, value.expr)}`" for value in (yes, no))
            raise Declined(Reason(Code.DTYPE, f"nothing says that {shown} have the same shape and type"))
        if one.is_condition and not all(self._is_strong(text) for text in one.types | other.types):
            raise Declined(Reason(Code.DTYPE, "a comparison of weakly typed arrays has another type in `lax.cond`"))
        for text in sorted(one.types | other.types):
            if text not in one.arrays | other.arrays:
                raise Declined(Reason(Code.STRUCTURE, f"`{text}` may be a pytree"))
        for text in sorted((one.negated - other.slopes) | (other.negated - one.slopes)):
            if self._reader.value(text).kind not in (Kind.INT, Kind.BOOL):
                raise Declined(
                    Reason(Code.GRADIENT, f"the gradient of `{text}` would be -0.0 where the other branch is chosen")
                )

    def _read(self, value: SelectedValue) -> Elementwise:
        if value.applied_to is not None:
            return self._reader.applied(value.expr, value.applied_to)
        return self._reader.read(value.expr, value.names)

    def _same_types(self, one: Elementwise, other: Elementwise) -> bool:
        if one.is_number and other.is_number:
            return len(one.numbers | other.numbers) == 1 and Kind.UNKNOWN not in one.numbers
        if (one.types, one.shapes) == (other.types, other.shapes):
            return True
        every = [self._reader.value(text) for text in one.shapes | other.shapes | one.types | other.types]
        alike = len({value.kind for value in every} - {Kind.UNKNOWN}) == 1
        # `lax.cond` itself asks for equal dtypes; what it does not ask for is equal strength.
        return (
            alike
            and not one.is_number
            and not other.is_number
            and all(value.scalar and value.form is Form.STRONG and value.kind is not Kind.UNKNOWN for value in every)
        )

    def _is_strong(self, text: str) -> bool:
        return self._reader.value(text).form is Form.STRONG


_PLACES = (ast.Name, ast.Subscript)


def entry(key: ast.expr) -> str:
    """The text that is the key of an entry of a dictionary."""
    return str(key.value) if isinstance(key, ast.Constant) else ""


def _entries(node: ast.Dict) -> list[ast.expr]:
    """The values in the order of their keys, which is that of a dictionary that `lax.cond` returns."""
    pairs = [(entry(key), value) for key, value in zip(node.keys, node.values, strict=True) if key is not None]
    return [value for _, value in sorted(pairs, key=lambda pair: pair[0])]


def _arguments(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in sorted(call.keywords, key=lambda k: k.arg or ""))]


def _layout(node: ast.expr) -> object:
    """What two structures have in common if they are alike.

    Raises:
      Declined: it cannot be read.
    """
    match node:
        case ast.Tuple(elts=elts) | ast.List(elts=elts) if not any(isinstance(e, ast.Starred) for e in elts):
            return len(elts)
        case ast.Dict(keys=keys) if all(isinstance(k, ast.Constant) and isinstance(k.value, str) for k in keys):
            names = sorted(entry(key) for key in keys if key is not None)
            if len(set(names)) == len(names):
                return tuple(names)
        case ast.Call(args=args, keywords=keywords) if not any(isinstance(a, ast.Starred) for a in args):
            if all(k.arg is not None for k in keywords):
                return len(args), tuple(sorted(k.arg or "" for k in keywords))
    raise Declined(Reason(Code.NOT_ELEMENTWISE, "the structure of its result is unknown"))


# --- what is computed once ------------------------------------------------------------------------------------


def _named(module: Module, parts: Choice, result: Leaf | Tree) -> tuple[ast.expr, ...]:
    """The predicate and the operands that would be computed more than once, in the order of the text."""
    if any(isinstance(node, ast.NamedExpr | ast.Await | ast.Yield) for node in walk(parts.call)):
        raise Declined(Reason(Code.SIDE_EFFECT, "it binds a name"))
    pairs = tuple(leaves(result))
    uses = [taken for pair in pairs for value in (pair.yes, pair.no) for taken in _taken(value)]
    for operand in parts.operands:
        for part in operand.elts if isinstance(operand, ast.Tuple | ast.List) else (operand,):
            if part not in uses and any(isinstance(node, ast.Call) for node in walk(part)):
                raise Declined(Reason(Code.SIDE_EFFECT, f"`{one_line(module, part)}` is computed and not used"))
    named = [taken for taken in dict.fromkeys(uses) if uses.count(taken) > 1 and not _is_atom(taken)]
    if (named or len(pairs) > 1) and not _is_atom(parts.predicate):
        named.insert(0, parts.predicate)
    if named and not _is_whole_value(module, parts.call):
        raise Declined(Reason(Code.COST, f"`{one_line(module, named[0])}` would be computed more than once"))
    return tuple(sorted(named, key=lambda expr: (expr.lineno, expr.col_offset)))


def _taken(value: SelectedValue) -> Iterator[ast.expr]:
    """The expressions of the caller that stand in `value`, once for each time."""
    if value.applied_to is not None:
        yield from value.applied_to
    else:
        yield from (place.taken for place in value.places())


def _is_whole_value(module: Module, call: ast.Call) -> bool:
    """Whether a statement before the one of `call` could compute a part of it: nothing else is computed there."""
    match module.parent(call):
        case ast.Assign(value=value) | ast.AnnAssign(value=value) | ast.Return(value=value):
            return value is call
    return False


def _is_atom(expr: ast.expr) -> bool:
    while isinstance(expr, ast.Attribute):
        expr = expr.value
    return isinstance(expr, ast.Name | ast.Constant)
