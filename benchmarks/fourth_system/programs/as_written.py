"""Trains a recurrent network to tell which of four symbols a sequence holds most often."""

import argparse

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.experimental.pjit import pjit

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
    embedded = params["embedding"][tokens]
    state = jnp.zeros((tokens.shape[0], WIDTH))
    for t in range(tokens.shape[1]):
        state = jnp.where((t < lengths)[:, None], cell(params, state, embedded[:, t]), state)
    return state @ params["readout"]["weight"] + params["readout"]["bias"]


def example_losses(params, tokens, lengths, labels):
    logits = classify(params, tokens, lengths)
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels)


def loss_fn(params, tokens, lengths, labels):
    return jnp.mean(example_losses(params, tokens, lengths, labels))


compute_loss = jax.jit(loss_fn)
compute_grads = jax.jit(jax.grad(loss_fn))


@pjit
def update(params, opt_state, grads):
    updates, opt_state = optimizer.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state


parallel_losses = jax.pmap(example_losses, axis_name="devices", in_axes=(None, 0, 0, 0))
parallel_logits = jax.pmap(classify, axis_name="devices", in_axes=(None, 0, 0))


def shard(array):
    devices = jax.local_device_count()
    return array.reshape(devices, len(array) // devices, *array.shape[1:])


def margin(row):
    best = jnp.sort(row)
    return best[-1] - best[-2]


def evaluate(params, tokens, lengths, labels):
    logits = parallel_logits(params, shard(tokens), shard(lengths)).reshape(-1, CLASSES)
    losses = parallel_losses(params, shard(tokens), shard(lengths), shard(labels)).reshape(-1)
    accuracy = jnp.mean(jnp.argmax(logits, axis=1) == labels)
    margins = jnp.stack([margin(row) for row in logits])
    wrong = losses[losses > 1.0].mean()
    return float(accuracy), float(wrong), float(margins.mean())


def batches(random, tokens, lengths, labels):
    order = random.permutation(len(tokens))
    for start in range(0, len(tokens), BATCH):
        index = order[start : start + BATCH]
        longest = lengths[index].max()
        yield tokens[index, :longest], lengths[index], labels[index]


def train(epochs, examples):
    random = np.random.default_rng(0)
    training = make_data(random, examples)
    held_out = make_data(random, 128)
    params = init_params(jax.random.PRNGKey(0))
    opt_state = optimizer.init(params)
    losses = jnp.array([])
    step = 0
    for epoch in range(epochs):
        total = 0.0
        for tokens, lengths, labels in batches(random, *training):
            loss = compute_loss(params, tokens, lengths, labels)
            grads = compute_grads(params, tokens, lengths, labels)
            params, opt_state = update(params, opt_state, grads)
            losses = jnp.append(losses, loss)
            total += float(loss)
            step += 1
            print(f"step {step}: {loss:.6f}")
        accuracy, wrong, confidence = evaluate(params, *held_out)
        print(f"epoch {epoch}: {total:.5f} {accuracy:.4f} {wrong:.5f} {confidence:.5f}")
    print(f"losses: {losses.mean():.6f} {losses[-10:].mean():.6f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--examples", type=int, default=360)
    options = parser.parse_args()
    train(options.epochs, options.examples)
