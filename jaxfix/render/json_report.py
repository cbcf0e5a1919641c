"""The machine's view of a run: one JSON document, schema 1."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence

from jaxfix.render.estimate import in_words
from jaxfix.report.campaign import Campaign
from jaxfix.report.change import Proven
from jaxfix.report.report import Diagnostic, Report
from jaxfix.report.seal import closed
from jaxfix.report.upgrade import State, line_count
from jaxfix.report.wire import to_json


def findings(
    report: Report, *, not_shown: int, baselines: Sequence[Mapping[str, object]] = (), statistics: bool = False
) -> str:
    """`{"schema": 1, "findings": [...], "errors": [...], "not_shown": 2}`, paths relative to where jaxfix ran.

    Args:
      not_shown: how many findings `--all` would add.
      baselines: what they know, which is not part of `findings`; there only if there are any.
      statistics: whether to tell how many findings each codemod has, beside them.
    """
    numbers = Counter(entry.id for entry in report.findings).most_common()
    more = ({"baselines": list(baselines)} if baselines else {}) | ({"statistics": dict(numbers)} if statistics else {})
    return _document(_found(report) | {"not_shown": not_shown} | more)


def applied(report: Report, *, written: bool) -> str:
    """As `findings`, for the remaining ones, with `fixes`, `generated`, `held`, `evidence`, `together` and `run`."""
    document = _found(report)
    document["written"] = written
    document["fixes"] = [
        {"path": patch.path, "id": fix.codemod, "title": fix.title, "safety": fix.safety.value, "key": fix.key}
        | {"seen": to_json(report.seen.get((patch.path, fix.key)))}
        for patch in report.patches
        for fix in patch.applied
    ]
    document["generated"] = [
        {"path": entry.path, "new": entry.before is None, "functions": list(entry.functions)}
        for entry in report.generated
        if entry.before != entry.after
    ]
    document["held"] = [
        {
            "path": patch.path,
            "id": held.fix.codemod,
            "title": held.fix.title,
            "key": held.fix.key,
            "reason": held.reason.text,
            "reason_code": held.reason.code,
            "seen": to_json(report.seen.get((patch.path, held.fix.key))),
        }
        for patch in report.patches
        for held in patch.held
    ]
    document["evidence"] = [to_json(receipt) for receipt in report.evidence]
    document["together"] = [to_json(comparison) for comparison in report.together]
    document["run"] = to_json(report.went)
    return _document(closed(document, report.seal))


def proven(found: Proven) -> str:
    """What was shown of a change: `{"schema": 1, "verdict": "proven", "evidence": [...], "uncompared": [...]}`."""
    document = to_json(found)
    assert isinstance(document, dict)
    return _document(closed(document, found.seal))


def upgrade(state: State) -> str:
    """What another version makes of a project: `{"schema": 1, "to": "0.12", "raises_today": 2, ...}`."""
    found = Report(state.findings, state.errors)
    versions = {"from": state.came_from, "today": state.today, "to": state.to}
    told = {name: ".".join(map(str, each)) if each is not None else None for name, each in versions.items()}
    numbers = {
        "raises_today": line_count(state.raises_today),
        "raises_at_the_target": line_count(state.raises_later),
        "warns": line_count(state.warns),
        "differs": line_count(state.differs),
        "safe": len(state.safe),
        "renames": len(state.renames),
        "needs_evidence": len(state.proving),
        "by_hand": len(state.by_hand),
    }
    document = _found(found)
    document["findings"] = [_finding(each) | {"fate": to_json(each.fate)} for each in state.findings]
    return _document({"schema": document.pop("schema")} | told | {"files": state.files} | numbers | document)


def campaign(found: Campaign) -> str:
    """What was shown of many repositories: `{"schema": 1, "repositories": [{"name": "a", "proven": 2, ...}], ...}`."""
    document = to_json(found)
    assert isinstance(document, dict)
    return _document(document)


def _found(report: Report) -> dict[str, object]:
    found = [_finding(entry) for entry in report.findings]
    return {"schema": report.schema, "findings": found, "errors": list(report.errors)}


def _finding(diagnostic: Diagnostic) -> dict[str, object]:
    declined = diagnostic.declined
    return {
        "path": diagnostic.path,
        **({} if diagnostic.cell is None else {"cell": diagnostic.cell}),
        "line": diagnostic.line,
        "column": diagnostic.column,
        "end_line": diagnostic.end_line,
        "end_column": diagnostic.end_column,
        "id": diagnostic.id,
        "message": diagnostic.message,
        "confidence": diagnostic.confidence.value,
        **({} if diagnostic.certain_if is None else {"certain_if": diagnostic.certain_if}),
        **({} if (words := in_words(diagnostic)) is None else {"estimate": words}),
        "safety": diagnostic.safety.value,
        "title": diagnostic.title,
        "fixable": diagnostic.fixable,
        "declined": declined.text if declined is not None else None,
        "declined_code": declined.code if declined is not None else None,
        "declined_line": declined.at if declined is not None else None,
        "seen": to_json(diagnostic.seen),
        "related": [to_json(entry) for entry in diagnostic.related],
    }


def _document(document: dict[str, object]) -> str:
    return json.dumps(document, indent=2) + "\n"
