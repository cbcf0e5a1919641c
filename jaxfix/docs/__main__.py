"""`python -m jaxfix.docs`, run from the root of a clone: writes what is generated, or with `--check` compares it.

Generated are the pages of the codemods, their table and gallery, the reference, the table of changes, the codes of
reasons, the JSON schemas of reports, the figures that pages quote, and the text of `--help`.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from jaxfix import docs
from jaxfix.docs import changes, figures, gallery, reference
from jaxfix.drivers import files
from jaxfix.drivers.cli import app
from jaxfix.drivers.cli.options.declaration import usage as usage_of
from jaxfix.engine.registry import load_registry
from jaxfix.render import json_schema
from jaxfix.report.evidence import Evidence
from jaxfix.report.reason import Code
from jaxfix.report.report import SCHEMA
from jaxfix.report.wire import from_json
from jaxfix.semantic.codemod import Codemod
from jaxfix.source.errors import UserError

FOLDER = Path("docs/codemods")
SCHEMAS = Path("docs/schema")
REASONS = Path("docs/reasons.md")
CHANGES = Path("docs/changes.md")
GALLERY = Path("docs/gallery.md")
EVIDENCE = Path("docs/evidence")
QUOTING = (Path("README.md"), Path("docs/proof.md"), Path("docs/alternatives.md"))
_SCHEMAS = {
    "check": json_schema.check,
    "apply": json_schema.apply,
    "prove": json_schema.prove,
    "upgrade": json_schema.upgrade,
}
REFERENCE = Path("docs")
USAGE = Path("jaxfix/drivers/cli/usage.py")
COMMAND = "python -m jaxfix.docs"


def pages(codemods: Sequence[Codemod], golden: Path) -> Iterator[tuple[Path, str]]:
    """The path and the text of every generated page."""
    receipts = {codemod.id: _receipts(golden, codemod.id) for codemod in codemods}
    for codemod in codemods:
        yield FOLDER / f"{codemod.id}.md", docs.markdown(codemod, docs.page(codemod), receipts[codemod.id])
    counted = {codemod.id: found for codemod in codemods if (found := _by_hand(golden, codemod.id)) is not None}
    yield FOLDER / "README.md", gallery.index(codemods, receipts, counted)
    yield GALLERY, gallery.page(codemods, receipts, counted)


def schemas() -> Iterator[tuple[Path, str]]:
    """The path and the text of every generated schema."""
    for name, schema in _SCHEMAS.items():
        yield SCHEMAS / f"{name}-{SCHEMA}.json", json.dumps(schema(), indent=2) + "\n"


def references() -> Iterator[tuple[Path, str]]:
    """The path and the text of every page of the reference."""
    yield REFERENCE / "cli.md", reference.commands(dict(_commands()))
    yield REFERENCE / "json.md", reference.schemas({f"{name}-{SCHEMA}.json": made() for name, made in _SCHEMAS.items()})
    yield REFERENCE / "api.md", reference.modules()


def reasons() -> tuple[Path, str]:
    """The path and the text of the page that lists the codes of reasons."""
    rows = "\n".join(f"| `{code}` | {code.means} |" for code in Code)
    lead = "A finding without a fix says why: in words that may change, and by a code that stays."
    packs = "A pack may have codes of its own."
    return REASONS, f"# Why a fix is declined\n\n{lead} {packs}\n\n| code | what it means |\n|---|---|\n{rows}\n"


def quoting() -> Iterator[tuple[Path, str]]:
    """The path and the text of every page that quotes figures of the evidence."""
    pages = [page for page in QUOTING if page.is_file()]
    evidence = {page.stem: files.read_bytes(page).decode() for page in EVIDENCE.glob("*.md")} if pages else {}
    for page in pages:
        yield page, figures.quoted(files.read_bytes(page).decode(), evidence)


def usage() -> tuple[Path, str]:
    """The path and the text of the module that holds what `jaxfix --help` prints."""
    text = app.help_text().replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    head = f'"""What `jaxfix --help` prints. Written by `{COMMAND}`; edit `app`."""\n\n'
    return USAGE, f'{head}HELP = """\\\n{text}\n"""\n'


def main(arguments: Sequence[str]) -> int:
    """Writes what is generated; with `--check`, writes nothing and fails if something would change."""
    stale = []
    generated = (
        *pages(load_registry().codemods, Path("golden")),
        *schemas(),
        *references(),
        *quoting(),
        reasons(),
        (CHANGES, changes.page()),
        usage(),
    )
    for path, text in generated:
        if path.is_file() and files.read_bytes(path) == text.encode():
            continue
        stale.append(path.as_posix())
        if "--check" not in arguments:
            files.make_folder(path.parent)
            files.write_bytes(path, text.encode())
    if stale and "--check" in arguments:
        print(f"out of date: {', '.join(stale)}; run `{COMMAND}`", file=sys.stderr)
        return 1
    return 0


def _commands() -> Iterator[tuple[str, tuple[str, list[tuple[str, str]]]]]:
    for name, run in app.declared.items():
        options = [(usage_of(each), each.spelled.help or "") for each in app.options_of(name)]
        yield name, (run.__doc__ or "", options)


def _receipts(golden: Path, codemod_id: str) -> tuple[Evidence, ...]:
    path = golden / codemod_id.replace("-", "_") / "program.evidence.json"
    if not path.is_file():
        return ()
    try:
        return from_json(tuple[Evidence, ...], json.loads(files.read_bytes(path)))
    except ValueError as error:
        raise UserError(f"{path.as_posix()}: not a list of receipts: {error}") from error


def _by_hand(golden: Path, codemod_id: str) -> tuple[int, int] | None:
    """How often the example of a page compiles before and after a change by hand, as a test has counted it."""
    path = golden / codemod_id.replace("-", "_") / "program.by_hand.json"
    if not path.is_file():
        return None
    before, after = json.loads(files.read_bytes(path))["compiles"]
    return before, after


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except UserError as error:
        sys.exit(f"error: {error}")
