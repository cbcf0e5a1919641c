"""What a process spends its time on beside compiling, by kind and by line of the user's."""

from collections.abc import Callable, Sequence
from types import CodeType, FrameType
from typing import Any

from .files import is_user
from .lines import Line, Lines
from .settings import Settings

EAGER, READ, PUT, WAIT, TRACING, OWN = "eager", "read", "put", "wait", "tracing", "own"
_NAMES = 6
_MOST = 1 << 14  # a program can make code as it runs


Place = tuple[CodeType, int]


class Account:
    """What one instruction of the user's has spent on one kind of work.

    Attributes:
      places: the user's frames, from the inside out, when it was first seen: the code and the instruction in it.
      count: how many times it did that.
      names: of the programs that it dispatched, or of the ways in which it read, the first few.
      seconds: measured from begin to end; `sampled` those that were estimated.
      waited_s: of the measured ones, those until the device was ready.
    """

    __slots__ = ("count", "names", "places", "sampled", "seconds", "waited_s")

    def __init__(self, places: tuple[Place, ...]) -> None:
        self.places = places
        self.count = 0
        self.names: dict[str, None] = {}
        self.seconds = self.sampled = self.waited_s = 0.0

    def named(self, name: str) -> None:
        """Notes one of the first names."""
        if len(self.names) < _NAMES:
            self.names[name] = None


class Spending:
    """The accounts of a process. Finding one costs about a microsecond: it is done at every dispatch."""

    def __init__(self, settings: Settings) -> None:
        self.settings, self.lines = settings, Lines(settings)
        self.mine: dict[str, bool] = {}
        self.reset()

    def reset(self) -> None:
        """Forgets what happened in this process so far."""
        self.accounts: dict[tuple[str, int, int], Account] = {}

    def is_mine(self, file: str) -> bool:
        """Whether a file is the user's."""
        known = self.mine.get(file)
        if known is None:
            known = self.mine[file] = is_user(file, self.settings.user)
        return known

    def account(self, kind: str, frame: FrameType | None) -> Account | None:
        """That of the innermost line of the user's from `frame` outwards; None where there is none, or no room."""
        mine = self.mine
        while frame is not None:
            file = frame.f_code.co_filename
            if mine[file] if file in mine else self.is_mine(file):
                break
            frame = frame.f_back
        if frame is None:
            return None
        # not by the code itself, whose hash is that of all its instructions; the account keeps it alive
        found = self.accounts.get((kind, id(frame.f_code), frame.f_lasti))
        return found or self.of(kind, self._users(frame))

    def of(self, kind: str, places: Sequence[Place]) -> Account | None:
        """That of the first of the user's `places`, which are called from the others."""
        if not places:
            return None
        key = kind, id(places[0][0]), places[0][1]
        found = self.accounts.get(key)
        if found is None and len(self.accounts) < _MOST:
            found = self.accounts[key] = Account(tuple(places))
        return found

    def _users(self, frame: FrameType | None) -> list[Place]:
        found = []
        while frame is not None:
            if self.is_mine(frame.f_code.co_filename):
                found.append((frame.f_code, frame.f_lasti))
            frame = frame.f_back
        return found

    def as_json(self, is_step: Callable[[CodeType, int], bool]) -> list[dict[str, Any]]:
        """One entry for each kind and line: the most seconds first.

        Args:
          is_step: whether a line of a function is in the loop, or the function, whose iterations are the steps.
        """
        found: dict[tuple[str, Line], dict[str, Any]] = {}
        for (kind, _, _), account in list(self.accounts.items()):
            chain = [self.lines.at(code, at) for code, at in account.places]
            where = chain[0]
            is_within = any(is_step(code, at.line) for (code, _), at in zip(account.places, chain, strict=True))
            entry = found.get((kind, where))
            if entry is None:
                place = {"path": where.path, "line": where.line, "function": where.function, "cell": where.cell}
                counts: dict[str, Any] = {"count": 0, "in_steps": None, "seconds": 0.0, "waited_s": 0.0}
                entry = found[kind, where] = {"kind": kind, **place, "chain": [*map(str, chain)], "names": [], **counts}
            entry["count"] += account.count
            if is_within:
                entry["in_steps"] = (entry["in_steps"] or 0) + account.count
            entry["seconds"] += account.seconds + account.sampled
            entry["waited_s"] += account.waited_s
            entry["names"] += [name for name in account.names if name not in entry["names"]]
        return sorted(found.values(), key=lambda entry: -float(entry["seconds"]))
