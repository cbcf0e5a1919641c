"""A generated library, in layers: each file uses those below it in the ways that make files ask one another."""

HEAD = """\
import jax
import jax.numpy as jnp
from jax import lax
"""
BODY = """\

class Model{name}{base}:
    def __init__(self, rate):
        self.rate = rate

    def apply(self, x):
        def body(c, _):
            return c * self.rate, None
        return lax.scan(body, x, None, 3)[0]

    def update(self, model, x):
        return model.apply(self._inner(x))

    def own_{name}(self, model, x):
        return model.update(model, x)

    def _inner(self, x):
        for k in range(8):
            x = jnp.sin(x) + k
        return self._before_{name}(x)

    def _before_{name}(self, x):
        return x

    def _after_{name}(self, x):
        def body(c, _):
            return c + 1, None
        return lax.scan(body, x, None, 3)[0]


def advance(x, power=2):
    def body(c, _):
        return c ** power, None
    return lax.scan(body, x, None, 3)[0]


def _count(x, n):
    total = 0
    for k in range(n):
        total += k
    return x + total


def run(model, x, steps):
    for _ in range(steps):
        x = jax.grad(lambda y: jnp.sum(model.apply(y)))(x)
        x = _count(x, steps)
    return x
"""
USES = """\


@jax.jit
def step_{name}(x):
    return {below}.advance(x, 3)


def repeated_{name}(model, x):
    for _ in range(100):
        x = {below}.run(model, x, 3) + {beside}.advance(x)
        x = model.own_{beside}(model, x) + model._after_{below}(x)
    return x
"""

PROGRAM = """\
from lib import {top}

model = {top}.Model{top}(0.1)
for _ in range(9):
    {top}.run(model, 1.0, 3)
"""


def library(layers: int, width: int = 4) -> dict[str, str]:
    """The texts of `layers * width` files and a program, by their dotted names."""
    found = {}
    for layer in range(layers):
        for place in range(width):
            name = f"l{layer}_{place}"
            if layer == 0:
                found[f"lib.{name}"] = f"{HEAD}{BODY.format(name=name, base='')}"
                continue
            below, beside = f"l{layer - 1}_{place}", f"l{layer - 1}_{(place + 1) % width}"
            imports = f"from lib import {below}, {beside}\n"
            body = BODY.format(name=name, base=f"({below}.Model{below})")
            uses = USES.format(name=name, below=below, beside=beside)
            found[f"lib.{name}"] = f"{HEAD}{imports}{body}{uses}"
    top = f"l{layers - 1}_0"
    program = (
        f"from lib import {top}\nmodel = {top}.Model{top}(0.1)\nfor _ in range(9):\n    {top}.run(model, 1.0, 3)\n"
    )
    return found | {"main": program}
