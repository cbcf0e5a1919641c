"""The loop as a function of one iteration, and the call that runs it."""

import ast
from collections.abc import Sequence

from jaxfix.api import FUNCTIONS, Module, Rewriter, walk
from jaxfix_codemods.looping.rounds import Rounds
from jaxfix_codemods.unrolled_loop.collected import Collected


def write(module: Module, rounds: Rounds, names: Sequence[str], outputs: Sequence[Collected], edit: Rewriter) -> None:
    """Puts a function and its call in the place of the loop."""
    loop = rounds.loop
    body, lax = _free(module, loop, "loop_body"), _lax(module, edit, loop)
    whole = names[0] if len(names) == 1 else _free(module, loop, "carry")
    tupled = f"({', '.join(names)})" if len(names) > 1 else names[0]
    bound = ", ".join(names)
    if len(names) > 1:
        edit.insert_before(loop.body[0], f"{bound} = {whole}")
    if rounds.counts_up and rounds.number is not None and not outputs:
        start, stop = ("0", *map(module.text, rounds.bounds))[-2:]
        call = f"{lax}.fori_loop({start}, {stop}, {body}, {tupled})"
        edit.into_function(loop, f"def {body}({rounds.number.id}, {whole}):", f"return {bound}", f"{bound} = {call}")
        return
    element = _element(module, rounds, edit)
    call = f"{lax}.scan({body}, {tupled}, {_rows(module, rounds, edit, is_collecting=bool(outputs))})"
    rest = "_" if _is_free(module, loop, "_") else _free(module, loop, "_rest")
    rows, collected = "None", rest
    if outputs:
        rows, collected = (
            _listed([_row(module, loop, each, edit) for each in outputs]),
            _listed([o.name for o in outputs]),
        )
    edit.into_function(
        loop, f"def {body}({whole}, {element}):", f"return {tupled}, {rows}", f"{tupled}, {collected} = {call}"
    )


def write_map(module: Module, rounds: Rounds, outputs: Sequence[Collected], edit: Rewriter) -> None:
    """The same of a loop that hands nothing from one iteration to the next."""
    loop = rounds.loop
    body, lax = _free(module, loop, "loop_body"), _lax(module, edit, loop)
    rows = ", ".join([_row(module, loop, each, edit) for each in outputs])
    call = f"{lax}.map({body}, {_rows(module, rounds, edit, is_collecting=True)})"
    head = f"def {body}({_element(module, rounds, edit)}):"
    edit.into_function(loop, head, f"return {rows}", f"{', '.join(each.name for each in outputs)} = {call}")


def _listed(names: Sequence[str]) -> str:
    return f"({', '.join(names)})" if len(names) > 1 else names[0]


def _row(module: Module, loop: ast.For, output: Collected, edit: Rewriter) -> str:
    """What an iteration adds to an output, which is stacked already."""
    edit.delete(output.start)
    for call in output.stacks:
        edit.replace(call, module.text(call.args[0]))
    name = _free(module, loop, f"{output.name}_row")
    edit.replace(output.append, f"{name} = {module.text(output.value)}")
    return name


def _lax(module: Module, edit: Rewriter, at: ast.AST) -> str:
    if "jax.lax" in module.names.imports.values():
        return edit.imported("jax.lax", prefer="lax", at=at)
    return f"{edit.imported('jax', prefer='jax', at=at)}.lax"


def _element(module: Module, rounds: Rounds, edit: Rewriter) -> str:
    """The parameter that takes what an iteration is about; several names are bound at the start of the iteration."""
    target = rounds.loop.target
    if isinstance(target, ast.Name):
        return target.id
    name = _free(module, rounds.loop, "row")
    edit.insert_before(rounds.loop.body[0], f"{module.text(target).strip('()')} = {name}")
    return name


def _rows(module: Module, rounds: Rounds, edit: Rewriter, *, is_collecting: bool) -> str:
    """What is scanned, and how."""
    texts = [module.text(array) for array in rounds.arrays]
    together = f"({', '.join(texts)})" if len(texts) > 1 else "".join(texts)
    if rounds.number is None:
        return together
    jnp = edit.imported("jax.numpy", prefer="jnp", at=rounds.loop)
    bounds = ", ".join(map(module.text, rounds.bounds)) or f"len({texts[0]})"
    numbers = f"{jnp}.arange({bounds})"
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
    """Whether the block holds a string of several lines."""
    strings = (n for n in walk(loop) if isinstance(n, ast.JoinedStr | ast.Constant))
    return any(n.lineno != n.end_lineno for n in strings)
