"""Dictionaries of numbers that are fetched in each iteration, as a whole."""

import jax
import jax.numpy as jnp


@jax.jit
def step(weights, batch):
    loss = jnp.mean(batch @ weights)
    return weights * 0.9, {"loss": loss, "right": jnp.mean(loss < 1.0)}


@jax.jit
def with_all(weights, batch):
    errors = batch @ weights
    return weights * 0.9, {"loss": jnp.mean(errors), "errors": errors}


@jax.jit
def with_more(weights, batch, more):
    return weights * 0.9, {"loss": jnp.mean(batch @ weights), **more}


@jax.jit
def pair(weights, batch):
    return jnp.mean(batch @ weights), jnp.sum(weights)


def history(weights, batches):
    found = []
    found_on_device = []
    for batch in batches:
        weights, metrics = step(weights, batch)
        found_on_device.append(metrics)
    found.extend(metrics for metrics in jax.device_get(found_on_device))
    return weights, found


def numbered(weights, batches):
    found = []
    found_on_device = []
    for number, batch in enumerate(batches):
        weights, metrics = step(weights, batch)
        found_on_device.append((number, metrics))
    found.extend((number, metrics) for number, metrics in jax.device_get(found_on_device))
    return weights, found


def pairs(weights, batches):
    found = []
    for batch in batches:
        found.append(jax.device_get(pair(weights, batch)))
    return found


def number(weights, batches):
    found = []
    found_on_device = []
    for batch in batches:
        weights, metrics = step(weights, batch)
        found_on_device.append(metrics["loss"])
    found.extend(value for value in jax.device_get(found_on_device))
    return weights, found


# One of its entries may be large, or is not known.
def history_of_all(weights, batches):
    found = []
    for batch in batches:
        weights, metrics = with_all(weights, batch)
        found.append(jax.device_get(metrics))
    return weights, found


def history_of_more(weights, batches, more):
    found = []
    for batch in batches:
        weights, metrics = with_more(weights, batch, more)
        found.append(jax.device_get(metrics))
    return weights, found


# The dictionary is changed, or has another name, after it is fetched.
def with_an_entry(weights, batches):
    found = []
    for number, batch in enumerate(batches):
        weights, metrics = step(weights, batch)
        found.append(jax.device_get(metrics))
        metrics["number"] = number
        print(len(metrics))
    return weights, found


def with_more_entries(weights, batches):
    found = []
    for number, batch in enumerate(batches):
        weights, metrics = step(weights, batch)
        found.append(jax.device_get(metrics))
        metrics.update(number=number)
    return weights, found


def without_one(weights, batches):
    found = []
    for batch in batches:
        weights, metrics = step(weights, batch)
        found.append(jax.device_get(metrics))
        del metrics["right"]
    return weights, found


def under_another_name(weights, batches):
    found = []
    for batch in batches:
        weights, metrics = step(weights, batch)
        found.append(jax.device_get(metrics))
        row = metrics
        row["loss"] = 0.0
    return weights, found


if __name__ == "__main__":
    print(*(each(jnp.ones(3), jnp.ones((4, 2, 3))) for each in (history, numbered, pairs, number)), sep="\n")
