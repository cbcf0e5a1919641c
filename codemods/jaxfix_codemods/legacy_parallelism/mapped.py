"""A use of `jax.pmap`: how it is called, and why a person has to rewrite it."""

import ast
import re
from collections.abc import Iterable, Mapping

from jaxfix.api import FUNCTIONS, Code, Declined, Module, Reason, Staging, frozen
from jaxfix.api.analysis import ASKS_PROCESS

PMAP = "jax.pmap"
_PARTIAL = "functools.partial"
_HOSTS = re.compile(r"\b(?:process_(?:index|count|id)|host_(?:id|count)s?|multihost\w*|distributed\.initialize)\b")
_BOUND = (ast.Assign, ast.AnnAssign, ast.Return)
_OLDEST = (0, 4, 30)
_CARRIED = frozenset({"axis_name", "in_axes", "out_axes", "devices", "donate_argnums"})


@frozen
class Mapped:
    """One use of `jax.pmap`.

    Attributes:
      at: what names it.
      whole: what is replaced: its call, or the decorator that it is or is in.
      function: the expression that is mapped; None for a decorated function.
      decorated: the function below the decorator; None for a call.
      options: the arguments beside the function, by their names; None where they cannot be read.
    """

    at: ast.Name | ast.Attribute
    whole: ast.expr
    function: ast.expr | None
    decorated: ast.FunctionDef | ast.AsyncFunctionDef | None
    options: Mapping[str, ast.expr] | None

    def option(self, name: str) -> ast.expr | None:
        """The value of an option; None where it is not given, or None itself."""
        found = (self.options or {}).get(name)
        return None if found is None or _is_none(found) else found

    @property
    def is_all_first(self) -> bool:
        """Whether every argument is mapped over its first axis."""
        axes = self.option("in_axes")
        return axes is None or _is_first(axes)

    @property
    def axes(self) -> tuple[bool, ...]:
        """Of each argument, whether it is mapped over its first axis."""
        axes = self.option("in_axes")
        return tuple(_is_first(each) for each in axes.elts) if isinstance(axes, ast.Tuple | ast.List) else ()

    @property
    def keeps_results(self) -> bool:
        """Whether the results are those of one device, without a leading axis."""
        out = (self.options or {}).get("out_axes")
        return out is not None and _is_none(out)


def _is_first(axis: ast.expr) -> bool:
    return isinstance(axis, ast.Constant) and type(axis.value) is int and axis.value == 0


def _is_none(axis: ast.expr) -> bool:
    return isinstance(axis, ast.Constant) and axis.value is None


def mapped(module: Module, at: ast.Name | ast.Attribute) -> Mapped:
    """What the use comes to; one that is not a call and no decorator has neither function."""
    parent = module.parent(at)
    if isinstance(parent, ast.FunctionDef | ast.AsyncFunctionDef) and at in parent.decorator_list:
        return Mapped(at, at, None, parent, {})
    match parent:
        case ast.Call(func=func, args=[function, *rest]) if func is at:
            return Mapped(at, parent, function, None, _options(rest, parent.keywords))
        case ast.Call(args=[first, *rest]) if first is at and module.qualname(parent.func) == _PARTIAL:
            outer = module.parent(parent)
            if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef) and parent in outer.decorator_list:
                return Mapped(at, parent, None, outer, None if rest else _options([], parent.keywords))
    return Mapped(at, at, None, None, {})


def _options(rest: list[ast.expr], keywords: list[ast.keyword]) -> Mapping[str, ast.expr] | None:
    """The options by name; None where a star hides them."""
    if len(rest) > 1 or any(isinstance(each, ast.Starred) for each in rest) or any(k.arg is None for k in keywords):
        return None
    return {**dict(zip(("axis_name",), rest, strict=False)), **{k.arg: k.value for k in keywords if k.arg is not None}}


def is_of_many_hosts(module: Module) -> bool:
    """Whether a file of the project asks which process it is: what each host passes is then its own part."""
    is_here = _HOSTS.search(module.source.text.decode(errors="replace")) is not None
    return is_here or module.surroundings.project.ask(ASKS_PROCESS, "")


def check(module: Module, each: Mapped) -> None:
    """Holds what can be rewritten.

    Raises:
      Declined: a person has to do it.
    """
    if each.function is None and each.decorated is None:
        raise Declined(Reason(Code.OTHER_USES, "it is passed on, and its replacement is not a function"))
    if each.options is None:
        raise Declined(Reason(Code.STAR_ARGUMENTS, "`*` or `**` hides its arguments"))
    if not module.has_exact_spans(each.whole):
        raise Declined(Reason(Code.FORMAT_STRING, "it is inside an f-string"))
    if is_of_many_hosts(module):
        text = "it may run on many hosts, each of which passes its part: "
        text += "`jax.make_array_from_process_local_data` makes what `jax.shard_map` takes of them"
        raise Declined(Reason(Code.BY_HAND, text))
    if module.surroundings.may_be_before(_OLDEST):
        text = "the project says that it runs with a jax before 0.4.30, whose `jit` refuses what its `pmap` returned"
        raise Declined(Reason(Code.OLDER_VERSION, text))
    _check_options(each)
    _check_place(module, each)
    _check_inside(module, each)
    _check_again(module, each)
    _check_calls(module, each)


def _check_options(each: Mapped) -> None:
    options = each.options or {}
    if "static_broadcasted_argnums" in options:
        text = "a static argument has no place in a mesh: bind it with `functools.partial`"
        raise Declined(Reason(Code.STATIC_ARGUMENT, text))
    other = next((name for name in options if name not in _CARRIED), None)
    if other is not None:
        raise Declined(Reason(Code.BY_HAND, f"`jax.shard_map` has no `{other}`: make the mesh of the devices it names"))
    if not each.is_all_first and not (each.axes and _are_plain(each.option("in_axes"))):
        raise Declined(Reason(Code.STRUCTURE, "`in_axes` names another axis than the first, or parts of an argument"))
    out = each.option("out_axes")
    if out is not None and not _is_first(out):
        raise Declined(Reason(Code.STRUCTURE, "`out_axes` names another axis than the first, or parts of a result"))


def _are_plain(axes: ast.expr | None) -> bool:
    return isinstance(axes, ast.Tuple | ast.List) and all(_is_first(a) or _is_none(a) for a in axes.elts)


def _check_place(module: Module, each: Mapped) -> None:
    if module.get(Staging).is_staged(each.whole):
        raise Declined(Reason(Code.BY_HAND, "it is called in traced code: map over an axis of the mesh around it"))
    is_bound = isinstance(module.parent(each.whole), _BOUND)
    if each.decorated is None and not is_bound and _call_at_once(module, each) is None:
        raise Declined(Reason(Code.OTHER_USES, "what it returns is passed on, to code that may map or derive it again"))
    if each.decorated is not None and len(each.decorated.decorator_list) > 1:
        raise Declined(Reason(Code.DECORATED, "the function has another decorator"))
    if each.decorated is not None and module.method_of(each.decorated) is not None:
        raise Declined(Reason(Code.DECORATED, "it decorates a method, whose object would be mapped as well"))


def _check_inside(module: Module, each: Mapped) -> None:
    """That nothing is mapped within what is mapped, as far as the file shows it."""
    every = [mapped(module, place) for place in module.references(PMAP)]
    if any(_is_inside(module, one, other) for one in every for other in every if each in (one, other)):
        raise Declined(Reason(Code.BY_HAND, "a `pmap` in a `pmap`: a mesh of two axes takes the place of both"))


def _check_again(module: Module, each: Mapped) -> None:
    """That the function is mapped once, and not at each call: `jax.pmap` compiles it once anyway."""
    is_repeated = module.function(each.whole) is not None or bool(module.loops(each.whole))
    if is_repeated and not isinstance(each.function, ast.Lambda) and _call_at_once(module, each) is not None:
        text = "`jax.pmap` keeps what it compiled for this function, and a new `jit` compiles at each call: map it once"
        raise Declined(Reason(Code.RECOMPILES, text))


def _is_inside(module: Module, inner: Mapped, outer: Mapped) -> bool:
    """Whether one is what the other maps, in a function that goes by the name of that, or in that very lambda."""
    if inner is not outer and outer.function is not None and _is_named(module, inner, outer.function):
        return True
    around = [node for node in module.ancestors(inner.whole) if isinstance(node, FUNCTIONS)]
    around = [node for node in around if node is not inner.decorated]
    match outer.decorated or outer.function:
        case ast.FunctionDef(name=name) | ast.Name(id=name) | ast.Attribute(attr=name):
            return any(not isinstance(node, ast.Lambda) and node.name == name for node in around)
        case function:
            return function in around


def _is_named(module: Module, inner: Mapped, function: ast.expr) -> bool:
    """Whether the expression names what `inner` returns, or decorates."""
    if inner.decorated is not None:
        return module.names.definition(function) is inner.decorated
    return module.names.only_value(function) is inner.whole


def caller(module: Module, each: Mapped) -> ast.Call | None:
    """A call of what it returns; None where not all of them are in functions, and it is outside of them."""
    calls = [*_calls(module, each)]
    is_inside = module.function(each.whole) is None and all(module.function(call) for call in calls)
    return calls[0] if calls and is_inside else None


def _check_calls(module: Module, each: Mapped) -> None:
    for call in _calls(module, each):
        if any(keyword.arg is not None for keyword in call.keywords):
            text = f"`{module.text(call.func)}` is called with keywords in line {call.lineno}"
            raise Declined(Reason(Code.SIGNATURE, f"{text}, which `jax.shard_map` does not take"))


def _call_at_once(module: Module, each: Mapped) -> ast.Call | None:
    """The call of what it returns, where that is called without a name."""
    parent = module.parent(each.whole)
    return parent if isinstance(parent, ast.Call) and parent.func is each.whole else None


def _calls(module: Module, each: Mapped) -> Iterable[ast.Call]:
    """The calls of what it returns, as far as the file shows them."""
    at_once = _call_at_once(module, each)
    if at_once is not None:
        yield at_once
    targets: list[ast.expr] = []
    match module.parent(each.whole):
        case ast.Assign(targets=targets):
            pass
        case ast.AnnAssign(target=target):
            targets = [target]
    names = [target.id for target in targets if isinstance(target, ast.Name)]
    names += [each.decorated.name] if each.decorated is not None else []
    lasts = [target.attr for target in targets if isinstance(target, ast.Attribute)]
    for call in module.nodes(ast.Call):
        match call.func:
            case ast.Name(id=name) if name in names:
                yield call
            case ast.Attribute(attr=last) if last in lasts:
                yield call
