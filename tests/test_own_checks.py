"""Loops by which a module of a package tries itself out: no reason for a step where other files use what they call."""

from pathlib import Path

import pytest
from command_line import Cli

BUFFER = """import jax.numpy as jnp


class Buffer:
    def add(self, state, x):
        mean = jnp.mean(x, axis=0)
        spread = jnp.sqrt(jnp.mean((x - mean) ** 2, axis=0) + 1e-6)
        return state + jnp.tanh(mean / spread)


if __name__ == "__main__":
    buffer, state = Buffer(), jnp.zeros(3)
    for i in range(100):
        state = buffer.add(state, jnp.ones((4, 3)) * i)
    print(state)
"""
AGENT = """import jax

from kit.buffer import Buffer


@jax.jit
def step(state, x):
    return Buffer().add(state, x)
"""


@pytest.mark.parametrize(("agent", "is_found"), [(AGENT, False), ("x = 1\n", True)], ids=["used", "apart"])
def test_a_module_that_tries_itself_out(cli: Cli, tmp_path: Path, agent: str, is_found: bool) -> None:
    package = tmp_path / "kit"
    package.mkdir()
    for name, text in {"__init__.py": "", "buffer.py": BUFFER, "agent.py": agent}.items():
        (package / name).write_text(text)
    found = cli("check", "--all", str(package), "--select", "unjitted-update", "--no-cache")
    assert ("runs eagerly" in found.out) is is_found
