"""Values and gradients that one call may not give."""

import time

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

draws = np.random.default_rng(0)
seen = []
count = 0


def loss_fn(params, x):
    return jnp.mean((x @ params) ** 2)


def rounded_otherwise(params, xs):
    grad_fn = jax.jit(jax.grad(loss_fn))
    for x in xs:
        loss = loss_fn(params, x)
        params = params - grad_fn(params, x)  # want: separate-value-and-grad (no fix): rounded differently
        print(loss)
    return params


def rounded_otherwise_too(params, xs):
    value_of = jax.jit(loss_fn)
    for x in xs:
        loss = value_of(params, x)
        params = params - jax.grad(loss_fn)(params, x)  # want: separate-value-and-grad (no fix): rounded differently
        print(loss)
    return params


def compiled_gradient_used_twice(params, xs):
    value_of = jax.jit(loss_fn)
    slope_of = jax.jit(jax.grad(loss_fn))
    start = slope_of(params, xs[0])
    for x in xs:
        loss = value_of(params, x)
        params = params - slope_of(params, x) / loss  # want: separate-value-and-grad (no fix): without the value
    return start, params


def drawing(p):
    return jnp.sum(p * draws.normal(size=3))


def printing(p):
    print("called")
    return jnp.sum(p)


def remembering(p):
    return helper(p)


def helper(p):
    seen.append(1)
    return jnp.sum(p)


def counting(p):
    global count
    count += 1
    return jnp.sum(p)


def taking(p, items):
    return jnp.sum(p * next(items))


def of_what_does_more(p, items):
    for _ in range(100):
        a = drawing(p)
        p = p - jax.grad(drawing)(p) / a  # want: separate-value-and-grad (no fix): answers differently
        a = printing(p)
        p = p - jax.grad(printing)(p) / a  # want: separate-value-and-grad (no fix): run once
        a = remembering(p)
        p = p - jax.grad(remembering)(p) / a  # want: separate-value-and-grad (no fix): run once
        a = counting(p)
        p = p - jax.grad(counting)(p) / a  # want: separate-value-and-grad (no fix): do so once
        a = taking(p, items)
        p = p - jax.grad(taking)(p, items) / a  # want: separate-value-and-grad (no fix): calls `next`
    return p


def filled_between(params, read):
    x = np.zeros((2, 3))
    while read(x):
        loss = loss_fn(params, x)
        x[0] = 1
        params = params - jax.grad(loss_fn)(params, x) / loss  # want: separate-value-and-grad (no fix): changes `x[0]`
    return params


def _fills(x):
    x += 1
    return 0


def _sets(x):
    x[0] = 1
    return jnp.sum(x)


def _shifts(x):
    x += 1
    return jnp.sum(x)


def _calls(f, x):
    return f(x) + 1


def filled_by_functions(params, x, f):
    for _ in range(100):
        loss = loss_fn(params, x)
        _fills(x)
        params = params - jax.grad(loss_fn)(params, x) / loss  # want: separate-value-and-grad (no fix): may change
        loss = loss_fn(params, x)
        a = _sets(x)
        params = params - a * jax.grad(loss_fn)(params, x) / loss  # want: separate-value-and-grad (no fix): may change
        loss = loss_fn(params, x)
        a = _calls(f, x)
        params = params - a * jax.grad(loss_fn)(params, x) / loss  # want: separate-value-and-grad (no fix): may change
        loss = loss_fn(params, x)
        a = jax.grad(_shifts)(x)
        params = params - a * jax.grad(loss_fn)(params, x) / loss  # want: separate-value-and-grad (no fix): may change
    return params


def added_to(params, x, others):
    for _ in range(100):
        loss = loss_fn(params, x)
        others += 1
        params = params - jax.grad(loss_fn)(params, x) / loss  # want: separate-value-and-grad (no fix): in place
    return params


def captured_variable_bound_between(params, scale):
    def scaled(p):
        return scale * jnp.sum(p**2)

    for _ in range(100):
        loss = scaled(params)
        scale = scale / 2
        params = params - jax.grad(scaled)(params) / loss  # want: separate-value-and-grad (no fix): binds `scale`
    return params


def handed_on(params, xs, report):
    for x in xs:
        loss = loss_fn(params, x)
        report(loss)
        params = params - jax.grad(loss_fn)(params, x)  # want: separate-value-and-grad (no fix): calls `report`
    return params


def measured(params, xs):
    for x in xs:
        start = time.perf_counter()
        loss = loss_fn(params, x)
        middle = time.perf_counter()
        grads = jax.grad(loss_fn)(params, x)  # want: separate-value-and-grad (no fix): calls `time.perf_counter`
        print(middle - start, loss, grads)


def set_between(params, xs):
    for x in xs:
        loss = loss_fn(params, x)
        jax.config.update("jax_enable_x64", True)
        params = params - jax.grad(loss_fn)(params, x) / loss  # want: separate-value-and-grad (no fix): calls `jax.config
    return params


def captured_at_different_times(p, scale):
    def scaled(p):
        return scale * jnp.sum(p**2)

    value_of = jax.jit(scaled)
    slope_of = jax.jit(jax.grad(scaled))
    size = value_of(p)
    scale = 2 * scale
    for _ in range(100):
        size += value_of(p)
        p = p - slope_of(p) / size  # want: separate-value-and-grad (no fix): bound more than once
    return p


def stopping(params, xs):
    for x in xs:
        loss = loss_fn(params, x)
        if loss < 1e-3:
            break
        params = params - jax.grad(loss_fn)(params, x)  # want: separate-value-and-grad (no fix): may leave
    return params


def of_layers(model, optimizer, xs):
    def loss_of(model, x):
        return jnp.mean(model(x) ** 2)

    for x in xs:
        grads = nnx.grad(loss_of)(model, x)
        optimizer.update(model, grads)
        print(loss_of(model, x))  # want: separate-value-and-grad (no fix): count its calls


def of_numbers(n):
    for i in range(n):
        x = 3.0
        print(cube(x), jax.grad(cube)(x), i)  # want: separate-value-and-grad (no fix): Python number



def cube(x):
    return x**3


def goes_on_after_an_error(params, xs):
    value = None
    for x in xs:
        try:
            value = loss_fn(params, x)
            params = params - 0.1 * jax.grad(loss_fn)(params, x)  # want: separate-value-and-grad (no fix): would be lost
        except FloatingPointError:
            print(value)
    return params


class Source:
    def __init__(self, batch):
        self._batch, self.reads = batch, 0

    @property
    def drawn(self):
        self.reads += 1
        return self._batch

    def __getitem__(self, key):
        self.reads += 1
        return self._batch


def counted_reads(params, source):
    for _ in range(9):
        loss = loss_fn(params, source.drawn)
        params = params - jax.grad(loss_fn)(params, source.drawn)  # want: separate-value-and-grad (no fix): computes `drawn` at each read
    return params, loss


def counted_items(params, source):
    for step in range(9):
        loss = loss_fn(params, source[step])
        params = params - jax.grad(loss_fn)(params, source[step])  # want: separate-value-and-grad (no fix): computed by a class at each read
    return params, loss
