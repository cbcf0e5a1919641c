"""A module in whose place an object is: its import goes, in each form."""

import jax
from jax import config


def main():

    config.update("jax_enable_x64", False)
    jax.config.update("jax_debug_nans", False)
    jax.config.update("jax_debug_infs", False)
    jax.config.update("jax_disable_jit", False)
    return jax.config.jax_enable_x64
