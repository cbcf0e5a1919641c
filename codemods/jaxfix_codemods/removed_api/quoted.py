"""Types in quotes, of what is gone or going: annotations, types that `cast` takes, bounds of type variables."""

import ast
from collections.abc import Iterator, Mapping

from jaxfix.api import Code, Identifiers, Module, Reason, Rewriter, frozen, walk
from jaxfix.api.library import CHANGED_WORDS, NAMED, Name
from jaxfix_codemods.removed_api.fates import fate
from jaxfix_codemods.removed_api.guards import is_given_here
from jaxfix_codemods.removed_api.spelling import Spelling
from jaxfix_codemods.removed_api.types import full_name, is_quoted_type, parsed_type
from jaxfix_codemods.removed_api.uses import why_not_named

_NOT_PLAIN = Reason(Code.UNREAD, "its type is not a plain string: replace the name in it")


@frozen
class Quoted:
    """A string that is a type.

    Attributes:
      planned: the parts of the type that are replaced, nodes of another tree than that of the file, in its order.
    """

    at: ast.Constant
    planned: Mapping[ast.Attribute, Name]
    declined: Reason | None = None

    @property
    def rows(self) -> tuple[Name, ...]:
        return tuple(dict.fromkeys(self.planned.values()))


def quoted(module: Module) -> Iterator[Quoted]:
    """Every type in quotes that names what is gone or going, in the order of the text."""
    texts = {text for text, words in module.get(Identifiers).quoted.items() if words & CHANGED_WORDS}
    for node in module.nodes(ast.Constant) if texts else ():
        if isinstance(node.value, str) and node.value in texts and is_quoted_type(module, node):
            planned = _planned(module, node)
            if planned:
                yield Quoted(node, planned, _why_not(module, node, planned))


def _planned(module: Module, at: ast.Constant) -> dict[ast.Attribute, Name]:
    found, inside = dict[ast.Attribute, Name](), set[ast.AST]()
    whole = parsed_type(at)
    for node in walk(whole) if whole is not None else ():  # from the outside in
        row = NAMED.get(full_name(module, at, node) or "") if isinstance(node, ast.Attribute) else None
        if row is None or node in inside or fate(module, row) is None or is_given_here(module, row.old):
            continue
        assert isinstance(node, ast.Attribute)
        found[node] = row
        inside.update(walk(node))
    return dict(sorted(found.items(), key=lambda item: item[0].col_offset))


def _why_not(module: Module, at: ast.Constant, planned: Mapping[ast.Attribute, Name]) -> Reason | None:
    if _quotes(module, at) is None:
        return _NOT_PLAIN
    return next((why for row in planned.values() if (why := why_not_named(module, row)) is not None), None)


def _quotes(module: Module, at: ast.Constant) -> str | None:
    """The quotes around the text, if the file has it letter by letter; None for a prefix, parts or escapes."""
    text, value = module.text(at), str(at.value)
    quotes = text[: (len(text) - len(value)) // 2]
    return quotes if quotes.strip("\"'") == "" and text == f"{quotes}{value}{quotes}" and value.isascii() else None


def replace_in(module: Module, each: Quoted, edit: Rewriter) -> None:
    """Writes the type with the names that take the places of the old ones."""
    text, spelling = str(each.at.value), Spelling(module, edit, {})
    for node, row in reversed([*each.planned.items()]):
        new = spelling.type_name(row, each.at)
        text = text[: node.col_offset] + new + text[node.end_col_offset :]
    quotes = _quotes(module, each.at) or '"'
    edit.replace(each.at, f"{quotes}{text}{quotes}")
