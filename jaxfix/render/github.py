"""Findings as workflow commands of GitHub Actions, which shows them beside the lines of a pull request."""

from collections.abc import Iterator

from jaxfix.render import text
from jaxfix.render.account import Account, StaleEntry
from jaxfix.render.paint import plain
from jaxfix.render.placing import region
from jaxfix.report.finding import Confidence
from jaxfix.report.report import Diagnostic


def commands(account: Account) -> str:
    """One line each: `::warning file=train.py,line=3,...::message`; what is only possible is a notice."""
    return "".join(f"{line}\n" for line in _commands(account))


def _commands(account: Account) -> Iterator[str]:
    for finding in account.report.findings:
        told = text.findings([finding], plain).rstrip("\n")
        kind = "notice" if finding.confidence is Confidence.POSSIBLE else "warning"
        yield _command(kind, told, **_properties(account, finding))
    for entry in account.stale:
        yield _stale(account, entry)
    for message in (*account.report.errors, *account.bugs):
        yield _command("error", message, title="jaxfix")


def _properties(account: Account, finding: Diagnostic) -> dict[str, str]:
    where = region(finding)
    found = {
        "title": f"jaxfix: {finding.id}",
        "file": account.place(finding.path),
        "line": str(where.start.line),
        "endLine": str(where.end.line),
    }
    if where.start.line != where.end.line:  # of several lines GitHub takes no columns
        return found
    return found | {"col": str(where.start.column), "endColumn": str(where.end.column)}


def _stale(account: Account, entry: StaleEntry) -> str:
    line = {} if entry.line is None else {"line": str(entry.line)}
    return _command("error", entry.message, title="jaxfix: stale", file=account.place(entry.path), **line)


def _command(kind: str, message: str, **properties: str) -> str:
    told = ",".join(f"{name}={_escaped_property(value)}" for name, value in properties.items())
    return f"::{kind} {told}::{_escaped(message)}"


def _escaped(message: str) -> str:
    return message.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escaped_property(value: str) -> str:
    return _escaped(value).replace(":", "%3A").replace(",", "%2C")
