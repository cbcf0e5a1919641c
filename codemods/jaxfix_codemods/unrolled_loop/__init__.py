"""A Python loop in traced code, unrolled into one copy of its block per iteration.

`jax.jit` does not see a Python loop: it traces, lowers and compiles each iteration, so the time of the first call grows
with the number of iterations. The loop's variables become the carry of `jax.lax.fori_loop` or `jax.lax.scan`, which
trace and compile the block once.

Before:
    import jax
    import jax.numpy as jnp


    @jax.jit
    def smoothed(signal, weights):
        level = signal[0]
        for i in range(64):
            level = 0.9 * level + 0.1 * signal[i]
            level = level + jnp.tanh(weights[i] * level)
        return level


    print(smoothed(jnp.linspace(0.0, 1.0, 64), jnp.linspace(-1.0, 1.0, 64)))

After:
    import jax
    import jax.numpy as jnp


    @jax.jit
    def smoothed(signal, weights):
        level = signal[0]

        def loop_body(i, level):
            level = 0.9 * level + 0.1 * signal[i]
            level = level + jnp.tanh(weights[i] * level)
            return level

        level = jax.lax.fori_loop(0, 64, loop_body, level)
        return level


    print(smoothed(jnp.linspace(0.0, 1.0, 64), jnp.linspace(-1.0, 1.0, 64)))

Safety: needs a rerun. The block is traced once, so a print, a NumPy draw or a counter would happen once: declined. A
list that is stacked after the loop, or read by number, becomes a result of the scan, also if `insert(0, x)` or
`reverse()` turns it; other growing lists are declined. The iteration number is traced: as an index, in `fold_in`, and
in arithmetic or comparison with an array it gives the same; other uses, such as `i / 3`, which Python divides in double
precision, are declined. Slices `x[start : start + size]` over `range(0, rows, size)` become rows of the reshaped array,
which raises if they do not fit. A branch on the first or last iteration becomes `where`, if both values are elements,
sums or products. A zero that becomes a row gets the shape of an iteration by `jax.eval_shape`. In nested loops the
inner one is rewritten first.

The gradient of `x[:, t]` is as large as `x` in each iteration. In a file that takes a derivative, an array that the
loop reads in this way alone is scanned instead, and with as many rows as there are iterations: one with fewer raises.
Of an array that index arrays take, as `table[tokens]`, the indices are put in the order of the loop, not the rows.

A list of layers is left alone: stacked under the trace, they compile longer than one by one, and take more memory. A
traced run tells an array from a list, and the number of iterations.

Declined too: iterations that end early, layers that the loop creates, and initial values that Python or NumPy
computes with. The carry must keep its structure, shape and dtype, else JAX raises at the trace; the receipt names
data, which the program never passes, for which that was seen. The number of iterations stays known, so gradients
work. On some devices a short loop is slower than its unrolled form: if a warm call takes half as long again, the fix
is held back.

Evidence: fewer operations to compile, a loop counted once. Results are equal bit for bit, or differ because XLA fuses
and sums in another order: then calls beside the original agree in double precision. Compile times are shown, and do
not decide.

Source: https://docs.jax.dev/en/latest/_autosummary/jax.lax.fori_loop.html: a loop whose bounds are known to the trace
is lowered to `scan`, and can be differentiated in reverse; https://docs.jax.dev/en/latest/_autosummary/jax.lax.scan.html
for compile times.
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
    Module,
    Proves,
    Reason,
    Runs,
    Safety,
    Staging,
    walk,
)
from jaxfix.api.analysis import reaching
from jaxfix_codemods.looping.arrays import Arrays
from jaxfix_codemods.looping.minibatches import minibatches
from jaxfix_codemods.looping.reads import check_effects, check_reads
from jaxfix_codemods.looping.rounds import Rounds, rounds_of
from jaxfix_codemods.looping.seen import are_arrays_seen, iterations_seen
from jaxfix_codemods.unrolled_loop.carried import Carry, carry_of, stores
from jaxfix_codemods.unrolled_loop.collected import Collected, collected
from jaxfix_codemods.unrolled_loop.operands import operands
from jaxfix_codemods.unrolled_loop.selected import check_selections, selections
from jaxfix_codemods.unrolled_loop.starting import check_starts, updates
from jaxfix_codemods.unrolled_loop.writing import has_strings_over_lines, write, write_map

_COUNT, _SCAN, _MAP = "Loop with `fori_loop`", "Loop with `scan`", "Map the iterations with `jax.lax.map`"
_FEW, _MANY = 4, 32
"""Rounds that are not worth a word, and those that are worth a change whatever a run shows."""


def find(module: Module) -> Iterator[Finding]:
    if module.source.holds_tests:
        return
    for loop in module.nodes(ast.For):
        rounds = rounds_of(module, loop) if module.function(loop) is not None and not loop.orelse else None
        if rounds is None or (rounds.count or _MANY) < _FEW:
            continue
        if not _computes(module, rounds) and not collected(module, rounds):
            continue
        seen = iterations_seen(module, loop)
        is_staged = True if seen else _is_staged(module, loop)
        if is_staged is not None:
            yield from _findings(module, rounds, seen, is_sure=is_staged)


def _findings(module: Module, rounds: Rounds, seen: int, *, is_sure: bool) -> Iterator[Finding]:
    number = rounds.count or seen
    many = number >= _MANY
    outputs = collected(module, rounds)
    message = "a trace unrolls this loop: {} traced and compiled"
    found = partial(
        Finding,
        at=rounds.loop.iter,
        message=message.format(f"all {number} iterations are" if number else "each iteration is"),
        title=_SCAN if outputs or not rounds.counts_up else _COUNT,
        confidence=_confidence(seen, is_certain=many and is_sure),
        guess=not many,
    )
    try:
        carry = _checked(module, rounds, outputs)
    except Declined as declined:
        if rounds.count is None or many:
            yield found(declined=declined.reason, moot=not many)
        return
    if carry.names:
        title = _SCAN if carry.lasts or operands(module, rounds, carry) else found.keywords["title"]
        yield found(title=title, recipe=partial(write, module, rounds, carry, outputs))
    elif outputs:
        yield found(title=_MAP, recipe=partial(write_map, module, rounds, outputs))


def _confidence(seen: int, *, is_certain: bool) -> Confidence:
    if seen >= _MANY:
        return Confidence.SEEN
    return Confidence.CERTAIN if is_certain else Confidence.POSSIBLE


def _checked(module: Module, rounds: Rounds, outputs: Sequence[Collected]) -> Carry:
    """What the loop carries.

    Raises:
      Declined: it cannot become a function of one iteration.
    """
    loop = rounds.loop
    if has_strings_over_lines(loop):
        raise Declined(Reason(Code.MULTILINE_STRING, "its block holds a multi-line string"))
    carry = carry_of(module, loop)
    _check_target(module, rounds)
    chosen, batches = selections(module, rounds), minibatches(module, rounds)
    tests = [each.test for each in chosen]
    check_reads(module, rounds, [*tests, *batches.apart], is_scanned=bool(outputs or carry.lasts))
    apart = [*(output.append for output in outputs), *(each.statement for each in chosen)]
    check_effects(module, rounds, carry.names, apart, batches.names)
    check_selections(module, rounds, chosen)
    check_starts(module, loop, carry)
    return carry


def _check_target(module: Module, rounds: Rounds) -> None:
    """No code may read the variable of the loop after it, or bind it within."""
    loop = rounds.loop
    inside, bound = set(walk(loop)), stores(module, loop)
    for target in (node for node in walk(loop.target) if isinstance(node, ast.Name)):
        if target.id in bound:
            raise Declined(Reason(Code.REBOUND, f"an iteration binds `{target.id}` again"))
        scope = module.function(loop)
        for use in module.uses(target.id, scope):
            if isinstance(use.ctx, ast.Load) and use not in inside and _is_last(module, use, loop):
                raise Declined(Reason(Code.LIVE, f"line {use.lineno} reads the last `{target.id}`", use.lineno))


def _is_last(module: Module, use: ast.Name, loop: ast.For) -> bool:
    """Whether `use`, outside of the loop, may read what the loop has bound."""
    found = module.bindings(use.id, module.function(loop))
    return any(loop in module.ancestors(binding.node) for binding in reaching(module, use, found))


def _computes(module: Module, rounds: Rounds) -> bool:
    """Whether what an iteration binds is likely an array that comes from the iteration before.

    A list of layers is none: they may differ in shape, and anyone who writes one has chosen so.
    """
    arrays = module.get(Arrays)
    pairs = zip(rounds.arrays, rounds.rows, strict=True)
    if not are_arrays_seen(module, rounds) and not all(_gives_arrays(module, rounds, *each) for each in pairs):
        return False
    nodes = [node for statement in rounds.loop.body for node in walk(statement)]
    read = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    read |= {node.target.id for node in nodes if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)}
    return any(
        arrays.is_sure(value) or isinstance(value, ast.Call | ast.IfExp)
        for name in stores(module, rounds.loop)
        if name in read
        for value in updates(module, rounds.loop, name)
    )


def _gives_arrays(module: Module, rounds: Rounds, array: ast.expr, row: ast.Name) -> bool:
    """Whether the rows are arrays: of a list of layers, an entry is not an operand of arithmetic."""
    arrays = module.get(Arrays)
    if arrays.is_one(array) or not arrays.is_sure(array):
        return arrays.is_one(array)
    nodes = (node for statement in rounds.loop.body for node in walk(statement))
    return any(
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Sub | ast.Mult | ast.Div)
        and any(isinstance(side, ast.Name) and side.id == row.id for side in (node.left, node.right))
        for node in nodes
    )


def _is_staged(module: Module, loop: ast.For) -> bool | None:
    """Whether the loop only ever runs under a trace; None where nothing says that it ever does."""
    staging = module.get(Staging)
    if staging.is_staged(loop):
        return True
    return False if Runs.TRACED in staging.ways(loop).known and not staging.is_eager(loop) else None


CODEMOD = Codemod(
    id="unrolled-loop",
    triggers=("jax",),
    safety=Safety.NEEDS_EVIDENCE,
    equality=Equality.FUSED,
    find=find,
    inner_first=True,  # within the unchanged function, which a rerun compares
    proves=Proves.SMALLER_PROGRAM,
    raises=(
        "complex numbers",
        "one axis more",
        "one axis less",
        "two axes more",
        "the same bytes as integers",
        "the same bytes in another shape",
        "one row less",
        "one row",
    ),
)
