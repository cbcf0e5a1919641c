"""Names of a module that is gone, and nothing else of jax."""

from jax.experimental.optimizers import adam, sgd  # want: removed-api  # want: removed-api

print(len(adam(1e-3)), len(sgd(1e-3)))
