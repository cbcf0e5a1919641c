"""Where the time of a process goes: combines counters, timers and sampling."""

from collections.abc import Callable
from contextlib import suppress
from types import CodeType
from typing import Any

from .dispatches import Dispatches
from .sampler import Sampler
from .settings import Settings
from .spending import Spending
from .transfers import Transfers


class TimeSpent:
    """The activity of a process besides compiling; `is_silent` while it is not the program's."""

    def __init__(self, settings: Settings, is_silent: Callable[[], bool]) -> None:
        self.spending = Spending(settings)
        self.dispatches = Dispatches(self.spending, is_silent)
        self.transfers = Transfers(self.spending, is_silent)
        self.sampler = Sampler(self.spending, self.dispatches.want)
        self.is_on = False

    def start(self) -> None:
        """From here on it is watched; jax has been imported."""
        self.is_on = True
        for listening in (self.dispatches, self.transfers):
            with suppress(Exception):  # the insides of another version of jax: then there is nothing to tell
                listening.listen()
        self.sampler.start()

    def reset(self) -> None:
        """Forgets what happened in this process so far; in a forked child no thread is left."""
        self.spending.reset()
        if self.is_on:
            self.sampler.start()

    def finished(self, is_step: Callable[[CodeType, int], bool]) -> list[dict[str, Any]]:
        """Watches no more, and returns what was seen: an entry for each kind and line."""
        if self.is_on:
            self.is_on = False
            self.sampler.stop()
            self.dispatches.stop()
        return self.spending.as_json(is_step)
