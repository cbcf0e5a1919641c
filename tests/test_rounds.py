"""What is reported to happen repeatedly: only what the text shows to run eagerly, more than once."""

import ast
import textwrap

import pytest

from jaxfix.semantic.module import Module
from jaxfix.semantic.project.project import Project
from jaxfix.semantic.project.summary_types import Facts
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.source_file import SourceFile
from jaxfix.staging.contexts import Staging

HEAD = "import functools\nimport jax\n\n"


def surely_repeats(text: str, surroundings: Surroundings | None = None) -> bool:
    source = SourceFile.decode("lib.py", (HEAD + textwrap.dedent(text)).encode())
    module = Module.parse(source, surroundings or Surroundings())
    (call,) = (call for call in module.nodes(ast.Call) if module.text(call) == "here()")
    return module.get(Staging).surely_repeats(call)


@pytest.mark.parametrize(
    "text",
    [
        "for _ in range(3): here()",
        "for _ in range(0, 4, 2): here()",
        "for _ in range(n): here()",
        "N = 3\nfor _ in range(N): here()",
        "for _ in (1, 2): here()",
        "for _ in (*many,): here()",
        "for _ in enumerate(loader): here()",
        "for _ in zip(xs, ys): here()",
        "[here() for _ in range(3)]",
        "sum(here() for _ in range(3))",
        "[here() for a in (1,) for b in many]",
        "while True:\n    here()\n    step += 1\n    if step >= most: break",
        "step = 0\nwhile True:\n    here()\n    step += 1\n    if step == 5: break",
        "import time\nwhile True:\n    here()\n    if time.time() > end: break",
        "while True:\n    losses.append(here())\n    if len(losses) > most: break",
        "for i in range(9):\n    here()\n    if i == 3: break",
        "for i in range(9):\n    here()\n    if i >= most: return_early = True; break",
        "for i in range(1, 9):\n    here()\n    if i < 1: break",
        "for i, x in enumerate(loader):\n    here()\n    if i + 1 > most and x: break",
        "for x in loader:\n    y = here()\n    if jnp.isnan(y) or not math.isfinite(y): break",
        "for x in loader:\n    y = here()\n    if y < 0: raise ValueError(y)",
        "for x in loader:\n    here()\n    for y in x:\n        if y: break",
        "for x in loader:\n    here()\n    if x: continue",
        "while not done:\n    here()\n    done = f()",
        "for _ in range(3):\n    try:\n        here()\n    except ValueError:\n        break",
        "def _f(): here()\nfor _ in range(3): _f()",
        "def timed(f):\n    return lambda: f()\n@timed\ndef _f(): here()\nfor _ in range(3): _f()",
        "@functools.wraps(other)\ndef _f(): here()\nfor _ in range(3): _f()",
        "class C:\n    def f(self): here()\n    def run(self):\n        for _ in range(3): self.f()\nc = C()\nc.run()",
    ],
)
def test_what_goes_around_repeats(text: str) -> None:
    assert surely_repeats(text)


@pytest.mark.parametrize(
    "text",
    [
        "for _ in range(1): here()",
        "for _ in range(0, 1): here()",
        "for _ in range(0, 9, 9): here()",
        "for _ in range(3, 0): here()",
        "N = 1\nfor _ in range(N): here()",
        "for _ in (): here()",
        "for _ in 'a': here()",
        "NAMES = ('a',)\nfor _ in NAMES: here()",
        "for _ in enumerate(['a']): here()",
        "for _ in zip([1], many): here()",
        "for _ in {'a': 1}.items(): here()",
        "[here() for _ in range(1)]",
        "next(here() for _ in range(3))",
        "any(here() for _ in range(3))",
        "lazy = (here() for _ in range(3))",
        "while not done:\n    here()\n    done = True",
        "while wanted:\n    here()\n    wanted = False",
        "for i in range(3):\n    here()\n    if i >= 0: break",
        "for i in range(3):\n    here()\n    if i != 0: pass\n    else: break",
        "for i, x in enumerate(loader, 5):\n    here()\n    if i > 4: break",
        "for i in range(3):\n    here()\n    if i % 2 == 0: break",
        "for x in loader:\n    y = here()\n    if y: break",
        "for x in loader:\n    y = here()\n    if not math.isnan(y): break",
        "step = 0\nwhile True:\n    here()\n    step += 1\n    if step == 1: break",
        "while True:\n    here()\n    if done: break",
        "def _f():\n    for x in loader:\n        if x is None: return\n        here()\n_f()",
        "for x in loader:\n    here()\n    for y in x:\n        pass\n    else:\n        if y: break",
        "for x in loader:\n    match here():\n        case None: break",
        "for _ in range(3):\n    with scope():\n        here()\n        break",
        "for _ in many:\n    try:\n        here()\n    except ValueError:\n        continue\n    else:\n        break",
        "for _ in range(3):\n    here()\n    if a:\n        break\n    else:\n        break",
        "def _f():\n    for _ in range(3):\n        y = here()\n        if y:\n            return y\n_f()",
        "def _f():\n    while True:\n        yield here()\n_f()",
        "for _ in range(3):\n    with jax.disable_jit():\n        here()",
    ],
)
def test_what_may_happen_once_does_not_surely_repeat(text: str) -> None:
    assert not surely_repeats(text)


@pytest.mark.parametrize(
    "text",
    [
        "def compiled(f): return jax.jit(f)\n@compiled\ndef _f(): here()",
        "fast = functools.partial(jax.jit)\n@fast\ndef _f(): here()",
        "@unknown\ndef _f(): here()",
        "def _f(): here()\n_f = jax.jit(_f)",
        "def _f(): here()\nif fast:\n    _f = jax.jit(_f)",
        "def _f(): here()\nglobals()['_f'] = jax.jit(_f)",
        "import sys\ndef _f(): here()\nsys.modules[__name__]._f = jax.jit(_f)",
        "def _g(): here()\n_f = jax.jit(_g) if fast else _g",
        "class C:\n    def f(self): here()\nc = C()\nc.f = jax.jit(c.f)\n_f = lambda: c.f()",
        "def fast(cls): return cls\n@fast\nclass C:\n    def f(self): here()\nc = C()\n_f = lambda: c.f()",
    ],
)
def test_what_may_be_under_jit_by_then_does_not_surely_repeat(text: str) -> None:
    assert not surely_repeats(text + "\nfor _ in range(3): _f()")


def test_what_another_file_puts_under_jit_does_not_surely_repeat() -> None:
    text = "def _f(): here()\nfor _ in range(3): _f()"
    assert surely_repeats(text, Surroundings("lib", project=Project((Facts("main"),))))
    assert not surely_repeats(text, Surroundings("lib", project=Project((Facts("main", rebinds=("lib._f",)),))))
    assert not surely_repeats(text, Surroundings("lib", project=Project((Facts("main", stored=("_f",)),))))
