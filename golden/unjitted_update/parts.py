"""Steps of which only a part can be traced: that becomes the program."""

import jax
import jax.numpy as jnp
import optax


def loss_of(params, batch):
    return jnp.mean((batch * params) ** 2)


optimizer = optax.sgd(0.1)


def on_loss(params, batch):
    loss, gradients = jax.value_and_grad(loss_of)(params, batch)
    return params if loss < 1e-3 else params - gradients


def measuring(params, batch):
    loss, gradients = jax.value_and_grad(loss_of)(params, batch)
    return params - gradients, {"loss": float(loss)}


def ordered(params, batch):
    loss, gradients = jax.value_and_grad(loss_of)(params, batch)
    return params - gradients, {"loss": loss, "accuracy": 1 - loss}


def nothing(params, batch):
    params = params - jax.grad(loss_of)(params, batch)


def stopping(params, batches):
    for batch in batches:
        loss, gradients = jax.value_and_grad(loss_of)(params, batch)  # want: unjitted-update
        if loss < 1e-3:
            break
        updates, state = optimizer.update(gradients, optimizer.init(params))
        params = optax.apply_updates(params, updates)
    return params


# Python needs the loss in between: the two parts are two programs.
def clipped(params, batches, limit):
    for batch in batches:
        loss, gradients = jax.value_and_grad(loss_of)(params, batch)  # want: unjitted-update
        rate = 0.1 if float(loss) > limit else 0.01
        params = jax.tree.map(lambda p, g: p - rate * jnp.clip(g, -1.0, 1.0), params, gradients)
    return params


def main(params, batches):
    for batch in batches:
        params = on_loss(params, batch)  # want: unjitted-update
        params, metrics = measuring(params, batch)  # want: unjitted-update
        params, metrics = ordered(params, batch)  # want: unjitted-update
        print(metrics)
        nothing(params, batch)  # want: unjitted-update
    return params


if __name__ == "__main__":
    batches = [jnp.ones(3)] * 4
    main(jnp.ones(3), batches)
    stopping(jnp.ones(3), batches)
    clipped(jnp.ones(3), batches, 0.5)
