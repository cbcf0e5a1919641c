"""Whether a program can tell that an array was put on a device from one that jax has chosen a device for."""

import importlib
import re
import sys
from collections.abc import Iterable

from .files import is_user, real

# What sources say that care for devices: they may run where there are several.
_CARING = re.compile(
    rb"\b(?:device_put\w*|\w*[sS]harding\w*|\w*Mesh\w*|make_mesh|default_device|shard_map|pmap|to_device|_?committed"
    rb"|make_array_from\w+)\b|\bdevices?\s*=[^=]"
)


def is_one_for_all(user: list[str], patched: Iterable[str]) -> bool:
    """Whether jax has one device in all, and no source of the user's cares for devices.

    Args:
      patched: files that this run has in the place of others.
    """
    files = {real(file) for file in patched}
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None) or (sys.argv[0] if name == "__main__" else None)
        if isinstance(file, str) and is_user(real(file), user):
            files.add(real(file))
    return count() == 1 and not any(map(_cares, sorted(files)))


def count() -> int:
    """The devices of all platforms that jax has come up on, also in other processes; 0 where it does not tell."""
    try:
        bridge = importlib.import_module("jax._src.xla_bridge")
        return sum(backend.device_count() for backend in bridge.backends().values())
    except Exception:  # of another jax
        return 0


def _cares(file: str) -> bool:
    """Whether the text mentions a function that places arrays on devices; also for values that are not text."""
    if not file.endswith((".py", ".ipynb")):
        return True
    try:
        with open(file, "rb") as source:
            return bool(_CARING.search(source.read()))
    except OSError:
        return True
