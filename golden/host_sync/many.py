# One value that a step needs at once is no line; several are, as one transfer brings them all.
import time

import jax
import jax.numpy as jnp


@jax.jit
def step(weights, batch):
    loss, slope = jax.value_and_grad(lambda w: jnp.mean((batch @ w) ** 2))(weights)
    return weights - 0.1 * slope, {"loss": loss, "slope": jnp.sum(slope), "norm": jnp.sum(slope**2)}


def entries_of_a_result(weights, batches):
    sums = {"loss": 0.0, "slope": 0.0, "norm": 0.0}
    for batch in batches:
        weights, metrics = step(weights, batch)
        for key in sums:
            sums[key] += float(metrics[key])  # want: host-sync (no fix): one `jax.device_get`
    return sums


def entries_as_items(weights, batches):
    rows = []
    for batch in batches:
        weights, metrics = step(weights, batch)
        row = {}
        for key, value in metrics.items():
            row[key] = value.item()  # want: host-sync (no fix): one `jax.device_get`
        rows.append(row)
    return rows


def one_by_one(weights, batches, write):
    for number, batch in enumerate(batches):
        start = time.time()
        weights, metrics = step(weights, batch)
        write("loss", float(metrics["loss"]), number)  # want: host-sync (no fix): one `jax.device_get`
        write("slope", float(metrics["slope"]), number)
        write("norm", float(metrics["norm"]), number)
        write("weight", weights[0].item(), number)
        write("seconds", time.time() - start, number)


def through_a_function(weights, batches, write):
    def advanced(weights, batch, scale=1.0):
        return step(weights, scale * batch)

    for batch in batches:
        weights, metrics = advanced(weights, batch)
        for key, value in metrics.items():
            write(key, float(value))  # want: host-sync (no fix): one `jax.device_get`


def now_and_then(weights, batches, write):
    for number, batch in enumerate(batches):
        weights, metrics = step(weights, batch)
        if number % 100 == 0:
            for key, value in metrics.items():
                write(key, float(value), number)


def fetched(weights, batches, write):
    for number, batch in enumerate(batches):
        weights, metrics = step(weights, batch)
        for key, value in jax.device_get(metrics).items():  # want: host-sync (no fix)
            write(key, float(value), number)


def of_another_loop(weights, batches, write):
    for batch in batches:
        weights, metrics = step(weights, batch)
    for key, value in metrics.items():
        write(key, float(value))


def of_keys(weights, batches, write):
    seen = set()
    for batch in batches:
        weights, metrics = step(weights, batch)
        for key, value in metrics.items():
            write(int(key), value)
        for pair in metrics.items():
            seen.add(int(pair[0]))
    return seen


def one_value(weights, batches, write):
    for batch in batches:
        weights, metrics = step(weights, batch)
        loss = metrics["loss"]
        write(float(loss), float(loss) + 1, float(loss) + 2, float(loss) + 3)  # want: host-sync (no fix): value at once


def only_kept(weights, batches):
    kept = []
    for batch in batches:
        weights, metrics = step(weights, batch)
        for value in metrics.values():
            kept.append(float(value))  # want: host-sync (no fix): inner loop: one `jax.device_get`
    return kept
