"""Where a file uses what is gone or going: imports with all that is read through them, names, calls."""

import ast
from collections.abc import Iterator, Mapping

from jaxfix.api import Code, Declined, Module, Reason, frozen
from jaxfix.api.library import NAMED, REPLACED_MODULES, Name, Way
from jaxfix_codemods.removed_api.fates import by_hand, fate, lacks_new, too_new
from jaxfix_codemods.removed_api.guards import is_given_here
from jaxfix_codemods.removed_api.spelling import arguments, by_keywords
from jaxfix_codemods.removed_api.types import is_asked_elsewhere, is_asked_for

Import = ast.Import | ast.ImportFrom
_PARTIAL = "functools.partial"
_ASKED = Reason(
    Code.BY_HAND,
    "`isinstance` and `is` differ for `jax.Array`, tracers and keys: test for the intended type",
)


@frozen
class Imported:
    """A name that an import takes from what is gone or going.

    Attributes:
      full: its canonical name.
      new: the canonical name that the import takes in its place; empty where it goes, its uses being rewritten.
      planned: the uses that are rewritten with it.
      declined: why it stays.
    """

    alias: ast.alias
    statement: Import
    row: Name
    full: str
    new: str
    planned: Mapping[ast.AST, Name]
    declined: Reason | None = None


@frozen
class Named:
    """An expression that names what is gone or going; `node` is what is replaced: it, or a call of it."""

    at: ast.Name | ast.Attribute
    node: ast.AST
    row: Name
    declined: Reason | None = None


def imported(module: Module) -> Iterator[Imported]:
    """Every import of what is gone or going, in the order of the text."""
    statements: list[Import] = [*module.nodes(ast.ImportFrom), *module.nodes(ast.Import)]
    for statement in statements:
        for alias in statement.names:
            full = _full(module, statement, alias)
            replaced = REPLACED_MODULES.get(full) if isinstance(statement, ast.Import) else None
            row = NAMED[replaced] if replaced is not None else _row_of(full)
            if row is None or row.way is Way.PARALLEL or is_given_here(module, row.old):
                continue
            if fate(module, row) is not None:
                yield _imported(module, statement, alias, full, row)


def _full(module: Module, statement: Import, alias: ast.alias) -> str:
    if isinstance(statement, ast.Import):
        return alias.name
    origin = module.names.absolute("." * statement.level + (statement.module or ""))
    return origin if alias.name == "*" else f"{origin}.{alias.name}"


def _row_of(full: str) -> Name | None:
    """The row of the name, or of the module that is gone with it."""
    row, outer = NAMED.get(full), full
    while row is None and "." in outer:
        outer = outer.rpartition(".")[0]
        above = NAMED.get(outer)
        row = above if above is not None and above.is_module else None
    return row


def _imported(module: Module, statement: Import, alias: ast.alias, full: str, row: Name) -> Imported:
    binds_top = isinstance(statement, ast.Import) and alias.asname is None
    if alias.name == "*":
        return Imported(alias, statement, row, full, "", {}, Reason(Code.UNREAD, "it imports every name of a module"))
    if full in REPLACED_MODULES:
        return _of_replaced(module, statement, alias, full, row)
    is_plain = row.way is not Way.BY_HAND and not (row.parameters or row.is_text or row.is_entered)
    if row.way is Way.TYPE and _is_asked_for(module, statement, alias):
        return Imported(alias, statement, row, full, "", {}, _ASKED)
    if is_plain and not binds_top:
        if lacks_new(module, row) and not row.older:
            return Imported(alias, statement, row, full, "", {}, too_new(row, f"`{row.new}`"))
        new = (row.older if lacks_new(module, row) else row.new) + full.removeprefix(row.old)
        return Imported(alias, statement, row, full, new, {})
    try:
        return Imported(alias, statement, row, full, "", _read_through(module, statement, alias, row))
    except Declined as declined:
        return Imported(alias, statement, row, full, "", {}, declined.reason)


def _is_asked_for(module: Module, statement: Import, alias: ast.alias) -> bool:
    """Whether code may ask objects for the type that an import binds."""
    is_elsewhere = is_asked_elsewhere(module, alias.asname or alias.name, statement)
    return is_elsewhere or any(is_asked_for(module, use) for use in reads_of(module, statement, alias))


def _of_replaced(module: Module, statement: Import, alias: ast.alias, full: str, row: Name) -> Imported:
    """Of `import jax.config`: the import goes, and an object has the name."""
    try:
        return Imported(alias, statement, row, full, "", _read_through(module, statement, alias, row))
    except Declined as declined:
        is_read = alias.asname is not None and bool(reads_of(module, statement, alias))
        return Imported(alias, statement, row, full, "", {}, declined.reason if is_read else None)


def reads_of(module: Module, statement: Import, alias: ast.alias) -> tuple[ast.Name, ...]:
    """The reads of the name that an import binds, in the order of the text; empty for none."""
    name = alias.asname or alias.name.partition(".")[0]
    return module.names.reads(name, module.scope_of(name, statement))


def _read_through(module: Module, statement: Import, alias: ast.alias, row: Name) -> Mapping[ast.AST, Name]:
    """What is read through the import, all of which can be rewritten.

    Raises:
      Declined: something cannot, or nothing is read.
    """
    binds_top = isinstance(statement, ast.Import) and alias.asname is None
    name = alias.asname or alias.name.partition(".")[0]
    scope = module.scope_of(name, statement)
    if not binds_top and len(module.bindings(name, scope)) != 1:
        raise Declined(Reason(Code.REBOUND, f"`{name}` is bound more than once"))
    found: dict[ast.AST, Name] = {}
    for use in reads_of(module, statement, alias):
        node = _longest(module, use)
        own = NAMED.get(module.qualname(node) or "")
        if own is None or not (own is row or own.old.startswith(f"{row.old}.")):
            if binds_top:
                continue
            raise Declined(by_hand(row))
        found[rewritable(module, node, own)] = own
    if not found:
        raise Declined(by_hand(row))
    return found


def _longest(module: Module, node: ast.Name | ast.Attribute) -> ast.Name | ast.Attribute:
    """The longest dotted name that begins with `node` and is in the table; `node` itself where none is."""
    found: ast.Name | ast.Attribute = node
    outer = module.parent(node)
    inner: ast.AST = node
    while isinstance(outer, ast.Attribute) and outer.value is inner:
        if module.qualname(outer) in NAMED:
            found = outer
        inner, outer = outer, module.parent(outer)
    return found


def rewritable(module: Module, node: ast.Name | ast.Attribute, row: Name) -> ast.AST:
    """What is replaced where `node` names what the row is about: itself, or the call of it.

    Raises:
      Declined: a person has to do it.
    """
    if row.way is Way.BY_HAND:
        raise Declined(by_hand(row))
    if lacks_new(module, row) and not row.older:
        raise Declined(too_new(row, "its replacement" if row.parameters or row.is_text else f"`{row.new}`"))
    if not isinstance(node.ctx, ast.Load):
        raise Declined(Reason(Code.REBOUND, "it is set or deleted"))
    if row.way is Way.TYPE and is_asked_for(module, node):
        raise Declined(_ASKED)
    if row.is_entered and not _is_entered(module, node):
        raise Declined(by_hand(row))
    if not row.parameters:
        return node
    call = module.parent(node)
    if isinstance(call, ast.Call) and _is_bound(module, call, node, row):
        return call
    if not isinstance(call, ast.Call) or call.func is not node:
        raise Declined(Reason(Code.OTHER_USES, "it is passed on, and its replacement is not a function"))
    arguments(call, row)
    return call


def _is_entered(module: Module, node: ast.expr) -> bool:
    """Whether it is called, and what that returns entered at once: by `with`, or by a stack of contexts."""
    call = module.parent(node)
    if not isinstance(call, ast.Call) or call.func is not node:
        return False
    match module.parent(call):
        case ast.withitem():
            return True
        case ast.Call(func=ast.Attribute(attr="enter_context"), args=[only]):
            return only is call
    return False


def _is_bound(module: Module, call: ast.Call, node: ast.expr, row: Name) -> bool:
    """Whether it is `functools.partial` of the function and of keywords that its replacement has too."""
    new = by_keywords(row)
    if new is None or module.qualname(call.func) != _PARTIAL or call.args != [node]:
        return False
    return all(keyword.arg in new[1] for keyword in call.keywords)


def in_texts(module: Module) -> dict[ast.Call, str]:
    """The dotted names that `getattr(module, "name")` reads; with a default it asks whether there is one."""
    found = dict[ast.Call, str]()
    for call in module.names.spelled_calls({"getattr"}):
        match call:
            case ast.Call(func=ast.Name(), args=[owner, ast.Constant(value=str(last))], keywords=[]):
                origin = module.qualname(owner)
                if origin is not None:
                    found[call] = f"{origin}.{last}"
    return found


def named(module: Module, row: Name) -> Iterator[Named]:
    """Every place that reads the name through a module."""
    for at in module.references(row.old):
        if isinstance(at, ast.Name) or _longest(module, at) is not at:
            continue  # a bare name is what its import, or an attribute, makes of it
        try:
            yield Named(at, rewritable(module, at, row), row)
        except Declined as declined:
            yield Named(at, at, row, declined.reason)
    yield from _starred(module, row)


def _starred(module: Module, row: Name) -> Iterator[Named]:
    """Every place that reads the name as `from jax import *` bound it, where no other package may have."""
    origin, _, last = row.old.rpartition(".")
    stars = [module.names.absolute("." * each.level + (each.module or "")) for each in module.names.star_imports]
    if origin not in stars or any(each.partition(".")[0] != "jax" for each in stars):
        return
    reads = (node for node in module.names.loads(last) if module.scope_of(last, node) is None)
    yield from (Named(node, node, row, _why_not_starred(module, row)) for node in reads)


def _why_not_starred(module: Module, row: Name) -> Reason | None:
    is_left = row.way is Way.BY_HAND or row.is_entered
    if not is_left and (row.way is Way.TYPE or row.parameters or row.is_text):
        return Reason(Code.UNREAD, "`import *` brings it: import it by its name")
    return why_not_named(module, row)


def why_not_named(module: Module, row: Name) -> Reason | None:
    """Why no name is written in the place of the row's; None where one is."""
    if row.way is Way.BY_HAND or row.is_entered or row.parameters or row.is_text:
        return by_hand(row)
    if lacks_new(module, row) and not row.older:
        return too_new(row, f"`{row.new}`")
    return None
