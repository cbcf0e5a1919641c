# The entries of an array, unpacked, are arrays: each is a program, and so is what is computed of them.
import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def _step(state, torque):
    angle, spin = state
    spin = spin + 0.05 * (torque - jnp.sin(angle))
    angle = angle + 0.05 * spin
    return jnp.array([angle, spin])


@jax.jit
def _energy(state):
    angle, spin = state
    return 0.5 * spin**2 + 1.0 - jnp.cos(angle)


class Pendulum:
    def __init__(self):
        self.state = jnp.array([0.1, 0.0])
        self.torque = 0.0

    def step(self, torque):
        self.state = _step(self.state, torque)

    def energy(self):
        return _energy(self.state)


class Listed:
    def __init__(self):
        self.state = [0.1, 0.0]

    def step(self, torque):
        angle, spin = self.state
        spin = spin + 0.05 * (torque - np.sin(angle))
        angle = angle + 0.05 * spin
        self.state = [angle, spin]


def slope(point, rate):
    x, y, z = point
    return jnp.stack([10.0 * (y - x), x * (rate - z) - y, x * y - 2.6 * z])


@jax.jit
def flow_step(point, rate):
    return point + 0.01 * slope(point, rate)


def flow(point, rates):
    seen = []
    for rate in rates:
        for _ in range(50):
            point = flow_step(point, rate)
        seen.append(point)
    return seen


@jax.jit
def walk_step(key, place):
    key, own = jax.random.split(key)
    x, y = place
    dx, dy = jax.random.normal(own, (2,))
    place = jnp.array([jnp.clip(x + dx, -1, 1), jnp.clip(y + dy, -1, 1)])
    return key, place


def walk(key, steps):
    place = jnp.zeros(2)
    for _ in range(steps):
        key, place = walk_step(key, place)
    return place


# It prints what it unpacks.
def shown(point, steps):
    for _ in range(steps):
        x, y = point
        print(x, y)
        point = 0.5 * point
    return point


def main():
    pendulum, listed, total = Pendulum(), Listed(), 0.0
    for number in range(200):
        pendulum.step(0.1 * (number % 3))
        listed.step(0.1)
        total += float(pendulum.energy())
    print(total, listed.state, pendulum.state)
    print(flow(jnp.ones(3), [20.0, 28.0])[-1], walk(jax.random.key(0), 40), shown(jnp.ones(2), 10))


main()
