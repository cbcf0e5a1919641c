# A state that is replicated is made of new arrays: nobody holds what the devices hold.
import jax
import jax.numpy as jnp
import optax
from flax import jax_utils
from flax.training import train_state
import flax.linen as nn


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(4096)(nn.Dense(4096)(x))


def train_step(state, batch):
    def loss_fn(params):
        out = state.apply_fn({"params": params}, batch["x"])
        return jnp.mean((out - batch["y"]) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    grads = jax.lax.pmean(grads, "batch")
    return state.apply_gradients(grads=grads), {"loss": loss}


def main(batches):
    net = Net()
    params = net.init(jax.random.PRNGKey(0), jnp.ones((1, 8)))["params"]
    state = train_state.TrainState.create(apply_fn=net.apply, params=params, tx=optax.adam(1e-3))
    state = jax_utils.replicate(state)
    p_step = jax.pmap(train_step, axis_name="batch", donate_argnums=0)
    for batch in batches:
        state, metrics = p_step(state, batch)
        print(metrics)


if __name__ == "__main__":
    main([])
