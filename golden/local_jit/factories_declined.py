"""Functions that make another jitted one at each iteration, or cannot be called once for all of them."""

import jax
import jax.numpy as jnp
import optax


def make_step(opt):
    @jax.jit
    def step(params, batch):
        gradients = jax.grad(lambda p: jnp.sum((p - batch) ** 2))(params)
        return params + opt.update(gradients, opt.init(params))[0]

    return step


def towards(batch):
    return jax.jit(lambda params: params - 0.1 * (params - batch))


def scaled_by(config):
    return jax.jit(lambda params: params * config["scale"])


def telling():
    print("compiling")
    return jax.jit(lambda params: params + 1.0)


SCALE = 1.0
optimizer = optax.sgd(0.1)


def by_global():
    return jax.jit(lambda params: params * SCALE)


def run(params, batches, log):
    global SCALE
    config = {"scale": 1.0}
    held = {"scale": 1.0}
    for number, batch in enumerate(batches):
        step = make_step(optax.sgd(0.1))  # want: local-jit (no fix): a new result of `optax.sgd` each time
        params = step(params, batch)
        pull = towards(batch)  # want: local-jit (no fix): `batch`, which the loop rebinds: pass that to `pull` instead
        params = pull(params)
        scale = scaled_by(config)  # want: local-jit (no fix): created with `config`, which the loop changes in place
        params = scale(params)
        config["scale"] *= 0.9
        scale_held = scaled_by(held)  # want: local-jit (no fix): passes `held` to code that may change it
        params = scale_held(params)
        log(held)
        tell = telling()  # want: local-jit (no fix): `telling` cannot be called once: it calls `print`
        params = tell(params)
        rescale = by_global()  # want: local-jit (no fix): `by_global` cannot be called once
        params = rescale(params)
        SCALE *= 0.9
        if number:
            params = late(params, batch)
        late = make_step(optimizer)  # want: local-jit (no fix): reads `late` before it is made
        late(params, batch)
    return params


def behind(params, batches, opt):
    step = doubled
    for batch in batches:
        step = make_step(opt)  # want: local-jit (no fix): `step` is bound more than once, and read after the loop
        params = step(params, batch)
    return step(params, params)


def by_another_name(params, batches):
    config = {"scale": 1.0}
    same = config
    for _ in batches:
        scale = scaled_by(config)  # want: local-jit (no fix): created with `same`, which the loop changes in place
        params = scale(params)
        same["scale"] *= 0.9
    return params


def first_of(params, batches, optimizers):
    for batch in batches:
        step = make_step(optimizers[0])  # want: local-jit (no fix): where the loop has no iteration, it would still be called: `optimizers[0]` may fail then
        params = step(params, batch)
    return params


def checked(rate):
    assert rate > 0
    return jax.jit(lambda params: params * rate)


def may_stop(params, batches, rate):
    for _ in batches:
        params = checked(rate)(params)  # want: local-jit (no fix): line 91 of `checked` may fail then
    return params


def with_a_callback(params, batches):
    rate = 1.0

    def decay():
        nonlocal rate
        rate *= 0.9

    for _ in batches:
        params = times(rate)(params)  # want: local-jit (no fix): created with `rate`, which line 106 rebinds
        decay()
    return params


def times(rate):
    return jax.jit(lambda params: params * rate)


def filled_by_another_name(params, batches, rates, same):
    for _ in batches:
        params = times(rates)(params)  # want: local-jit (no fix): line 121 changes `same` in place, which may be `rates` too
        same[0] *= 0.9
    return params


class Decaying:
    def __init__(self):
        self.rate = 1.0

    def __call__(self, params):
        self.rate *= 0.9
        return params * self.rate


def by(model):
    return jax.jit(lambda params: model(params))


def with_an_object(params, batches):
    model = Decaying()
    for _ in batches:
        params = by(model)(params)  # want: local-jit (no fix): it reads `self.rate`, which can change between iterations
    return params


def doubled(params, batch):
    return 2 * params


if __name__ == "__main__":
    batches = [jnp.ones(3)] * 4
    run(jnp.zeros(3), batches, lambda held: held.update(scale=held["scale"] * 0.9))
    behind(jnp.zeros(3), batches, optax.sgd(0.1))
    by_another_name(jnp.zeros(3), batches)
    first_of(jnp.zeros(3), batches, [optimizer])
    may_stop(jnp.zeros(3), batches, 0.1)
    with_a_callback(jnp.zeros(3), batches)
    filled_by_another_name(jnp.zeros(3), batches, [1.0], [2.0])
    with_an_object(jnp.zeros(3), batches)
