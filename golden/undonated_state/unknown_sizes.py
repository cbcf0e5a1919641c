"""States of which nothing says that they are large: what a caller passes, what another file makes. A run tells."""

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from elsewhere import initial

optimizer = optax.adam(1e-3)


def loss(params, batch):
    return jnp.sum((batch @ params) ** 2)


@jax.jit  # want: undonated-state
def _move(place, dt):
    return place + dt * jnp.sin(place)


def simulate(dt, count):
    place = initial(jax.random.key(0))
    for _ in range(count):
        place = _move(place, dt)
    return place


@jax.jit  # want: undonated-state
def _of_caller(params, state, batch):
    updates, state = optimizer.update(jax.grad(loss)(params, batch), state)
    return optax.apply_updates(params, updates), state


def train(params, batches):
    state = optimizer.init(params)
    for batch in batches:
        params, state = _of_caller(params, state, batch)
    return params


def fit(params, given, batches):
    state = given.init(params)

    @jax.jit  # want: undonated-state
    def of_given(params, state, batch):
        updates, state = given.update(jax.grad(loss)(params, batch), state)
        return optax.apply_updates(params, updates), state

    for batch in batches:
        params, state = of_given(params, state, batch)
    return params


class Net(eqx.Module):
    wide: eqx.nn.MLP

    def __call__(self, x):
        return self.wide(x)


def _away(net, batch):
    return jax.tree.map(lambda x: -x, eqx.filter_grad(lambda n: jnp.sum(n(batch)))(net))


# A network is worth it: nothing says that it is small.
@jax.jit  # want: undonated-state
def _of_network(net, batch):
    return eqx.apply_updates(net, _away(net, batch))


def train_network(batches):
    net = Net(eqx.nn.MLP(8, 8, 4096, 3, key=jax.random.key(0)))
    for batch in batches:
        net = _of_network(net, batch)
    return net
