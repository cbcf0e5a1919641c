"""Types in quotes: names that are gone are replaced, in what only readers of types read."""

from typing import TYPE_CHECKING, Annotated, Callable, Dict, List, Literal, Optional, TypeVar, Union, cast

import jax
import jax.numpy as jnp
import typing
from jax.random import KeyArray  # want: removed-api

if TYPE_CHECKING:
    from jax.experimental import maps  # want: removed-api (no fix): places arrays
    from jax.interpreters import xla

Params = Dict[str, "jnp.DeviceArray"]  # want: removed-api
T = TypeVar("T", bound="jnp.DeviceArray")  # want: removed-api
S = typing.TypeVar("S", "jnp.DeviceArray", "np.ndarray")  # want: removed-api


def doubled(x: "jnp.DeviceArray", key: "KeyArray", name: str = "jnp.DeviceArray") -> "Optional[jnp.DeviceArray]":  # want: removed-api  # want: removed-api
    """Of a `jnp.DeviceArray`."""
    return 2 * x


def whole(x: Union["jnp.DeviceArray", "jax.Array"], y: "xla.DeviceArray | None", *rest: 'jax.random.KeyArray') -> None:  # want: removed-api  # want: removed-api  # want: removed-api
    first: "List[Callable[[jnp.DeviceArray], jnp.DeviceArray]]" = []  # want: removed-api
    print("jnp.DeviceArray", first, cast("jnp.DeviceArray", x), typing.cast("jnp.ndarray", y))  # want: removed-api


def told(x: Literal["jnp.DeviceArray"], y: Annotated["jnp.DeviceArray", "jnp.DeviceArray"]) -> "Literal['jnp.DeviceArray']":  # want: removed-api
    return {"jnp.DeviceArray": x}["jnp.DeviceArray"]


class Kept:
    mesh: "maps.Mesh"  # want: removed-api
    array: """jnp.DeviceArray"""  # want: removed-api
    escaped: "jnp.Device\x41rray"  # want: removed-api (no fix): plain
    raw: r"jnp.DeviceArray"  # want: removed-api (no fix): plain
    parts: "jnp." "DeviceArray"  # want: removed-api (no fix): plain
    state: "jax.example_libraries.optimizers.OptimizerState"
    shape: "Float[Array, 'jnp.DeviceArray']"


def shadowed(jnp):
    def inner(x: "jnp.DeviceArray"):
        return x

    return inner
