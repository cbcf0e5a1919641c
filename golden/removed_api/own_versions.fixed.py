"""Tests of what is not the version of a library: formats of files, attributes that an object of the project gets."""

import enum

import jax
import jax.numpy as jnp
from packaging.version import Version as Parsed


class Version(enum.Enum):
    UNKNOWN = 0
    V1 = 1


class Model:
    def __init__(self, kinds):
        self.kinds = kinds

    @property
    def function(self):
        if not hasattr(self, "_function"):
            self._function = lambda tree: jax.tree.map(jnp.tanh, tree)
        return self._function

    def leaves(self, tree):
        if hasattr(jax, "tree_leaves"):
            return jax.tree_leaves(tree)
        return jax.tree.leaves(tree)

    def buffer(self, x):
        if hasattr(x, "addressable_shards"):
            return x.addressable_data(0)
        return jnp.asarray(jax.tree_leaves(x)[0]).device_buffer


def restore(index, target):
    version = index.get("version", Version.UNKNOWN)
    if version == Version.UNKNOWN and jax.tree.structure(index) != jax.tree.structure(target):
        raise ValueError(f"a file of version {version}")
    if version is Version.V1:
        return jax.tree.map(jnp.asarray, index)
    return index


def by_library(tree):
    installed = Parsed(jax.__version__)
    is_old = installed < Parsed("0.4.26")
    if is_old:
        return jax.tree_map(jnp.tanh, tree)
    return jax.tree.map(jnp.tanh, tree)
