"""The state that a program leaves in its modules, and in the shared generators of random numbers."""

import sys
import time
from collections.abc import Iterator
from types import GeneratorType, ModuleType
from typing import Any

from . import process, suspended
from .contents import is_large, is_mutable, told
from .drawn import Drawn
from .files import is_user, real
from .samples import is_array
from .values import Values

_MOST_S = 3.0
_MOST_BYTES = 64 << 20
_PLAIN = (bool, int, float, complex, str, bytes, type(None))


class Left:
    """Digests what the modules of the user's hold when the program has ended.

    Args:
      scripts: files whose own statements are rewritten: of these only what can be changed in place says anything, as a
        rewrite may have other variables.
    """

    def __init__(self, values: Values, user: list[str], scripts: frozenset[str], drawn: Drawn) -> None:
        self.values, self.user, self.scripts, self.drawn = values, user, scripts, drawn

    def outputs(self) -> Iterator[dict[str, Any]]:
        """One for each variable that holds data, or what can be changed in place; as many as there is time for."""
        until = time.process_time() + _MOST_S
        for label, state in self.drawn.states():
            yield self.values.output(label, state, True)
        for label, value in process.settings():
            yield from self._output(label, value)
        for name, module in sorted(sys.modules.items()):
            if not isinstance(module, ModuleType) or not self._is_mine(module):
                continue
            is_script = real(getattr(module, "__file__", None) or sys.argv[0]) in self.scripts
            for variable, value in sorted(vars(module).items()):
                if time.process_time() > until:
                    return
                if variable.startswith("__"):
                    continue
                if is_mutable(value) if is_script else _is_data(value):
                    yield from self._output(f"{name}.{variable}", value)
                elif isinstance(value, type) and value.__module__ == name:
                    yield from self._of_class(f"{name}.{variable}", value, is_script=is_script)

    def _of_class(self, label: str, owner: type, *, is_script: bool) -> Iterator[dict[str, Any]]:
        """What all objects of a class share, as a list of all that were made."""
        for attribute, value in sorted(vars(owner).items()):
            is_value = is_array(value) or isinstance(value, (*_PLAIN, tuple))
            if not attribute.startswith("__") and (is_mutable(value) or (is_value and not is_script)):
                yield from self._output(f"{label}.{attribute}", value)

    def _output(self, label: str, value: Any) -> Iterator[dict[str, Any]]:
        try:
            yield self.values.output(label, _shown(value), True)
        except Exception:  # an odd container, or an object that does not let itself be analysed
            return

    def _is_mine(self, module: ModuleType) -> bool:
        """Whether it is a file of the project; `__main__` has forgotten its own when the program has ended."""
        file = getattr(module, "__file__", None)
        is_script = module.__name__ == "__main__" and file is None
        return is_script or (isinstance(file, str) and is_user(file, self.user))


def _is_data(value: Any) -> bool:
    if is_array(value):
        return bool(value.is_deleted() or value.nbytes <= _MOST_BYTES)
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.ndarray | numpy.generic):
        return bool(value.nbytes <= _MOST_BYTES)
    is_object = hasattr(value, "__dict__") and not isinstance(value, type | ModuleType) and not callable(value)
    return isinstance(value, (*_PLAIN, tuple)) or is_mutable(value) or hasattr(value, "__next__") or is_object


def _shown(value: Any) -> Any:
    """The value as something to be digested; of what is iterated over how far it is."""
    if isinstance(value, GeneratorType):
        frame = value.gi_frame
        return "ended" if frame is None else suspended.shown(frame)
    if hasattr(value, "__next__") and type(value).__module__ in ("builtins", "itertools"):
        return _position(value)
    return told(value) if is_mutable(value) and not isinstance(value, list | dict) and not is_large(value) else value


def _position(iterator: Any) -> Any:
    """How far an iterator is, as far as it says."""
    hint = getattr(iterator, "__length_hint__", None)
    if hint is not None:
        return hint()
    return repr(iterator) if type(iterator).__module__ == "itertools" else type(iterator).__name__
