"""A mixture fitted by hand, by methods of its object and by statements: densities, sums of what a step made."""

import jax
import jax.numpy as jnp
from jax.scipy.stats import norm


class Mixture:
    def __init__(self, parts, points):
        self.weights = jnp.ones(parts) / parts
        self.means = points[:parts]
        self.spreads = jnp.ones(parts)
        self.shares = jnp.ones((points.shape[0], parts)) / parts

    def expect(self, points):
        density = self.weights * norm.pdf(points[:, None], self.means, self.spreads)
        self.shares = density / density.sum(axis=1, keepdims=True)

    def maximize(self, points):
        total = self.shares.sum(axis=0)
        self.weights = total / points.shape[0]
        self.means = (self.shares * points[:, None]).sum(axis=0) / total
        self.spreads = jnp.sqrt((self.shares * (points[:, None] - self.means) ** 2).sum(axis=0) / total)


def fit(points):
    mixture = Mixture(2, points)
    for _ in range(30):
        mixture.expect(points)  # want: unjitted-update
        mixture.maximize(points)  # want: unjitted-update
    return mixture


points = jnp.concatenate([jnp.linspace(-4.0, -2.0, 20), jnp.linspace(1.0, 3.0, 30)])
print(fit(points).means.shape)

means = jnp.array([-1.0, 1.0])
spreads = jnp.ones(2)
weights = jnp.ones(2) / 2
for _ in range(40):
    density = weights * norm.pdf(points[:, None], means, spreads)  # want: unjitted-update
    shares = density / density.sum(axis=1, keepdims=True)
    total = shares.sum(axis=0)
    means = (shares * points[:, None]).sum(axis=0) / total
    spreads = jnp.sqrt((shares * (points[:, None] - means) ** 2).sum(axis=0) / total)
    weights = total / points.shape[0]
print(means.shape, spreads.shape, weights.shape)
