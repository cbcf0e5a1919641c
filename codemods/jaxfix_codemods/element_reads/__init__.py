"""Array elements read one by one in a Python loop.

Each `x[i]` of a JAX array starts a program, and each `float(...)`, `if` or
`print` of it waits for the result: thousands of dispatches instead of one copy. The array is copied to the host once,
by `np.asarray`, and its elements are read there. The copy is made where the variable is bound if all uses are such
reads, else before the loop. A loop over an array iterates over the copy, also where its rows are passed to functions
under `jax.jit` and used nowhere else: to iterate over an array, JAX compiles a program that returns up to 100 rows at a
time.

Before:
    import jax

    def show(key):
        board = jax.random.normal(key, (8, 8))
        for row in range(board.shape[0]):
            print("".join("x" if board[row, i] > 0 else "." for i in range(board.shape[1])))

    show(jax.random.key(0))

After:
    import jax
    import numpy as np

    def show(key):
        board = np.asarray(jax.random.normal(key, (8, 8)))
        for row in range(board.shape[0]):
            print("".join("x" if board[row, i] > 0 else "." for i in range(board.shape[1])))

    show(jax.random.key(0))

Safety: needs a rerun. Elements of a NumPy copy have other types in arithmetic than JAX arrays. So only reads that go
to the host at once use the copy: `float`, `int`, `bool`, `.item()`, `print`, a format, an index into a list, a
condition, or a comparison in one with a small integer or a quarter of one.

JAX clamps an index beyond the end, and NumPy raises an `IndexError`. So an index other than the first, the last, or a
counter of `range(len(x))`, `range(x.shape[0])`, `enumerate` and the like is clamped, `min(i, x.shape[0] - 1)`, if it
is surely a Python integer.

Declined: names that the loop rebinds, attributes that are stored later, code that may run under a trace and reads
only in some iterations, and arrays that the loop passes on or that a function which it was given may hold, since a
donation or deletion in between makes the original raise. Rows passed to a jitted function must be strongly typed, as
NumPy rows are, must not be keys, and must not be donated. Programs that name devices are left alone. On devices other
than the CPU each row is transferred. If nothing in the code says that a value is a JAX array, a run must.

Evidence: equal results, and no rise in compiles or memory. The programs that took single elements are gone: the trace
of a run counts them.

Source: https://docs.jax.dev/en/latest/async_dispatch.html
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from jaxfix.api import (
    Code,
    Codemod,
    Confidence,
    Equality,
    Finding,
    Identifiers,
    Module,
    Proves,
    Reason,
    Recipe,
    Rewriter,
    Runs,
    Safety,
    Staging,
    Work,
    walk,
)
from jaxfix.api.analysis import Values, is_script
from jaxfix.api.library import Effect, Result, where
from jaxfix_codemods.element_reads import indices
from jaxfix_codemods.element_reads.arrays import Arrays, Sure
from jaxfix_codemods.element_reads.places import (
    Place,
    follows,
    is_few,
    is_long,
    is_unconditional,
    place_of,
    why_given_away,
)
from jaxfix_codemods.element_reads.uses import Over, Uses, loops_over

_TITLE = "Read the elements from one copy on the host"
_ELEMENTS = "reads the elements of {} one by one: each read is dispatched separately and waits for the device"
_ROWS = "iterates over the rows of {}: JAX compiles a program that unstacks up to 100 at a time"
_KEYS = where(Result.KEY)
_PLACING = where(Effect.PLACES)


def find(module: Module) -> Iterator[Finding]:
    if module.source.holds_tests:
        return
    taken: set[ast.AST] = set()
    for over in loops_over(module):
        yield from _of_loop(module, over, taken)
    yield from _of_reads(module, taken)


# --- loops over an array ------------------------------------------------------------------------------------------


def _of_loop(module: Module, over: Over, taken: set[ast.AST]) -> Iterator[Finding]:
    """What a loop over an array binds, if all of it stays on the host."""
    array, uses = over.array, module.get(Uses)
    binding = module.names.only_binding(array) if isinstance(array, ast.Name) else None
    if array in taken or (binding is not None and binding.node in taken):
        taken.update(over.names)  # the rows of an array that is found already
        return
    if module.get(Arrays).is_made_on_host(array) or is_few(array) or not is_long(module, over.loop):
        return
    if not any(map(uses.reads_values, over.names)):
        return
    if not all(map(uses.stay_on_host, over.names)):
        if all(map(uses.go_into_jit, over.names)) and _may_be_copied(module, over):
            taken.update((array, *over.names))
            yield _finding(module, _Read(array, over.loop, Sure.ASSUMED, _ROWS), partial(_wrap, array))
        return
    sure = _sure(module, array, over.loop)
    if sure is None:
        return
    taken.update((array, *over.names))
    reads = [use for name in over.names for use in uses.of_name(name) or ()]
    given_away = why_given_away(module, array, over.loop)
    cure: Recipe | Reason = _why_not(module, over.loop, reads) or given_away or partial(_wrap, array)
    if not isinstance(cure, Reason) and not module.has_exact_spans(array):
        cure = Reason(Code.FORMAT_STRING, "it is inside an f-string")
    yield _finding(module, _Read(array, over.loop, sure), _within(module, reads, cure))


def _may_be_copied(module: Module, over: Over) -> bool:
    """Whether rows of NumPy are to jitted functions what the rows of the array are, which surely is one of JAX.

    Keys are not NumPy arrays, which have no weak types either; what is put on one of several devices stays there.
    """
    array = over.array
    is_of_program = is_script(module) or "." not in (module.surroundings.name or ".")
    is_eager = is_of_program and module.get(Staging).is_eager(over.loop)
    arrays = module.get(Arrays)
    if arrays.of(array) is not Sure.CERTAIN or not (is_eager and arrays.is_strong(array)):
        return False
    if not module.has_exact_spans(array) or any(True for name in _PLACING for _ in module.names.references(name)):
        return False
    sources = [array, *module.get(Values).origins.of(array)]
    made = (module.qualname(each.func) or "" for each in sources if isinstance(each, ast.Call))
    is_sharded = any(name.startswith("jax.sharding") for name in module.names.imports.values())
    return not is_sharded and not any(name in _KEYS for name in made)


# --- elements by index --------------------------------------------------------------------------------------------


class _Read:
    """What is shown: an array, and the loop that reads its elements."""

    def __init__(self, at: ast.expr, loop: ast.AST, sure: Sure, what: str = _ELEMENTS) -> None:
        self.at, self.loop, self.sure, self.what = at, loop, sure, what


def _of_reads(module: Module, taken: set[ast.AST]) -> Iterator[Finding]:
    groups: dict[tuple[str, ast.AST], list[tuple[ast.expr, Place]]] = {}
    for subscript in module.nodes(ast.Subscript):
        array = subscript.value
        if type(subscript.ctx) is not ast.Load or not isinstance(array, ast.Name | ast.Attribute):
            continue
        if not module.loops(array):
            continue
        binding = module.names.only_binding(array) if isinstance(array, ast.Name) else None
        if binding is not None and binding.node in taken:
            continue
        if not module.get(Uses).is_of_host(array) or (place := place_of(module, array)) is None:
            continue
        groups.setdefault(("".join(module.text(array).split()), place.loop), []).append((array, place))
    bound: set[ast.AST] = set()
    for found in groups.values():
        yield from _of_group(module, [array for array, _ in found], found[0][1], bound)


def _of_group(module: Module, reads: Sequence[ast.expr], place: Place, bound: set[ast.AST]) -> Iterator[Finding]:
    """The reads of one array in one loop."""
    first = reads[0]
    if all(_is_fixed(module, read) for read in reads) or not is_long(module, place.loop):
        return
    sure = _sure(module, first, place.loop)
    if sure is None:
        return
    whole = _only_read(module, first, place)
    if whole is not None:
        if whole in bound:
            return
        bound.add(whole)
        uses = module.get(Uses).of_name(whole) or ()
        inner: list[ast.Name | ast.Attribute] = [u for u in uses if isinstance(module.parent(u), ast.Subscript)]
    else:
        inner = [read for read in reads if isinstance(read, ast.Name | ast.Attribute)]
    refused = _why_not(module, place.loop, inner) or why_given_away(module, first, place.loop)
    cure = refused or _cure(module, inner, place, whole)
    yield _finding(module, _Read(first, place.loop, sure), cure)


def _cure(
    module: Module, reads: Sequence[ast.Name | ast.Attribute], place: Place, whole: ast.Name | None
) -> Recipe | Reason:
    """A copy where the variable is bound, if `whole` binds it; else before the loop."""
    if whole is not None:
        value = module.names.value_of(whole)
        assert value is not None
        return _within(module, reads, partial(_wrap, value))
    if not all(map(module.has_exact_spans, reads)):
        return Reason(Code.FORMAT_STRING, "an element is read inside an f-string")
    name = module.text(reads[0]).rpartition(".")[2]
    on_host = module.get(Identifiers).unused_at(f"{name}_on_host", reads[0])
    return _within(module, reads, partial(_copy, module, tuple(reads), place, on_host), on_host)


def _is_fixed(module: Module, array: ast.expr) -> bool:
    """Whether each iteration reads the same element."""
    read = module.parent(array)
    return isinstance(read, ast.Subscript) and not any(isinstance(node, ast.Name) for node in walk(read.slice))


def _only_read(module: Module, array: ast.expr, place: Place) -> ast.Name | None:
    """What binds the variable, if it is bound once and its elements are all that is ever read of it."""
    binding = module.names.only_binding(array) if isinstance(array, ast.Name) else None
    if binding is None or not isinstance(binding.node, ast.Name) or module.value_of(binding.node) is None:
        return None
    if binding.scope is module.tree and not is_script(module):
        return None
    is_own = module.function(binding.node) is module.function(array)
    if not _is_never_traced(module, binding.node) and not follows(module, place.before, module.statement(binding.node)):
        return None
    return binding.node if is_own and module.get(Uses).stay_on_host(binding.node) else None


def _within(
    module: Module, reads: Sequence[ast.expr], cure: Recipe | Reason, on_host: str | None = None
) -> Recipe | Reason:
    """The cure, with indices that JAX would clamp clamped.

    Args:
      on_host: what the copy is called; None for what the array is called.
    """
    if isinstance(cure, Reason):
        return cure
    texts: dict[ast.expr, str] = {}
    for array in reads:
        for each in indices.beyond(module, array):
            text = indices.clamped(module, each, on_host or module.text(array))
            is_nested = any(node in reads for node in walk(each.index))
            if text is None or is_nested or not module.has_exact_spans(each.index):
                shown = " ".join(module.text(_read_of(module, array)).split())
                return Reason(Code.MAY_FAIL, f"an index of `{shown}` may lie beyond the end, where NumPy raises")
            texts[each.index] = text
    return partial(_clamp, texts, cure) if texts else cure


def _read_of(module: Module, array: ast.expr) -> ast.expr:
    while isinstance(outer := module.parent(array), ast.Subscript) and outer.value is array:
        array = outer
    return array


# --- what both ask ------------------------------------------------------------------------------------------------


def _sure(module: Module, array: ast.expr, loop: ast.AST) -> Sure | None:
    """How sure it is that this is a JAX array; None where it is not, or nothing says so."""
    sure = module.get(Arrays).of(array)
    if sure is Sure.HOST or (sure is Sure.UNKNOWN and not _is_seen(module, loop)):
        return None
    return None if module.get(Staging).is_only_traced(loop) else sure


def _is_seen(module: Module, loop: ast.AST) -> bool:
    """Whether a run has read elements one by one in these lines."""
    first, last = getattr(loop, "lineno", 0), getattr(loop, "end_lineno", 0)
    reading = (region for region in module.hot if region.kind is Work.TRANSFER and region.reads and region.programs)
    return any(first <= region.last and region.first <= last for region in reading)


def _why_not(module: Module, loop: ast.AST, reads: Sequence[ast.expr]) -> Reason | None:
    if _is_never_traced(module, loop) or any(is_unconditional(module, read, loop) for read in reads):
        return None
    return Reason(Code.CONDITIONAL, "under a trace it would fail, where some iterations read nothing and run today")


def _is_never_traced(module: Module, node: ast.AST) -> bool:
    """Whether every way to `node` is known, and none passes a trace."""
    ways = module.get(Staging).ways(node)
    return ways.known == {Runs.EAGER} and not ways.open


def _finding(module: Module, read: _Read, cure: Recipe | Reason) -> Finding:
    staging = module.get(Staging)
    is_certain = read.sure is Sure.CERTAIN and staging.is_eager(read.loop) and staging.surely_repeats(read.loop)
    shown = " ".join(module.text(read.at).split())
    return Finding(
        at=read.at,
        message=f"a loop {read.what.format(f'`{shown}`')}",
        title=_TITLE if read.what is _ELEMENTS else "Iterate over a copy of the rows on the host",
        recipe=None if isinstance(cure, Reason) else cure,
        declined=cure if isinstance(cure, Reason) else None,
        confidence=Confidence.CERTAIN if is_certain else Confidence.POSSIBLE,
        guess=True,
        moot=not is_certain and isinstance(cure, Reason),
    )


def _wrap(array: ast.expr, edit: Rewriter) -> None:
    numpy = edit.imported("numpy", prefer="np", at=array)
    edit.wrap(array, f"{numpy}.asarray(", ")")


def _copy(module: Module, reads: Sequence[ast.expr], place: Place, name: str, edit: Rewriter) -> None:
    array = module.text(reads[0])
    numpy = edit.imported("numpy", prefer="np", at=place.before)
    edit.insert_before(place.before, f"{name} = {numpy}.asarray({array})\n")
    for read in reads:
        edit.replace(read, name)


def _clamp(texts: Mapping[ast.expr, str], cure: Recipe, edit: Rewriter) -> None:
    for index, text in texts.items():
        edit.replace(index, text)
    cure(edit)


CODEMOD = Codemod(
    id="element-reads",
    triggers=("jax",),
    safety=Safety.NEEDS_EVIDENCE,
    equality=Equality.BITWISE,
    find=find,
    proves=Proves.LESS_WORK,
    relieves=(Work.TRANSFER,),
)
