"""What the other files of a project tell of one of them.

Each file is read once for its `Facts`, which hold no tree and travel as JSON; a `Project` joins those of all files.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property

from jaxfix.core.jitted import Argument, Jit
from jaxfix.core.reach import Runs, Through, Ways
from jaxfix.core.value import UNKNOWN, Value

ANY_NAME = "*"
"""What is said to be bound of a module that other code gets hold of as a whole."""
_HOPS = 12
"""Re-exports that one name may pass; more are a circle."""


class Sort(Enum):
    """What an argument is, as its text tells."""

    DATA = "data"
    """An array, or anything else."""
    CONSTANT = "constant"
    TEXT = "text"
    FUNCTION = "function"


@dataclass(frozen=True, slots=True)
class Passed:
    """An argument of a call in another file.

    Attributes:
      to: the position or the keyword that it is passed to.
      text: as it stands.
      again: the statement of the call binds it anew.
      kept: why it may be needed when the call has run; None where nobody has it.
      moves: why it may be another object, or do another thing, at another call, if it is not bound anew; or None.
      filled: code stores into it.
    """

    to: Argument
    text: str
    sort: Sort = Sort.DATA
    value: Value = UNKNOWN
    again: bool = False
    kept: str | None = None
    moves: str | None = None
    filled: bool = False


@dataclass(frozen=True, slots=True)
class Called:
    """A direct call of a function of another file.

    Attributes:
      arguments: None where `*` or `**` hide them.
      bound: it is a method, called of an object.
      looped: a statement of the function around it runs it again and again.
      by_key: the places in what it returns, `()` for all of it, that are only read by one key or another.
    """

    arguments: tuple[Passed, ...] | None
    bound: bool = False
    looped: bool = False
    by_key: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Use:
    """What a file does with a function of another one.

    Attributes:
      of: its dotted name, as the imports of the using file give it.
      runs: the ways to it that the using file knows to the end.
      through: the functions of the using file that other files may call, and through which it is reached.
      repeats: whether the using file runs it eagerly again and again, and `surely` so.
      differentiated: whether a derivative is taken on the way.
      at: where it is, such as `train.py:12`.
      call: what it passes; None where it is no direct call.
    """

    of: str
    runs: tuple[Runs, ...]
    through: tuple[Through, ...] = ()
    repeats: bool = False
    surely: bool = False
    differentiated: bool = False
    at: str = ""
    call: Called | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """What one file tells the others.

    Attributes:
      name: the dotted name that it is imported by.
      is_test: whether it holds tests: what they call is no sign of how a program runs.
      aliases: names of it that stand for something imported, by the dotted name of what that is.
      stars: the modules whose names it takes all.
      jits: the jitted functions that it makes, by their name in it.
      uses: of functions of other files.
      rebinds: dotted names in other modules that it binds, or whose object it changes; `ANY_NAME` for all of one.
      stored: attributes that it stores on objects which can be of any file.
      own: the names that it binds itself, if it takes all names of another module beside them.
    """

    name: str
    is_test: bool = False
    aliases: dict[str, str] = field(default_factory=dict)
    stars: tuple[str, ...] = ()
    jits: dict[str, Jit] = field(default_factory=dict)
    uses: tuple[Use, ...] = ()
    rebinds: tuple[str, ...] = ()
    stored: tuple[str, ...] = ()
    own: tuple[str, ...] = ()


@dataclass(frozen=True)
class Project:
    """The facts of all files that a run looks at. A name that two files have means nothing.

    Attributes:
      unread: whether one of them cannot be read, and may do anything.
    """

    files: tuple[Facts, ...] = ()
    unread: bool = False

    # --- names ------------------------------------------------------------------------------------------------

    @cached_property
    def _by_name(self) -> dict[str, Facts]:
        names = [facts.name for facts in self.files]
        return {facts.name: facts for facts in self.files if names.count(facts.name) == 1}

    def canonical(self, qualname: str) -> str:
        """The dotted name under which `qualname` is defined: re-exports are followed."""
        for _ in range(_HOPS):
            found = self._one_hop(qualname)
            if found is None:
                return qualname
            qualname = found
        return qualname

    def _one_hop(self, qualname: str) -> str | None:
        for facts, rest in self._owners(qualname):
            first, _, tail = rest.partition(".")
            if first in facts.aliases:
                return ".".join(part for part in (facts.aliases[first], tail) if part)
        for facts, rest in self._owners(qualname):
            if f"{facts.name}.{rest.partition('.')[0]}" in self._by_name:
                continue  # a module below it
            if rest.partition(".")[0] in facts.own:
                continue
            for star in facts.stars:
                if star in self._by_name and rest.partition(".")[0] in self._defined(star):
                    return f"{star}.{rest}"
        return None

    def _owners(self, qualname: str) -> Iterator[tuple[Facts, str]]:
        """The files whose name begins `qualname`, the longest first, with what follows."""
        parts = qualname.split(".")
        for end in range(len(parts) - 1, 0, -1):
            facts = self._by_name.get(".".join(parts[:end]))
            if facts is not None:
                yield facts, ".".join(parts[end:])

    def _defined(self, name: str) -> frozenset[str]:
        facts = self._by_name[name]
        return frozenset((*facts.aliases, *facts.jits))

    # --- questions --------------------------------------------------------------------------------------------

    def jit(self, qualname: str) -> Jit | None:
        """The jitted function that `qualname` names, in whatever file it is made."""
        found = self.canonical(qualname)
        return next((facts.jits[rest] for facts, rest in self._owners(found) if rest in facts.jits), None)

    def uses(self, qualname: str) -> tuple[Use, ...]:
        """What other files do with the function that is defined as `qualname`; tests do not count."""
        return tuple(use for name in self._spellings(qualname) for use in self._of_programs.get(name, ()))

    def users(self, qualname: str) -> tuple[Use, ...]:
        """As `uses`, with those of tests; of a module those of whoever is handed it as a whole."""
        return tuple(use for name in self._spellings(qualname) for use in self._of_all.get(name, ()))

    def _spellings(self, qualname: str) -> tuple[str, ...]:
        """The dotted names that lead to `qualname`, whose module other modules may take all names of."""
        found = [qualname]
        for name in found:
            owner, _, last = name.rpartition(".")
            around = (f for f in self._starring.get(owner, ()) if last not in f.own and last not in f.aliases)
            found += [new for f in around if (new := f"{f.name}.{last}") not in found]
        return tuple(found)

    @cached_property
    def _starring(self) -> dict[str, list[Facts]]:
        found: dict[str, list[Facts]] = {}
        for facts in self.files:
            for star in facts.stars:
                found.setdefault(star, []).append(facts)
        return found

    @cached_property
    def _of_programs(self) -> dict[str, tuple[Use, ...]]:
        return self._indexed(facts for facts in self.files if not facts.is_test)

    @cached_property
    def _of_all(self) -> dict[str, tuple[Use, ...]]:
        return self._indexed(self.files)

    def _indexed(self, files: Iterable[Facts]) -> dict[str, tuple[Use, ...]]:
        found: dict[str, list[Use]] = {}
        for facts in files:
            for use in facts.uses:
                found.setdefault(self.canonical(use.of), []).append(use)
        return {name: tuple(uses) for name, uses in found.items()}

    def runs(self, qualname: str) -> Ways:
        """The ways to the function from other files, to the end; none where no other file uses it."""
        return Ways(frozenset(self._runs(qualname, frozenset())))

    def _runs(self, qualname: str, asked: frozenset[str]) -> Iterator[Runs]:
        if qualname in asked:
            return
        for use in self.uses(qualname):
            yield from self._runs_of(use, asked | {qualname})

    def _runs_of(self, use: Use, asked: frozenset[str]) -> Iterator[Runs]:
        yield from use.runs
        for way in use.through:
            further = tuple(self._runs(way.name, asked))
            yield from further or (() if way.name in asked else (Runs.UNKNOWN,))

    def runs_of(self, use: Use) -> Runs:
        """How one use of a function runs."""
        return Ways(frozenset(self._runs_of(use, frozenset()))).runs

    def repeats(self, qualname: str) -> bool:
        """Whether other files run the function eagerly again and again."""
        return self._repeats(qualname, frozenset())

    def _repeats(self, qualname: str, asked: frozenset[str]) -> bool:
        def goes_on(way: Through) -> bool:
            return self._is_eager(way.name) and (way.repeats or self._repeats(way.name, asked | {qualname}))

        return qualname not in asked and any(
            use.repeats or any(map(goes_on, use.through)) for use in self.uses(qualname)
        )

    def surely_repeats(self, qualname: str) -> bool:
        """Whether `repeats`, and nothing on the way says that it happens at times only, or once."""
        return self._surely(qualname, frozenset())

    def _surely(self, qualname: str, asked: frozenset[str]) -> bool:
        return qualname not in asked and any(self._surely_of(use, asked | {qualname}) for use in self.uses(qualname))

    def surely_of(self, use: Use) -> bool:
        """Whether one use of a function surely repeats."""
        return self._surely_of(use, frozenset())

    def _surely_of(self, use: Use, asked: frozenset[str]) -> bool:
        def goes_on(way: Through) -> bool:
            again = way.again or (way.always and self._surely(way.name, asked))
            return again and self._is_eager(way.name)

        return use.surely or any(map(goes_on, use.through))

    def _is_eager(self, qualname: str) -> bool:
        return Runs.EAGER in self.runs(qualname).known

    def differentiated(self, qualname: str) -> bool:
        """Whether other files take a derivative through the function."""
        return self._differentiated(qualname, frozenset())

    def _differentiated(self, qualname: str, asked: frozenset[str]) -> bool:
        return qualname not in asked and any(
            use.differentiated or any(self._differentiated(way.name, asked | {qualname}) for way in use.through)
            for use in self.uses(qualname)
        )

    def rebinds(self, qualname: str) -> bool:
        """Whether some file binds the variable of a module, or changes its object, from outside."""
        return qualname in self._rebound

    @cached_property
    def _rebound(self) -> frozenset[str]:
        names = (self.canonical(name) for facts in self.files for name in facts.rebinds)
        return frozenset(name for name in names if name not in self._by_name)  # of a module one name, not all

    @cached_property
    def stored(self) -> frozenset[str]:
        """The attributes that some file stores on objects which can be of any file."""
        return frozenset(name for facts in self.files for name in facts.stored)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a file cannot tell of itself.

    Attributes:
      name: the dotted name that it is imported by; None for a script, or where nobody knows.
      is_package: whether it is the `__init__.py` of `name`.
      project: what the other files say.
      helpers: the module, as an import statement names it, that the generated helper functions come from; None where
        there is no place for one.
    """

    name: str | None = None
    is_package: bool = False
    project: Project = Project()
    helpers: str | None = None


ALONE = Surroundings()
"""Of a file that nothing else is known of."""
