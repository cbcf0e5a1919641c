"""Findings as a Code Quality report of GitLab, which compares those of a merge request with those of its target."""

import hashlib
import json

from jaxfix.render.account import Account, StaleEntry
from jaxfix.render.placing import fingerprints, region
from jaxfix.report.finding import Confidence
from jaxfix.report.report import Diagnostic

_SEVERITIES = {Confidence.POSSIBLE: "info", Confidence.CERTAIN: "minor", Confidence.SEEN: "major"}


def report(account: Account) -> str:
    """A list of issues; each fingerprint is there once, as GitLab drops what has one that it has met."""
    findings = account.report.findings
    names = fingerprints(findings, with_path=True)
    issues = [_issue(account, finding, name) for finding, name in zip(findings, names, strict=True)]
    issues += [_stale(account, entry) for entry in account.stale]
    return json.dumps(issues, indent=2) + "\n"


def _issue(account: Account, finding: Diagnostic, fingerprint: str) -> dict[str, object]:
    cure = (
        f" ({finding.title[:1].lower()}{finding.title[1:]}: `jaxfix apply`)"
        if finding.fixable and account.declined(finding) is None
        else ""
    )
    where = region(finding)
    return {
        "description": f"{account.message(finding)}{cure}",
        "check_name": finding.id,
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[finding.confidence],
        "location": {
            "path": account.place(finding.path),
            "lines": {"begin": where.start.line, "end": where.end.line},
        },
    }


def _stale(account: Account, entry: StaleEntry) -> dict[str, object]:
    return {
        "description": entry.message,
        "check_name": "stale",
        "fingerprint": hashlib.sha256(f"{entry.path}\n{entry.message}".encode(errors="surrogateescape")).hexdigest()[
            :32
        ],
        "severity": "minor",
        "location": {"path": account.place(entry.path), "lines": {"begin": entry.line or 1}},
    }
