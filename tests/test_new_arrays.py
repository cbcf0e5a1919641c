"""Calls that may return the buffer that they are given: measured, and what is said of them."""

import ast
import json
import subprocess
import sys

import pytest

from jaxfix.effects.held import held_in
from jaxfix.semantic.module import Module
from jaxfix.source.source_file import SourceFile

CALLS = """\
T.reshape(4, 4)
T.transpose((0, 1))
T.astype(jnp.float32)
T.view()
T.ravel()
T.squeeze()
T.clip()
T.copy()
T.flatten()
T.block_until_ready()
T.to_device(jax.devices()[0])
T.swapaxes(0, 0)
T[:].astype(T.dtype)
jnp.array(T)
jnp.array(T, copy=False)
jnp.asarray(T)
jnp.astype(T, jnp.float32)
jnp.float32(T)
jnp.broadcast_to(T, (4, 4))
jnp.concatenate([T])
jnp.stack([T])
jnp.vstack([T])
jnp.permute_dims(T, (0, 1))
jnp.moveaxis(T, 0, 0)
jnp.expand_dims(T, ())
jnp.reshape(T, (4, 4))
jnp.ravel(T)
jnp.real(T)
jnp.clip(T)
jnp.round(T)
jnp.roll(T, 0)
jnp.flip(T, ())
jnp.tile(T, 1)
jnp.sum(T, ())
jnp.positive(T)
jnp.where(True, T, T)
jnp.trim_zeros(T)
jnp.nan_to_num(T, copy=False)
jnp.split(T, 1)[0]
jax.device_put(T)
jax.lax.reshape(T, (4, 4))
jax.lax.transpose(T, (0, 1))
jax.lax.concatenate([T], 0)
jax.lax.stop_gradient(T)
jax.lax.convert_element_type(T, jnp.float32)
jax.lax.cond(True, lambda v: v, lambda v: v, T)
jax.lax.fori_loop(0, 0, lambda i, v: v, T)
jax.lax.scan(lambda c, _: (c, None), T, None, length=0)[0]
jax.tree.map(lambda v: v, T)
jax.tree.map(lambda v: v.reshape(v.shape), T)
jax.tree.map(jnp.asarray, T)
jax.vmap(lambda v: v)(T)
jax.checkpoint(lambda v: v)(T)
jax.jit(lambda v: v)(T)
jax.nn.identity(T)
jax.nn.relu(T)
""".splitlines()
MEASURE = """\
import json, jax, jax.numpy as jnp
for text in {calls!r}:
    T = jnp.ones((4, 4))
    result = eval(text)
    result.delete()
    print(json.dumps([text, T.is_deleted()]))
"""


@pytest.mark.evidence
def test_what_returns_its_argument_is_taken_to_hold_it() -> None:
    done = subprocess.run([sys.executable, "-c", MEASURE.format(calls=CALLS)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    shared = [text for text, is_shared in map(json.loads, done.stdout.splitlines()) if is_shared]
    assert len(shared) > 20
    assert [text for text in shared if not _may_hold(text)] == []


@pytest.mark.parametrize("text", ["T.copy()", "jnp.array(T)", "jnp.stack([T])", "T.sum()", "jnp.array(T, copy=True)"])
def test_what_copies_holds_nothing(text: str) -> None:
    assert not _may_hold(text)


def _may_hold(text: str) -> bool:
    source = f"import jax\nimport jax.numpy as jnp\nT = load()\np = {text}\n"
    module = Module.parse(SourceFile.decode("a.py", source.encode()))
    value = module.tree.body[-1]
    assert isinstance(value, ast.Assign)
    return "T" in {name.id for name in held_in(module, value.value)}
