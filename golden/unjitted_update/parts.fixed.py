"""Steps of which only a part can be traced: that becomes the program."""

import jax
import jax.numpy as jnp
import optax


def loss_of(params, batch):
    return jnp.mean((batch * params) ** 2)


optimizer = optax.sgd(0.1)


@jax.jit
def _on_loss(params, batch):
    return jax.value_and_grad(loss_of)(params, batch)


def on_loss(params, batch):
    loss, gradients = _on_loss(params, batch)
    return params if loss < 1e-3 else params - gradients


@jax.jit
def _measuring(params, batch):
    return jax.value_and_grad(loss_of)(params, batch)


def measuring(params, batch):
    loss, gradients = _measuring(params, batch)
    return params - gradients, {"loss": float(loss)}


@jax.jit
def _ordered(params, batch):
    return jax.value_and_grad(loss_of)(params, batch)


def ordered(params, batch):
    loss, gradients = _ordered(params, batch)
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


@jax.jit
def compute_gradients_2(params, batch):
    return jax.value_and_grad(loss_of)(params, batch)


def stopping(params, batches):
    for batch in batches:
        loss, gradients = compute_gradients_2(params, batch)
        if loss < 1e-3:
            break
        params = train_step(params, gradients)
    return params


@jax.jit
def compute_gradients(params, batch):
    return jax.value_and_grad(loss_of)(params, batch)


@jax.jit
def clipped_step(params, rate, gradients):
    return jax.tree.map(lambda p, g: p - rate * jnp.clip(g, -1.0, 1.0), params, gradients)


# Python needs the loss in between: the two parts are two programs.
def clipped(params, batches, limit):
    for batch in batches:
        loss, gradients = compute_gradients(params, batch)
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
