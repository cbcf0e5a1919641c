"""The facts of all files of a run, joined: what is known of a dotted name."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property, partial

from jaxfix.library.facets import Effect, Package
from jaxfix.library.table import where
from jaxfix.report.abstract_value import UNKNOWN
from jaxfix.semantic.project.callers import Along, Callers
from jaxfix.semantic.project.naming import Naming
from jaxfix.semantic.project.offered import Offered
from jaxfix.semantic.project.rebinding import Around, may_rebind, opens_anything, reaches_anything
from jaxfix.semantic.project.searches import together
from jaxfix.semantic.project.summary_types import (
    ANY_NAME,
    ASKS_PROCESS,
    CALLS_BACK,
    CHANGES,
    CHANGES_OWN,
    DOES_MORE,
    FILLS,
    MAKES_RULES,
    RUNS_FILES,
    TAKES_ERRORS,
    USES,
    ArgumentSummary,
    Contexts,
    Factory,
    Facts,
    Jit,
    ParameterPlace,
    Runs,
    Use,
    Wrapping,
)
from jaxfix.semantic.project.users import Reader, Users

_LIBRARIES = frozenset(name.partition(".")[0] for name in where(Package.READS) | where(Package.LEAVES_ONLY))


class Joined:
    """Answers by dotted names; each query of `query.py` is one method.

    Args:
      unread: whether a file cannot be read, and may do anything.
      read: how a file is read for what it does with functions of others.
      around: the files of the project that are not analysed.
      kept: the packages that are not built, so that no other project imports them.
    """

    def __init__(
        self,
        files: Sequence[Facts],
        read: Reader | None,
        *,
        unread: bool,
        around: Around | None = None,
        kept: frozenset[str] = frozenset(),
    ) -> None:
        self._files, self._unread, self._around, self._read = files, unread, around, read
        self._remembering: dict[str, Mapping[str, bool]] = {}
        self._naming = Naming(files)
        self._users = Users(files, self._naming, read)
        self._kept = kept
        self._offered = Offered(files, self._naming, around, kept)
        self._callers = Callers(self._users.uses, self._offered)

    def look_up(
        self, used: Collection[str], followed: Mapping[Along, Collection[str]], passed: Collection[str]
    ) -> None:
        """Reads how the files use these functions, all files in one pass.

        Args:
          used: those of which it matters who uses them.
          followed: those of which it matters who calls their callers, by what of that decides.
          passed: those of which it matters what calls pass.
        """
        searches = [self._callers.reading(along, names) for along, names in followed.items()]
        together([iter([frozenset(used)]), *searches], partial(self._users.read, passed=passed))

    def jit(self, qualname: str) -> Jit | None:
        """The jitted function that `qualname` names, in whatever file it is made."""
        return self._naming.defined(qualname, lambda facts: facts.jits)

    def wrapping(self, qualname: str) -> Wrapping | None:
        """What the function that `qualname` names makes of those that it decorates, in whatever file it is defined."""
        return self._naming.defined(qualname, lambda facts: facts.wraps)

    def factory(self, qualname: str) -> Factory | None:
        """The function that `qualname` names, in whatever file it is defined, if it makes a jitted one."""
        return self._naming.defined(qualname, lambda facts: facts.factories)

    def remembers(self, qualname: str) -> bool:
        """Whether the function that `qualname` names, in whatever file, may give the same at the next call."""
        return self._naming.defined(qualname, self._remembered) or False

    def does_more(self, qualname: str) -> bool:
        """Whether a function or a method that `qualname` names, in whatever file, does more than compute.

        In the files beside a program, those of packages left out, what it uses is followed.
        """
        pending, met = [qualname], {qualname}
        for name in pending:
            if self._naming.defined(name, self._more):
                return True
            if name.partition(".")[0] in self._kept:
                new = [each for each in self._used_by(name) if each not in met]
                met.update(new)
                pending += new
        return False

    def _used_by(self, qualname: str) -> Iterator[str]:
        """What a function, in whatever file, uses of its file and of others."""
        for facts, rest in self._naming.owners(self._naming.canonical(qualname)):
            start = f"{USES}{rest} "
            used = [each.removeprefix(start) for each in self._remembered(facts) if each.startswith(start)]
            yield from (f"{facts.name}{each}" if each.startswith(".") else each for each in used)

    def fields(self, qualname: str) -> tuple[str, ...]:
        """The fields of the class that `qualname` names, in whatever file; none where it declares none."""
        return self._naming.defined(qualname, lambda facts: facts.records) or ()

    def defined_as(self, qualname: str) -> str:
        """The name that what a module has as `qualname` is defined under; empty where no file binds it there."""
        found = self._naming.canonical(qualname)
        return found if found != qualname or self._naming.is_bound(qualname) else ""

    def users(self, qualname: str) -> tuple[Use, ...]:
        """What other files do with the function that is defined as `qualname`, tests among them."""
        return self._users.users(qualname, passed=True)

    def uses_with_values(self, about: str) -> tuple[Use, ...]:
        """What programs in other files do with a function, if a number is known that one passes for a parameter."""
        return self._telling(about, lambda passed: passed.value != UNKNOWN)

    def uses_with_plain_parts(self, about: str) -> tuple[Use, ...]:
        """What programs in other files do with a function, if one passes what holds no arrays for a parameter."""
        return self._telling(about, lambda passed: bool(passed.plain))

    def _telling(self, about: str, tells: Callable[[ArgumentSummary], bool]) -> tuple[Use, ...]:
        parameter = ParameterPlace.of(about)
        found = tuple(use for use in self.users(parameter.function) if not use.is_test)
        calls = (use.call for use in found if use.call is not None)
        return found if any(tells(passed) for call in calls for passed in call.passed_to(parameter)) else ()

    def is_looped(self, qualname: str) -> bool:
        """Whether one of its `users` is a call that repeats, in a loop or by the function around."""
        return any(use.call is not None and (use.call.looped or use.repeats) for use in self.users(qualname))

    def is_used(self, qualname: str) -> bool:
        """Whether a program in another file uses the function."""
        return bool(self._users.uses(qualname))

    def runs(self, qualname: str) -> Runs:
        """How other files run the function, along every path that was read; unknown where none uses it."""
        if self._callers.eager(qualname):
            return Runs.EAGER
        return Contexts(self._callers.runs(qualname)).runs

    def runs_eagerly(self, qualname: str) -> bool:
        """Whether other files run the function eagerly, perhaps among other ways: then `runs` says so."""
        return self._callers.eager(qualname)

    def is_traced(self, qualname: str) -> bool:
        """Whether other files run the function under a trace, perhaps among other ways."""
        return self._callers.traced(qualname)

    def seen(self, qualname: str) -> tuple[Runs, ...]:
        """How other files were seen to run the function; unknown too where it is meant for unknown code."""
        return tuple(way for way in Runs if way in self._callers.seen(qualname))

    def seen_or_unknown(self, qualname: str) -> tuple[Runs, ...]:
        """As `seen`, of a function whose own file has no use for it: unknown where no other has one."""
        return self.seen(qualname) or (Runs.UNKNOWN,)

    def is_only_traced(self, qualname: str) -> bool:
        """Whether `runs` says that it is traced."""
        return self._callers.is_only_traced(qualname)

    def is_seen_traced(self, qualname: str) -> bool:
        """Whether `seen` knows of traces alone."""
        return self._callers.is_seen_traced(qualname)

    def is_seen_otherwise(self, qualname: str) -> bool:
        """Whether `seen` knows of something else than traces."""
        return self._callers.is_seen_otherwise(qualname)

    def is_settled(self, qualname: str) -> bool:
        """Whether `seen` knows of something, and nothing of it is unknown."""
        return self._callers.is_settled(qualname)

    def may_be_unknown(self, qualname: str) -> bool:
        """Whether `seen` knows of something unknown."""
        return self._callers.may_be_unknown(qualname)

    def repeats(self, qualname: str) -> bool:
        """Whether other files run the function eagerly and repeatedly."""
        return self._callers.repeats(qualname)

    def surely_repeats(self, qualname: str) -> bool:
        """Whether `repeats`, and nothing on the way says that it happens at times only, or once."""
        return self._callers.surely_repeats(qualname)

    def differentiated(self, qualname: str) -> bool:
        """Whether other files take a derivative through the function."""
        return self._callers.differentiated(qualname)

    def rebinds(self, qualname: str) -> bool:
        """Whether some file binds the variable of a module, or changes its object, from outside."""
        around = self._around.rebinding(qualname) if self._around is not None else ()
        names = frozenset(name for facts in around for name in facts.rebinds)
        owner, _, last = qualname.rpartition(".")
        is_reached = opens_anything if self._is_of_project(owner) else reaches_anything
        if last == ANY_NAME and is_reached(self._all_rebound | names):
            return True
        return self._binds(qualname, names)

    def _is_of_project(self, owner: str) -> bool:
        """Whether a module may be one of the project: of libraries it does not matter who lists their names."""
        first = owner.partition(".")[0]
        return first not in _LIBRARIES or first in self._packages

    def sets_names(self, owner: str) -> bool:
        """Whether some file sets names of a module which are not in the text, or gives the module to code that may."""
        qualname = f"{owner}.{ANY_NAME}"
        around = self._around.rebinding(qualname) if self._around is not None else ()
        return self._binds(qualname, frozenset(name for facts in around for name in facts.rebinds))

    def _binds(self, qualname: str, names: frozenset[str]) -> bool:
        return not self._rebound.isdisjoint(self._naming.hops(qualname)) or any(
            may_rebind(name, qualname) for name in names
        )

    def stores(self, attribute: str) -> bool:
        """Whether some file stores an attribute of this name on objects which can be of any file."""
        around = self._around.storing(attribute) if self._around is not None else ()
        return attribute in self._stored or any(attribute in facts.stored for facts in around)

    def is_named_around(self, qualname: str) -> bool:
        """Whether a file outside the analysis may use the object of this dotted name."""
        return self._offered.is_named_around(qualname)

    def reads_variable(self, qualname: str) -> bool:
        """Whether another file may read the variable of a module: by its name, or with all that the module holds."""
        owner = qualname.rpartition(".")[0]
        others = (facts for facts in self._files if facts.name != owner)
        named = any(_is_named(mention, qualname) for facts in others for mention in facts.mentions)
        is_run = RUNS_FILES in self._all_rebound
        return named or is_run or self.is_named_around(qualname) or self.rebinds(f"{owner}.{ANY_NAME}")

    def takes_name(self, qualname: str) -> bool:
        """Whether a file that takes all names of the module has that name already, or reads it as another one's."""
        owner, _, name = qualname.rpartition(".")
        taking, met = self._naming.starring(owner), {owner}
        for facts in taking:
            if name in facts.own or name in facts.aliases or any(f"{star}.{name}" in facts.mentions for star in met):
                return True
            taking += [each for each in self._naming.starring(facts.name) if each not in taking]
            met.add(facts.name)
        return self._around is not None and self._around.takes(qualname)

    def hides(self) -> bool:
        """Whether some file brings trees into the program that may hold more than leaves, or cannot be read."""
        is_hidden_here = self._unread or any(facts.hides for facts in self._files)
        return is_hidden_here or (self._around is not None and self._around.hides())

    def makes_rules(self) -> bool:
        """Whether some file gives a function a derivative rule of its own."""
        makers = (f"jax.custom_{name}" for name in ("vjp", "jvp", "gradient"))
        return MAKES_RULES in self._all_rebound or (self._around is not None and any(map(self._around.names, makers)))

    def calls_back(self) -> bool:
        """Whether some file has programs that may run host code while they run."""
        callers = sorted(where(Effect.CALLS_BACK))
        return CALLS_BACK in self._all_rebound or (self._around is not None and any(map(self._around.spells, callers)))

    def takes_errors(self, name: str) -> bool:
        """Whether some file continues after an error of a call by this name, of any object."""
        return f"{TAKES_ERRORS}{name}" in self._all_rebound

    def asks_type(self, qualname: str) -> bool:
        """Whether some file asks objects for the type that a file knows by this name, or lists its members."""
        last = qualname.rpartition(".")[2]
        around = self._around.mentioning(last) if self._around is not None else ()
        names = (name.rpartition(".")[2] for facts in around for name in facts.asks)
        return not self._asked.isdisjoint({qualname, ANY_NAME}) or any(name in (last, ANY_NAME) for name in names)

    @cached_property
    def _asked(self) -> frozenset[str]:
        """The types that are asked for, by each name on the way to where they are defined."""
        return frozenset(hop for facts in self._files for name in facts.asks for hop in self._naming.hops(name))

    def fills(self, name: str) -> bool:
        """Whether some file may change in place what an attribute, or a variable elsewhere, of this name holds."""
        around = self._around.filling(name) if self._around is not None else ()
        words = {f"{FILLS}{name}", f"{FILLS}{ANY_NAME}"}
        if not words.isdisjoint(self._all_rebound) or any(not words.isdisjoint(facts.rebinds) for facts in around):
            return True
        holding = (*around, *(facts for facts in self._files if facts.may_hold(name)))
        return any(name in self._filled(facts) for facts in holding)

    def changes_own(self, name: str) -> bool:
        """Whether some file changes its own variable of this name, after it is imported."""
        around = self._around.filling(name) if self._around is not None else ()
        word = f"{CHANGES_OWN}{name}"
        return word in self._all_rebound or any(word in facts.rebinds for facts in around)

    def asks_process(self) -> bool:
        """Whether some file asks in which of several processes it runs."""
        asking = sorted(where(Effect.ASKS_PROCESS))
        return ASKS_PROCESS in self._all_rebound or (self._around is not None and any(map(self._around.names, asking)))

    def is_read(self) -> bool:
        """Whether there are files, and all of them could be read."""
        return bool(self._files) and not self._unread

    @property
    def steps(self) -> int:
        """The evaluations that the answers about callers have cost."""
        return self._callers.steps

    def _remembered(self, facts: Facts) -> Mapping[str, bool]:
        """What a file remembers: it is read for that on demand."""
        if facts.name not in self._remembering:
            known = facts.remembers
            if known is None:
                known = self._read.remembers(self._index(facts)) if self._read is not None else ()
            self._remembering[facts.name] = dict.fromkeys(known, True)
        return self._remembering[facts.name]

    def _filled(self, facts: Facts) -> Collection[str]:
        """What a file may fill: it is read for that on demand."""
        if facts.fills is not None or self._read is None:
            return facts.fills or ()
        return self._read.fills(self._index(facts))

    def _index(self, facts: Facts) -> int:
        return next(index for index, each in enumerate(self._files) if each is facts)

    def _more(self, facts: Facts) -> Mapping[str, bool]:
        known = self._remembered(facts)
        return {name.removeprefix(DOES_MORE): True for name in known if name.startswith(DOES_MORE)}

    @cached_property
    def _packages(self) -> frozenset[str]:
        return frozenset(name.partition(".")[0] for name in self._naming.by_name)

    @cached_property
    def _all_rebound(self) -> frozenset[str]:
        return frozenset(name for facts in self._files for name in facts.rebinds)

    @cached_property
    def _rebound(self) -> frozenset[str]:
        changed = (each for each in self._all_rebound if each.startswith(CHANGES))
        objects = (self._naming.canonical(each.removeprefix(CHANGES)) for each in changed)
        names = (self._naming.bound(each) for each in self._all_rebound if not each.startswith(CHANGES))
        of_any = (*objects, *names)
        return frozenset(name for name in of_any if name not in self._naming.by_name)  # of a module one name, not all

    @cached_property
    def _stored(self) -> frozenset[str]:
        return frozenset(name for facts in self._files for name in facts.stored)


def _is_named(mention: str, qualname: str) -> bool:
    """Whether a mention is of the variable, of a part of it, or of its module as a whole."""
    owner, _, name = qualname.rpartition(".")
    if f".{owner}".endswith(f".{mention}"):
        return True
    parts = mention.split(".")
    ends = (number for number, part in enumerate(parts, 1) if part == name)
    return any(may_rebind(".".join(parts[:end]), qualname) for end in ends)
