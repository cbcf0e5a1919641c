"""Counts the programs that jax runs one by one, outside of compiled functions."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, Protocol

from .spending import EAGER, PUT, Spending

_FEW = 2_000  # calls after which it is asked whether counting is worth its time
_LEAST = 0.02
_NAMED = 20
_PUTS = "stage"  # what puts a host array on a device, since jax 0.8
Hook = Callable[[Any, Any, Any, Any], None]

_NESTED = ("jax/_src/pjit.py", "jax\\_src\\pjit.py")


class Dispatches:
    """Hears of every call that jax answers from its fast path, and counts those of jax's own functions.

    What the user has compiled is called by the same path, at the price of the hook. So the hook goes where next to no
    call is jax's own; `want` brings it back.
    """

    def __init__(self, spending: Spending, is_silent: Callable[[], bool]) -> None:
        self.spending, self.is_silent = spending, is_silent
        self.place: _Place | None = None
        self.own = 0
        self.is_on = False

    def listen(self) -> None:
        """From here on they are counted; jax has been imported."""
        self.place = _place()
        self.want()

    def want(self) -> None:
        """Counts again, if it had stopped."""
        if self.place is not None and not self.is_on and not self.place.taken():
            self.is_on = True
            self.own = 0
            self.place.put(self.hook())

    def stop(self) -> None:
        """Counts no more."""
        if self.place is not None and self.is_on and not self.place.taken():
            self.place.put(None)
        self.is_on = False

    def hook(self) -> Hook:
        """The function that jax calls after each dispatch, and after each call of a function that the user compiled.

        Of the latter it asks two dictionaries, by texts whose hash is known.
        """
        calls, modules, files, frame = 0, dict[str, bool](), dict[str, bool](), sys._getframe

        def called(function: Any, arguments: Any, keywords: Any, returned: Any) -> None:
            nonlocal calls
            calls += 1
            if calls >= _FEW:
                calls = 0
                self._settle()
            module = function.__module__
            is_own = modules.get(module) if type(module) is str else False
            if is_own is None:
                is_own = modules[module] = module.startswith("jax.")
            if not is_own:
                file = frame(1).f_code.co_filename
                is_own = files.get(file)
                if is_own is None:
                    is_own = files[file] = file.endswith(_NESTED)
            if is_own:
                self._count(function, frame(1))

        return called

    def _count(self, function: Any, caller: FrameType) -> None:
        """Counts a dispatch, which `caller` asked for: in as few steps as can be."""
        self.own += 1
        name = getattr(function, "__name__", "jit")
        mine = self.spending.mine
        frame: FrameType | None = caller
        while frame is not None and not mine.get(frame.f_code.co_filename):
            frame = frame.f_back
        kind = PUT if name == _PUTS else EAGER
        found = self.spending.accounts.get((kind, id(frame.f_code), frame.f_lasti)) if frame is not None else None
        account = found or self.spending.account(kind, caller)
        if account is not None and not self.is_silent():
            account.count += 1
            if account.count < _NAMED:
                account.named(name)

    def _settle(self) -> None:
        if self.own < _LEAST * _FEW:
            self.stop()
        self.own = 0


class _Place(Protocol):
    """Where jax looks for what it calls after each call."""

    def taken(self) -> bool:
        """Whether something else is called there, as what looks for NaNs."""
        ...

    def put(self, hook: Hook | None) -> None:
        """Has it called after each call of any thread."""


class _Shared:
    """Of jax 0.6 and later: a setting of each thread and one of all, which jax sets to nothing as it goes."""

    def __init__(self, module: Any, unset: object) -> None:
        self.own, self.unset = module._post_hook_state, unset
        self.hook: Hook | None = None
        module._post_hook_state = self

    def taken(self) -> bool:
        return self.own.value is not None and self.own.value != self.hook

    def put(self, hook: Hook | None) -> None:
        self.hook = hook
        self.own.set_global(hook)

    def set_global(self, hook: Any) -> None:
        self.own.set_global(self.hook if hook is None else hook)

    def set_local(self, hook: Any) -> None:
        self.own.set_local(self.unset if hook is None else hook)


class _Older:
    """Of jax before that: the state of its library."""

    def __init__(self, state: Any) -> None:
        self.state = state
        self.hook: Hook | None = None

    def taken(self) -> bool:
        return self.state.post_hook is not None and self.state.post_hook != self.hook

    def put(self, hook: Hook | None) -> None:
        self.hook = self.state.post_hook = hook


def _place() -> _Place | None:
    """Where this version of jax looks for a hook; None where it has none."""
    api = sys.modules.get("jax._src.api")
    unset = getattr(sys.modules.get("jax._src.config"), "config_ext", None)
    if hasattr(getattr(api, "_post_hook_state", None), "set_global") and hasattr(unset, "unset"):
        return _Shared(api, unset.unset)  # type: ignore[union-attr]
    found = getattr(getattr(sys.modules.get("jax._src.lib"), "jax_jit", None), "global_state", None)
    state = found() if found is not None else None
    return _Older(state) if hasattr(state, "post_hook") else None
