import jax
import jax.numpy as jnp
from functools import partial


@jax.jit
def smoothed(signal, weights):
    level = signal[0]
    # one round for each sample
    for i in range(64):  # want: unrolled-loop
        level = 0.9 * level + 0.1 * signal[i]
        level = level + jnp.tanh(weights[i] * level)
    return level


@partial(jax.jit, static_argnames="steps")
def walk(key, position, steps):
    velocity = jnp.zeros_like(position)
    for i in range(1, steps):  # want: unrolled-loop
        noise = jax.random.normal(jax.random.fold_in(key, i), position.shape)
        velocity = 0.9 * velocity + noise
        position += velocity
        # where it has been stays
    return position, velocity


@jax.jit
def returns(rewards, values):
    last = 0.0
    out = jnp.zeros(200)
    for t in reversed(range(200)):  # want: unrolled-loop
        last = rewards[t] + 0.99 * last
        out = out.at[t].set(last - values[t])
    return out


@jax.jit
def filtered(samples: jax.Array, gains: jax.Array):
    state = jnp.zeros(3)
    for x, gain in zip(samples, gains):  # want: unrolled-loop
        state = state + gain * (x - state)
    return state


@jax.jit
def powers(matrix, vector):
    vector = matrix.T @ vector
    for i, row in enumerate(matrix):  # want: unrolled-loop
        vector = vector + row * vector[i]
    return vector


@jax.jit
def scaled(x):
    total = jnp.zeros(())
    x = jnp.asarray(x)
    for row in x:  # want: unrolled-loop
        total = total + jnp.sum(row**2)
    return total


def energy(x):
    for i in range(40):  # want: unrolled-loop
        x = x * jnp.cos(x) + i * jnp.sin(x)
    return jnp.sum(x)


slope = jax.jit(jax.grad(energy))


@jax.jit
def table(x):
    for epoch in range(50):  # want: unrolled-loop
        for step in range(0, 100, 2):  # want: unrolled-loop
            x = jnp.sin(x) + x[step]
    return x


@jax.jit
def trajectory(x, gains: jax.Array):
    seen = []
    speeds = []
    for i in range(64):  # want: unrolled-loop
        v = jnp.cos(x) * gains[i]
        speeds.append(v)
        x = x + 0.1 * v
        seen.append(x)
    return jnp.stack(seen), jnp.array(speeds)


@jax.jit
def backward(rewards: jax.Array):
    last = jnp.zeros(())
    found = []
    for t in reversed(range(40)):  # want: unrolled-loop
        last = rewards[t] + 0.9 * last
        found.append(last)
    return jnp.stack(found[::-1], axis=0)
