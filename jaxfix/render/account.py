"""What the formats that other tools read are made of: a report, and what places, names and cures its findings."""

import posixpath
from collections.abc import Mapping
from dataclasses import field

from jaxfix.render.paint import Paint, plain
from jaxfix.report.evidence import Evidence, Verdict
from jaxfix.report.finding import Fix, Safety
from jaxfix.report.report import Diagnostic, Report
from jaxfix.source.frozen import frozen
from jaxfix.source.source_file import SourceFile

Key = tuple[str, str]
"""A finding and its fix: the path, as the report has it, and the key."""


@frozen
class Rule:
    """A codemod and its page.

    Attributes:
      summary: its first line.
      help: the whole page, in Markdown.
      url: what its page names as its source; None where that is not an address.
    """

    id: str
    summary: str
    why: str
    help: str
    safety: Safety
    url: str | None


@frozen
class Source:
    """A file that findings are in.

    Attributes:
      inside: its path from the root of the repository, with `/`; None where it lies elsewhere.
      absolute: its path on this machine, with `/`; None for what came from stdin.
    """

    file: SourceFile
    inside: str | None
    absolute: str | None


@frozen
class Known:
    """The result of a fix's rerun; `expired` says why it no longer holds, `when` is None for just now."""

    evidence: Evidence
    when: str | None = None
    expired: tuple[str, ...] = ()


@frozen
class StaleEntry:
    """An entry of a baseline of which nothing is found any more; `line` is its own."""

    path: str
    line: int | None
    message: str

    @property
    def where(self) -> str:
        return self.path if self.line is None else f"{self.path}:{self.line}"


@frozen
class Account:
    """All that a format may tell. Paths are relative to where jaxfix runs, and those of `sources` are as in `report`.

    Attributes:
      root: the repository, absolute, with `/`.
      here: from there to where jaxfix runs, with `/` at its end; empty if that is the same, or lies elsewhere.
      version: of jaxfix.
      fixes: as they can be made in `sources`, each by itself.
      receipts: what reruns have shown, now or before.
      bugs: sentences about jaxfix itself.
      not_shown: how many findings `--all` would add.
      baselines: what they know, as JSON has it.
      is_statistics: whether the findings are to be counted.
      written: of an `apply`, whether anything was; None for a `check`.
      paint: for a person; plain in a file.
      width: the columns of the terminal; None where there is none.
    """

    report: Report
    root: str = "."
    version: str = ""
    here: str = ""
    sources: Mapping[str, Source] = field(default_factory=dict)
    rules: tuple[Rule, ...] = ()
    fixes: Mapping[Key, Fix] = field(default_factory=dict)
    receipts: Mapping[Key, Known] = field(default_factory=dict)
    bugs: tuple[str, ...] = ()
    stale: tuple[StaleEntry, ...] = ()
    not_shown: int = 0
    baselines: tuple[Mapping[str, object], ...] = ()
    is_statistics: bool = False
    written: bool | None = None
    width: int | None = None
    paint: Paint = plain

    def place(self, path: str) -> str:
        """The path from the root of the repository, or absolute where it lies elsewhere."""
        source = self.sources.get(path)
        if source is None:
            return posixpath.normpath(f"{self.here}{path}")
        return source.inside or source.absolute or path

    def fix(self, finding: Diagnostic) -> Fix | None:
        """The fix of the finding that an editor of text can make; None where `jaxfix apply` is needed.

        That is for a notebook, and for a fix that needs a generated file beside it.
        """
        fix, source = self.fixes.get((finding.path, finding.key)), self.sources.get(finding.path)
        if fix is None or not fix.edits or fix.helpers:
            return None
        return fix if source is not None and source.file.notebook is None else None

    def is_sure(self, fix: Fix, path: str) -> bool:
        """Whether the fix may be made without a second thought: it is safe, or a rerun has just proven it.

        Receipts of former runs do not count: anyone who can write into a project can write those.
        """
        known = self.receipts.get((path, fix.key))
        if known is None or known.when is not None:
            return fix.is_safe
        verdict = known.evidence.verdict
        return verdict is Verdict.PROVEN or (fix.is_safe and not verdict.is_refuted)

    def declined(self, finding: Diagnostic) -> str | None:
        """Why jaxfix does not make the fix; None where it does."""
        fix = self.fixes.get((finding.path, finding.key))
        if fix is not None and fix.lowered_because is not None:
            return fix.lowered_because.text
        return finding.declined.text if finding.declined is not None else None

    def message(self, finding: Diagnostic) -> str:
        """What is so, and why there is no fix; of a notebook with the place in it."""
        where = "" if finding.cell is None else f"cell {finding.cell}, line {finding.line}: "
        declined = self.declined(finding)
        return f"{where}{finding.message}" + ("" if declined is None else f" (no fix: {declined})")
