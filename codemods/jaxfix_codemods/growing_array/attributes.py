"""An array in an attribute of the object whose method makes it longer."""

import ast
import builtins
from collections.abc import Iterator
from functools import partial

from jaxfix.api import Code, Confidence, Declined, Finding, Identifiers, Module, Reason, Rewriter, Staging, frozen, walk
from jaxfix.api.analysis import family, is_of_others, is_script, own_class, why_computed
from jaxfix_codemods.collecting import check_way
from jaxfix_codemods.growing_array.parts import (
    APPEND,
    TITLE,
    Operands,
    is_counted,
    is_made_there,
    is_of_library,
    is_written_out,
    operands,
    part_text,
)

_LOOPS = (ast.For, ast.While)
_LEAVING = (ast.Return, ast.Yield, ast.YieldFrom, ast.Await, ast.Raise)


@frozen
class _Held:
    """A statement `self.name = jnp.append(self.name, part)`."""

    statement: ast.Assign
    target: ast.Attribute
    old: ast.Attribute
    call: ast.Call
    joined: Operands
    owner: ast.ClassDef


def grown_attribute(module: Module, call: ast.Call) -> Iterator[Finding]:
    """What is found of `call`, if it makes an attribute of its own object longer, repeatedly."""
    held, staging = _held(module, call), module.get(Staging)
    if held is None or staging.is_only_traced(call) or staging.is_seldom(held.statement):
        return
    loop = next((each for each in module.loops(held.statement) if isinstance(each, _LOOPS)), None)
    is_sure = staging.surely_repeats(call)
    if loop is None and not is_sure:
        return
    name = module.text(held.target)
    found = partial(
        Finding,
        at=call,
        message=f"`{name}` grows in each {'call' if loop is None else 'iteration'}: "
        "each length compiles again, and all of it is copied",
        title=TITLE,
        confidence=Confidence.CERTAIN if staging.is_eager(call) and is_sure else Confidence.POSSIBLE,
    )
    if loop is None:
        text = f"between two calls `{name}` can be read: collect the parts in a list, and join them where it is read"
        yield found(declined=Reason(Code.LIVE, text))
        return
    try:
        _check(module, held, loop)
    except Declined as declined:
        yield found(declined=declined.reason)
        return
    yield found(recipe=partial(_join, module, held, loop))


def _held(module: Module, call: ast.Call) -> _Held | None:
    joined = operands(module, call)
    match module.parent(call), joined.old if joined is not None else None:
        case (
            ast.Assign(targets=[ast.Attribute(value=ast.Name(id=mine), attr=name) as target]) as statement,
            ast.Attribute(value=ast.Name(id=theirs), attr=other) as old,
        ) if (mine, name) == (theirs, other):
            owner = own_class(module, target.value)
            if owner is not None and joined is not None:
                return _Held(statement, target, old, call, joined, owner)
    return None


# --- where no code sees it grow -----------------------------------------------------------------------------------


def _check(module: Module, held: _Held, loop: ast.For | ast.While) -> None:
    """Raises `Declined` where other code may see how far the array is, or what joins the parts may not run."""
    _check_class(module, held)
    check_way(module, held.statement)
    left = next((node for node in walk(loop) if isinstance(node, _LEAVING)), None)
    if left is not None:
        line = getattr(left, "lineno", loop.lineno)
        raise Declined(Reason(Code.LAYOUT, f"line {line} leaves the loop before its parts are joined", line))
    _check_errors(module)
    _check_reads(module, held, loop)
    for start in _starts(module, held):
        value = getattr(module.parent(start), "value", None)
        if not isinstance(value, ast.expr) or not (is_made_there(module, value) or is_written_out(module, value)):
            text = f"line {start.lineno} binds `{module.text(start)}` to what other code may donate or delete"
            raise Declined(Reason(Code.LIVE, text, start.lineno))


def _check_class(module: Module, held: _Held) -> None:
    name, classes = held.target.attr, family(module, held.owner)
    is_private = name.startswith("_") and not name.endswith("__")
    if not (is_private or is_script(module)) or module.source.notebook is not None:
        raise Declined(Reason(Code.LIVE, f"other files may read `{module.text(held.target)}`"))
    for each in classes:
        known = {other.name for other in classes}
        if any(not isinstance(base, ast.Name) or base.id not in {*known, "object"} for base in each.bases):
            raise Declined(Reason(Code.UNREAD, f"a base of `{each.name}` may compute `{name}`"))
        if each.keywords:
            raise Declined(Reason(Code.SIDE_EFFECT, f"`{each.name}` computes `{name}`"))
    if (reason := why_computed(module, held.target)) is not None:
        raise Declined(reason)
    if next(iter(module.attributes("__dict__")), None) or next(iter(module.spelled_calls({"vars", "getattr"})), None):
        raise Declined(Reason(Code.SEES_SCOPE, "the file may look at all attributes of the object"))


def _check_errors(module: Module) -> None:
    """After an error the array would be as long as before the loop: no code of the file may go on with it."""
    for block in module.nodes(ast.Try, ast.TryStar):
        if any(isinstance(node, ast.Call) for each in getattr(block, "body", ()) for node in walk(each)):
            line = getattr(block, "lineno", 1)
            text = f"after an error, what follows the `try` of line {line} may read it"
            raise Declined(Reason(Code.LIVE, text, line))


def _check_reads(module: Module, held: _Held, loop: ast.For | ast.While) -> None:
    """Nothing in the loop may read it, or call what does."""
    function, own = module.function(held.statement), {held.target, held.old}
    assert isinstance(held.target.value, ast.Name)
    me = held.target.value.id
    uses = [node for node in _uses(module, held) if node not in own]
    inside = next((node for node in uses if loop in module.ancestors(node)), None)
    if inside is not None:
        text = f"line {inside.lineno} uses `{module.text(held.target)}` while it grows"
        raise Declined(Reason(Code.OTHER_USES, text, inside.lineno))
    calls = [node for node in walk(loop) if isinstance(node, ast.Call) and node is not held.call]
    unknown = next((call for call in calls if not _is_harmless(module, call)), None)
    for node in walk(loop):
        is_bare = isinstance(node, ast.Name) and node.id == me and not isinstance(module.parent(node), ast.Attribute)
        if is_bare:
            raise Declined(Reason(Code.ESCAPES, f"the loop passes on `{me}`, which holds it", loop.lineno))
    others = (node for node in uses if module.function(node) not in (function, None))
    read = next((node for node in others if isinstance(node.ctx, ast.Load)), None)
    if unknown is not None and read is not None:
        text = f"`{module.text(unknown.func)}` may lead to line {read.lineno}, which reads it"
        raise Declined(Reason(Code.OTHER_USES, text, read.lineno))


def _is_harmless(module: Module, call: ast.Call) -> bool:
    if is_of_library(module, call) or is_counted(module, call):
        return True
    match call.func:
        case ast.Name(id=name):
            return module.scope_of(name, call) is None and hasattr(builtins, name)
    return False


def _uses(module: Module, held: _Held) -> list[ast.Attribute]:
    """Where the attribute is read or bound, of what may be an object of the class."""
    classes = family(module, held.owner)
    return [node for node in module.attributes(held.target.attr) if not is_of_others(module, node, classes)]


def _starts(module: Module, held: _Held) -> Iterator[ast.Attribute]:
    """Where the attribute is bound to anything but a longer one of itself."""
    for node in _uses(module, held):
        if not isinstance(node.ctx, ast.Load) and node is not held.target:
            yield node


# --- the cure -----------------------------------------------------------------------------------------------------


def _join(module: Module, held: _Held, loop: ast.For | ast.While, edit: Rewriter) -> None:
    name, joined = module.text(held.target), held.joined
    parts = module.get(Identifiers).unused_at(f"{held.target.attr.lstrip('_')}_parts", loop)
    jnp = edit.imported("jax.numpy", prefer="jnp", at=held.statement)
    by = f"{jnp}.concatenate" if joined.by == APPEND else module.text(held.call.func)
    edit.insert_before(loop, f"{parts} = [{f'{jnp}.ravel({name})' if joined.is_flat else name}]")
    texts = [part_text(module, held.call, part, jnp, is_flat=joined.is_flat) for part in joined.parts]
    added = f".append({texts[0]})" if len(texts) == 1 else f" += [{', '.join(texts)}]"
    edit.replace(held.statement, f"{parts}{added}")
    whole = f"{name} = {by}({', '.join(filter(None, (parts, joined.axis)))})"
    edit.insert_after(loop, f"if len({parts}) > 1:\n    {whole}")
