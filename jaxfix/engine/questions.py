"""What files ask of those that are read after them: answered at their first reading, it saves a second."""

from collections.abc import Iterable

from jaxfix.semantic.project.query import QUERIES, Asked, Reads
from jaxfix.semantic.project.summary_types import PASSED, RETURNED, Facts, Use, key_for

_OF_USES = frozenset({Reads.USES, Reads.CALLERS})


class Questions:
    """The functions that other files have asked about, under all names known so far.

    It saves time, and decides nothing: what is missing is read later, and what nobody needs is skipped.

    Args:
      followed: functions that others have asked about, and of which the callers of the callers matter.
    """

    def __init__(self, followed: Iterable[str] = ()) -> None:
        self._passed: dict[str, bool] = {}  # of each name whether it matters what calls pass
        self._followed = set(followed)
        self._methods = set[str]()
        self._leading: dict[str, list[str]] = {}  # to each name those that import it

    @property
    def names(self) -> frozenset[str]:
        """The dotted names, with `PASSED` after those whose passed arguments matter, and methods as `.name`."""
        spelled = [name + PASSED if passed else name for name, passed in self._passed.items()]
        return frozenset(self._methods).union(spelled)

    @property
    def followed(self) -> frozenset[str]:
        """The dotted names of which it matters who calls their callers."""
        return frozenset(self._followed)

    def add(self, asked: Iterable[Asked], facts: Facts | None, uses: Iterable[Use]) -> None:
        """Records the questions of one file, its imports, and the re-exports that lead to the functions in question."""
        if facts is not None:
            self._import(facts)
        for query, about in asked:
            wanted = QUERIES[query]
            if wanted.reads in _OF_USES:
                of, is_followed = wanted.function(about), wanted.reads is Reads.CALLERS
                self._ask(of, passed=wanted.passed, followed=is_followed)
        for use in uses:
            if use.of in self._followed:
                for way in use.through:
                    self._ask(way.name, passed=False, followed=True)

    def _import(self, facts: Facts) -> None:
        for name, of in facts.aliases.items():
            leading = f"{facts.name}.{name}"
            self._leading.setdefault(of, []).append(leading)
            for end in ("", RETURNED):
                if of + end in self._passed:
                    self._ask(leading + end, passed=self._passed[of + end], followed=of + end in self._followed)

    def _ask(self, name: str, *, passed: bool, followed: bool) -> None:
        pending = [name]
        for each in pending:
            is_new = each not in self._passed or (passed and not self._passed[each])
            if is_new or (followed and each not in self._followed):
                self._passed[each] = passed or self._passed.get(each, False)
                if each.startswith("."):
                    self._methods.add(each.partition("@")[0])
                self._followed.update({each} if followed else ())
                end = RETURNED if each.endswith(RETURNED) else ""
                pending += [leading + end for leading in self._leading.get(each.removesuffix(RETURNED), ())]


def wanted(names: frozenset[str], facts: Facts) -> frozenset[str]:
    """Those of `names` that a file mentions; of a method, whatever class has it, and of what a function returns too."""
    spelled = (name for each in facts.mentions for name in (each, each + RETURNED))
    methods = (name for attribute in facts.attributes if (name := f".{attribute}") in names)
    return frozenset([*(key for each in spelled if (key := key_for(each, names)) is not None), *methods])
