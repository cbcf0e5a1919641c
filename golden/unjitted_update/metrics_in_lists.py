"""Metrics that a loop keeps in a list: a dictionary of which single keys are read may come back in another order."""

import jax
import jax.numpy as jnp
import numpy as np


def step(w, batch):
    loss, slope = jax.value_and_grad(lambda w: jnp.mean((batch @ w) ** 2))(w)
    w = w - 0.1 * slope
    return w, {"loss": loss, "accuracy": jnp.mean(batch > 0)}


def train(w, epochs, batches):
    for epoch in range(epochs):
        kept = []
        for batch in batches:
            w, metrics = step(w, batch)  # want: unjitted-update
            kept.append(metrics)
        print(np.mean([each["loss"] for each in kept]), kept[-1]["accuracy"], len(kept), metrics.get("loss"))
        for each in jax.device_get(kept):
            print(list(each))
    return w


def shown_step(w, batch):
    loss, slope = jax.value_and_grad(lambda w: jnp.mean((batch @ w) ** 2))(w)
    w = w - 0.1 * slope
    return w, {"loss": loss, "accuracy": jnp.mean(batch > 0)}


def train_shown(w, batches):
    kept = []
    for batch in batches:
        w, metrics = shown_step(w, batch)  # want: unjitted-update
        kept.append(metrics)
    for name in kept[0]:
        print(name, np.mean([each[name] for each in kept]))
    return w


if __name__ == "__main__":
    batches = [jnp.ones((4, 3))] * 20
    print(train(jnp.ones(3), 2, batches), train_shown(jnp.ones(3), batches))
