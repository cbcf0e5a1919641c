"""What one file of a project tells the others: read once, holding no tree, and travelling as JSON."""

from collections.abc import Container, Iterator
from dataclasses import field
from enum import Enum

from jaxfix.report.abstract_value import UNKNOWN, Value
from jaxfix.report.reason import Reason
from jaxfix.source.frozen import frozen

ANY_NAME = "*"
"""What is said to be bound of a module that other code can reach as a whole."""
HANDS_MODULES_ON = "?modules"
"""That a module which was found by a computed name goes where it is not followed."""
SETS_ANY_NAME = "?names"
"""That attributes of computed names are set on an object which may be a module. Both together reach any name."""
LISTS_NAMES = "?lists"
"""That the names of an object are listed which may be a module; of one that was found by a computed name, all."""
RUNS_APART = "?apart"
"""That code of some module is run where its functions do not find the other names of it."""
RUNS_FILES = "?files"
"""That it runs the text of a file, whose variables it has then."""
MAKES_RULES = "?rules"
"""That a function gets a derivative rule of its own."""
ASKS_PROCESS = "?process"
"""That a program may run in several processes, each of which asks which it is."""
CALLS_BACK = "?callbacks"
"""That a program may run host code while it runs."""
CHANGES = "?changes "
"""Before a name whose object is changed, for readers of the object by another name."""
FILLS = "?fills "
"""Before the name of an attribute that is read by a text: that what it holds may be changed in place."""
CHANGES_OWN = "?own "
"""Before a variable of the file: that code of the file itself changes it, or its object, after the import."""
TAKES_ERRORS = "?errors of "
"""Before a name: that an error of a call by that name is taken, and the program goes on."""
DOES_MORE = "?more of "
"""Before a function, of those that a file remembers: that it does more than compute of its arguments and constants."""
USES = "?uses "
"""Before such a function, and the name of one that it uses, of another file or after a dot of its own."""
Argument = int | str
"""A position of the call, from 0, or a keyword."""


@frozen
class Jit:
    """A function under a compiling transformation, as its callers see it. Serialisable: it travels between files.

    Attributes:
      by: the canonical name of the transformation, such as `jax.jit`.
      parameters: the names of its positional parameters, without a `self` that is bound; None where unknown.
      static: positions and names that `static_argnums` and `static_argnames` give; None where they cannot be read.
      donated: the same of `donate_argnums` and `donate_argnames`; for equinox the text of `donate` as a name.
    """

    by: str
    parameters: tuple[str, ...] | None
    static: tuple[Argument, ...] | None = ()
    donated: tuple[Argument, ...] | None = ()

    def is_static(self, argument: Argument) -> bool | None:
        """Whether the argument at a position or keyword is static.

        Returns:
          None where that cannot be known, as of static names that are not written out.
        """
        if self.static is None:
            return None
        if argument in self.static or self._other_name(argument) in self.static:
            return True
        if self.parameters is None and any(type(entry) is not type(argument) for entry in self.static):
            return None
        return False

    def _other_name(self, argument: Argument) -> Argument | None:
        names = self.parameters or ()
        if isinstance(argument, int):
            return names[argument] if argument < len(names) else None
        return names.index(argument) if argument in names else None


class Wrapping(Enum):
    """The result of decorating the function."""

    STAGES = "stages"
    """It is put under `jit` or the like."""
    CALLS = "calls"
    """It is called, by a wrapper that puts nothing under `jit`."""


class Runs(Enum):
    """Where a line runs, as far as its module tells."""

    EAGER = "eager"
    """At least one way to it that was read does not pass a trace."""
    TRACED = "traced"
    """Every way to it passes a trace."""
    UNKNOWN = "unknown"
    """It is public, or passed to unknown code."""


@frozen
class Contexts:
    """How a line is reached: the ways that are known to the end, and the functions that other files may call.

    Attributes:
      called: of those functions the ones that their own file calls, too.
    """

    known: frozenset[Runs] = frozenset()
    open: frozenset[str] = frozenset()
    called: frozenset[str] = frozenset()

    def __or__(self, other: "Contexts") -> "Contexts":
        return Contexts(self.known | other.known, self.open | other.open, self.called | other.called)

    @property
    def runs(self) -> Runs:
        """What they come to, if the open ones have no other callers."""
        return next((way for way in (Runs.EAGER, Runs.UNKNOWN, Runs.TRACED) if way in self.known), Runs.UNKNOWN)


@frozen
class CallerPath:
    """A function, by its dotted name, that other files may call, and what one call of it does with a line.

    Attributes:
      repeats: it may run the line repeatedly.
      always: each call runs the line.
      again: the line is in a loop that repeats, and runs at each iteration.
      called: its own file calls it, too.
    """

    name: str
    repeats: bool
    always: bool
    again: bool
    called: bool = False

    def prolonged(self, *, repeats: bool, always: bool, again: bool) -> "CallerPath":
        """From the entry of the function on, to a node in it."""
        around = again or (always and self.again)
        return CallerPath(self.name, self.repeats or repeats, self.always and always, around, self.called)


UNKNOWN_CONTEXTS = Contexts(frozenset({Runs.UNKNOWN}))


@frozen
class Factory:
    """A function that makes a jitted one at each call.

    Attributes:
      parameters: its names for what it can be given by position.
      data: the parameters, also those given by name alone, that the jitted function reads as arrays: what is passed
        there makes no other program.
    """

    parameters: tuple[str, ...]
    data: tuple[str, ...] = ()


class ArgumentKind(Enum):
    """An argument, described by its text."""

    DATA = "data"
    """An array, or anything else."""
    CONSTANT = "constant"
    TEXT = "text"
    FUNCTION = "function"


@frozen
class ArgumentSummary:
    """An argument of a call in another file.

    Attributes:
      to: the position or the keyword that it is passed to.
      text: as it is.
      again: the statement of the call rebinds it.
      why_live: why it may be needed when the call has run; None where no code holds it.
      why_unstable: why it may be another object, or do another thing, at another call, if not rebound.
      filled: code stores into it.
      plain: its parts that are evidently no arrays: where they are, and their text.
    """

    to: Argument
    text: str
    sort: ArgumentKind = ArgumentKind.DATA
    value: Value = UNKNOWN
    again: bool = False
    why_live: Reason | None = None
    why_unstable: Reason | None = None
    filled: bool = False
    plain: tuple[tuple[tuple[str, ...], str], ...] = ()


@frozen
class CallSite:
    """A direct call of a function of another file.

    Attributes:
      arguments: None where `*` or `**` hide them, or they were not asked for.
      bound: it is a method, called of an object.
      looped: a statement of the function around it runs it repeatedly.
      by_key: the places in what it returns, `()` for all of it, that are only read by one key or another.
    """

    arguments: tuple[ArgumentSummary, ...] | None
    bound: bool = False
    looped: bool = False
    by_key: tuple[tuple[int, ...], ...] = ()

    def passed_to(self, parameter: "ParameterPlace") -> Iterator[ArgumentSummary]:
        """The arguments that are passed to a parameter of the function, in order; empty where none is known."""
        position = None if parameter.position is None else parameter.position - self.bound
        return (passed for passed in self.arguments or () if passed.to in (position, parameter.name))


@frozen
class ParameterPlace:
    """A parameter of a function of another file, as a question names it.

    Attributes:
      function: its dotted name.
      position: the place among the parameters that a call can pass by position; None of one that is passed by name.
    """

    function: str
    position: int | None
    name: str

    def __str__(self) -> str:
        return f"{self.function}:{'' if self.position is None else self.position}:{self.name}"

    @classmethod
    def of(cls, about: str) -> "ParameterPlace":
        """What `str` made `about` of."""
        function, position, name = about.rsplit(":", 2)
        return cls(function, int(position) if position else None, name)


PASSED = "()"
"""What follows a name in a question about its uses, where it matters what calls pass."""


RETURNED = "->"
"""The suffix that asks for the uses of a function's result."""


def key_for(name: str, known: Container[str]) -> str | None:
    """The key of `known` that answers a question about the uses of `name`: one of what calls pass answers both.

    Returns:
      None where none does.
    """
    passed = name + PASSED
    return passed if passed in known else name if name in known else None


@frozen
class Use:
    """What a file does with a function of another one.

    Attributes:
      of: its dotted name, as the imports of the using file give it; `.name` for the methods of that name.
      runs: the ways to it that the using file knows to the end.
      through: the functions of the using file that other files may call, and through which it is reached.
      repeats: whether the using file runs it eagerly and repeatedly, and `surely` so.
      differentiated: whether a derivative is taken on the way.
      at: where it is, such as `train.py:12`.
      call: what it passes; None where it is not a direct call.
      is_test: whether a test does it.
    """

    of: str
    runs: tuple[Runs, ...]
    through: tuple[CallerPath, ...] = ()
    repeats: bool = False
    surely: bool = False
    differentiated: bool = False
    at: str = ""
    call: CallSite | None = None
    is_test: bool = False


@frozen
class Facts:
    """What one file tells the others.

    Attributes:
      name: the dotted name that it is imported by.
      is_test: whether it holds tests: what they call does not show how a program runs.
      aliases: names of it that stand for something imported, by the dotted name of what that is.
      stars: the modules whose names it takes all.
      jits: the jitted functions that it makes, by their name in it.
      uses: of functions of other files, where they are known already.
      rebinds: dotted names in other modules that it binds, or whose object it changes; `ANY_NAME` for all of one.
      stored: attributes that it stores on objects which can be of any file.
      own: the names that it binds itself: all, if it takes all names of another module beside them.
      wraps: its functions that decorate others.
      factories: its functions that make a jitted one at each call, by their name in it.
      mentions: the dotted names, as its imports give them, by which it may use something of another file; `.name` for
        the private methods of that name, of any class.
      records: the fields of its classes that declare some and write no constructor, by their name in it.
      hides: the first in it that makes trees which may hold more than leaves, or a package that such may come from.
      attributes: the names of those that it reads, of whatever object.
      asks: the types of others that it asks objects for, or whose members it lists, by their dotted names.
      remembers: its functions, and methods of its objects, that may give the same at the next call; after `DOES_MORE`
        those, and methods of its classes, which a trace does not do as often as the calls; after `USES` what the
        others use; None as long as nobody has asked.
      fills: the attributes, and the variables of other files, by their last name, whose object it may change in place;
        None as long as nobody has asked.
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
    wraps: dict[str, Wrapping] = field(default_factory=dict)
    mentions: tuple[str, ...] = ()
    factories: dict[str, Factory] = field(default_factory=dict)
    records: dict[str, tuple[str, ...]] = field(default_factory=dict)
    hides: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    remembers: tuple[str, ...] | None = None
    fills: tuple[str, ...] | None = None

    def may_hold(self, name: str) -> bool:
        """Whether it reads an attribute of this name, of whatever object, or a variable of another file."""
        return name in self.attributes or any(each.rpartition(".")[2] == name for each in self.mentions)


ANYTHING = Facts("", rebinds=(ANY_NAME,), hides=(ANY_NAME,), asks=(ANY_NAME,))
"""The summary of a file that runs, but is unknown."""
