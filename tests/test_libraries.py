"""Functions that other libraries jit: what is found compiles again, what is fixed does not, and gives the same."""

import ast
import json
import os
import subprocess
import sys
import textwrap

import pytest

from jaxfix.engine.analyze import analyze
from jaxfix.engine.plan import plan
from jaxfix.semantic.codemod import Codemod
from jaxfix.source.source_file import SourceFile
from jaxfix_codemods import CODEMODS

pytestmark = pytest.mark.evidence

IMPORTS = """\
import functools
import itertools
import jax
import jax.numpy as jnp
{library}

x = jnp.arange(1.0, 5.0)
"""
EQUINOX, FLAX = "import equinox as eqx", "from flax import nnx"

RUN = """\
import json, sys, jax
compiles = []
event = "/jax/core/compile/backend_compile_duration"
jax.monitoring.register_event_duration_secs_listener(lambda name, *_, **__: compiles.append(name == event))
results = []
for source in json.load(sys.stdin):
    module = {"__name__": "program"}
    exec(compile(source, "program.py", "exec"), module)
    module["out"](0)
    compiles.clear()
    results.append((repr([module["out"](n) for n in range(1, 4)]), sum(compiles)))
json.dump(results, sys.stdout)
"""


def run(*sources: str) -> list[tuple[str, int]]:
    """What three further calls of `out` give, and how often they compile."""
    env = os.environ | {"JAX_PLATFORMS": "cpu"}
    done = subprocess.run(
        [sys.executable, "-c", RUN], input=json.dumps(sources), capture_output=True, text=True, env=env, check=True
    )
    return [(printed, compiles) for printed, compiles in json.loads(done.stdout)]


def codemod(name: str) -> Codemod:
    return next(codemod for codemod in CODEMODS if codemod.id == name)


FIXED = [
    (
        "local-jit",
        EQUINOX,
        """
        def out(n):
            return eqx.filter_jit(lambda v: v * 2)(x).tolist()
        """,
    ),
    (
        "local-jit",
        EQUINOX,
        """
        def out(n):
            return eqx.filter_jit(jax.vmap(lambda v: v * 2))(x).tolist()
        """,
    ),
    (
        "local-jit",
        EQUINOX,
        """
        def out(n):
            @eqx.filter_jit
            def step(v):
                return v * k
            k = x * n
            return step(x).tolist()
        """,
    ),
    (
        "local-jit",
        FLAX,
        """
        def double(v):
            return v * 2
        def out(n):
            return nnx.jit(double)(x).tolist()
        """,
    ),
    (
        "local-jit",
        EQUINOX,
        """
        @eqx.filter_jit
        def apply(v, fn):
            return fn(v)
        def out(n):
            return apply(x, lambda v: v * 2).tolist()
        """,
    ),
    (
        "python-counter",
        EQUINOX,
        """
        @eqx.filter_jit
        def step(v, n):
            return v * n
        def out(m):
            return [step(x, i).tolist() for i in range(3 * m, 3 * m + 3)]
        """,
    ),
    (
        "python-counter",
        EQUINOX,
        """
        @eqx.filter_jit
        def step(v, n):
            return v - 1, n + 1
        def out(m):
            v, n = x + m, 0
            while n < 3 * m:
                v, n = step(v, n)
            return v.tolist()
        """,
    ),
    (
        "python-counter",
        EQUINOX,
        """
        class M(eqx.Module):
            w: jax.Array
            @eqx.filter_jit
            def step(self, v, *, n):
                return self.w * v + n
            def run(self, v, m):
                for i in range(m, m + 2):
                    v = self.step(v, n=i * 0.5)
                return v
        def out(m):
            return M(x).run(x, 10 * m).tolist()
        """,
    ),
]


@pytest.mark.parametrize(("name", "library", "text"), FIXED, ids=range(len(FIXED)))
def test_what_is_fixed_gives_the_same_and_compiles_less(name: str, library: str, text: str) -> None:
    pytest.importorskip(library.split()[1])
    source = IMPORTS.format(library=library) + textwrap.dedent(text)
    patch = plan(SourceFile.decode("program.py", source.encode()), (codemod(name),), lambda fix: None)
    assert [fix.codemod for fix in patch.applied] == [name]
    ast.parse(patch.after)
    (before, many), (after, few) = run(source, patch.after.decode())
    assert after == before
    assert few < many


QUIET = [
    (
        "local-jit",
        EQUINOX,
        """
        def double(v):
            return v * 2
        def out(n):
            return eqx.filter_jit(double)(x).tolist()
        """,
    ),
    (
        "local-jit",
        EQUINOX,
        """
        class M(eqx.Module):
            w: jax.Array
            def step(self, v):
                return self.w * v
            def run(self, v):
                return eqx.filter_jit(self.step)(v)
        m = M(x)
        def out(n):
            return m.run(x).tolist()
        """,
    ),
    (
        "local-jit",
        EQUINOX,
        """
        def double(v):
            return v * 2
        def out(n):
            return eqx.filter_jit(eqx.filter_vmap(double))(x).tolist()
        """,
    ),
    (
        "local-jit",
        EQUINOX,
        """
        def loss(v):
            return (v * v).sum()
        def out(n):
            return eqx.filter_jit(eqx.filter_grad(loss))(x).tolist()
        """,
    ),
    (
        "python-counter",
        FLAX,
        """
        @nnx.jit
        def step(v, n):
            return v * n
        def out(n):
            return step(x, n).tolist()
        """,
    ),
    (
        "python-counter",
        EQUINOX,
        """
        @eqx.filter_jit
        def step(v, n):
            return v * n
        def out(m):
            return [step(x, jnp.asarray(i)).tolist() for i in range(3)]
        """,
    ),
]


@pytest.mark.parametrize(("name", "library", "text"), QUIET, ids=range(len(QUIET)))
def test_what_is_not_found_does_not_compile_again(name: str, library: str, text: str) -> None:
    pytest.importorskip(library.split()[1])
    source = IMPORTS.format(library=library) + textwrap.dedent(text)
    assert analyze(SourceFile.decode("program.py", source.encode()), (codemod(name),)).found == ()
    ((_, compiles),) = run(source)
    assert compiles == 0
