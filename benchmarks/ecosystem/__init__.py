"""jaxfix on pinned releases of JAX libraries: what it finds, what it rewrites, and what of that was looked at."""
