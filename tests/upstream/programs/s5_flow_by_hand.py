"""`s5_flow.py` repaired by hand: the number of the step is an array where it enters `eqx.filter_jit`."""

import sys

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import optax


class Field(eqx.Module):
    layers: eqx.nn.MLP

    def __init__(self, key):
        self.layers = eqx.nn.MLP(3, 2, width_size=16, depth=1, activation=jnp.tanh, key=key)

    def __call__(self, t, y, args):
        return self.layers(jnp.append(y, t))


def flow(field, y):
    term, solver = diffrax.ODETerm(field), diffrax.Euler()
    return diffrax.diffeqsolve(term, solver, t0=0.0, t1=1.0, dt0=0.25, y0=y).ys[0]


opt = optax.adam(3e-3)


@eqx.filter_value_and_grad
def loss_fn(field, noise, target):
    moved = jax.vmap(lambda y: flow(field, y))(noise)
    return jnp.mean((moved - target) ** 2)


@eqx.filter_jit
def make_step(field, opt_state, step, key):
    noise = jr.normal(jr.fold_in(key, step), (32, 2))
    loss, grads = loss_fn(field, noise, 2 * noise + 1)
    updates, opt_state = opt.update(grads, opt_state)
    return eqx.apply_updates(field, updates), opt_state, loss


def main(steps):
    key = jr.PRNGKey(0)
    field = Field(jr.PRNGKey(1))
    opt_state = opt.init(eqx.filter(field, eqx.is_inexact_array))
    for step in range(steps):
        field, opt_state, loss = make_step(field, opt_state, jnp.asarray(step), key)
        print(f"step {step}: {float(loss)!r}")


if __name__ == "__main__":
    main(int(sys.argv[1]))
