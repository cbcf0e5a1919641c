"""What a person decides of each fix: what is made of it, and what is remembered of it in `.jaxfix/decisions.json`.

A decision is known again by the codemod, the function and the statement of its finding, as a baseline knows findings:
lines may move, and code that has changed is asked about again. Who can write into a project can write this file too:
text of a person's own in it is shown again, and never made before that.
"""

import difflib
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from jaxfix.drivers import files, journal, receipts
from jaxfix.drivers.workflow.agenda import root_of
from jaxfix.drivers.workflow.planning import HINT, Plans, Taken, plans
from jaxfix.drivers.workflow.session import Session
from jaxfix.drivers.workflow.targets import Target
from jaxfix.engine.check import parses
from jaxfix.engine.plan import Accept
from jaxfix.report.finding import Fix, Safety
from jaxfix.report.reason import Code, Reason
from jaxfix.report.report import Diagnostic
from jaxfix.report.wire import from_json, to_json
from jaxfix.source.edits import Edit, Span
from jaxfix.source.errors import ConfigError, JaxfixError, SourceError, UserError, WriteError
from jaxfix.source.frozen import frozen
from jaxfix.source.source_file import SourceFile

SCHEMA = 1
REFUSED, UNDECIDED = Reason(Code.LEFT_OUT, "refused"), Reason(Code.LEFT_OUT, "not decided")
"""Why fixes are held that were not accepted."""
_GONE = "the other fixes leave nothing of it to do"
_NAME = "decisions.json"


class Choice(Enum):
    """What a person says of a fix."""

    ACCEPTED = "accepted"
    REFUSED = "refused"


class Name(NamedTuple):
    """Names a fix: the path of its source as it is shown, and its key."""

    path: str
    key: str


@frozen
class Decisions:
    """What was decided; of a fix that is not among `choices` nothing was.

    Attributes:
      edited: what a person makes of some fixes instead, as edits of the unchanged file.
    """

    choices: Mapping[Name, Choice] = field(default_factory=dict)
    edited: Mapping[Name, tuple[Edit, ...]] = field(default_factory=dict)

    def of(self, name: Name) -> Choice | None:
        return self.choices.get(name)

    def having(self, choice: Choice) -> frozenset[Name]:
        return frozenset(name for name, made in self.choices.items() if made is choice)

    def with_choice(self, names: Iterable[Name], choice: Choice | None) -> "Decisions":
        """The same with all of `names` decided so, or not any more."""
        decided = frozenset(names)
        left = {name: made for name, made in self.choices.items() if name not in decided}
        more = {} if choice is None else dict.fromkeys(sorted(decided), choice)
        return replace(self, choices={**left, **more})

    def with_text(self, name: Name, edits: tuple[Edit, ...] | None) -> "Decisions":
        """The same with a text of the person's own for one fix, or the recipe's again."""
        left = {other: text for other, text in self.edited.items() if other != name}
        return replace(self, edited=left if edits is None else {**left, name: edits})


def taken(decisions: Decisions) -> Taken:
    """Takes exactly the accepted fixes."""

    def accept(target: Target) -> Accept:
        def reason(fix: Fix) -> Reason | None:
            if fix.safety is Safety.DISPLAY_ONLY:
                return HINT
            choice = decisions.of(Name(target.source.path, fix.key))
            if choice is Choice.ACCEPTED:
                return None
            return UNDECIDED if choice is None else REFUSED

        return reason

    return accept


def planned(targets: Sequence[Target], decisions: Decisions) -> Plans:
    """What is written: the accepted fixes, and nothing else."""
    own: dict[str, dict[str, tuple[Edit, ...]]] = {}
    for name, edits in decisions.edited.items():
        own.setdefault(name.path, {})[name.key] = edits
    return plans(targets, taken(decisions), own)


@frozen
class Unmade:
    """A fix that is accepted and cannot be made, and why."""

    name: Name
    reason: str


def unmade(plans: Plans, decisions: Decisions) -> tuple[Unmade, ...]:
    """The accepted fixes that `plans` does not make, in the order of the files."""
    accepted = decisions.having(Choice.ACCEPTED)
    found = []
    for entry in plans.planned:
        made = {fix.key for fix in entry.patch.applied}
        reasons = {held.fix.key: held.reason.text for held in entry.patch.held}
        wanted = sorted(name.key for name in accepted if name.path == entry.patch.path)
        for key in (key for key in wanted if key not in made):
            found.append(Unmade(Name(entry.patch.path, key), reasons.get(key, _GONE)))
    return tuple(found)


def as_written(target: Target, name: Name, made: Decisions, raw: bytes) -> Decisions:
    """The same with one fix taken as a person writes it, in the whole file `raw`.

    Raises:
      SourceError: it is not Python, or does not go with what other fixes make of the file.
    """
    edits = rewritten(target.source, raw)
    own = made.with_choice([name], Choice.ACCEPTED).with_text(name, edits)
    if bugs := planned([target], own).bugs:
        raise SourceError(target.source.path, f"what you wrote does not fit the other fixes: {bugs[0]}")
    return own


def rewritten(source: SourceFile, raw: bytes) -> tuple[Edit, ...]:
    """What turns `source` into the file `raw`, line by line.

    Raises:
      SourceError: `raw` is not Python, or in another encoding, or another notebook around its Python.
    """
    new = SourceFile.decode(source.path, raw)
    if (new.encoding, new.bom) != (source.encoding, source.bom):
        raise SourceError(source.path, f"was {source.encoding}, and is {new.encoding} now", hint="leave that unchanged")
    if not parses(new.text):
        raise SourceError(source.path, "what you wrote is not valid Python")
    parts = [(0, source.text, new.text)]
    if source.notebook is not None and new.notebook is not None:
        cells = zip(source.notebook.cells, new.notebook.cells, strict=False)
        parts = [(old.span.start, old.masked.text, now.masked.text) for old, now in cells]
    edits = tuple(edit for part in parts for edit in _edits(*part))
    if not source.edited(edits).says_as(new):
        raise SourceError(source.path, "what you wrote changes more of the notebook than Python in its cells")
    return edits


def _edits(at: int, old: bytes, new: bytes) -> tuple[Edit, ...]:
    """The edits that turn `old`, at `at`, into `new`."""
    old_lines, new_lines = (text.splitlines(keepends=True) for text in (old, new))
    matcher = difflib.SequenceMatcher(None, old_lines, new_lines, autojunk=False)
    starts = [0]
    for line in old_lines:
        starts.append(starts[-1] + len(line))
    return tuple(
        Edit(Span(at + starts[first], at + starts[last]), b"".join(new_lines[start:end]).decode())
        for kind, first, last, start, end in matcher.get_opcodes()
        if kind != "equal"
    )


# what is remembered


@frozen
class Kept:
    """One decision as it is kept.

    Attributes:
      path: from the root of the project with `/`, or absolute where it lies elsewhere.
      id: of the codemod; `function`, `digest` and `text` are those of the finding's anchor, `text` for people.
      nth: which one, from 0, of equal findings in one statement.
      choice: None where only a text of the person's own is kept.
      edits: that text, for the file whose sha256 is `of_sha256`.
    """

    path: str
    id: str
    function: str
    digest: str
    nth: int
    text: str
    choice: Choice | None
    edits: tuple[Edit, ...] = ()
    of_sha256: str | None = None

    @property
    def known_by(self) -> tuple[str, str, str, str, int]:
        return self.path, self.id, self.function, self.digest, self.nth


@frozen
class _File:
    decisions: tuple[Kept, ...]


@frozen
class Memory:
    """What a project remembers of decisions.

    Attributes:
      problem: why that cannot be determined.
      is_newer: whether that is because a newer jaxfix has written it, which shall find it again.
    """

    root: Path
    kept: tuple[Kept, ...] = ()
    problem: str | None = None
    is_newer: bool = False


def memory(session: Session) -> Memory:
    """What is remembered in the project that is analysed; a file that cannot be read is named, and ignored."""
    root = _root(session)
    try:
        return Memory(root, _read(root / journal.FOLDER / _NAME))
    except ConfigError as error:
        return Memory(root, problem=str(error), is_newer=True)
    except UserError as error:
        return Memory(root, problem=str(error))


def recalled(memory: Memory, session: Session, late: Sequence[Diagnostic] = ()) -> Decisions:
    """Earlier decisions on present findings; a person's own text, without the choice of taking it.

    Args:
      late: of fixes that only others make possible, which `session` does not have.
    """
    kept = {entry.known_by: entry for entry in memory.kept}
    choices: dict[Name, Choice] = {}
    edited: dict[Name, tuple[Edit, ...]] = {}
    sources = {target.source.path: target.source for target in session.looked_at.targets}
    for name, fresh in _named(session, memory.root, late):
        entry = kept.get(fresh.known_by)
        if entry is None:
            continue
        is_own = bool(entry.edits)
        if entry.choice is not None and not (is_own and entry.choice is Choice.ACCEPTED):
            choices[name] = entry.choice
        if is_own and entry.of_sha256 == _sha256(sources[name.path].raw) and _can_be_made(sources[name.path], entry):
            edited[name] = entry.edits
    return Decisions(choices, edited)


def keep(session: Session, decisions: Decisions, late: Sequence[Diagnostic] = ()) -> None:
    """Remembers `decisions` of everything that the session found, and of `late`, and what there was of the rest.

    Raises:
      WriteError: it cannot be kept.
    """
    sources = {target.source.path: target.source for target in session.looked_at.targets}
    root = _root(session)
    fresh: dict[object, Kept] = {}
    for name, entry in _named(session, root, late):
        edits = decisions.edited.get(name, ())
        of = _sha256(sources[name.path].raw) if edits else None
        fresh[entry.known_by] = replace(entry, choice=decisions.of(name), edits=edits, of_sha256=of)
    with journal.held(root):
        before = memory(session)
        others = [entry for entry in before.kept if entry.known_by not in fresh]
        _write(before, [*others, *(entry for entry in fresh.values() if entry.choice is not None or entry.edits)])


def forget(session: Session) -> int:
    """Drops what is remembered of the files that are analysed; returns how many decisions those were.

    Raises:
      WriteError: that cannot be kept.
    """
    before = memory(session)
    if not before.kept and before.problem is None:
        return 0
    paths = [target.path for target in session.looked_at.targets if target.path is not None]
    looked_at = {receipts.relative_to(before.root, path) for path in paths}
    with journal.held(before.root):
        before = memory(session)
        left = [entry for entry in before.kept if entry.path not in looked_at]
        _write(before, left)
    return len(before.kept) - len(left)


def _can_be_made(source: SourceFile, entry: Kept) -> bool:
    """Whether a person's own text is Python in its place: other programs can write into the memory."""
    try:
        rewritten(source, source.edited(entry.edits).raw)
    except (JaxfixError, ValueError):
        return False
    return True


def _root(session: Session) -> Path:
    targets = session.looked_at.targets
    return root_of([target.path for target in targets if target.path is not None and target.module is None])


def _named(session: Session, root: Path, late: Sequence[Diagnostic]) -> Iterator[tuple[Name, Kept]]:
    """Every fix that is found, and what it is known by."""
    paths = {target.source.path: target.path for target in session.looked_at.targets}
    named = {shown: receipts.relative_to(root, path) for shown, path in paths.items() if path is not None}
    count: Counter[tuple[str, str, str, str, int]] = Counter()
    for diagnostic in (*session.found.diagnostics, *late):
        if diagnostic.path in named:
            first = _kept(diagnostic, named[diagnostic.path])
            yield Name(diagnostic.path, diagnostic.key), replace(first, nth=count[first.known_by])
            count[first.known_by] += 1


def _kept(diagnostic: Diagnostic, path: str) -> Kept:
    anchor = diagnostic.anchor
    return Kept(path, diagnostic.id, anchor.function, anchor.digest, 0, anchor.text, None)


def _read(path: Path) -> tuple[Kept, ...]:
    if not files.stands(path):
        return ()
    try:
        document = json.loads(files.read_bytes(path))
        schema = document["schema"]
        found = from_json(_File, document).decisions if schema == SCHEMA else ()
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UserError(f"{files.shown(path)}: not a list of decisions: ignored", hint="delete it") from error
    if schema != SCHEMA:
        raise ConfigError(f"{files.shown(path)}: schema {schema}, and this jaxfix knows {SCHEMA}: ignored")
    return found


def _write(before: Memory, kept: Sequence[Kept]) -> None:
    """Takes the place of `before`, read in the same turn: another jaxfix may be remembering something, too."""
    if before.is_newer:
        raise WriteError(f"nothing is remembered: {before.problem}")
    entries = sorted(kept, key=lambda entry: entry.known_by)
    raw = json.dumps({"schema": SCHEMA, "decisions": to_json(tuple(entries))}, indent=1).encode() + b"\n"
    files.write_bytes(journal.home(before.root) / _NAME, raw)


def _sha256(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()
