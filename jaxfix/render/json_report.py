"""The machine's view of a run: one JSON document, schema 1."""

import json
from collections.abc import Iterable, Sequence

from jaxfix.core.codec import to_json
from jaxfix.core.report import SCHEMA, Diagnostic, Evidence, Patch


def findings(diagnostics: Iterable[Diagnostic], errors: Sequence[str]) -> str:
    """`{"schema": 1, "findings": [...], "errors": [...]}`, paths relative to where jaxfix ran."""
    return _document(_found(diagnostics, errors))


def applied(
    diagnostics: Iterable[Diagnostic],
    errors: Sequence[str],
    patches: Iterable[Patch],
    evidence: Iterable[Evidence],
    *,
    written: bool,
) -> str:
    """As `findings`, of what remains, with `fixes`, `held` and `evidence`."""
    patches = tuple(patches)
    document = _found(diagnostics, errors)
    document["written"] = written
    document["fixes"] = [
        {"path": patch.path, "id": fix.codemod, "title": fix.title, "safety": fix.safety.value, "key": fix.key}
        for patch in patches
        for fix in patch.applied
    ]
    document["held"] = [
        {
            "path": patch.path,
            "id": held.fix.codemod,
            "title": held.fix.title,
            "key": held.fix.key,
            "reason": held.reason,
        }
        for patch in patches
        for held in patch.held
    ]
    document["evidence"] = [to_json(receipt) for receipt in evidence]
    return _document(document)


def _found(diagnostics: Iterable[Diagnostic], errors: Sequence[str]) -> dict[str, object]:
    return {"schema": SCHEMA, "findings": [_finding(entry) for entry in diagnostics], "errors": list(errors)}


def _finding(diagnostic: Diagnostic) -> dict[str, object]:
    return {
        "path": diagnostic.path,
        "line": diagnostic.line,
        "column": diagnostic.column,
        "end_line": diagnostic.end_line,
        "end_column": diagnostic.end_column,
        "id": diagnostic.id,
        "message": diagnostic.message,
        "confidence": diagnostic.confidence.value,
        "safety": diagnostic.safety.value,
        "title": diagnostic.title,
        "fixable": diagnostic.fixable,
        "declined": diagnostic.declined,
    }


def _document(document: dict[str, object]) -> str:
    return json.dumps(document, indent=2) + "\n"
