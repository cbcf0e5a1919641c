import jax
import jax.numpy as jnp
from functools import partial


@jax.jit
def smoothed(signal, weights):
    level = signal[0]

    # one round for each sample
    def loop_body(i, level):
        level = 0.9 * level + 0.1 * signal[i]
        level = level + jnp.tanh(weights[i] * level)
        return level

    level = jax.lax.fori_loop(0, 64, loop_body, level)
    return level


@partial(jax.jit, static_argnames="steps")
def walk(key, position, steps):
    velocity = jnp.zeros_like(position)

    def loop_body(i, carry):
        velocity, position = carry
        noise = jax.random.normal(jax.random.fold_in(key, i), position.shape)
        velocity = 0.9 * velocity + noise
        position += velocity
        # where it has been stays
        return velocity, position

    velocity, position = jax.lax.fori_loop(1, steps, loop_body, (velocity, position))
    return position, velocity


@jax.jit
def returns(rewards, values):
    last = 0.0
    out = jnp.zeros(200)

    def loop_body(carry, t):
        last, out = carry
        last = rewards[t] + 0.99 * last
        out = out.at[t].set(last - values[t])
        return (last, out), None

    last = jnp.zeros_like(jax.eval_shape(loop_body, (last, out), 0)[0][0])
    (last, out), _ = jax.lax.scan(loop_body, (last, out), jnp.arange(200), reverse=True)
    return out


@jax.jit
def filtered(samples: jax.Array, gains: jax.Array):
    state = jnp.zeros(3)

    def loop_body(state, row):
        x, gain = row
        state = state + gain * (x - state)
        return state, None

    state, _ = jax.lax.scan(loop_body, state, (samples, gains))
    return state


@jax.jit
def powers(matrix, vector):
    vector = matrix.T @ vector

    def loop_body(vector, row_2):
        i, row = row_2
        vector = vector + row * vector[i]
        return vector, None

    vector, _ = jax.lax.scan(loop_body, vector, (jnp.arange(len(matrix)), matrix))
    return vector


@jax.jit
def scaled(x):
    total = jnp.zeros(())
    x = jnp.asarray(x)

    def loop_body(total, row):
        total = total + jnp.sum(row**2)
        return total, None

    total, _ = jax.lax.scan(loop_body, total, x)
    return total


def energy(x):
    def loop_body(i, x):
        x = x * jnp.cos(x) + i * jnp.sin(x)
        return x

    x = jax.lax.fori_loop(0, 40, loop_body, x)
    return jnp.sum(x)


slope = jax.jit(jax.grad(energy))


@jax.jit
def table(x):
    def loop_body_2(epoch, x):
        def loop_body(x, step):
            x = jnp.sin(x) + x[step]
            return x, None

        x, _ = jax.lax.scan(loop_body, x, jnp.arange(0, 100, 2))
        return x

    x = jax.lax.fori_loop(0, 50, loop_body_2, x)
    return x


@jax.jit
def trajectory(x, gains: jax.Array):

    def loop_body(x, row):
        _, gains_i = row
        v = jnp.cos(x) * gains_i
        speeds_row = v
        x = x + 0.1 * v
        return x, (speeds_row, x)

    x, (speeds, seen) = jax.lax.scan(loop_body, x, (jnp.arange(64), gains[:64]))
    return seen, jnp.array(speeds)


@jax.jit
def backward(rewards: jax.Array):
    last = jnp.zeros(())

    def loop_body(last, t):
        last = rewards[t] + 0.9 * last
        return last, last

    last, found = jax.lax.scan(loop_body, last, jnp.arange(40), reverse=True)
    return found
