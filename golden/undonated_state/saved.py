# What is shown in a text, or saved as bytes, holds no array of the state; nor does a deep copy. One that is kept does.
import copy
import logging
import pickle

import flax
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax.training import train_state

logger = logging.getLogger(__name__)


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(4096)(nn.Dense(4096)(x))


class State(train_state.TrainState):
    average: dict


def advance(state, batch):
    slopes = jax.grad(lambda params: jnp.mean(state.apply_fn({"params": params}, batch) ** 2))(state.params)
    return state.apply_gradients(grads=slopes)


step = jax.jit(advance)  # want: undonated-state
step_dumped = jax.jit(advance)  # want: undonated-state
step_kept = jax.jit(advance)  # want: undonated-state (no fix): may still be needed


def main(batches):
    net = Net()
    params = net.init(jax.random.PRNGKey(0), jnp.ones((1, 8)))["params"]
    state = State.create(apply_fn=net.apply, params=params, tx=optax.adam(1e-3), average=copy.deepcopy(params))
    logger.info(f"{sum(part.size for part in jax.tree.leaves(state.params)):,} weights")
    for number, batch in enumerate(batches):
        state = step(state, batch)
        if number % 10 == 0:
            with open(f"{number}.msgpack", "wb") as file:
                file.write(flax.serialization.to_bytes(state))


def dump(batches):
    net = Net()
    params = net.init(jax.random.PRNGKey(0), jnp.ones((1, 8)))["params"]
    state = train_state.TrainState.create(apply_fn=net.apply, params=params, tx=optax.adam(1e-3))
    for batch in batches:
        state = step_dumped(state, batch)
        with open("state.pickle", "wb") as file:
            pickle.dump(state.params, file)


def keep(batches):
    net = Net()
    params = net.init(jax.random.PRNGKey(0), jnp.ones((1, 8)))["params"]
    state = train_state.TrainState.create(apply_fn=net.apply, params=params, tx=optax.adam(1e-3))
    kept = []
    for batch in batches:
        state = step_kept(state, batch)
        kept.append(flax.serialization.to_state_dict(state))
    return kept


if __name__ == "__main__":
    main([])
    dump([])
    keep([])
