# Progress bars that show what a step has made, in each iteration.
import dataclasses

import jax
import jax.numpy as jnp
from tqdm import tqdm, trange


@jax.jit
def train_step(weights, batch):
    loss, slope = jax.value_and_grad(lambda w: jnp.mean((batch @ w) ** 2))(weights)
    return weights - 0.1 * slope, loss


@jax.jit
def train_epoch(weights, batches):
    def step(weights, batch):
        return train_step(weights, batch)

    weights, losses = jax.lax.scan(step, weights, batches)
    return weights, losses.mean()


def formatted(weights, batches):
    bar = tqdm(batches)
    for batch in bar:
        weights, loss = train_step(weights, batch)
        bar.set_postfix(loss=f"{loss:.4f}")  # want: host-sync (no fix): every so many iterations
    return weights


def passed(weights, batches, bar):
    for batch in batches:
        weights, loss = train_step(weights, batch)
        bar.set_postfix({"loss": loss})  # want: host-sync (no fix)
        bar.update(1)
    return weights


def fetched(weights, batches):
    with tqdm(total=len(batches)) as bar:
        for batch in batches:
            weights, loss = train_step(weights, batch)
            bar.set_description("loss {:.3f}".format(loss.item()))  # want: host-sync (no fix)
    return weights


# Every ten iterations, and of an epoch in one program, it does not matter.
def periodic(weights, batches):
    bar = tqdm(batches)
    for number, batch in enumerate(bar):
        weights, loss = train_step(weights, batch)
        if number % 10 == 0:
            bar.set_postfix(loss=f"{loss:.4f}")
    return weights


def of_epochs(weights, batches):
    bar = trange(10)
    for _ in bar:
        weights, loss = train_epoch(weights, batches)
        bar.set_postfix(loss=f"{loss:.4f}")
    return weights


# The loop waits for it anyway.
def tested(weights, batches):
    bar = tqdm(batches)
    best = 1e9
    for batch in bar:
        weights, loss = train_step(weights, batch)
        if loss < best:
            best = loss
        bar.set_postfix(loss=f"{loss:.4f}")
    return weights


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class State:
    weights: jax.Array
    step: jax.Array


@jax.jit
def advance(state, batch):
    weights, loss = train_step(state.weights, batch)
    return State(weights, state.step + 1), loss


def logged(state, batches):
    for batch in batches:
        state, loss = advance(state, batch)
        if state.step % 10 == 0:  # want: host-sync (no fix): count on the host
            print(loss)
    return state


# The host counts.
def counted(state, batches):
    for step, batch in enumerate(batches):
        state, loss = advance(state, batch)
        if step % 10 == 0:
            print(loss, state.step)
    return state


def numbers(count):
    bar = tqdm(range(count))
    total = 0
    for number in bar:
        total = max(total, number)
        bar.set_postfix(total=total)
    return total


if __name__ == "__main__":
    weights, batches = jnp.ones(3), jnp.ones((8, 4, 3))
    for train in (formatted, fetched, periodic, of_epochs, tested):
        print(train(weights, batches))
    state = State(weights, jnp.zeros((), jnp.int32))
    print(logged(state, batches), counted(state, batches))
    print(passed(weights, batches, tqdm(total=8)), numbers(5))
