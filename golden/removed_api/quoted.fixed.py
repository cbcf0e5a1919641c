"""Types in quotes: names that are gone are replaced, in what only readers of types read."""

from typing import TYPE_CHECKING, Annotated, Callable, Dict, List, Literal, Optional, TypeVar, Union, cast

import jax
import jax.numpy as jnp
import typing
from jax import Array as KeyArray

if TYPE_CHECKING:
    from jax.experimental import maps
    from jax.interpreters import xla

Params = Dict[str, "jax.Array"]
T = TypeVar("T", bound="jax.Array")
S = typing.TypeVar("S", "jax.Array", "np.ndarray")


def doubled(x: "jax.Array", key: "KeyArray", name: str = "jnp.DeviceArray") -> "Optional[jax.Array]":
    """Of a `jnp.DeviceArray`."""
    return 2 * x


def whole(x: Union["jax.Array", "jax.Array"], y: "jax.Array | None", *rest: 'jax.Array') -> None:
    first: "List[Callable[[jax.Array], jax.Array]]" = []
    print("jnp.DeviceArray", first, cast("jax.Array", x), typing.cast("jnp.ndarray", y))


def told(x: Literal["jnp.DeviceArray"], y: Annotated["jax.Array", "jnp.DeviceArray"]) -> "Literal['jnp.DeviceArray']":
    return {"jnp.DeviceArray": x}["jnp.DeviceArray"]


class Kept:
    mesh: "jax.sharding.Mesh"
    array: """jax.Array"""
    escaped: "jnp.Device\x41rray"
    raw: r"jnp.DeviceArray"
    parts: "jnp." "DeviceArray"
    state: "jax.example_libraries.optimizers.OptimizerState"
    shape: "Float[Array, 'jnp.DeviceArray']"


def shadowed(jnp):
    def inner(x: "jnp.DeviceArray"):
        return x

    return inner
