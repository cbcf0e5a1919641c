"""Batches of rows whose number is not in the code are reported where a loop makes other rows in each iteration."""

import textwrap

import pytest

from jaxfix.semantic.module import Module
from jaxfix.source.source_file import SourceFile
from jaxfix_codemods import ragged_batch

HEAD = """\
import jax
import jax.numpy as jnp


@jax.jit
def step(w, x):
    return w + x.sum()


"""

VARY = {
    "a list that is made longer": """\
        def train(w, buffer, paths):
            for path in paths:
                buffer.append(path)
                for start in range(0, len(buffer), 64):
                    w = step(w, jnp.array(buffer[start : start + 64]))
        """,
    "an attribute that is bound": """\
        class Learner:
            def learn(self, w):
                for _ in range(10):
                    self.rows = jnp.concatenate([self.rows, self.rows[:7]])
                    for start in range(0, len(self.rows), 64):
                        w = step(w, self.rows[start : start + 64])
        """,
    "an attribute that is made longer": """\
        class Learner:
            def learn(self, w, paths):
                for path in paths:
                    self.rows.append(path)
                    for start in range(0, len(self.rows), 64):
                        w = step(w, jnp.array(self.rows[start : start + 64]))
        """,
    "an argument of a call in a loop": """\
        def train(w, paths):
            for path in paths:
                w = one(jnp.load(path), w)

        def one(rows, w):
            count = len(rows)
            for start in range(0, count, 64):
                w = step(w, rows[start : start + 64])
            return w
        """,
    "an argument that a function hands on": """\
        def train(w, paths):
            return [two(w, path) for path in paths]

        def two(w, path):
            return one(rows=jnp.load(path), w=w)

        def one(rows, w):
            for start in range(0, len(rows), 64):
                w = step(w, rows[start : start + 64])
            return w
        """,
    "a method that a loop calls": """\
        class Learner:
            def learn(self, w, paths):
                for path in paths:
                    w = self.one(w, jnp.load(path))

            def one(self, w, rows):
                for start in range(0, len(rows), 64):
                    w = step(w, rows[start : start + 64])
                return w
        """,
}

STAY = {
    "entries that are stored": """\
        def train(w, rows):
            for epoch in range(10):
                rows[epoch] = 0.0
                for start in range(0, len(rows), 64):
                    w = step(w, rows[start : start + 64])
        """,
    "another attribute": """\
        class Learner:
            def learn(self, w):
                for _ in range(10):
                    for start in range(0, len(self.rows), 64):
                        w = step(w, self.rows[start : start + 64])
                    self.weights = w
        """,
    "another argument": """\
        def train(w, rows):
            for _ in range(10):
                w = one(rows, w)

        def one(rows, w):
            for start in range(0, len(rows), 64):
                w = step(w, rows[start : start + 64])
            return w
        """,
    "a function that calls itself": """\
        def one(rows, w):
            for start in range(0, len(rows), 64):
                w = step(w, rows[start : start + 64])
            return one(rows, w)
        """,
}


def _is_told(program: str) -> bool:
    source = SourceFile.decode("a.py", (HEAD + textwrap.dedent(program)).encode())
    (found,) = ragged_batch.CODEMOD.find(Module.parse(source))
    return not found.moot


@pytest.mark.parametrize("program", VARY.values(), ids=VARY)
def test_other_rows_are_told(program: str) -> None:
    assert _is_told(program)


@pytest.mark.parametrize("program", STAY.values(), ids=STAY)
def test_the_same_rows_are_not(program: str) -> None:
    assert not _is_told(program)
