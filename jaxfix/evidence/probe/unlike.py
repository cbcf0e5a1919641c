"""Arguments of the host on which a jitted step is not what the plain one is: errors, digits, and texts.

Outside of `jit` a Python number is divided by zero with an error, has as many digits as it needs, and NumPy computes in
double precision; as an argument of a jitted function it is an array of 32 bits. The program's own run does not show
that, and a step may be right without it: so it is tried, and the receipt says it.
"""

import importlib
import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from .contexts import loops_freely
from .digits import lost
from .razor import Call, Function, compared, copied, in_double, reordered, traced
from .samples import is_array
from .widths import first_wide

_MOST, _FEW = 8, 4
_SHIFT, _FACTOR, _LARGEST = 2**30, 10007, 2**31
"""By how much larger floats are made, how many times integers, and the first that 32 bits do not hold."""
_COUNT = 100
"""Stands for 0, with which counters of loops begin."""
_OF_NUMBERS = (ArithmeticError, LookupError)
NO_ERROR = " raises no "


def unlike(function: Function, jitted: Function, call: Call) -> list[str]:
    """On which other arguments of the host both differ, in words, some of each kind; nothing where that is unknown."""
    places = list(_numbers(jitted, call))
    larger = {at: _enlarged(call.leaves[at]) for at in places if type(call.leaves[at]) is int}
    order = reordered(function, call)
    texts = [*_wide(function, call, larger), *_texts(function, jitted, call), *([] if order is None else [order])]
    if _may_not_end(jitted, call):
        return texts
    return [*_undivided(function, jitted, call, places), *_large(function, jitted, call, places), *texts]


def unlike_here(function: Function, jitted: Function, call: Call) -> str | None:
    """How both differ in Python integers on the arguments of the call, in words: results may not show it."""
    own = {at: leaf for at, leaf in enumerate(call.leaves) if type(leaf) is int}
    if not own or first_wide(call.of(function), call.leaves, own) is None:
        return None
    return next(_wide(function, call, {at: own[at] for at in _numbers(jitted, call, own)}), None)


def unlike_later(function: Function, jitted: Function, call: Call, later: Mapping[int, Any]) -> str | None:
    """How both differ on what a longer run passes, in words; `later` has its numbers by their place."""
    places = [] if _may_not_end(jitted, call) else list(_numbers(jitted, call, later))
    names = _differing(function, jitted, call, {at: later[at] for at in places})
    if not names:
        whole = {at: later[at] for at in _numbers(jitted, call, later) if type(later[at]) is int}
        return next((f"numbers grow from call to call: {words}" for words in _wide(function, call, whole)), None)
    return f"numbers in {' and '.join(names)} grow from call to call: 32 bits lose Python's or NumPy's digits later"


def _numbers(jitted: Function, call: Call, among: Collection[int] | None = None) -> Iterator[int]:
    """The numbers of the host that become arrays: what is static takes no tracer."""
    jax = importlib.import_module("jax")
    numbers = [at for at, leaf in enumerate(call.leaves) if _is_number(leaf) and (among is None or at in among)]
    for place in numbers[:_MOST]:

        def of_one(value: Any, at: int = place) -> Any:
            return call.of(jitted)([*call.leaves[:at], value, *call.leaves[at + 1 :]])

        try:
            jax.make_jaxpr(of_one)(call.leaves[place])
        except Exception:  # whatever a static argument may not be
            continue
        yield place


def _may_not_end(jitted: Function, call: Call) -> bool:
    """Whether other numbers may decide how often something runs."""
    try:
        return loops_freely(traced(call.of(jitted), list(map(copied, call.leaves)))[0].jaxpr.jaxpr)
    except Exception:  # no trace says so
        return True


def _undivided(function: Function, jitted: Function, call: Call, places: list[int]) -> Iterator[str]:
    """Zero for each argument, and numbers that are equal, where Python alone raises."""
    given = dict.fromkeys(leaf for at in places if isinstance(leaf := call.leaves[at], int | float))
    for place, name in _single(function, call):
        others = [0, *given] if place in places else [0]
        for other in [number for number in others if number is not call.leaves[place]][:_FEW]:
            leaves = [*call.leaves[:place], other, *call.leaves[place + 1 :]]
            error = _raised(call.of(function), leaves)
            if isinstance(error, _OF_NUMBERS) and _raised(call.of(jitted), leaves) is None:
                yield f"`{name}` as {other}{NO_ERROR}{type(error).__name__}"
                break


def _single(function: Function, call: Call) -> list[tuple[int, str]]:
    """The arguments that are a number or an array, and the parameters that they belong to."""
    tree = importlib.import_module("jax").tree_util
    paths = [path for path, _ in tree.tree_flatten_with_path(call.holding(call.leaves))[0]]
    return [(at, _name(function, path)) for at, path in enumerate(paths) if len(path) == 2][:_MOST]


def _large(function: Function, jitted: Function, call: Call, places: list[int]) -> Iterator[str]:
    """Numbers that 32 bits do not hold, or whose products or differences they do not."""
    larger = {at: value for at in places if (value := _enlarged(call.leaves[at])) is not call.leaves[at]}
    names = _differing(function, jitted, call, larger)
    if names:
        yield f"large numbers in {' and '.join(names)} have 32 bits instead of Python's or NumPy's digits"


def _wide(function: Function, call: Call, others: Mapping[int, int]) -> Iterator[str]:
    """The integers, no farther than these, of which Python computes others that 32 bits do not hold."""
    paths = importlib.import_module("jax").tree_util.tree_flatten_with_path(call.holding(call.leaves))[0]

    def first(*places: int) -> dict[int, int] | None:
        return first_wide(call.of(function), call.leaves, {at: others[at] for at in places})

    together = first(*others)
    alone = [found for at in others if together is not None and (found := first(at)) is not None]
    for found in alone or [together] if together is not None else []:
        names = (f"`{_whole_name(function, paths[at][0])}` as {number}" for at, number in found.items())
        yield f"{' and '.join(names)} makes an integer overflow 32 bits"


def outgrown(function: Function, jitted: Function, call: Call, places: Collection[int]) -> str | None:
    """Says of which integers at these places, which grow fast, 32 bits hold none in a longer run."""
    paths = importlib.import_module("jax").tree_util.tree_flatten_with_path(call.holding(call.leaves))[0]
    names = [f"`{_whole_name(function, paths[at][0])}`" for at in _numbers(jitted, call, places)]
    return f"{' and '.join(names)} grows until 32 bits do not hold it, and `jit` raises" if names else None


def _differing(function: Function, jitted: Function, call: Call, others: Mapping[int, Any]) -> list[str]:
    """The parameters that these other numbers belong to, if both differ on them."""
    leaves = [others.get(at, leaf) for at, leaf in enumerate(call.leaves)]
    paths = importlib.import_module("jax").tree_util.tree_flatten_with_path(call.holding(call.leaves))[0]
    names = list(dict.fromkeys(f"`{_name(function, paths[at][0])}`" for at in others))
    plain, compiled = call.of(function), call.of(jitted)
    try:
        old, new = (side(list(map(copied, leaves))) for side in (plain, compiled))
        is_other = names and (
            compared(old, new).difference is not None or lost(old, new, plain, leaves, lambda: in_double(plain, leaves))
        )
    except Exception:  # an error says it where it happens
        return []
    return names if is_other else []


def _enlarged(leaf: Any) -> Any:
    np = importlib.import_module("numpy")
    if isinstance(leaf, int):
        more = (leaf or _COUNT) * _FACTOR
        return more if abs(more) < _LARGEST else leaf
    if isinstance(leaf, float) or leaf.dtype == np.float64:
        return leaf + _SHIFT
    if leaf.dtype.kind in "iu" and leaf.dtype.itemsize > np.dtype("int32").itemsize and leaf.size:
        return leaf * max(1, (_LARGEST - 1) // max(1, int(abs(leaf).max())))
    return leaf


def _texts(function: Function, jitted: Function, call: Call) -> Iterator[str]:
    """A text in a dictionary of arrays: no jitted function takes one."""
    args, keywords = call.holding(list(map(copied, call.leaves)))
    for place, value in enumerate(args):
        if type(value) is not dict or not any(map(is_array, value.values())):
            continue
        made = Call((*args[:place], value | {"text": "text"}, *args[place + 1 :]), keywords)
        if _raised(made.of(function), made.leaves) is None and _raised(made.of(jitted), made.leaves) is not None:
            yield f"a text in `{_parameter(function, place)}` raises"


def _raised(called: Callable[[list[Any]], Any], leaves: list[Any]) -> Exception | None:
    try:
        called(list(map(copied, leaves)))
    except Exception as error:  # any
        return error
    return None


def _name(function: Function, path: tuple[Any, ...]) -> str:
    """The parameter of a leaf at this path among positional arguments and keywords."""
    return _parameter(function, path[1].idx) if path[0].idx == 0 else str(path[1].key)


def _whole_name(function: Function, path: tuple[Any, ...]) -> str:
    """The same, with where the leaf is within it."""
    return f"{_name(function, path)}{importlib.import_module('jax').tree_util.keystr(path[2:])}"


def _parameter(function: Function, place: int) -> str:
    names = list(inspect.signature(function).parameters)
    return names[min(place, len(names) - 1)]


def _is_number(leaf: Any) -> bool:
    np = importlib.import_module("numpy")
    if isinstance(leaf, np.ndarray | np.generic):
        return bool(leaf.dtype.kind in "iuf")
    return isinstance(leaf, int | float) and not isinstance(leaf, bool)
