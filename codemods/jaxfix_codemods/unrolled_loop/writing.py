"""The loop as a function of one iteration, and the call that runs it."""

import ast
from collections.abc import Iterator, Mapping, Sequence

from jaxfix.api import FUNCTIONS, Module, Rewriter, walk
from jaxfix_codemods.looping.arrays import Arrays
from jaxfix_codemods.looping.minibatches import minibatches, write_minibatches
from jaxfix_codemods.looping.rounds import Rounds, listed, unenclosed
from jaxfix_codemods.unrolled_loop.carried import Carry
from jaxfix_codemods.unrolled_loop.collected import STACKED, Collected, Taken, is_adding
from jaxfix_codemods.unrolled_loop.operands import Operand, operands, write_indices, write_operands
from jaxfix_codemods.unrolled_loop.selected import selections, write_selections
from jaxfix_codemods.unrolled_loop.starting import updates
from jaxfix_codemods.unrolled_loop.widening import widened, write_widened


def write(module: Module, rounds: Rounds, carry: Carry, outputs: Sequence[Collected], edit: Rewriter) -> None:
    """Puts a function and its call in the place of the loop."""
    loop, names = rounds.loop, carry.names
    body, lax = _free(module, loop, "loop_body"), _lax(module, edit, loop)
    whole = names[0] if len(names) == 1 else _free(module, loop, "carry")
    tupled = names[0] if len(names) == 1 else f"({', '.join(names)})"
    bound = ", ".join(names)
    if len(names) > 1:
        edit.insert_before(loop.body[0], f"{bound} = {whole}")
    write_selections(module, selections(module, rounds), edit)
    write_minibatches(module, rounds, minibatches(module, rounds), edit)
    wide, scanned = widened(module, rounds, carry), operands(module, rounds, carry)
    _write_indexed(module, rounds, scanned, edit)
    if rounds.counts_up and rounds.number is not None and not outputs and not carry.lasts and not scanned:
        start, stop = ("0", *map(module.text, rounds.bounds))[-2:]
        call = f"{bound} = {lax}.fori_loop({start}, {stop}, {body}, {tupled})"
        shape = f"{_jax(edit, loop)}.eval_shape({body}, {start}, {tupled})" if wide else ""
        behind = [*write_widened(names, wide, shape, edit, loop), call]
        edit.into_function(loop, f"def {body}({rounds.number.id}, {whole}):", f"return {bound}", "\n".join(behind))
        return
    element = _element(module, rounds, scanned, edit)
    is_turned = rounds.is_backward and not rounds.arrays and all(each.is_turned for each in outputs)
    call = f"{lax}.scan({body}, {tupled}, {_rows(module, rounds, scanned, edit, is_collecting=not is_turned)})"
    rest = "_" if _is_free(module, loop, "_") else _free(module, loop, "_rest")
    lasts = {name: _free(module, loop, f"{name}_rows") for name in carry.lasts}
    rows = [*(_row(module, loop, each, edit, is_in_order=is_turned) for each in outputs), *lasts]
    collected = [*(each.name for each in outputs), *lasts.values()]
    shape = f"{_jax(edit, loop)}.eval_shape({body}, {tupled}, {_first(module, rounds)})[0]" if wide else ""
    edit.into_function(
        loop,
        f"def {body}({whole}, {element}):",
        f"return {tupled}, {listed(rows) if rows else None}",
        "\n".join(
            [
                *write_widened(names, wide, shape, edit, loop),
                f"{tupled}, {listed(collected) if rows else rest} = {call}",
                *_write_lasts(module, rounds, lasts, edit, place=0 if is_turned else -1),
            ]
        ),
    )


def _write_lasts(
    module: Module, rounds: Rounds, lasts: Mapping[str, str], edit: Rewriter, *, place: int
) -> Iterator[str]:
    """What the last iteration has bound, of the rows of all."""
    for name, rows in lasts.items():
        is_one = all(map(module.get(Arrays).is_one, updates(module, rounds.loop, name)))
        tree = f"{_jax(edit, rounds.loop)}.tree.map(lambda rows: rows[{place}], {rows})"
        yield f"{name} = {rows}[{place}]" if is_one else f"{name} = {tree}"


def _first(module: Module, rounds: Rounds) -> str:
    """What the first iteration is about, in a trace of which nothing but shapes is read."""
    firsts = [f"{module.text(array)}[0]" for array in rounds.arrays]
    together = f"({', '.join(firsts)})" if len(firsts) > 1 else "".join(firsts)
    if rounds.number is None:
        return together
    return f"(0, {together})" if firsts else "0"


def write_map(module: Module, rounds: Rounds, outputs: Sequence[Collected], edit: Rewriter) -> None:
    """The same of a loop that passes nothing from one iteration to the next."""
    loop = rounds.loop
    body, lax = _free(module, loop, "loop_body"), _lax(module, edit, loop)
    rows = ", ".join([_row(module, loop, each, edit) for each in outputs])
    call = f"{lax}.map({body}, {_rows(module, rounds, (), edit, is_collecting=True)})"
    write_selections(module, selections(module, rounds), edit)
    write_minibatches(module, rounds, minibatches(module, rounds), edit)
    _write_indexed(module, rounds, (), edit)
    head = f"def {body}({_element(module, rounds, (), edit)}):"
    edit.into_function(loop, head, f"return {rows}", f"{', '.join(each.name for each in outputs)} = {call}")


def _write_indexed(module: Module, rounds: Rounds, scanned: Sequence[Operand], edit: Rewriter) -> None:
    """A NumPy array takes no traced number: what a caller may pass as one is made a JAX array."""
    rows = {read for each in scanned for read in each.reads}
    if rounds.number is None or selections(module, rounds) or minibatches(module, rounds).apart:
        return
    for statement in rounds.loop.body:
        for node in walk(statement):
            match node:
                case ast.Subscript(value=ast.Name() as value, slice=where, ctx=ast.Load()) if node not in rows:
                    reads = {each.id for each in walk(where) if isinstance(each, ast.Name)}
                    if rounds.number.id in reads and _may_be_of_host(module, rounds.loop, value):
                        jnp = edit.imported("jax.numpy", prefer="jnp", at=rounds.loop)
                        edit.replace(value, f"{jnp}.asarray({value.id})")


def _may_be_of_host(module: Module, loop: ast.For, name: ast.Name) -> bool:
    """Whether it is a parameter of the function around of which nothing says that it is a JAX array."""
    scope = module.scope_of(name.id, name)
    if scope is not module.function(loop):
        return False
    bound = module.bindings(name.id, scope)
    return all(isinstance(each.node, ast.arg) for each in bound) and not module.get(Arrays).is_sure(name)


def _row(module: Module, loop: ast.For, output: Collected, edit: Rewriter, *, is_in_order: bool = False) -> str:
    """What an iteration adds to an output, which is stacked already."""
    if output.name == output.started[0]:
        edit.delete(output.start)
    if output.turning is not None:
        edit.delete(output.turning)
    for taken in output.taken:
        _take(module, output, taken, edit, is_in_order=is_in_order)
    last = all(map(is_adding, loop.body[loop.body.index(output.append) :]))
    if last and not is_adding(loop.body[0]):
        edit.delete(output.append)
        return module.text(output.value)
    name = _free(module, loop, f"{output.name}_row")
    edit.replace(output.append, f"{name} = {module.text(output.value)}")
    return name


def _take(module: Module, output: Collected, taken: Taken, edit: Rewriter, *, is_in_order: bool) -> None:
    """Makes an array of the rows, of which a scan from the last to the first has put the first one first."""
    given = taken.call.args[0]
    rows = output.name if is_in_order or not taken.is_turned else f"{output.name}[::-1]"
    if taken.by not in STACKED:
        if rows != module.text(given):
            edit.replace(given, rows)
        return
    jnp = edit.imported("jax.numpy", prefer="jnp", at=taken.call)
    text, statement = taken.text(rows, jnp), module.parent(taken.call)
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]) if name == text:
            edit.delete(statement)
        case _:
            edit.replace(taken.call, text)


def _jax(edit: Rewriter, at: ast.AST) -> str:
    return edit.imported("jax", prefer="jax", at=at)


def _lax(module: Module, edit: Rewriter, at: ast.AST) -> str:
    if "jax.lax" in module.names.imports.values():
        return edit.imported("jax.lax", prefer="lax", at=at)
    return f"{_jax(edit, at)}.lax"


def _element(module: Module, rounds: Rounds, scanned: tuple[Operand, ...], edit: Rewriter) -> str:
    """The parameter that takes what an iteration is about; several names are bound at the start of the iteration."""
    target = rounds.loop.target
    if scanned:
        row, number = _free(module, rounds.loop, "row"), module.text(target)
        names = tuple(_free(module, rounds.loop, f"{each.array.id}_{number}") for each in scanned)
        unread = "_" if _is_free(module, rounds.loop, "_") else number
        write_operands(rounds, scanned, names, row, unread, edit)
        return row
    if isinstance(target, ast.Name):
        return target.id
    name = _free(module, rounds.loop, "row")
    edit.insert_before(rounds.loop.body[0], f"{unenclosed(module, target)} = {name}")
    return name


def _rows(module: Module, rounds: Rounds, scanned: tuple[Operand, ...], edit: Rewriter, *, is_collecting: bool) -> str:
    """What is scanned, and how."""
    texts = [module.text(array) for array in rounds.arrays]
    together = f"({', '.join(texts)})" if len(texts) > 1 else "".join(texts)
    if rounds.number is None:
        return together
    jnp = edit.imported("jax.numpy", prefer="jnp", at=rounds.loop)
    bounds = ", ".join(map(module.text, rounds.bounds)) or f"len({texts[0]})"
    numbers = f"{jnp}.arange({bounds})"
    if scanned:
        write_indices(scanned, jnp, edit)
        return f"({', '.join([numbers, *(each.text(module, rounds, jnp) for each in scanned)])})"
    if texts:
        return f"({numbers}, {together})"
    if rounds.is_backward and is_collecting:
        return f"{numbers}[::-1]"  # in `reverse`, outputs would stand in the order of the numbers
    return f"{numbers}, reverse=True" if rounds.is_backward else numbers


def _free(module: Module, loop: ast.For, name: str) -> str:
    """`name`, or `name` with a number, which means nothing in the functions around the loop."""
    number, candidate = 1, name
    while not _is_free(module, loop, candidate):
        number += 1
        candidate = f"{name}_{number}"
    return candidate


def _is_free(module: Module, loop: ast.For, name: str) -> bool:
    if module.bindings(name, module.tree):
        return False
    outermost = module.functions_around(loop)[-1]
    return not any(_mentions(node, name) for node in walk(outermost))


def _mentions(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Name(id=found) | ast.arg(arg=found):
            return found == name
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            return name in names
    return isinstance(node, FUNCTIONS) and getattr(node, "name", None) == name


def has_strings_over_lines(loop: ast.For) -> bool:
    """Whether the block holds a multi-line string."""
    strings = (n for n in walk(loop) if isinstance(n, ast.JoinedStr | ast.Constant))
    return any(n.lineno != n.end_lineno for n in strings)
