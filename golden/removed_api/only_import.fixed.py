from jax.extend import backend

print(backend.get_backend().platform)
