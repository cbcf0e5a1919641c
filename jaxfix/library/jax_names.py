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
IMPURE_PREFIXES = (
    *("numpy.random", "random", "time", "os", "uuid", "datetime", "secrets", "logging", "sys", "io"),
    *("jax.config", "jax.distributed", "jax.monitoring"),
    *("numpy.lib.format", "numpy.lib.npyio", "numpy.DataSource", "numpy.fromregex", "numpy.ctypeslib"),
)
"""Modules that read or change the world: a trace freezes what they say."""
WORLD_READERS = frozenset(
    {
        *(f"{np}.{name}" for np in ("numpy", "jax.numpy") for name in ("load", "loadtxt", "genfromtxt", "fromfile")),
        *(f"{np}.{name}" for np in ("numpy", "jax.numpy") for name in ("save", "savez", "set_printoptions")),
        *("numpy.savetxt", "numpy.savez_compressed", "numpy.seterr", "numpy.seterrcall", "numpy.setbufsize"),
        *("numpy.memmap", "numpy.get_printoptions", "numpy.geterr", "numpy.geterrcall", "numpy.datetime64"),
        *("jax.live_arrays", "jax.clear_caches", "jax.clear_backends", "jax.print_environment_info"),
        *("jax.profiler.start_trace", "jax.profiler.stop_trace", "jax.profiler.save_device_memory_profile"),
        *("jax.tree_util.register_pytree_node", "jax.tree_util.register_pytree_with_keys"),
        *("jax.tree_util.register_pytree_node_class", "jax.tree_util.register_dataclass"),
    }
)
"""Functions of the array modules that use files, the clock or settings: other than the rest, they can answer
differently, or have an effect."""
KEYED_SETTINGS = frozenset({"jax.config.jax_enable_x64", "jax.config.x64_enabled"})
"""Settings of JAX that a program may read while it is traced: it is kept for each of their values."""
SETTING_READERS = frozenset(f"jax.random.{name}" for name in ("key", "PRNGKey", "gumbel", "categorical"))
"""Functions of JAX that read a setting which is no part of the key that programs are kept under."""
MUTABLE_RESULTS = frozenset(
    {
        *(f"jax.numpy.{name}" for name in ("split", "array_split", "hsplit", "vsplit", "dsplit", "meshgrid")),
        *(f"jax.numpy.{name}" for name in ("broadcast_arrays", "atleast_1d", "atleast_2d", "atleast_3d")),
        *("jax.lax.scan", "jax.lax.while_loop", "jax.lax.fori_loop", "jax.lax.cond", "jax.lax.switch", "jax.lax.map"),
    }
)
"""Functions of the modules below that may return a list or a dictionary."""
IMMUTABLE_RESULTS = ("jax.numpy.", "jax.random.", "jax.nn.", "jax.lax.", "jax.scipy.", "jax.sharding.")
"""Modules of JAX whose functions return what nobody can change, apart from the above."""
SHARING = frozenset({"jax.numpy.asarray", "jax.numpy.frombuffer", "jax.numpy.from_dlpack", "jax.dlpack.from_dlpack"})
"""Functions of JAX whose result may share the memory of what they are given."""
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
    return is_generated(qualname, "retrace", helpers)


def is_generated(qualname: str, name: str, helpers: str | None) -> bool:
    """Whether it is the generated helper of that name; `helpers` is its module."""
    return qualname.split(".")[-2:] == ["jaxfix_helpers", name] or qualname == f"{helpers}.{name}"
