"""An array that a method makes longer at each call, and a `try` of the program around such a loop."""

import jax.numpy as jnp


class Buffer:
    def __init__(self):
        self.rows = jnp.zeros((0, 3))

    def add(self, row):
        self.rows = jnp.concatenate([self.rows, row[None]])  # want: growing-array (no fix): in a list, and join them where it is read

    def fill(self, rows):
        for row in rows:
            self.rows = jnp.vstack([self.rows, row])  # want: growing-array (no fix): `try` of line 23


if __name__ == "__main__":
    buffer = Buffer()
    for number in range(40):
        buffer.add(jnp.ones(3) * number)
    print(buffer.rows.sum())
    try:
        buffer.fill([jnp.ones(3)] * 9)
    except KeyboardInterrupt:
        print(buffer.rows.sum())
