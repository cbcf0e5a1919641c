"""Layers that do more than compute: as methods of an object, items of a list, and what a library applies."""

import flax.linen as nn
import jax
import jax.numpy as jnp


class Layer:
    def __call__(self, w, x):
        print("layer", x.shape)
        return x @ w


class Counted:
    def __init__(self):
        self.calls = 0

    def forward(self, w, x):
        self.calls += 1
        return x @ w


class Plain:
    def forward(self, w, x):
        return jnp.tanh(x @ w)


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        y = nn.Dense(3)(x)
        print("net", y.shape)
        return y


layers = [Layer(), Layer()]
counted = Counted()
plain = Plain()
net = Net()


def loss_of_layers(w, x):
    for layer in layers:
        x = layer(w, x)
    return jnp.mean(x**2)


def loss_of_counted(w, x):
    return jnp.mean(counted.forward(w, x) ** 2)


def loss_of_plain(w, x):
    return jnp.mean(plain.forward(w, x) ** 2)


def loss_of_net(params, x):
    return jnp.mean(net.apply(params, x) ** 2)


def train(w, x):
    for _ in range(10):
        loss = loss_of_layers(w, x)
        slope = jax.grad(loss_of_layers)(w, x)  # want: separate-value-and-grad (no fix)
        w = w - 0.1 * slope * loss
    for _ in range(10):
        loss = loss_of_counted(w, x)
        slope = jax.grad(loss_of_counted)(w, x)  # want: separate-value-and-grad (no fix)
        w = w - 0.1 * slope * loss
    for _ in range(10):
        loss = loss_of_plain(w, x)
        slope = jax.grad(loss_of_plain)(w, x)  # want: separate-value-and-grad
        w = w - 0.1 * slope * loss
    return w


def train_net(x):
    params = net.init(jax.random.PRNGKey(0), x)
    for _ in range(10):
        loss = loss_of_net(params, x)
        slopes = jax.grad(loss_of_net)(params, x)  # want: separate-value-and-grad (no fix)
        params = jax.tree.map(lambda p, d: p - 0.1 * d * loss, params, slopes)
    return params


if __name__ == "__main__":
    print(train(jnp.ones((3, 3)) * 0.1, jnp.ones((2, 3))), train_net(jnp.ones((2, 3))))
