"""Steps that a loop runs eagerly, in the forms that people write."""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import optax

optimizer = optax.adam(1e-2)


def loss_of(params, batch):
    return jnp.mean((batch @ params["w"] + params["b"]) ** 2)


def start():
    params = {"w": jnp.zeros(3), "b": jnp.zeros(())}
    return params, optimizer.init(params)


# A function that does all of it.
@jax.jit
def step(params, state, batch):
    """One step."""
    loss, gradients = jax.value_and_grad(loss_of)(params, batch)
    updates, state = optimizer.update(gradients, state, params)
    return optax.apply_updates(params, updates), state, loss


def train(params, state, batches):
    for batch in batches:
        params, state, loss = step(params, state, batch)
        print(float(loss))
    return params


# Functions and texts become static.
@functools.partial(jax.jit, static_argnames=("loss", "tx", "reduction"))
def step_of(loss, tx, params, state, batch, reduction="mean"):
    gradients = jax.grad(loss)(params, batch)
    if reduction == "mean":
        gradients = jax.tree.map(lambda g: g / batch.shape[0], gradients)
    updates, state = tx.update(gradients, state, params)
    return optax.apply_updates(params, updates), state


def train_with(params, batches):
    tx = optax.sgd(0.1)
    state = tx.init(params)
    for batch in batches:
        params, state = step_of(loss_of, tx, params, state, batch)
    return params


# Dictionaries of which only single entries are read.
@jax.jit
def measured(params, batch, rate):
    loss, gradients = jax.value_and_grad(loss_of)(params, batch)
    params = jax.tree.map(lambda p, g: p - rate * g, params, gradients)
    return params, {"loss": loss, "accuracy": 1.0 - loss}


def train_measured(params, batches):
    for batch in batches:
        params, metrics = measured(params, batch, 0.1)
        print(metrics["loss"], metrics["accuracy"])
    return params


# The step is two functions deep, and the outer one prints.
@jax.jit
def inner(params, batch):
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, jax.grad(loss_of)(params, batch))


def outer(params, batch):
    params = inner(params, batch)
    print(params["b"])
    return params


def train_deep(params, batches):
    for batch in batches:
        params = outer(params, batch)
    return params


# The statements stand in the loop; the optimizer belongs to the function.
def train_inline(params, batches):
    tx = optax.chain(optax.clip(1.0), optax.adam(1e-3))
    state = tx.init(params)

    @jax.jit
    def train_step(params, state, batch):
        loss, gradients = jax.value_and_grad(loss_of)(params, batch)
        updates, state = tx.update(gradients, state, params)
        params = optax.apply_updates(params, updates)
        return params, state, loss

    for epoch in range(3):
        for batch in batches:
            # of this batch
            params, state, loss = train_step(params, state, batch)
            if epoch == 2:
                print(loss)
    return params


@jax.jit
def train_closure_step(params, batch, rate):
    def loss(p):
        return loss_of(p, batch)

    gradients = jax.grad(loss)(params)
    return jax.tree.map(lambda p, g: p - rate * g, params, gradients)


# A closure of the round, and nothing of the function but data: the step moves to the module.
def train_closure(params, batches, rate):
    for batch in batches:

        params = train_closure_step(params, batch, rate)
    return params


# Only the update is left.
def train_half(params, batches):
    tx = optax.sgd(0.1)
    state = tx.init(params)
    gradient_of = jax.jit(jax.grad(loss_of))

    @jax.jit
    def train_half_step(params, state, batch):
        gradients = gradient_of(params, batch)
        updates, state = tx.update(gradients, state, params)
        params = optax.apply_updates(params, updates)
        return params, state, gradients

    for batch in batches:
        params, state, gradients = train_half_step(params, state, batch)
        print(gradients["b"])
    return params


# A line search reads the batch through a function that is made in the round.
def train_search(params, batches):
    tx = optax.lbfgs()
    state = tx.init(params)

    @jax.jit
    def train_search_step(params, state, batch):
        value_fn = lambda p: loss_of(p, batch)
        value, gradients = jax.value_and_grad(value_fn)(params)
        updates, state = tx.update(
            gradients, state, params, value=value, grad=gradients, value_fn=value_fn
        )
        params = optax.apply_updates(params, updates)
        return params, state

    for batch in batches:
        params, state = train_search_step(params, state, batch)
    return params


# A model that holds more than arrays.
def mean_of(model, batch):
    return jnp.mean(jax.vmap(model)(batch) ** 2)


def train_model(model, batches):
    tx = optax.adam(1e-3)
    state = tx.init(eqx.filter(model, eqx.is_array))

    @eqx.filter_jit
    def train_model_step(model, state, batch):
        loss, gradients = eqx.filter_value_and_grad(mean_of)(model, batch)
        updates, state = tx.update(gradients, state, model)
        model = eqx.apply_updates(model, updates)
        return model, state, loss

    for batch in batches:
        model, state, loss = train_model_step(model, state, batch)
    return model, loss


# The gradient is under equinox's own jit, and so is what calls it.
@eqx.filter_jit
def gradient_of_model(model, batch):
    return eqx.filter_value_and_grad(mean_of)(model, batch)


def train_in_two(model, batches):
    tx = optax.adam(1e-3)
    state = tx.init(eqx.filter(model, eqx.is_array))

    @eqx.filter_jit
    def train_in_two_step(model, state, batch):
        loss, gradients = gradient_of_model(model, batch)
        updates, state = tx.update(gradients, state)
        model = optax.apply_updates(model, updates)
        return model, state, loss

    for batch in batches:
        model, state, loss = train_in_two_step(model, state, batch)
    return model, loss


@jax.jit
def descend_step(point):
    slope = jax.grad(lambda p: jnp.sum(p**2))(point)
    point = point - 0.1 * slope
    return point, jnp.abs(slope).max()


# Until it has settled.
def descend(point):
    change = 1.0
    while change > 1e-3:
        point, value = descend_step(point)
        change = float(value)
    return point


if __name__ == "__main__":
    batches = [jnp.ones((4, 3)) * number for number in range(3)]
    params, state = start()
    train(params, state, batches)
    train_with(params, batches)
    train_measured(params, batches)
    train_deep(params, batches)
    train_inline(params, batches)
    train_closure(params, batches, 0.1)
    train_half(params, batches)
    train_search(params, batches)
    train_model(eqx.nn.MLP(3, 1, 4, 1, key=jax.random.PRNGKey(0)), batches)
    descend(jnp.ones(3))
