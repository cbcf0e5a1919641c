"""The work behind the tools: each is a command of jaxfix, whose JSON is cut down to what an agent needs."""

import json
import shlex
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from jaxfix.drivers import files
from jaxfix.drivers.mcp import below, paging, results
from jaxfix.drivers.mcp.calling import Called, Told, call
from jaxfix.drivers.mcp.options import Options
from jaxfix.drivers.workflow.traces import read_trace
from jaxfix.render.paint import counted, printable
from jaxfix.report.trace.compiles import Compiled, compiled
from jaxfix.source.errors import ConfigError, EvidenceError
from jaxfix.source.frozen import frozen

Document = Mapping[str, Any]
"""A document that a command of jaxfix has written; docs/schema says what is in it."""


@frozen
class Page:
    offset: int
    limit: int


@frozen
class Rerun:
    """A program and how long each of its runs may take."""

    command: str
    timeout_s: float
    steps: int | None = None
    rounding: bool = False


class Service:
    """What one server knows: its folder, and the traces that it has made.

    Args:
      scratch: a folder of its own.
    """

    def __init__(self, options: Options, scratch: Path) -> None:
        self.options = options
        self._scratch = scratch
        self._traces: dict[str, Path] = {}
        self._is_running = False

    async def check(
        self,
        paths: Sequence[str],
        select: Sequence[str],
        trace: str | None,
        page: Page,
        told: Told,
        *,
        everything: bool,
    ) -> results.Checked:
        """What is found below the folder; nothing runs."""
        words = [*self._paths(paths, trace), "--output-format", "json", *_select(select), *self._trace(trace)]
        said = await self._call("check", *words, *(["--all"] if everything else []), told=told)
        document = _document(said, said.stdout)
        found = [_finding(entry) for entry in document["findings"]]
        shown, following = paging.page(found, page.offset, page.limit)
        return results.Checked(shown, len(found), following, document["not_shown"], document["errors"])

    async def upgrade(
        self, paths: Sequence[str], to: str | None, came_from: str | None, page: Page, told: Told
    ) -> results.Upgraded:
        """What another version of jax makes of the project; nothing runs."""
        ends = (("--to", to), ("--from", came_from))
        asked = [word for option, version in ends if version is not None for word in (option, version)]
        said = await self._call("upgrade", *self._paths(paths, None), "--output-format", "json", *asked, told=told)
        document = _document(said, said.stdout)
        shown, following = paging.page([_finding(entry) for entry in document["findings"]], page.offset, page.limit)
        return results.Upgraded(
            came_from=document["from"],
            today=document["today"],
            to=document["to"],
            findings=shown,
            total=len(document["findings"]),
            next_offset=following,
            errors=document["errors"],
            **{name: document[name] for name in _OF_AN_UPGRADE},
        )

    async def trace(self, rerun: Rerun, page: Page, told: Told) -> results.Traced:
        """What a run of the program compiles, by line."""
        name = f"trace-{len(self._traces) + 1}"
        place = self._scratch / f"{name}.json"
        with self._running():
            words = ("trace", "-o", str(place), "--", *shlex.split(rerun.command))
            said = await self._call(*words, told=told, timeout_s=rerun.timeout_s)
        if not place.is_file():
            raise said.problem
        seen = read_trace(str(place))
        self._traces[name] = place
        rows = compiled(seen.measurement.compiles)
        shown, following = paging.page([_row(row) for row in rows], page.offset, page.limit)
        return results.Traced(
            trace=name,
            rows=shown,
            total=len(rows),
            next_offset=following,
            compiles=sum(row.compiles for row in rows),
            again=sum(row.again for row in rows),
            lost_s=round(sum(row.lost_s for row in rows), 3),
            run_s=round(seen.measurement.seconds, 3),
            exit_status=said.status,
            output_tail=said.stdout[-1000:],
        )

    async def propose(
        self, paths: Sequence[str], select: Sequence[str], trace: str | None, to: str | None, offset: int, told: Told
    ) -> results.Proposed:
        """The fixes as a diff; nothing runs, and nothing is written.

        Args:
          to: another version of jax, for what brings the code there alone.

        Raises:
          ConfigError: it goes with no choice of codemods, and with no trace.
        """
        if to is not None and (select or trace is not None):
            raise ConfigError("`to` chooses the codemods", hint="leave `select` and `trace` out")
        command = ("apply", *_select(select), *self._trace(trace)) if to is None else ("upgrade", "--to", to)
        words = (*command, *self._paths(paths, trace), "--unproven")
        said, document = await self._written((*words, *_DRY), None, told)
        parts = paging.files_of(said.stdout)
        diff, following = paging.diff_page(parts, offset)
        return results.Proposed(
            diff=diff,
            files=[_named(part) for part in parts],
            next_offset=following,
            fixes=[results.Fix(e["path"], e["id"], e["title"], e["safety"]) for e in document["fixes"]],
            held=[_held(entry) for entry in document["held"]],
            errors=document["errors"],
        )

    async def prove_diff(self, diff: str, rerun: Rerun, receipt: str | None, told: Told) -> results.Proved:
        """Whether the program returns the same with the diff."""
        words = ["prove", "--run", rerun.command, "--diff", "-", *self._how(rerun)]
        words += ["--rounding"] if rerun.rounding else []
        with self._running():
            _, document = await self._written(words, receipt, told, given=diff.encode())
        is_proven = document["verdict"] == "proven" or (not document["evidence"] and document["verdict"] == "no effect")
        return results.Proved(
            proven=is_proven,
            verdict=document["verdict"],
            reason=document["reason"],
            judged=[_judged(entry) for entry in document["evidence"]],
            diff=diff if is_proven else "",
            receipt=receipt,
            command=rerun.command,
            errors=[],
        )

    async def prove_fixes(
        self, paths: Sequence[str], select: Sequence[str], rerun: Rerun, receipt: str | None, told: Told
    ) -> results.Proved:
        """The fixes that a rerun proves, each by two runs that differ by it alone, as a diff; nothing is written."""
        words = ("apply", *self._paths(paths, None), "--run", rerun.command, *_select(select), *self._how(rerun))
        with self._running():
            said, document = await self._written((*words, *_DRY), receipt, told)
        judged = [_judged(entry) for entry in document["evidence"]]
        proven = sum(entry.verdict == "proven" for entry in judged)
        return results.Proved(
            proven=bool(document["fixes"]),
            verdict="proven" if proven else "not proven",
            reason=f"{proven} of {len(judged)} tried are proven; the diff has {counted(len(document['fixes']), 'fix')}",
            judged=judged,
            diff="".join(paging.files_of(said.stdout)),
            receipt=receipt,
            command=rerun.command,
            errors=document["errors"],
        )

    async def receipts(self, path: str | None, page: Page, told: Told) -> results.Receipts:
        """What reruns have shown, the newest of each fix."""
        named = () if path is None else (below.path(self.options.folder, path),)
        said = await self._call("receipts", *named, "--output-format", "json", told=told)
        document = _document(said, said.stdout)
        rows = [_receipt(entry) for entry in document["receipts"]]
        shown, following = paging.page(rows, page.offset, page.limit)
        return results.Receipts(shown, len(rows), following, document["errors"])

    async def verified(self, path: str, told: Told) -> results.Explained:
        """Whether the receipt in a file speaks of this tree."""
        named = below.path(self.options.folder, path)
        said = await self._call("verify", named, told=told)
        if not said.stdout:
            raise said.problem
        return results.Explained(path, "receipt", said.stdout)

    async def finding(self, path: str, line: int, told: Told) -> Document | None:
        """The whole finding of a line; None where there is none."""
        named = below.path(self.options.folder, path)
        said = await self._call("check", named, "--all", "--output-format", "json", told=told)
        found: list[Document] = _document(said, said.stdout)["findings"]
        return next((entry for entry in found if entry["line"] <= line <= entry["end_line"]), None)

    async def _call(self, *words: str, told: Told, timeout_s: float | None = None) -> Called:
        return await call(self.options.folder, *words, told=told, timeout_s=timeout_s)

    async def _written(
        self, words: Sequence[str], receipt: str | None, told: Told, *, given: bytes = b""
    ) -> tuple[Called, Document]:
        """What a command writes as JSON, into the file that is to be passed, if there is one."""
        with tempfile.TemporaryDirectory(dir=self._scratch) as folder:
            place = Path(folder) / "result.json"
            if receipt is not None:
                place = self.options.folder / below.new_file(self.options.folder, receipt)
            options = ("--output-format", "json", "--output-file", str(place))
            said = await call(self.options.folder, *words, *options, given=given, told=told)
            if not place.is_file():
                raise said.problem
            return said, _document(said, files.read_bytes(place).decode())

    def _paths(self, names: Sequence[str], trace: str | None) -> tuple[str, ...]:
        if not names and trace is not None:
            return ()
        return below.paths(self.options.folder, names or (".",))

    def _trace(self, name: str | None) -> tuple[str, ...]:
        if name is None:
            return ()
        if name not in self._traces:
            raise ConfigError(f"{printable(name)}: no trace of this server", hint="`trace` makes one and names it")
        return "--trace", str(self._traces[name])

    def _how(self, rerun: Rerun) -> tuple[str, ...]:
        python = self.options.python
        steps = () if rerun.steps is None else ("--steps", str(rerun.steps))
        return ("--timeout", f"{rerun.timeout_s:g}", *steps, *(() if python is None else ("--python", python)))

    @contextmanager
    def _running(self) -> Iterator[None]:
        if self._is_running:
            raise EvidenceError("this server is running another program", hint="wait for it, or cancel it")
        self._is_running = True
        try:
            yield
        finally:
            self._is_running = False


_DRY = ("--diff", "--exit-zero")
_OF_AN_UPGRADE = (
    *("raises_today", "raises_at_the_target", "warns", "differs"),
    *("renames", "needs_evidence", "by_hand"),
)


def _select(ids: Sequence[str]) -> tuple[str, ...]:
    return ("--select", ",".join(ids)) if ids else ()


def _document(said: Called, text: str) -> Document:
    try:
        document: Document = json.loads(text)
    except ValueError as error:
        raise said.problem from error
    return document


def _finding(entry: Document) -> results.Finding:
    seen = entry["seen"]
    return results.Finding(
        path=entry["path"],
        line=entry["line"],
        id=entry["id"],
        message=entry["message"],
        confidence=entry["confidence"],
        safety=entry["safety"],
        fix=entry["title"] if entry["fixable"] else None,
        why_no_fix=entry["declined"],
        reason_code=entry["declined_code"],
        seconds=round(seen["seconds"], 3) if seen else None,
        cell=entry.get("cell"),
    )


def _row(row: Compiled) -> results.Row:
    cause = row.cause.words if row.cause is not None else None
    return results.Row(
        row.where,
        row.function,
        row.program,
        row.compiles,
        row.again,
        round(row.seconds, 3),
        round(row.lost_s, 3),
        cause,
    )


def _held(entry: Document) -> results.Held:
    return results.Held(entry["path"], entry["id"], entry["title"], entry["reason"], entry["reason_code"])


def _judged(entry: Document) -> results.Judged:
    figures = next(((each["before"], each["after"]) for each in entry["comparisons"]), None)
    before, after = figures if figures is not None else (None, None)
    return results.Judged(
        path=entry["path"],
        line=entry["line"],
        what=entry["key"],
        verdict=entry["verdict"],
        reason=entry["reason"],
        compiles_before=before and before["compiles"],
        compiles_after=after and after["compiles"],
        per_step_before=before and before["steady_compiles"],
        per_step_after=after and after["steady_compiles"],
    )


def _receipt(entry: Document) -> results.Receipt:
    return results.Receipt(
        when=entry["when"],
        path=entry["path"],
        line=entry["line"],
        id=entry["codemod"],
        verdict=entry["verdict"],
        reason=entry["reason"],
        command=entry["command"],
        expired=entry["expired"],
    )


def _named(part: str) -> str:
    """The file that a part of a diff changes."""
    return part.splitlines()[1].removeprefix("+++ ").partition("\t")[0].removeprefix("b/")
