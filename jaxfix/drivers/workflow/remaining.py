"""How long a proof goes on, as far as its runs until now tell."""

import re
import time
from collections.abc import Callable
from statistics import fmean

_CASE = re.compile(r"case (\d+) of (\d+)")
_WAVE = re.compile(r"(\d+) of (\d+) cases")
_FEWEST = 3
"""Runs of a program: as it is, with all fixes, and as it is once more."""
_KNOWN_BEFORE_S = 0.2
"""A run that ends sooner was made before, and takes no time of this proof."""
_SHORT_S = 90.0


class Remaining:
    """Hears of each run that begins, of how far it is, and of each verdict.

    Args:
      fixes: how many are judged.
      clock: seconds, from any start.
    """

    def __init__(self, fixes: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._open, self._clock = fixes, clock
        self._begun = self._run = clock()
        self._took: list[float] = []
        self._runs = self._case = self._cases = 0
        self._unbegun = self._again = self._driven = 0
        self._driving_s = self._heard = 0.0
        self._drives = False

    def begins(self, words: str = "") -> None:
        """A run of a program, or of many cases: `3 of 20 cases` where they are run for the first time."""
        now = self._clock()
        if self._runs:
            self._took.append(now - self._run)
        self._again = 0
        self._runs, self._run, self._case, self._cases = self._runs + 1, now, 0, 0
        if found := _WAVE.search(words):
            self._again = int(found[1])
            self._unbegun = (self._unbegun if self._drives else int(found[2])) - self._again
            self._drives = True

    def hears(self, words: str) -> None:
        """How far the run is."""
        found, last = _CASE.search(words), self._case
        self._case, self._cases = (int(found[1]), int(found[2])) if found else (0, 0)
        if self._drives and last:
            self._driven += self._case - last
            self._driving_s += self._clock() - self._heard
        self._heard = self._clock()

    def judged(self) -> None:
        """A fix has its verdict."""
        self._open -= 1

    def words(self) -> str:
        """Such as `at least 20 s left`; empty where nothing is known."""
        seconds = self._seconds()
        if seconds is None:
            return ""
        return f"at {'most' if self._is_last else 'least'} {_duration(seconds)} left"

    def share(self) -> float | None:
        """How much of the proof is done, from 0 to 1, if it ends as soon as it can; None where nothing is known."""
        seconds, gone = self._seconds(), self._clock() - self._begun
        return None if seconds is None else gone / max(gone + seconds, 1e-9)

    @property
    def _is_last(self) -> bool:
        """Whether what is to come is at most one run for each fix that has no verdict."""
        return not self._drives and self._runs > _FEWEST

    def _seconds(self) -> float | None:
        if self._drives:
            return self._of_cases()
        took = [seconds for seconds in self._took if seconds > _KNOWN_BEFORE_S]
        runs = self._open if self._is_last else _FEWEST - self._runs + 1
        return max(fmean(took) * runs - (self._clock() - self._run), 0.0) if took and runs > 0 else None

    def _of_cases(self) -> float | None:
        """Of those of this run and of all that is to come: each case is run unchanged, and with all fixes."""
        if not self._driven:
            return None
        left = self._cases - self._case + self._again + 2 * self._unbegun
        return self._driving_s / self._driven * left


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < _SHORT_S else f"{seconds / 60:.0f} min"
