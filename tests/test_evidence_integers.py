"""Integers that a program passes: smaller ones are tried, wherever they are, and what is not tried is named."""

from pathlib import Path

import pytest
from beside_program import differing, measured

pytestmark = pytest.mark.evidence

BEFORE = """
import dataclasses, typing
class Named(typing.NamedTuple):
    n: int = 2
@dataclasses.dataclass(frozen=True)
class Frozen:
    n: int = 2
    _n: int = 2
@dataclasses.dataclass
class Open:
    n: int = 2
@dataclasses.dataclass(frozen=True)
class Nested:
    inner: Open = dataclasses.field(default_factory=Open)
class Roll:
    size = 2
    def __init__(self, n):
        self._n = n
    def private(self, v):
        return jnp.roll(v, self._n)
    def shared(self, v):
        return jnp.roll(v, self.size)
def plain(v, n=2):
    return jnp.roll(v, n)
def tupled(v, sizes):
    return jnp.roll(v, sizes[0]) * sizes[1]
def optioned(v, options):
    return jnp.roll(v, options["n"])
def named(v, options):
    return jnp.roll(v, options.n)
def frozen(v, options):
    return jnp.roll(v, options.n)
def hidden(v, options):
    return jnp.roll(v, options._n)
def nested(v, options):
    return jnp.roll(v, options.inner.n)
def make(n):
    def captured(v):
        return jnp.roll(v, n)
    return captured
@functools.partial(jax.jit, static_argnames="n")
def static(v, n):
    return jnp.concatenate([v[-n:], v[:-n]])
def rest(v, *shifts):
    for n in shifts:
        v = jnp.roll(v, n)
    return v
def of_numpy(v, n):
    return jnp.roll(v, int(n))
def rounds(v, count):
    for _ in range(count):
        v = 0.5 * (v + jnp.roll(v, 1))
    return v
def listed(sizes, v):
    for size in sizes:
        v = jnp.tanh(jnp.resize(v, size))
    return v
roll = Roll(2)
for k in range(3):
    roll.private(x + k), roll.shared(x + k), plain(x + k), tupled(x + k, (2, 3)), optioned(x + k, {"n": 2})
    named(x + k, Named()), frozen(x + k, Frozen()), hidden(x + k, Frozen()), nested(x + k, Nested()), make(2)(x + k)
    static(x + k, n=2), rest(x + k, 2, 3), of_numpy(x + k, np.int64(2)), rounds(x + k, 8), listed([8, 4], x + k)
"""
CHANGES = (
    ("v, self._n", "v, max(self._n, 2)"),
    ("v, self.size", "v, max(self.size, 2)"),
    ("return jnp.roll(v, n)\ndef tupled", "return jnp.roll(v, max(n, 2))\ndef tupled"),
    ("sizes[0])", "max(sizes[0], 2))"),
    ('options["n"]', 'max(options["n"], 2)'),
    ("options.n", "max(options.n, 2)"),
    ("options._n", "max(options._n, 2)"),
    ("options.inner.n", "max(options.inner.n, 2)"),
    (
        "        return jnp.roll(v, n)\n    return captured",
        "        return jnp.roll(v, max(n, 2))\n    return captured",
    ),
    ("v[-n:], v[:-n]", "v[-max(n, 2):], v[:-max(n, 2)]"),
    ("        v = jnp.roll(v, n)", "        v = jnp.roll(v, max(n, 2))"),
    ("int(n)", "max(int(n), 2)"),
    ("range(count)", "range(max(count, 5))"),
    ("resize(v, size)", "resize(v, max(size, 4))"),
)
NAMES = (
    *("Roll.private", "Roll.shared", "plain", "tupled", "optioned", "named", "frozen", "hidden", "nested"),
    *("make.<locals>.captured", "static", "rest", "of_numpy", "rounds", "listed"),
)


def test_smaller_integers_are_tried_wherever_they_are(tmp_path: Path) -> None:
    after = BEFORE
    for old, new in CHANGES:
        assert old in after
        after = after.replace(old, new)
    found = differing(measured(tmp_path, BEFORE, after, *NAMES))
    assert set(NAMES) - found.keys() == set()
