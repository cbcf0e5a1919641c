"""States that every caller binds anew."""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import optax

optimizer = optax.adam(1e-3)


def init(key):
    return {"w": jax.random.normal(key, (1000, 1000)), "b": jnp.zeros(())}


# As a decorator.
@functools.partial(jax.jit, donate_argnums=(0, 1))
def step(params, state, batch):
    gradients = jax.grad(lambda p: jnp.sum((batch @ p["w"] + p["b"]) ** 2))(params)
    updates, state = optimizer.update(gradients, state)
    return optax.apply_updates(params, updates), state


def train(key, batches):
    params = init(key)
    state = optimizer.init(params)
    params, state = step(params, state, batches[0])
    for number, batch in enumerate(batches):
        params, state = step(params, state, batch)
        if number % 10 == 0:
            print(number, float(jnp.sum(params["w"])), params["b"].shape)
    return params, state


# With options of its own; what is passed by name is donated by name.
@functools.partial(jax.jit, static_argnames=("count",), donate_argnames="state")
def repeat(x, *, state, count):
    return x + 1, state * count


def repeats():
    x, state = jnp.zeros(()), jnp.ones((1000, 1000))
    for _ in range(4):
        x, state = repeat(x, state=state, count=2)
    return x, state


# As a call.
def smooth(average, value):
    return 0.9 * average + 0.1 * value


smooth_fast = jax.jit(smooth, donate_argnums=0)


def averages(values):
    average = jnp.zeros((1000, 1000))
    for value in values:
        average = smooth_fast(average, value)
    return average


# A method: `self` counts.
class Walker:
    @functools.partial(jax.jit, static_argnums=0, donate_argnums=(1, 2))
    def move(self, place, speed):
        return place + speed, speed * 0.9

    def walk(self):
        place = jnp.zeros((1000, 1000))
        speed = jnp.ones((1000, 1000))
        for _ in range(5):
            place, speed = self.move(place, speed)
        return place


# Only one of the two is bound anew; the evaluation is under `jit`, and holds nothing.
@functools.partial(jax.jit, donate_argnums=0)
def advance(state, force):
    return state + force


@jax.jit
def energy_of(state):
    return jnp.sum(state**2)


def simulate(force):
    state = jnp.zeros(1000000)
    for number in range(100):
        state = advance(state, force)
        energy = energy_of(state)
        if number % 10 == 0:
            print(energy)
    return state


# equinox donates all, or all but the first.
@eqx.filter_jit(donate="all-except-first")
def eqx_step(batch, model, state):
    return model, state


@eqx.filter_jit(donate="all")
def eqx_both(model, state):
    return model, state


def train_model(batches, key):
    model, state = eqx.nn.MLP(2, 2, 2, 1, key=key), jnp.zeros((1000, 1000))
    for batch in batches:
        model, state = eqx_step(batch, model, state)
        model, state = eqx_both(model, state)
    return model, state


if __name__ == "__main__":
    batches = [jnp.ones((2, 1000))] * 3
    train(jax.random.PRNGKey(0), batches)
    repeats()
    averages(jnp.ones((4, 1000, 1000)))
    Walker().walk()
    simulate(jnp.ones(1000000))
    train_model(batches, jax.random.PRNGKey(0))


# A key is a few bytes: what stands beside it is donated.
@functools.partial(jax.jit, donate_argnums=0)
def noisy(p, key):
    key, own = jax.random.split(key)
    return p + jax.random.normal(own, p.shape), key


def shaken(n):
    p, key = jnp.zeros((1000, 1000)), jax.random.PRNGKey(0)
    for _ in range(4):
        p, key = noisy(p, key)
    return p


# What donates all arguments donates it too.
@eqx.filter_jit(donate="all")
def noisy_model(p, key):
    key, own = jax.random.split(key)
    return p + jax.random.normal(own, p.shape), key


def shaken_model(n):
    p, key = jnp.zeros((1000, 1000)), jax.random.PRNGKey(0)
    for _ in range(4):
        p, key = noisy_model(p, key)
    return p
