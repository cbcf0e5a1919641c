import jax
import jax.numpy as jnp


@jax.jit
def advantages_of(rewards, values, dones, last_value):
    advantage = 0.0

    def loop_body(advantage, t):
        following = jnp.where(t == 64 - 1, last_value, values[t + 1])
        alive = jnp.where(t == 64 - 1, 1.0 - dones[t], 1.0 - dones[t + 1])
        delta = rewards[t] + 0.99 * following * alive - values[t]
        advantage = delta + 0.95 * alive * advantage
        return advantage, advantage

    advantage = jnp.zeros_like(jax.eval_shape(loop_body, advantage, 0)[0])
    advantage, advantages = jax.lax.scan(
        loop_body, advantage, jnp.arange(64), reverse=True
    )
    return advantages, advantages + values


@jax.jit
def returns_of(rewards, values):
    last = jnp.zeros(rewards.shape[1])
    returns = jnp.zeros(rewards.shape)

    def loop_body(carry, t):
        last, returns = carry
        following = jnp.where(t == 39, jnp.zeros_like(last), values[t + 1])
        last = rewards[t] + 0.9 * following + 0.5 * last
        returns = returns.at[t].set(last)
        return (last, returns), None

    (last, returns), _ = jax.lax.scan(
        loop_body, (last, returns), jnp.arange(40), reverse=True
    )
    return returns


@jax.jit
def warmed(x):
    def loop_body(i, x):
        x = jnp.where(i < 8, 0.5 * x, x)
        x = jnp.sin(x)
        return x

    x = jax.lax.fori_loop(0, 64, loop_body, x)
    return x


@jax.jit
def last_one(x):
    def loop_body(x, i):
        y = jnp.sin(x)
        x = x + y
        return x, y

    x, y_rows = jax.lax.scan(loop_body, x, jnp.arange(64))
    y = y_rows[-1]
    return x, y


@jax.jit
def last_pair(w, x):
    def loop_body(w, _):
        value, grad = jax.value_and_grad(lambda w: jnp.sum((x @ w) ** 2))(w)
        w = w - 0.1 * grad
        return w, value

    w, value_rows = jax.lax.scan(loop_body, w, jnp.arange(48))
    value = jax.tree.map(lambda rows: rows[-1], value_rows)
    return w, value


@jax.jit
def filtered(observed, gains):
    state = observed[0]

    def loop_body(state, row):
        i, (y, g) = row
        state = state + g * (y - state)
        return state, state

    state, seen = jax.lax.scan(
        loop_body, state, (jnp.arange(len(observed)), (observed, gains))
    )
    return jnp.moveaxis(seen, 0, 1)


@jax.jit
def joined(x):

    def loop_body(x, i):
        x = jnp.cos(x)
        return x, x

    x, parts = jax.lax.scan(loop_body, x, jnp.arange(64))
    return jnp.reshape(parts, (-1, *parts.shape[2:]))


def masked(x, lengths):
    def loop_body(t, x):
        x = jnp.where((t < lengths)[:, None], jnp.sin(x), x)
        return x

    x = jax.lax.fori_loop(0, 64, loop_body, x)
    return x


@jax.jit
def loss(x, lengths):
    return masked(x, lengths).sum()


grad = jax.jit(jax.grad(loss))


def adapted(w, x, steps=64):
    def loop_body(_, w):
        w = w - 0.1 * jax.grad(loss)(w, x)
        return w

    w = jax.lax.fori_loop(0, steps, loop_body, w)
    return w


outer = jax.jit(adapted, static_argnames="steps")


@jax.jit
def normed(x):
    total = 0.0

    def loop_body(i, total):
        total = total * 0.5 + x[i]
        return total

    total = jnp.zeros_like(jax.eval_shape(loop_body, 0, total))
    total = jax.lax.fori_loop(0, 64, loop_body, total)
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

    def loop_body(i, total):
        own = jnp.sin(column(x, i))
        total = total + RATE * own.reshape(-1)
        return total

    total = jax.lax.fori_loop(0, 63, loop_body, total)
    return total
