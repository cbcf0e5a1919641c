"""An array that grows in each iteration of an eager loop.

`jnp.append` and `jnp.concatenate` copy the whole array, and compile for each length: a loop of 40 iterations compiles
40 programs or more. The parts are collected in a list instead, and joined once after the loop. If the array is empty at
first, and each iteration reads what is joined as a number, as `float(loss)` does, an array of these numbers is made
without compiling.

Before:
    import jax.numpy as jnp


    def losses_of(model, batches):
        losses = jnp.array([])
        for batch in batches:
            losses = jnp.append(losses, jnp.mean(model(batch) ** 2))
        return losses

After:
    import jax.numpy as jnp


    def losses_of(model, batches):
        losses = jnp.array([])
        losses_parts = [losses]
        for batch in batches:
            losses_parts.append(jnp.ravel(jnp.mean(model(batch) ** 2)))
        losses = jnp.concatenate(losses_parts)
        return losses

Safety: needs a rerun. The initial array stays the first part: an empty float array decides the dtype of the result,
and a loop without iterations returns it unchanged. A part that may be a NumPy array is copied, since a buffer
refilled in place would otherwise be every part at once; so are parts that other code may donate or delete.

Declined: loops that read the array or its length, functions that capture it, and a `try` or `with` around the loop,
which an error may leave with half of the array. Parts that do not fit together raise after the loop instead of in it.
Integers joined with floats of two narrower types are rounded once, to the final type. A Python number that overflowed
when it was joined may now fit: declined if the array starts with a type of fewer than 32 bits.

A loop that passes the growing array to a model needs another fix: an array of the final length, and the used length;
the finding shows the code. An array in an attribute, such as `self.seen`, is joined after the loop if no other file
can read it, nothing that the loop calls can read it, and no `try` continues after an error. If each call of a method
adds one part, the finding is a report; so is an array that a function makes longer and returns to the loop that
passes it, such as the tokens of a text.

Evidence: fewer compiles, results equal bit for bit.

Source: https://docs.jax.dev/en/latest/_autosummary/jax.numpy.append.html, which says that it copies;
https://docs.jax.dev/en/latest/jit-compilation.html for programs by shape.
"""

import ast
from collections.abc import Iterator, Sequence
from functools import partial

from jaxfix.api import (
    Code,
    Codemod,
    Confidence,
    Declined,
    Equality,
    Finding,
    Identifiers,
    Module,
    Reason,
    Rewriter,
    Safety,
    Staging,
    Why,
    in_order,
    walk,
)
from jaxfix.api.analysis import Values, is_bound_before, iterations, leaves
from jaxfix.api.library import Result, where
from jaxfix_codemods.collecting import check_scope, check_way, value_bound
from jaxfix_codemods.growing_array.attributes import grown_attribute
from jaxfix_codemods.growing_array.on_host import make_of_numbers, start_on_host
from jaxfix_codemods.growing_array.padding import padded
from jaxfix_codemods.growing_array.parts import (
    APPEND,
    HSTACK,
    JOINING,
    TITLE,
    VSTACK,
    Growth,
    is_counted,
    is_made_there,
    is_of_library,
    is_written_out,
    operands,
    part_text,
)
from jaxfix_codemods.growing_array.starting_none import check_none_before, opened_by, uses_in
from jaxfix_codemods.growing_array.through import grown_by_function
from jaxfix_codemods.growing_array.types import check_types

_LOOPS = (ast.For, ast.While)
_FILLED, _CONVERTED = where(Result.FILLED), where(Result.CONVERTED)


def find(module: Module) -> Iterator[Finding]:
    if module.source.holds_tests:
        return
    taken: set[ast.AST] = set()
    for call in in_order([*module.calls(*JOINING)]):
        growth = _growth(module, call)
        if growth is None:
            yield from grown_attribute(module, call)
        yield from grown_by_function(module, call)
        if growth is None or growth.call in taken or not module.loops(growth.statement):
            continue
        staging = module.get(Staging)
        if staging.is_only_traced(call) or staging.is_seldom(growth.statement):
            continue
        every = _alike(module, growth)
        if _is_bound_otherwise(module, growth, every):
            continue
        taken.update(each.call for each in every)
        yield _finding(module, every)


def _finding(module: Module, every: Sequence[Growth]) -> Finding:
    first = every[0]
    is_sure = module.get(Staging).is_eager(first.call) and module.get(Staging).surely_repeats(first.call)
    found = partial(
        Finding,
        at=first.call,
        message=f"`{first.target.id}` grows in each iteration: each length compiles again, and all of it is copied",
        title=TITLE,
        confidence=Confidence.CERTAIN if is_sure else Confidence.POSSIBLE,
    )
    try:
        loop = _loop(module, every)
        inside = [growth for growth in every if loop in module.ancestors(growth.statement)]
        for growth in inside:
            check_way(module, growth.statement)
        check_types(module, _starts(module, first, loop), [part for growth in inside for part in growth.parts])
        if first.opened is not None:
            _check_opened(module, every)
            return found(recipe=partial(_join_opened, module, first, loop))
        start = start_on_host(module, inside, loop) if inside == [*every] else None
        if start is not None:
            title = "Make an array of the numbers after the loop"
            return found(title=title, recipe=partial(make_of_numbers, module, first, loop, start))
        return found(recipe=partial(_join, module, inside, loop))
    except Declined as declined:
        return found(declined=declined.reason)


# --- what grows ---------------------------------------------------------------------------------------------------


def _growth(module: Module, call: ast.Call) -> Growth | None:
    found = operands(module, call)
    match module.parent(call), found.old if found is not None else None:
        case ast.Assign(targets=[ast.Name() as target]) as statement, ast.Name() as old if old.id == target.id:
            pass
        case _:
            return None
    assert found is not None
    parts = found.parts
    opened = opened_by(module, statement, target.id, parts[0]) if len(parts) == 1 else None
    return Growth(statement, target, old, call, found.by, parts, found.axis, opened)


def _alike(module: Module, growth: Growth) -> list[Growth]:
    """The statements that make the same variable longer in the same way, in the outermost loop around the first."""
    scope = module.scope_of(growth.target.id, growth.target)
    outermost = module.loops(growth.statement)[-1]
    found = []
    for use in module.uses(growth.target.id, scope):
        value = getattr(module.parent(use), "value", None)
        other = _growth(module, value) if isinstance(value, ast.Call) and isinstance(use.ctx, ast.Store) else None
        if other is not None and (other.by, other.axis) == (growth.by, growth.axis):
            found += [other] if outermost in module.ancestors(use) else []
    return found


def _is_bound_otherwise(module: Module, growth: Growth, every: Sequence[Growth]) -> bool:
    """Whether an iteration binds the variable to something else too, of unknown length."""
    loop, own = module.loops(growth.statement)[0], {use for each in every for use in _own(each)}
    stored = (use for use in module.uses(growth.target.id, module.scope_of(growth.target.id, growth.target)))
    return any(isinstance(use.ctx, ast.Store) and use not in own and loop in module.ancestors(use) for use in stored)


def _own(growth: Growth) -> set[ast.Name]:
    """What reads and binds the array to make it longer, and nothing else."""
    return {growth.target, growth.old, *(uses_in(growth.opened, growth.target.id) if growth.opened else ())}


# --- where no code sees it grow -----------------------------------------------------------------------------------


def _loop(module: Module, every: Sequence[Growth]) -> ast.For | ast.While:
    """The outermost loop in which nothing else has to do with the array.

    Raises:
      Declined: there is none, or something may see how far the array is.
    """
    first = every[0]
    scope = module.scope_of(first.target.id, first.target)
    uses = module.uses(first.target.id, scope)
    check_scope(module, first.target, uses)
    own = {use for growth in every for use in _own(growth)}
    loops = [loop for loop in module.loops(first.statement) if isinstance(loop, _LOOPS)]
    for loop in reversed(loops):
        inside = [use for use in uses if loop in module.ancestors(use)]
        if all(use in own for use in inside):
            _check_start(module, first, loop)
            return loop
    reads = (use for use in uses if use not in own and loops[0] in module.ancestors(use))
    line = next((use.lineno for use in reads), first.target.lineno)
    text = f"line {line} uses `{first.target.id}` while it grows: {padded(module, first, loops[0])}"
    raise Declined(Reason(Code.OTHER_USES, text, line))


def _check_start(module: Module, growth: Growth, loop: ast.For | ast.While) -> None:
    """It must be bound where the loop begins."""
    name = growth.target.id
    found = module.bindings(name, module.scope_of(name, growth.target))
    is_parameter = any(isinstance(binding.node, ast.arg) for binding in found)
    before = (module.statement(b.node) for b in found if not isinstance(b.node, ast.arg))
    if not is_parameter and not any(is_bound_before(module, each, loop) for each in before):
        raise Declined(Reason(Code.CONDITIONAL, f"`{name}` is bound before the loop only under a condition"))


def _check_opened(module: Module, every: Sequence[Growth]) -> None:
    """Raises `Declined` where an array that is None at first does not begin as its first part, or is not one of JAX."""
    first = every[0]
    assert first.opened is not None
    if len(every) > 1 or first.is_flat:
        raise Declined(Reason(Code.LAYOUT, f"`{first.target.id}` begins as None, and grows in several ways"))
    check_none_before(module, first.opened, first.target)
    part = first.parts[0]
    is_row = isinstance(part, ast.Subscript) and isinstance(part.slice, ast.Constant) and part.slice.value is None
    if not module.get(Values).of(part.value if isinstance(part, ast.Subscript) and is_row else part).is_array:
        text = f"`{module.text(first.parts[0])}` may be a NumPy array, as which `{first.target.id}` would begin"
        raise Declined(Reason(Code.NO_ARRAY, text))


# --- the cure -----------------------------------------------------------------------------------------------------


def _join(module: Module, every: Sequence[Growth], loop: ast.For | ast.While, edit: Rewriter) -> None:
    first = every[0]
    name = first.target.id
    parts = module.get(Identifiers).unused_at(f"{name}_parts", loop)
    jnp = edit.imported("jax.numpy", prefer="jnp", at=first.statement)
    is_alone = _is_itself_alone(module, first, loop)
    by = f"{jnp}.concatenate" if first.by == APPEND else module.text(first.call.func)
    start = f"{jnp}.ravel({name})" if first.is_flat and not is_alone else name
    if not _is_own(module, first, loop):
        alone = start if first.is_flat else f"{by}({', '.join(filter(None, (f'[{name}]', first.axis)))})"
        start = f"{jnp}.copy({alone})"  # as the function that joins takes it
    edit.insert_before(loop, f"{parts} = [{start}]")
    for growth in every:
        texts = [part_text(module, growth.call, part, jnp, is_flat=growth.is_flat) for part in growth.parts]
        added = f".append({texts[0]})" if len(texts) == 1 else f" += [{', '.join(texts)}]"
        edit.replace(growth.statement, f"{parts}{added}")
    joined = f"{name} = {by}({', '.join(filter(None, (parts, first.axis)))})"
    is_joined = is_alone or _goes_round(module, loop, first)
    edit.insert_after(loop, joined if is_joined else f"if len({parts}) > 1:\n    {joined}")


def _join_opened(module: Module, growth: Growth, loop: ast.For | ast.While, edit: Rewriter) -> None:
    name, (part,) = growth.target.id, growth.parts
    parts = module.get(Identifiers).unused_at(f"{name}_parts", loop)
    jnp = edit.imported("jax.numpy", prefer="jnp", at=growth.statement)
    by = f"{jnp}.concatenate" if growth.by == APPEND else module.text(growth.call.func)
    edit.insert_before(loop, f"{parts} = []")
    assert growth.opened is not None
    edit.replace(growth.opened, f"{parts}.append({part_text(module, growth.call, part, jnp, is_flat=growth.is_flat)})")
    joined = f"{by}({', '.join(filter(None, (parts, growth.axis)))})"
    edit.insert_after(loop, f"if len({parts}) > 1:\n    {name} = {joined}\nelif {parts}:\n    {name} = {parts}[0]")


def _is_own(module: Module, growth: Growth, loop: ast.For | ast.While) -> bool:
    """Whether no other code holds the array that it begins as, or runs while it grows."""
    if _runs_alone(module, loop):
        return True
    found = module.bindings(growth.target.id, module.scope_of(growth.target.id, growth.target))
    for binding in found:
        if loop in module.ancestors(binding.node):
            continue
        value = value_bound(module, binding.node)
        if value is None or not (is_made_there(module, value) or is_written_out(module, value)):
            return False
    reads = module.reads(growth.target.id, module.scope_of(growth.target.id, growth.target))
    before = (use for use in reads if loop not in module.ancestors(use) and use.lineno < loop.lineno)
    return all(leaves(module, use) for use in before)


def _runs_alone(module: Module, loop: ast.For | ast.While) -> bool:
    """Whether the loop calls functions of libraries alone, and fills nothing in place."""
    if not isinstance(loop, ast.For) or (iterations(module, loop) is None and not is_counted(module, loop.iter)):
        return False
    for node in walk(loop):
        if isinstance(node, ast.Yield | ast.YieldFrom | ast.Await | ast.AugAssign):
            return False
        if isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load):
            return False
        if isinstance(node, ast.Call) and not (is_counted(module, node) or is_of_library(module, node)):
            return False
    return True


def _goes_round(module: Module, loop: ast.For | ast.While, growth: Growth) -> bool:
    """Whether the loop surely collects a part."""
    skips = any(isinstance(node, ast.Continue | ast.Break) for node in walk(loop))
    return growth.statement in loop.body and not skips and (iterations(module, loop) or 0) > 0


def _starts(module: Module, growth: Growth, loop: ast.For | ast.While) -> list[ast.expr | None]:
    """What the array is bound to before the loop."""
    found = module.bindings(growth.target.id, module.scope_of(growth.target.id, growth.target))
    return [value_bound(module, binding.node) for binding in found if loop not in module.ancestors(binding.node)]


def _is_itself_alone(module: Module, growth: Growth, loop: ast.For | ast.While) -> bool:
    """Whether to join the start alone gives the start again."""
    values = _starts(module, growth, loop)
    dimensions = [_dimensions(module, value) if value is not None else None for value in values]
    least = {VSTACK: 2, HSTACK: 1}.get(growth.by, 0)
    return bool(dimensions) and all(n is not None and (n == 1 if growth.is_flat else n >= least) for n in dimensions)


def _dimensions(module: Module, start: ast.expr) -> int | None:
    """How many dimensions an array has, by the code that makes it; None where that does not say, or for no array."""
    if not isinstance(start, ast.Call) or not start.args:
        return None
    qualname = module.qualname(start.func) or ""
    match start.args[0]:
        case ast.Tuple(elts=elts) if qualname in _FILLED and not any(isinstance(e, ast.Starred) for e in elts):
            return len(elts)
        case ast.Constant(value=int()) if qualname in _FILLED:
            return 1
        case ast.List(elts=elts) if qualname in _CONVERTED and all(isinstance(e, ast.Constant) for e in elts):
            return 1
    return None


CODEMOD = Codemod(
    id="growing-array",
    triggers=JOINING,
    safety=Safety.NEEDS_EVIDENCE,
    equality=Equality.BITWISE,
    find=find,
    cures=(Why.SHAPE,),
    programs=("append", "concatenate", "vstack", "hstack"),
)
