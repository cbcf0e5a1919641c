"""Sources, values, dtypes and demands: in any order of questions the same, at a cost that grows with the program."""

import ast
import random
from collections.abc import Callable
from textwrap import indent

import pytest

from jaxfix.dataflow.def_use import Origins
from jaxfix.dataflow.dtypes import DtypeOrigins
from jaxfix.dataflow.sources import CastLike, Part
from jaxfix.dataflow.types import Values
from jaxfix.effects.demands import Demands
from jaxfix.effects.traceability import demands
from jaxfix.semantic.module import Module
from jaxfix.source.source_file import SourceFile

HEAD = """\
from dataclasses import dataclass, replace
from typing import NamedTuple
import jax
import jax.numpy as jnp
from jax import lax
from optax.tree_utils import tree_cast_like


class State(NamedTuple):
    left: jax.Array
    right: float


"""
NAMES = ("a", "b", "c")
FUNCTIONS = ("f", "g", "h")
ANALYSES: dict[str, Callable[[Module], Callable[[ast.expr], object]]] = {
    "sources": lambda module: (origins := Origins(module)) and (lambda expr: shown(origins.of(expr))),
    "values": lambda module: Values(module).of,
    "dtypes": lambda module: DtypeOrigins(module).of,
}


def shown(sources: tuple[ast.AST, ...]) -> list[object]:
    """What tells sources apart, those that are not in the text among them."""

    def place(node: ast.AST) -> object:
        match node:
            case Part(key=key):
                return key
            case CastLike(call=call, path=path):
                return ast.dump(call), path
        found = getattr(node, "call", node)
        return (
            type(node).__name__,
            getattr(found, "lineno", 0),
            getattr(found, "col_offset", 0),
            getattr(node, "path", 0),
        )

    return [place(source) for source in sources]


def expression(draw: random.Random, depth: int = 2) -> str:
    name, other = draw.choice(NAMES), draw.choice(NAMES)
    leaves = ("0", "1.5", name, f"jnp.asarray({draw.choice((0, 2.0))})", "jnp.zeros(3)", "jnp.int32(1)")
    if depth == 0 or draw.random() < 0.3:
        return draw.choice(leaves)
    inner, second = expression(draw, depth - 1), expression(draw, depth - 1)
    called = draw.choice(FUNCTIONS)
    return draw.choice(
        (
            f"{inner} {draw.choice('+-*/')} {second}",
            f"{called}({inner}, {second})",
            f"({inner} if {name} else {second})",
            f"({inner}, {second})[{draw.choice((0, 1))}]",
            f"State({inner}, {second}).{draw.choice(('left', 'right'))}",
            f"{name}.{draw.choice(('left', 'right'))}",
            f"{name}._replace(left={inner})",
            f"jnp.where({name}, {inner}, {second})",
            f"jnp.zeros_like({inner})",
            f"tree_cast_like({inner}, {other})",
            f"lax.fori_loop(0, 3, {called}, {inner})",
            f"lax.cond({name}, {called}, {draw.choice(FUNCTIONS)}, {inner}, {second})",
            f"lax.scan({called}, {inner}, {second})[0]",
        )
    )


def body(draw: random.Random) -> str:
    lines = []
    for _ in range(draw.randint(1, 3)):
        line = f"{draw.choice(NAMES)} = {expression(draw)}"
        match draw.randrange(4):
            case 0:
                line = f"for _ in range(3):\n    {line}\n    {draw.choice(NAMES)} = {draw.choice(NAMES)}"
            case 1:
                line = f"{draw.choice(NAMES)}, {draw.choice(NAMES)} = {expression(draw)}, {draw.choice(NAMES)}"
            case 2:
                line = f"if {draw.choice(NAMES)}:\n    {line}"
        lines.append(line)
    return "\n".join((*lines, f"return {expression(draw)}"))


def program(seed: int) -> str:
    draw = random.Random(seed)
    functions = [f"def {name}(a, b):\n    c = a\n{indent(body(draw), '    ')}\n\n" for name in FUNCTIONS]
    return HEAD + "\n".join(functions) + f"a = b = c = 1\nc = {expression(draw)}\na = {expression(draw)}\n"


def parsed(text: str) -> Module:
    return Module.parse(SourceFile.decode("flow.py", text.encode()))


@pytest.mark.parametrize("analysis", sorted(ANALYSES))
@pytest.mark.parametrize("seed", range(25))
def test_an_answer_does_not_depend_on_what_was_asked_before(seed: int, analysis: str) -> None:
    module = parsed(program(seed))
    asked = [node for node in ast.walk(module.tree) if isinstance(node, ast.Name | ast.Attribute | ast.Call)]
    alone = [ANALYSES[analysis](module)(expr) for expr in asked]
    order = random.Random(seed).sample(range(len(asked)), len(asked))
    ask = ANALYSES[analysis](module)
    found = {place: ask(asked[place]) for place in order}
    wrong = [f"{ast.unparse(asked[p])}: {alone[p]}, then {found[p]}" for p in order if found[p] != alone[p]]
    assert not wrong, "\n".join((ast.unparse(module.tree), *wrong))


def test_sources_come_in_the_order_of_the_text_what_is_not_read_first() -> None:
    module = parsed("def f(a, x):\n    return x if a else (1, *a)[1] if x else 2\n\nf(3, 4)\n")
    (expr,) = [node for node in ast.walk(module.tree) if isinstance(node, ast.IfExp) and node.col_offset == 11]
    assert [type(source).__name__ for source in Origins(module).of(expr)] == ["Pass", "Constant", "Constant"]


def chain(length: int) -> str:
    """Each variable is one more than the one before, in a loop that leads back to the first."""
    steps = "".join(f"        a{n} = a{n - 1} + 1\n" for n in range(1, length))
    return f"def f(a0):\n    for _ in range(3):\n{steps}        a0 = a{length - 1}\n    return a0\n\nasked = f(0)\n"


def layers(count: int) -> str:
    """Functions that all call both of the layer below with what they take, the lowest with one of the highest."""
    layer = "def {0}{1}(a):\n    return f{2}(a) + g{2}(a)\n\n"
    pairs = "".join(layer.format(name, n, n - 1) for n in range(1, count) for name in "fg")
    top = count - 1
    lowest = f"def f0(a):\n    return a if a else g{top}(a)\n\ndef g0(a):\n    return jnp.asarray(a)\n\n"
    return f"{HEAD}{lowest}{pairs}asked = f{top}(jnp.asarray(1)) + g{top}(0)\n"


def steps(analysis: type[Values | DtypeOrigins], text: str) -> int:
    """The evaluations that all the expressions of a program cost."""
    module = parsed(text)
    asked = analysis(module)
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Name | ast.BinOp | ast.Call):
            asked.of(node)
    return asked._solve.steps + asked.origins._solve.steps


@pytest.mark.parametrize("analysis", [Values, DtypeOrigins])
@pytest.mark.parametrize("grown", [chain, layers])
def test_the_cost_grows_about_linearly(grown: Callable[[int], str], analysis: type[Values | DtypeOrigins]) -> None:
    short, long = (steps(analysis, grown(length)) for length in (10, 40))
    assert long < 4.5 * short


def demanded(text: str) -> Demands:
    module = parsed(text)
    (first, *_) = module.functions
    return demands(module, first)


def test_demands_that_come_round_with_other_arguments_are_found() -> None:
    text = "def f(x, y):\n    return g(y, x)\n\ndef g(a, b):\n    if a:\n        return a\n    return f(a, b)\n"
    assert demanded(text).values.keys() == {"x", "y"}


def test_what_the_last_of_many_functions_does_is_found() -> None:
    calls = "".join(f"def f{n}(x):\n    return f{n + 1}(x)\n\n" for n in range(60))
    assert demanded(f"{calls}def f60(x):\n    print(x)\n    return x\n").reason is not None
