# The entries of an array, unpacked, are arrays: each is a program, and so is what is computed of them.
import jax
import jax.numpy as jnp
import numpy as np


class Pendulum:
    def __init__(self):
        self.state = jnp.array([0.1, 0.0])
        self.torque = 0.0

    def step(self, torque):
        angle, spin = self.state
        spin = spin + 0.05 * (torque - jnp.sin(angle))
        angle = angle + 0.05 * spin
        self.state = jnp.array([angle, spin])

    def energy(self):
        angle, spin = self.state
        return 0.5 * spin**2 + 1.0 - jnp.cos(angle)


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


def flow(point, rates):
    seen = []
    for rate in rates:
        for _ in range(50):
            point = point + 0.01 * slope(point, rate)  # want: unjitted-update
        seen.append(point)
    return seen


def walk(key, steps):
    place = jnp.zeros(2)
    for _ in range(steps):
        key, own = jax.random.split(key)  # want: unjitted-update
        x, y = place
        dx, dy = jax.random.normal(own, (2,))
        place = jnp.array([jnp.clip(x + dx, -1, 1), jnp.clip(y + dy, -1, 1)])
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
        pendulum.step(0.1 * (number % 3))  # want: unjitted-update
        listed.step(0.1)
        total += float(pendulum.energy())  # want: unjitted-update
    print(total, listed.state, pendulum.state)
    print(flow(jnp.ones(3), [20.0, 28.0])[-1], walk(jax.random.key(0), 40), shown(jnp.ones(2), 10))


main()
