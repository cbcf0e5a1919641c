"""Single steps of `flax.nnx`: what they change in their arguments is compared, as well as what they return."""

from typing import Any

import pytest

from jaxfix.evidence.probe.razor import InPlace, changing, held, stepped

nnx = pytest.importorskip("flax.nnx")


def compared(jitted_rate: float, *, returns: float = 0.0) -> Any:
    """How a step that moves a layer by 0.1 and its jitted form, which moves it so far, are compared."""
    import jax.numpy as jnp

    def step_by(rate: float, more: float) -> Any:
        def step(layer: Any, x: Any) -> Any:
            loss, slopes = nnx.value_and_grad(lambda of: jnp.mean(of(x) ** 2))(layer)
            layer.bias[...] = layer.bias[...] - rate * slopes["bias"][...]
            return loss + more

        return step

    layer, x = nnx.Linear(3, 2, rngs=nnx.Rngs(0)), jnp.ones((4, 3))
    plain, jitted = step_by(0.1, 0.0), nnx.jit(step_by(jitted_rate, returns))
    call = InPlace((layer, x), {})
    returned = plain(layer, x)
    return stepped(changing(plain), changing(jitted), call, (returned, held((layer, x), {})))


def test_equal_steps_agree() -> None:
    found = compared(0.1)
    assert found.difference is None
    assert found.leaves == 4  # the loss, two parameters and the batch


def test_another_change_of_the_model_is_seen() -> None:
    assert compared(0.2).difference is not None


def test_another_result_is_seen() -> None:
    assert compared(0.1, returns=1.0).difference is not None


@pytest.mark.parametrize("names", [("a", "b", "c"), ("in", "hidden", "out")])
def test_dictionaries_beside_a_model_keep_their_order(names: tuple[str, ...]) -> None:
    """Under `jit` the keys are sorted."""
    import jax
    import jax.numpy as jnp

    def step(layer: Any, scales: Any, *, more: Any) -> Any:
        x = jnp.ones((4, 3))
        for scale in (*scales[0]["w"].values(), *more.values()):
            x = jnp.tanh(x) * scale
        layer.bias[...] = layer.bias[...] - jnp.mean(layer(x))
        return x

    made = dict(zip(names, jax.random.normal(jax.random.PRNGKey(1), (3, 3)), strict=True))
    for scales, more in (([{"w": made}], {}), ([{"w": {}}], made)):
        layer = nnx.Linear(3, 2, rngs=nnx.Rngs(0))
        call = InPlace((layer, scales), {"more": more})
        (model, given), passed = call.passed(lambda leaf: leaf)
        assert isinstance(model, nnx.Linear) and (*given[0]["w"], *passed["more"]) == names
        returned = changing(step)(layer, scales, more=more)
        found = stepped(changing(step), changing(nnx.jit(step)), call, returned)
        assert (found.difference is None) == (list(names) == sorted(names)), found
