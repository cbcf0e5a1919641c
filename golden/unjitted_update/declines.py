"""Steps that cannot be put under `jit` as they are."""

import jax
import jax.numpy as jnp
import numpy as np
import optax


def loss_of(params, batch):
    return jnp.mean((batch * params) ** 2)


generator = np.random.default_rng(0)
scale = 1.0
seen = []


class Counter:
    steps = 0


counter = Counter()


def branching(params, batch, rate):
    if rate > 0.5:
        rate = 0.5
    return params - rate * jax.grad(loss_of)(params, batch)


def printing(params, batch):
    print(params)
    return params - jax.grad(loss_of)(params, batch)


def naming(params, batch, name):
    return params - jax.grad(loss_of)(params, batch), name


def counting(params, batch):
    counter.steps += 1
    return params - jax.grad(loss_of)(params, batch)


def keeping(params, batch):
    seen.append(batch)
    return params - jax.grad(loss_of)(params, batch)


def noisy(params, batch):
    return params - jax.grad(loss_of)(params, batch) * np.random.rand()


def noisier(params, batch):
    return params - jax.grad(loss_of)(params, batch) * generator.normal()


def scaled(params, batch):
    return params - scale * jax.grad(loss_of)(params, batch)


def in_place(params, batch):
    params["w"] = params["w"] - jax.grad(lambda p: loss_of(p["w"], batch))(params)["w"]
    return params


def schedule(number):
    return 0.1 if number < 10 else 0.01


def scheduled(params, batch, number):
    return params - schedule(number) * jax.grad(loss_of)(params, batch)


def counted(params, batch, number):
    return params - jax.grad(loss_of)(params, batch), number + 1


def compared(params, batch):
    return params - jax.grad(loss_of)(params, batch)


compared_fast = jax.jit(compared)


def with_numpy(params, batch):
    return params - np.mean(jax.grad(loss_of)(params, batch))


def any_number(params, *batch):
    return params - jax.grad(loss_of)(params, batch[0])


def by_function(params, batch, loss):
    return params - jax.grad(loss)(params, batch)


def with_model(params, batch, model):
    return params - jax.grad(lambda p: model.loss(p, batch))(params)


def main(params, batches, model):
    global scale
    number = 0
    buffer = np.zeros(3)
    for batch in batches:
        params = branching(params, batch, number)  # want: unjitted-update (no fix): `branching` branches on `rate > 0.5`
        params = printing(params, batch)  # want: unjitted-update (no fix): it calls `print` for its side effect
        params, name = naming(params, batch, "first")  # want: unjitted-update (no fix): returns `name`, a string
        params = keeping(params, batch)  # want: unjitted-update (no fix): calls `seen.append` for its side effect
        params = noisy(params, batch)  # want: unjitted-update (no fix): may return a different value at every trace
        params = noisier(params, batch)  # want: unjitted-update (no fix): returns a different value at every call
        params = scaled(params, batch)  # want: unjitted-update (no fix): `scale` is bound more than once
        scale = 0.5
        in_place({"w": params}, batch)  # want: unjitted-update (no fix): changes `params["w"]`
        params = scheduled(params, batch, number)  # want: unjitted-update (no fix): `schedule`, which branches on `number < 10`
        params, number = counted(params, batch, number)  # want: unjitted-update (no fix): a Python number
        params = compared(params, batch)  # want: unjitted-update (no fix): so it may run eagerly on purpose
        params = with_numpy(params, batch)  # want: unjitted-update (no fix): to `numpy.mean`
        params = any_number(params, batch)  # want: unjitted-update (no fix): any number of arguments
        params = by_function(params, batch, lambda p, b: jnp.sum(p * b))  # want: unjitted-update (no fix): a new function at every call
        params = with_model(params, batch, model)  # want: unjitted-update (no fix): `jit` may not accept `model`
        buffer[:] = batch
        params = filled(params, buffer)  # want: unjitted-update (no fix): `buffer` is changed in place
    return params


def filled(params, batch):
    return params - jax.grad(loss_of)(params, batch)


def made_anew(params, batches):
    for batch in batches:

        def step(p):
            return p - jax.grad(loss_of)(p, batch)

        params = step(params)  # want: unjitted-update (no fix): `step` is defined in every iteration
    return params


def captured(params, batches):
    batch = None

    def step(p):
        return p - jax.grad(loss_of)(p, batch)

    for batch in batches:
        params = step(params)  # want: unjitted-update (no fix): `batch` is bound more than once
    return params


def changing_optimizer(params, batches):
    for number, batch in enumerate(batches):
        optimizer = optax.sgd(0.1 / (1 + number))
        state = optimizer.init(params)
        gradients = jax.grad(loss_of)(params, batch)  # want: unjitted-update (no fix): `optimizer` is rebound while it runs
        updates, state = optimizer.update(gradients, state)
        params = optax.apply_updates(params, updates)
    return params


optimizer = optax.sgd(0.1)


def numpy_state(batches):
    params = np.zeros(3)
    first = params
    for batch in batches:
        params -= jax.grad(loss_of)(params, batch)  # want: unjitted-update (no fix): `params` is changed in place
    return first


def shapes():
    for size in (1, 2, 3):
        print(jax.grad(lambda p: jnp.sum(p**2))(jnp.ones(size)))  # want: unjitted-update (no fix): is not an assignment to variables


def epoch(params, batches, rate):
    tx = optax.sgd(rate)
    state = tx.init(params)
    for batch in batches:
        gradients = jax.grad(loss_of)(params, batch)  # want: unjitted-update (no fix): at every call of `epoch`
        updates, state = tx.update(gradients, state)
        params = optax.apply_updates(params, updates)
    return params


def decaying(params, count):
    for number in range(1, count):
        params = params - jax.grad(loss_of)(params, 1.0) / number**2  # want: unjitted-update (no fix): unbounded
    return params


if __name__ == "__main__":
    batches = [jnp.ones(3)] * 4
    main(jnp.ones(3), batches, None)
    made_anew(jnp.ones(3), batches)
    captured(jnp.ones(3), batches)
    changing_optimizer(jnp.ones(3), batches)
    numpy_state(batches)
    shapes()
    for _ in range(3):
        epoch(jnp.ones(3), batches, 0.1)
