"""What is asked of the library table: which functions do what."""

from collections.abc import Iterable, Mapping

from jaxfix.library import around, builtins, jax, jax_numpy, members, packages, standard
from jaxfix.library.facet import Facet
from jaxfix.library.facets import Transform
from jaxfix.library.function import Function

ROWS: tuple[Function, ...] = (
    *jax.FUNCTIONS,
    *jax_numpy.FUNCTIONS,
    *around.FUNCTIONS,
    *builtins.FUNCTIONS,
    *standard.FUNCTIONS,
    *members.FUNCTIONS,
    *packages.FUNCTIONS,
)


def _by_facet() -> dict[Facet, list[Function]]:
    found: dict[Facet, list[Function]] = {}
    for row in ROWS:
        for facet in row.facets:
            found.setdefault(facet, []).append(row)
    return found


_ROWS = _by_facet()


def rows(facet: Facet) -> tuple[Function, ...]:
    """What has the facet, in the order of the table."""
    return tuple(_ROWS.get(facet, ()))


def where(facet: Facet) -> frozenset[str]:
    """The canonical names that have the facet.

    Returns:
      names as `module.qualname` gives them; a builtin is there by its bare name.
    """
    return frozenset(row.name.removeprefix("builtins.") for row in _ROWS.get(facet, ()))


def short_names(facet: Facet, *owners: str) -> frozenset[str]:
    """The last parts of the names of what has the facet.

    Args:
      owners: packages or classes, such as `jax.numpy` and `builtins`; all of them where none is given.
    """
    split = (row.name.rpartition(".") for row in _ROWS.get(facet, ()))
    return frozenset(last for owner, _, last in split if not owners or owner in owners)


def members_of(owner: str) -> frozenset[str]:
    """The methods and attributes of a class that have a row."""
    split = (row.name.rpartition(".") for row in ROWS)
    return frozenset(last for package, _, last in split if package == owner)


def unfiltered(qualnames: Iterable[str]) -> frozenset[str]:
    """The last parts of names of transformations: `grad` of `jax.grad` and of `equinox.filter_grad`."""
    return frozenset(name.rpartition(".")[2].removeprefix("filter_") for name in qualnames)


def dtype_positions(facet: Facet) -> Mapping[str, int]:
    """By the last part of its name, where each function that has the facet takes a dtype."""
    return {row.name.rpartition(".")[2]: row.dtype_at for row in _ROWS[facet] if row.dtype_at is not None}


HOLDING: Mapping[str, Function] = {row.name: row for row in rows(Transform.HOLDS)}
"""What finds its programs by a function that it is given."""
CONTROL_FLOW: Mapping[str, Function] = {row.name: row for row in rows(Transform.CONTROL_FLOW)}
"""Primitives that compile their function arguments when called eagerly."""
