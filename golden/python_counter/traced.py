"""Places where a run saw a static number change."""

import equinox as eqx
import jax


@eqx.filter_jit
def make_step(model, step):
    return model * step


def train(model, epochs):
    for epoch in range(epochs):
        model = make_step(  # want: python-counter
            model, schedule(epoch)
        )
        value = make_step(model, schedule(epoch))  # jaxfix: ignore[python-counter]
    return model, value


for number in range(3):
    power = jax.jit(lambda x, n: x**n, static_argnums=1)(2.0, number)  # want: python-counter (no fix): as an exponent
