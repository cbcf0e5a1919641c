"""What some use of a function shows, on whatever way to it: read level by level, until what was read decides."""

from collections import defaultdict
from collections.abc import Callable, Collection, Generator, Iterable, Iterator

from jaxfix.semantic.project.summary_types import Use

Search = Generator[frozenset[str], None, None]
"""Yields the functions whose uses it needs next."""


def together(searches: Iterable[Iterator[frozenset[str]]], read: Callable[[Collection[str]], None]) -> None:
    """Reads what these searches need, level by level, each level of all of them at once."""
    going = [*searches]
    while going:
        levels = [(search, level) for search in going if (level := next(search, None)) is not None]
        read(frozenset().union(*(level for _, level in levels)))
        going = [search for search, _ in levels]


class Reach:
    """Whether a use shows something: one of the function, or of those through which others get to it.

    Args:
      uses: of a function, read when they are asked for.
      shows: what is looked for.
      is_open: whether it is unknown how a function runs: its uses do not count.
      methods: whether ways through methods of whatever object count.
      if_open: the answer of a way that ends in an open function.
    """

    def __init__(
        self,
        uses: Callable[[str], Iterable[Use]],
        shows: Callable[[Use], bool],
        is_open: Callable[[str], bool],
        *,
        methods: bool = True,
        if_open: bool = False,
    ) -> None:
        self._uses, self._shows, self._is_open = uses, shows, is_open
        self._methods, self._if_open = methods, if_open
        self._known: dict[str, bool] = {}
        self._parents: dict[str, set[str]] = defaultdict(set)  # of each function those that are reached through it

    def __call__(self, name: str) -> bool:
        for _ in self.search([name]):
            pass  # each use is read when it is looked at
        return self._known[name]

    def search(self, names: Iterable[str]) -> Search:
        """Finds the answers of some functions. Behind one that is decided nothing more is read."""
        level = {name for name in names if name not in self._known}
        met = set[str]()
        while level:
            met |= level
            inside = {name for name in level if self._goes_on(name)}
            yield frozenset(inside)
            after = {name for each in inside for name in self._behind(each)}
            level = {name for name in after - met if any(self._is_undecided(each) for each in self._parents[name])}
        for name in met:
            self._known.setdefault(name, False)

    def _goes_on(self, name: str) -> bool:
        """Whether the uses of a function count; what is known without them is noted."""
        is_open = self._is_open(name)
        if is_open and self._if_open:
            self._note(name)
        return not is_open and (self._methods or not name.startswith("."))

    def _behind(self, name: str) -> Iterable[str]:
        """The functions through which others get to one that is not decided by its own uses."""
        uses = self._uses(name)
        ways = {path.name for use in uses for path in use.through}
        if any(map(self._shows, uses)) or any(self._known.get(each, False) for each in ways):
            self._note(name)
            return ()
        for each in ways:
            self._parents[each].add(name)
        return [each for each in ways if each not in self._known]

    def _note(self, name: str) -> None:
        """Takes down that a use shows it, for all that are reached through this function."""
        pending = [name]
        for each in pending:
            if self._is_undecided(each):
                self._known[each] = True
                pending += self._parents[each]

    def _is_undecided(self, name: str) -> bool:
        return not self._known.get(name, False)
