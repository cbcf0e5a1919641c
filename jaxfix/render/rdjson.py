"""Findings in the Diagnostic Format of reviewdog, with suggestions that a reviewer takes over with a click."""

import json

from jaxfix.render.account import Account, StaleEntry
from jaxfix.render.placing import Place, Region, joined, place_in_bytes, region
from jaxfix.report.finding import Confidence
from jaxfix.report.report import Diagnostic
from jaxfix.source.edits import Span
from jaxfix.source.source_file import SourceFile

_SEVERITIES = {Confidence.POSSIBLE: "INFO", Confidence.CERTAIN: "WARNING", Confidence.SEEN: "WARNING"}


def result(account: Account) -> str:
    """A `DiagnosticResult`; its columns count bytes, its paths start where jaxfix runs."""
    urls = {rule.id: rule.url for rule in account.rules}
    found = [_diagnostic(account, finding, urls.get(finding.id)) for finding in account.report.findings]
    found += [_stale(entry) for entry in account.stale]
    return json.dumps({"source": {"name": "jaxfix"}, "severity": "WARNING", "diagnostics": found}, indent=2) + "\n"


def _diagnostic(account: Account, finding: Diagnostic, url: str | None) -> dict[str, object]:
    file = account.sources[finding.path].file
    suggestions = _suggestions(account, finding, file)
    waiting = finding.fixable and account.declined(finding) is None and not suggestions
    return {
        "message": account.message(finding) + (f" ({_waits(finding)})" if waiting else ""),
        "location": {
            "path": finding.path,
            "range": _found(file, region(finding)),
        },
        "severity": _SEVERITIES[finding.confidence],
        "code": {"value": finding.id} | ({"url": url} if url is not None else {}),
        "suggestions": suggestions,
    }


def _waits(finding: Diagnostic) -> str:
    return f"{finding.title[:1].lower()}{finding.title[1:]}: `jaxfix apply` proves it by a rerun"


def _suggestions(account: Account, finding: Diagnostic, file: SourceFile) -> list[object]:
    """At most one, which makes all edits of the fix or none; a fix that waits for evidence is not one click away."""
    fix = account.fix(finding)
    if fix is None or not account.is_sure(fix, finding.path):
        return []
    span, text = joined(file, fix)
    return [{"range": _range(file, span), "text": text}]


def _range(file: SourceFile, span: Span) -> dict[str, object]:
    start, end = place_in_bytes(file, span.start), place_in_bytes(file, span.end)
    return {
        "start": {"line": start.line, "column": start.column},
        "end": {"line": end.line, "column": end.column},
    }


def _found(file: SourceFile, where: Region) -> dict[str, object]:
    """The region, whose columns count code points, in bytes; of what is not a plain source its lines alone."""
    if file.notebook is not None:
        return {"start": {"line": where.start.line}, "end": {"line": where.end.line}}
    return {"start": _position(file, where.start), "end": _position(file, where.end)}


def _position(file: SourceFile, where: Place) -> dict[str, int]:
    start, following = file.lines.line_start(where.line), file.lines.line_start(where.line + 1)
    before = file.text[start:following].decode()[: where.column - 1]
    return {"line": where.line, "column": len(before.encode()) + 1}


def _stale(entry: StaleEntry) -> dict[str, object]:
    location: dict[str, object] = {"path": entry.path}
    if entry.line is not None:
        location["range"] = {"start": {"line": entry.line}}
    return {"message": entry.message, "location": location, "severity": "ERROR", "code": {"value": "stale"}}
