"""What other files may do with the function of `separate-value-and-grad`: rules, subclasses, and nothing at all."""

import pytest

from jaxfix.api import Confidence
from jaxfix.engine.analyze import analyze
from jaxfix.engine.project import joined
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.source_file import SourceFile
from jaxfix_codemods import separate_value_and_grad

HEAD = """\
import jax
import jax.numpy as jnp

"""
FIT = """\

def fit(w):
    for _ in range(4):
        value = loss(w)
        w = w - 0.1 * jax.grad(loss)(w)
    return w, value
"""
OWN = f"""{HEAD}
def loss(w):
    return jnp.sum(jnp.tanh(w) * w.sum())

{FIT}"""
HELPED = f"""{HEAD}from other import act


def loss(w):
    return jnp.sum(act(w))

{FIT}"""
CHOSEN = f"""{HEAD}from other import ACTS

act = ACTS["a"]


def loss(w):
    return jnp.sum(act(w))

{FIT}"""
METHOD = f"""{HEAD}
class Model:
    def loss(self, w):
        return jnp.sum(w * w)

    def fit(self, w):
        for _ in range(4):
            value = self.loss(w)
            w = w - 0.1 * jax.grad(self.loss)(w)
        return w, value
"""
VJP = f"""{HEAD}
@jax.custom_vjp
def act(x):
    return x


act.defvjp(lambda x: (x, x), lambda x, g: (g,))
ACTS = {{"a": act}}
"""
JVP = f"""{HEAD}
@jax.custom_jvp
def act(x):
    return x


@act.defjvp
def rule(primals, tangents):
    return primals[0], tangents[0]
"""
GRADIENT = f"""{HEAD}
@jax.custom_gradient
def act(x):
    return x, lambda g: g
"""
PLAIN = f"""{HEAD}
def act(x):
    return jnp.tanh(x)
"""
TRACED_TOO = f"""{HEAD}
def loss(w):
    return jnp.sum(jnp.tanh(w) * w.sum())


def step(w, _):
    value = loss(w)
    return w - 0.1 * jax.grad(loss)(w), value


def fit(w, scanned):
    if scanned:
        return jax.lax.scan(step, w, None, 4)[0]
    for _ in range(4):
        w, _ = step(w, None)
    return w


fit(jnp.ones(3), True)
"""
SUBCLASS = """\
from case import Model


class Counting(Model):
    def loss(self, w):
        return super().loss(w)
"""
MADE = """\
from case import Model

print(Model().fit(1.0))
"""


@pytest.mark.parametrize(
    ("case", "other", "reason"),
    [
        (HELPED, VJP, "derivative rule"),
        (HELPED, JVP, "derivative rule"),
        (HELPED, GRADIENT, "derivative rule"),
        (CHOSEN, VJP, "derivative rule"),
        (HELPED, PLAIN, None),
        (OWN, VJP, None),
        (METHOD, SUBCLASS, "subclass"),
        (METHOD, MADE, None),
    ],
)
def test_what_another_file_may_do_decides(case: str, other: str, reason: str | None) -> None:
    texts = {"case": case, "other": other}
    files = [(SourceFile.decode(f"{name}.py", text.encode()), Surroundings(name)) for name, text in texts.items()]
    around = Surroundings("case", project=joined(files))
    (found,) = analyze(files[0][0], (separate_value_and_grad.CODEMOD,), surroundings=around).found
    declined = found.finding.declined
    assert (declined is None) if reason is None else (declined is not None and reason in declined.text)


@pytest.mark.parametrize(
    ("case", "is_certain"), [(TRACED_TOO, False), (TRACED_TOO.replace("jax.lax.scan(step, w, None, 4)[0]", "w"), True)]
)
def test_what_a_trace_may_run_too_is_not_certain(case: str, is_certain: bool) -> None:
    source = SourceFile.decode("case.py", case.encode())
    (found,) = analyze(source, (separate_value_and_grad.CODEMOD,)).found
    assert (found.finding.confidence is Confidence.CERTAIN) == is_certain
