"""The functions of JAX, and of libraries around it, that decide where code runs. Canonical names."""

import builtins
from collections.abc import Mapping

JITS = frozenset(
    {
        "jax.jit",
        "jax.pmap",
        "jax.experimental.pjit.pjit",
        "jax.experimental.pjit",
        "jax.shard_map",
        "jax.experimental.shard_map.shard_map",
        "jax.make_jaxpr",
        "jax.eval_shape",
        "jax.checkpoint",
        "jax.remat",
        "jax.export.export",
        "equinox.filter_jit",
        "equinox.filter_pmap",
        "equinox.filter_eval_shape",
        "flax.nnx.jit",
        "flax.linen.jit",
        "haiku.jit",
        "chex.chexify",
    }
)
"""Transformations whose function only ever runs under a trace."""

DERIVATIVES = frozenset(
    {
        "jax.grad",
        "jax.value_and_grad",
        "jax.jvp",
        "jax.vjp",
        "jax.linearize",
        "jax.hessian",
        "jax.jacobian",
        "jax.jacfwd",
        "jax.jacrev",
        "equinox.filter_grad",
        "equinox.filter_value_and_grad",
        "equinox.filter_jvp",
        "equinox.filter_vjp",
        "flax.nnx.grad",
        "flax.nnx.value_and_grad",
    }
)
"""Transformations under which control flow is traced again at every eager call, whatever its functions are."""

CONTROL_FLOW: Mapping[str, tuple[int, ...]] = {
    "jax.lax.scan": (0,),
    "jax.lax.while_loop": (0, 1),
    "jax.lax.fori_loop": (2,),
    "jax.lax.cond": (1, 2),
    "jax.lax.switch": (1,),
    "jax.lax.map": (0,),
}
"""Primitives that compile their function arguments when called eagerly, and the positions of these."""

CONTROL_FLOW_KEYWORDS: Mapping[str, tuple[str, ...]] = {
    "jax.lax.scan": ("f",),
    "jax.lax.while_loop": ("cond_fun", "body_fun"),
    "jax.lax.fori_loop": ("body_fun",),
    "jax.lax.cond": ("true_fun", "false_fun"),
    "jax.lax.switch": ("branches",),
    "jax.lax.map": ("f",),
}
"""The same arguments by name."""

PURE_MODULES = ("jax", "jax.numpy", "jax.lax", "jax.nn", "jax.scipy", "jax.tree", "jax.tree_util", "math")
"""Modules whose functions give equal results for equal arguments, whenever they are traced."""

IMPURE_PREFIXES = ("numpy.random", "random", "time", "os", "uuid", "datetime", "secrets", "logging", "sys", "io")
"""Modules that read or change the world: a trace freezes what they say."""

WORLD_READERS = frozenset(
    {
        *(f"{np}.{name}" for np in ("numpy", "jax.numpy") for name in ("load", "loadtxt", "genfromtxt", "fromfile")),
        *("numpy.memmap", "numpy.get_printoptions", "numpy.geterr", "numpy.geterrcall"),
    }
)
"""Functions of the array modules that read files or settings: other than the rest, they can answer differently."""

PURE_BUILTINS = frozenset(
    {
        *("abs", "all", "any", "bool", "complex", "dict", "divmod", "enumerate", "float", "frozenset", "int"),
        *("isinstance", "issubclass", "len", "list", "map", "max", "min", "pow", "range", "reversed", "round"),
        *("set", "slice", "sorted", "str", "sum", "tuple", "type", "zip", "True", "False", "None", "Ellipsis"),
        *(name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, Exception)),
    }
)
"""Builtins that a traced function may call without a trace at another time telling the difference."""

PURE_DECORATORS = frozenset(
    {
        *("staticmethod", "classmethod", "property", "dataclasses.dataclass", "contextlib.contextmanager"),
        *("chex.dataclass", "flax.struct.dataclass", "abc.abstractmethod", "enum.unique"),
    }
)
"""Decorators, beside those of JAX and `functools`, that add nothing which changes between calls."""

PURE_BASES = frozenset(
    {
        *("object", "tuple", "Exception", "ValueError", "TypeError", "abc.ABC", "abc.ABCMeta"),
        *("enum.Enum", "enum.IntEnum", "enum.StrEnum", "enum.Flag", "enum.IntFlag"),
    }
)
"""Bases of classes, beside those of JAX and `typing`, whose objects do the same at every trace."""


def is_retrace(qualname: str, helpers: str | None) -> bool:
    """Whether it is the generated helper that runs a function without compiling it anew; `helpers` is its module."""
    return qualname.split(".")[-2:] == ["jaxfix_helpers", "retrace"] or qualname == f"{helpers}.retrace"
