"""What a caller's loop has made anew on purpose is not a certain finding."""

import textwrap

import pytest

from jaxfix.report.finding import Confidence
from jaxfix.semantic.module import Module
from jaxfix.source.source_file import SourceFile
from jaxfix_codemods import local_jit, local_loop_function

HEAD = "import jax\nfrom jax import lax\n\n"
TRAIN = """\
def _train(model, x):
    step = jax.jit(lambda x: model(x) + 1)
    for _ in range(3):
        x = step(x)
    return x
"""
SOLVE = """\
def _solve(model, x):
    return lax.while_loop(lambda x: x < 3, lambda x: model(x), x)
"""
CLASS = """\
class _Trainer:
    def train(self, x):
        return jax.jit(lambda x: self.model(x))(x)

_t = _Trainer()
"""


def confidences(text: str) -> list[Confidence]:
    module = Module.parse(SourceFile.decode("lib.py", (HEAD + textwrap.dedent(text)).encode()))
    return [finding.confidence for codemod in (local_jit, local_loop_function) for finding in codemod.find(module)]


@pytest.mark.parametrize(
    "text",
    [
        TRAIN + "for m in models: _train(m, x)",
        TRAIN + "for name, m in models.items(): _train(model=m, x=x)",
        TRAIN + "for n in sizes:\n    m = build(n)\n    _train(m, x)",
        TRAIN + "[_train(m, x) for m in models]",
        TRAIN + "def _run(m, y):\n    return _train(m, y)\nfor m in models: _run(m, x)",
        TRAIN + "def _run(size, y):\n    m = build(size)\n    return _train(m, y)\nfor n in sizes: _run(n, x)",
        TRAIN.replace("    step", "    model = wrap(model)\n    step") + "for m in models: _train(m, x)",
        SOLVE + "for m in models: _solve(m, x)",
    ],
)
def test_a_program_for_each(text: str) -> None:
    found = confidences(text)
    assert found and set(found) == {Confidence.POSSIBLE}


@pytest.mark.parametrize(
    "text",
    [
        TRAIN + "for x in batches: _train(model, x)",
        TRAIN + "for m in models: _train(m, x)\nfor x in batches: _train(model, x)",
        TRAIN + "def _run(m, y):\n    return _train(m, y)\nfor x in batches: _run(model, x)",
        TRAIN.replace("model(x)", "model * x") + "for m in rates: _train(m, x)",
        SOLVE + "for x in batches: _solve(model, x)",
    ],
)
def test_the_same_program_again(text: str) -> None:
    assert Confidence.CERTAIN in confidences(text)
