"""What a client may set, read leniently: what makes no sense is ignored, and reported once."""

from collections.abc import Callable, Mapping
from dataclasses import field, fields, replace
from typing import TypeVar

from jaxfix.report.finding import Confidence
from jaxfix.source.frozen import frozen

SECTION = "jaxfix"
LEVELS = ("error", "warning", "information", "hint", "off")
_SEVERITY = {Confidence.SEEN: "warning", Confidence.CERTAIN: "warning", Confidence.POSSIBLE: "information"}
S = TypeVar("S")


@frozen
class Settings:
    """The section `jaxfix` of a client's configuration; names with capitals there have underscores here.

    Attributes:
      all: also what is slow only if it is called eagerly and repeatedly.
      severity: by confidence, one of `LEVELS`.
      python: the interpreter that runs the user's programs; None for the one of this process.
      run: the program that shows what a fix is worth; None for what the project's configuration says.
      timeout: seconds that each run of a proof may take.
      trace_file: what `jaxfix trace -o FILE` wrote, to be shown as seen.
    """

    enable: bool = True
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    all: bool = False
    severity: Mapping[Confidence, str] = field(default_factory=lambda: dict(_SEVERITY))
    python: str | None = None
    run: str | None = None
    timeout: float = 600.0
    trace_file: str | None = None
    code_lens: bool = True


@frozen
class Read:
    """Settings as they were read, and sentences about what could not be."""

    settings: Settings
    problems: tuple[str, ...]


def read(given: object, base: Settings | None = None) -> Read:
    """The settings that the JSON value `given` speaks of, the rest as in `base`."""
    if isinstance(given, Mapping) and isinstance(given.get(SECTION), Mapping):
        given = given[SECTION]  # some clients send the whole configuration
    found: dict[str, object] = {}
    problems = []
    table: Mapping[str, object] = given if isinstance(given, Mapping) else {}
    for entry in fields(Settings):
        name = _spelled(entry.name)
        if name not in table or (table[name] is None and entry.name not in _NULLABLE):
            continue
        try:
            found[entry.name] = _READERS[entry.name](table[name])
        except ValueError as error:
            problems.append(f"the setting `{SECTION}.{name}` is {error}")
    return Read(replace(base or Settings(), **found), tuple(problems))  # type: ignore[arg-type]


def _spelled(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError("neither `true` nor `false`")
    return value


def _strings(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        raise ValueError("not a list of strings")
    return tuple(value)


def _text(value: object) -> str | None:
    """Nothing said is None: clients fill in an empty string where there is no value."""
    if value is not None and (not isinstance(value, str) or "\0" in value):
        raise ValueError("no string")
    return value.strip() or None if value is not None else None


def _seconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 1 <= value < 1e6:
        raise ValueError("not a number of seconds from 1 on")
    return float(value)


def _severity(value: object) -> dict[Confidence, str]:
    if not isinstance(value, Mapping):
        raise ValueError(f"not a table of {', '.join(f'`{each.value}`' for each in Confidence)}")
    named = {each.value: each for each in Confidence}
    for key, level in value.items():
        if key not in named or level not in LEVELS:
            raise ValueError(f"wrong at `{key}`: the levels are {', '.join(f'`{each}`' for each in LEVELS)}")
    return _SEVERITY | {named[key]: level for key, level in value.items()}


def _optional(read_one: Callable[[object], S]) -> Callable[[object], S | None]:
    return lambda value: None if value is None else read_one(value)


_READERS: dict[str, Callable[[object], object]] = {
    "enable": _flag,
    "select": _optional(_strings),
    "ignore": _strings,
    "all": _flag,
    "severity": _severity,
    "python": _text,
    "run": _text,
    "timeout": _seconds,
    "trace_file": _text,
    "code_lens": _flag,
}
_NULLABLE = ("select", "python", "run", "trace_file")
