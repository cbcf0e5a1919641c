"""One source through the codemods: what they find. Runs no recipe."""

import ast
import hashlib
import keyword
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache

from jaxfix.engine import estimate, plugins
from jaxfix.engine.anchor import anchored
from jaxfix.engine.related import related
from jaxfix.engine.seen import Explanations, Sighting, worth_telling
from jaxfix.engine.suppress import suppressions
from jaxfix.engine.versions import is_for
from jaxfix.engine.warm import warmed
from jaxfix.report.finding import Confidence, Finding, Safety
from jaxfix.report.reason import Reason
from jaxfix.report.report import Diagnostic, Seen
from jaxfix.report.trace.compiles import Compiled
from jaxfix.report.trace.hot import Hot
from jaxfix.semantic.codemod import Codemod
from jaxfix.semantic.identifiers import Identifiers
from jaxfix.semantic.module import Module
from jaxfix.semantic.project.surroundings import ALONE, Surroundings
from jaxfix.semantic.unreachable import is_unreachable
from jaxfix.source.errors import BugError, DepthError
from jaxfix.source.frozen import frozen
from jaxfix.source.source_file import SourceFile

_KEYWORDS = frozenset({*keyword.kwlist, *keyword.softkwlist})
_LOOPS: Mapping[str, tuple[type[ast.stmt], ...]] = {"for": (ast.For, ast.AsyncFor), "while": (ast.While,)}
_WEAKEST_LAST = (Safety.SAFE, Safety.NEEDS_EVIDENCE, Safety.ON_REQUEST, Safety.DISPLAY_ONLY)


@frozen
class Found:
    """A finding and who made it. `key` names it in its file, whatever other fixes are made there.

    `seen` is what a traced run recompiled because of it, `hot` where it spent time besides.
    """

    codemod: Codemod
    finding: Finding
    key: str
    seen: tuple[Compiled, ...] = ()
    hot: tuple[Hot, ...] = ()

    @property
    def confidence(self) -> Confidence:
        """The finding's own, but where a run has seen it."""
        return Confidence.SEEN if self.seen or self.hot else self.finding.confidence

    @property
    def safety(self) -> Safety:
        """The codemod's, or the finding's own where that is lower; without a recipe it is a hint."""
        if self.finding.recipe is None:
            return Safety.DISPLAY_ONLY
        return lowest(self.codemod.safety, self.finding.safety or Safety.SAFE)


@frozen
class Analysis:
    """What was found in one source, in the order of the text; `bugs` names codemods that raised, and walks without end.

    `explained` is what a traced run recompiled and a finding, silenced or not, accounts for.
    """

    module: Module
    found: tuple[Found, ...]
    bugs: tuple[str, ...]
    explained: frozenset[Compiled] = frozenset()

    @property
    def told(self) -> tuple[Found, ...]:
        """All but what is moot and no run has seen: neither is its fix made."""
        return tuple(f for f in self.found if not f.finding.moot or f.confidence is Confidence.SEEN)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        return tuple(diagnostic(self.module, found) for found in self.told)


def lowest(*safeties: Safety) -> Safety:
    return max(safeties, key=_WEAKEST_LAST.index)


def analyze(
    source: SourceFile,
    codemods: Iterable[Codemod],
    made: Container[str] = (),
    seen: Sequence[Sighting] = (),
    surroundings: Surroundings = ALONE,
    turn: Callable[[str], None] | None = None,
) -> Analysis:
    """Runs the codemods whose triggers are mentioned in `source`, then those that can tell what a run has seen.

    Left out are codemods that are for other versions of jax than the installed one.

    Args:
      made: keys of fixes that were made in `source` before: what is left keeps the keys that it had.
      seen: what a traced run compiled again. What a finding explains becomes part of it; the rest is `Module.seen`.
      surroundings: facts of other files, and where a run spent its time.
      turn: is called with the id of each codemod before it runs.

    Raises:
      SourceError: `source` is not valid Python.
      DepthError: it is nested too deeply.
    """
    source = source.loaded()
    module = Module.parse(source, surroundings)
    try:
        silenced = suppressions(source.text)
        codemods = tuple(codemod for codemod in codemods if is_for(codemod, surroundings.jax))
        bugs: list[str] = []
        words = module.get(Identifiers).among(_every_identifier(tuple(codemod.triggers for codemod in codemods)))
        mentioned = [codemod for codemod in codemods if _is_named(codemod, module, words)]
        found = _all(module, mentioned, made, bugs, turn)
        found, explained = _with_seen(module, found, seen)
        left = [sighting for sighting in seen if sighting.origin not in explained and worth_telling(sighting)]
        if left:
            found += _fed(module, codemods, found, left, made, bugs)
        found = [replace(f, hot=some) for f, some in zip(found, warmed(module, module.hot, found), strict=True)]
        reached = [f for f in found if not is_unreachable(module, f.finding.at)]
        audible = [f for f in reached if not silenced.silences(f.codemod.id, _lines(module, f.finding.at))]
    except RecursionError as error:
        if not plugins.is_deep(module.tree):
            return Analysis(module, (), (plugins.endless(source.path),))
        raise DepthError(source.path, "nested too deeply to be analysed") from error
    ordered = sorted(audible, key=lambda f: module.span(f.finding.at))
    return Analysis(module, tuple(ordered), tuple(bugs), explained)


def diagnostic(module: Module, found: Found) -> Diagnostic:
    """The finding as it is reported."""
    finding, source = found.finding, module.source
    span, lines, around = module.span(finding.at), module.source.lines, related(module, finding.at)
    cell, line = source.place(lines.line(span.start))
    is_unsure = found.confidence is Confidence.POSSIBLE
    return Diagnostic(
        path=source.path,
        line=line,
        column=lines.column(span.start),
        end_line=source.place(lines.line(span.end))[1],
        end_column=lines.column(span.end),
        id=found.codemod.id,
        message=source.placed(finding.message),
        confidence=found.confidence,
        safety=found.safety,
        title=finding.title,
        fixable=found.safety is not Safety.DISPLAY_ONLY,
        declined=_placed(source, finding.declined, cell) if finding.declined is not None else None,
        key=found.key,
        anchor=anchored(module, finding.at),
        seen=_figures(found) if found.seen or found.hot else None,
        cell=cell,
        related=around,
        deprecated=finding.deprecated,
        fate=finding.fate,
        renames=finding.renames,
        certain_if=estimate.certain_if(module, found.codemod, finding) if is_unsure else None,
        cost=estimate.cost(found.codemod, finding),
        loops=estimate.loops(module, finding.at, around),
    )


def _placed(source: SourceFile, reason: Reason, cell: int | None) -> Reason:
    """The reason with lines as they are counted in a notebook; its own is left out if it is one of another cell."""
    there, line = source.place(reason.at) if reason.at is not None else (cell, None)
    return Reason(reason.code, source.placed(reason.text), line if there == cell else None)


def are_mentioned(codemods: tuple[Codemod, ...], text: bytes) -> bool:
    """Whether `text` mentions a trigger of one of `codemods`."""
    return any(word in text for word in _encoded(tuple(codemod.triggers for codemod in codemods)))


@cache
def _encoded(triggers: tuple[tuple[str, ...], ...]) -> tuple[bytes, ...]:
    """The last parts of `triggers`, the short ones first: they are found in most files, and at once."""
    return tuple(sorted({word.encode() for some in triggers for word in _words(some)}, key=len))


@cache
def _words(triggers: tuple[str, ...]) -> frozenset[str]:
    """The last parts of `triggers`."""
    return frozenset(trigger.rpartition(".")[2] for trigger in triggers)


@cache
def _identifiers(triggers: tuple[str, ...]) -> frozenset[str]:
    return frozenset(word for word in _words(triggers) if word.isidentifier() and word not in _KEYWORDS)


@cache
def _every_identifier(triggers: tuple[tuple[str, ...], ...]) -> frozenset[str]:
    return frozenset().union(*map(_identifiers, triggers))


@cache
def _others(triggers: tuple[str, ...]) -> frozenset[str]:
    """The last parts of `triggers` that are no identifiers."""
    return _words(triggers) - _identifiers(triggers)


def _is_named(codemod: Codemod, module: Module, words: frozenset[str]) -> bool:
    """Whether the code mentions a trigger, and not just a comment or a text of several words; of a run, what it holds.

    Args:
      words: the identifiers of triggers that it mentions.
    """
    if codemod.notes and not any(each.noted.note in codemod.notes for each in module.held):
        return False
    identifiers = _identifiers(codemod.triggers)
    is_mentioned = not words.isdisjoint(identifiers)
    if codemod.in_types and not is_mentioned:
        is_mentioned = not module.get(Identifiers).in_types.isdisjoint(identifiers)
    return is_mentioned or any(_has(module, word) for word in _others(codemod.triggers))


def _has(module: Module, word: str) -> bool:
    """Whether the code has what is spelled `word`, which is not an identifier."""
    if word == "**":  # which is before keyword arguments more often
        binary: list[ast.BinOp | ast.AugAssign] = [*module.nodes(ast.BinOp), *module.nodes(ast.AugAssign)]
        return any(isinstance(node.op, ast.Pow) for node in binary)
    if word in _LOOPS:
        return any(module.nodes(kind) for kind in _LOOPS[word])
    return word.encode() in module.source.text


def _figures(found: Found) -> Seen:
    steps = [region.per_step for region in found.hot if region.per_step is not None]
    return Seen(
        compiles=sum(entry.compiles for entry in found.seen),
        seconds=sum(entry.seconds for entry in found.seen) + sum(region.seconds for region in found.hot),
        programs=sum(region.programs for region in found.hot),
        moves=sum(region.reads + region.puts + region.waits for region in found.hot),
        per_step=sum(steps) if steps else None,
    )


def _all(
    module: Module,
    codemods: Iterable[Codemod],
    made: Container[str],
    bugs: list[str],
    turn: Callable[[str], None] | None = None,
) -> list[Found]:
    """What the codemods find; one that breaks is named in `bugs`, and does not stop the others."""
    found: list[Found] = []
    for codemod in codemods:
        if turn is not None:
            turn(codemod.id)
        try:
            found += _keyed(module, codemod, plugins.findings(module, codemod), made)
        except BugError as error:
            bugs.append(str(error))
    return found


def _with_seen(module: Module, found: list[Found], seen: Sequence[Sighting]) -> tuple[list[Found], frozenset[Compiled]]:
    if not seen:
        return found, frozenset()
    each = Explanations(module, seen).of([(entry.codemod, entry.finding) for entry in found])
    rows = [tuple(sighting.origin for sighting in sightings) for sightings in each]
    explained = frozenset(row for some in rows for row in some)
    return [replace(entry, seen=some) for entry, some in zip(found, rows, strict=True)], explained


def _fed(
    module: Module,
    codemods: Iterable[Codemod],
    known: Sequence[Found],
    left: Sequence[Sighting],
    made: Container[str],
    bugs: list[str],
) -> list[Found]:
    """What only the run shows: findings of the codemods that it feeds, each with what it was made of."""
    module.recompiles = tuple(sighting.compiled for sighting in left)
    causes = {entry.why for entry in module.recompiles}
    told = {(entry.codemod.id, module.span(entry.finding.at), entry.finding.message) for entry in known}
    found = _all(module, [codemod for codemod in codemods if causes.intersection(codemod.cures)], made, bugs)
    new = [f for f in found if (f.codemod.id, module.span(f.finding.at), f.finding.message) not in told]
    return _with_seen(module, new, left)[0]


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
    around = module.surroundings
    for each in findings:
        finding = each.asked(around.asked, as_reference=around.as_reference)
        first_line = module.text(finding.at).splitlines()[0]
        words = hashlib.sha256(f"{finding.message}\n{first_line}".encode()).hexdigest()[:8]
        key = f"{codemod.id}:{module.path(finding.at)}:{words}"
        seen[key] += 1
        while f"{key}:{seen[key]}" in made:
            seen[key] += 1
        found.append(Found(codemod, finding, f"{key}:{seen[key]}"))
    return found
