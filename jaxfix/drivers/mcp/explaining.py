"""What a codemod, a reason code or a finding is about, as Markdown."""

import re

from jaxfix import docs
from jaxfix.drivers.mcp import results
from jaxfix.drivers.mcp.calling import Told
from jaxfix.drivers.mcp.service import Document, Service
from jaxfix.engine.registry import load_registry
from jaxfix.render.paint import printable
from jaxfix.report.reason import Code
from jaxfix.source.errors import ConfigError

_PLACE = re.compile(r"(?P<path>.+):(?P<line>\d+)", re.DOTALL)


async def explained(about: str, service: Service, told: Told) -> results.Explained:
    """The page of a codemod, what a reason code means, or all that is known of the finding at `path:line`.

    Raises:
      UserError: it is none of these.
    """
    codemods = {codemod.id: codemod for codemod in load_registry().codemods}
    if about in codemods:
        return results.Explained(about, "codemod", docs.markdown(codemods[about], docs.page(codemods[about])))
    means = next((code.means for code in Code if code == about), None)
    if means is not None:
        return results.Explained(about, "reason", means)
    place = _PLACE.fullmatch(about)
    if place is None:
        known = ", ".join(f"`{name}`" for name in sorted(codemods))
        raise ConfigError(
            f"`{printable(about)}`: no codemod, no reason code and no `path:line`", hint=f"codemods: {known}"
        )
    found = await service.finding(place["path"], int(place["line"]), told)
    if found is None:
        raise ConfigError(f"{printable(about)}: no finding on this line")
    summary = docs.page(codemods[found["id"]]).summary
    return results.Explained(about, "finding", "\n".join((*_lines(found), "", f"`{found['id']}`: {summary}")))


def _lines(found: Document) -> list[str]:
    lines = [f"{found['path']}:{found['line']}: {found['message']}", f"- {found['confidence']}, {found['safety']}"]
    lines += [f"- line {entry['line']}: {entry['message']}" for entry in found["related"]]
    if found["declined"] is None:
        return [*lines, f"- fix: {found['title']}"]
    return [*lines, f"- no fix: {found['declined']} (`{found['declined_code']}`)"]
