"""Arguments and methods that are gone or going, and what has another meaning."""

import ast
from collections.abc import Iterator, Mapping
from functools import partial

from jaxfix.api import Code, Declined, Finding, Module, Reason, Rewriter, Safety, in_order
from jaxfix.api.analysis import DtypeOrigins, Dtypes
from jaxfix.api.library import Fate, Keyword, Meaning, Method, Positional, Way, version
from jaxfix_codemods.removed_api.fates import by_hand, fate, lacks_new, too_new, words
from jaxfix_codemods.removed_api.receivers import is_known
from jaxfix_codemods.removed_api.spelling import Spelling, arguments
from jaxfix_codemods.removed_api.telling import certain

_PARTIAL = "functools.partial"


def keywords(module: Module, rows: list[Keyword]) -> Iterator[Finding]:
    """The calls with keywords that are gone, one finding for each call."""
    by_function: dict[str, list[Keyword]] = {}
    for row in rows:
        if not row.is_of_names and fate(module, row) is not None:
            by_function.setdefault(row.function, []).append(row)
    for function, some in by_function.items():
        for call in _calls(module, function):
            pairs = [(k, row) for k in call.keywords for row in some if k.arg == row.old]
            found = [(k, row) for k, row in pairs if not row.alike or module.text(k.value) not in row.alike]
            if found:
                yield _keyword(module, call, found)


def _calls(module: Module, function: str) -> list[ast.Call]:
    """The calls of a function, and those of `functools.partial` that bind arguments of it."""
    bound = (c for c in module.calls(_PARTIAL) if c.args and module.qualname(c.args[0]) == function)
    return in_order([*module.calls(function), *bound])


def _keyword(module: Module, call: ast.Call, found: list[tuple[ast.keyword, Keyword]]) -> Finding:
    first = found[0][1]
    named = " and ".join(f"`{keyword.arg}`" for keyword, _ in found)
    message = words(first, f"{named} of `{first.function}`", module, number=len(found))
    by_place = _by_place(module, call, found)
    declined = next((why for k, row in found if (why := _why_not(module, call, k, row)) is not None), None)
    new = " and ".join(f"`{row.new}`" for _, row in found if row.new)
    title = f"Write {new}" if new and declined is None else f"Remove {named}"
    is_alias = all(row.way is Way.ALIAS for _, row in found)
    recipe = None if declined is not None else partial(_rename, module, call, found)
    if by_place is not None:
        declined, title, recipe = None, f"Pass {named} by position", partial(_pass, module, by_place)
    return certain(module, first, Finding(found[0][0], message, title, recipe, declined=declined), is_same=is_alias)


def _why_not(module: Module, call: ast.Call, keyword: ast.keyword, row: Keyword) -> Reason | None:
    if row.way is Way.BY_HAND:
        return by_hand(row)
    if lacks_new(module, row):
        return too_new(row, f"`{row.new}=`")
    if any(other.arg == row.new for other in call.keywords):
        return Reason(Code.SIGNATURE, f"`{row.new}` is given as well")
    if any(other.arg is None for other in call.keywords):
        return Reason(Code.STAR_ARGUMENTS, "`**` may pass another of them")
    if row.values and module.text(keyword.value) not in dict(row.values):
        return Reason(Code.NEEDS_VALUE, f"the replacement of `{row.old}` depends on its value")
    if not row.new and (call.args or call.keywords[0] is not keyword or module.qualname(call.func) == _PARTIAL):
        return Reason(Code.SIGNATURE, f"`{row.old}` has to become the first argument")
    return None


def _by_place(
    module: Module, call: ast.Call, found: list[tuple[ast.keyword, Keyword]]
) -> dict[ast.keyword, str] | None:
    """What each keyword becomes where it is passed by position, as every version takes it.

    Returns:
      None where its new name will do, or something else is in its place.
    """
    if not any(lacks_new(module, row) and row.place for _, row in found) or module.qualname(call.func) == _PARTIAL:
        return None
    if any(isinstance(arg, ast.Starred) for arg in call.args) or call.keywords[: len(found)] != [k for k, _ in found]:
        return None
    texts, at = dict[ast.keyword, str](), len(call.args)
    for keyword, row in found:
        if row.place < max(at, 1):
            return None
        texts[keyword] = "None, " * (row.place - at) + module.text(keyword.value)
        at = row.place + 1
    return texts if len(call.args) else None


def _pass(module: Module, texts: dict[ast.keyword, str], edit: Rewriter) -> None:
    for keyword, text in texts.items():
        edit.replace(keyword, text)


def _rename(module: Module, call: ast.Call, found: list[tuple[ast.keyword, Keyword]], edit: Rewriter) -> None:
    for keyword, row in found:
        values = dict(row.values)
        if values:
            edit.replace(keyword, f"{row.new}={values[module.text(keyword.value)]}")
        else:
            edit.name_argument(call, keyword, row.new or None)


def positional(module: Module, row: Positional) -> Iterator[Finding]:
    """The calls that pass by position what has to be named."""
    if fate(module, row) is None:
        return
    last = row.function.rpartition(".")[2]
    if not any(len(call.args) > row.first for call in module.names.spelled_calls({last})):
        return
    for call in module.calls(row.function):
        late = call.args[row.first :]
        if late and not any(isinstance(arg, ast.Starred) for arg in call.args):
            named = " and ".join(f"`{name}`" for name in row.names[: len(late)])
            message = words(row, f"{named} of `{row.function}` by position", module, number=len(late))
            recipe = partial(_name, call, row) if len(late) <= len(row.names) else None
            declined = None if recipe else Reason(Code.SIGNATURE, "it is called with more arguments than it takes")
            yield certain(module, row, Finding(late[0], message, f"Name {named}", recipe, declined=declined))


def _name(call: ast.Call, row: Positional, edit: Rewriter) -> None:
    for arg, name in zip(call.args[row.first :], row.names, strict=False):
        edit.name_argument(call, arg, name)


def methods(module: Module, row: Method) -> Iterator[Finding]:
    """Attributes of what is known to be a jax array."""
    if fate(module, row) is None or not _imports_jax(module):
        return
    for node in module.attributes(row.old):
        call = module.parent(node)
        if not isinstance(call, ast.Call) or call.func is not node:
            call = None
        is_used = (call is not None) is row.is_called and (call is None or _may_take(call, row))
        if is_used and isinstance(node.ctx, ast.Load) and is_known(module, row, node.value):
            yield _method(module, row, node, call)


def _may_take(call: ast.Call, row: Method) -> bool:
    """Whether a call may be of the method, by its arguments alone: `text.split()` and `text.split(",")` are not."""
    given = (*call.args, *(keyword.value for keyword in call.keywords))
    return bool(given) is bool(row.parameters) and not any(_is_text(arg) for arg in given)


def _is_text(expr: ast.expr) -> bool:
    return isinstance(expr, ast.Constant) and isinstance(expr.value, str)


def _imports_jax(module: Module) -> bool:
    return any(meaning.partition(".")[0] == "jax" for meaning in module.names.imports.values())


def _method(module: Module, row: Method, node: ast.Attribute, call: ast.Call | None) -> Finding:
    message = words(row, f"`{row.old}` of arrays", module)
    given: Mapping[str, ast.expr] = {"x": node.value}
    declined = too_new(row, "its replacement") if lacks_new(module, row) else None
    try:
        given = arguments(call, row, given) if call is not None else given
    except Declined as why:
        declined = why.reason
    recipe = partial(_written, module, row, given, call or node) if declined is None else None
    found = Finding(node, message, "Use the newer API", recipe, declined=declined)
    return certain(module, row, found, is_same=False)


def _written(module: Module, row: Method, given: Mapping[str, ast.expr], whole: ast.expr, edit: Rewriter) -> None:
    edit.replace(whole, Spelling(module, edit, {}).filled(row.new, given, whole))


def _differs(module: Module, call: ast.Call, row: Meaning) -> bool:
    """Whether this call is one of those that the row is about."""
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    if row.unless and (row.unless in given or None in given or (row.is_first and call.args)):
        return False
    if row.only_with:
        late = call.args[row.position] if 0 < row.position < len(call.args) else None
        value = given.get(row.only_with, late)
        return (value is not None and module.text(value) not in row.alike) or None in given
    if row.least:
        return not _are_at_least(call.args[1:], row.least)
    if row.only_ints:  # they take no part in what decides a dtype
        return bool(call.args) and module.get(DtypeOrigins).of(call.args[0]) == Dtypes()
    return True


def _are_at_least(args: list[ast.expr], least: tuple[float, ...]) -> bool:
    """Whether the text has a number for each, none of them less."""
    return len(args) >= len(least) and all(
        isinstance(arg, ast.Constant) and isinstance(arg.value, int | float) and arg.value >= bound
        for arg, bound in zip(args, least, strict=False)
    )


def _has_changed(module: Module, row: Meaning) -> bool:
    """Whether the file came from a version before the change, and goes to one after it."""
    origin, since = module.surroundings.origin(row.package), version(row.since)
    return origin is not None and origin < since <= (module.surroundings.in_use(row.package) or since)


def meanings(module: Module, rows: list[Meaning]) -> Iterator[Finding]:
    """Calls that do something else, where the file came from a version before that."""
    lasting = [row for row in rows if _has_changed(module, row)]
    told: set[str] = set()
    every = [(call, row) for row in lasting for call in module.calls(row.function)]
    for call, row in sorted(every, key=lambda pair: pair[0].lineno):
        if not _differs(module, call, row):
            continue
        if row.is_told_once and row.what in told:
            continue
        told.add(row.what)
        yield Finding(
            call.func,
            f"`{row.function}` {row.what}, since {row.package} {row.since}",
            "Check what it is used for",
            declined=Reason(Code.BY_HAND, row.steps),
            fate=Fate(row.package, differs=row.since),
            safety=Safety.DISPLAY_ONLY,
        )
