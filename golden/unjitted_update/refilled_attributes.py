# Arrays of NumPy that an object holds, and that are filled again while a step may still read them.
import jax
import jax.numpy as jnp
import numpy as np


class Ring:
    def __init__(self):
        self.rows = np.zeros((8, 64), np.float32)

    def push(self, number, row):
        self.rows[number % 8] = row

    def score(self):
        return jnp.sum(jnp.tanh(self.rows) ** 2) - jnp.mean(jnp.cos(self.rows))


class Summed:
    def __init__(self):
        self.rows = np.zeros((8, 64), np.float32)
        self.out = jnp.zeros(())

    def push(self, number, row):
        self.rows[number % 8] = row

    def add(self):
        hidden = jnp.tanh(self.rows) ** 2
        other = jnp.cos(self.rows) * jnp.sin(hidden)
        self.out = self.out + jnp.sum(hidden) - jnp.mean(other)


# Nothing fills it.
class Fixed:
    def __init__(self):
        self.table = np.ones((8, 64), np.float32)

    def score(self, rate):
        return jnp.sum(jnp.tanh(self.table * rate) ** 2) - jnp.mean(jnp.cos(self.table))


# It is given an array that its caller fills.
class Given:
    def __init__(self, rows):
        self.rows = rows

    def score(self):
        return jnp.sum(jnp.tanh(self.rows) ** 2) - jnp.mean(jnp.cos(self.rows))


def main():
    ring, total = Ring(), jnp.zeros(())
    buffer = np.zeros((8, 64), np.float32)
    other = Given(buffer)
    for number in range(200):
        ring.push(number, np.full(64, number, np.float32))
        total = total + ring.score()
        buffer[number % 8] = number
        total = total + other.score()
    summed, fixed = Summed(), Fixed()
    for number in range(200):
        summed.push(number, np.full(64, number, np.float32))
        summed.add()  # want: unjitted-update (no fix)
        total = total + fixed.score(0.1 * number)  # want: unjitted-update
    print(total, summed.out)


main()
