"""The facts of all files that a run looks at, joined."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from jaxfix.semantic.project.callers import Callers
from jaxfix.semantic.project.query import FOLLOWING_RUNS, FOLLOWING_USERS, Answer, Answers, Asked, Question, Users
from jaxfix.semantic.project.summary_types import (
    UNKNOWN_CONTEXTS,
    Contexts,
    Factory,
    Facts,
    Jit,
    Runs,
    Use,
    Wrapping,
)

T = TypeVar("T")
_HOPS = 12
"""Re-exports that one name may pass; more are a circle."""
Wanted = tuple[int, frozenset[str]]
"""The index of a file, and those of its mentions that somebody asks for."""
Reader = Callable[[Sequence[Wanted]], Iterable[Sequence[Use]]]
"""Reads what each of some files does with the functions that are wanted of it."""


@dataclass(frozen=True)
class Project:
    """The facts of all files that a run looks at. A name that two files have means nothing.

    What files do with the functions of others is read when somebody asks for it.

    Attributes:
      unread: whether one of them cannot be read, and may do anything.
      read: how a file is read for that.
    """

    files: tuple[Facts, ...] = ()
    unread: bool = False
    read: Reader | None = field(default=None, compare=False)

    # --- names ------------------------------------------------------------------------------------------------

    @cached_property
    def _by_name(self) -> dict[str, Facts]:
        times = Counter(facts.name for facts in self.files)
        return {facts.name: facts for facts in self.files if times[facts.name] == 1}

    def canonical(self, qualname: str) -> str:
        """The dotted name under which `qualname` is defined: re-exports are followed."""
        if qualname not in self._canonical:
            found = qualname
            for _ in range(_HOPS):
                found, before = self._one_hop(found) or found, found
                if found == before:
                    break
            self._canonical[qualname] = found
        return self._canonical[qualname]

    @cached_property
    def _canonical(self) -> dict[str, str]:
        return {}

    def _one_hop(self, qualname: str) -> str | None:
        owners = tuple(self._owners(qualname))
        for facts, rest in owners:
            first, _, tail = rest.partition(".")
            if first in facts.aliases:
                return ".".join(part for part in (facts.aliases[first], tail) if part)
        for facts, rest in owners:
            if not facts.stars:
                continue
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
        end = qualname.rfind(".")
        while end > 0:
            facts = self._by_name.get(qualname[:end])
            if facts is not None:
                yield facts, qualname[end + 1 :]
            end = qualname.rfind(".", 0, end)

    def _defined(self, name: str) -> frozenset[str]:
        facts = self._by_name[name]
        return frozenset((*facts.aliases, *facts.jits))

    def answer(self, question: Question, about: str) -> Answer:
        """What is known; None, nothing or False where that is what a project without files says."""
        match question:
            case Question.JIT:
                return self.jit(about)
            case Question.WRAPPING:
                return self.wrapping(about)
            case Question.FACTORY:
                return self.factory(about)
            case Question.USERS:
                return self._found(about)
            case Question.VALUES:
                return tuple((use, False) for use in self.uses_with_values(about))
            case Question.LOOPED:
                return self.is_looped(about)
            case Question.IS_USED:
                return self.is_used(about)
            case Question.RUNS:
                return _other_than_unknown(self.runs(about))
            case Question.REPEATS:
                return self.repeats(about)
            case Question.SURELY_REPEATS:
                return self.surely_repeats(about)
            case Question.DIFFERENTIATED:
                return self.differentiated(about)
            case Question.REBINDS:
                return self.rebinds(about)
            case Question.STORES:
                return self.stores(about)
            case Question.IS_READ:
                return self.is_read

    def answers(self, asked: Collection[Asked]) -> Answers:
        """The answers that are other than those of a project without files."""
        known = self._answered
        known.update((each, self.answer(*each)) for each in asked if each not in known)
        return {each: told for each in asked if (told := known[each])}

    @cached_property
    def _answered(self) -> Answers:
        return {}

    def with_what_follows(self, answers: Answers) -> Answers:
        """The answers, with those that who hears them asks for next, as far as one can tell."""
        found = dict(answers)
        pending = list(answers)
        for question, about in pending:
            following = [(each, about) for each in FOLLOWING_RUNS] if question is Question.RUNS else []
            if question is Question.LOOPED:
                following.append((Question.USERS, about))
            if question is Question.USERS:
                names = {way.name for use, _ in self._found(about) for way in use.through}
                following += [(each, name) for name in names for each in FOLLOWING_USERS]
                following += [(Question.USERS, name) for name in names if self.repeats(name)]
            new = self.answers([asked for asked in following if asked not in found])
            found |= new
            pending += new
        return found

    # --- questions --------------------------------------------------------------------------------------------

    def jit(self, qualname: str) -> Jit | None:
        """The jitted function that `qualname` names, in whatever file it is made."""
        return self._told_of(qualname, lambda facts: facts.jits)

    def wrapping(self, qualname: str) -> Wrapping | None:
        """What the function that `qualname` names makes of those that it decorates, in whatever file it is defined."""
        return self._told_of(qualname, lambda facts: facts.wraps)

    def factory(self, qualname: str) -> Factory | None:
        """The function that `qualname` names, in whatever file it is defined, if it makes a jitted one."""
        return self._told_of(qualname, lambda facts: facts.factories)

    def _told_of(self, qualname: str, table: Callable[[Facts], Mapping[str, T]]) -> T | None:
        """What the file that defines `qualname` tells of it in one of its tables."""
        owners = self._owners(self.canonical(qualname))
        return next((table(facts)[rest] for facts, rest in owners if rest in table(facts)), None)

    def uses(self, qualname: str) -> tuple[Use, ...]:
        """What other files do with the function that is defined as `qualname`; tests do not count."""
        return tuple(use for use, is_test in self._found(qualname) if not is_test)

    def users(self, qualname: str) -> tuple[Use, ...]:
        """As `uses`, with those of tests; of a module those of whoever is handed it as a whole."""
        return tuple(use for use, _ in self._found(qualname))

    def uses_with_values(self, qualname: str) -> tuple[Use, ...]:
        """Its `uses`, if something is known of a number that one of them passes."""
        found = self.uses(qualname)
        return found if any(use.call is not None and use.call.tells_values for use in found) else ()

    def is_looped(self, qualname: str) -> bool:
        """Whether one of its `users` is a call that goes round in a loop."""
        return any(use.call is not None and use.call.looped for use in self.users(qualname))

    def is_used(self, qualname: str) -> bool:
        """Whether a program of another file uses the function."""
        return bool(self.uses(qualname))

    def look_up(self, qualnames: Iterable[str], followed: Iterable[str] = ()) -> None:
        """Reads what the files do with these functions.

        Each file is read once for all that it is asked for: many questions at once cost little more than one.

        Args:
          followed: those of which the functions are read too through which others reach them, and so on.
        """
        wanted, ways, known = {*qualnames}, {*followed}, set[str]()
        while wanted or ways:
            names = {name for qualname in ways for name in self._spellings(qualname)}
            others = {name for qualname in wanted - ways for name in self._spellings(qualname)}
            self._read_for((names | others) - self._asked.keys())
            known |= ways
            wanted, ways = set(), {way.name for name in names for use, _ in self._asked[name] for way in use.through}
            ways -= known

    def _found(self, qualname: str) -> Users:
        names = self._spellings(qualname)
        missing = [name for name in names if name not in self._asked]
        if missing:
            self._read_for(missing)
        return tuple(pair for name in names for pair in self._asked[name])

    def _read_for(self, names: Iterable[str]) -> None:
        """Reads the files for what they do with functions of these canonical names."""
        found: dict[str, list[tuple[Use, bool]]] = {name: [] for name in names}
        mentioned: dict[int, set[str]] = {i: set() for i, facts in enumerate(self.files) if facts.uses}
        for index, spelled in self._mentions(found):
            mentioned.setdefault(index, set()).add(spelled)
        wanted = [(index, frozenset(mentioned[index])) for index in sorted(mentioned)]
        for (index, _), uses in zip(wanted, self._read(wanted), strict=True):
            for use in uses:
                found.get(self.canonical(use.of), []).append((use, self.files[index].is_test))
        self._asked.update(found)

    def _read(self, wanted: Sequence[Wanted]) -> Iterable[Sequence[Use]]:
        return [self.files[index].uses for index, _ in wanted] if self.read is None else self.read(wanted)

    @cached_property
    def _asked(self) -> dict[str, list[tuple[Use, bool]]]:
        return {}

    def _mentions(self, names: Collection[str]) -> Iterator[tuple[int, str]]:
        """The files that mention one of some canonical names, each with how it is spelled there."""
        for word in {name.rpartition(".")[2] for name in names} | self._renamed:
            for spelled in self._by_word.get(word, ()):
                if self.canonical(spelled) in names:
                    yield from ((index, spelled) for index in self._mentioning[spelled])

    @cached_property
    def _mentioning(self) -> dict[str, list[int]]:
        """Of each mention the files that have it."""
        found: dict[str, list[int]] = {}
        for index, facts in enumerate(self.files):
            for spelled in facts.mentions:
                found.setdefault(spelled, []).append(index)
        return found

    @cached_property
    def _by_word(self) -> dict[str, list[str]]:
        """The mentions, by their last part."""
        found: dict[str, list[str]] = {}
        for spelled in self._mentioning:
            found.setdefault(spelled.rpartition(".")[2], []).append(spelled)
        return found

    @cached_property
    def _renamed(self) -> frozenset[str]:
        """The last parts of names that may be those of something whose own name ends otherwise."""
        pairs = ((name, of) for facts in self.files for name, of in facts.aliases.items())
        return frozenset(name for name, of in pairs if of.rpartition(".")[2] != name)

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

    def runs(self, qualname: str) -> Contexts:
        """The ways to the function from other files, to the end; unknown where no other file uses it."""
        return Contexts(self._callers.runs(qualname))

    def runs_of(self, use: Use) -> Runs:
        """How one use of a function runs."""
        return Contexts(frozenset(use.runs).union(*(self.runs(way.name).known for way in use.through))).runs

    def repeats(self, qualname: str) -> bool:
        """Whether other files run the function eagerly again and again."""
        return self._callers.repeats(qualname)

    def surely_repeats(self, qualname: str) -> bool:
        """Whether `repeats`, and nothing on the way says that it happens at times only, or once."""
        return self._callers.surely_repeats(qualname)

    def surely_of(self, use: Use) -> bool:
        """Whether one use of a function surely repeats."""
        return use.surely or any(
            (way.again or (way.always and self.surely_repeats(way.name))) and Runs.EAGER in self.runs(way.name).known
            for way in use.through
        )

    def differentiated(self, qualname: str) -> bool:
        """Whether other files take a derivative through the function."""
        return self._callers.differentiated(qualname)

    @cached_property
    def _callers(self) -> Callers:
        return Callers(self.uses)

    def rebinds(self, qualname: str) -> bool:
        """Whether some file binds the variable of a module, or changes its object, from outside."""
        return self.canonical(qualname) in self._rebound

    @cached_property
    def _rebound(self) -> frozenset[str]:
        names = (self.canonical(name) for facts in self.files for name in facts.rebinds)
        return frozenset(name for name in names if name not in self._by_name)  # of a module one name, not all

    def stores(self, attribute: str) -> bool:
        """Whether some file stores an attribute of this name on objects which can be of any file."""
        return attribute in self.stored

    @property
    def is_read(self) -> bool:
        """Whether there are files, and all of them could be read."""
        return bool(self.files) and not self.unread

    @cached_property
    def stored(self) -> frozenset[str]:
        """The attributes that some file stores on objects which can be of any file."""
        return frozenset(name for facts in self.files for name in facts.stored)


def _other_than_unknown(ways: Contexts) -> Contexts | None:
    """What the ways come to; None for what is said of a function that no other file uses."""
    found = Contexts(frozenset({ways.runs})) if ways.known else ways
    return None if found == UNKNOWN_CONTEXTS else found
