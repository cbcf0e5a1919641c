"""Tests of what is not the version of a library: formats of files, attributes that an object of the project gets."""

import enum

import jax
import jax.numpy as jnp
from packaging.version import Version as Parsed

from compat import CompatVersion


class Version(enum.Enum):
    UNKNOWN = 0
    V1 = 1


class Model:
    def __init__(self, kinds):
        self.kinds = kinds

    @property
    def function(self):
        if not hasattr(self, "_function"):
            self._function = lambda tree: jax.tree_map(jnp.tanh, tree)  # want: removed-api
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
    if version == Version.UNKNOWN and jax.tree_structure(index) != jax.tree_structure(target):  # want: removed-api  # want: removed-api
        raise ValueError(f"a file of version {version}")
    if version is Version.V1:
        return jax.tree_map(jnp.asarray, index)  # want: removed-api
    return index


def by_library(tree):
    installed = Parsed(jax.__version__)
    is_old = installed < Parsed("0.4.26")
    if is_old:
        return jax.tree_map(jnp.tanh, tree)
    return jax.tree.map(jnp.tanh, tree)


class Features:
    """Which spelling this jax has."""

    def __init__(self):
        if hasattr(jax, "tree_map"):
            self._is_old = True

    def run(self, tree):
        if hasattr(self, "_is_old"):
            return jax.tree_leaves(tree)
        return jax.tree.leaves(tree)

    def run_by_others(self, tree):
        if hasattr(self, "_given_elsewhere"):
            return jax.tree_leaves(tree)
        return jax.tree.leaves(tree)


features = Features()


def by_object(tree):
    return jax.tree_leaves(tree) if hasattr(features, "_is_old") else jax.tree.leaves(tree)


def by_parameter(tree, lib):
    if hasattr(lib, "tree"):
        return jax.tree.map(jnp.tanh, tree)
    return jax.tree_map(jnp.tanh, tree)


class JaxVersion:
    OLD = jax.__version_info__ < (0, 4, 26)

    def __init__(self, lib):
        self.old = not hasattr(lib, "tree")


class Parts:
    def __init__(self):
        self.info = jax.__version_info__

    def is_old(self):
        return self.info < (0, 4, 26)


parts = Parts()
IS_OLD = getattr(jax, "tree_map", None) is not None
has = hasattr


def is_old():
    return jax.__version_info__ < (0, 4, 26)


def by_classes(tree):
    if CompatVersion.is_old():
        tree = jax.tree_map(jnp.tanh, tree)
    if JaxVersion.OLD:
        tree = jax.tree_map(jnp.sin, tree)
    if JaxVersion(jax).old:
        tree = jax.tree_map(jnp.cos, tree)
    if parts.is_old():
        tree = jax.tree_map(jnp.tan, tree)
    return jax.tree.map(jnp.tanh, tree)


def by_others(tree):
    if IS_OLD:
        tree = jax.tree_map(jnp.tanh, tree)
    if "tree_map" in dir(jax):
        tree = jax.tree_map(jnp.sin, tree)
    if "tree_map" in jax.__dict__:
        tree = jax.tree_map(jnp.exp, tree)
    if has(jax, "tree_map"):
        tree = jax.tree_map(jnp.cos, tree)
    if is_old():
        tree = jax.tree_map(jnp.tan, tree)
    return jax.tree.map(jnp.tanh, tree)


class Flags:
    def __init__(self, flag=False):
        self._old, self._is_flag = not hasattr(jax, "tree"), flag

    def run(self, tree):
        if self._old:
            tree = jax.tree_map(jnp.tanh, tree)
        if self.asked():
            tree = jax.tree_map(jnp.sin, tree)
        if self.told:
            tree = jax.tree_map(jnp.cos, tree)
        if self._is_flag:
            tree = jax.tree_map(jnp.exp, tree)  # want: removed-api
        return jax.tree.map(jnp.tanh, tree)

    def asked(self):
        return not hasattr(jax, "tree")

    @property
    def told(self):
        return self.asked()


has_map = False
if hasattr(jax, "tree_map"):
    has_map = True
try:
    jax.tree_map
    has_it = True
except AttributeError:
    has_it = False


def by_flags(tree, flag=hasattr(jax, "tree_map")):
    if has_map:
        tree = jax.tree_map(jnp.tanh, tree)
    if has_it:
        tree = jax.tree_map(jnp.sin, tree)
    if flag:
        tree = jax.tree_map(jnp.cos, tree)
    given = None
    if given is None:
        given = jax.tree_map(jnp.exp, tree)  # want: removed-api
    return given
