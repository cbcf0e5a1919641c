"""Tests: what one makes for itself is made once, unless it loops."""

import jax
import jax.numpy as jnp
import pytest


@pytest.mark.parametrize("rate", [0.1, 0.2])
def test_halves(rate):
    step = jax.jit(lambda x: x * rate)
    assert step(jnp.ones(3)).sum() == 3 * rate


def _trained(loss):
    gradient = jax.jit(jax.grad(loss))
    return gradient(jnp.ones(3))


class GradientTest:
    def test_gradient(self):
        @jax.jit
        def loss(x):
            return jnp.sum(x**2)

        assert _trained(loss).sum() == 6.0
