"""Whether two functions are the same program to jax: what must not matter, and what must."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jaxfix.evidence.probe import sizes
from jaxfix.evidence.probe.jaxprs import Untraced, same_program
from jaxfix.evidence.program import ProgramRunner
from jaxfix.report.measurement import Traced

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")
lax = jax.lax

pytestmark = pytest.mark.evidence
X = jnp.ones((4, 3))
Function = Callable[..., Any]


def of_a_loop(x: Any) -> Any:
    def body(c: Any, row: Any) -> Any:
        return 0.9 * c + x.sum() * row.sum(), c

    return lax.scan(body, jnp.zeros(()), x)


def lifted(carry: Any, row: Any) -> Any:
    decay, c, x = carry
    return (decay, decay * c + x.sum() * row.sum(), x), c


def of_a_lifted_loop(x: Any, decay: float = 0.9) -> Any:
    (_, c, _), rows = lax.scan(lifted, (decay, jnp.zeros(()), x), x)
    return c, rows


def nested(inner: Function) -> Function:
    return lambda x: lax.scan(lambda c, row: (lax.scan(inner(c), 0.0, row)[0] + c, c), 0.0, x)


def called_back(value: Any) -> Any:
    return value


def back(function: Function) -> Function:
    return lambda x: jax.pure_callback(function, jax.ShapeDtypeStruct(x.shape, x.dtype), x)


def power(turns: int) -> Function:
    return lambda x: lax.while_loop(lambda c: c[0] < turns, lambda c: (c[0] + 1, c[1] * x), (0, x))


SAME = {
    "a call of a jitted function": (lambda x: jnp.sin(x) + 1, jax.jit(lambda x: jax.jit(jnp.sin)(x) + 1)),
    "what nobody uses": (lambda x: x * 2, lambda x: (jnp.cos(x), x * 2)[1]),
    "the order of what does not depend on each other": (
        lambda x: (jnp.sin(x), jnp.cos(x)),
        lambda x: tuple(reversed([jnp.cos(x), jnp.sin(x)])),
    ),
    "rules for derivatives": (lambda x: jax.nn.relu(x), lambda x: jax.checkpoint(jax.nn.relu)(x)),
    "what a loop passes on": (of_a_loop, of_a_lifted_loop),
    "what a branch captures": (
        lambda x: lax.cond(x[0, 0] > 0, lambda: x * 2, lambda: x),
        lambda x: lax.cond(x[0, 0] > 0, lambda y: y * 2, lambda y: y, x),
    ),
    "what a while loop passes on": (
        power(3),
        lambda x: lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * c[2], c[2]), (0, x, x))[:2],
    ),
    "a loop in a loop": (nested(lambda c: lambda d, r: (d + r * c, d)), nested(lambda e: lambda d, r: (d + r * e, d))),
    "derivatives": (
        lambda x: jax.grad(lambda y: nested(lambda c: lambda d, r: (d + r * c, d))(y)[0])(x),
        jax.jit(lambda x: jax.grad(lambda y: nested(lambda e: lambda d, r: (d + r * e, d))(y)[0])(x)),
    ),
    "the same callback": (back(called_back), back(called_back)),
}
OTHER = {
    "a constant": (lambda x: x * 1.0, lambda x: x * 1.0000001),
    "what is lost": (lambda x: print(x.shape, x + x), lambda x: print(x.shape, x * x)),
    "an operation": (lambda x: x + x, lambda x: x * x),
    "an operand": (lambda x: x[0] - x[1], lambda x: x[1] - x[0]),
    "a weak type": (lambda x: 1.0 * x.size, lambda x: jnp.float32(x.size)),
    "a structure": (lambda x: (x, x), lambda x: [x, x]),
    "what a loop passes on": (of_a_loop, lambda x: of_a_lifted_loop(x, 0.8)),
    "a loop in a loop": (nested(lambda c: lambda d, r: (d + r * c, d)), nested(lambda c: lambda d, r: (d + r * d, d))),
    "the turns of a loop": (power(3), power(4)),
    "the branches of a choice": (
        lambda x: lax.cond(x[0, 0] > 0, lambda y: y * 2, lambda y: y, x),
        lambda x: lax.cond(x[0, 0] > 0, lambda y: y, lambda y: y * 2, x),
    ),
    "another callback": (back(called_back), back(lambda value: value)),
    "how often something is done": (
        lambda x: (jax.debug.callback(called_back, x), x)[1],
        lambda x: (jax.debug.callback(called_back, x), jax.debug.callback(called_back, x), x)[2],
    ),
}


@pytest.mark.parametrize("name", SAME)
def test_what_does_not_matter(name: str) -> None:
    assert same_program(*SAME[name], [X])


@pytest.mark.parametrize("name", OTHER)
def test_what_does(name: str) -> None:
    assert not same_program(*OTHER[name], [X])


def test_what_cannot_be_traced_says_so() -> None:
    with pytest.raises(Untraced):
        same_program(lambda x: float(x[0, 0]), lambda x: 1.0, [X])


@pytest.mark.parametrize(
    ("function", "is_for_every_size"),
    [
        (lambda x: jnp.mean(x @ x.T, axis=0)[:-1], True),
        (lambda x: x.reshape(-1) / x.shape[0], True),
        (lambda x: x * 2 if x.shape[0] > 1 else x, True),
        (lambda x: x * 2 if x.shape[0] == 128 else x, False),
        (lambda x: x * {4: 2}.get(x.shape[0], 3), False),
        (lambda x: x * (1 / x.shape[0]), False),
        (lambda x: x * (0.5 * x.shape[0]), False),
    ],
)
def test_a_size_that_code_asks_for_is_not_every_size(function: Function, is_for_every_size: bool) -> None:
    made, told = sizes.of_any_size([X]), sizes.Sizes()
    assert made is not None
    with told.watched(made):
        assert same_program(function, function, made)
    assert told.were_told_apart is not is_for_every_size


def test_the_sizes_of_raw_keys_are_what_they_are() -> None:
    (key,) = sizes.of_any_size([jax.random.PRNGKey(0), X])[:1]
    assert key.shape == (2,)


PROGRAM = """\
import jax
import jax.numpy as jnp
from jax import lax

total = []


def smooth(rows, decay):
    def body(c, row):
        c = decay * c + row.sum()
        return c, c
    return lax.scan(body, jnp.zeros(()), rows)


def first(rows):
    if rows.shape[0] == 4:
        rows = rows[::-1]
    return lax.scan(lambda c, row: (c + row, c), jnp.zeros(3), rows)


def wrong(rows):
    return rows * 2


def asking(rows):
    return rows if isinstance(rows, jax.core.Tracer) else 2 * rows


def counting(rows):
    total.append(1)
    return rows * 2


def shown(rows):
    return float(rows.sum())


for number in range(3):
    rows = jax.random.normal(jax.random.PRNGKey(number), (4, 3))
    smooth(rows, 0.9), first(rows), wrong(rows), asking(rows), counting(rows), shown(rows)
"""
REWRITTEN = (
    ("    def body(c, row):\n        c = decay * c + row.sum()\n        return c, c\n", ""),
    ("body, jnp.zeros(()), rows)", "_body, (decay, jnp.zeros(())), rows)"),
    ("    return lax.scan(_body", "    (_, c), out = lax.scan(_body"),
    ("jnp.zeros(())), rows)\n", "jnp.zeros(())), rows)\n    return c, out\n"),
    ("def smooth", "def _body(c, row):\n    c = c[0], c[0] * c[1] + row.sum()\n    return c, c[1]\n\n\ndef smooth"),
    ("lambda c, row: (c + row, c)", "_add"),
    ("def first", "def _add(c, row):\n    return c + row, c\n\n\ndef first"),
    ("    return rows * 2\n\n\ndef asking", "    return rows * 3\n\n\ndef asking"),
    ("else 2 * rows", "else rows * 2"),
    ("    total.append(1)\n    return rows * 2", "    total.append(1)\n    return rows * 2.0"),
    ("float(rows.sum())", "float(jnp.sum(rows))"),
)
SHAPE = ("float32[4,3]",)


def test_a_program_is_asked_what_its_functions_are_traced(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    rewritten = PROGRAM
    for old, new in REWRITTEN:
        assert rewritten.count(old) == 1, old
        rewritten = rewritten.replace(old, new)
    names = ("smooth", "first", "wrong", "asking", "counting", "shown")
    runner = ProgramRunner(tmp_path, f"{sys.executable} program.py", [("program.py", name) for name in names])
    (found,) = runner.measure({"program.py": rewritten.encode()})
    (hurried,) = runner.measure({"program.py": rewritten.encode()}, beside=False)
    assert found.failure is None
    assert (found.traces, len(found.compiles)) == (hurried.traces, len(hurried.compiles))
    assert set(found.programs) == {
        Traced("program.py:smooth", SHAPE, is_same=True, any_size=True, besides=("decay",)),
        Traced("program.py:first", SHAPE, is_same=True, any_size=False),
        Traced("program.py:wrong", SHAPE, is_same=False, any_size=False),
        Traced("program.py:shown", SHAPE, is_same=False, any_size=False),
    }
