"""Values that are needed at once, or whose delay could be seen."""

import itertools
import time
from collections import defaultdict
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def train_step(weights, batch):
    return weights * 0.5, jnp.mean(batch @ weights)


@partial(jax.jit, donate_argnums=0)
def donating_step(state, batch):
    return state + jnp.sum(batch)


@jax.jit
def predict(weights, batch):
    return batch @ weights


def printed(weights, batches):
    for batch in batches:
        weights, loss = train_step(weights, batch)
        print(f"loss: {loss.item()}")  # want: host-sync (no fix): needs the value at once
    return weights


def stops_early(weights, batches):
    losses = []
    for batch in batches:
        weights, loss = train_step(weights, batch)
        losses.append(float(loss))  # want: host-sync (no fix): decides by `loss`
        if loss < 0.1:
            break
    return losses


def best(weights, batches):
    least = 1e9
    for batch in batches:
        weights, loss = train_step(weights, batch)
        least = min(least, float(loss))  # want: host-sync (no fix): needs the value at once
    return least


def smoothed(weights, batches):
    mean = 0.0
    for batch in batches:
        weights, loss = train_step(weights, batch)
        mean = 0.9 * mean + 0.1 * float(loss)  # want: host-sync (no fix): needs the value at once
    return mean


def with_a_bar(weights, batches, bar):
    losses = []
    for batch in batches:
        weights, loss = train_step(weights, batch)
        losses.append(loss.item())  # want: host-sync (no fix): passes `loss` on
        bar.set_postfix(loss=loss)  # want: host-sync (no fix): every so many iterations
    return losses


def read_in_the_loop(weights, batches):
    losses = []
    for batch in batches:
        weights, loss = train_step(weights, batch)
        losses.append(float(loss))  # want: host-sync (no fix): uses `losses` in each iteration
        weights = weights / len(losses)
    return weights


def donated(state, batches):
    states = []
    for batch in batches:
        state = donating_step(state, batch)
        states.append(float(state))  # want: host-sync (no fix): passes `state` on
    return states


def large(weights, batches):
    found = []
    for batch in batches:
        predicted = predict(weights, batch)
        found.append(np.asarray(predicted))  # want: host-sync (no fix): may be large
    return np.concatenate(found)


def timed(weights, batches):
    losses, seconds = [], []
    for batch in batches:
        began = time.perf_counter()
        weights, loss = train_step(weights, batch)
        losses.append(float(loss))  # want: host-sync (no fix): reads the clock
        seconds.append(time.perf_counter() - began)
    return losses, seconds


def until_interrupted(weights, batches):
    losses = []
    try:
        for batch in batches:
            weights, loss = train_step(weights, batch)
            losses.append(float(loss))  # want: host-sync (no fix): after an error
    except KeyboardInterrupt:
        pass
    return losses


def of_the_caller(weights, batches, losses):
    for batch in batches:
        weights, loss = train_step(weights, batch)
        losses.append(float(loss))  # want: host-sync (no fix): after an error
    return weights


def under_another_name(weights, batches, report):
    losses = []
    report(losses)
    for batch in batches:
        weights, loss = train_step(weights, batch)
        losses.append(float(loss))  # want: host-sync (no fix): passes `losses` on before the loop ends
    return weights


def handed_on_by_epoch(weights, batches, report):
    losses = []
    for _ in range(5):
        for batch in batches:
            weights, loss = train_step(weights, batch)
            losses.append(float(loss))  # want: host-sync (no fix): passes `losses` on before the loop
        report(losses)
    return weights


def captured(weights, batches, every):
    losses = []

    def show():
        print(losses)

    for batch in batches:
        weights, loss = train_step(weights, batch)
        losses.append(float(loss))  # want: host-sync (no fix): may see it grow
        every(show)
    return losses


def endless(weights, batch):
    losses = []
    for step in itertools.count():
        weights, loss = train_step(weights, batch)
        losses.append(float(loss))  # want: host-sync (no fix): would stay on the device
        if step > 100:
            break
    return losses


def returned_from_within(weights, batches):
    losses = []
    for number, batch in enumerate(batches):
        weights, loss = train_step(weights, batch)
        losses.append(float(loss))  # want: host-sync (no fix): may leave the function
        if number == 50:
            return losses
    return None


def of_an_array(weights, batches):
    total = np.zeros(())
    for batch in batches:
        weights, loss = train_step(weights, batch)
        total += float(loss)  # want: host-sync (no fix): may begin as something else
    return total


def with_what_changes(weights, batches, rate):
    rows = []
    for batch in batches:
        weights, loss = train_step(weights, batch)
        rate = rate * 0.5
        rows.append(rate * float(loss))  # want: host-sync (no fix): may differ after the loop
    return rows


def waits_all_the_same(weights, batches):
    losses = []
    for batch in batches:
        weights, loss = train_step(weights, batch)
        weights.block_until_ready()
        losses.append(float(loss))  # want: host-sync (no fix): waits in each iteration
    return losses


def then_otherwise(weights, batches):
    losses = []
    for batch in batches:
        weights, loss = train_step(weights, batch)
        losses.append(float(loss))  # want: host-sync (no fix): has an `else`
    else:
        print(losses)
    return losses


def read_after(weights, batches):
    last = 0.0
    for step, batch in enumerate(batches):
        weights, loss = train_step(weights, batch)
        last = float(loss)  # want: host-sync (no fix): for what each iteration does
        if step % 10 == 0:
            print(last)
    return last


def of_a_default(weights, batches):
    history = defaultdict(list)
    for batch in batches:
        weights, loss = train_step(weights, batch)
        history["loss"].append(float(loss))  # want: host-sync (no fix): may have another name
    return dict(history)


def with_two_names(weights, batches, trainer):
    trainer.losses = losses = []
    for batch in batches:
        weights, loss = train_step(weights, batch)
        losses.append(float(loss))  # want: host-sync (no fix): may have another name
        trainer.look()
    return losses


def kept_at_times(weights, batches, kept):
    losses = []
    for step, batch in enumerate(batches):
        weights, loss = train_step(weights, batch)
        losses.append(float(loss))  # want: host-sync (no fix): passes `losses` on before the loop ends
        if step % 10 == 0:
            kept.append(losses)
    return losses


def scaled_by_another(weights, batches, watch):
    scale, total = 1.0, 0.0

    def halve():
        nonlocal scale
        scale = scale / 2

    for batch in batches:
        weights, loss = train_step(weights, batch)
        total += scale * float(loss)  # want: host-sync (no fix): may differ after the loop
        watch(halve)
    return total


class Trainer:
    def __init__(self):
        self.losses = []

    def fit(self, weights, batches):
        for batch in batches:
            weights, loss = train_step(weights, batch)
            self.losses.append(float(loss))  # want: host-sync (no fix): needs the value at once
        return weights


def main():
    batches = jnp.ones((8, 4, 3))
    weights = jnp.ones(3)
    for run in (printed, stops_early, best, smoothed, read_in_the_loop, large, timed, until_interrupted, of_an_array):
        print(run(weights, batches))
    with_a_bar(weights, batches, None)
    donated(jnp.zeros(()), batches)
    of_the_caller(weights, batches, [])
    under_another_name(weights, batches, print)
    handed_on_by_epoch(weights, batches, print)
    captured(weights, batches, print)
    endless(weights, batches[0])
    returned_from_within(weights, batches)
    with_what_changes(weights, batches, 1.0)
    waits_all_the_same(weights, batches)
    then_otherwise(weights, batches)
    read_after(weights, batches)
    of_a_default(weights, batches)
    with_two_names(weights, batches, Trainer())
    kept_at_times(weights, batches, [])
    scaled_by_another(weights, batches, lambda halve: halve())
    Trainer().fit(weights, batches)


if __name__ == "__main__":
    main()


def behind_a_function(weights, batches):
    def advanced(weights, batch):
        print("a step begins")
        return train_step(weights, batch)

    losses = []
    for batch in batches:
        weights, loss = advanced(weights, batch)
        losses.append(float(loss))  # want: host-sync (no fix): may do more than its step
    return losses
