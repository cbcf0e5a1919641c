"""A baseline: the findings that a project lives with for now, so that only new ones count."""

import json
from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from jaxfix.report.report import Diagnostic
from jaxfix.report.wire import from_json, to_json
from jaxfix.source.errors import ConfigError
from jaxfix.source.frozen import frozen

FORMAT = "jaxfix baseline"
SCHEMA = 1
_CONFLICT = ("<<<<<<< ", "=======", ">>>>>>> ")


class Key(NamedTuple):
    """What makes two findings the same one."""

    path: str
    id: str
    function: str
    digest: str


@frozen
class Entry:
    """Findings of one kind in one statement.

    Attributes:
      path: with `/`, from the folder of the baseline.
      text: the first line of the statement, for a person.
      count: how many they are.
    """

    path: str
    id: str
    function: str
    text: str
    digest: str
    count: int

    @property
    def key(self) -> Key:
        return Key(self.path, self.id, self.function, self.digest)


@frozen
class Baseline:
    """The entries of a file, sorted, each key once; `lines` says where in the file they stand."""

    entries: tuple[Entry, ...] = ()
    lines: tuple[int | None, ...] = ()


@frozen
class _File:
    findings: tuple[Entry, ...]


@frozen
class Occurrence:
    """A finding, and how a baseline calls its file."""

    path: str
    diagnostic: Diagnostic

    @property
    def key(self) -> Key:
        anchor = self.diagnostic.anchor
        return Key(self.path, self.diagnostic.id, anchor.function, anchor.digest)


@frozen
class Stale:
    """An entry of which fewer findings are left than it counts; `line` is where it is in the file."""

    entry: Entry
    found: int
    line: int | None


@frozen
class Comparison:
    """What a baseline makes of findings.

    Attributes:
      renamed: files that have another name now, by the old one.
    """

    known: tuple[Occurrence, ...]
    new: tuple[Occurrence, ...]
    stale: tuple[Stale, ...]
    renamed: dict[str, str]


Judged = Callable[[Entry], bool]
"""Whether all findings that an entry may stand for were looked for."""


def load(raw: bytes, path: str) -> Baseline:
    """Reads a baseline.

    Raises:
      ConfigError: it is not JSON, no baseline, or of a schema that this version does not read; names `path`.
    """
    try:
        text = raw.decode()
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: {_unread(raw, error)}", hint=_hint(raw)) from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ConfigError(f"{path}: not a baseline of jaxfix", hint="name another file, or delete this one")
    if document.get("schema") != SCHEMA:
        said = f"{path}: a baseline of schema {document.get('schema')!r}, and this jaxfix reads schema {SCHEMA}"
        raise ConfigError(said, hint="use the version of jaxfix that wrote it, or a newer one")
    try:
        found = from_json(_File, document).findings
    except ValueError as error:
        hint = "put back an older version of it, or delete it and pass `--update-baseline`"
        raise ConfigError(f"{path}: a damaged baseline: {error}", hint=hint) from error
    entries = _once(entry for entry in found if entry.count > 0)
    lines = {line.strip().rstrip(","): number for number, line in reversed([*enumerate(text.splitlines(), 1)])}
    return Baseline(entries, tuple(lines.get(_line(entry)) for entry in entries))


def dump(entries: Iterable[Entry]) -> bytes:
    """The file: one entry a line, sorted, so that versions of it compare and merge line by line."""
    lines = ",\n".join(f"    {_line(entry)}" for entry in _once(entries))
    listed = f"[\n{lines}\n  ]" if lines else "[]"
    return f'{{\n  "format": {json.dumps(FORMAT)},\n  "schema": {SCHEMA},\n  "findings": {listed}\n}}\n'.encode()


def compare(
    baseline: Baseline, found: Sequence[Occurrence], is_judged: Judged, gone: Container[str], looked_at: Iterable[str]
) -> Comparison:
    """Splits findings into known and new, and names entries without a finding.

    Args:
      found: where some of equal ones are to be known, those that come first.
      gone: files of which there is none any more.
      looked_at: all files whose findings are in `found`, should they have any.
    """
    renamed = _renamed(baseline.entries, found, gone, looked_at)
    entries = [replace(entry, path=renamed.get(entry.path, entry.path)) for entry in baseline.entries]
    left = Counter({entry.key: entry.count for entry in entries})
    known: list[Occurrence] = []
    new: list[Occurrence] = []
    for occurrence in found:
        side = known if left[occurrence.key] > 0 else new
        side.append(occurrence)
        left[occurrence.key] -= 1
    stale = tuple(
        Stale(entry, entry.count - left[entry.key], line)
        for entry, line in zip(entries, baseline.lines, strict=True)
        if left[entry.key] > 0 and is_judged(entry)
    )
    return Comparison(tuple(known), tuple(new), stale, renamed)


def updated(
    baseline: Baseline, comparison: Comparison, recorded: Iterable[Occurrence], is_judged: Judged
) -> tuple[Entry, ...]:
    """The entries of `recorded`, and those of which this run cannot tell.

    Args:
      recorded: the findings that shall be known from now on.
    """
    renamed = comparison.renamed
    old = [replace(entry, path=renamed.get(entry.path, entry.path)) for entry in baseline.entries]
    texts = {entry.key: entry.text for entry in old}
    counts = Counter(occurrence.key for occurrence in recorded)
    first = {o.key: o.diagnostic.anchor.text for o in reversed([*comparison.known, *comparison.new])}
    kept = [entry for entry in old if not is_judged(entry) and entry.key not in counts]
    return _once([*kept, *(_entry(key, texts.get(key, first[key]), number) for key, number in counts.items())])


def _entry(key: Key, text: str, count: int) -> Entry:
    return Entry(key.path, key.id, key.function, text, key.digest, count)


def _renamed(
    entries: Sequence[Entry], found: Sequence[Occurrence], gone: Container[str], looked_at: Iterable[str]
) -> dict[str, str]:
    """Files that are gone, each with the one that has most of its findings now and had none before."""
    told = {entry.path for entry in entries}
    free = {path: Counter(o.key[1:] for o in found if o.path == path) for path in looked_at if path not in told}
    names: dict[str, str] = {}
    for old in sorted(path for path in told if path in gone):
        wanted = Counter({entry.key[1:]: entry.count for entry in entries if entry.path == old})
        alike = {new: (wanted & has).total() for new, has in free.items() if (wanted & has).total()}
        if alike:
            best = min(alike, key=lambda new: (-alike[new], _name(new) != _name(old), new))
            names[old] = best
            del free[best]
    return names


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _once(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Sorted; of entries that a merge has doubled the one that counts most."""
    found: dict[Key, Entry] = {}
    for entry in entries:
        other = found.get(entry.key)
        if other is None or other.count < entry.count:
            found[entry.key] = entry
    return tuple(sorted(found.values(), key=lambda entry: (entry.path, entry.function, entry.text, entry.key)))


def _line(entry: Entry) -> str:
    readable = json.dumps(to_json(entry), ensure_ascii=False)
    return readable if readable.isprintable() else json.dumps(to_json(entry))


def _is_conflict(raw: bytes) -> bool:
    return any(line.startswith(_CONFLICT) for line in raw.decode(errors="replace").splitlines())


def _unread(raw: bytes, error: Exception) -> str:
    return "holds a merge conflict" if _is_conflict(raw) else f"not JSON: {error}"


def _hint(raw: bytes) -> str:
    if _is_conflict(raw):
        return "resolve it to either side, then pass `--update-baseline`"
    return "name another file, or delete this one"
