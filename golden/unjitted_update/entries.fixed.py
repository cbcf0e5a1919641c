"""Dictionaries that go on from step to step: each of their entries is a variable."""

import functools

import jax
import jax.numpy as jnp


def loss_fn(one, other, x):
    return jnp.mean((jnp.tanh(x @ one) @ other - x) ** 2) + 1e-3 * jnp.sum(one**2)


@jax.jit
def train_step(params_a, params_b, speed_a, speed_b, x):
    loss, grads = jax.value_and_grad(loss_fn)(params_a, params_b, x)
    speed_a = 0.9 * speed_a + grads
    params_a = params_a - 0.1 * speed_a
    grads = jax.grad(loss_fn, argnums=1)(params_a, params_b, x)
    speed_b = 0.9 * speed_b + grads
    params_b -= 0.1 * speed_b
    return params_a, params_b, speed_a, speed_b, loss


def two_nets(key, xs):
    params = {"a": jax.random.normal(key, (4, 4)), "b": jnp.eye(4)}
    speed = dict(a=jnp.zeros((4, 4)), b=jnp.zeros((4, 4)))
    metrics = {}
    for x in xs:
        params["a"], params["b"], speed["a"], speed["b"], loss = train_step(
            params["a"], params["b"], speed["a"], speed["b"], x
        )
        metrics["loss"] = loss
        print(metrics["loss"])
    return params


@jax.jit
def in_turns_step(params_a, params_b, x):
    loss, grads = jax.value_and_grad(loss_fn)(params_a, params_b, x)
    params_a = params_a - 0.1 * jnp.clip(grads, -1.0, 1.0)
    return params_a, loss


@jax.jit
def update_step(params_b, params_a, x):
    loss, grads = jax.value_and_grad(loss_fn, argnums=1)(params_a, params_b, x)
    params_b = params_b - 0.1 * jnp.clip(grads, -1.0, 1.0)
    return params_b, loss


def in_turns(key, xs):
    params = {'a': jax.random.normal(key, (4, 4)), 'b': jnp.eye(4)}
    for x in xs:
        params['a'], loss = in_turns_step(params['a'], params['b'], x)
        print(loss, params['a'].sum())
        params['b'], loss = update_step(params['b'], params['a'], x)
        print(loss)
    return params


@jax.jit
def compute_grads(params, x):
    return jax.grad(loss_fn)(params["a"], params["b"], x)


def aliased(key, xs):
    params = {"a": jax.random.normal(key, (4, 4)), "b": jnp.eye(4)}
    view = params
    for x in xs:
        grads = compute_grads(params, x)
        view["b"] = 0.5 * view["b"]
        params["a"] = params["a"] - 0.1 * jnp.tanh(grads) * jnp.sum(params["b"])
        print(params["a"])


@jax.jit
def compute_grads_2(params, x):
    return jax.grad(loss_fn)(params["a"], params["b"], x)


def read_by_a_function(key, xs):
    params = {"a": jax.random.normal(key, (4, 4)), "b": jnp.eye(4)}

    def loss_of(x):
        return jnp.mean((x @ params["a"]) ** 2)

    for x in xs:
        grads = compute_grads_2(params, x)
        params["a"] = params["a"] - 0.1 * jnp.tanh(grads) * loss_of(x)
        print(loss_of(x))


@jax.jit
def compute_grads_3(params, x):
    return jax.grad(lambda p: loss_fn(p["w"], params["b"], x))(params["a"])


def filled(key, xs):
    params = {"a": {"w": jax.random.normal(key, (4, 4))}, "b": jnp.eye(4)}
    for x in xs:
        grads = compute_grads_3(params, x)
        params["a"] = jax.tree.map(lambda p, g: p - 0.1 * g, params["a"], grads)
        params["a"]["w"] = jnp.tanh(params["a"]["w"])
        print(params["a"]["w"])


@jax.jit
def compute_grads_4(params, x):
    return jax.grad(loss_fn)(params["a"], params["b"], x)


def kept_in_a_partial(key, xs):
    params = {"a": jax.random.normal(key, (4, 4)), "b": jnp.eye(4)}
    scale = functools.partial(lambda params, x: jnp.sum(x @ params["a"]), params)
    for x in xs:
        grads = compute_grads_4(params, x)
        params["a"] = params["a"] - 0.1 * jnp.tanh(grads)
        params["b"] = params["b"] * 0.9 + 0.01 * jnp.tanh(scale(x)) * jnp.sin(params["a"])
    return params


@jax.jit
def compute_grads_5(w, x):
    params = {"a": w * 2.0, "b": jnp.tanh(w)}
    grads = jax.grad(loss_fn)(params["a"], params["b"], x)
    return params, grads


def made_in_each_iteration(w, xs):
    for x in xs:
        params, grads = compute_grads_5(w, x)
        params["a"] = params["a"] - 0.1 * jnp.tanh(grads)
        params["b"] = params["b"] * 0.9 + 0.01 * jnp.sin(params["a"])
        w = params["a"] + 0.1 * params["b"]
        print(w)
    return w


@jax.jit
def made_before_a_short_loop(w, x):
    params = {"a": w * 2.0, "b": jnp.tanh(w)}
    for i in range(3):
        params["a"] = params["a"] - 0.1 * jnp.tanh(jax.grad(loss_fn)(params["a"], params["b"], x))
        params["b"] = params["b"] * 0.9 + 0.01 * jnp.sin(params["a"])
    return params["a"] + 0.1 * params["b"]


def repeated(w, xs):
    for x in xs:
        w = made_before_a_short_loop(w, x)
        print(w)


@jax.jit
def perhaps_not_there_step(params_a, x):
    loss, grads = jax.value_and_grad(loss_fn)(params_a, jnp.eye(4), x)
    params_a = params_a - 0.1 * jnp.tanh(grads)
    return params_a, loss


def perhaps_not_there(key, xs, tilts):
    params = {"a": jax.random.normal(key, (4, 4))}
    if tilts:
        params["b"] = jnp.eye(4)
    for x in xs:
        params["a"], loss = perhaps_not_there_step(params["a"], x)
        params["a"] = params["a"] - (0.1 * jnp.sin(params["b"]) if tilts else 0.0)
        if tilts:
            params["b"] = params["b"] * 0.9
        print(loss)


@jax.jit
def compute_grads_6(params, x):
    return jax.grad(loss_fn)(params["a"], params["b"], x)


def of_a_caller(params, xs):
    for x in xs:
        grads = compute_grads_6(params, x)
        params["a"] = params["a"] - 0.1 * jnp.tanh(grads)
        params["b"] = params["b"] - 0.1 * jnp.tanh(grads)
    return params


grad_loss_fn = jax.jit(jax.grad(loss_fn))


def caught(key, xs):
    params = {"a": jax.random.normal(key, (4, 4)), "b": jnp.eye(4)}
    for x in xs:
        try:
            grads = grad_loss_fn(params["a"], params["b"], x)
            params["a"] = params["a"] - 0.1 * jnp.tanh(grads)
            params["b"] = params["b"] - 0.1 * jnp.tanh(params["a"])
        except ValueError:
            params["b"] = 2.0 * params["b"]
    return params


if __name__ == "__main__":
    xs = [jnp.ones((3, 4)) * i for i in range(20)]
    two_nets(jax.random.key(0), xs)
    in_turns(jax.random.key(1), xs)
    aliased(jax.random.key(2), xs)
    read_by_a_function(jax.random.key(3), xs)
    filled(jax.random.key(4), xs)
    kept_in_a_partial(jax.random.key(6), xs)
    made_in_each_iteration(jnp.eye(4), xs)
    repeated(jnp.eye(4), xs)
    perhaps_not_there(jax.random.key(7), xs, tilts=False)
    of_a_caller({"a": jnp.eye(4), "b": jnp.eye(4)}, xs)
    caught(jax.random.key(5), xs)
