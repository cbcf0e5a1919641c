"""What one file of a project tells the others: read once, holding no tree, and travelling as JSON."""

from dataclasses import dataclass, field
from enum import Enum

from jaxfix.core.jitted import Argument, Jit
from jaxfix.core.making import Factory
from jaxfix.core.reach import Runs, Through
from jaxfix.core.value import UNKNOWN, Value
from jaxfix.core.wrapping import Wrapping

ANY_NAME = "*"
"""What is said to be bound of a module that other code gets hold of as a whole."""


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

    @property
    def tells_values(self) -> bool:
        """Whether something is known of a number among the arguments."""
        return any(passed.value != UNKNOWN for passed in self.arguments or ())


@dataclass(frozen=True, slots=True)
class Use:
    """What a file does with a function of another one.

    Attributes:
      of: its dotted name, as the imports of the using file give it; `.name` for the methods of that name.
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
      uses: of functions of other files, where they are known already.
      rebinds: dotted names in other modules that it binds, or whose object it changes; `ANY_NAME` for all of one.
      stored: attributes that it stores on objects which can be of any file.
      own: the names that it binds itself, if it takes all names of another module beside them.
      wraps: its functions that decorate others.
      factories: its functions that make a jitted one at each call, by their name in it.
      mentions: the dotted names, as its imports give them, by which it may use something of another file; `.name` for
        the private methods of that name, of any class.
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
