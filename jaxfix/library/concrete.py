"""What asks for the values of arrays, which a trace does not know, and what takes numbers that it does: by name."""

import ast
from collections.abc import Iterator

STATIC_ATTRIBUTES = frozenset({"shape", "dtype", "ndim", "size", "weak_type", "aval"})
"""What a trace knows of an array."""
CONCRETE_ATTRIBUTES = frozenset(
    {
        *("item", "tolist", "tobytes", "block_until_ready", "numpy", "device", "devices", "is_deleted", "delete"),
        *("copy_to_host_async", "addressable_data", "addressable_shards", "unsafe_buffer_pointer", "sharding"),
    }
)
"""What it does not, or what arrays under a trace do not have."""
NUMBER_TAKERS = frozenset(
    {
        *("range", "int", "float", "bool", "complex", "round", "str", "repr", "format", "hash", "sorted", "any", "all"),
        *("min", "max", "chr", "divmod", "slice", "print", "id", "bytes"),
    }
)
"""Builtins that want values."""
HOSTS = ("numpy", "scipy", "pandas", "torch", "tensorflow", "wandb", "tqdm", "matplotlib")
"""Libraries whose functions want values."""
_SHAPES = {
    **dict.fromkeys(("ones", "zeros", "empty", "eye", "identity", "tri", "arange"), slice(0, None)),
    **dict.fromkeys(
        ("one_hot", "normal", "uniform", "split", "randint", "broadcast_to", "reshape", "tile"), slice(1, None)
    ),
    "full": slice(0, 1),
    "linspace": slice(2, None),
}
"""Functions of JAX that take a shape or a number of elements, and the positions of what says it."""
_STATIC_KEYWORDS = frozenset({"axis", "axes", "shape", "dtype", "num", "length", "num_classes", "has_aux", "argnums"})
WAITERS = frozenset({"jax.device_get", "jax.block_until_ready", "jax.experimental.io_callback"})
"""Functions of JAX that wait for values."""
_FUNCTION_TAKERS = frozenset(
    {"grad", "value_and_grad", "vmap", "jit", "jvp", "vjp", "hessian", "jacfwd", "jacrev", "checkpoint"}
)


def shapes(call: ast.Call, last: str) -> Iterator[ast.expr]:
    """What `call`, of a function of JAX with that last name, makes a shape or a type of."""
    yield from call.args[_SHAPES[last]] if last in _SHAPES else ()
    yield from (keyword.value for keyword in call.keywords if keyword.arg in _STATIC_KEYWORDS)


def takes_function(qualname: str) -> bool:
    """Whether the first argument of a transformation of that name is a function."""
    return qualname.rpartition(".")[2].removeprefix("filter_") in _FUNCTION_TAKERS
