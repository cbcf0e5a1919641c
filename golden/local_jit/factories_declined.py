"""Functions that make another jitted one at each round, or cannot be called once for all of them."""

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
        step = make_step(optax.sgd(0.1))  # want: local-jit (no fix): what `optax.sgd` returns at each round
        params = step(params, batch)
        pull = towards(batch)  # want: local-jit (no fix): `batch`, which the loop binds anew: hand that to `pull` instead
        params = pull(params)
        scale = scaled_by(config)  # want: local-jit (no fix): made with `config`, which the loop changes in place
        params = scale(params)
        config["scale"] *= 0.9
        scale_held = scaled_by(held)  # want: local-jit (no fix): hands `held` on, to code that may change it
        params = scale_held(params)
        log(held)
        tell = telling()  # want: local-jit (no fix): `telling` cannot be called once for all: it calls `print`
        params = tell(params)
        rescale = by_global()  # want: local-jit (no fix): `by_global` cannot be called once for all
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
        step = make_step(opt)  # want: local-jit (no fix): `step` is bound more than once, and read behind the loop
        params = step(params, batch)
    return step(params, params)


def by_another_name(params, batches):
    config = {"scale": 1.0}
    same = config
    for _ in batches:
        scale = scaled_by(config)  # want: local-jit (no fix): made with `same`, which the loop changes in place
        params = scale(params)
        same["scale"] *= 0.9
    return params


def doubled(params, batch):
    return 2 * params


if __name__ == "__main__":
    batches = [jnp.ones(3)] * 4
    run(jnp.zeros(3), batches, lambda held: held.update(scale=held["scale"] * 0.9))
    behind(jnp.zeros(3), batches, optax.sgd(0.1))
    by_another_name(jnp.zeros(3), batches)
