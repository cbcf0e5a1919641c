"""What the versions in play make of a row of the table."""

from jaxfix.api import Code, Module, Reason
from jaxfix.api.library import Fate, Keyword, Method, Name, Positional, version

Row = Name | Keyword | Positional | Method


def package_of(row: Row) -> str:
    match row:
        case Name(old=name):
            pass
        case Keyword(function=name) | Positional(function=name):
            pass
        case Method():
            return "jax"
    return name.partition(".")[0]


def _is_of_jax(row: Row) -> bool:
    return package_of(row).startswith("jax")  # jaxlib has its versions


def fate(module: Module, row: Row) -> Fate | None:
    """What becomes of it with the version in use, or the newest where none is known.

    Returns:
      None where all is well, with it or with every version that the project admits.
    """
    life, own = row.life, module.surroundings.name
    if own is not None and own.partition(".")[0] == package_of(row):
        return None  # the package itself knows what it has
    if not (_has_come(module, row, life.removed) or _has_come(module, row, life.deprecated)):
        return None
    return Fate(package_of(row), warns=life.deprecated, raises=life.removed)


def is_gone(module: Module, row: Row) -> bool:
    """Whether the version in use is without it, and the project admits one that is."""
    return _has_come(module, row, row.life.removed)


def _has_come(module: Module, row: Row, since: str) -> bool:
    in_use = module.surroundings.in_use(_distribution(row))
    is_admitted = bool(since) and module.surroundings.admits(_distribution(row), version(since))
    return is_admitted and (in_use is None or in_use >= version(since))


def _distribution(row: Row) -> str:
    """The package that has the versions of the row."""
    return "jax" if _is_of_jax(row) else package_of(row)


def lacks_new(module: Module, row: Row) -> bool:
    """Whether a version in play is without its replacement: the one in use, or one that the project admits."""
    since = row.life.since
    return bool(since) and module.surroundings.may_be_before(version(since), _distribution(row))


def too_new(row: Row, new: str) -> Reason:
    """Why it is left alone where `lacks_new`; `new` as a person reads it."""
    since = row.life.since
    cure = f": `jaxfix upgrade --from {since}` rewrites it" if _is_of_jax(row) else ": raise its lower bound"
    told = f"{new} came with {package_of(row)} {since}, and the project allows or has an older one{cure}"
    return Reason(Code.OLDER_VERSION, told)


def words(row: Row, what: str, module: Module, *, number: int = 1) -> str:
    """The message of a finding about `number` things."""
    life, package = row.life, package_of(row)
    are = "is" if number == 1 else "are"
    if is_gone(module, row):
        return f"{what} {are} gone since {package} {life.removed}: the line raises"
    later = f", and gone since {life.removed}" if life.removed else ""
    return f"{what} {are} deprecated since {package} {life.deprecated}{later}"


def by_hand(row: Name | Keyword | Method) -> Reason:
    return Reason(Code.BY_HAND, row.steps or "its replacement takes other arguments")
