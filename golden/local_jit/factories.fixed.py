"""Functions that make a jitted one, called again and again for the same one."""

import functools

import jax
import jax.numpy as jnp
import optax


def make_step(opt):
    @jax.jit
    def step(params, state, batch):
        gradients = jax.grad(lambda p: jnp.sum((p - batch) ** 2))(params)
        updates, state = opt.update(gradients, state, params)
        return optax.apply_updates(params, updates), state

    return step


def make_loss(scale=2.0):
    def loss(params, batch):
        return scale * jnp.sum((params - batch) ** 2)

    return jax.jit(loss)


def train(params, batches, epochs):
    opt = optax.sgd(0.1)
    state = opt.init(params)
    total = 0.0
    step = make_step(opt)
    loss_2 = make_loss()
    for _ in range(epochs):
        for batch in batches:
            # the same at every round
            params, state = step(params, state, batch)
            total += loss_2(params, batch)
    return params, total


def predictor(model):
    predict = jax.jit(lambda params, batch: model(params, batch))
    return predict


def evaluate(model, params, batches):
    found = []
    predict = predictor(model)
    for batch in batches:
        found.append(predict(params, batch))
    return found


# --- look-alikes --------------------------------------------------------------------------------------------------


@functools.cache
def remembered(scale):
    return jax.jit(lambda x: x * scale)


def doubled(x):
    return 2 * x


def same_function():
    return jax.jit(doubled)


def padded(size):
    return jax.jit(lambda x: jnp.concatenate([x, jnp.zeros(size)]))


def quiet(params, batches):
    step = make_step(optax.sgd(0.1))
    lazily = None
    for batch in batches:
        params, _ = step(params, (optax.EmptyState(),) * 2, batch)
        remembered(2.0)(params)
        same_function()(params)
        if lazily is None:
            lazily = make_loss()
        lazily(params, batch)
    for size in (1, 2, 3, 4):
        padded(size)(params)
    for rate in (0.1, 0.2, 0.3):
        opt = optax.sgd(rate)
        sweep = make_step(opt)
        for batch in batches:
            params, _ = sweep(params, (optax.EmptyState(),) * 2, batch)
    return params


def perhaps(params, batches, rate=None):
    chosen = optax.sgd(0.1 if rate is None else rate)
    for _ in range(2):
        if rate is not None:
            given = make_step(chosen)
            for batch in batches:
                params, _ = given(params, (optax.EmptyState(),) * 2, batch)
    return params


@jax.jit
def traced(params, batches):
    for batch in batches:
        params = make_loss()(params, batch)
    return params


if __name__ == "__main__":
    batches = [jnp.ones(3)] * 4
    train(jnp.zeros(3), batches, 2)
    evaluate(lambda p, b: p + b, jnp.zeros(3), batches)
    quiet(jnp.zeros(3), batches)
    perhaps(jnp.zeros(3), batches)
