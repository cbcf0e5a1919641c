"""Batches that other libraries make, and parts of `array_split`."""

import jax
import jax.numpy as jnp
import numpy as np
import tensorflow_datasets as tfds
from torch.utils.data import DataLoader
from tqdm import tqdm


@jax.jit
def step(w, x, y):
    return w - 0.1 * jax.grad(lambda w: jnp.mean((x @ w - y) ** 2))(w)


def of_torch(w, data):
    loader = DataLoader(data, batch_size=64, shuffle=True)  # want: ragged-batch (no fix): `drop_last=True` leaves its rows out
    for _ in range(10):
        for x, y in loader:
            x, y = jnp.asarray(x.numpy()), jnp.asarray(y.numpy())
            w = step(w, x, y)
    return w


def of_tensorflow(w, name):
    data = tfds.load(name, split="train").shuffle(100).batch(64).prefetch(1)  # want: ragged-batch (no fix): `drop_remainder=True`
    for batch in tfds.as_numpy(data):
        w = step(w, batch["image"], batch["label"])
    return w


def of_parts(w, x, y, count):
    for a, b in zip(np.array_split(x, count), np.array_split(y, count)):  # want: ragged-batch (no fix): a multiple of the parts
        w = step(w, a, b)
    return w


def behind_a_bar(w, data):
    loader = DataLoader(data, shuffle=True, batch_size=64)  # want: ragged-batch (no fix): `drop_last=True` leaves its rows out
    bar = tqdm(loader, total=len(loader))
    for batch in bar:
        x, y = map(jnp.array, batch)
        w = step(w, x, y)
        bar.set_description("step")
    return w


# All batches are alike, or come to nothing that compiles.
def alike(w, data, sampler):
    for x, y in DataLoader(data, batch_size=64, drop_last=True):
        w = step(w, x.numpy(), y.numpy())
    for x, y in DataLoader(data, batch_size=1):
        w = step(w, x.numpy(), y.numpy())
    for x, y in DataLoader(data, batch_sampler=sampler):
        w = step(w, x.numpy(), y.numpy())
    for batch in tfds.load("mnist", split="train").batch(64, drop_remainder=True):
        w = step(w, batch["image"].numpy(), batch["label"].numpy())
    for x, y in DataLoader(data, batch_size=64):
        print(x.shape, y.mean())
    for part in np.array_split(w, [3, 5]):
        w = step(w, part, part)
    return w
