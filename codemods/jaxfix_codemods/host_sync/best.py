"""The best so far, kept by `min` or `max` of Python: each asks the device which of the two is less, and waits."""

import ast
from collections.abc import Iterator

from jaxfix.api import Code, Declined, Identifiers, Module, Reason, Rewriter, frozen, walk
from jaxfix_codemods.host_sync.loops import check_loop, check_waits
from jaxfix_codemods.host_sync.reads import is_in_each, is_of_step

_LESS = {"min": "<", "max": ">"}


@frozen
class Best:
    """`best = min(best, value)` in a loop.

    Attributes:
      first: what is kept unless the other one, `second`, is less, or more for `max`.
      value: the one of them that a step of the iteration has made.
    """

    loop: ast.For
    call: ast.Call
    kept: ast.Name
    first: ast.expr
    second: ast.expr
    value: ast.expr
    sign: str


def bests(module: Module) -> Iterator[Best]:
    """The statements of loops that compare what a step of the same iteration has made with the best so far."""
    for call in module.spelled_calls(frozenset(_LESS)):
        match module.parent(call), call:
            case (
                ast.Assign(targets=[ast.Name() as kept], value=value),
                ast.Call(func=ast.Name(id=name) as func, args=[first, second], keywords=[]),
            ) if value is call and module.scope_of(name, func) is None:
                others = [each for each in (first, second) if not _is(each, kept)]
                loop = next(iter(module.loops(call)), None)
                if len(others) != 1 or not isinstance(loop, ast.For) or not is_in_each(module, call, loop):
                    continue
                if is_of_step(module, others[0], loop):
                    yield Best(loop, call, kept, first, second, others[0], _LESS[name])


def judge(module: Module, best: Best) -> None:
    """Refuses a loop that waits for the step, or asks for the best, in each iteration anyway.

    Raises:
      Declined: it does.
    """
    check_loop(module, best.loop)
    check_waits(module, best.loop, ())
    statement = module.statement(best.call)
    if not module.has_exact_spans(statement):
        raise Declined(Reason(Code.FORMAT_STRING, "it is inside an f-string"))
    for node in walk(best.loop):
        if not isinstance(node, ast.Name) or node.id != best.kept.id or not isinstance(node.ctx, ast.Load):
            continue
        if node not in walk(statement) and is_in_each(module, node, best.loop):
            text = f"line {node.lineno} reads `{best.kept.id}` in each iteration"
            raise Declined(Reason(Code.NEEDS_VALUE, text, node.lineno))


def write(module: Module, best: Best, edit: Rewriter) -> None:
    """The same choice on the device; what is no number is kept as Python does it."""
    value = module.text(best.value)
    if not isinstance(best.value, ast.Name):
        name = module.get(Identifiers).unused("value")
        edit.insert_before(module.statement(best.call), f"{name} = {value}")
        value = name
    texts = [best.kept.id if _is(each, best.kept) else value for each in (best.first, best.second)]
    chooses = edit.member("jax.numpy.where", prefer="jnp", at=best.call)
    edit.replace(best.call, f"{chooses}({texts[1]} {best.sign} {texts[0]}, {texts[1]}, {texts[0]})")


def _is(expr: ast.expr, name: ast.Name) -> bool:
    return isinstance(expr, ast.Name) and expr.id == name.id
