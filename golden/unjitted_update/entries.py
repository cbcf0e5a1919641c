"""Dictionaries that go on from step to step: each of their entries is a variable."""

import functools

import jax
import jax.numpy as jnp


def loss_fn(one, other, x):
    return jnp.mean((jnp.tanh(x @ one) @ other - x) ** 2) + 1e-3 * jnp.sum(one**2)


def two_nets(key, xs):
    params = {"a": jax.random.normal(key, (4, 4)), "b": jnp.eye(4)}
    speed = dict(a=jnp.zeros((4, 4)), b=jnp.zeros((4, 4)))
    metrics = {}
    for x in xs:
        loss, grads = jax.value_and_grad(loss_fn)(params["a"], params["b"], x)  # want: unjitted-update
        speed["a"] = 0.9 * speed["a"] + grads
        params["a"] = params["a"] - 0.1 * speed["a"]
        grads = jax.grad(loss_fn, argnums=1)(params["a"], params["b"], x)
        speed["b"] = 0.9 * speed["b"] + grads
        params["b"] -= 0.1 * speed["b"]
        metrics["loss"] = loss
        print(metrics["loss"])
    return params


def in_turns(key, xs):
    params = {'a': jax.random.normal(key, (4, 4)), 'b': jnp.eye(4)}
    for x in xs:
        loss, grads = jax.value_and_grad(loss_fn)(params['a'], params['b'], x)  # want: unjitted-update
        params['a'] = params['a'] - 0.1 * jnp.clip(grads, -1.0, 1.0)
        print(loss, params['a'].sum())
        loss, grads = jax.value_and_grad(loss_fn, argnums=1)(params['a'], params['b'], x)
        params['b'] = params['b'] - 0.1 * jnp.clip(grads, -1.0, 1.0)
        print(loss)
    return params


def aliased(key, xs):
    params = {"a": jax.random.normal(key, (4, 4)), "b": jnp.eye(4)}
    view = params
    for x in xs:
        grads = jax.grad(loss_fn)(params["a"], params["b"], x)  # want: unjitted-update
        view["b"] = 0.5 * view["b"]
        params["a"] = params["a"] - 0.1 * jnp.tanh(grads) * jnp.sum(params["b"])
        print(params["a"])


def read_by_a_function(key, xs):
    params = {"a": jax.random.normal(key, (4, 4)), "b": jnp.eye(4)}

    def loss_of(x):
        return jnp.mean((x @ params["a"]) ** 2)

    for x in xs:
        grads = jax.grad(loss_fn)(params["a"], params["b"], x)  # want: unjitted-update
        params["a"] = params["a"] - 0.1 * jnp.tanh(grads) * loss_of(x)
        print(loss_of(x))


def filled(key, xs):
    params = {"a": {"w": jax.random.normal(key, (4, 4))}, "b": jnp.eye(4)}
    for x in xs:
        grads = jax.grad(lambda p: loss_fn(p["w"], params["b"], x))(params["a"])  # want: unjitted-update
        params["a"] = jax.tree.map(lambda p, g: p - 0.1 * g, params["a"], grads)
        params["a"]["w"] = jnp.tanh(params["a"]["w"])
        print(params["a"]["w"])


def kept_in_a_partial(key, xs):
    params = {"a": jax.random.normal(key, (4, 4)), "b": jnp.eye(4)}
    scale = functools.partial(lambda params, x: jnp.sum(x @ params["a"]), params)
    for x in xs:
        grads = jax.grad(loss_fn)(params["a"], params["b"], x)  # want: unjitted-update
        params["a"] = params["a"] - 0.1 * jnp.tanh(grads)
        params["b"] = params["b"] * 0.9 + 0.01 * jnp.tanh(scale(x)) * jnp.sin(params["a"])
    return params


def made_in_each_iteration(w, xs):
    for x in xs:
        params = {"a": w * 2.0, "b": jnp.tanh(w)}
        grads = jax.grad(loss_fn)(params["a"], params["b"], x)  # want: unjitted-update
        params["a"] = params["a"] - 0.1 * jnp.tanh(grads)
        params["b"] = params["b"] * 0.9 + 0.01 * jnp.sin(params["a"])
        w = params["a"] + 0.1 * params["b"]
        print(w)
    return w


def made_before_a_short_loop(w, x):
    params = {"a": w * 2.0, "b": jnp.tanh(w)}
    for i in range(3):
        params["a"] = params["a"] - 0.1 * jnp.tanh(jax.grad(loss_fn)(params["a"], params["b"], x))
        params["b"] = params["b"] * 0.9 + 0.01 * jnp.sin(params["a"])
    return params["a"] + 0.1 * params["b"]


def repeated(w, xs):
    for x in xs:
        w = made_before_a_short_loop(w, x)  # want: unjitted-update
        print(w)


def perhaps_not_there(key, xs, tilts):
    params = {"a": jax.random.normal(key, (4, 4))}
    if tilts:
        params["b"] = jnp.eye(4)
    for x in xs:
        loss, grads = jax.value_and_grad(loss_fn)(params["a"], jnp.eye(4), x)  # want: unjitted-update
        params["a"] = params["a"] - 0.1 * jnp.tanh(grads)
        params["a"] = params["a"] - (0.1 * jnp.sin(params["b"]) if tilts else 0.0)
        if tilts:
            params["b"] = params["b"] * 0.9
        print(loss)


def of_a_caller(params, xs):
    for x in xs:
        grads = jax.grad(loss_fn)(params["a"], params["b"], x)  # want: unjitted-update
        params["a"] = params["a"] - 0.1 * jnp.tanh(grads)
        params["b"] = params["b"] - 0.1 * jnp.tanh(grads)
    return params


def caught(key, xs):
    params = {"a": jax.random.normal(key, (4, 4)), "b": jnp.eye(4)}
    for x in xs:
        try:
            grads = jax.grad(loss_fn)(params["a"], params["b"], x)  # want: unjitted-update
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
