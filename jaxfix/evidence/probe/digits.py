"""Whether results that agree in double precision keep their digits in the precision of the program.

Outside of `jit` Python numbers are double, and so are arrays of NumPy; as arguments of a jitted function they are
single: of the seconds since 1970, less those at which a program began, nothing is left then.
"""

import importlib
from collections.abc import Callable, Sequence
from typing import Any

from .precision import epsilon, farthest, is_inexact, moved_by_an_ulp
from .samples import is_array
from .values import host_of

_MOST = 3.0
"""Times the root of an ulp: about half of the digits."""
_OWN = 100.0
"""Times what the original loses itself."""
_SINGLE = 2.0**-23


def lost(
    old: Any, new: Any, original: Callable[[list[Any]], Any], leaves: Sequence[Any], double: Callable[[], Any]
) -> float:
    """How far both results are apart where less than half of the digits agree, relative to the largest value.

    Args:
      original: what it returns of leaves; how far that moves when they move by one unit in the last place is noise.
      leaves: what it has been given.
      double: what it returns in double precision; digits that it loses itself are no matter.

    Returns:
      0.0 where enough of the digits agree.
    """
    tree = importlib.import_module("jax").tree_util
    pairs = list(zip(tree.tree_leaves(old), tree.tree_leaves(new), strict=False))
    coarse = max([_SINGLE, *map(epsilon, leaves)])
    far = {at: found for at, (one, two) in enumerate(pairs) if (found := _relative(one, two)) > _limit(coarse, one)}
    if not far:
        return 0.0
    moved, exact = (tree.tree_leaves(made) for made in (original([moved_by_an_ulp(leaf) for leaf in leaves]), double()))
    if len(moved) != len(pairs) or len(exact) != len(pairs):
        return 0.0
    return max(
        (far[at] for at in far if not _is_noise(far[at], coarse, pairs[at][0], moved[at], exact[at])), default=0.0
    )


def _is_noise(far: float, coarse: float, leaf: Any, moved: Any, exact: Any) -> bool:
    """Whether the original is itself about as far from what it returns of leaves moved a little, or in double."""
    return _relative(leaf, moved) >= far * _limit(coarse, leaf) / _MOST or _relative(leaf, exact) >= far / _OWN


def _limit(coarse: float, leaf: Any) -> float:
    return float(_MOST * max(coarse, epsilon(leaf)) ** 0.5)


def _relative(one: Any, two: Any) -> float:
    """The largest difference of finite values, relative to the largest of them; 0.0 where there are none."""
    np = importlib.import_module("numpy")
    if not (is_inexact(one) and is_inexact(two)):
        return 0.0
    a, b = (np.asarray(host_of(each) if is_array(each) else each) for each in (one, two))
    away, scale = farthest(a, b) if a.shape == b.shape else (0.0, 0.0)
    return away / scale if scale else 0.0
