"""What is said of two uses of one key, and how sure it is that they are a mistake."""

import ast
import re
from enum import Enum
from typing import TypeGuard

from jaxfix.api import Code, Confidence, Finding, Module, Reason
from jaxfix.api.analysis import Change, is_alike, reaching
from jaxfix.api.library import Draw, Takes, where
from jaxfix_codemods.key_reuse.flow import Pair
from jaxfix_codemods.key_reuse.splitting import offers
from jaxfix_codemods.key_reuse.uses import DRAWING, SPLITTING, Use

_OF_BITS = where(Draw.OF_BITS)
_CHOOSING = where(Takes.LENGTH)
_MEANT = re.compile(
    rb"#.*\b(same|(?<!key-)re-?us\w*|identical|equal|common|shared?|on purpose|intention\w*|deliberate\w*|"
    rb"fixed (key|rng|seed|noise))\b",
    re.I,
)


_COMPARING = frozenset({"allclose", "array_equal", "isclose", "assert_allclose", "assert_array_equal", "assert_equal"})


class _Relation(Enum):
    """What two uses of one key have to do with one another."""

    SAME = "`{second}` uses `{key}` a second time: it returns the same random numbers"
    BITS = "`{second}` uses `{key}` after `{first}`: both use the same random bits"
    KEYS = "`{key}` is split a second time: that gives the same keys"
    NOT_APART = "`{second}` uses `{key}` after `{first}`: their numbers are not independent"
    SPLIT_TOO = "`{key}` is split and also used: the numbers are not independent"
    BY_FUNCTION = "`{second}` uses `{key}` after `{first}`: both may draw the same random numbers"


_EACH_ROUND = {
    _Relation.SAME: "`{second}` uses `{key}` in each iteration: all draw the same random numbers",
    _Relation.KEYS: "`{key}` is split in each iteration, and does not change: each gets the same keys",
    _Relation.BY_FUNCTION: "`{second}` uses `{key}` in each iteration: all may draw the same random numbers",
}
_ASKED = f": `jaxfix apply {Change.SPLIT_KEYS.value}` writes it"
_DEPENDENT = (_Relation.SAME, _Relation.BITS, _Relation.KEYS)


def is_worth_telling(module: Module, pair: Pair) -> bool:
    """Whether nothing shows that the key is meant to be the same.

    Elements of two arrays that belong together are chosen alike. What a function of the file does in each iteration may
    be made to be compared, and cells of a notebook are experiments that begin with the same key.
    """
    first, second = pair.first, pair.second
    if first.by == second.by and first.by in _CHOOSING and _chosen_by(first) == _chosen_by(second):
        return False
    if _is_meant(module, pair) or _is_dropped(module, first) or _is_dropped(module, second):
        return False
    if pair.again and (first.function is not None or second.function is not None):
        return False
    if module.source.notebook is None or module.function(second.at) is not None:
        return True
    if first.by == second.by and first.function is not None:
        return False
    return module.source.place(first.at.lineno)[0] == module.source.place(second.at.lineno)[0]


def _chosen_by(use: Use) -> list[str]:
    """What decides which elements of an array are taken, and in which order, beside the key."""
    named = [f"{each.arg}={ast.unparse(each.value)}" for each in use.at.keywords if each.arg not in ("key", "x", "a")]
    return [*map(ast.unparse, use.at.args[2:]), *sorted(named)]


def finding(module: Module, pair: Pair) -> Finding:
    """The finding at the second of two uses."""
    relation = _relation(pair.first, pair.second)
    words = {"key": pair.second.key, "first": _called(pair.first), "second": _called(pair.second)}
    is_alone = pair.first is pair.second
    is_sure = relation in _DEPENDENT and not pair.again and not _may_be_meant(module, pair)
    how = "in each iteration" if is_alone else "and use each part once"
    title = f"Split `{pair.second.key}`{' ' if is_alone else ', '}{how}"
    cures = offers(module, pair, title)
    return Finding(
        at=pair.second.at,
        message=(_EACH_ROUND[relation] if is_alone else relation.value).format(**words),
        title=title,
        confidence=Confidence.CERTAIN if is_sure else Confidence.POSSIBLE,
        declined=_by_hand(pair, _ASKED if cures else ""),
        offers=cures,
    )


def of_each_leaf(module: Module, use: Use, taker: ast.Call) -> Finding:
    """The finding at a use that a function repeats for each leaf of a tree."""
    text = "a key for each leaf changes every number that follows: split it into as many as there are leaves"
    return Finding(
        at=use.at,
        message=f"`{_called(use)}` draws from `{use.key}` for each leaf: their random numbers are the same",
        title=f"Split `{use.key}` into one for each leaf",
        declined=Reason(Code.OTHER_NUMBERS, text, taker.lineno),
    )


def _relation(first: Use, second: Use) -> _Relation:
    if first.function is not None or second.function is not None:
        return _Relation.BY_FUNCTION
    if first.by in SPLITTING or second.by in SPLITTING:
        return _Relation.KEYS if first.by == second.by else _Relation.SPLIT_TOO
    if first.by == second.by:
        return _Relation.SAME
    return _Relation.BITS if {first.by, second.by} <= _OF_BITS else _Relation.NOT_APART


def _by_hand(pair: Pair, asked: str) -> Reason:
    key, line = pair.second.key, pair.first.at.lineno
    changes = f"which changes every number that follows{asked}"
    if pair.first is pair.second:
        cure = f"`{key}, part = jax.random.split({key})` in each iteration, or `jax.random.fold_in({key}, i)`"
        return Reason(Code.OTHER_NUMBERS, f"{cure}, gives it its own, {changes}")
    text = f"line {line} uses it first: `one, other = jax.random.split({key})` above gives each its own, {changes}"
    return Reason(Code.OTHER_NUMBERS, text, line)


def _called(use: Use) -> str:
    return use.by.rpartition(".")[2] if use.by in DRAWING | SPLITTING else use.by


def _may_be_meant(module: Module, pair: Pair) -> bool:
    """Whether it may be a demonstration, or the same numbers may be wanted, as of equal calls in two blocks."""
    if module.source.notebook is not None and module.function(pair.second.at) is None:
        return True
    one, other = _statements(module, pair)
    return _are_equal(pair) and module.parent(one) is not module.parent(other)


def _is_meant(module: Module, pair: Pair) -> bool:
    """Whether a comment says so, or equal numbers are only analysed."""
    statements = _statements(module, pair)
    if any(_says_so(module, statement) for statement in statements):
        return True
    are_kept = all(isinstance(statement, ast.Assign | ast.AnnAssign) for statement in statements)
    if are_kept and _are_equal(pair) and _are_compared(module, statements):
        return True
    if (are_kept or isinstance(statements[0], ast.Return)) and _is_of_record(module, pair):
        return False
    return not pair.again and _are_equal(pair) and (statements[0] is statements[1] or not are_kept)


def _is_dropped(module: Module, use: Use) -> bool:
    """Whether nothing reads what is drawn, as a later line binds its name first."""
    match module.statement(use.at):
        case ast.Assign(targets=[ast.Name(id=name) as target], value=value) if value is use.at:
            scope = module.scope_of(name, target)
            if scope is None or scope is module.tree:
                return False
            found = module.bindings(name, scope)
            if len(found) < 2:
                return False
            read = (binding for each in module.reads(name, scope) for binding in reaching(module, each, found))
            return all(binding.node is not target for binding in read)
    return False


def _is_of_record(module: Module, pair: Pair) -> bool:
    """Whether the two are entries of one dictionary, each with its own key, as the weights of a layer are."""
    around = module.parent(pair.first.at)
    return isinstance(around, ast.Dict) and around is module.parent(pair.second.at)


def _are_equal(pair: Pair) -> bool:
    return is_alike(pair.first.at, pair.second.at)


def _are_compared(module: Module, statements: tuple[ast.stmt, ast.stmt]) -> bool:
    """Whether an `assert` or a comparison of the same function looks at both of what they bind."""
    bound = [{part.id for part in ast.walk(each) if _is_bound(part)} for each in statements]
    function = module.function(statements[0])
    asserted = [
        each
        for kind in (ast.Assert, ast.Compare, ast.Call)
        for each in module.nodes(kind)
        if module.function(each) is function and (kind is not ast.Call or _compares(module, each))
    ]
    named = [{part.id for part in ast.walk(each) if isinstance(part, ast.Name)} for each in asserted]
    return any(names & bound[0] and names & bound[1] and len(names & (bound[0] | bound[1])) > 1 for names in named)


def _compares(module: Module, call: ast.AST) -> bool:
    """Whether it is a call of a library that asks whether arrays are equal."""
    return isinstance(call, ast.Call) and (module.qualname(call.func) or "").rpartition(".")[2] in _COMPARING


def _is_bound(part: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)


def _statements(module: Module, pair: Pair) -> tuple[ast.stmt, ast.stmt]:
    return module.statement(pair.first.at), module.statement(pair.second.at)


def _says_so(module: Module, statement: ast.stmt) -> bool:
    """Whether a comment beside or above a statement says that it is meant."""
    body = getattr(statement, "body", None)
    last = body[0].lineno if body else statement.end_lineno
    lines = module.source.text.splitlines()[max(statement.lineno - 3, 0) : last]
    return any(_MEANT.search(line) for line in lines)
