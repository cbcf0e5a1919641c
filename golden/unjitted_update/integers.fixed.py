"""Python integers that a step would multiply or raise: a traced one has a fixed width."""

import functools
from dataclasses import dataclass

import jax
import jax.numpy as jnp


def loss_of(w, x):
    return jnp.mean((x @ w - 1.0) ** 2)


grad_loss_of = jax.jit(jax.grad(loss_of))


def raised(x, w, steps):
    speed = jnp.zeros(3)
    for step in range(steps):
        slopes = grad_loss_of(w, x)
        speed = 0.9 * speed + slopes
        w = w - 0.1 / (step + 1) ** 3 * speed
    return w


grad_loss_of_2 = jax.jit(jax.grad(loss_of))


def multiplied(x, w, steps):
    speed = jnp.zeros(3)
    for step, rows in enumerate([x] * steps):
        slopes = grad_loss_of_2(w, rows)
        speed = 0.9 * speed + slopes
        w = w - 2.0 / ((step + 1) * (step + 2)) * speed
    return w


def decay(step):
    return 0.1 / (step + 1) ** 3


@jax.jit
def passed_on_step(speed, w, x):
    slopes = jax.grad(loss_of)(w, x)
    return 0.9 * speed + slopes


def passed_on(x, w, steps):
    speed = jnp.zeros(3)
    for step in range(steps):
        speed = passed_on_step(speed, w, x)
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
        loss, slopes = gradient(w, x, step)
        speed = 0.9 * speed + slopes
        w = w - 0.1 * speed
    return w


def in_part(x, w, steps):
    speed = jnp.zeros(3)
    for step in range(steps):
        slopes = jax.grad(functools.partial(weighted, step=step))(w, x)
        speed = 0.9 * speed + slopes
        w = w - 0.1 * speed
    return w


grad_loss_of_3 = jax.jit(jax.grad(loss_of))


def by_lambda(x, w, steps):
    speed = jnp.zeros(3)
    rate = lambda number: 0.1 / (number + 1) ** 3
    for step in range(steps):
        slopes = grad_loss_of_3(w, x)
        speed = 0.9 * speed + slopes
        w = w - rate(number=step) * speed
    return w


@jax.jit
def in_pairs_step(speed, w, x):
    slopes = jax.grad(loss_of)(w, x)
    return 0.9 * speed + slopes


def in_pairs(x, w, steps):
    speed = jnp.zeros(3)
    for step in range(steps):
        speed = in_pairs_step(speed, w, x)
        one, other = step + 1, abs(step)
        w = w - 0.1 / pow(step + 1, 3) * speed
        w = w - 0.1 / (1 + one * other) * speed
    return w


@jax.jit
def in_floats_step(w, speed, x, step):
    slopes = jax.grad(loss_of)(w, x)
    speed = 0.9 * speed + slopes
    w = w - 0.1 / (1 + step) * speed / (1 - 0.9 ** (step + 1))
    w = w - 0.1 * (step + 1) * speed
    return w, speed


# What is float, or divided, does not wrap.
def in_floats(x, w, steps):
    speed = jnp.zeros(3)
    for step in range(steps):
        w, speed = in_floats_step(w, speed, x, step)
    return w


grad_loss_of_4 = jax.jit(jax.grad(loss_of))


def entry(x, w, steps):
    state = {"w": w, "speed": jnp.zeros(3), "t": 0}
    for _ in range(steps):
        slopes = grad_loss_of_4(state["w"], x)
        state["t"] = state["t"] + 1
        state["speed"] = 0.9 * state["speed"] + slopes
        state["w"] = state["w"] - 0.1 / state["t"] ** 6 * state["speed"]
    return state


grad_loss_of_5 = jax.jit(jax.grad(loss_of))


def entry_bound_there(x, w, steps):
    state = {"w": w, "t": 0}
    for step in range(steps):
        slopes = grad_loss_of_5(state["w"], x)
        state["t"] = step + 1
        state["t"] += 1
        state["w"] = state["w"] - 0.1 / state["t"] ** 3 * slopes
    return state


@jax.jit
def float_entry_step(state_w, x, state_rate):
    slopes = jax.grad(loss_of)(state_w, x)
    return state_w - state_rate * state_rate * slopes


def float_entry(x, steps):
    state = {"w": jnp.zeros(3), "rate": 0.1}
    for _ in range(steps):
        state["rate"] = 0.9 * state["rate"]
        state["w"] = float_entry_step(state["w"], x, state["rate"])
    return state


grad_loss_of_6 = jax.jit(jax.grad(loss_of))


def picked(x, w, orders):
    for number in range(len(orders)):
        slopes = grad_loss_of_6(w, x)
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


grad_loss_of_7 = jax.jit(jax.grad(loss_of))


def of_another_class(x, w, other):
    for _ in range(20):
        slopes = grad_loss_of_7(w, x)
        w = w - 1e4 / (other.rate * other.scale) * slopes
        w = 0.9 * w
    return w


@dataclass
class Schedule:
    first: float = 0.1
    decay: float = 0.9
    power: float = 2.0


@jax.jit
def of_floats_step(w, x, first, decay):
    slopes = jax.grad(loss_of)(w, x)
    w = w - first * decay * slopes
    return 0.9 * w


def of_floats(x, w, schedule: Schedule):
    for _ in range(20):
        w = of_floats_step(w, x, schedule.first, schedule.decay)
    return w


grad_loss_of_8 = jax.jit(jax.grad(loss_of))


def of_given(x, w, schedule: Schedule):
    for _ in range(20):
        slopes = grad_loss_of_8(w, x)
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
