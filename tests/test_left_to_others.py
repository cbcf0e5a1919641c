"""Which loop bodies wait for a run: those of a method that a base elsewhere calls, and no loop of the file."""

import pytest

from jaxfix.engine.analyze import analyze
from jaxfix.source.source_file import SourceFile
from jaxfix_codemods.local_loop_function import CODEMOD

METHOD = """\
import abc
import collections
import enum
import typing

import jax
import jax.numpy as jnp
from lib import Base


class Failure(Exception):
    pass


class T(BASES):
    def once(self, x, n):
        a = jnp.ones(n)

        def body(c, _):
            return c * a.sum(), None

        return jax.lax.scan(body, x, None, length=3)[0]

"""
DERIVED = """\
import jax
from lib import Base


class T(BASES):
    def once(self, x, n):
        def loss(x):
            return jax.lax.cond(n > 2, lambda x: x, lambda x: 2 * x, x).sum()

        return jax.grad(loss)(x)

"""
METHODS = {
    "of itself": "    def fit(self, x):\n        while True:\n            x = self.once(x, 3)\n        return x\n",
    "of its object": "def drive(x):\n    t = T()\n    for i in range(9):\n        x = t.once(x, 3)\n    return x\n",
    "of another's": "def drive(x, tools):\n    for tool in tools:\n        x = tool.once(x, 3)\n    return x\n",
    "of a caller": (
        "    def half(self, x):\n        return self.once(x, 3)\n\n"
        "    def fit(self, x):\n        while x.sum() > 1:\n            x = self.half(x)\n        return x\n"
    ),
}
ALONE = {
    "none": "",
    "no loop": "    def fit(self, x):\n        return self.once(x, 3)\n",
    "of another class": (
        "class Other:\n    def once(self, x, n):\n        return x\n\n\n"
        "def drive(x):\n    other = Other()\n    for i in range(9):\n        x = other.once(x, 3)\n    return x\n"
    ),
    "of too few arguments": "def drive(x, bars):\n    for bar in bars:\n        bar.once(1)\n    return x\n",
    "under a trace": (
        "    @jax.jit\n    def fit(self, x):\n        for i in range(9):\n"
        "            x = self.once(x, 3)\n        return x\n"
    ),
}
STANDARD = (
    "object",
    "dict",
    "Exception",
    "Failure",
    "abc.ABC",
    "collections.UserDict",
    "typing.Generic[int]",
    "enum.Enum",
)


def is_told(bases: str, rest: str = "", method: str = METHOD) -> bool:
    text = method.replace("BASES", bases) + rest
    found = analyze(SourceFile.decode("tools.py", text.encode()), (CODEMOD,)).found
    return any(not each.finding.moot for each in found)


@pytest.mark.parametrize("method", [METHOD, DERIVED])
@pytest.mark.parametrize("loop", METHODS)
def test_a_loop_of_the_file_repeats_a_method(loop: str, method: str) -> None:
    assert is_told("Base", METHODS[loop], method)


@pytest.mark.parametrize("method", [METHOD, DERIVED])
@pytest.mark.parametrize("loop", ALONE)
def test_what_only_a_base_elsewhere_may_repeat_waits_for_a_run(loop: str, method: str) -> None:
    assert not is_told("Base", ALONE[loop], method)


@pytest.mark.parametrize("base", STANDARD)
def test_a_base_of_python_itself_calls_no_method_under_a_trace(base: str) -> None:
    assert is_told(base)
    assert not is_told(f"{base.partition('[')[0]}, Base")
