"""What a person has to rewrite, each with the reason."""

import functools

import jax
import jax.numpy as jnp

OPTIONS = {"axis_name": "i"}


def step(w, x):
    return w + jax.lax.psum(x, "i")


handed_on = jax.vmap(jax.pmap(step, axis_name="i"))  # want: legacy-parallelism (no fix): passed on
by_name = {"map": jax.pmap}  # want: legacy-parallelism (no fix): passed on
hidden = jax.pmap(step, **OPTIONS)  # want: legacy-parallelism (no fix): hides
static = jax.pmap(step, "i", static_broadcasted_argnums=(0,))  # want: legacy-parallelism (no fix): static argument
sized = jax.pmap(step, "i", axis_size=2)  # want: legacy-parallelism (no fix): axis_size
second = jax.pmap(step, "i", in_axes=(1, 0))  # want: legacy-parallelism (no fix): another axis
parts = jax.pmap(step, "i", in_axes=({"w": 0}, 0))  # want: legacy-parallelism (no fix): parts of an argument
last = jax.pmap(step, "i", out_axes=1)  # want: legacy-parallelism (no fix): another axis

named = jax.pmap(step, "i")  # want: legacy-parallelism (no fix): called with keywords
print(named(jnp.ones((1, 2)), x=jnp.ones((1, 2))))


@jax.jit
def traced(w, x):
    return jax.pmap(step, "i")(w, x)  # want: legacy-parallelism (no fix): traced code


def outer(x):
    return jax.pmap(jnp.sin)(x)  # want: legacy-parallelism (no fix): a `pmap` in a `pmap`


nested = jax.pmap(outer)  # want: legacy-parallelism (no fix): a `pmap` in a `pmap`


@jax.custom_jvp
@functools.partial(jax.pmap, axis_name="i")  # want: legacy-parallelism (no fix): another decorator
def derived(x):
    return x


class Trainer:
    @functools.partial(jax.pmap, axis_name="i")  # want: legacy-parallelism (no fix): a method
    def step(self, x):
        return x


def mapped_at_each_call(w, x):
    return jax.pmap(step, "i")(w, x)  # want: legacy-parallelism (no fix): compiles at each call


def in_a_loop(w, x):
    for _ in range(3):
        w = jax.pmap(step, "i")(w, x)  # want: legacy-parallelism (no fix): compiles at each call
    return w


@jax.pmap  # want: legacy-parallelism (no fix): a `pmap` in a `pmap`
def rows(x):
    return 2 * x


rows_of_rows = jax.pmap(rows)  # want: legacy-parallelism (no fix): a `pmap` in a `pmap`
one_of_each = jax.pmap(rows_of_rows, "i")  # want: legacy-parallelism (no fix): a `pmap` in a `pmap`
