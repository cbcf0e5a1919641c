"""`as_written.py` as a JAX developer repairs it: one padded, donating step, no reads within it."""

import argparse
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec

VOCABULARY, CLASSES, WIDTH, LONGEST, BATCH = 32, 4, 64, 32, 64

optimizer = optax.adam(1e-3)


def make_data(random, examples):
    lengths = random.integers(8, LONGEST + 1, examples)
    tokens = random.integers(1, VOCABULARY, (examples, LONGEST))
    tokens[np.arange(LONGEST) >= lengths[:, None]] = 0
    counts = np.stack([(tokens % CLASSES == symbol).sum(axis=1) for symbol in range(CLASSES)], axis=1)
    return tokens.astype(np.int32), lengths.astype(np.int32), counts.argmax(axis=1).astype(np.int32)


def init_params(key):
    keys = jax.random.split(key, 5)
    scale = 1.0 / np.sqrt(WIDTH)
    return {
        "embedding": jax.random.normal(keys[0], (VOCABULARY, WIDTH)),
        "gate": {
            "input": scale * jax.random.normal(keys[1], (WIDTH, WIDTH)),
            "state": scale * jax.random.normal(keys[2], (WIDTH, WIDTH)),
            "bias": jnp.zeros(WIDTH),
        },
        "candidate": {
            "input": scale * jax.random.normal(keys[3], (WIDTH, WIDTH)),
            "state": scale * jax.random.normal(keys[4], (WIDTH, WIDTH)),
            "bias": jnp.zeros(WIDTH),
        },
        "readout": {"weight": jnp.zeros((WIDTH, CLASSES)), "bias": jnp.zeros(CLASSES)},
    }


def affine(params, state, x):
    return x @ params["input"] + state @ params["state"] + params["bias"]


def cell(params, state, x):
    gate = jax.nn.sigmoid(affine(params["gate"], state, x))
    candidate = jnp.tanh(affine(params["candidate"], gate * state, x))
    return (1.0 - gate) * state + gate * candidate


def classify(params, tokens, lengths):
    embedded = params["embedding"][tokens.T]

    @jax.checkpoint
    def advance(state, column):
        t, x = column
        return jnp.where((t < lengths)[:, None], cell(params, state, x), state), None

    start = jnp.zeros((tokens.shape[0], WIDTH))
    state, _ = lax.scan(advance, start, (jnp.arange(tokens.shape[1]), embedded))
    return state @ params["readout"]["weight"] + params["readout"]["bias"]


def example_losses(params, tokens, lengths, labels):
    logits = classify(params, tokens, lengths)
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels)


def loss_fn(params, tokens, lengths, labels):
    real = lengths > 0
    return jnp.sum(jnp.where(real, example_losses(params, tokens, lengths, labels), 0.0)) / jnp.sum(real)


@partial(jax.jit, donate_argnums=(0, 1))
def train_step(params, opt_state, tokens, lengths, labels):
    loss, grads = jax.value_and_grad(loss_fn)(params, tokens, lengths, labels)
    updates, opt_state = optimizer.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss


def shard(array):
    mesh = Mesh(jax.local_devices(), ("devices",))
    return jax.device_put(array, NamedSharding(mesh, PartitionSpec("devices")))


def margin(row):
    best = jnp.sort(row)
    return best[-1] - best[-2]


@jax.jit
def evaluate(params, tokens, lengths, labels):
    logits = classify(params, tokens, lengths)
    losses = optax.softmax_cross_entropy_with_integer_labels(logits, labels)
    accuracy = jnp.mean(jnp.argmax(logits, axis=1) == labels)
    return accuracy, jnp.mean(losses, where=losses > 1.0), jnp.mean(jax.vmap(margin)(logits))


def padded(array):
    return np.pad(array, [(0, BATCH - len(array)), *[(0, 0)] * (array.ndim - 1)])


def batches(random, tokens, lengths, labels):
    order = random.permutation(len(tokens))
    for start in range(0, len(tokens), BATCH):
        index = order[start : start + BATCH]
        yield padded(tokens[index]), padded(lengths[index]), padded(labels[index])


def train(epochs, examples):
    random = np.random.default_rng(0)
    training = make_data(random, examples)
    held_out = [shard(array) for array in make_data(random, 128)]
    params = init_params(jax.random.PRNGKey(0))
    opt_state = optimizer.init(params)
    losses = []
    for epoch in range(epochs):
        step = len(losses)
        kept = []
        for tokens, lengths, labels in batches(random, *training):
            params, opt_state, loss = train_step(params, opt_state, tokens, lengths, labels)
            kept.append(loss)
        losses += jax.device_get(kept)
        for number, loss in enumerate(losses[step:], step + 1):
            print(f"step {number}: {loss:.6f}")
        total = sum(map(float, losses[step:]))
        accuracy, wrong, confidence = map(float, evaluate(params, *held_out))
        print(f"epoch {epoch}: {total:.5f} {accuracy:.4f} {wrong:.5f} {confidence:.5f}")
    print(f"losses: {np.mean(losses):.6f} {np.mean(losses[-10:]):.6f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--examples", type=int, default=360)
    options = parser.parse_args()
    train(options.epochs, options.examples)
