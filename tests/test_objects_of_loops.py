"""Steps of objects that a loop makes many of: what they hold becomes arguments, constants static ones."""

import itertools

import pytest

from jaxfix.engine.plan import plan
from jaxfix.source.source_file import SourceFile
from jaxfix_codemods.unjitted_update import CODEMOD

CLASS = """
import jax
import jax.numpy as jnp

class Agent:
    def __init__(self, kind, key):
        self.kind = kind
        self.key = key
        self.values = jnp.zeros(8)

    def move(self, gain):
        self.key, part = jax.random.split(self.key)
        noise = jax.random.normal(part, (8,)) {use}
        self.values = jnp.tanh(self.values * gain + noise) - jnp.mean(self.values)

def play(agent):
    for step in range(100):
        agent.move(0.5)
    return agent.values
"""
KINDS = {
    "2": "* jnp.ones((self.kind, 8)).sum(axis=0)",
    "'sharp'": "* (2.0 if self.kind == 'sharp' else 0.5)",
    "False": "* (2.0 if self.kind else 0.5)",
}
MADE = (
    "for seed in range(20):\n    play(Agent({}, jax.random.key(seed)))\n",
    "print([play(Agent({}, jax.random.key(seed))) for seed in range(20)])\n",
    "def one(seed):\n    return play(Agent({}, jax.random.key(seed)))\n\nfor seed in range(20):\n    one(seed)\n",
)


def _step_of(kind: str, made: str) -> str | None:
    """The line above the step that is written; None without one."""
    source = SourceFile.decode("agents.py", (CLASS.format(use=KINDS[kind]) + made.format(kind)).encode())
    lines = plan(source, (CODEMOD,), lambda *_: None).after.decode().splitlines()
    at = next((number for number, line in enumerate(lines) if line.startswith("def _move(")), None)
    return None if at is None else lines[at - 1]


@pytest.mark.parametrize(("kind", "made"), [*itertools.product(KINDS, MADE)])
def test_a_constant_of_an_object_is_a_static_argument(kind: str, made: str) -> None:
    assert _step_of(kind, made) == "@functools.partial(jax.jit, static_argnums=0)"


@pytest.mark.parametrize("made", MADE)
def test_what_is_equal_and_of_another_type_is_none(made: str) -> None:
    """One program would do for both: `jit` compares static arguments."""
    other = made.replace("range(20)", "range(30)").replace("def one", "def other").replace("one(", "other(")
    assert _step_of("False", made.format("False") + other.format("0")) is None
