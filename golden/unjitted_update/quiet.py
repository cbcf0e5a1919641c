"""Loops that look like eager training, and are not."""

import equinox as eqx
import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import optax
from jax import lax

optimizer = optax.adam(1e-2)


def loss_of(params, batch):
    return jnp.mean((batch * params) ** 2)


@jax.jit
def step(params, state, batch):
    gradients = jax.grad(loss_of)(params, batch)
    updates, state = optimizer.update(gradients, state)
    return optax.apply_updates(params, updates), state


def train(params, batches):
    state = optimizer.init(params)
    for batch in batches:
        params, state = step(params, state, batch)
    return params


def plain_step(params, batch):
    return params - jax.grad(loss_of)(params, batch)


fast_step = jax.jit(plain_step)


def train_fast(params, batches):
    for batch in batches:
        params = fast_step(params, batch)
    return params


gradient_of = jax.jit(jax.value_and_grad(loss_of))
update = jax.jit(optimizer.update)
donating = jax.jit(optimizer.update, donate_argnums=1)


def train_with_gradients_shown(params, batches):
    state = optimizer.init(params)
    for batch in batches:
        loss, gradients = gradient_of(params, batch)
        params, state = update(gradients, state)
        print(loss, gradients)
    return params


def train_with_donations(params, batches):
    state = optimizer.init(params)
    for batch in batches:
        loss, gradients = gradient_of(params, batch)
        params, state = donating(gradients, state)
        print(loss)
    return params


def compare(params, batches):
    for batch in batches:
        loss, gradients = gradient_of(params, batch)
        updates, state = update(gradients, None)
        print(loss, updates, state)


@eqx.filter_jit
def filtered(model, batch):
    return jax.grad(loss_of)(model, batch)


def train_filtered(params, batches):
    for batch in batches:
        params = params - filtered(params, batch)
    return params


@jax.jit
def unrolled(params, batches):
    for batch in batches:
        params = params - jax.grad(loss_of)(params, batch)
    return params


def scanned(params, batches):
    def body(carry, batch):
        return carry - jax.grad(loss_of)(carry, batch), None

    return lax.scan(body, params, batches)[0]


def once(params, batch):
    gradients = jax.grad(loss_of)(params, batch)
    updates, _ = optimizer.update(gradients, optimizer.init(params))
    return optax.apply_updates(params, updates)


def settings(files):
    merged = {}
    for file in files:
        merged.update(file)
    return merged


class Table:
    def init(self, rows):
        return rows

    def update(self, row, rows):
        return row, rows


def rows_of(lines):
    import hashlib

    digest = hashlib.sha256()
    for line in lines:
        digest.update(line)
    return digest.hexdigest()


class JittedRule:
    def init(self, params):
        return params

    @jax.jit
    def update(self, gradients, state):
        return gradients, state


def train_rule(params, batches):
    rule = JittedRule()
    state = rule.init(params)
    for batch in batches:
        params, state = rule.update(batch, state)
    return params


def chained(transforms):
    def init(params):
        return [each.init(params) for each in transforms] + [inner.init(params) for inner in transforms]

    def update_of_chain(gradients, states, params):
        new_states = []
        for inner, state in zip(transforms, states):
            gradients, new_state = inner.update(gradients, state, params)
            new_states.append(new_state)
        return gradients, new_states

    return init, update_of_chain


def measured(measures, gradients, states, params):
    started = {name: measures[name].init(params) for name in measures}
    found = {}
    for name in measures:
        found[name], states[name] = measures[name].update(gradients, states[name], params)
    return started, found


def gradients_of_each(losses, params):
    total = params
    for loss in losses:
        total = total + jax.grad(loss)(params, 1.0)
    return total


class Block:
    def estimate(self, params):
        return jax.grad(loss_of)(params, 1.0)


def estimates(blocks, params):
    found = []
    for block in blocks:
        found.append(block.estimate(params))
    return found


# Agents and critics of other files, whose `update` is mostly jitted there.
def warm_up(agent, critic, batches):
    for batch in batches:
        agent, told = agent.update(batch)
        critic, measured = critic.update(batch, agent)
        print(told, measured)
    return agent, critic


# Each picture takes longer than all that it shows.
def show(params, times):
    for number, time in enumerate(times):
        found = jnp.tanh(params * time) + jnp.sin(params) * jnp.cos(params) - jnp.mean(params)
        plt.subplot(2, 2, number + 1)
        plt.plot(found)


# New points, once in a hundred steps.
def points(key):
    first, last = jax.random.split(key)
    x = jax.random.uniform(first, (100,))
    t = jax.random.uniform(last, (100,))
    x, t = jnp.meshgrid(x, t)
    return jnp.stack([x.reshape(-1), t.reshape(-1)])


def train_on_points(params, state, key):
    for number in range(5000):
        if number % 100 == 0:
            batch = points(jax.random.fold_in(key, number))
        params, state = step(params, state, batch)
    return params


# A few pictures: each is drawn longer than it is computed.
def label(params, row):
    hidden = jnp.tanh(params["w"] @ row + params["b"])
    return jnp.argmax(jnp.exp(params["v"] @ hidden) / jnp.sum(jnp.exp(params["v"] @ hidden)))


def gallery(params, rows):
    for number, row in enumerate(rows):
        plt.subplot(2, 5, number + 1)
        plt.title(f"{label(params, row)}")


if __name__ == "__main__":
    gallery({"w": jnp.ones((4, 3)), "b": jnp.ones(4), "v": jnp.ones((5, 4))}, jnp.ones((10, 3)))
    show(jnp.ones(3), [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])
    train_on_points(jnp.ones(10000), optimizer.init(jnp.ones(10000)), jax.random.key(0))
    batches = [jnp.ones(3)] * 3
    if not batches:
        from agents import Agent, Critic

        warm_up(Agent(), Critic(), batches * 20)
    train(jnp.ones(3), batches)
    train_fast(jnp.ones(3), batches)
    train_in_parts(jnp.ones(3), batches)
    once(jnp.ones(3), batches[0])


# A few operations every so many iterations, however often that is.
def _centred(rows, size):
    return rows - jnp.floor(rows / size) * size


def kept_at_times(rows, count, every, often=50):
    kept, shown = [], []
    for number in range(count):
        rows = jax.jit(jnp.cos)(rows)
        if number % every == 0:
            kept.append(_centred(rows, 2.0))
        if number % often == 0:
            shown.append(_centred(rows, 3.0))
    return kept, shown
