"""Flags of a project that `jax.config` held once; those of jax are there still."""

from jax import config as jax_config
from jax import config

jax_config.define_enum_state("own_mode", ["a", "b"], "a", "one of the project")
config.DEFINE_integer("own_number", 1, "another one")
jax_config.update("jax_enable_x64", True)
config.parse_flags_with_absl()
