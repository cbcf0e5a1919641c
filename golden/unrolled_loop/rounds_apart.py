import jax
import jax.numpy as jnp


@jax.jit
def advantages_of(rewards, values, dones, last_value):
    advantage = 0.0
    advantages = []
    for t in reversed(range(64)):  # want: unrolled-loop
        if t == 64 - 1:
            following = last_value
            alive = 1.0 - dones[t]
        else:
            following = values[t + 1]
            alive = 1.0 - dones[t + 1]
        delta = rewards[t] + 0.99 * following * alive - values[t]
        advantage = delta + 0.95 * alive * advantage
        advantages.append(advantage)
    advantages = jnp.stack(advantages[::-1])
    return advantages, advantages + values


@jax.jit
def returns_of(rewards, values):
    last = jnp.zeros(rewards.shape[1])
    returns = jnp.zeros(rewards.shape)
    for t in reversed(range(40)):  # want: unrolled-loop
        following = jnp.zeros_like(last) if t == 39 else values[t + 1]
        last = rewards[t] + 0.9 * following + 0.5 * last
        returns = returns.at[t].set(last)
    return returns


@jax.jit
def warmed(x):
    for i in range(64):  # want: unrolled-loop
        if i < 8:
            x = 0.5 * x
        x = jnp.sin(x)
    return x


@jax.jit
def last_one(x):
    for i in range(64):  # want: unrolled-loop
        y = jnp.sin(x)
        x = x + y
    return x, y


@jax.jit
def last_pair(w, x):
    for _ in range(48):  # want: unrolled-loop
        value, grad = jax.value_and_grad(lambda w: jnp.sum((x @ w) ** 2))(w)
        w = w - 0.1 * grad
    return w, value


@jax.jit
def filtered(observed, gains):
    state = observed[0]
    seen = []
    for i, (y, g) in enumerate(zip(observed, gains)):  # want: unrolled-loop
        state = state + g * (y - state)
        seen.append(state)
    return jnp.stack(seen, axis=1)


@jax.jit
def joined(x):
    parts = []
    for i in range(64):  # want: unrolled-loop
        x = jnp.cos(x)
        parts.append(x)
    return jnp.concatenate(parts)


def masked(x, lengths):
    for t in range(64):  # want: unrolled-loop
        x = jnp.where((t < lengths)[:, None], jnp.sin(x), x)
    return x


@jax.jit
def loss(x, lengths):
    return masked(x, lengths).sum()


grad = jax.jit(jax.grad(loss))


def adapted(w, x, steps=64):
    for _ in range(steps):  # want: unrolled-loop
        w = w - 0.1 * jax.grad(loss)(w, x)
    return w


outer = jax.jit(adapted, static_argnames="steps")


@jax.jit
def normed(x):
    total = 0.0
    for i in range(64):  # want: unrolled-loop
        total = total * 0.5 + x[i]
    return total


try:
    RATE = float("0.1")
except ValueError:
    RATE = 0.5


def column(x, i):
    return x[:, i + 1]


@jax.jit
def columns(x):
    total = jnp.zeros(x.shape[0])
    for i in range(63):  # want: unrolled-loop
        own = jnp.sin(column(x, i))
        total = total + RATE * own.reshape(-1)
    return total
