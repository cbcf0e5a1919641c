"""What the page gets, as JSON; `web/review/src/types.ts` has the same names."""

import os
import re
import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from difflib import SequenceMatcher
from pathlib import Path

from jaxfix import __version__, docs
from jaxfix.drivers.review import own_text
from jaxfix.drivers.review.look import Look, agenda_digest
from jaxfix.drivers.review.plan import FileChange, Plan
from jaxfix.drivers.review.state import ReviewState
from jaxfix.drivers.workflow.agenda import Agenda
from jaxfix.drivers.workflow.candidates import Candidate, alone
from jaxfix.drivers.workflow.decisions import Decisions, Name
from jaxfix.drivers.workflow.proof import Rerun
from jaxfix.drivers.workflow.targets import Target
from jaxfix.render.account import Known
from jaxfix.render.paint import printable
from jaxfix.render.receipts import told
from jaxfix.report.evidence import Comparison, Evidence
from jaxfix.report.report import Patch
from jaxfix.report.wire import to_json
from jaxfix.semantic.codemod import Codemod
from jaxfix.source.errors import SourceError
from jaxfix.source.source_file import SourceFile

SCHEMA = 1
EDITED = "edited by you: no rerun has checked it"
_CASES = 24
"""The number of comparisons of one receipt to show; the most informative come first."""
_LINE = re.compile(r"\r\n|\n|\r")


def document(
    seen: Look, decided: Decisions, together: Sequence[Comparison], rerun: Rerun, kind: str
) -> dict[str, object]:
    """The document without its volatile parts.

    Args:
      kind: `review`, or `report` for what cannot be decided any more.
    """
    sources = {target.source.path: target for target in seen.session.looked_at.targets}
    paths = list(dict.fromkeys(entry.name.path for entry in seen.found))
    numbers = {entry.name: number for number, entry in enumerate(seen.found)}
    ids = {entry.fix.codemod for entry in seen.found}
    codemods = {codemod.id: codemod for target in sources.values() for codemod in target.codemods}
    fixable = sum(entry.fixable for entry in seen.session.found.diagnostics)
    return {
        "schema": SCHEMA,
        "kind": kind,
        "number": seen.number,
        "version": __version__,
        "project": printable(_short(seen.root) if kind == "review" else seen.root.name),
        "made": datetime.now().astimezone().isoformat(sep=" ", timespec="minutes"),
        "files": [{"path": printable(path), "text": _text(sources[path].source)} for path in paths],
        "fixes": [_fix(entry, paths, numbers, decided, sources[entry.name.path]) for entry in seen.found],
        "rules": {name: _rule(codemods[name]) for name in sorted(ids)},
        "together": [to_json(entry) for entry in together],
        "unfixable": len(seen.session.found.diagnostics) - fixable,
        "errors": [printable(text) for text in seen.problems],
        "notes": [printable(text) for text in seen.notes],
        "agenda": _agenda(seen.agenda, seen, rerun) if seen.agenda is not None else None,
        "choices": choices(seen, decided),
    }


def state(review: ReviewState) -> dict[str, object]:
    """What changes from moment to moment."""
    with review.lock:
        written = review.written
        return {
            "revision": review.revision,
            "document": review.seen.number,
            "choices": choices(review.seen, review.decisions),
            "can_undo": review.can_undo,
            "can_forget": review.can_forget,
            "run": {
                "state": review.run.state,
                "title": printable(review.run.title),
                "step": printable(review.run.step),
                "done": review.run.done,
                "log": [printable(line) for line in review.run.log],
                "message": printable(review.run.message),
                "seconds": round(time.monotonic() - review.run.begun, 1),
            },
            "written": None
            if written is None
            else {
                "number": written.mark.number,
                "files": [_change(entry) for entry in written.files],
                "fixes": [printable(title) for title in written.titles],
                "undone": written.undone,
            },
            "changed": [printable(path) for path in review.changed],
            "problem": None if review.problem is None else printable(review.problem),
        }


def plan(made: Plan) -> dict[str, object]:
    """What a write would do."""
    return {
        "digest": made.digest,
        "files": [_change(entry) for entry in made.files],
        "fixes": [printable(title) for title in made.titles],
        "unmade": [{"fix": number, "reason": printable(reason)} for number, reason in made.unmade],
        "unproven": list(made.unproven),
        "problem": None if made.problem is None else printable(made.problem),
    }


def changes(before: str, after: str) -> list[tuple[int, int, list[str]]]:
    """What turns the lines of one text into those of the other: where, how many go, and which come."""
    old, new = _lines(before), _lines(after)
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    inner, fresh = old[start : len(old) - end], new[start : len(new) - end]
    matcher = SequenceMatcher(None, inner, fresh, autojunk=False)
    return [
        (start + first, last - first, fresh[begin:stop])
        for kind, first, last, begin, stop in matcher.get_opcodes()
        if kind != "equal"
    ]


def _short(path: Path) -> str:
    home = os.path.expanduser("~")
    return f"~/{path.relative_to(home).as_posix()}" if home != "~" and path.is_relative_to(home) else str(path)


def _lines(text: str) -> list[str]:
    found = _LINE.split(text)
    return found[:-1] if found[-1] == "" else found


def choices(seen: Look, decided: Decisions) -> list[str | None]:
    """What is decided of each fix."""
    made = (decided.of(entry.name) for entry in seen.found)
    return [None if choice is None else choice.value for choice in made]


def _fix(
    entry: Candidate, paths: list[str], numbers: Mapping[Name, int], decided: Decisions, target: Target
) -> dict[str, object]:
    diagnostic, fix, edited = entry.diagnostic, entry.fix, decided.edited.get(entry.name)
    patch = entry.patch if edited is None else alone(target.source, fix, edited)
    before, after = _text_of(patch, patch.before, target), _text_of(patch, patch.after, target)
    path = entry.name.path
    others = [numbers.get(Name(path, other.key)) for other in entry.overlaps if other.lost is not None]
    known = entry.known if edited is None else None  # of this text no rerun has shown anything
    held = entry.impossible or (entry.held if edited is None else EDITED)
    return {
        "file": paths.index(path),
        "codemod": fix.codemod,
        "title": printable(fix.title),
        "message": printable(diagnostic.message),
        "line": diagnostic.line,
        "cell": diagnostic.cell,
        "function": printable(fix.function),
        "confidence": diagnostic.confidence.value,
        "safety": "display-only" if entry.impossible is not None else fix.safety.value,
        "equality": fix.promise,
        "held": None if held is None else printable(held),
        "base": before if patch.before != target.source.raw else None,
        "changes": changes(before, after),
        "needs": [numbers[other] for key in entry.needs if (other := Name(path, key)) in numbers],
        "edited": edited is not None,
        "editable": own_text.obstacle(entry, target) is None,
        "helpers": list(fix.helpers),
        "conflicts": [other for other in others if other is not None],
        "proof": _receipt(known) if known is not None and known.when is None else None,
        "past": _receipt(known) if known is not None and known.when is not None else None,
    }


def _receipt(known: Known) -> dict[str, object]:
    evidence = known.evidence
    machine = evidence.environment
    return {
        "verdict": evidence.verdict.value,
        "story": printable(told(evidence)),
        "command": printable(evidence.command),
        "machine": "" if machine is None else f"{machine.device}, jax {machine.jax}, Python {machine.python}",
        "when": known.when,
        "expired": list(known.expired),
        "comparisons": [to_json(entry) for entry in _telling(evidence)],
    }


def _telling(evidence: Evidence) -> list[Comparison]:
    """Those with the verdict of the whole first, and of these the largest drop."""

    def order(entry: Comparison) -> tuple[bool, int, int]:
        before, after = entry.before, entry.after
        return (
            entry.verdict is not evidence.verdict,
            after.steady_compiles - before.steady_compiles,
            after.compiles - before.compiles,
        )

    return sorted(evidence.comparisons, key=order)[:_CASES]


def _rule(codemod: Codemod) -> dict[str, object]:
    page = docs.page(codemod)
    return {
        "summary": page.summary,
        "why": page.why,
        "safety": page.safety,
        "evidence": page.evidence,
        "source": page.source,
    }


def _agenda(shown: Agenda, seen: Look, rerun: Rerun) -> dict[str, object]:
    return {
        "command": None if shown.command is None else printable(shown.command),
        "project": printable(str(shown.project)),
        "folder": printable(str(shown.folder)),
        "drives": [printable(str(path)) for path in shown.drives],
        "python": printable(shown.python),
        "place": printable(rerun.target.name),
        "timeout": f"{rerun.timeout_s / 60:g} min" if rerun.timeout_s >= 60 else f"{rerun.timeout_s:g} s",
        "waiting": len(seen.found),
        "digest": agenda_digest(shown),
    }


def _change(change: FileChange) -> dict[str, object]:
    before = "" if change.before is None else _decoded(change.path, change.before)
    after = _decoded(change.path, change.after)
    return {
        "path": printable(change.path),
        "text": before,
        "changes": changes(before, after),
        "isNew": change.before is None,
    }


def _text_of(patch: Patch, raw: bytes, target: Target) -> str:
    return _text(target.source) if raw == target.source.raw else _decoded(patch.path, raw)


def _decoded(path: str, raw: bytes) -> str:
    try:
        return _text(SourceFile.decode(path, raw))
    except SourceError:
        return raw.decode(errors="replace")


def _text(source: SourceFile) -> str:
    return source.original.decode()
