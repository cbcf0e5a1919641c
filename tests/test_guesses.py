"""A guess, whose cost no run has shown, gives way to the fixes that make it moot."""

from jaxfix.engine.plan import plan
from jaxfix.source.source_file import SourceFile
from jaxfix.testing import BESIDE
from jaxfix_codemods import CODEMODS

FIT = b"""import jax
import jax.numpy as jnp


def simulate(force, k, x0):
    def step(state, _):
        x, v = state
        return (x + 0.1 * v, v + 0.1 * force(x, k)), x

    _, xs = jax.lax.scan(step, (x0, jnp.zeros_like(x0)), None, length=50)
    return xs


def spring(x, k):
    return -k * x


def loss(k, target, x0):
    return jnp.mean((simulate(spring, k, x0) - target) ** 2)


def main():
    x0 = jnp.ones(4)
    target = simulate(spring, jnp.float32(1.5), x0)
    k = jnp.float32(1.0)
    for i in range(30):
        value, grad = jax.value_and_grad(loss)(k, target, x0)
        k = k - 0.05 * grad
    print(value, k)


main()
"""


def test_a_step_goes_under_jit_and_its_gradient_is_not_wrapped_as_well() -> None:
    patch = plan(SourceFile.decode("fit.py", FIT), CODEMODS, lambda fix: None, BESIDE)
    after = patch.after.decode()
    assert "unjitted-update" in {fix.codemod for fix in patch.applied}
    assert "retrace(jax.value_and_grad" not in after and after.count("@jax.jit") == 1
