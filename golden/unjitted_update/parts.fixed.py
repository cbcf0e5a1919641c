"""Steps of which only a part can be traced: that becomes the program."""

import jax
import jax.numpy as jnp
import optax


def loss_of(params, batch):
    return jnp.mean((batch * params) ** 2)


optimizer = optax.sgd(0.1)


value_and_grad_loss_of = jax.jit(jax.value_and_grad(loss_of))


def on_loss(params, batch):
    loss, gradients = value_and_grad_loss_of(params, batch)
    return params if loss < 1e-3 else params - gradients


value_and_grad_loss_of_2 = jax.jit(jax.value_and_grad(loss_of))


def measuring(params, batch):
    loss, gradients = value_and_grad_loss_of_2(params, batch)
    return params - gradients, {"loss": float(loss)}


value_and_grad_loss_of_3 = jax.jit(jax.value_and_grad(loss_of))


def ordered(params, batch):
    loss, gradients = value_and_grad_loss_of_3(params, batch)
    return params - gradients, {"loss": loss, "accuracy": 1 - loss}


@jax.jit
def _nothing(params, batch):
    return params - jax.grad(loss_of)(params, batch)


def nothing(params, batch):
    params = _nothing(params, batch)


@jax.jit
def train_step(params, gradients):
    updates, state = optimizer.update(gradients, optimizer.init(params))
    return optax.apply_updates(params, updates)


value_and_grad_loss_of_5 = jax.jit(jax.value_and_grad(loss_of))


def stopping(params, batches):
    for batch in batches:
        loss, gradients = value_and_grad_loss_of_5(params, batch)
        if loss < 1e-3:
            break
        params = train_step(params, gradients)
    return params


value_and_grad_loss_of_4 = jax.jit(jax.value_and_grad(loss_of))


@jax.jit
def clipped_step(params, rate, gradients):
    return jax.tree.map(lambda p, g: p - rate * jnp.clip(g, -1.0, 1.0), params, gradients)


# Python needs the loss in between: the two parts are two programs.
def clipped(params, batches, limit):
    for batch in batches:
        loss, gradients = value_and_grad_loss_of_4(params, batch)
        rate = 0.1 if float(loss) > limit else 0.01
        params = clipped_step(params, rate, gradients)
    return params


def main(params, batches):
    for batch in batches:
        params = on_loss(params, batch)
        params, metrics = measuring(params, batch)
        params, metrics = ordered(params, batch)
        print(metrics)
        nothing(params, batch)
    return params


if __name__ == "__main__":
    batches = [jnp.ones(3)] * 4
    main(jnp.ones(3), batches)
    stopping(jnp.ones(3), batches)
    clipped(jnp.ones(3), batches, 0.5)
