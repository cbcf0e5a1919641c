"""Whether Python computes an integer that 32 bits do not hold of those that a step is given: an array wraps there.

The plain step is traced with integers whose results are integers of the same kind, once exact and once of 32 bits. What
arrays compute wraps in both; only where the programs differ does the width matter: a key takes the last bits anyway.
"""

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .jaxprs import Numbering, Untraced
from .samples import is_array

Of = Callable[[list[Any]], Any]
_BITS, _MOST_BITS = 32, 4096
_GROWING = ("pow", "lshift")
_OTHERS = ("add", "sub", "mul", "floordiv", "mod", "and", "or", "xor", "rshift")


class _TooWide(BaseException):
    """Ends a step, whatever errors it catches."""


def first_wide(function: Of, leaves: Sequence[Any], numbers: Mapping[int, int]) -> dict[int, int] | None:
    """The numbers nearest to those of the leaves, on the way to these, at which 32 bits make a difference.

    Args:
      numbers: other ones by their place among the leaves.

    Returns:
      None where they make none.
    """
    longest = max((abs(last - leaves[at]) for at, last in numbers.items()), default=0)

    def on_the_way(part: int) -> dict[int, int]:
        return {at: leaves[at] + (last - leaves[at]) * part // max(longest, 1) for at, last in numbers.items()}

    def is_wide(part: int) -> bool | None:
        return _is_wide(function, leaves, on_the_way(part))

    farthest = longest
    while numbers and farthest and is_wide(farthest) is None:
        farthest //= 2
    if not numbers or not is_wide(farthest):
        return None
    least, most = -1, farthest
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (least, middle) if is_wide(middle) else (middle, most)
    tried = map(on_the_way, (most, farthest))
    return next((each for each in tried if _is_other(function, leaves, each)), None)


def _is_wide(function: Of, leaves: Sequence[Any], numbers: Mapping[int, int]) -> bool | None:
    """Whether an integer is made that 32 bits do not hold; None where an error comes before."""
    kind = _integers(_narrow)
    jax = importlib.import_module("jax")
    try:
        jax.eval_shape(_of_arrays(function, leaves, _as(kind, numbers)), *filter(is_array, leaves))
    except _TooWide:
        return True
    except Exception:
        return None
    return False


def _is_other(function: Of, leaves: Sequence[Any], numbers: Mapping[int, int]) -> bool:
    """Whether the program is another one with 32 bits."""
    numbering, arrays = Numbering(), list(filter(is_array, leaves))
    exact, wrapping = (_as(_integers(change), numbers) for change in (int, _wrapped))
    try:
        one = numbering.of(_of_arrays(function, leaves, wrapping), arrays)
    except (Untraced, _TooWide) as error:
        return isinstance(error, _TooWide)
    try:
        return one != numbering.of(_of_arrays(function, leaves, exact), arrays)
    except (Untraced, _TooWide):
        return True


def _as(kind: type[int], numbers: Mapping[int, int]) -> dict[int, int]:
    return {at: kind(number) for at, number in numbers.items()}


def _of_arrays(function: Of, leaves: Sequence[Any], numbers: Mapping[int, int]) -> Callable[..., Any]:
    """The function of the arrays among the leaves, with these numbers in their places."""

    def called(*arrays: Any) -> Any:
        rest = iter(arrays)
        return function([next(rest) if is_array(leaf) else numbers.get(at, leaf) for at, leaf in enumerate(leaves)])

    return called


def _narrow(value: int) -> int:
    if _wrapped(value) != value:
        raise _TooWide
    return value


def _wrapped(value: int) -> int:
    half = 1 << _BITS - 1
    return (value + half) % (1 << _BITS) - half


def _integers(change: Callable[[int], int]) -> type[int]:
    """A kind of integers whose results are of the same kind, each changed so."""

    def made(value: Any) -> Any:
        return kind(change(value)) if type(value) is int else value

    def operation(name: str) -> Callable[..., Any]:
        plain = getattr(int, name)
        return lambda self, *others: made(plain(self, *others))

    def growing(name: str) -> Callable[..., Any]:
        plain = getattr(int, name)

        def called(self: int, other: Any, *modulus: Any) -> Any:
            base, by = (other, self) if name.startswith("__r") else (self, other)
            if isinstance(other, int) and not modulus and _bits(base, by, is_power="pow" in name) > _MOST_BITS:
                raise _TooWide
            return made(plain(self, other, *modulus))

        return called

    methods = {name: operation(name) for name in ("__neg__", "__pos__", "__abs__", "__invert__")}
    methods |= {f"__{r}{each}__": operation(f"__{r}{each}__") for each in _OTHERS for r in ("", "r")}
    methods |= {f"__{r}{each}__": growing(f"__{r}{each}__") for each in _GROWING for r in ("", "r")}
    kind: type[int] = type("int", (int,), methods)
    return kind


def _bits(base: int, by: int, *, is_power: bool) -> int:
    """How many bits a power or a shift has, without computing it."""
    bits = abs(base).bit_length()
    return max(bits - 1, 0) * by if is_power else bits + by if base else 0
