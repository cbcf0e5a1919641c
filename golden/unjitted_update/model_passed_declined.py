# The method that applies a model is passed, and what it does under a trace is another thing, or is not known.
import flax.linen as nn
import jax
import jax.numpy as jnp

seen = []


class Layer(nn.Module):
    @nn.compact
    def __call__(self, x):
        seen.append(x.shape)
        return nn.relu(nn.Dense(64)(x))


class Telling(nn.Module):
    def setup(self):
        self.layer = Layer()
        self.last = nn.Dense(1)

    def __call__(self, x):
        return self.last(self.hidden(x))

    def hidden(self, x):
        return self.layer(x)


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(1)(nn.relu(nn.Dense(64)(x)))


def loss_of(params, x, y, apply):
    return jnp.mean((apply(params, x) - y) ** 2)


def told(params, batches, apply):
    total = 0.0
    for x, y in batches:
        total += loss_of(params, x, y, apply)  # want: unjitted-update (no fix): runs `__call__`
    return total


def loss_of_any(params, x, y, apply):
    return jnp.mean((apply(params, x) - y) ** 2)


def either(params, batches, apply):
    total = 0.0
    for x, y in batches:
        total += loss_of_any(params, x, y, apply)
    return total


def loss_of_new(params, x, y, apply):
    return jnp.mean((apply(params, x) - y) ** 2)


def renewed(params, batches, apply):
    total = 0.0
    for x, y in batches:
        total += loss_of_new(params, x, y, apply)  # want: unjitted-update (no fix): rebound
    return total


def loss_of_row(params, x, y, apply):
    return jnp.mean((apply(params, x) - y) ** 2)


def by_rows(params, batches, apply):
    mapped = jax.vmap(loss_of_row, in_axes=(None, 0, 0, None))
    total = 0.0
    for x, y in batches:
        total += loss_of_row(params, x, y, apply)
    return total, mapped(params, *batches[0], apply)


def captured(params, batches):
    model = Telling()
    total = jnp.zeros(())
    for x, y in batches:
        scores = model.apply(params, x)  # want: unjitted-update (no fix): runs `__call__`
        total = total + jnp.mean((scores - y) ** 2)
    return total


class Scaled(nn.Module):
    rate: float = 1.0

    def setup(self):
        self.last = nn.Dense(1)

    def __call__(self, x):
        return self.rate * self.last(x)


def annealed(batches):
    model = Scaled()
    params = model.init(jax.random.key(0), jnp.ones((1, 3)))
    total = jnp.zeros(())
    for x, y in batches:
        scores = model.apply(params, x)  # want: unjitted-update (no fix): is changed in place
        total = total + jnp.mean((scores - y) ** 2)
        model.rate = 0.9 * model.rate
    return total


def plain(params, x):
    return x @ params["w"]


def main():
    batches = [(jnp.ones((4, 3)), jnp.ones((4, 1)))] * 20
    telling, model = Telling(), Net()
    params = model.init(jax.random.key(0), jnp.ones((1, 3)))
    layered = telling.init(jax.random.key(0), jnp.ones((1, 3)))
    print(told(layered, batches, telling.apply), len(seen), captured(layered, batches))
    print(either(params, batches, model.apply), either({"w": jnp.ones((3, 1))}, batches, plain))
    for width in range(8, 20):
        fresh = Net()
        print(renewed(fresh.init(jax.random.key(width), jnp.ones((1, 3))), batches, fresh.apply))
    print(annealed(batches))
    print(by_rows(params, batches, model.apply))


main()
