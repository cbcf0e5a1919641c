"""What files ask of those that are read after them: answered at their first reading, it saves a second."""

from collections.abc import Iterable

from jaxfix.semantic.project.query import QUERIES, Asked, Reads
from jaxfix.semantic.project.summary_types import PASSED, Facts, Use, key_for

_OF_USES = frozenset({Reads.USES, Reads.CALLERS})


class Questions:
    """The functions that somebody has asked about, under all names that are known so far.

    It saves time, and decides nothing: what is missing is read later, and what nobody needs is skipped.
    """

    def __init__(self) -> None:
        self._passed: dict[str, bool] = {}  # of each name whether it matters what calls pass
        self._leading: dict[str, list[str]] = {}  # to each name those that import it

    @property
    def names(self) -> frozenset[str]:
        """The dotted names, with `PASSED` behind those of which it matters what calls pass."""
        return frozenset(name + PASSED if passed else name for name, passed in self._passed.items())

    def add(self, asked: Iterable[Asked], facts: Facts | None, uses: Iterable[Use]) -> None:
        """Takes down what one file asks, what it imports, and through what of it others get to what was asked."""
        if facts is not None:
            self._import(facts)
        for query, about in asked:
            if QUERIES[query].reads in _OF_USES:
                self._ask(about, passed=QUERIES[query].passed)
        for use in uses:
            for way in use.through:
                self._ask(way.name, passed=False)

    def _import(self, facts: Facts) -> None:
        for name, of in facts.aliases.items():
            leading = f"{facts.name}.{name}"
            self._leading.setdefault(of, []).append(leading)
            if of in self._passed:
                self._ask(leading, passed=self._passed[of])

    def _ask(self, name: str, *, passed: bool) -> None:
        pending = [name]
        for each in pending:
            if each not in self._passed or (passed and not self._passed[each]):
                self._passed[each] = passed
                pending += self._leading.get(each, ())


def wanted(names: frozenset[str], mentions: Iterable[str]) -> frozenset[str]:
    """Those of `names` that are mentioned."""
    return frozenset(key for each in mentions if (key := key_for(each, names)) is not None)
