# A network of a thousand numbers in a layer: its weights are worth a donation.
import haiku as hk
import jax
import jax.numpy as jnp
import optax

WIDTH = 2048
net = hk.without_apply_rng(hk.transform(lambda x: hk.Sequential([hk.Linear(WIDTH), jax.nn.relu, hk.Linear(64), hk.Linear(3)])(x)))
tx = optax.adam(1e-3)


def loss(params, x, y):
    return jnp.mean((net.apply(params, x) - y) ** 2)


@jax.jit  # want: undonated-state
def step(params, opt_state, x, y):
    grads = jax.grad(loss)(params, x, y)
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state


def main(x, y):
    params = net.init(jax.random.PRNGKey(0), x)
    opt_state = tx.init(params)
    for _ in range(100):
        params, opt_state = step(params, opt_state, x, y)
    print(loss(params, x, y))


if __name__ == "__main__":
    main(jnp.ones((8, 3)), jnp.ones((8, 3)))
