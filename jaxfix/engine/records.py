"""Records as text, and back: what one survey finds out, for the next one."""

import json
from collections.abc import Iterable

from jaxfix.engine.unit import Look, Record
from jaxfix.report.report import Diagnostic
from jaxfix.report.wire import from_json, to_json
from jaxfix.semantic.project.query import QUERIES, Asked
from jaxfix.semantic.project.summary_types import Factory, Facts, Jit, Use, Wrapping

# JSON, of whatever shape: each function that reads it raises where the shape is another one.
_Data = dict[str, object]
_STRINGS = ("stars", "rebinds", "stored", "own", "mentions", "hides", "attributes", "asks")
"""What of `Facts` is a tuple of strings."""
_LATER = ("remembers", "fills")
"""Such of which nothing is known until it is asked for."""


def as_text(record: Record) -> str:
    """The record of a unit that could be analysed, and in which no codemod has broken."""
    look = record.look
    data = {
        "asked": _by_query(look.asked),
        "told": [[query, about, to_json(answer)] for (query, about), answer in look.told.items()],
        "diagnostics": to_json(look.diagnostics),
        "facts": record.facts and _of_facts(record.facts),
        "uses": to_json(record.uses),
    }
    return json.dumps({name: value for name, value in data.items() if value}, separators=(",", ":"))


def of_text(text: str | bytes) -> Record:
    """The record that `as_text` made the text of.

    Raises:
      ValueError: nobody did.
    """
    try:
        data = json.loads(text)
        look = Look(
            tuple(from_json(Diagnostic, each) for each in data.get("diagnostics", ())),
            asked=frozenset(_asked(data["asked"])),
            told=dict(_answers(data.get("told", ()))),
        )
        facts = data.get("facts")
        uses = {name: tuple(from_json(Use, each) for each in some) for name, some in data.get("uses", {}).items()}
        return Record(look, _facts(facts) if facts is not None else None, uses)
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"not a record: {error!r}") from error


def _by_query(asked: Iterable[Asked]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {name: [] for name in QUERIES}
    for name, about in asked:
        found[name].append(about)
    return {name: sorted(some) for name, some in found.items()}


def _asked(data: dict[str, list[str]]) -> Iterable[Asked]:
    return ((QUERIES[name].name, about) for name, some in data.items() for about in some)


def _answers(data: Iterable[tuple[str, str, object]]) -> Iterable[tuple[Asked, object]]:
    return (((name, about), from_json(QUERIES[name].kind, told)) for name, about, told in data)


def _of_facts(facts: Facts) -> _Data:
    """As `to_json`, in a fifth of the time: every file has them."""
    names = ("name", "is_test", "aliases", "records", *_LATER, *_STRINGS)
    plain = {name: getattr(facts, name) for name in names}
    return plain | {name: to_json(getattr(facts, name)) for name in ("jits", "wraps", "factories")}


def _facts(data: _Data) -> Facts:
    """As `from_json`, in a fifth of the time."""
    strings = {name: _strings(data[name]) for name in _STRINGS}
    name, is_test, aliases = data["name"], data["is_test"], data["aliases"]
    jits, wraps, factories = data["jits"], data["wraps"], data["factories"]
    assert isinstance(jits, dict) and isinstance(wraps, dict) and isinstance(aliases, dict)
    records = data["records"]
    assert isinstance(factories, dict) and isinstance(records, dict)
    return Facts(
        str(name),
        bool(is_test),
        aliases,
        strings["stars"],
        {key: from_json(Jit, jit) for key, jit in jits.items()},
        (),
        strings["rebinds"],
        strings["stored"],
        strings["own"],
        {key: Wrapping(wrapping) for key, wrapping in wraps.items()},
        strings["mentions"],
        {key: from_json(Factory, made) for key, made in factories.items()},
        {key: _strings(fields) for key, fields in records.items()},
        strings["hides"],
        strings["attributes"],
        strings["asks"],
        *(None if data.get(name) is None else _strings(data[name]) for name in _LATER),
    )


def _strings(data: object) -> tuple[str, ...]:
    if not isinstance(data, list) or not set(map(type, data)) <= {str}:
        raise TypeError("not a list of strings")
    return tuple(data)
