"""What the other files of a project tell of one of them.

Each file is read once for its `Facts`, which hold no tree and travel as JSON; a `Project` joins those of all files.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from jaxfix.core.jitted import Jit
from jaxfix.core.reach import Runs, Through, Ways

_HOPS = 12
"""Re-exports that one name may pass; more are a circle."""


@dataclass(frozen=True, slots=True)
class Use:
    """What a file does with a function of another one.

    Attributes:
      of: its dotted name, as the imports of the using file give it.
      runs: the ways to it that the using file knows to the end.
      through: the functions of the using file that other files may call, and through which it is reached.
      repeats: whether the using file runs it eagerly again and again, and `surely` so.
      differentiated: whether a derivative is taken on the way.
    """

    of: str
    runs: tuple[Runs, ...]
    through: tuple[Through, ...] = ()
    repeats: bool = False
    surely: bool = False
    differentiated: bool = False


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
      rebinds: dotted names in other modules that it binds, or whose object it changes.
      stored: attributes that it stores on objects which can be of any file.
    """

    name: str
    is_test: bool = False
    aliases: dict[str, str] = field(default_factory=dict)
    stars: tuple[str, ...] = ()
    jits: dict[str, Jit] = field(default_factory=dict)
    uses: tuple[Use, ...] = ()
    rebinds: tuple[str, ...] = ()
    stored: tuple[str, ...] = ()


@dataclass(frozen=True)
class Project:
    """The facts of all files that a run looks at. A name that two files have means nothing."""

    files: tuple[Facts, ...] = ()

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
        """What other files do with the function that is defined as `qualname`."""
        return self._uses.get(qualname, ())

    @cached_property
    def _uses(self) -> dict[str, tuple[Use, ...]]:
        found: dict[str, list[Use]] = {}
        for facts in self.files:
            for use in facts.uses:
                seen = Use(use.of, (Runs.UNKNOWN,)) if facts.is_test else use
                found.setdefault(self.canonical(use.of), []).append(seen)
        return {name: tuple(uses) for name, uses in found.items()}

    def runs(self, qualname: str) -> Ways:
        """The ways to the function from other files, to the end; none where no other file uses it."""
        return Ways(frozenset(self._runs(qualname, frozenset())))

    def _runs(self, qualname: str, asked: frozenset[str]) -> Iterator[Runs]:
        if qualname in asked:
            return
        for use in self.uses(qualname):
            yield from use.runs
            for way in use.through:
                further = tuple(self._runs(way.name, asked | {qualname}))
                yield from further or (() if way.name in asked else (Runs.UNKNOWN,))

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
        def goes_on(way: Through) -> bool:
            again = way.again or (way.always and self._surely(way.name, asked | {qualname}))
            return again and self._is_eager(way.name)

        return qualname not in asked and any(
            use.surely or any(map(goes_on, use.through)) for use in self.uses(qualname)
        )

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
