"""The key checker of jax, which sees typed keys alone: raw ones become typed, and draw the same numbers."""

import sys


def check_keys() -> None:
    """Has jax raise where a random key is used twice."""
    jax = sys.modules["jax"]
    jax.random.PRNGKey = jax.random.key
    jax.config.update("jax_debug_key_reuse", True)
