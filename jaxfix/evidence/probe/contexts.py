"""The transformations that a caller may put around a function, and settings that it may be called under."""

import functools
import importlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from .jaxprs import inner
from .perturb import is_float
from .precision import double_precision, to_double
from .samples import array, is_array, is_key

Leaves = list[Any]
Call = Callable[[Leaves], Any]
Transform = tuple[str, Callable[[Call], Call]]
UNDER, JITTED = "under ", " and jit"
"""How the labels of calls begin that are made under a transformation or a setting, and end where that is jitted."""
AXIS = "batch"
_MOST_OPERATIONS = 2000


def transformed(leaves: Leaves) -> Iterator[Transform]:
    """Transformations of a call of these leaves, by label; what is one program before them is one after them."""
    yield f"{UNDER}jit", lambda call: lambda held: jitted(call, held)
    yield f"{UNDER}vmap", lambda call: lambda held: mapped(call, held)
    yield from derivatives(leaves)


def derivatives(leaves: Leaves) -> Iterator[Transform]:
    """Derivatives of a call of these leaves, by label; those that need not be jitted where they can."""
    jax = importlib.import_module("jax")
    for jit, words in ((jax.jit, JITTED), (_as_it_is, "")) if any(map(is_float, leaves)) else ():
        yield f"{UNDER}forward derivatives{words}", functools.partial(_derived, _forward, jit)
        yield f"{UNDER}reverse derivatives{words}", functools.partial(_derived, _reverse, jit)


def in_double(call: Call) -> Call:
    """The call with double precision enabled, and its floats in it."""

    def made(leaves: Leaves) -> Any:
        with double_precision():
            return call([to_double(leaf) for leaf in leaves])

    return made


def without_jit(call: Call) -> Call:
    """The call with `jit` disabled: bodies of loops see values, and a number that they return is not made an array."""
    jax = importlib.import_module("jax")

    def made(leaves: Leaves) -> Any:
        disabled: AbstractContextManager[None] = jax.disable_jit()
        with disabled:
            returned = call(leaves)
        return jax.tree_util.tree_map(lambda leaf: jax.numpy.asarray(leaf) if _is_number(leaf) else leaf, returned)

    return made


def without_promotion(call: Call) -> Call:
    """The call where jax promotes no dtypes but those of Python numbers."""
    return _set("numpy_dtype_promotion", "strict", call)


def without_rank_promotion(call: Call) -> Call:
    """The call where jax adds no axes in front by itself."""
    return _set("numpy_rank_promotion", "raise", call)


def with_other_draws(call: Call) -> Call:
    """The call with the other way to draw random numbers, of which one is the usual one from jax 0.5 on."""
    is_usual = importlib.import_module("jax").config.jax_threefry_partitionable
    return _set("threefry_partitionable", not is_usual, call)


def _set(setting: str, value: object, call: Call) -> Call:
    def made(leaves: Leaves) -> Any:
        with getattr(importlib.import_module("jax"), setting)(value):
            return call(leaves)

    return made


def _is_number(leaf: Any) -> bool:
    return isinstance(leaf, bool | int | float | complex) and not hasattr(leaf, "dtype")


class Operations(NamedTuple):
    """The operations of a call.

    Attributes:
      are_few: with those of loops as often as they run; not where nobody knows how often.
      have_rules: whether some have derivatives of their own.
    """

    are_few: bool
    have_rules: bool


def operations_of(program: Any) -> Operations:
    """The operations of a jaxpr."""
    return Operations(_count(program) <= _MOST_OPERATIONS, _has_rules(program))


def program_of(call: Call, leaves: Leaves) -> Any:
    """The jaxpr of a call of these leaves; None where it needs values."""
    jax = importlib.import_module("jax")
    places = [place for place, leaf in enumerate(leaves) if is_array(leaf)]
    run = _values_of(filled(call, leaves, places))
    try:
        return jax.make_jaxpr(run)(*(leaves[place] for place in places)).jaxpr
    except Exception:  # so do its loops, if it has any
        return None


def loops_freely(program: Any) -> bool:
    """Whether nobody knows how often its loops run."""
    return _count(program) == float("inf")


def draws(program: Any) -> bool:
    """Whether a jaxpr draws random numbers."""
    names = {equation.primitive.name for equation in program.eqns}
    inside = (part for equation in program.eqns for part in inner(equation))
    return any(name.startswith(("random_", "threefry")) for name in names) or any(map(draws, inside))


def precisions(program: Any) -> frozenset[str]:
    """The precisions that the products of a jaxpr ask for; a processor may not show which."""
    own = (equation.params["precision"] for equation in program.eqns if "precision" in equation.params)
    inside = (found for equation in program.eqns for part in inner(equation) for found in precisions(part))
    return frozenset({*map(str, own), *inside})


def filled(call: Call, leaves: Leaves, places: list[int]) -> Callable[..., Any]:
    """The call as a function of the leaves in these places."""

    def run(*given: Any) -> Any:
        mine = list(leaves)
        for place, value in zip(places, given, strict=True):
            mine[place] = value
        return call(mine)

    return run


def _count(program: Any) -> float:
    if any(equation.primitive.name == "while" for equation in program.eqns):
        return float("inf")  # nobody knows how often
    return sum(_repeats(equation) for equation in program.eqns)


def _repeats(equation: Any) -> float:
    within = sum(map(_count, inner(equation)))
    return 1 + within * int(equation.params.get("length", 1) or 1)


def _has_rules(program: Any) -> bool:
    if any(equation.primitive.name.startswith("custom_") for equation in program.eqns):
        return True
    return any(_has_rules(part) for equation in program.eqns for part in inner(equation))


def jitted(call: Call, leaves: Leaves) -> Any:
    """What the call returns under `jit` of the leaves that are arrays."""
    places = [place for place, leaf in enumerate(leaves) if is_array(leaf)]
    run = _values_of(filled(call, leaves, places))
    return importlib.import_module("jax").jit(run)(*(leaves[place] for place in places))


def _values_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, of whose results only values that jax can return are left; the others by their types."""
    jax = importlib.import_module("jax")

    def run(*given: Any) -> Any:
        return jax.tree_util.tree_map(lambda leaf: leaf if is_value(leaf) else None, function(*given))

    return run


def is_value(leaf: Any) -> bool:
    """Whether jax can return it."""
    return isinstance(leaf, bool | int | float | complex) or hasattr(leaf, "dtype")


def mapped(call: Call, leaves: Leaves) -> Any:
    """The call mapped over two versions of each array but keys, along an axis that has a name."""
    jax = importlib.import_module("jax")
    places = [place for place, leaf in enumerate(leaves) if is_array(leaf)]
    axes = [None if is_key(leaves[place]) else 0 for place in places]
    pairs = [_twice(leaves[place]) if axis == 0 else leaves[place] for place, axis in zip(places, axes, strict=True)]
    run = _values_of(filled(call, leaves, places))
    return jax.jit(jax.vmap(run, in_axes=tuple(axes), axis_name=AXIS))(*pairs)


def _twice(leaf: Any) -> Any:
    np = importlib.import_module("numpy")
    host = np.asarray(leaf)
    other = (host * host.dtype.type(0.5)) if is_float(leaf) else host
    return array(np.stack([host, other]), bool(getattr(leaf, "weak_type", False)))


def _as_it_is(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


def _derived(mode: Callable[..., Any], jit: Callable[..., Any], call: Call) -> Call:
    """The derivatives of the call by its floats, in that mode."""
    return functools.partial(_of_floats, mode, jit, call)


def _of_floats(mode: Callable[..., Any], jit: Callable[..., Any], call: Call, leaves: Leaves) -> Any:
    jax, np = importlib.import_module("jax"), importlib.import_module("numpy")
    places = [place for place, leaf in enumerate(leaves) if is_float(leaf) and not isinstance(leaf, float)]

    def run(*given: Any) -> list[Any]:
        returned = jax.tree_util.tree_leaves(filled(call, leaves, places)(*given))
        held = [jax.numpy.asarray(leaf) for leaf in returned if is_value(leaf)]
        if not held:
            raise ValueError("what returns nothing has no derivative")
        return [leaf for leaf in held if jax.numpy.issubdtype(leaf.dtype, np.floating)]

    return jit(functools.partial(mode, run))(*(leaves[place] for place in places))


def _forward(run: Callable[..., Any], *floats: Any) -> Any:
    jax, np = importlib.import_module("jax"), importlib.import_module("numpy")
    draw = np.random.default_rng(1).standard_normal
    directions = [jax.numpy.asarray(draw(np.shape(value)), jax.numpy.result_type(value)) for value in floats]
    return jax.jvp(run, floats, tuple(directions))


def _reverse(run: Callable[..., Any], *floats: Any) -> Any:
    jax, np = importlib.import_module("jax"), importlib.import_module("numpy")
    returned, pull = jax.vjp(run, *floats)
    draw = np.random.default_rng(0).standard_normal
    return returned, pull([jax.numpy.asarray(draw(leaf.shape), leaf.dtype) for leaf in returned])
