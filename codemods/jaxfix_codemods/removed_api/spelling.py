"""How new code is written in a file: by the names that it has for modules, with the text of its own arguments."""

import ast
import re
from collections.abc import Mapping

from jaxfix.api import Code, Declined, Module, Reason, Rewriter, walk
from jaxfix.api.library import IMPORTED_APART, REPLACED_MODULES, Method, Name, Way
from jaxfix_codemods.removed_api.fates import lacks_new
from jaxfix_codemods.removed_api.types import is_for_checkers, is_never_run

_PART = re.compile(r"\[\[(.*?)\]\]")
_PLACE = re.compile(r"\{(@?)([\w.]+)(?:\|(\w+))?\}")
_CALL = re.compile(r"\{@([\w.]+)\}\((.*)\)")
_RENAMING = re.compile(r"\{@[\w.]+\}\(\{\w+\}(?:(?:\[\[)?, \w+=\{\w+\}(?:\]\])?)+\)")
_BY_KEYWORD = re.compile(r"(\w+)=\{(\w+)\}")
_ATOMS = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.List, ast.Dict, ast.Set)
_BARE = (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.GeneratorExp)
_FREE = (ast.Assign, ast.AnnAssign, ast.Return, ast.keyword)
_TRIVIAL = (ast.Name, ast.Constant, ast.Attribute)
_INDEX = "jax.ops.index"


class Spelling:
    """What is written in place of nodes; `planned` are those that one recipe replaces, each with its row."""

    def __init__(self, module: Module, edit: Rewriter, planned: Mapping[ast.AST, Name]) -> None:
        self._module = module
        self._edit = edit
        self._planned = planned

    def replace_all(self) -> None:
        """Replaces every planned node that is in no other one; of a call whose arguments stay, its parts."""
        renamed = {node for node, row in self._planned.items() if isinstance(node, ast.Call) and is_renaming(node, row)}
        for node, row in self._planned.items():
            if any(outer in self._planned and outer not in renamed for outer in self._module.ancestors(node)):
                continue
            if node in renamed and isinstance(node, ast.Call):
                self._rename(node, row)
            else:
                self._edit.replace(node, self._new(node))

    def _rename(self, call: ast.Call, row: Name) -> None:
        """Another function, with the arguments where they are: by the keywords that it has for them."""
        new, keywords = by_keywords(row) or ("", {})
        is_bound = self._module.qualname(call.func) != row.old
        self._edit.replace(call.args[0] if is_bound else call.func, self.name(new, call))
        for parameter, arg in zip(row.parameters[1:], call.args[1:], strict=False):
            self._edit.name_argument(call, arg, keywords[parameter])
        for keyword in call.keywords:
            if keyword.arg is not None and keywords[keyword.arg] != keyword.arg:
                self._edit.name_argument(call, keyword, keywords[keyword.arg])

    def _new(self, node: ast.AST) -> str:
        row = self._planned[node]
        if isinstance(node, ast.Call):
            if node.args and self._module.qualname(node.args[0]) == row.old:
                return self._bound(node, row)
            return self.filled(row.new, arguments(node, row), node)
        if row.is_text:
            return self.filled(row.new, {}, node)
        assert isinstance(node, ast.Name | ast.Attribute)
        if row.way is Way.TYPE and _may_be_older(self._module, node):
            return self.type_name(row, node)
        return self.name(new_name(self._module, row), node)

    def _bound(self, call: ast.Call, row: Name) -> str:
        new, keywords = by_keywords(row) or ("", {})
        given = (f"{keywords[k.arg or '']}={self._own(k.value)}" for k in call.keywords)
        return f"{self._module.text(call.func)}({', '.join((self.name(new, call), *given))})"

    def name(self, qualname: str, at: ast.expr) -> str:
        """`qualname` as the file spells it at `at`: by a prefix that it has a name for, else by a new import."""
        apart = next((each for each in IMPORTED_APART if f"{qualname}.".startswith(f"{each}.")), None)
        least = apart or qualname.partition(".")[0]
        inner = at.func if isinstance(at, ast.Call) else at
        while isinstance(inner, ast.Attribute):
            inner = inner.value
            own = self._module.qualname(inner)
            if own is not None and own.startswith(least) and qualname.startswith(f"{own}."):
                return self._module.text(inner) + qualname.removeprefix(own)
        known = _known(self._module, qualname, least, at)
        if known is not None:
            return known
        return self._edit.imported(least, prefer=least.rpartition(".")[2], at=at) + qualname.removeprefix(least)

    def type_name(self, row: Name, at: ast.expr) -> str:
        """The type in the place of the row's, by what the file imports; by a new import where that does not do."""
        new = new_type(self._module, row, at)
        return _known(self._module, new, new.partition(".")[0], at) or self.name(new, at)

    def filled(self, template: str, given: Mapping[str, ast.expr], at: ast.AST) -> str:
        """The text of a row with arguments and names in their places."""
        text = _PART.sub(lambda part: part[1] if _keys(part[1]) <= given.keys() else "", template)

        def filled(place: re.Match[str]) -> str:
            is_name, key, default = place.groups()
            if is_name:
                assert isinstance(at, ast.expr)
                return self.name(key, at)
            if key not in given:
                return str(default)
            return self._argument(given[key], text, place, at)

        made = _PLACE.sub(filled, text)
        is_signed = made.startswith("-") and not isinstance(at, ast.Call)
        return f"({made})" if is_signed and _binds(self._module.parent(at)) else made

    def _argument(self, expr: ast.expr, text: str, place: re.Match[str], at: ast.AST) -> str:
        is_inside = text[place.start() - 1 : place.start()] == "["
        if is_inside and isinstance(expr, ast.Subscript) and is_index(self._module, expr):
            return self._own(expr.slice)
        own = self._own(expr)
        is_whole = place.group() == text and not isinstance(self._module.parent(at), _FREE)
        is_read = text[place.end() : place.end() + 1] == "." or is_whole
        if (is_read and not isinstance(expr, _ATOMS)) or isinstance(expr, _BARE):
            return f"({own})"
        return own

    def _own(self, expr: ast.expr) -> str:
        """The text of an argument, with what is planned inside of it."""
        if expr in self._planned:
            return self._new(expr)
        inner = [n for n in walk(expr) if n in self._planned]
        outermost = [n for n in inner if not any(o in inner for o in self._module.ancestors(n))]
        return self._module.substitute(expr, {node: self._new(node) for node in outermost})


def new_type(module: Module, row: Name, at: ast.expr) -> str:
    """The canonical name of the type in the place of the row's: of those that it has, one that the file imports."""
    new = new_name(module, row)
    names = (new, row.older) if row.way is Way.TYPE and _may_be_older(module, at) else (new,)
    return next((each for each in names if each and _known(module, each, each.partition(".")[0], at)), new)


def _may_be_older(module: Module, at: ast.expr) -> bool:
    return is_never_run(module, at) or "jax" in module.names.imports


def _known(module: Module, qualname: str, least: str, at: ast.expr) -> str | None:
    """The name by what the file imports already, the longest first."""
    prefix = qualname
    while len(prefix) >= len(least):
        for name, meaning in module.names.imports.items():
            is_seen = meaning == prefix and module.scope_of(name, at) is module.tree
            if is_seen and not _goes(module, name, prefix) and _is_there(module, name, at):
                return name + qualname.removeprefix(prefix)
        prefix = prefix.rpartition(".")[0]
    return None


def _goes(module: Module, name: str, meaning: str) -> bool:
    """Whether an import of a module that is gone binds the name."""
    return meaning in REPLACED_MODULES and any(
        isinstance(each.node, ast.Import) for each in module.bindings(name, module.tree)
    )


def _is_there(module: Module, name: str, at: ast.AST) -> bool:
    """Whether the name is bound when the code at `at` runs, if it ever does."""
    return is_never_run(module, at) or not all(is_for_checkers(module, each.node) for each in module.bindings(name))


def by_keywords(row: Name) -> tuple[str, Mapping[str, str]] | None:
    """The function that takes the place of the row's, and its keyword for each parameter that it takes by keyword.

    Returns:
      None where the row is more than a call of another function.
    """
    call = _CALL.fullmatch(row.new)
    return None if call is None else (call[1], {old: new for new, old in _BY_KEYWORD.findall(call[2])})


def is_renaming(call: ast.Call, row: Name) -> bool:
    """Whether nothing but names changes: that of the function, and those of its arguments but the first."""
    found = by_keywords(row)
    if found is None or _RENAMING.fullmatch(row.new) is None or not call.args:
        return False
    given = (*row.parameters[1 : len(call.args)], *(keyword.arg for keyword in call.keywords))
    return all(name in found[1] for name in given)


def new_name(module: Module, row: Name) -> str:
    """The name that every version in play has."""
    return row.older if row.older and lacks_new(module, row) else row.new


def arguments(call: ast.Call, row: Name | Method, own: Mapping[str, ast.expr] = {}) -> Mapping[str, ast.expr]:
    """The arguments of the call by the parameters of the row; `own` are those beside them, of a method its object.

    Raises:
      Declined: it is called in a way that the row does not tell.
    """
    if any(isinstance(arg, ast.Starred) for arg in call.args) or any(k.arg is None for k in call.keywords):
        raise Declined(Reason(Code.STAR_ARGUMENTS, "`*` or `**` hides its arguments"))
    given = {**own, **dict(zip(row.parameters, call.args, strict=False))}
    given |= {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg is not None}
    needed = _keys(_PART.sub("", row.new), optional=False)
    if (
        len(call.args) > len(row.parameters)
        or not needed <= given.keys()
        or not given.keys() <= {*row.parameters, *own}
    ):
        raise Declined(Reason(Code.SIGNATURE, "it is called with other arguments than the usual ones"))
    if any(not isinstance(given[key], _TRIVIAL) for key in given.keys() - _keys(row.new)):
        raise Declined(Reason(Code.SIDE_EFFECT, "an argument that is computed would be left out"))
    return given


def _keys(text: str, *, optional: bool = True) -> frozenset[str]:
    """The parameters that a text names."""
    return frozenset(key for is_name, key, default in _PLACE.findall(text) if not is_name and (optional or not default))


def is_index(module: Module, expr: ast.Subscript) -> bool:
    """Whether it is `jax.ops.index[...]`."""
    return module.qualname(expr.value) == _INDEX


def _binds(parent: ast.AST | None) -> bool:
    """Whether an operator beside it would bind a minus sign more loosely."""
    return isinstance(parent, ast.BinOp | ast.Attribute | ast.Subscript | ast.Await)
