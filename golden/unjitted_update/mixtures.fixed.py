"""A mixture fitted by hand, by methods of its object and by statements: densities, sums of what a step made."""

import jax
import jax.numpy as jnp
from jax.scipy.stats import norm


@jax.jit
def _expect(weights, points, means, spreads):
    density = weights * norm.pdf(points[:, None], means, spreads)
    return density / density.sum(axis=1, keepdims=True)


@jax.jit
def _maximize(shares, points):
    total = shares.sum(axis=0)
    weights = total / points.shape[0]
    means = (shares * points[:, None]).sum(axis=0) / total
    spreads = jnp.sqrt((shares * (points[:, None] - means) ** 2).sum(axis=0) / total)
    return weights, means, spreads


class Mixture:
    def __init__(self, parts, points):
        self.weights = jnp.ones(parts) / parts
        self.means = points[:parts]
        self.spreads = jnp.ones(parts)
        self.shares = jnp.ones((points.shape[0], parts)) / parts

    def expect(self, points):
        self.shares = _expect(self.weights, points, self.means, self.spreads)

    def maximize(self, points):
        self.weights, self.means, self.spreads = _maximize(self.shares, points)


def fit(points):
    mixture = Mixture(2, points)
    for _ in range(30):
        mixture.expect(points)
        mixture.maximize(points)
    return mixture


points = jnp.concatenate([jnp.linspace(-4.0, -2.0, 20), jnp.linspace(1.0, 3.0, 30)])
print(fit(points).means.shape)

means = jnp.array([-1.0, 1.0])
spreads = jnp.ones(2)
weights = jnp.ones(2) / 2


@jax.jit
def advance(weights, means, spreads, points):
    density = weights * norm.pdf(points[:, None], means, spreads)
    shares = density / density.sum(axis=1, keepdims=True)
    total = shares.sum(axis=0)
    means = (shares * points[:, None]).sum(axis=0) / total
    spreads = jnp.sqrt((shares * (points[:, None] - means) ** 2).sum(axis=0) / total)
    weights = total / points.shape[0]
    return weights, means, spreads


for _ in range(40):
    weights, means, spreads = advance(weights, means, spreads, points)
print(means.shape, spreads.shape, weights.shape)
