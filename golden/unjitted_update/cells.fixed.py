"""A script in cells: what is new is in the cell of the loop that calls it."""
import jax
import jax.numpy as jnp

X = jnp.ones((64, 4))
y = X @ jnp.arange(4.0)
w, b = jnp.zeros(4), jnp.zeros(())
# %% gradient descent


@jax.jit
def advance(w, b, X, y):
    error = X @ w + b - y
    w = w - 0.1 * X.T @ error / len(y)
    b = b - 0.1 * error.mean()
    return w, b


# Both parts at once.
for step in range(30):
    w, b = advance(w, b, X, y)
    print(step)
# %% results
print(w, b)
