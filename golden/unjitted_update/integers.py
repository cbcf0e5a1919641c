"""Python integers that a step would multiply or raise: a traced one has a fixed width."""

import functools
from dataclasses import dataclass

import jax
import jax.numpy as jnp


def loss_of(w, x):
    return jnp.mean((x @ w - 1.0) ** 2)


def raised(x, w, steps):
    speed = jnp.zeros(3)
    for step in range(steps):
        slopes = jax.grad(loss_of)(w, x)  # want: unjitted-update
        speed = 0.9 * speed + slopes
        w = w - 0.1 / (step + 1) ** 3 * speed
    return w


def multiplied(x, w, steps):
    speed = jnp.zeros(3)
    for step, rows in enumerate([x] * steps):
        slopes = jax.grad(loss_of)(w, rows)  # want: unjitted-update
        speed = 0.9 * speed + slopes
        w = w - 2.0 / ((step + 1) * (step + 2)) * speed
    return w


def decay(step):
    return 0.1 / (step + 1) ** 3


def passed_on(x, w, steps):
    speed = jnp.zeros(3)
    for step in range(steps):
        slopes = jax.grad(loss_of)(w, x)  # want: unjitted-update
        speed = 0.9 * speed + slopes
        number = step + 1
        w = w - 0.1 / number**3 * speed
        w = w - decay(step) * speed
    return w


def weighted(w, x, step):
    return loss_of(w, x) / (step + 1) ** 3


def differentiated(x, w, steps):
    speed = jnp.zeros(3)
    gradient = jax.value_and_grad(weighted)
    for step in range(steps):
        loss, slopes = gradient(w, x, step)  # want: unjitted-update (no fix): unbounded
        speed = 0.9 * speed + slopes
        w = w - 0.1 * speed
    return w


def in_part(x, w, steps):
    speed = jnp.zeros(3)
    for step in range(steps):
        slopes = jax.grad(functools.partial(weighted, step=step))(w, x)  # want: unjitted-update (no fix): unbounded
        speed = 0.9 * speed + slopes
        w = w - 0.1 * speed
    return w


def by_lambda(x, w, steps):
    speed = jnp.zeros(3)
    rate = lambda number: 0.1 / (number + 1) ** 3
    for step in range(steps):
        slopes = jax.grad(loss_of)(w, x)  # want: unjitted-update
        speed = 0.9 * speed + slopes
        w = w - rate(number=step) * speed
    return w


def in_pairs(x, w, steps):
    speed = jnp.zeros(3)
    for step in range(steps):
        slopes = jax.grad(loss_of)(w, x)  # want: unjitted-update
        speed = 0.9 * speed + slopes
        one, other = step + 1, abs(step)
        w = w - 0.1 / pow(step + 1, 3) * speed
        w = w - 0.1 / (1 + one * other) * speed
    return w


# What is float, or divided, does not wrap.
def in_floats(x, w, steps):
    speed = jnp.zeros(3)
    for step in range(steps):
        slopes = jax.grad(loss_of)(w, x)  # want: unjitted-update
        speed = 0.9 * speed + slopes
        w = w - 0.1 / (1 + step) * speed / (1 - 0.9 ** (step + 1))
        w = w - 0.1 * (step + 1) * speed
    return w


def entry(x, w, steps):
    state = {"w": w, "speed": jnp.zeros(3), "t": 0}
    for _ in range(steps):
        slopes = jax.grad(loss_of)(state["w"], x)  # want: unjitted-update
        state["t"] = state["t"] + 1
        state["speed"] = 0.9 * state["speed"] + slopes
        state["w"] = state["w"] - 0.1 / state["t"] ** 6 * state["speed"]
    return state


def entry_bound_there(x, w, steps):
    state = {"w": w, "t": 0}
    for step in range(steps):
        slopes = jax.grad(loss_of)(state["w"], x)  # want: unjitted-update
        state["t"] = step + 1
        state["t"] += 1
        state["w"] = state["w"] - 0.1 / state["t"] ** 3 * slopes
    return state


def float_entry(x, steps):
    state = {"w": jnp.zeros(3), "rate": 0.1}
    for _ in range(steps):
        slopes = jax.grad(loss_of)(state["w"], x)  # want: unjitted-update
        state["rate"] = 0.9 * state["rate"]
        state["w"] = state["w"] - state["rate"] * state["rate"] * slopes
    return state


def picked(x, w, orders):
    for number in range(len(orders)):
        slopes = jax.grad(loss_of)(w, x)  # want: unjitted-update
        w = w - 0.1 / orders[number] ** 6 * slopes
        w = 0.9 * w
    return w


@dataclass
class Config:
    rate: float
    scale: float = 2.0


class Other:
    def __init__(self, rate, scale):
        self.rate = rate
        self.scale = scale


def of_another_class(x, w, other):
    for _ in range(20):
        slopes = jax.grad(loss_of)(w, x)  # want: unjitted-update
        w = w - 1e4 / (other.rate * other.scale) * slopes
        w = 0.9 * w
    return w


@dataclass
class Schedule:
    first: float = 0.1
    decay: float = 0.9
    power: float = 2.0


def of_floats(x, w, schedule: Schedule):
    for _ in range(20):
        slopes = jax.grad(loss_of)(w, x)  # want: unjitted-update
        w = w - schedule.first * schedule.decay * slopes
        w = 0.9 * w
    return w


def of_given(x, w, schedule: Schedule):
    for _ in range(20):
        slopes = jax.grad(loss_of)(w, x)  # want: unjitted-update
        w = w - 0.1 / (1 + schedule.power) ** 6 * slopes
        w = 0.9 * w
    return w


if __name__ == "__main__":
    x, w = jnp.ones((4, 3)), jnp.zeros(3)
    raised(x, w, 20)
    multiplied(x, w, 20)
    passed_on(x, w, 20)
    differentiated(x, w, 20)
    in_part(x, w, 20)
    by_lambda(x, w, 20)
    in_pairs(x, w, 20)
    in_floats(x, w, 20)
    entry(x, w, 20)
    entry_bound_there(x, w, 20)
    float_entry(x, 20)
    picked(x, w, [1, 2, 3])
    print(Config(0.1))
    of_another_class(x, w, Other(100_000, 100_000))
    of_floats(x, w, Schedule())
    of_given(x, w, Schedule(power=1_000_000))
