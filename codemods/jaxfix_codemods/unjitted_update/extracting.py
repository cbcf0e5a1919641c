"""A jitted function of statements, written before them, and its call in their place."""

import ast
from collections.abc import Sequence

from jaxfix.api import Module, Rewriter, frozen, walk
from jaxfix.api.analysis import hoisting
from jaxfix_codemods.unjitted_update.derived import Derived, write
from jaxfix_codemods.unjitted_update.rows import Row

_LONG = 60
"""Characters of a list of variables beyond which a line with it has no place for much else."""


@frozen
class Extraction:
    """Statements of a block that become a function.

    Attributes:
      row: the statements, in order, and where the call is.
      before: the statement that the function is to stand before.
      parameters: what the statements read and data, or what the loop changes, by the names that they have inside.
      given: what is passed for each.
      results: what they bind and other code reads, or the next iteration, by the names that they have inside.
      bound: what is bound to each.
      renamed: the attributes inside that become variables.
      own: the object of the method that the function becomes, if it does.
      copy: the copy of an object which the statements read and bind, where its methods do so, too, and that object.
      by: what makes it a jitted one.
      value: the name, outside, of what the last statement computes and fetches.
      static: how many of the parameters, the first, are static arguments: functions of the object, or sizes.
      goes_on: whether it is passed what it bound at the call before.
      lifted: what the function around binds at every call, and the module is to bind once, above the function.
      counting: of `given`, Python numbers that change, for each of which `equinox.filter_jit` would compile.
      derived: the derivative that is all of it, and is jitted instead.
    """

    row: Row
    before: ast.stmt
    name: str
    parameters: tuple[str, ...]
    given: tuple[str, ...]
    results: tuple[str, ...]
    bound: tuple[str, ...]
    renamed: dict[ast.AST, str]
    own: str | None = None
    filtered: bool = False
    static: int = 0
    copy: tuple[str, str] | None = None
    value: str | None = None
    by: str = "jax.jit"
    goes_on: bool = False
    lifted: tuple[ast.Assign, ...] = ()
    counting: frozenset[str] = frozenset()
    derived: Derived | None = None


def extract(module: Module, found: Extraction, edit: Rewriter) -> None:
    """Puts the statements into a function before the loop, and a call in their place."""
    if found.derived is not None:
        jit = edit.member(found.by, prefer="jax", at=found.before)
        write(module, found.derived, found.name, jit, found.before, edit)
        return
    called = f"{found.own}.{found.name}" if found.own else found.name
    body: list[str] = _copying(found, edit)
    taken = {each: edit.take(each, _inside(found, each)) for each in found.row.statements if not _is_seen(found, each)}
    for statement in found.row.statements:
        if isinstance(statement, ast.FunctionDef) and body and body[-1]:
            body.append("")
        if _is_read(found, statement):
            _value_of_call(module, found, edit, called)
        elif statement in taken:
            body.append(taken[statement])
        elif statement is found.row.statements[0] and any(text.startswith("#") for text in taken.values()):
            # comments above its parts: the one above the first is of a part too
            body.append(edit.take(statement, _inside(found, statement)))
            edit.insert_before(statement, _call(found, called, edit))
        else:
            text = module.substitute(statement, _inside(found, statement))
            body.append(hoisting.dedented(text, statement.col_offset))
            edit.replace(statement, _call(found, called, edit))
        if isinstance(statement, ast.FunctionDef):
            body.append("")
    parameters = ", ".join([*([found.own] if found.own else []), *found.parameters])
    head = f"{_decorator(found, edit)}\ndef {found.name}({parameters}):"
    lines = _indented("\n".join(_returning(module, found, body)))
    above = "".join(f"{edit.take(statement, {})}\n" for statement in found.lifted)
    edit.insert_before(found.before, f"{above}\n\n{head}\n{lines}" if above else f"{head}\n{lines}")


def _inside(found: Extraction, statement: ast.stmt) -> dict[ast.AST, str]:
    """What is renamed inside a statement."""
    return {node: text for node, text in found.renamed.items() if node in walk(statement)}


def _is_seen(found: Extraction, statement: ast.stmt) -> bool:
    """Whether a call or a value replaces a statement that moves."""
    return statement is found.row.at or _is_read(found, statement)


def _is_read(found: Extraction, statement: ast.stmt) -> bool:
    """Whether a part of the statement moves, and its value comes back."""
    return found.row.result is not None and statement is found.row.statements[-1]


def _returning(module: Module, found: Extraction, body: Sequence[str]) -> list[str]:
    """The body with its `return`: of what its last statement computes, where that is all."""
    if found.row.result is not None:
        inside = {node: text for node, text in found.renamed.items() if node in walk(found.row.result)}
        value = hoisting.dedented(module.substitute(found.row.result, inside), found.row.result.col_offset)
        if found.results and found.copy is not None and found.value is not None:
            body = [*body, f"{found.value} = {value}"]  # before what it binds is read of the copy
            value = found.value
        return [*body, f"return {_listed((*found.results, value))}" if found.results else f"return {value}"]
    results = ", ".join(found.results)
    if not results:
        return [*body]
    match found.row.statements[-1]:
        case ast.Assign(targets=[target]):
            inside = {node: text for node, text in found.renamed.items() if node in walk(target)}
            bound = module.substitute(target, inside)
            lines = body[-1].splitlines()
            at = next((number for number, line in enumerate(lines) if line.startswith(f"{bound} = ")), None)
            if bound.strip("()[]") == results and at is not None:
                lines[at] = f"return {lines[at].removeprefix(f'{bound} = ')}"
                return [*body[:-1], "\n".join(lines)]
    return [*body, f"return {_listed(found.results)}"]


def _copying(found: Extraction, edit: Rewriter) -> list[str]:
    """The statements that make the copy of the object, and give it what is passed."""
    if found.copy is None:
        return []
    copy, root = found.copy
    made = edit.member("copy.copy", prefer="copy", at=found.before)
    held = [
        f"{copy}.{given.partition('.')[2]} = {parameter}"
        for given, parameter in zip(found.given, found.parameters, strict=True)
        if given.startswith(f"{root}.")
    ]
    return [f"{copy} = {made}({root})", *held]


def _call(found: Extraction, called: str, edit: Rewriter) -> str:
    """The call in the place of the statements, one name a line where what it binds is long."""
    names = (*found.bound, *((found.value,) if found.value is not None else ()))
    passed = _passed(found, edit)
    bound, given = ", ".join(names), ", ".join(passed)
    if not names:
        return f"{called}({given})"
    if len(bound) <= _LONG:
        return f"{bound} = {called}({given})"
    bound, given = ("".join(f"    {name},\n" for name in each) for each in (names, passed))
    return f"(\n{bound}) = {called}(\n{given})"


def _passed(found: Extraction, edit: Rewriter) -> list[str]:
    """What is passed, each by its text: a Python number that changes as an array, which is traced."""
    return [
        f"{edit.member('jax.numpy.asarray', prefer='jnp', at=found.before)}({name})" if name in found.counting else name
        for name in found.given
    ]


def _value_of_call(module: Module, found: Extraction, edit: Rewriter, called: str) -> None:
    """Lets the last statement have what the call computes."""
    statement, result = found.row.statements[-1], found.row.result
    assert result is not None and found.value is not None
    if found.row.at is not statement:
        edit.replace(result, found.value)
    elif not found.bound:
        edit.replace(result, f"{called}({', '.join(_passed(found, edit))})")
    else:
        shown = module.substitute(statement, {result: found.value})
        edit.replace(statement, f"{_call(found, called, edit)}\n{shown}")


def _listed(names: Sequence[str]) -> str:
    """The names as a tuple, in brackets where the line may have to be broken."""
    text = ", ".join(names)
    return f"({text})" if len(text) > _LONG else text


def _decorator(found: Extraction, edit: Rewriter) -> str:
    if found.filtered:
        return f"@{edit.member('equinox.filter_jit', prefer='eqx', at=found.before)}"
    jit = edit.member(found.by, prefer=found.by.split(".")[-2], at=found.before)
    if found.own is None and not found.static:
        return f"@{jit}"
    bound = edit.member("functools.partial", prefer="functools", at=found.before)
    count = found.static + (found.own is not None)
    static = tuple(range(count)) if count > 1 else 0
    return f"@{bound}({jit}, static_argnums={static})"


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" if line else line for line in text.split("\n"))
