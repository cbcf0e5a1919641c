"""Names, arguments and methods removed from newer versions of jax and of libraries around it.

`jax.tree_map` is `jax.tree.map` since jax 0.4.25, deprecated since 0.4.26, and gone since 0.6.0: reading it raises an
`AttributeError`, importing it an `ImportError`. Each row of the [table](../changes.md) says what became of a name,
and from which version on. An import still binds the name that it bound, keywords are mapped by their names, and
modules keep the names that the file has for them. Strings change where they are types, as in `x: "jnp.DeviceArray"`
or `cast("jnp.DeviceArray", x)`, and nowhere else. Code that checks the version is left alone: below `hasattr(jax,
"tree_map")`, a test of the version, or beside `except ImportError`. If the `pyproject.toml` allows an older jax too,
the replacement is one that all allowed versions have, such as `jax.tree_util.tree_map`; if there is none, the line is
reported and not changed. A project whose allowed versions all have a name, such as one that pins `jax==0.4.13`, gets
no finding about it.

No name takes the place of some: `jax.device_put_sharded`, `xmap`, `flax.optim`. They are reported with the steps to
do by hand. [`jaxfix upgrade`](../upgrade.md) targets another version than the installed one, and also reports silent
changes of behaviour.

Before:
    import jax
    import jax.numpy as jnp
    from jax import jit, tree_leaves

    doubled = jax.tree_map(lambda x: 2 * x, {"w": 1.0})
    clipped = jnp.clip(jnp.arange(4.0), a_max=2.0, a_min=1.0)

After:
    import jax
    import jax.numpy as jnp
    from jax import jit
    from jax.tree import leaves as tree_leaves

    doubled = jax.tree.map(lambda x: 2 * x, {"w": 1.0})
    clipped = jnp.clip(jnp.arange(4.0), max=2.0, min=1.0)

Safety: needs a rerun, even if the new name is the same function: the line raises or warns today, and something may
catch that: a handler in another file, a test, `hasattr`, a thread, a parent process. [`jaxfix upgrade
--write`](../upgrade.md) is a request for another version, and so writes renames without a run: of a function, of one
with the same arguments and behaviour, and of a type in an annotation. It does not if the error is visibly expected:
below `except:`, `except Exception` or in a test, in the function itself or in one of its file that calls it; nor if
the project may have replaced the old name; nor for other code, such as `x.at[i].set(y)` for `jax.ops.index_update(x,
i, y)`.

Evidence: the program raises at the line without the fix and runs with it, and everything before that is equal. For a
line that only warns, results are bitwise equal.

Source: https://docs.jax.dev/en/latest/changelog.html; each row is checked by running it in the versions that it names
"""

import ast
from collections.abc import Container, Iterator, Sequence
from functools import partial

from jaxfix.api import Code, Codemod, Equality, Finding, Identifiers, Module, Proves, Reason, Rewriter, Safety
from jaxfix.api.library import (
    BY_WORD,
    CHANGED_NAMES,
    CHANGED_WORDS,
    REPLACED_MODULES,
    Keyword,
    Meaning,
    Method,
    Name,
    Positional,
    Way,
)
from jaxfix_codemods.removed_api import members
from jaxfix_codemods.removed_api.argnames import unknown_names
from jaxfix_codemods.removed_api.fates import fate, words
from jaxfix_codemods.removed_api.guards import asks_for_version, is_given_here
from jaxfix_codemods.removed_api.quoted import Quoted, quoted, replace_in
from jaxfix_codemods.removed_api.spelling import Spelling, is_index, new_type
from jaxfix_codemods.removed_api.telling import certain
from jaxfix_codemods.removed_api.types import is_plain_type
from jaxfix_codemods.removed_api.uses import Imported, Named, imported, in_texts, named

_IN_TEXT = "its name is in a string"
_MOST_NAMED = 3


def find(module: Module) -> Iterator[Finding]:
    texts = {name.rpartition(".")[2] for name in in_texts(module).values()}
    identifiers = module.get(Identifiers)
    found = identifiers.among(CHANGED_WORDS) | (CHANGED_WORDS & (texts | identifiers.in_types))
    if not found:
        return
    for finding in _all(module, found):
        if not asks_for_version(module, finding.at):
            yield finding


def _all(module: Module, mentioned: frozenset[str]) -> Iterator[Finding]:
    rows = [row for word in sorted(mentioned) for row in BY_WORD[word]]
    names = [row for row in rows if isinstance(row, Name) and row.way is not Way.PARALLEL and fate(module, row)]
    names = [row for row in names if not is_given_here(module, row.old)]
    imports = [*imported(module)] if names else []
    taken = {node for each in imports for node in each.planned}
    for each in imports:
        together = [other for other in imports if other.statement is each.statement and other.declined is None]
        is_same = not any(_is_other(module, other) for other in together)
        if each.declined is not None:
            alike = [other for other in imports if _stays_alike(other, each)]
            if each is alike[0]:
                yield _of_import(module, alike, [], is_same=is_same)
        elif is_same:
            yield _of_import(module, [each], together, is_same=True)
        elif each is together[0]:  # a proof leaves all of them out, or none
            yield _of_import(module, together, together, is_same=False)
    for row in names:
        yield from (_of_name(module, each) for each in named(module, row) if each.node not in taken)
    in_text = {row.old: row for row in names}
    for call, name in in_texts(module).items():
        if name in in_text:
            yield _of_text(module, call, in_text[name])
    yield from (_of_quoted(module, each) for each in (quoted(module) if names else ()))
    yield from members.keywords(module, [row for row in rows if isinstance(row, Keyword)])
    for other in rows:
        match other:
            case Positional():
                yield from members.positional(module, other)
            case Method():
                yield from members.methods(module, other)
            case Keyword(is_of_names=True):
                yield from unknown_names(module, other)
    yield from members.meanings(module, [row for row in rows if isinstance(row, Meaning)])


def _stays_alike(one: Imported, other: Imported) -> bool:
    """Whether two names of one statement have one fate, and stay for one reason: a person reads it once."""
    if one is other:
        return True
    if one.statement is not other.statement or one.row.life != other.row.life:
        return False
    first, second = one.declined, other.declined
    both_new = first is not None and second is not None and {first.code, second.code} == {Code.OLDER_VERSION}
    return first == second or both_new


def _of_import(module: Module, told: Sequence[Imported], together: Sequence[Imported], *, is_same: bool) -> Finding:
    """The finding about names without a fix, which rewrites all that go together."""
    each = told[0]
    what = _listed([f"`{'import ' * (other.full in REPLACED_MODULES)}{other.full}`" for other in told])
    recipe = partial(_import_otherwise, module, together) if together else None
    has_name = recipe is not None and len(told) == 1 and not (each.row.parameters or each.row.is_text)
    new = each.new or each.row.new
    title = f"Use `{new}`" if has_name and new else f"Replace {what}"
    message = words(each.row, what, module, number=len(told))
    found = Finding(each.alias, message, title, recipe, declined=each.declined)
    return certain(module, each.row, found, is_same=is_same)


def _listed(names: Sequence[str]) -> str:
    """`a`, `b` and the number of the others."""
    shown = names if len(names) <= _MOST_NAMED else [*names[: _MOST_NAMED - 1], f"{len(names) - _MOST_NAMED + 1} more"]
    return " and ".join((", ".join(shown[:-1]), shown[-1])) if len(shown) > 1 else shown[0]


def _import_otherwise(module: Module, together: Sequence[Imported], edit: Rewriter) -> None:
    """Of a statement all at once, for one import in its place."""
    planned = {node: row for each in together for node, row in each.planned.items()}
    Spelling(module, edit, planned).replace_all()
    for each in together:
        top = each.full.partition(".")[0]
        if each.new and not _goes_with(module, each, planned):
            edit.rename_import(each.alias, each.new)
        elif isinstance(each.statement, ast.Import) and each.alias.asname is None:
            _import_less(module, each, top, edit)
        else:
            edit.remove_import(each.alias)


def _goes_with(module: Module, each: Imported, planned: Container[ast.AST]) -> bool:
    """Whether each use is an index of what is rewritten, which takes what is between its brackets."""
    name = each.alias.asname or each.alias.name
    uses = module.names.reads(name, module.scope_of(name, each.statement))
    return bool(uses) and all(_is_index_of(module, use, planned) for use in uses)


def _is_index_of(module: Module, use: ast.Name, planned: Container[ast.AST]) -> bool:
    outer = module.parent(use)
    call = module.parent(outer) if isinstance(outer, ast.Subscript) and is_index(module, outer) else None
    return call is not None and call in planned


def _import_less(module: Module, each: Imported, top: str, edit: Rewriter) -> None:
    """Has `import jax.experimental.maps` bind no more than `jax`, or go where another import does."""
    others = (
        b.node for b in module.bindings(top, module.scope_of(top, each.statement)) if b.node is not each.statement
    )
    if len(each.statement.names) == 1 and any(isinstance(node, ast.Import) for node in others):
        edit.delete(each.statement)
    else:
        edit.rename_import(each.alias, top)


def _of_name(module: Module, each: Named) -> Finding:
    row = each.row
    recipe = partial(_use, module, each) if each.declined is None else None
    has_name = recipe is not None and not row.parameters and not row.is_text
    title = f"Use `{new_type(module, row, each.at)}`" if has_name else f"Replace `{row.old}`"
    is_same = not _is_other(module, each)
    found = Finding(each.at, words(row, f"`{row.old}`", module), title, recipe, declined=each.declined)
    return certain(module, row, found, is_same=is_same)


def _of_text(module: Module, call: ast.Call, row: Name) -> Finding:
    """The finding about a name in a text, which is left to a person."""
    steps = f"{_IN_TEXT}: read `{row.new}`" if row.new and not row.is_text else f"{_IN_TEXT}; {row.steps}"
    why = Reason(Code.BY_HAND, steps.rstrip("; "))
    found = Finding(call, words(row, f"`{row.old}`", module), f"Replace `{row.old}`", None, declined=why)
    return certain(module, row, found, is_same=False)


def _of_quoted(module: Module, each: Quoted) -> Finding:
    """The finding about a type in quotes, which rewrites all names in it."""
    first = each.rows[0]
    what = " and ".join(f"`{row.old}`" for row in each.rows)
    recipe = partial(replace_in, module, each) if each.declined is None else None
    title = (
        f"Use `{new_type(module, first, each.at)}`" if recipe is not None and len(each.rows) == 1 else f"Replace {what}"
    )
    found = Finding(each.at, words(first, what, module, number=len(each.rows)), title, recipe, declined=each.declined)
    is_same = all(row.way is Way.ALIAS for row in each.rows) or is_plain_type(module, each.at)
    return certain(module, first, found, is_same=is_same)


def _use(module: Module, each: Named, edit: Rewriter) -> None:
    Spelling(module, edit, {each.node: each.row}).replace_all()
    alias = _imported_for(module, each.at)
    if alias is not None:
        edit.remove_import(alias)


def _imported_for(module: Module, at: ast.expr) -> ast.alias | None:
    """What `from jax import ops` binds for `ops.index`: it goes where nothing reads it any more."""
    inner = at
    while isinstance(inner, ast.Attribute):
        inner = inner.value
    if not isinstance(inner, ast.Name):
        return None
    bound = [each.node for each in module.bindings(inner.id, module.scope_of(inner.id, inner))]
    aliases = (alias for node in bound if isinstance(node, ast.ImportFrom) for alias in node.names)
    return next((alias for alias in aliases if (alias.asname or alias.name) == inner.id), None)


def _is_other(module: Module, each: Imported | Named) -> bool:
    """Whether other code is written, or a type is named that something may ask for."""
    rows = {each.row, *each.planned.values()} if isinstance(each, Imported) else {each.row}
    ways = {row.way for row in rows}
    return Way.REWRITE in ways or (Way.TYPE in ways and not _are_types(module, each))


def _are_types(module: Module, each: Imported | Named) -> bool:
    """Whether nothing but annotations names it."""
    if isinstance(each, Named):
        return is_plain_type(module, each.at)
    name = each.alias.asname or each.alias.name
    uses = module.names.reads(name, module.scope_of(name, each.statement))
    return all(is_plain_type(module, use) for use in uses)


CODEMOD = Codemod(
    id="removed-api",
    triggers=CHANGED_NAMES,
    in_types=True,
    safety=Safety.NEEDS_EVIDENCE,
    equality=Equality.BITWISE,
    find=find,
    proves=Proves.ERROR_CURED,
)
