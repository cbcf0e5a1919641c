"""A board that is printed cell by cell."""

import jax
import jax.numpy as jnp


def shown(cells):
    text = ""
    for row in range(cells.shape[0]):
        text += "".join("x" if cells[row, i] == 1 else "." for i in range(cells.shape[1]))
    return text


def main():
    board = jax.random.normal(jax.random.key(0), (12, 12))
    for number in range(60):
        board = jnp.roll(board, 1, axis=0)
        print(f"step {number}: {shown(jnp.where(board > 0, 1, 0))}")


if __name__ == "__main__":
    main()
