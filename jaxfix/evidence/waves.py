"""In which order fixes are proven: in waves of cases, a small one first, so that each verdict comes early.

Evidence for fixes of which no case calls two, and no file holds two, says nothing of each other: these are parts, and a
wave is some of them. Which parts are in one changes neither runs nor verdicts.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from jaxfix.evidence.apart import apart
from jaxfix.evidence.runs import Fixes, Key, Runs, name_of

_SHARE, _SHARE_OF_ONE = 32, 16
"""Cases that share one import of what is driven: so many, or so many for each that runs at the same time."""


def at_most(room: int) -> int:
    """How many cases one process imports what is driven for; a later wave has no more, unless its one part has."""
    return max(_SHARE, _SHARE_OF_ONE * room)


class Waves:
    """The fixes of each wave, once its cases have been run without any.

    A case may call what was not expected of it. Then all that it calls is one part; where some of that was in an
    earlier wave, that wave comes again as part of this one, and its verdicts are given once more.
    """

    def __init__(self, runs: Runs, keys: Sequence[Key]) -> None:
        self._runs, self._keys = runs, keys
        self._expected = {case: self._named(names) for case, names in runs.expected.items()}

    def __iter__(self) -> Iterator[tuple[Key, ...]]:
        waiting = sorted(self._parts(), key=lambda part: len(self._cases(part)))
        done: list[list[Key]] = []
        while waiting:
            most = at_most(self._runs.runner.room) if done else self._runs.runner.room
            wave = list[Key]()
            while waiting and (not self._cases(wave) or len(self._cases([*wave, *waiting[0]])) <= most):
                wave += waiting.pop(0)
            self._runs.begin(self._cases(wave))
            while met := [part for part in (*waiting, *done) if self._met(wave).intersection(part)]:
                waiting, done = ([part for part in parts if part not in met] for parts in (waiting, done))
                wave += chain.from_iterable(met)
                self._runs.begin(self._cases(wave))
            done.append(wave)
            yield tuple(key for key in self._keys if key in wave)

    def _parts(self) -> list[list[Key]]:
        files = {path: Fixes(key for key in self._keys if key[0] == path) for path, _ in self._keys}
        return apart(self._keys, [*self._expected.values(), *files.values()])

    def _cases(self, keys: Iterable[Key]) -> list[str]:
        """Those that are expected to call the function of one of these fixes."""
        chosen = set(keys)
        return [case for case, expected in self._expected.items() if not expected.isdisjoint(chosen)]

    def _met(self, keys: Iterable[Key]) -> Fixes:
        """All fixes whose functions were called by cases of these."""
        return Fixes(chain.from_iterable(self._runs.reaches[case] for case in self._cases(keys)))

    def _named(self, names: frozenset[str] | None) -> Fixes:
        fixes = self._runs.fixes
        return Fixes(key for key in self._keys if names is None or name_of(key, fixes[key]) in names)
