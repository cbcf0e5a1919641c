"""Methods and attributes of arrays, where the receiver is known to be one."""

import functools

import jax
import jax.numpy as jnp
from jax import lax

x = jnp.arange(6.0)
key = jax.random.PRNGKey(0)
where = next(iter(x.devices()))
buffers = [shard.data for shard in (2 * x).addressable_shards]
first = jnp.ones(3).addressable_data(0)
rows = lax.broadcast(x, (2, 1))
lanes = lax.broadcast_in_dim(x, (2, 6), (1,))
parts = jnp.split(x, 3)
sides = jnp.split(x[None] + 1, [1, 2], axis=1)
places = [next(iter(buffer.devices())) for buffer in [shard.data for shard in x.addressable_shards]]
place = x.format
order = jnp.argsort(x, stable=True), jnp.sort(x, 0, stable=True)
spread = x.split(*[3])
kinds = jnp.sort(x, kind=str(place))


scaled = jnp.split(x * 2 + x[0], 3)
odd = next(iter((x % 5).devices()))


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
