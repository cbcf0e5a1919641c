"""Objects that a loop creates, one after the other: a static argument would keep each alive."""

import jax
import jax.numpy as jnp


class Relaxation:
    def __init__(self):
        self.steps = 100

    def energy(self, x):
        return jnp.sum(jnp.tanh(x) ** 2)

    def advance(self, x):
        return x - 0.1 * jax.grad(self.energy)(x)

    def run(self, x):
        for _ in range(self.steps):
            g = jax.grad(self.energy)(self.advance(x))  # want: unjitted-update (no fix): creates objects  # want: unjitted-update (no fix): creates objects
            x = x - 0.1 * g / (1.0 + jnp.linalg.norm(g))
        return x


def main():
    out = []
    for seed in range(10):
        out.append(Relaxation().run(jnp.ones(3) * seed))
    return out


if __name__ == "__main__":
    print(main())
