"""Models of other files whose methods a trainer differentiates: none of their code is read there."""

import pytest

from jaxfix.engine.analyze import analyze
from jaxfix.engine.project import joined
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.source_file import SourceFile
from jaxfix_codemods.unjitted_update import CODEMOD

MODEL = """
import jax
import jax.numpy as jnp

class Net:
    def __init__(self, width):
        self.width, self.scale = width, 1.0

    def init(self, key):
        return jax.random.normal(key, (self.width, self.width))

    def anneal(self):
        self.scale = 0.5 * self.scale

    def loss(self, params, x):
        return jnp.mean((jnp.tanh(x @ params) * self.scale - x) ** 2)
"""
TRAINER = """
import jax
import jax.numpy as jnp
from models import Net

class Trainer:
    def __init__(self, net, key):
        self.net = net
        self.params = net.init(key)

    def train_step(self, x):
        loss, grads = DERIVATIVE
        self.params = jax.tree.map(lambda p, g: p - 0.1 * g, self.params, grads)
        return loss

    def fit(self, xs):
        for epoch in range(10):
            for x in xs:
                print(self.train_step(x))

if __name__ == "__main__":
    net = Net(4)
    trainer = Trainer(net, jax.random.key(0))
    trainer.fit([jnp.ones((3, 4)) * i for i in range(20)])
"""
WAYS = (
    "jax.value_and_grad(self.net.loss)(self.params, x)",
    "jax.value_and_grad(lambda p: self.net.loss(p, x))(self.params)",
)
OWN = MODEL.replace("    def anneal(self):\n        self.scale = 0.5 * self.scale\n\n", "")
TOGETHER = OWN + TRAINER.replace("from models import Net\n", "")


def _why_no_step(trainer: str, other: str) -> str | None:
    """Why there is no step in `trainer`, beside the file `other`; None where there is one."""
    given = [
        (SourceFile.decode(f"{name}.py", text.encode()), name)
        for name, text in {"trainer": trainer, "models": other}.items()
    ]
    known = joined([(source, Surroundings(name)) for source, name in given])
    source, name = given[0]
    (found,) = analyze(source, (CODEMOD,), surroundings=Surroundings(name, project=known)).diagnostics
    return None if found.declined is None else str(found.declined)


@pytest.mark.parametrize("way", WAYS)
def test_a_model_of_another_file_gets_no_step(way: str) -> None:
    reason = _why_no_step(TRAINER.replace("DERIVATIVE", way), MODEL)
    assert reason is not None and "`self.net` is unknown" in reason


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("other", "told"),
    [
        ("", None),
        ("import trainer\n\ntrainer.Net.loss = print\n", "another file rebinds an attribute `loss`"),
        ("import trainer\n\ntrainer.Trainer(print, 1).fit([])\n", "another file may give another `self.net`"),
        ("def anneal(net):\n    net.scale = 0.5\n", "another file rebinds an attribute `scale`"),
    ],
)
def test_what_other_files_do_to_a_model_of_this_file_counts(way: str, other: str, told: str | None) -> None:
    reason = _why_no_step(TOGETHER.replace("DERIVATIVE", way), other)
    assert reason is None if told is None else reason is not None and told in reason
