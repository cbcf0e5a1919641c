"""The formats of a report, by name."""

from collections.abc import Callable, Mapping

from jaxfix.render import json_report, text
from jaxfix.render.account import Account

Format = Callable[[Account], str]


def _text(account: Account) -> str:
    findings = account.report.findings
    if account.is_statistics:
        told = text.statistics(findings, account.paint)
    else:
        told = text.findings(findings, account.paint, account.width)
    return told + "".join(text.stale(entry.where, entry.message, account.paint) for entry in account.stale)


def _json(account: Account) -> str:
    report = account.report
    if account.written is not None:
        return json_report.applied(report, written=account.written)
    return json_report.findings(
        report, not_shown=account.not_shown, baselines=account.baselines, statistics=account.is_statistics
    )


def _sarif(account: Account) -> str:
    from jaxfix.render import sarif

    return sarif.log(account)


def _github(account: Account) -> str:
    from jaxfix.render import github

    return github.commands(account)


def _gitlab(account: Account) -> str:
    from jaxfix.render import gitlab

    return gitlab.report(account)


def _rdjson(account: Account) -> str:
    from jaxfix.render import rdjson

    return rdjson.result(account)


FORMATS: Mapping[str, Format] = {
    "text": _text,
    "json": _json,
    "sarif": _sarif,
    "github": _github,
    "gitlab": _gitlab,
    "rdjson": _rdjson,
}
"""What is not asked for is not loaded."""
COUNTING = ("text", "json")
"""Those that can tell how many findings each codemod has."""
CURING = ("sarif", "rdjson")
"""Those that tell how a finding is cured, as edits: fixes are made for them, which takes longer than finding."""
