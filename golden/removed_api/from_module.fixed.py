"""Names of a module that is gone, and nothing else of jax."""

from jax.example_libraries.optimizers import adam, sgd

print(len(adam(1e-3)), len(sgd(1e-3)))
