"""A file that takes everything from `jax` by name mentions `jax` nowhere else."""

from jax import grad, jit, numpy as jnp, random, vmap


def predict(params, row):
    w, b = params
    return jnp.tanh(row @ w) + b


batched = jit(vmap(predict, in_axes=(None, 0)))


def loss(params, x, y):
    return jnp.mean((batched(params, x) - y) ** 2)


@jit
def update(params, x, y, rate):
    gradients = grad(loss)(params, x, y)
    return [p - rate * g for p, g in zip(params, gradients)]


params = [random.normal(random.PRNGKey(0), (4, 2)), jnp.zeros(2)]
x = random.normal(random.PRNGKey(1), (64, 4))
y = random.normal(random.PRNGKey(2), (64, 2))
for _ in range(100):
    params = update(params, x, y, 0.1)
print(loss(params, x, y))
