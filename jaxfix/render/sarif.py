"""A report as SARIF 2.1.0: what GitHub code scanning and the SARIF viewers of editors read.

Source: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import quote

from jaxfix.render.account import Account, Known, Rule, Source, StaleEntry
from jaxfix.render.placing import Region, fingerprints, place, region
from jaxfix.render.receipts import told
from jaxfix.report.evidence import Evidence
from jaxfix.report.finding import Confidence, Fix, Safety
from jaxfix.report.report import Diagnostic
from jaxfix.report.wire import to_json
from jaxfix.source.edits import Edit

SCHEMA_URI = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT = "jaxfixAnchor/v1"
"""Under this name a finding keeps its fingerprint while jaxfix means the same by it."""
_BASE = "%SRCROOT%"
_LEVELS = {Confidence.POSSIBLE: "note", Confidence.CERTAIN: "warning", Confidence.SEEN: "warning"}
_SAFETIES = {
    Safety.SAFE: "safe for every input",
    Safety.NEEDS_EVIDENCE: "needs a rerun, which `jaxfix apply` makes",
    Safety.ON_REQUEST: "the change requested by an option of `jaxfix apply`; a rerun shows it",
    Safety.DISPLAY_ONLY: "a hint",
}
_LINK = re.compile(r"\[(?=[^][]*\]\()")
_MOST_CHARACTERS = 1024
"""That GitHub takes of a description."""
_PLACEHOLDER = str.maketrans({"{": "{{", "}": "}}"})


def log(account: Account) -> str:
    """The log of one run. Its locations are relative to the root of the repository, except what lies elsewhere."""
    document = {"$schema": SCHEMA_URI, "version": "2.1.0", "runs": [_run(account)]}
    return json.dumps(document, indent=2) + "\n"


def _run(account: Account) -> dict[str, object]:
    findings = account.report.findings
    names = fingerprints(findings, with_path=False)
    indices = _Indices(account)
    run: dict[str, object] = {
        "tool": {"driver": _driver(account)},
        "columnKind": "unicodeCodePoints",
        "defaultEncoding": "UTF-8",
        "newlineSequences": ["\r\n", "\n", "\r"],
        "originalUriBaseIds": {_BASE: {"uri": f"{_file_uri(account.root.rstrip('/'))}/"}},
        "invocations": [_invocation(account)],
        "artifacts": [_artifact(account, path) for path in indices.artifacts],
        "results": [_result(account, finding, name, indices) for finding, name in zip(findings, names, strict=True)],
    }
    return run if account.written is None else run | {"properties": _applied(account)}


class _Indices:
    """What results refer to: artifacts and rules by their numbers, and why fixes are held."""

    def __init__(self, account: Account) -> None:
        paths = dict.fromkeys(finding.path for finding in account.report.findings)
        self.artifacts = {path: number for number, path in enumerate(paths)}
        self.rules = {rule.id: number for number, rule in enumerate(account.rules)}
        self.held = {(p.path, held.fix.key): held.reason.text for p in account.report.patches for held in p.held}


def _driver(account: Account) -> dict[str, object]:
    return {
        "name": "jaxfix",
        "version": account.version,
        "semanticVersion": _semantic(account.version),
        "rules": [_rule(rule) for rule in account.rules],
    }


def _semantic(version: str) -> str:
    """The version as semver has it: three numbers, then what makes it a pre-release."""
    numbers, rest = re.match(r"([\d.]*\d)?(.*)", version, re.DOTALL).groups(default="0")  # type: ignore[union-attr]
    parts = (*numbers.split("."), "0", "0")[:3]
    extra = re.sub(r"[^0-9A-Za-z]+", ".", rest).strip(".")
    return ".".join(str(int(part)) for part in parts) + (f"-{extra}" if extra else "")


def _rule(rule: Rule) -> dict[str, object]:
    more = {} if rule.url is None else {"helpUri": rule.url}
    return {
        "id": rule.id,
        "name": "".join(word.capitalize() for word in rule.id.split("-")),
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": _fitting(rule.why or rule.summary)},
        "help": {"text": rule.help, "markdown": rule.help},
        **more,
        "defaultConfiguration": {"level": "warning"},
        "properties": {"tags": ["jax", "performance"], "precision": "high", "safety": rule.safety.value},
    }


def _fitting(text: str) -> str:
    """The first paragraphs, as many as GitHub takes; the help has them all."""
    paragraphs = [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]
    while len(paragraphs) > 1 and len(" ".join(paragraphs)) > _MOST_CHARACTERS:
        paragraphs.pop()
    return " ".join(paragraphs)


def _invocation(account: Account) -> dict[str, object]:
    notes = [{"level": "error", "message": {"text": _text(error)}} for error in account.report.errors]
    notes += [{"level": "error", "message": {"text": _text(f"a bug in jaxfix: {bug}")}} for bug in account.bugs]
    stale = [_stale(account, entry) for entry in account.stale]
    return {"executionSuccessful": not notes, "toolExecutionNotifications": [*notes, *stale]}


def _stale(account: Account, entry: StaleEntry) -> dict[str, object]:
    region = {} if entry.line is None else {"region": {"startLine": entry.line}}
    where = {"physicalLocation": {"artifactLocation": _artifact_location(account, entry.path), **region}}
    return {"level": "warning", "message": {"text": _text(f"stale: {entry.message}")}, "locations": [where]}


def _artifact(account: Account, path: str) -> dict[str, object]:
    source = account.sources.get(path)
    found: dict[str, object] = {
        "location": _artifact_location(account, path),
        "roles": ["analysisTarget"],
        **({} if source is not None and source.file.notebook is not None else {"sourceLanguage": "python"}),
    }
    if source is None:
        return found
    encoding = {} if source.file.encoding == "utf-8" else {"encoding": source.file.encoding}
    digest = hashlib.sha256(source.file.raw).hexdigest()
    return found | {"length": len(source.file.raw), "hashes": {"sha-256": digest}} | encoding


def _result(account: Account, finding: Diagnostic, fingerprint: str, indices: _Indices) -> dict[str, object]:
    source = account.sources.get(finding.path)
    location = _artifact_location(account, finding.path) | {"index": indices.artifacts[finding.path]}
    fix, rule = account.fix(finding), indices.rules.get(finding.id)
    return {
        "ruleId": finding.id,
        **({} if rule is None else {"ruleIndex": rule}),
        "level": _LEVELS[finding.confidence],
        "message": {"text": _text(account.message(finding))},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": location,
                    "region": _region(region(finding)),
                },
                "logicalLocations": [{"fullyQualifiedName": finding.anchor.function, "kind": "function"}],
            }
        ],
        **_related(account, finding),
        "partialFingerprints": {FINGERPRINT: fingerprint},
        **({"fixes": [_fix(account, finding, fix, source)]} if fix is not None and source is not None else {}),
        "properties": _properties(account, finding, indices.held.get((finding.path, finding.key))),
    }


def _related(account: Account, finding: Diagnostic) -> dict[str, object]:
    """Why it is run repeatedly, as places that a viewer leads through."""
    places = [
        {
            "id": number,
            "physicalLocation": {
                "artifactLocation": _artifact_location(account, entry.path or finding.path),
                "region": _region(region(entry)),
            },
            "message": {"text": _text(entry.message)},
        }
        for number, entry in enumerate(finding.related, 1)
    ]
    return {"relatedLocations": places} if places else {}


def _region(where: Region) -> dict[str, int]:
    start, end = where.start, where.end
    return {"startLine": start.line, "startColumn": start.column, "endLine": end.line, "endColumn": end.column}


def _fix(account: Account, finding: Diagnostic, fix: Fix, source: Source) -> dict[str, object]:
    known = account.receipts.get((finding.path, fix.key))
    safety = _SAFETIES[fix.safety] if known is None else known.evidence.verdict.value
    return {
        "description": {"text": _text(f"{fix.title} ({safety})")},
        "artifactChanges": [
            {
                "artifactLocation": _artifact_location(account, finding.path),
                "replacements": [_replacement(source, edit) for edit in fix.edits],
            }
        ],
    }


def _replacement(source: Source, edit: Edit) -> dict[str, object]:
    deleted = Region(place(source.file, edit.span.start), place(source.file, edit.span.end))
    inserted: dict[str, object] = {"insertedContent": {"text": edit.text}} if edit.text else {}
    return {"deletedRegion": _region(deleted), **inserted}


def _properties(account: Account, finding: Diagnostic, held: str | None) -> dict[str, object]:
    key = (finding.path, finding.key)
    known, fix = account.receipts.get(key), account.fixes.get(key)
    found: dict[str, object] = {
        "key": finding.key,
        "cell": finding.cell,
        "confidence": finding.confidence.value,
        "safety": (finding.safety if fix is None else fix.safety).value,
        "title": finding.title,
        "declined": account.declined(finding),
        "held": held,
        "needsGeneratedFile": bool(fix is not None and fix.helpers) or None,
        "seen": to_json(finding.seen),
        "receipt": None if known is None else _receipt(known),
    }
    return {name: value for name, value in found.items() if value is not None}


def _receipt(known: Known) -> dict[str, object]:
    return {"told": told(known.evidence), "when": known.when, "expired": list(known.expired)} | _evidence(
        known.evidence
    )


def _evidence(evidence: Evidence) -> dict[str, object]:
    """The figures of the receipt, except those of each step, which are for charts."""
    comparisons = tuple(replace(entry, course_before=None, course_after=None) for entry in evidence.comparisons)
    document = to_json(replace(evidence, comparisons=comparisons))
    assert isinstance(document, dict)
    return {name: value for name, value in document.items() if name not in ("path", "key", "codemod", "title", "line")}


def _applied(account: Account) -> dict[str, object]:
    return {"written": account.written, "fixes": list(_made(account))}


def _made(account: Account) -> Iterator[dict[str, object]]:
    for patch in account.report.patches:
        for fix in patch.applied:
            known = account.receipts.get((patch.path, fix.key))
            yield {
                "location": _artifact_location(account, patch.path),
                "ruleId": fix.codemod,
                "key": fix.key,
                "title": fix.title,
                "safety": fix.safety.value,
                "receipt": None if known is None else _receipt(known),
            }


def _artifact_location(account: Account, path: str) -> dict[str, object]:
    source = account.sources.get(path)
    if source is not None and source.inside is not None:
        return {"uri": _quoted(source.inside), "uriBaseId": _BASE}
    if source is not None and source.absolute is not None:
        return {"uri": _file_uri(source.absolute)}
    if source is not None:
        return {"uri": _quoted(path), "description": {"text": "standard input"}}
    return {"uri": _quoted(account.place(path)), "uriBaseId": _BASE}


def _file_uri(absolute: str) -> str:
    drive = re.match(r"[A-Za-z]:(?=/)", absolute)
    if drive is not None:
        return f"file:///{drive[0]}{_quoted(absolute[len(drive[0]) :])}"
    return f"file:{_quoted(absolute)}" if absolute.startswith("//") else f"file://{_quoted(absolute)}"


def _quoted(path: str) -> str:
    return quote(path.encode(errors="surrogateescape"), safe="/")


def _text(told: str) -> str:
    """The words of a message without anything that SARIF takes for a link (3.11.6) or a placeholder (3.11.5)."""
    return _LINK.sub(r"\\[", told).translate(_PLACEHOLDER)
