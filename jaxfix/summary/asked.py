"""The types of other files that a file asks objects for, or whose members it lists."""

import ast
from collections.abc import Iterator

from jaxfix.library.facets import Takes
from jaxfix.library.table import short_names
from jaxfix.summary.borrowed import Borrowed
from jaxfix.syntax.nodes import walk

_ASKING = short_names(Takes.TYPE)
_LISTING = frozenset({"get_args"})


def asked_types(others: Borrowed) -> tuple[str, ...]:
    """Their dotted names, each once."""
    return tuple(dict.fromkeys(_named(others))) if others.theirs or others.stars else ()


def _named(others: Borrowed) -> Iterator[str]:
    for asked in _asked(others):
        for node in walk(asked):
            if isinstance(node, ast.Name | ast.Attribute) and others.may_be_theirs(node):
                yield from others.named(node)


def _asked(others: Borrowed) -> Iterator[ast.expr]:
    module = others.module
    yield from (call.args[1] for call in module.spelled_calls(_ASKING) if len(call.args) > 1)
    yield from (call.args[0] for call in module.spelled_calls(_LISTING) if call.args)
    yield from (node.value for node in module.attributes("__args__"))
