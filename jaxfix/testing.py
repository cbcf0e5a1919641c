"""The golden runner, for jaxfix's own codemods and for packs of others.

A codemod `some-id` has a folder `golden/some_id/` of Python files. An input says on each line where a finding is
expected `# want: some-id`, or `# want: some-id (no fix): part of the reason` where it is declined. What all fixes
together make of `basic.py` is `basic.fixed.py`, without these markers; an input that nothing changes has no such file.
In folders whose name begins with `_` all codemods run. What a user has to ask for is asked for by a comment on a line
of its own, such as `# asked: --split-keys`.

A codemod that traced runs feed has `basic.trace.json` beside `basic.py`: what a run of it would have told. Its findings
have no fix, and no `program.fixed.py`.

    pytest --update-golden      writes the `.fixed.py` files again and prints what changed
"""

import ast
import difflib
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from jaxfix.drivers import files
from jaxfix.engine import generated
from jaxfix.engine.analyze import analyze, diagnostic
from jaxfix.engine.holding import holdings
from jaxfix.engine.plan import plan
from jaxfix.engine.seen import Sighting, sightings
from jaxfix.report.finding import Change, Proves, Safety
from jaxfix.report.report import Diagnostic, Patch
from jaxfix.report.trace import trace_file
from jaxfix.report.trace.compiles import compiled
from jaxfix.report.trace.held import ANYTHING, held
from jaxfix.report.trace.trace_file import Trace
from jaxfix.semantic.codemod import Codemod
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.errors import UserError
from jaxfix.source.frozen import frozen
from jaxfix.source.source_file import SourceFile
from jaxfix.source.tokens import comments

UPDATE = "--update-golden"
PLACEHOLDER = "# placeholder: "
"""What a comment begins with that says what is still to be written in a golden of a new codemod."""
HELPERS = generated.SOURCE
"""The text of the generated helper file; its folder is where a program finds it."""
BESIDE = Surroundings(helpers=generated.MODULE, asked=(Change.NEWER_FORM,))
"""Of a source that is analysed alone: a script, with the generated helper file beside it."""
SEEN = replace(BESIDE, held=(ANYTHING,))
"""The same, where a run may have shown whatever it likes."""
_WANT = re.compile(r"\bwant: (?P<id>[a-z][a-z-]*)(?P<declined> \(no fix\))?(?:: (?P<reason>.*?))?(?=\s*# want: |\s*$)")
_ASKED = re.compile(r"# asked: (?P<option>--.*\S)\s*")
_FIXED = ".fixed.py"
_TRACE = ".trace.json"
_PREACHING = re.compile(r"\b(should|please|try|must)\b", re.IGNORECASE)


class GoldenError(UserError):
    """A golden file is not what the codemods make of its input."""


@frozen
class Case:
    """One input and the codemods that run on it."""

    path: Path
    codemods: tuple[Codemod, ...]

    @property
    def fixed(self) -> Path:
        """The place of the result, if there is one."""
        return self.path.with_name(self.path.stem + _FIXED)

    def seen(self, source: SourceFile) -> tuple[Sighting, ...]:
        """The sightings of the trace beside the input."""
        trace = self._trace()
        if trace is None:
            return ()
        name = self.path.name
        return sightings(compiled(trace.measurement.compiles), name, trace.sources.get(name), source)

    def surroundings(self, source: SourceFile) -> Surroundings:
        """The surroundings of a source by itself, with the captured constants that the trace beside it shows."""
        trace, alone = self._trace(), replace(BESIDE, asked=(*BESIDE.asked, *asked(source.text)))
        traced = trace.sources.get(self.path.name) if trace is not None else None
        if trace is None or traced is None:
            return alone
        found = held(trace.measurement.compiles)
        return replace(alone, held=holdings(found, self.path.name, traced, source))

    def _trace(self) -> Trace | None:
        path = self.path.with_name(self.path.stem + _TRACE)
        return trace_file.load(files.read_bytes(path), str(path)) if path.is_file() else None

    def __str__(self) -> str:
        return f"{self.path.parent.name}/{self.path.name}"


@frozen
class Want:
    """A finding that an input announces; `reason` is a part of why there is no fix, None where nothing is said."""

    line: int
    id: str
    declined: bool
    reason: str | None


def cases(golden: Path, codemods: Sequence[Codemod]) -> tuple[Case, ...]:
    """The inputs below `golden`, in order."""
    found = []
    for path in sorted(golden.rglob("*.py")):
        if path.name.endswith(_FIXED):
            continue
        folder = path.relative_to(golden).parts[0]
        own = tuple(c for c in codemods if folder.startswith("_") or _folder(c) == folder)
        found.append(Case(path, own))
    return tuple(found)


def verify(case: Case) -> None:
    """Compares what is found and made of `case` with what its files say.

    Raises:
      GoldenError: says the first difference.
    """
    source = _source(case)
    _refuse_placeholder(case, source)
    _verify_findings(case, source)
    patch = _patch(case, source)
    if patch.held:
        held = patch.held[0]
        raise GoldenError(f"{case}: a fix is held: {held.reason}: {held.fix.title}")
    _verify_result(case, patch)
    _verify_idempotence(case, patch)
    _verify_variants(case, source, patch)


def update(case: Case) -> str:
    """Writes the result of `case` again; the difference to what it was, empty for none.

    Raises:
      GoldenError: this is continuous integration, where a golden file is checked and never made.
    """
    if os.environ.get("CI"):
        raise GoldenError(f"{case}: golden files are not written in CI", hint=f"run `pytest {UPDATE}` elsewhere")
    patch = _patch(case, _source(case))
    before = _read(case.fixed)
    after = unmarked(patch.after) if patch.applied else None
    if before == after:
        return ""
    if after is None:
        files.remove(case.fixed)
    else:
        files.write_bytes(case.fixed, after)
    return _difference(before or b"", after or b"", str(case.fixed))


def gaps(golden: Path, codemods: Sequence[Codemod]) -> tuple[str, ...]:
    """What is missing or astray below `golden`: files that no test reads, kinds of cases that a codemod lacks.

    Which kinds, follows from the declaration of the codemod: one that nothing is rerun for need not decline anything.
    """
    found = cases(golden, codemods)
    return (*_orphans(golden, found), *(gap for codemod in codemods for gap in _lacking(codemod, found)))


def program_fault(before: Path, after: Path, proves: Proves) -> str | None:
    """What two programs, without and with a fix, fail to show of what it `proves`; None if they show it.

    Runs both with this Python, on the CPU.
    """
    old, new = _runs(before, after, checks_keys=proves is Proves.KEYS_USED_ONCE)
    if new.failure is not None:
        return f"{after.name} fails: {new.failure}"
    if proves.cures or proves is Proves.KEYS_USED_ONCE:
        return _uncured(old, new, before.name, after.name)
    if old.failure is not None:
        return f"{before.name} fails: {old.failure}"
    if new.printed != old.printed:
        return f"{after.name} prints {new.printed!r}, {before.name} {old.printed!r}"
    if new.compiles > old.compiles or (proves is Proves.FEWER_COMPILES and new.compiles == old.compiles):
        return f"{after.name} compiles {new.compiles} times, {before.name} {old.compiles} times"
    if proves is Proves.LESS_MEMORY:
        peak, least = _peak_bytes(after), 0.9 * _peak_bytes(before)
        return f"{after.name} needs {peak / 1e6:.0f} MB, not below {least / 1e6:.0f} MB" if peak >= least else None
    return None


def compiles(*programs: Path) -> tuple[int, ...]:
    """How often each of them compiles, run with this Python on the CPU."""
    return tuple(run.compiles for run in _runs(*programs, checks_keys=False))


def style_faults(diagnostic: Diagnostic) -> tuple[str, ...]:
    """What is wrong with the words of a finding: messages are lower case, without full stop, and do not preach."""
    texts = [("message", diagnostic.message), ("reason", str(diagnostic.declined or ""))]
    faults = [f"the {what} {text!r} begins with a capital" for what, text in texts if text[:1].isupper()]
    if not diagnostic.title[:1].isupper():
        faults.append(f"the title {diagnostic.title!r} does not begin with a capital")
    for what, text in (*texts, ("title", diagnostic.title)):
        if text.endswith("."):
            faults.append(f"the {what} {text!r} ends with a full stop")
        if _PREACHING.search(re.sub(r"`[^`]*`", "", text)):
            faults.append(f"the {what} {text!r} preaches")
    return tuple(faults)


def wants(text: bytes) -> tuple[Want, ...]:
    """The findings that a source announces in its comments."""
    return tuple(
        Want(comment.line, match["id"], match["declined"] is not None, match["reason"])
        for comment in comments(text)
        for match in _WANT.finditer(comment.text)
    )


def asked(text: bytes) -> tuple[Change, ...]:
    """The changes of results that a source asks for in its comments."""
    found = (_ASKED.fullmatch(comment.text) for comment in comments(text))
    return tuple(Change(match["option"]) for match in found if match is not None)


def unmarked(text: bytes) -> bytes:
    """A source without its markers: what a fix leaves of an input announces nothing any more."""
    lines = text.splitlines(keepends=True)
    for comment in comments(text):
        found = _WANT.search(comment.text)
        if found is None:
            continue
        line = lines[comment.line - 1].decode()
        start = line.rindex(comment.text) + comment.text.rindex("#", 0, found.start())
        kept, newline = line[:start].rstrip(), line[len(line.rstrip("\r\n")) :]
        lines[comment.line - 1] = (kept + newline).encode() if kept else b""
    return b"".join(lines)


def diagnostics(case: Case) -> tuple[Diagnostic, ...]:
    """What the codemods find in the input.

    Raises:
      GoldenError: a codemod broke.
    """
    source = _source(case)
    analysis = analyze(source, case.codemods, seen=case.seen(source), surroundings=case.surroundings(source))
    if analysis.bugs:
        raise GoldenError(analysis.bugs[0])
    return tuple(diagnostic(analysis.module, found) for found in analysis.found)


# --- one case -----------------------------------------------------------------------------------------------------


def _source(case: Case) -> SourceFile:
    return SourceFile.decode(str(case), files.read_bytes(case.path))


def _refuse_placeholder(case: Case, source: SourceFile) -> None:
    for comment in comments(source.text):
        if comment.text.startswith(PLACEHOLDER):
            raise GoldenError(f"{case}:{comment.line}: {comment.text.removeprefix(PLACEHOLDER)}")


def _patch(case: Case, source: SourceFile) -> Patch:
    return plan(source, case.codemods, lambda fix: None, case.surroundings(source))


def _read(path: Path) -> bytes | None:
    return files.read_bytes(path) if path.is_file() else None


def _verify_findings(case: Case, source: SourceFile) -> None:
    found = diagnostics(case)
    said = Counter((w.line, w.id, w.declined) for w in wants(source.text))
    made = Counter((d.line, d.id, not d.fixable) for d in found)
    for (line, name, declined), _ in sorted((said - made).items()):
        raise GoldenError(
            f"{case}:{line}: wanted and not found: {_named(name, declined=declined)}{_instead(found, line)}"
        )
    for (line, name, declined), _ in sorted((made - said).items()):
        raise GoldenError(
            f"{case}:{line}: found and not wanted: {_named(name, declined=declined)}{_instead(found, line)}"
        )
    for want in wants(source.text):
        reasons = [str(d.declined or "") for d in found if (d.line, d.id) == (want.line, want.id)]
        if want.reason is not None and not any(want.reason in reason for reason in reasons):
            raise GoldenError(f"{case}:{want.line}: declined because {reasons}, not because {want.reason!r}")
    for told in found:
        for fault in style_faults(told):
            raise GoldenError(f"{case}:{told.line}: {fault}")


def _named(name: str, *, declined: bool) -> str:
    return f"`{name}`{' (no fix)' if declined else ''}"


def _instead(found: Sequence[Diagnostic], line: int) -> str:
    here = [
        f"{_named(d.id, declined=not d.fixable)} {d.message} ({d.declined or d.title})" for d in found if d.line == line
    ]
    return f"; on this line: {'; '.join(here)}" if here else ""


def _verify_result(case: Case, patch: Patch) -> None:
    expected = _read(case.fixed)
    if expected is None and patch.applied:
        raise GoldenError(f"{case}: {case.fixed.name} is missing", hint=f"run `pytest {UPDATE}`")
    after = unmarked(patch.after)
    if expected is not None and after != unmarked(expected):
        changes = _difference(unmarked(expected), after, case.fixed.name)
        raise GoldenError(f"{case}: the result differs\n{changes}", hint=f"run `pytest {UPDATE}`")


def _verify_idempotence(case: Case, patch: Patch) -> None:
    try:
        ast.parse(patch.after)
    except SyntaxError as error:
        raise GoldenError(f"{case}: the result does not parse: {error}") from error
    lost = Counter(c.text for c in comments(patch.before)) - Counter(c.text for c in comments(patch.after))
    if lost:
        raise GoldenError(f"{case}: a comment is lost: {next(iter(lost))}")
    again = _patch(case, SourceFile.decode(str(case), patch.after))
    if again.after != patch.after:
        changes = _difference(patch.after, again.after, case.fixed.name)
        raise GoldenError(f"{case}: a second run changes the result\n{changes}")


def _verify_variants(case: Case, source: SourceFile, patch: Patch) -> None:
    """The same with other newlines, byte for byte, and with tabs, where lines may be folded elsewhere."""
    crlf = _patch(case, SourceFile.decode(str(case), _with_crlf(patch.before)))
    if crlf.after != _with_crlf(patch.after):
        raise GoldenError(f"{case}: another result with `\\r\\n`\n{_difference(patch.after, crlf.after, 'crlf')}")
    width = len(source.indent)
    tabs = _patch(case, SourceFile.decode(str(case), _with_tabs(patch.before, width)))
    if _meaning(tabs.after) != _meaning(_with_tabs(patch.after, width)):
        raise GoldenError(f"{case}: another result with tabs\n{_difference(patch.after, tabs.after, 'tabs')}")


def _with_crlf(text: bytes) -> bytes:
    return text.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def _with_tabs(text: bytes, width: int) -> bytes:
    def indented(line: bytes) -> bytes:
        spaces = len(line) - len(line.lstrip(b" "))
        return b"\t" * (spaces // width) + b" " * (spaces % width) + line[spaces:]

    return b"".join(indented(line) for line in text.splitlines(keepends=True))


def _meaning(text: bytes) -> tuple[str, tuple[str, ...]]:
    """The program and its comments, whatever its lines, blanks and parentheses."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = " ".join(node.value.split())  # a docstring that moves is indented again
    return ast.dump(tree), tuple(sorted(c.text for c in comments(text)))


def _difference(before: bytes, after: bytes, name: str) -> str:
    was, is_now = (text.decode().splitlines(keepends=True) for text in (before, after))
    return "".join(difflib.unified_diff(was, is_now, f"{name} (was)", f"{name} (is)"))


# --- programs -----------------------------------------------------------------------------------------------------

_RUN = """\
import contextlib, io, json, runpy, sys, warnings, jax
compiles = []
event = "/jax/core/compile/backend_compile_duration"
jax.monitoring.register_event_duration_secs_listener(lambda name, *_, **__: compiles.append(name == event))
runs = []
for path in sys.argv[1:]:
    jax.clear_caches()
    compiles.clear()
    failure = None
    with contextlib.redirect_stdout(io.StringIO()) as printed, warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            runpy.run_path(path, run_name="__main__")
        except Exception as error:
            failure = f"{type(error).__name__}: {error}"
    warned = [str(entry.message) for entry in told if issubclass(entry.category, DeprecationWarning)]
    runs.append((printed.getvalue(), sum(compiles), failure, warned))
json.dump(runs, sys.stdout)
"""
_PEAK = (
    "import runpy, sys; from jaxfix.evidence.probe.memory import peak_bytes; "
    "runpy.run_path(sys.argv[1], run_name='__main__'); print(peak_bytes())"
)


@frozen
class _Run:
    """What a program prints, how many times it compiles, its exit status, and its deprecation warnings."""

    printed: str
    compiles: int
    failure: str | None
    warned: Sequence[str]


def _uncured(old: _Run, new: _Run, before: str, after: str) -> str | None:
    if old.failure is None and not old.warned:
        return f"{before} neither fails nor warns"
    if set(new.warned) & set(old.warned):
        return f"{after} still warns: {new.warned[0]}"
    if not new.printed.startswith(old.printed):
        return f"{after} prints {new.printed!r}, {before} {old.printed!r}"
    return None


def _runs(*programs: Path, checks_keys: bool) -> tuple[_Run, ...]:
    checker = {"JAX_DEBUG_KEY_REUSE": "true"} if checks_keys else {}
    return tuple(_Run(*run) for run in json.loads(_output(_RUN, *programs, more=checker)))


def _peak_bytes(program: Path) -> int:
    """The most memory that the program ever had."""
    return int(_output(_PEAK, program).split()[-1])


def _output(code: str, *programs: Path, more: Mapping[str, str] = MappingProxyType({})) -> str:
    env = os.environ | {"JAX_PLATFORMS": "cpu", "PYTHONPATH": str(HELPERS.parent)} | dict(more)
    command = [sys.executable, "-c", code, *map(str, programs)]
    return subprocess.run(command, capture_output=True, text=True, env=env, check=True).stdout


# --- the folder ---------------------------------------------------------------------------------------------------


def _folder(codemod: Codemod) -> str:
    return codemod.id.replace("-", "_")


def _orphans(golden: Path, found: Sequence[Case]) -> Iterator[str]:
    for case in found:
        if not case.codemods:
            yield f"{case}: no codemod has this folder"
    inputs = {case.fixed for case in found}
    for path in sorted(golden.rglob(f"*{_FIXED}")):
        if path not in inputs:
            yield f"{path.parent.name}/{path.name}: there is no input for it"
    stems = {case.path.parent / case.path.stem for case in found}
    for path in sorted(golden.rglob("*.*")):
        in_place = path.is_dir() or "__pycache__" in path.parts or path.relative_to(golden).parts[0].startswith("_")
        if not in_place and path.parent / path.name.partition(".")[0] not in stems:
            yield f"{path.parent.name}/{path.name}: there is no input for it"


def _lacking(codemod: Codemod, found: Sequence[Case]) -> Iterator[str]:
    own = [case for case in found if case.path.parent.name == _folder(codemod)]
    announced = [want for case in own for want in wants(files.read_bytes(case.path)) if want.id == codemod.id]
    if codemod.rewrites and not any(not want.declined for want in announced):
        yield f"`{codemod.id}` has no golden that is fixed"
    is_judged = codemod.equality is not None or codemod.safety is Safety.DISPLAY_ONLY
    if is_judged and not any(want.declined for want in announced):
        yield f"`{codemod.id}` has no golden that is declined"
    if not any(case.path.stem == "quiet" and not wants(files.read_bytes(case.path)) for case in own):
        yield f"`{codemod.id}` has no quiet.py without a finding"
    programs = [case for case in own if case.path.stem == "program"]
    if codemod.rewrites and not any(case.fixed.is_file() for case in programs):
        yield f"`{codemod.id}` has no program.py with its program.fixed.py"
    if not codemod.rewrites and not programs:
        yield f"`{codemod.id}` has no program.py"
    if _folder(codemod) not in codemod.find.__module__.split("."):
        yield f"`{codemod.id}` is defined in `{codemod.find.__module__}`, not in `{_folder(codemod)}`"
