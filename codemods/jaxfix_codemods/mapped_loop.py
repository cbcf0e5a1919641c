"""Elements computed one by one in a comprehension, then stacked into one array, or added by `sum`.

In eager code each operation of each element is dispatched separately: 128 rows of three operations, four times, are
more than three thousand programs, and with `jax.vmap` twelve. In traced code each element is traced and compiled again:
64 rows of four small layers become 716 lines of a program, which took 3.5 seconds to compile, and 46 lines and 0.15
seconds as `jax.lax.map`, with the same bits.

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

Safety: needs a rerun. The element is traced once, so these are declined: elements that print, draw from NumPy or
count; loop numbers used as anything but an index or the number of a key, which must not be negative; lists and
captured values whose entries may differ in shape; NumPy arrays; elements of a list of layers; and `jnp.array` of
Python numbers or of no elements. What a traced run has seen counts: an array whose rows a comprehension takes is no
list, and its elements are as many as the rows. A `sum` of Python adds in order, and `jnp.sum` in another.

Traced code gets `jax.lax.map`, which computes one element after the other and keeps the bits. Eager code gets
`jax.vmap`, since an eager `jax.lax.map` with a new function compiles at each call. `jax.vmap` computes all elements at
once: it is faster on most devices, needs the memory of all elements, sums in another order (1e-7 of the largest value
in a mean, a norm or a softmax), and draws other numbers from `rbg` keys. So eager elements that draw random numbers or
branch on values are left alone, and so are rows of a NumPy array, with which Python computes in double precision. A
masked NumPy array raises under `jax.vmap`; for no rows, where `jnp.stack` raises, both return an empty array. Of arrays
of unequal length, which `zip` cuts to the shortest, both raise. Lists that a `for` appends to are handled by
[`unrolled-loop`](unrolled-loop.md).

Evidence: fewer operations to compile, a loop counted once. Results are equal bit for bit, or differ because XLA fuses
and sums in another order: then calls beside the original agree in double precision. If a warm call takes half as long
again, the fix is held back.

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
    Identifiers,
    Module,
    Proves,
    Reason,
    Rewriter,
    Runs,
    Safety,
    Staging,
    Work,
    arguments_of,
    frozen,
    jit_of,
    walk,
)
from jaxfix.api.analysis import Form, argument_values, demands, demands_of_statements
from jaxfix.api.library import Draw, Package, Result, where
from jaxfix_codemods.looping.arrays import Arrays, form_of
from jaxfix_codemods.looping.reads import check_effects, check_reads
from jaxfix_codemods.looping.rounds import Rounds, as_loop, listed, rounds_of, unenclosed
from jaxfix_codemods.looping.seen import are_arrays_seen, are_some, elements_seen

_STACK = "jax.numpy.stack"
_SUM = "sum"
_CONVERTING = where(Result.CONVERTED)
_HOSTS = where(Package.HOST)
_DRAWING = where(Draw.OF_BITS) | where(Draw.OF_PARTS)
_OPERATING = where(Package.OPERATES) | where(Package.FRESH)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_FEW, _MANY = 4, 32
_TITLE = "Map the elements with `jax.lax.map`"
_TITLE_OF_EAGER = "Compute the elements together with `jax.vmap`"
_BY_HAND = (
    "in eager code, write a function under `jax.jit` that computes all elements: `jax.lax.map` keeps the bits, "
    "`jax.vmap` may round differently, and takes the memory of all elements"
)


@frozen
class _Mapped:
    """A call such as `jnp.stack([f(row) for row in rows])`.

    Attributes:
      by: the canonical name of what is called; `sum` of Python adds the elements.
      seen: how many elements a trace has unrolled; 0 where no run has told.
    """

    call: ast.Call
    by: str
    elements: ast.ListComp | ast.GeneratorExp
    rounds: Rounds
    seen: int

    @property
    def count(self) -> int:
        """How many elements there are; 0 where nothing says it."""
        return self.rounds.count or self.seen


def find(module: Module) -> Iterator[Finding]:
    if module.source.holds_tests:
        return
    for call in (*module.calls(_STACK, *_CONVERTING), *module.spelled_calls(frozenset({_SUM}))):
        mapped = _mapped(module, call)
        if mapped is None or (mapped.count or _MANY) < _FEW or not _computes(module, mapped):
            continue
        staging = module.get(Staging)
        if mapped.seen or staging.is_staged(call):
            yield from _of_trace(module, mapped, is_sure=True)
        elif staging.is_eager(call):
            yield from _of_eager(module, mapped) if mapped.by != _SUM else ()
        elif Runs.TRACED in staging.ways(call).known:
            yield from _of_trace(module, mapped, is_sure=False)


def _mapped(module: Module, call: ast.Call) -> _Mapped | None:
    by = module.qualname(call.func) or (_SUM if _is_sum(module, call.func) else "")
    match call:
        case ast.Call(args=[ast.ListComp(elt=elt, generators=[only]) as elements], keywords=[]):
            pass
        case ast.Call(args=[ast.GeneratorExp(elt=elt, generators=[only]) as elements], keywords=[]) if by == _SUM:
            pass
        case ast.Call(
            args=[ast.ListComp(elt=elt, generators=[only]) as elements],
            keywords=[ast.keyword(arg="axis", value=ast.Constant(value=0))],
        ) if by == _STACK:
            pass
        case _:
            return None
    rounds = rounds_of(module, as_loop(only, elt)) if not (only.ifs or only.is_async) else None
    return None if rounds is None or not by else _Mapped(call, by, elements, rounds, elements_seen(module, elements))


def _is_sum(module: Module, func: ast.expr) -> bool:
    return isinstance(func, ast.Name) and func.id == _SUM and module.scope_of(_SUM, func) is None


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
    count, what = mapped.count, "sum" if mapped.by == _SUM else "list"
    is_many = count >= _MANY
    certain = Confidence.SEEN if mapped.seen >= _MANY else Confidence.CERTAIN
    found = partial(
        Finding,
        at=mapped.call,
        message=f"a trace unrolls this {what}: {f'all {count} elements are' if count else 'each element is'} compiled",
        title=_TITLE,
        confidence=certain if is_many and is_sure else Confidence.POSSIBLE,
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
    found = partial(
        Finding,
        at=mapped.call,
        message="each element of this list is computed eagerly: each of its operations is dispatched separately",
    )
    if not all(map(module.get(Arrays).is_one, mapped.rounds.arrays)):
        if _is_of_indices(module, mapped):
            recipe = partial(_batch, module, mapped, of_list=True)
            batched = partial(found, title=_TITLE_OF_EAGER, recipe=recipe, equality=Equality.FUSED, guess=True)
            yield batched(moot=not module.get(Staging).surely_repeats(mapped.call), certain_if="the list is long")
        return
    try:
        _check(module, mapped)
        _check_batched(module, mapped)
    except Declined:
        yield found(title="Compute all elements in one program", declined=Reason(Code.HINT, _BY_HAND), moot=True)
        return
    repeats = module.get(Staging).surely_repeats(mapped.call)
    batched = partial(found, title=_TITLE_OF_EAGER, recipe=partial(_batch, module, mapped), equality=Equality.FUSED)
    yield batched(guess=True, moot=not repeats, certain_if="the array has many rows")


def _is_of_indices(module: Module, mapped: _Mapped) -> bool:
    """Whether it goes over a list, or the like, of numbers by which each element indexes arrays, and no more."""
    rounds, elt = mapped.rounds, mapped.elements.elt
    if len(rounds.arrays) != 1 or rounds.number is not None or not isinstance(rounds.arrays[0], ast.Name):
        return False
    if form_of(module, rounds.arrays[0]) is Form.NUMPY or not module.get(Arrays).is_sure(elt) or _draws(module, elt):
        return False
    asked = demands_of_statements(module, [elt])
    is_apart = asked.reason is None and not _needs_value(module, rounds, elt)
    rows = {each.id for each in rounds.rows}
    reads = [node for node in walk(elt) if isinstance(node, ast.Name) and node.id in rows]
    return is_apart and module.has_exact_spans(mapped.call) and all(_is_index(module, read) for read in reads)


def _is_index(module: Module, read: ast.Name) -> bool:
    """Whether `read` indexes an array, or is passed to a function of this file, whose parameter does no more."""
    match module.parent(read):
        case ast.Subscript(value=ast.Attribute(value=whole, attr="at") | whole, slice=index) if index is read:
            return module.get(Arrays).is_sure(whole)
        case ast.Call() as call:
            function = module.definition(call.func)
            given = (arguments_of(function, call) or {}) if isinstance(function, ast.FunctionDef) else {}
            taken = [name for name, value in given.items() if value is read]
            inner = [use for name in taken if function is not None for use in module.uses(name, function)]
            return (
                bool(inner)
                and all(isinstance(module.parent(use), ast.Subscript) for use in inner)
                and all(_is_index(module, use) for use in inner)
            )
    return False


def _check_batched(module: Module, mapped: _Mapped) -> None:
    """What eager code may do to an element, and a trace of all may not, or would do in another way.

    Raises:
      Declined: a value is asked for, or random numbers are drawn, which differ for some keys.
    """
    elt, rounds = mapped.elements.elt, mapped.rounds
    asked = demands_of_statements(module, [elt])
    if asked.reason is not None or rounds.number is not None or _needs_value(module, rounds, elt):
        raise Declined(asked.reason or Reason(Code.NEEDS_VALUE, "an element is computed by its value, or number"))
    if _draws(module, elt):
        raise Declined(Reason(Code.OTHER_NUMBERS, "an element draws random numbers, which differ for some keys"))


def _needs_value(module: Module, rounds: Rounds, elt: ast.expr) -> bool:
    """Whether an element, or a function of this file that it calls, may ask for the value of its row."""
    rows = {each.id for each in rounds.rows}
    for node in walk(elt):
        match node:
            case ast.IfExp() | ast.BoolOp() | ast.UnaryOp(op=ast.Not()) | ast.FormattedValue() | ast.Slice():
                if rows & _names(node):
                    return True
            case ast.Call(func=func) if rows & set().union(*map(_names, argument_values(node))):
                function = module.definition(func)
                given = (arguments_of(function, node) or {}) if function is not None else {}
                asked = demands(module, function).values if function is not None else {}
                passed = [given.get(name) for name in asked if name not in given or given[name] is not None]
                if any(each is None or rows & _names(each) for each in passed):  # defaults are left out
                    return True
                is_builtin = isinstance(func, ast.Name) and module.scope_of(func.id, func) is None
                if is_builtin or (module.qualname(func) or "").partition(".")[0] in _HOSTS:
                    return True
    return False


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in walk(node) if isinstance(each, ast.Name)}


def _draws(module: Module, elt: ast.expr) -> bool:
    """Whether an element, or a function of this file that it calls, draws random numbers."""
    waiting: list[ast.AST] = [elt]
    for each in waiting:  # grows
        for node in walk(each):
            if isinstance(node, ast.Call):
                if module.qualname(node.func) in _DRAWING:
                    return True
                function = module.definition(node.func)
                waiting += [function] if function is not None and function not in waiting else []
    return False


def _check(module: Module, mapped: _Mapped) -> None:
    """All elements must be alike to a trace.

    Raises:
      Declined: they may differ in more than their values.
    """
    rounds, arrays = mapped.rounds, module.get(Arrays)
    if rounds.is_backward:
        raise Declined(Reason(Code.BY_HAND, "it goes backwards"))
    if _is_tupled(rounds) and not _is_apart(module, mapped):
        raise Declined(Reason(Code.NO_PLACE, "no function can be defined around the list"))
    listed = next((array for array in rounds.arrays if not arrays.is_one(array)), None)
    if listed is not None and not are_arrays_seen(module, rounds):
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
    is_converted = mapped.by not in (_STACK, _SUM)
    if is_converted and not (are_some(module, mapped.seen) or (rounds.count and form_of(module, elt) is Form.STRONG)):
        name = mapped.by.rpartition(".")[2]
        text = f"`{name}` of no elements, or of weakly typed ones, is another array than what is mapped"
        raise Declined(Reason(Code.DTYPE, text))


def _map(module: Module, mapped: _Mapped, edit: Rewriter) -> None:
    rounds, element = mapped.rounds, module.text(mapped.elements.elt)
    jax = edit.imported("jax", prefer="jax", at=mapped.call)
    numbers = [_numbers(module, mapped, edit)] if rounds.number is not None else []
    rows = [module.text(array) for array in rounds.arrays]
    together = listed([*numbers, listed(rows)] if rows else numbers)
    function = f"lambda {module.text(rounds.loop.target)}: {element}"
    if _is_tupled(rounds):
        names = module.get(Identifiers)
        several = "pair" if len(rows) + len(numbers) == 2 else "item"
        function, row = (names.unused_at(name, mapped.call) for name in ("element", several))
        target = unenclosed(module, rounds.loop.target)
        lines = (f"def {function}({row}):", f"    {target} = {row}", f"    return {element}", "")
        edit.insert_before(module.statement(mapped.call), "\n".join(lines))
    elements = f"{jax}.lax.map({function}, {together})"
    if mapped.by == _SUM:
        jnp = edit.imported("jax.numpy", prefer="jnp", at=mapped.call)
        elements = f"{jnp}.sum({elements}, axis=0)"
    edit.replace(mapped.call, elements)


def _is_tupled(rounds: Rounds) -> bool:
    """Whether an iteration is about several things, which a function to be mapped takes as one."""
    return len(rounds.arrays) + (rounds.number is not None) > 1


def _is_apart(module: Module, mapped: _Mapped) -> bool:
    """Whether a function before the statement would see all that an element does, and run when the element does."""
    around, statement = module.function(mapped.call), module.statement(mapped.call)
    is_plain = isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Return | ast.Expr)
    is_only = sum(isinstance(node, (*_COMPREHENSIONS, ast.NamedExpr)) for node in walk(statement)) == 1
    return isinstance(around, ast.FunctionDef) and is_plain and is_only


def _batch(module: Module, mapped: _Mapped, edit: Rewriter, *, of_list: bool = False) -> None:
    jax = edit.imported("jax", prefer="jax", at=mapped.call)
    rounds = mapped.rounds
    target, over = unenclosed(module, rounds.loop.target), ", ".join(map(module.text, rounds.arrays))
    if of_list:
        over = f"{edit.imported('jax.numpy', prefer='jnp', at=mapped.call)}.array({over})"
    function = f"lambda {target}: {module.text(mapped.elements.elt)}"
    match mapped.elements.elt:
        case ast.Call(func=ast.Name() as func, args=[ast.Name(id=given)], keywords=[]) if given == target:
            function = module.text(func)
    edit.replace(mapped.call, f"{jax}.vmap({function})({over})")


def _numbers(module: Module, mapped: _Mapped, edit: Rewriter) -> str:
    jnp = edit.imported("jax.numpy", prefer="jnp", at=mapped.call)
    bounds = ", ".join(map(module.text, mapped.rounds.bounds)) or f"len({module.text(mapped.rounds.arrays[0])})"
    return f"{jnp}.arange({bounds})"


CODEMOD = Codemod(
    id="mapped-loop",
    triggers=("jax",),
    safety=Safety.NEEDS_EVIDENCE,
    equality=Equality.FUSED,
    find=find,
    proves=Proves.SMALLER_PROGRAM,
    relieves=(Work.EAGER,),
    raises=("masked arrays", "no rows", "arrays of unequal length"),
)
