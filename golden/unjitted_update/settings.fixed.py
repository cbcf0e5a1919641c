"""Options in a dictionary or an object, whose values a trace needs: the step captures them while nothing changes."""

from types import SimpleNamespace

import jax
import jax.numpy as jnp

WIDTHS = {"layers": 2}


def forward(params, x, options):
    for i in range(options["layers"]):
        x = jnp.tanh(x @ params[f"w{i}"])
    return x


def loss_of(params, rows, options):
    x, y = rows
    return jnp.mean((forward(params, x, options) - y) ** 2)


def loss_with(params, rows, config):
    x, y = rows
    for i in range(config.layers):
        x = jnp.tanh(x @ params[f"w{i}"])
    return jnp.mean((x - y) ** 2)


@jax.jit
def descend(params, gradients, rate):
    return jax.tree.map(lambda p, g: p - rate * g, params, gradients)


def thin():
    WIDTHS["layers"] -= 1


def make(layers):
    keys = jax.random.split(jax.random.key(0), layers)
    return {f"w{i}": jax.random.normal(keys[i], (4, 4)) for i in range(layers)}


def in_a_dictionary(params, batches, options):
    @jax.jit
    def train_step(params, rows):
        gradients = jax.grad(loss_of)(params, rows, options)
        return descend(params, gradients, options["rate"])

    for rows in batches:
        params = train_step(params, rows)
    return params


def over_rows(params, batches, options):
    @jax.jit
    def over_rows_step(params, rows):
        gradients = jax.vmap(jax.grad(loss_of), in_axes=(None, 0, None))(params, rows, options)
        return jax.tree.map(lambda p, g: p - 0.1 * jnp.mean(g, axis=0), params, gradients)

    for rows in batches:
        params = over_rows_step(params, rows)
    return params


def in_an_object(params, batches, config):
    @jax.jit
    def in_an_object_step(params, rows):
        gradients = jax.grad(loss_with)(params, rows, config)
        return descend(params, gradients, 0.1)

    for rows in batches:
        params = in_an_object_step(params, rows)
    return params


def changed_in_the_loop(params, batches, options):
    for rows in batches:
        gradients = jax.grad(loss_of)(params, rows, options)
        params = descend(params, gradients, 0.1)
        options["layers"] = 1
    return params


def changed_under_another_name(params, batches, options):
    same = options
    for rows in batches:
        gradients = jax.grad(loss_of)(params, rows, options)
        params = descend(params, gradients, 0.1)
        same["layers"] = 1
    return params


def changed_by_a_function(params, batches, options, schedule):
    for rows in batches:
        gradients = jax.grad(loss_of)(params, rows, options)
        params = descend(params, gradients, 0.1)
        schedule(options)
    return params


def changed_as_an_object(params, batches, config):
    for rows in batches:
        gradients = jax.grad(loss_with)(params, rows, config)
        params = descend(params, gradients, 0.1)
        config.layers = 1
    return params


def rebound(params, batches, options):
    for rows in batches:
        gradients = jax.grad(loss_of)(params, rows, options)
        params = descend(params, gradients, 0.1)
        options = {"layers": 1}
    return params


def changed_as_a_global(params, batches, table):
    for rows in batches:
        gradients = jax.grad(loss_of)(params, rows, table)
        params = descend(params, gradients, 0.1)
        thin()
    return params


def turning(batches, options):
    for rows in batches:
        yield rows
        options["layers"] = 1


class Schedule:
    def __init__(self, options):
        self.options = options

    def step(self):
        self.options["layers"] = 1


class Counted:
    count = 0

    @property
    def layers(self):
        Counted.count += 1
        return 2


def changed_by_the_data(params, batches, options):
    for rows in batches:
        gradients = jax.grad(loss_of)(params, rows, options)
        params = descend(params, gradients, 0.1)
    return params


def changed_by_an_object(params, batches, options, schedule):
    for rows in batches:
        gradients = jax.grad(loss_of)(params, rows, options)
        params = descend(params, gradients, 0.1)
        schedule.step()
    return params


def changed_by_a_callback(params, batches, options, callbacks):
    for rows in batches:
        gradients = jax.grad(loss_of)(params, rows, options)
        params = descend(params, gradients, 0.1)
        for callback in callbacks:
            callback()
    return params


def computed_at_each_read(params, batches, config):
    for rows in batches:
        gradients = jax.grad(loss_with)(params, rows, config)
        params = descend(params, gradients, 0.1)
    return params


class Trainer:
    def __init__(self, options):
        self.options = options

    def anneal(self):
        self.options["layers"] = 1

    def fit(self, params, batches):
        options = self.options
        for rows in batches:
            gradients = jax.grad(loss_of)(params, rows, options)
            params = descend(params, gradients, 0.1)
            self.anneal()
        return params


def main():
    params = make(2)
    keys = jax.random.split(jax.random.key(1), 6)
    batches = [(jax.random.normal(key, (8, 4)), jnp.ones((8, 4))) for key in keys]
    for train in (in_a_dictionary, over_rows, changed_in_the_loop, changed_under_another_name, rebound):
        print(train(params, batches, {"layers": 2, "rate": 0.1})["w1"].sum())
    for train in (in_an_object, changed_as_an_object):
        print(train(params, batches, SimpleNamespace(layers=2))["w1"].sum())
    print(changed_by_a_function(params, batches, {"layers": 2}, lambda options: options.update(layers=1))["w1"].sum())
    print(changed_as_a_global(params, batches, WIDTHS)["w1"].sum())
    turned, held, called = {"layers": 2}, {"layers": 2}, {"layers": 2}
    print(changed_by_the_data(params, turning(batches, turned), turned)["w1"].sum())
    print(changed_by_an_object(params, batches, held, Schedule(held))["w1"].sum())
    print(changed_by_a_callback(params, batches, called, [lambda: called.update(layers=1)])["w1"].sum())
    print(computed_at_each_read(params, batches, Counted())["w1"].sum(), Counted.count)
    print(Trainer({"layers": 2}).fit(params, batches)["w1"].sum())


if __name__ == "__main__":
    main()
