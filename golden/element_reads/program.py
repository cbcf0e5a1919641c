"""A board that is printed cell by cell, and the numbers of its rows."""

import jax
import jax.numpy as jnp


def shown(board):
    cells = jnp.where(board > 0, 1, 0)
    for row in range(cells.shape[0]):
        print("".join("x" if cells[row, i] == 1 else "." for i in range(cells.shape[1])))  # want: element-reads


def main():
    board = jax.random.normal(jax.random.key(0), (12, 12))
    for _ in range(3):
        board = jnp.roll(board, 1, axis=0)
        shown(board)
        print([round(float(v), 3) for v in jnp.sum(board, axis=1)])  # want: element-reads


if __name__ == "__main__":
    main()
