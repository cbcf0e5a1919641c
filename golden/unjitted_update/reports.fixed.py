"""What a loop computes without a gradient: models that are applied to act, to sample, to report."""

import copy
import functools

import jax
import jax.numpy as jnp


def predicted(params, inputs):
    hidden = jnp.tanh(inputs @ params["w"] + params["b"])
    return jax.nn.softmax(hidden @ params["v"])


@jax.jit
def loss_of(params, inputs, targets):
    return jnp.mean((predicted(params, inputs) - targets) ** 2)


@jax.jit
def update(params, inputs, targets):
    slopes = jax.grad(loss_of)(params, inputs, targets)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, slopes)


# The loss, for a report.
def train(params, inputs, targets):
    for number in range(200):
        params = update(params, inputs, targets)
        if number % 10 == 0:
            print(f"{number}: {loss_of(params, inputs, targets):.3f}")
    return params


# A token at a time.
def drawn(params, token, key):
    logits = jnp.log(predicted(params, token))
    return jax.random.categorical(key, logits)


@jax.jit
def sample_step(key, token, params):
    key, use = jax.random.split(key)
    number = drawn(params, token, use)
    token = jnp.ones(3) * number
    return key, token, number


def sample(params, key, length):
    token, found = jnp.ones(3), []
    for _ in range(length):
        key, token, number = sample_step(key, token, params)
        found.append(int(number))
    return found


@jax.jit
def _act(params, observation, scale):
    scores = predicted(params, observation * scale)
    return jnp.argmax(scores - jnp.mean(scores))


class Actor:
    """Its parameters come and go; its function of them stays."""

    def __init__(self, params):
        self.params = params
        self.scale = 2.0

    def act(self, observation):
        best = _act(self.params, observation, self.scale)
        return int(best)

    def play(self, observation, rounds):
        total = 0
        for _ in range(rounds):
            total += self.act(observation)
        self.params = jax.tree.map(jnp.zeros_like, self.params)
        return total


# Means by hand, in methods that call each other.
class Net:
    def __init__(self, params, rate):
        self.params = params
        self.rate = rate
        self.gradient = jax.jit(jax.vmap(jax.value_and_grad(loss_of), in_axes=(None, 0, 0)))

    def averaged(self, inputs, targets):
        (losses, slopes) = self.gradient(self.params, inputs, targets)
        average = jax.tree.map(lambda x: jnp.mean(x, axis=0), slopes)
        loss = jnp.mean(losses)
        return loss, average

    @functools.partial(jax.jit, static_argnums=0)
    def _learn(self, params, inputs, targets):
        new = copy.copy(self)
        new.params = params
        (loss, slopes) = new.averaged(inputs, targets)
        new.params = jax.tree.map(lambda p, g: p - self.rate * g, new.params, slopes)
        return new.params, loss

    def learn(self, inputs, targets):
        self.params, loss = self._learn(self.params, inputs, targets)
        return loss

    def fit(self, inputs, targets):
        total = 0.0
        for _ in range(10):
            total += self.learn(inputs, targets)
        print("mean", total / 10)


if __name__ == "__main__":
    params = {"w": jnp.ones((3, 4)), "b": jnp.zeros(4), "v": jnp.ones((4, 3))}
    inputs, targets = jnp.ones((5, 3)), jnp.ones((5, 3))
    train(params, inputs, targets)
    sample(params, jax.random.PRNGKey(0), 9)
    Actor(params).play(jnp.ones(3), 9)
    Net(params, 0.1).fit(inputs, targets)
