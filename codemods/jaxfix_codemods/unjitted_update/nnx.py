"""Steps of `flax.nnx`, which change their model and their optimizer in place: what a person would put above them."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from jaxfix.api import Code, Declined, Module, Reason, Staging, returned, walk
from jaxfix.api.analysis import Demands, Values, argument_values, demands_of_statements, parameters_of
from jaxfix.api.library import Transform, where
from jaxfix_codemods.jitting import whole
from jaxfix_codemods.jitting.whole import Whole, leaves
from jaxfix_codemods.unjitted_update.extracting import Extraction
from jaxfix_codemods.unjitted_update.inline import in_place
from jaxfix_codemods.unjitted_update.rows import block_of
from jaxfix_codemods.unjitted_update.work import Way, ways_to

_GRADIENTS = frozenset(name for name in where(Transform.DIFFERENTIATES) if name.startswith("flax.nnx."))


def nnx_ways(module: Module) -> Iterator[Way]:
    """Every way from a loop that runs eagerly to a gradient of `flax.nnx`."""
    for made in module.calls(*_GRADIENTS):
        for call in _calls_of(module, made):
            if not module.get(Staging).is_only_traced(call):
                yield from ways_to(module, call)


def _calls_of(module: Module, made: ast.Call) -> Iterator[ast.Call]:
    """The calls of the gradient that `made` makes: at once, or by the name that is bound to it."""
    match module.parent(made):
        case ast.Call(func=func) as call if func is made:
            yield call
        case ast.Assign(targets=[ast.Name() as name]):
            for use in module.reads(name.id, module.scope_of(name.id, name) or module.tree):
                around = module.parent(use)
                if isinstance(around, ast.Call) and around.func is use:
                    yield around


def judge(module: Module, values: Values, function: ast.FunctionDef) -> Whole:
    """How to put a step under `nnx.jit`.

    Raises:
      Declined: it does more than compute and change the objects that it is passed.
    """
    objects = _objects(module, function.body)
    parameters = {each.arg for each in parameters_of(function.args)}
    if not objects <= parameters:
        shown = min(objects - parameters)
        raise Declined(Reason(Code.CAPTURED_DATA, f"it changes `{shown}`, which is not an argument: `nnx.jit` refuses"))
    for result in returned(function):
        names = {leaf.id for leaf in leaves(result) if isinstance(leaf, ast.Name)} & objects
        if names:
            raise Declined(Reason(Code.ESCAPES, f"it returns `{min(names)}`, which would be another object"))
    found = _asked(module, function.body)
    called = {name: node for name, node in found.called.items() if name not in objects}
    methods = {name: text for name, text in found.methods.items() if name not in objects}
    return whole.judge(module, values, function, replace(found, called=called, methods=methods))


def judge_statements(module: Module, values: Values, loop: ast.stmt, work: ast.Call) -> Extraction:
    """How to put the gradient `work`, and the updates right after it, into a function under `nnx.jit`.

    Raises:
      Declined: they cannot be a function of their own.
    """
    first = module.statement(work)
    block = block_of(module, first)
    after = block[block.index(first) + 1 :]
    updates = list(takewhile(lambda each: _changed_by(each) is not None, after))
    if not updates:
        raise Declined(Reason(Code.LAYOUT, "no update follows the gradient"))
    row = [first, *updates]
    reason = _asked(module, row).reason
    if reason is not None:
        raise Declined(reason)
    return in_place(module, values, loop, row, _objects(module, row))


def _objects(module: Module, statements: Sequence[ast.stmt]) -> frozenset[str]:
    """The models and optimizers that statements change, as they have them."""
    found = {name for each in statements if (name := _changed_by(each)) is not None}
    inside = {node for each in statements for node in walk(each)}
    for made in module.calls(*_GRADIENTS):
        calls = [call for call in _calls_of(module, made) if call in inside and call.args]
        found |= {module.text(call.args[0]) for call in calls if isinstance(call.args[0], ast.Name | ast.Attribute)}
    return frozenset(found)


def _asked(module: Module, statements: Sequence[ast.stmt]) -> Demands:
    """What statements ask of their surroundings, besides changing objects of `nnx`."""
    parts: list[ast.stmt | ast.expr] = []
    for each in statements:
        call = each.value if isinstance(each, ast.Expr) and _changed_by(each) is not None else None
        parts += argument_values(call) if isinstance(call, ast.Call) else [each]
    found = demands_of_statements(module, parts)
    effect = next((reason for part in parts for reason in _effects(module, part)), None)
    return replace(found, reason=found.reason or effect)


def _changed_by(statement: ast.stmt) -> str | None:
    """The object that a statement tells to take up what a step has computed: `optimizer.update(model, gradients)`."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="update"))):
            return name
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Attribute() as owner, attr="update"))):
            return ast.unparse(owner)
    return None


def _effects(module: Module, part: ast.AST) -> Iterator[Reason]:
    """What a statement does besides computing, and binding variables."""
    for node in walk(part):
        if isinstance(node, ast.Yield | ast.YieldFrom | ast.Await):
            yield Reason(Code.COROUTINE, "it is a generator or a coroutine")
        elif isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant):
            yield Reason(
                Code.SIDE_EFFECT, f"it calls `{module.text(node.value)}` for its side effect, at trace time only"
            )
        elif isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
            yield Reason(Code.SIDE_EFFECT, f"it changes `{module.text(node)}`")
