"""The rows of the table of changes: names, keywords, positional arguments, methods, meanings."""

from enum import Enum

from jaxfix.source.frozen import frozen

Version = tuple[int, ...]


class Way(Enum):
    """How code gets from the old to the new."""

    ALIAS = "alias"
    """Another name of the same thing, or of a function that only calls it with the same arguments."""
    TYPE = "type"
    """Another type: an alias in annotations, where nothing asks for it."""
    REWRITE = "rewrite"
    """Other code, which a rerun has to show to do the same."""
    PARALLEL = "legacy-parallelism"
    """Other code, which the codemod of that name writes where it can; its `steps` are for the rest."""
    BY_HAND = "by hand"
    """No rule: a person follows the steps."""


@frozen
class Life:
    """The versions of its package that warn of something, are without it, and first have its replacement.

    Attributes:
      deprecated: empty where none has warned.
      removed: empty where every version has it.
      since: empty where every version has its replacement.
    """

    deprecated: str = ""
    removed: str = ""
    since: str = ""


@frozen
class Name:
    """A name that is gone, or going.

    Attributes:
      old: its canonical name; with `is_module`, all that is below it goes as well.
      new: the canonical name of its replacement; with `parameters` or `is_text`, the text: `{x}` is an argument,
        `{x|True}` one with a default, `{@jax.numpy.sort}` a name as the file spells it, and `[[, axis={axis}]]` is
        left out where `axis` is not given.
      older: what every version has in place of `new`; empty where that is nothing.
      parameters: of the function that is called; what it is called with beside them is not rewritten.
      is_entered: whether it is rewritten where `with` takes what it returns, and nowhere else.
      steps: what to do by hand, as a clause.
    """

    old: str
    new: str
    way: Way
    life: Life
    older: str = ""
    parameters: tuple[str, ...] = ()
    is_text: bool = False
    is_module: bool = False
    is_entered: bool = False
    steps: str = ""


@frozen
class Keyword:
    """A keyword of a function that is gone, or going.

    Attributes:
      new: the keyword in its place; empty where its value becomes the first positional argument, or by hand.
      values: the texts of values that are rewritten, with what they become; empty for any value, which stays.
      alike: the texts of its values that every version takes.
      is_of_names: whether names of parameters that the function lacks are gone, and nothing else.
      place: the position of its parameter, by which versions that lack `new` take it; 0 where none does.
    """

    function: str
    old: str
    new: str
    way: Way
    life: Life
    values: tuple[tuple[str, str], ...] = ()
    alike: tuple[str, ...] = ()
    steps: str = ""
    place: int = 0
    is_of_names: bool = False


@frozen
class Positional:
    """Arguments that have to be named: `names` from the position `first` on."""

    function: str
    first: int
    names: tuple[str, ...]
    life: Life


@frozen
class Method:
    """A method or attribute of arrays that is gone.

    Attributes:
      is_of_keys: whether it is one of typed keys alone.
      new: the text in place of `x.old`, or of `x.old()` where it is called: `{x}` is the array.
    """

    old: str
    new: str
    is_called: bool
    life: Life
    parameters: tuple[str, ...] = ()
    steps: str = ""
    is_of_keys: bool = False


@frozen
class Meaning:
    """What other versions do with the same text, without raising.

    Attributes:
      since: the version from which on it is so.
      what: as a clause after the name of the function.
      unless: a keyword that settles it; empty where none does.
      is_first: whether `unless` is the first parameter, so that any positional argument settles it too.
      only_with: a keyword without which nothing differs; empty where everything does.
      position: its place where it is passed by position; 0 where it cannot be.
      alike: the texts of its values with which nothing differs.
      least: the numbers from which on nothing differs, of the parameters after the first; empty where none settles it.
      only_ints: whether it is so where the first argument is known to be integers, and nowhere else.
      is_told_once: whether a file gets one finding of it, at the first place.
    """

    function: str
    since: str
    what: str
    steps: str
    unless: str = ""
    only_with: str = ""
    position: int = 0
    alike: tuple[str, ...] = ()
    only_ints: bool = False
    is_told_once: bool = False
    is_first: bool = False
    least: tuple[float, ...] = ()

    @property
    def package(self) -> str:
        """The one whose versions its `since` counts."""
        return self.function.partition(".")[0]


Row = Name | Keyword | Positional | Method | Meaning


def version(text: str) -> Version:
    """The numbers of a version."""
    return tuple(map(int, text.split(".")))


def family(old: str, new: str, lasts: tuple[str, ...], way: Way, life: Life, older: str = "") -> tuple[Name, ...]:
    """Names that begin alike, and so do what takes their places."""
    return tuple(Name(f"{old}{last}", f"{new}{last}", way, life, f"{older}{last}" if older else "") for last in lasts)
