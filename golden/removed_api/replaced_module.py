"""A module in whose place an object is: its import goes, in each form."""

import jax.config  # want: removed-api
import jax.config as settings  # want: removed-api
from jax.config import config  # want: removed-api


def main():
    import jax.config as own  # want: removed-api

    config.update("jax_enable_x64", False)
    jax.config.config.update("jax_debug_nans", False)
    settings.config.update("jax_debug_infs", False)
    jax.config.update("jax_disable_jit", False)
    return own.config.jax_enable_x64
