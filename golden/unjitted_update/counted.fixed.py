"""Arrays as long as their values say, and updates of agents, which nobody has read: no step."""

import jax
import jax.numpy as jnp


def spans(ends):
    places = jnp.where(ends)[0]
    gaps = jnp.diff(places, prepend=-1)
    return jnp.mean(gaps), jnp.std(gaps), jnp.max(gaps)


@jax.jit
def chosen(values):
    return jnp.tanh(jnp.where(values > 0, values, 0.0) ** 2 + 1.0) * values


def report(rollouts):
    for rewards, ends in rollouts:
        places = jnp.nonzero(ends)[0]
        starts = places - 1
        total = jnp.sum(rewards[places]) + jnp.mean(rewards[starts]) * jnp.std(rewards) + jnp.max(starts) ** 2
        print(total, spans(ends), len(places))
        print(chosen(rewards))


def report_by_two(rollouts):
    for rewards, ends in rollouts:
        left = jnp.compress(ends, rewards)
        ratio = left - 1
        total = jnp.sum(ratio * left) + jnp.mean(ratio) * jnp.std(rewards) + jnp.max(left) ** 2
        print(total, spans(ends), len(left))


def learn(make_agent, queue, loss, options, parameters):
    agent = make_agent()
    state = agent.init_state(parameters)
    for step in range(1000):
        batch = jax.tree.map(jnp.asarray, queue.get())
        state, parameters, _ = agent.update(loss, parameters, state, batch, options)
    return parameters


if __name__ == "__main__":
    report([(jnp.arange(8.0), jnp.arange(8) % 3 == 0)] * 5)
    report_by_two([(jnp.arange(8.0), jnp.arange(8) % 3 == 0)] * 5)
