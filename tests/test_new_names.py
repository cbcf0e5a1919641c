"""Names for new variables: free where they stand, and no longer than they have to be."""

import ast

from jaxfix.semantic.identifiers import Identifiers
from jaxfix.semantic.module import Module
from jaxfix.source.source_file import SourceFile

TEXT = """\
def first(x):
    return x + 1


def second(value):
    def inside(y):
        return y * value

    return inside


class Third:
    def method(self):
        global value_2
        value_2 = 3
        return [each for each in self.all]


found = first(2)
"""


def names() -> tuple[Identifiers, dict[str, ast.AST]]:
    module = Module.parse(SourceFile.decode("names.py", TEXT.encode()))
    places: dict[str, ast.AST] = {getattr(function, "name", ""): function.body[0] for function in module.functions}
    return module.get(Identifiers), places | {"": module.tree.body[-1]}


def test_functions_have_variables_of_one_name() -> None:
    identifiers, places = names()
    assert [identifiers.unused_at("gain", places[name]) for name in ("first", "second", "method")] == ["gain"] * 3


def test_what_a_function_or_one_inside_mentions_is_taken() -> None:
    identifiers, places = names()
    assert identifiers.unused_at("value", places["inside"]) == "value_2"
    assert identifiers.unused_at("value", places["method"]) == "value"
    assert identifiers.unused_at("value", places["method"]) == "value_3"
    assert identifiers.unused_at("y", places["second"]) == "y_2"
    assert identifiers.unused_at("each", places["method"]) == "each_2"


def test_a_name_for_several_functions_is_free_in_each() -> None:
    identifiers, places = names()
    assert identifiers.unused_at("value", places["first"], places["second"]) == "value_2"
    assert identifiers.unused_at("value_2", places["first"]) == "value_2_2"


def test_what_stands_at_the_top_is_free_everywhere() -> None:
    identifiers, places = names()
    assert identifiers.unused_at("gain", places["first"]) == "gain"
    assert identifiers.unused_at("gain", places[""]) == "gain_2"
    assert identifiers.unused("rate") == "rate"
    assert identifiers.unused("rate") == "rate_2"
    assert identifiers.unused_at("rate", places["first"]) == "rate_3"
