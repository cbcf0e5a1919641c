"""Elements computed one by one in a comprehension, then stacked into one array.

In traced code each element is traced and compiled again: 64 rows of four small layers become 716 lines of a program,
which took 3.5 seconds to compile, and 46 lines and 0.15 seconds as `jax.lax.map`, with the same bits. In eager code
each operation of each element is dispatched separately.

Before:
    import jax
    import jax.numpy as jnp


    @jax.jit
    def scores(weights, rows):
        return jnp.stack([jnp.tanh(rows[i] @ weights) for i in range(64)])


    print(scores(jnp.ones((3, 2)), jnp.ones((64, 3))).sum())

After:
    import jax
    import jax.numpy as jnp


    @jax.jit
    def scores(weights, rows):
        return jax.lax.map(lambda i: jnp.tanh(rows[i] @ weights), jnp.arange(64))


    print(scores(jnp.ones((3, 2)), jnp.ones((64, 3))).sum())

Safety: needs a rerun. The element is traced once: what prints, draws from NumPy or counts is declined, and so
is a number of the loop that is anything else than an index or the number of a key, which must not be negative; a list,
whose entries may differ in shape, and what the function finds around it, which may be one, or an array of NumPy;
elements of a list of layers; `jnp.array` of what may be numbers of Python, or of no elements at all. `jax.lax.map`
computes one element after the other. `jax.vmap` computes all of them at once, and is faster on most devices, but sums
in another order (1e-7 of the largest value in a mean, a norm, a softmax), takes the memory of all elements together,
and draws other numbers from keys of `rbg`: it is for a person to choose. In eager code nothing is written, since each
call of `jax.lax.map` with a new function compiles again; what a run has seen there is reported. A list that a `for`
appends to is for [`unrolled-loop`](unrolled-loop.md).

Evidence: fewer operations to compile, a loop counted once. Results are equal bit for bit, or differ as XLA fuses and
sums in another order: calls beside the original then differ by rounding alone, in double precision. Where a warm call
takes half as long again, the fix is held back.

Source: https://docs.jax.dev/en/latest/_autosummary/jax.lax.map.html and
https://docs.jax.dev/en/latest/_autosummary/jax.vmap.html; measured with jax 0.10.2 on a CPU.
"""

import ast
from collections.abc import Iterator
from functools import partial

from jaxfix.api import (
    Code,
    Codemod,
    Confidence,
    Declined,
    Equality,
    Finding,
    Module,
    Proves,
    Reason,
    Rewriter,
    Runs,
    Safety,
    Staging,
    Work,
    frozen,
    jit_of,
    walk,
)
from jaxfix.api.analysis import Form
from jaxfix.api.library import Package, Result, where
from jaxfix_codemods.looping.arrays import Arrays, form_of
from jaxfix_codemods.looping.reads import check_effects, check_reads
from jaxfix_codemods.looping.rounds import Rounds, as_loop, rounds_of

_STACK = "jax.numpy.stack"
_CONVERTING = where(Result.CONVERTED)
_OPERATING = where(Package.OPERATES) | where(Package.FRESH)
_FEW, _MANY = 4, 32
_TITLE = "Map the elements with `jax.lax.map`"
_BY_HAND = (
    "in eager code, write a function under `jax.jit` that computes all elements: `jax.lax.map` keeps the bits, "
    "`jax.vmap` may round differently, and takes the memory of all elements"
)


@frozen
class _Mapped:
    """A call such as `jnp.stack([f(row) for row in rows])`."""

    call: ast.Call
    by: str
    elements: ast.ListComp
    rounds: Rounds


def find(module: Module) -> Iterator[Finding]:
    if module.source.holds_tests:
        return
    for call in module.calls(_STACK, *_CONVERTING):
        mapped = _mapped(module, call)
        if mapped is None or (mapped.rounds.count or _MANY) < _FEW or not _computes(module, mapped):
            continue
        staging = module.get(Staging)
        if staging.is_staged(call):
            yield from _of_trace(module, mapped, is_sure=True)
        elif staging.is_eager(call):
            yield from _of_eager(module, mapped)
        elif Runs.TRACED in staging.ways(call).known:
            yield from _of_trace(module, mapped, is_sure=False)


def _mapped(module: Module, call: ast.Call) -> _Mapped | None:
    match call:
        case ast.Call(args=[ast.ListComp(elt=elt, generators=[only]) as elements], keywords=[]):
            pass
        case ast.Call(
            args=[ast.ListComp(elt=elt, generators=[only]) as elements],
            keywords=[ast.keyword(arg="axis", value=ast.Constant(value=0))],
        ) if module.qualname(call.func) == _STACK:
            pass
        case _:
            return None
    rounds = rounds_of(module, as_loop(only, elt)) if not (only.ifs or only.is_async) else None
    return None if rounds is None else _Mapped(call, module.qualname(call.func) or "", elements, rounds)


def _computes(module: Module, mapped: _Mapped) -> bool:
    """Whether an element takes more than a look into an array: a call of JAX, or arithmetic of arrays."""
    for node in walk(mapped.elements.elt):
        if isinstance(node, ast.Call):
            package = (module.qualname(node.func) or "").rpartition(".")[0]
            if package in _OPERATING or package.startswith("jax.") or jit_of(module, node.func) is not None:
                return True
            if module.definition(node.func) is not None and module.get(Arrays).is_sure(node):
                return True
        if isinstance(node, ast.BinOp) and module.get(Arrays).is_sure(node):
            return True
    return False


def _of_trace(module: Module, mapped: _Mapped, *, is_sure: bool) -> Iterator[Finding]:
    count = mapped.rounds.count
    is_many = (count or 0) >= _MANY
    found = partial(
        Finding,
        at=mapped.call,
        message=f"a trace unrolls this list: {f'all {count} elements are' if count else 'each element is'} compiled",
        title=_TITLE,
        confidence=Confidence.CERTAIN if is_many and is_sure else Confidence.POSSIBLE,
        guess=not is_many,
    )
    try:
        _check(module, mapped)
    except Declined as declined:
        yield found(declined=declined.reason, moot=not is_many)
        return
    yield found(recipe=partial(_map, module, mapped))


def _of_eager(module: Module, mapped: _Mapped) -> Iterator[Finding]:
    """What a run may have seen: the text does not say how many elements there are, or how long each takes."""
    try:
        check_effects(module, mapped.rounds, ())
    except Declined:
        return
    if all(map(module.get(Arrays).is_one, mapped.rounds.arrays)):
        yield Finding(
            at=mapped.call,
            message="each element of this list is computed eagerly: each of its operations is dispatched separately",
            title="Compute all elements in one program",
            declined=Reason(Code.HINT, _BY_HAND),
            moot=True,
        )


def _check(module: Module, mapped: _Mapped) -> None:
    """All elements must be alike to a trace.

    Raises:
      Declined: they may differ in more than their values.
    """
    rounds, arrays = mapped.rounds, module.get(Arrays)
    if len(rounds.arrays) > 1 or (rounds.arrays and rounds.number is not None) or rounds.is_backward:
        raise Declined(Reason(Code.BY_HAND, "it goes over several arrays at once, or backwards"))
    listed = next((array for array in rounds.arrays if not arrays.is_one(array)), None)
    if listed is not None:
        text = f"`{module.text(listed)}` may be a list, whose entries differ in shape"
        raise Declined(Reason(Code.STRUCTURE, text))
    if not module.has_exact_spans(mapped.call) or any(
        n.lineno != n.end_lineno for n in walk(mapped.elements) if isinstance(n, ast.JoinedStr | ast.Constant)
    ):
        raise Declined(Reason(Code.FORMAT_STRING, "it is in an f-string, or holds a multi-line string"))
    check_reads(module, rounds, is_scanned=True)
    check_effects(module, rounds, ())
    elt = mapped.elements.elt
    if not arrays.is_sure(elt) or isinstance(elt, ast.Tuple | ast.List | ast.Dict):
        raise Declined(Reason(Code.NO_ARRAY, "nothing says that an element is an array"))
    if mapped.by != _STACK and not (rounds.count and form_of(module, elt) is Form.STRONG):
        name = mapped.by.rpartition(".")[2]
        text = f"`{name}` of no elements, or of weakly typed ones, is another array than what is mapped"
        raise Declined(Reason(Code.DTYPE, text))


def _map(module: Module, mapped: _Mapped, edit: Rewriter) -> None:
    rounds = mapped.rounds
    jax = edit.imported("jax", prefer="jax", at=mapped.call)
    over = module.text(rounds.arrays[0]) if rounds.arrays else _numbers(module, mapped, edit)
    target = module.text(rounds.loop.target)
    edit.replace(mapped.call, f"{jax}.lax.map(lambda {target}: {module.text(mapped.elements.elt)}, {over})")


def _numbers(module: Module, mapped: _Mapped, edit: Rewriter) -> str:
    jnp = edit.imported("jax.numpy", prefer="jnp", at=mapped.call)
    return f"{jnp}.arange({', '.join(map(module.text, mapped.rounds.bounds))})"


CODEMOD = Codemod(
    id="mapped-loop",
    triggers=(_STACK, *sorted(_CONVERTING)),
    safety=Safety.NEEDS_EVIDENCE,
    equality=Equality.FUSED,
    find=find,
    proves=Proves.SMALLER_PROGRAM,
    relieves=(Work.EAGER,),
)
