"""One source through the codemods: what they find. Runs no recipe."""

import ast
import hashlib
from collections import Counter
from collections.abc import Container, Iterable
from dataclasses import dataclass

from jaxfix.core.errors import SourceError
from jaxfix.core.finding import Codemod, Finding, Safety
from jaxfix.core.model import Module
from jaxfix.core.report import Diagnostic
from jaxfix.core.source import SourceFile
from jaxfix.engine.suppress import Suppressions, suppressions

_WEAKEST_LAST = (Safety.SAFE, Safety.NEEDS_EVIDENCE, Safety.DISPLAY_ONLY)


@dataclass(frozen=True, slots=True)
class Found:
    """A finding and who made it. `key` names it in its file, whatever other fixes are made there."""

    codemod: Codemod
    finding: Finding
    key: str

    @property
    def safety(self) -> Safety:
        """The codemod's, or the finding's own where that is lower; without a recipe it is a hint."""
        if self.finding.recipe is None:
            return Safety.DISPLAY_ONLY
        return lowest(self.codemod.safety, self.finding.safety or Safety.SAFE)


@dataclass(frozen=True, slots=True)
class Analysis:
    """What was found in one source, in the order of the text; `bugs` names codemods that raised."""

    module: Module
    found: tuple[Found, ...]
    bugs: tuple[str, ...]

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        return tuple(diagnostic(self.module, found) for found in self.found)


def lowest(*safeties: Safety) -> Safety:
    return max(safeties, key=_WEAKEST_LAST.index)


def analyze(source: SourceFile, codemods: Iterable[Codemod], made: Container[str] = ()) -> Analysis:
    """Runs the codemods whose triggers are mentioned in `source`.

    Args:
      made: keys of fixes that were made in `source` before: what is left keeps the keys that it had.

    Raises:
      SourceError: `source` is not valid Python, or is nested too deeply.
    """
    module = Module.parse(source)
    try:
        silenced = suppressions(source.text)
        results = [_run(module, codemod, silenced, made) for codemod in codemods if _is_mentioned(codemod, source.text)]
    except RecursionError as error:
        raise SourceError(source.path, "nested too deeply to be analysed") from error
    found = [f for findings, _ in results for f in findings]
    bugs = tuple(bug for _, bug in results if bug is not None)
    return Analysis(module, tuple(sorted(found, key=lambda f: module.span(f.finding.at))), bugs)


def diagnostic(module: Module, found: Found) -> Diagnostic:
    """The finding as it is told."""
    finding, lines = found.finding, module.source.lines
    span = module.span(finding.at)
    return Diagnostic(
        path=module.source.path,
        line=lines.line(span.start),
        column=lines.column(span.start),
        end_line=lines.line(span.end),
        end_column=lines.column(span.end),
        id=found.codemod.id,
        message=finding.message,
        confidence=finding.confidence,
        safety=found.safety,
        title=finding.title,
        fixable=found.safety is not Safety.DISPLAY_ONLY,
        declined=finding.declined,
        key=found.key,
    )


def _is_mentioned(codemod: Codemod, text: bytes) -> bool:
    return any(trigger.rpartition(".")[2].encode() in text for trigger in codemod.triggers)


def _run(
    module: Module, codemod: Codemod, silenced: Suppressions, made: Container[str]
) -> tuple[list[Found], str | None]:
    try:
        findings = list(codemod.find(module))
    except RecursionError:
        raise
    except Exception as error:  # one codemod's bug is reported and does not stop the others
        return [], f"{module.source.path}: codemod `{codemod.id}` broke: {type(error).__name__}: {error}"
    findings = [f for f in findings if not silenced.silences(codemod.id, _lines(module, f.at))]
    return _keyed(module, codemod, findings, made), None


def _lines(module: Module, node: ast.AST) -> tuple[int, ...]:
    """The lines on which a comment speaks of `node`: the first and last of it, and of its statement without blocks."""
    lines, statement = module.source.lines, module.statement(node)
    own, around = module.span(node), module.span(statement)
    found = [lines.line(own.start), lines.line(own.end), lines.line(around.start)]
    if not hasattr(statement, "body"):
        found.append(lines.line(around.end))
    return (*found, getattr(node, "lineno", found[0]))


def _keyed(module: Module, codemod: Codemod, findings: list[Finding], made: Container[str]) -> list[Found]:
    seen: Counter[str] = Counter()
    found = []
    for finding in findings:
        first_line = module.text(finding.at).splitlines()[0]
        words = hashlib.sha256(f"{finding.message}\n{first_line}".encode()).hexdigest()[:8]
        key = f"{codemod.id}:{module.path(finding.at)}:{words}"
        seen[key] += 1
        while f"{key}:{seen[key]}" in made:
            seen[key] += 1
        found.append(Found(codemod, finding, f"{key}:{seen[key]}"))
    return found
