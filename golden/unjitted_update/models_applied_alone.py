"""Loops in which the call of a model is all that runs: predictions, actions, scores."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs):
        self.one = nnx.Linear(4, 32, rngs=rngs)
        self.two = nnx.Linear(32, 2, rngs=rngs)

    def __call__(self, x):
        return self.two(nnx.relu(self.one(x)))


class Telling(nnx.Module):
    def __init__(self, rngs):
        self.layer = nnx.Linear(4, 2, rngs=rngs)

    def __call__(self, x):
        print(x.shape)
        return self.layer(x)


class Player:
    def __init__(self):
        self.net = Net(nnx.Rngs(0))
        self.rng = np.random.default_rng(0)

    def choose(self, state):
        if self.rng.random() < 0.1:
            return 0
        return int(jnp.argmax(self.net(state)))


# Another method exchanges it: it is passed at each call.
class Exchanger:
    def __init__(self):
        self.net = Net(nnx.Rngs(0))

    def choose(self, state):
        return int(jnp.argmax(self.net(state)))

    def exchange(self, net):
        self.net = net


# Under a trace it would print once.
class Teller:
    def __init__(self):
        self.net = Telling(nnx.Rngs(0))

    def choose(self, state):
        return int(jnp.argmax(self.net(state)))


class Critic:
    def __init__(self, key):
        self.model = eqx.nn.MLP(4, 1, 16, 2, key=key)

    def values(self, states):
        found = []
        for state in states:
            found.append(float(self.model(state)[0]))  # want: unjitted-update
        return found


def scores(net, x, y):
    right = 0
    for one, two in zip(x, y):
        right += int((net(one).argmax(-1) == two).sum())  # want: unjitted-update
    return right


def predict(model, batches):
    predicted = []
    for batch in batches:
        predicted.append(jax.vmap(model)(batch))  # want: unjitted-update
    return jnp.concatenate(predicted)


# Callers pass a function too.
def predict_any(function, batches):
    predicted = []
    for batch in batches:
        predicted.append(function(batch))
    return jnp.concatenate(predicted)


if __name__ == "__main__":
    player, exchanger, teller, state = Player(), Exchanger(), Teller(), np.zeros(4, np.float32)
    for _ in range(100):
        state[player.choose(state)] += 0.1  # want: unjitted-update
        state[teller.choose(state)] += 0.1
        state[exchanger.choose(state)] += 0.1  # want: unjitted-update
    net = Net(nnx.Rngs(1))
    exchanger.exchange(net)
    x = jax.random.normal(jax.random.key(0), (10, 8, 4))
    print(exchanger.choose(state), scores(net, x, np.zeros((10, 8), np.int32)))
    model = eqx.nn.MLP(4, 1, 16, 2, key=jax.random.key(1))
    print(predict(model, x).mean(), Critic(jax.random.key(2)).values(np.zeros((20, 4), np.float32)))
    print(predict_any(net, x).mean(), predict_any(jnp.tanh, x).mean())
