"""Methods and attributes of arrays, where the receiver is known to be one."""

import functools

import jax
import jax.numpy as jnp
from jax import lax

x = jnp.arange(6.0)
key = jax.random.PRNGKey(0)
where = x.device()  # want: removed-api
buffers = (2 * x).device_buffers  # want: removed-api
first = jnp.ones(3).device_buffer  # want: removed-api
rows = x.broadcast((2, 1))  # want: removed-api
lanes = x.broadcast_in_dim(shape=(2, 6), broadcast_dimensions=(1,))  # want: removed-api
parts = x.split(3)  # want: removed-api
sides = (x[None] + 1).split([1, 2], axis=1)  # want: removed-api
places = [buffer.device() for buffer in x.device_buffers]  # want: removed-api  # want: removed-api
place = x.layout  # want: removed-api
order = jnp.argsort(x, kind="stable"), jnp.sort(x, 0, kind='quicksort')  # want: removed-api  # want: removed-api
spread = x.split(*[3])  # want: removed-api (no fix): hides
kinds = jnp.sort(x, kind=str(place))  # want: removed-api (no fix): value


scaled = (x * 2 + x[0]).split(3)  # want: removed-api
odd = (x % 5).device()  # want: removed-api


class Text:
    layout = "text"

    def device(self):
        return self.layout


def halves(text, batch):
    words = "a b".split() + text.split(",") + f"{text}".split()
    keys = jax.random.split(key)
    return words, keys, batch.device(), Text().layout, Text().device(), jnp.sort(x, kind=None), x.device, lax.sort(x)


def texts(sep, other):
    line, shown = "%s" % jnp.sum(x), jnp.array_repr(x)
    form = "%s"
    told = form % jnp.sum(x)
    scaled = x * other
    path = jnp.einsum_path("ij,jk", x, x)
    lines = line.split(sep), shown.split(sep), jnp.array_str(x).split(sep), ("%s" % jnp.sum(x)).split(sep)
    return lines, told.split(sep), (x * other).device(), (-(other + x))[0].split(sep), scaled.split(3), path[1].split(sep)


@functools.lru_cache
def text():
    return Text()


@jax.tree_util.register_dataclass
class Pair:
    device = Text.device


@jax.jit
def pair(x):
    return Pair()


print(text().device(), pair(x).device())


def to_text(function):
    return lambda *args: Text()


@to_text
def ones():
    return jnp.ones(3)


print(ones().device())
