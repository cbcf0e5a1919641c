"""What `jax.vmap` makes of a function under `jit`: mapping it again at each call costs more than it saves."""

from functools import partial

import jax.numpy as jnp
from jax import jit, vmap


@jit
def predict(params, x):
    for w, b in params:
        x = jnp.tanh(w @ x + b)
    return x


predicted = jit(vmap(predict, in_axes=(None, 0)))


@partial(jit, static_argnums=1)
def power(x, n):
    return jnp.sum(jnp.sin(x) ** n)


powers = vmap(partial(power, n=3))


@partial(jit, donate_argnums=0)
def moved(x, by):
    return jnp.tanh(x) * by + jnp.cos(x)


shifted = vmap(moved)


def told(function):
    def wrapper(*args):
        print("called")
        return function(*args)

    return wrapper


@jit
@told
def loud(x):
    return jnp.sum(jnp.sin(x)) + jnp.max(x)


heard = vmap(loud)


class Net:
    def __init__(self, params):
        self.params = params

    def predict(self, xs):
        return predicted(self.params, xs)


def main():
    net = Net([(jnp.ones((3, 3)), jnp.zeros(3))])
    rows = [net.predict(jnp.ones((1, 3)) * number) for number in range(20)]
    for _ in range(20):
        print(predicted(net.params, jnp.ones((4, 3))))
        print(powers(jnp.ones((4, 3))))
        print(shifted(jnp.ones((4, 3)), jnp.ones(4)))
        print(heard(jnp.ones((4, 3))))
    return rows


main()
