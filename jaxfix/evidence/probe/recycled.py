"""Objects in the places of others that are gone: a memo by `id` takes one for the other."""

import builtins
import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from .effects import Reach


class Recycled:
    """What `id` says to some functions, in two calls of which the second gets its objects where the first had its own.

    Args:
      reach: of the functions that are called.
    """

    def __init__(self, reach: Reach) -> None:
        self.modules = {id(live): live for _, globals_ in reach.codes for live in [getattr(globals_, "live", globals_)]}
        self.first: list[int] = []
        self.second: dict[int, int] = {}

    def __call__(self, first: Callable[[], Any], second: Callable[[], Any]) -> Any:
        """What the second call returns."""
        with self._told(self._note):
            first()
        with self._told(self._again):
            return second()

    def _note(self, value: object) -> int:
        place = id(value)
        if place not in self.first:
            self.first.append(place)
        return place

    def _again(self, value: object) -> int:
        place = id(value)
        if place not in self.first and place not in self.second and len(self.second) < len(self.first):
            self.second[place] = self.first[len(self.second)]
        return self.second.get(place, place)

    @contextlib.contextmanager
    def _told(self, told: Callable[[object], int]) -> Iterator[None]:
        mine = [live for live in self.modules.values() if "id" not in live and hasattr(builtins, "id")]
        for live in mine:
            live["id"] = told
        try:
            yield
        finally:
            for live in mine:
                live.pop("id", None)
