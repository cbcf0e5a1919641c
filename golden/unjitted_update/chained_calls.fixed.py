"""A model that is made and fitted in one expression: its methods run as those of an object with a name."""

import jax
import jax.numpy as jnp


@jax.jit
def _assign(points, means):
    away = ((points[:, None] - means) ** 2).sum(axis=-1)
    return jax.nn.softmax(-away, axis=1)


class Clusters:
    def __init__(self, count, rounds=30):
        self.count, self.rounds = count, rounds

    def fit(self, points):
        self.means = points[: self.count]
        for _ in range(self.rounds):
            shares = self.assign(points)
            self.move(points, shares)
        return self

    def assign(self, points):
        return _assign(points, self.means)

    def move(self, points, shares):
        total = shares.sum(axis=0)
        self.means = (shares.T @ points) / total[:, None]


points = jnp.concatenate([jnp.linspace(-4.0, -2.0, 20), jnp.linspace(1.0, 3.0, 30)]).reshape(-1, 2)
print(Clusters(3).fit(points).means)
