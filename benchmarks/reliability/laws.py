"""The laws that hold of every source, whatever is in it; each is asked with the standard library's own tools."""

import ast
import codecs
import io
import re
import tokenize
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from jaxfix.engine.analyze import Analysis, analyze
from jaxfix.engine.plan import plan
from jaxfix.report.report import Patch
from jaxfix.semantic.codemod import Codemod
from jaxfix.source.errors import BugError, SourceError
from jaxfix.source.source_file import SourceFile
from jaxfix.testing import BESIDE

_NEWLINE = re.compile(rb"\r\n|\r|\n")
_COOKIE = b"# -*- coding: latin-1 -*-\n"


@dataclass(frozen=True, slots=True)
class Breach:
    """A law that does not hold of a source: which one, and what happens instead."""

    law: str
    detail: str


@dataclass(frozen=True, slots=True)
class Examined:
    """What became of one source.

    Attributes:
      findings: what is found in it.
      fixes: what is rewritten, all together.
      held: fixes that are not made, each with a reason.
      refused: why jaxfix does not read it; None if it does.
      breaches: the laws that do not hold of it.
    """

    findings: int = 0
    fixes: int = 0
    held: int = 0
    refused: str | None = None
    breaches: tuple[Breach, ...] = ()


def examine(path: str, raw: bytes, codemods: Sequence[Codemod], *, variants: bool = False) -> Examined:
    """Finds, fixes, and fixes again; what breaks a law is reported, nothing is raised.

    Args:
      variants: whether the same source with other newlines, encodings and comments has to come to the same.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of odd literals in what others wrote
        try:
            return _examined(path, raw, codemods, variants)
        except Exception as error:
            return Examined(breaches=(Breach("nothing escapes", _told(error)),))


def reads(raw: bytes) -> bool:
    """Whether Python compiles `raw`."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(raw, "<source>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError, UnicodeError):
        return False
    return True


def _examined(path: str, raw: bytes, codemods: Sequence[Codemod], variants: bool) -> Examined:
    try:
        source = SourceFile.decode(path, raw)
        analysis = analyze(source, codemods, surroundings=BESIDE)
        patch = _fixed(source, codemods)
    except SourceError as error:
        return Examined(refused=_reason(path, error), breaches=tuple(_refusal(path, raw, error)))
    except BugError as error:
        return Examined(breaches=(Breach("no codemod breaks", str(error)),))
    breaches = [*_found(analysis), *_kept(source, analysis, patch), *_again(path, patch, codemods)]
    if variants:
        breaches += _varied(source, patch, analysis, codemods)
    return Examined(len(analysis.found), len(patch.applied), len(patch.held), None, tuple(breaches))


def _fixed(source: SourceFile, codemods: Sequence[Codemod]) -> Patch:
    return plan(source, codemods, lambda fix: None, BESIDE)


def _told(error: BaseException) -> str:
    places = traceback.extract_tb(error.__traceback__)[-3:]
    where = " <- ".join(f"{place.filename.rpartition('/')[2]}:{place.lineno}" for place in reversed(places))
    return f"{type(error).__name__}: {error} at {where}"


# --- what is refused ----------------------------------------------------------------------------------------------


def _reason(path: str, error: SourceError) -> str:
    """The reason alone, so that those of many files can be counted."""
    words = error.message.removeprefix(f"{path}: ")
    return re.sub(r"line \d+: (syntax error).*", r"\1", words, flags=re.DOTALL)


def _refusal(path: str, raw: bytes, error: SourceError) -> Iterator[Breach]:
    if not str(error).startswith(f"{path}: "):
        yield Breach("an error names its file", str(error))
    if "\n" in error.message.removeprefix(f"{path}: "):
        yield Breach("an error is one line", str(error))
    if reads(raw) and "round trip" not in error.message and "nested too deeply" not in error.message:
        yield Breach("what Python reads is read", str(error))


# --- what is found and made ---------------------------------------------------------------------------------------


def _found(analysis: Analysis) -> Iterator[Breach]:
    for bug in analysis.bugs:
        yield Breach("no codemod breaks", bug)
    lines = len(_NEWLINE.split(analysis.module.source.text))
    for told in analysis.diagnostics:
        if not (1 <= told.line <= told.end_line <= lines and told.column >= 1):
            yield Breach("a finding is in its file", f"{told.id} at {told.line}:{told.column}")
    keys = Counter(found.key for found in analysis.found)
    for key, count in keys.items():
        if count > 1:
            yield Breach("a key names one finding", key)


def _kept(source: SourceFile, analysis: Analysis, patch: Patch) -> Iterator[Breach]:
    """What stays unchanged."""
    before, after = patch.before, patch.after
    if before == after:
        if patch.applied:
            yield Breach("a fix changes something", ", ".join(fix.key for fix in patch.applied))
        return
    if reads(before) and not reads(after):
        yield Breach("what is made compiles", _names(patch))
        return
    lost = Counter(_comments(before)) - Counter(_comments(after))
    if lost:
        yield Breach("comments are kept", f"{next(iter(lost))} by {_names(patch)}")
    if before.startswith(codecs.BOM_UTF8) != after.startswith(codecs.BOM_UTF8):
        yield Breach("a byte order mark is kept", _names(patch))
    new = set(_NEWLINE.findall(after)) - set(_NEWLINE.findall(before))
    if new - {b"\n"} or (new and _NEWLINE.search(before)):
        yield Breach("newlines are those of the file", f"{new} by {_names(patch)}")
    yield from _outside(source, analysis, patch, SourceFile.decode(source.path, after))


def _outside(source: SourceFile, analysis: Analysis, patch: Patch, after: SourceFile) -> Iterator[Breach]:
    """Statements of the module that neither import, nor hold or name what is found, keep every byte."""
    if {fix.key for fix in patch.applied} - {found.key for found in analysis.found}:
        return  # one fix made room for another, wherever that is
    spans = [analysis.module.span(found.finding.at) for found in analysis.found]
    held = {name for found in analysis.found for name in _around(analysis, found.finding.at)}
    for statement in analysis.module.tree.body:
        own = analysis.module.span(statement)
        if isinstance(statement, ast.Import | ast.ImportFrom) or any(own.overlaps(span) for span in spans):
            continue
        names = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
        names |= {node.attr for node in ast.walk(statement) if isinstance(node, ast.Attribute)}
        names |= {node.name for node in ast.walk(statement) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        if names & held:
            continue
        if source.text[own.start : own.end] not in after.text:
            yield Breach("nothing changes elsewhere", f"line {statement.lineno}")


def _around(analysis: Analysis, node: ast.AST) -> Iterator[str]:
    """The names of the functions and classes around a finding, and those that its statement has, or imports."""
    for outer in (node, *analysis.module.ancestors(node)):
        if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield outer.name
        elif isinstance(outer, ast.stmt):
            yield from (inner.id for inner in ast.walk(outer) if isinstance(inner, ast.Name))
            yield from (inner.attr for inner in ast.walk(outer) if isinstance(inner, ast.Attribute))
            aliases = outer.names if isinstance(outer, ast.Import | ast.ImportFrom) else ()
            yield from (alias.asname or alias.name.partition(".")[0] for alias in aliases)


def _comments(raw: bytes) -> list[str]:
    text = io.StringIO(_plain(raw), newline="\n")
    found = [token for token in tokenize.generate_tokens(text.readline) if token.type == tokenize.COMMENT]
    return [token.string.rstrip() for token in found]


def _plain(raw: bytes) -> str:
    """The text with `\\n` for every newline."""
    body = raw.removeprefix(codecs.BOM_UTF8)
    encoding, _ = tokenize.detect_encoding(io.BytesIO(body.replace(b"\r", b"\n")).readline)
    return _NEWLINE.sub(b"\n", body.decode(encoding).encode()).decode()


def _names(patch: Patch) -> str:
    return ", ".join(sorted({fix.codemod for fix in patch.applied}))


# --- again --------------------------------------------------------------------------------------------------------


def _again(path: str, patch: Patch, codemods: Sequence[Codemod]) -> Iterator[Breach]:
    if patch.before == patch.after or not reads(patch.after):
        return
    try:
        second = _fixed(SourceFile.decode(path, patch.after), codemods)
    except (SourceError, BugError) as error:
        yield Breach("a second pass has nothing to do", _told(error))
        return
    if second.after != patch.after:
        yield Breach("a second pass has nothing to do", _names(second))


# --- the same otherwise written -----------------------------------------------------------------------------------


def _varied(source: SourceFile, patch: Patch, analysis: Analysis, codemods: Sequence[Codemod]) -> Iterator[Breach]:
    for name, vary in _variants(source):
        other = SourceFile.decode(source.path, vary(source.raw))
        if _fixed(other, codemods).after != vary(patch.after):
            yield Breach(f"the same with {name}", _names(patch))
    if not analysis.found:
        return
    newline = source.newline.encode()
    silenced = source.raw + newline + b"# jaxfix: ignore-file" + newline
    if reads(silenced) and analyze(SourceFile.decode(source.path, silenced), codemods, surroundings=BESIDE).found:
        yield Breach("suppressions are respected", "ignore-file")
    yield from _silenced(source, analysis, codemods)


def _variants(source: SourceFile) -> Iterator[tuple[str, Callable[[bytes], bytes]]]:
    if b"\r" not in source.raw and reads(source.raw):
        yield "CRLF", lambda raw: raw.replace(b"\n", b"\r\n")
        if source.encoding == "utf-8":
            yield "CR", lambda raw: raw.replace(b"\n", b"\r")
    if source.encoding == "utf-8" and not source.bom:
        yield "a byte order mark", lambda raw: codecs.BOM_UTF8 + raw
        if source.raw.isascii() and source.raw.startswith(b"#") and b"\r" not in source.raw:
            yield "a declared encoding", lambda raw: _COOKIE + raw


def _silenced(source: SourceFile, analysis: Analysis, codemods: Sequence[Codemod]) -> Iterator[Breach]:
    """A comment at the end of the line of a finding silences it."""
    found = analysis.found[0]
    line = source.lines.line(analysis.module.span(found.finding.at).start)
    end = source.lines.line_start(line + 1)
    body = source.text[:end].rstrip(b"\r\n")
    text = body + f"  # jaxfix: ignore[{found.codemod.id}]".encode() + source.text[len(body) :]
    try:
        silenced = analyze(source.with_text(text), codemods, surroundings=BESIDE)
    except SourceError:
        return  # the line goes on
    is_comment = any("jaxfix: ignore[" in comment for comment in _comments(source.with_text(text).raw))
    same = [f for f in silenced.found if f.codemod.id == found.codemod.id and _line(silenced, f.finding.at) == line]
    if is_comment and same:
        yield Breach("suppressions are respected", f"{found.codemod.id} on line {line}")


def _line(analysis: Analysis, node: ast.AST) -> int:
    return analysis.module.source.lines.line(analysis.module.span(node).start)
