"""What is found, rewritten and left in repositories, and how many of their modules can be imported before and after."""

import json
import shutil
import subprocess
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from jaxfix.drivers.roots import Roots
from jaxfix.drivers.surroundings import placed
from jaxfix.engine.analyze import analyze
from jaxfix.engine.plan import plan
from jaxfix.library.changes.row import Version
from jaxfix.report.finding import Change
from jaxfix.report.report import Diagnostic
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.errors import JaxfixError
from jaxfix.source.source_file import SourceFile
from jaxfix_codemods import CODEMODS

_ASKED = (Change.NEWER_FORM,)
_CODEMODS = [codemod for codemod in CODEMODS if codemod.id in ("removed-api", "legacy-parallelism")]
_IMPORT = """\
import importlib, json, os, sys, warnings
warnings.simplefilter("ignore")
sys.path.insert(0, os.getcwd())
said = {}
for name in json.load(sys.stdin):
    try:
        importlib.import_module(name)
        said[name] = ""
    except BaseException as error:
        said[name] = f"{type(error).__name__}: {error}"[:200]
sys.__stdout__.write("\\n" + json.dumps(said))
sys.__stdout__.flush()
os._exit(0)
"""


@dataclass
class Measured:
    """The figures of one repository; `kinds` are the rewrites by what they replace and by what.

    `imported` are modules that can be imported before and after; None where that was not tried.
    """

    name: str
    files: int = 0
    with_findings: int = 0
    found: int = 0
    safe: int = 0
    proving: int = 0
    by_hand: int = 0
    not_written: int = 0
    lines: int = 0
    unread: int = 0
    imported: tuple[int, int, int] | None = None
    kinds: dict[str, int] = field(default_factory=dict)
    left: dict[str, int] = field(default_factory=dict)


def measured(folder: Path, python: str | None = None) -> Measured:
    """The figures; with an interpreter, its imports of the modules too."""
    found = Measured(folder.name)
    kinds, left = Counter[str](), Counter[str]()
    fixed: dict[Path, bytes] = {}
    roots = Roots()
    for path in sorted((*folder.rglob("*.py"), *folder.rglob("*.ipynb"))):
        found.files += 1
        try:
            source = SourceFile.decode(str(path), path.read_bytes())
            around = Surroundings(name=placed(path, None, roots).name, asked=_ASKED)
            diagnostics = analyze(source, _CODEMODS, surroundings=around).diagnostics
            patch = plan(source, _CODEMODS, lambda fix: None, around)
        except JaxfixError:
            found.unread += 1
            continue
        _count(found, diagnostics, kinds, left)
        found.not_written += sum(held.fix.lowered_because is not None for held in patch.held)
        if patch.after != patch.before:
            fixed[path] = patch.after
            found.lines += _changed(patch.before, patch.after)
            if path.suffix == ".py":
                compile(patch.after, str(path), "exec", dont_inherit=True)
    found.kinds, found.left = dict(kinds.most_common()), dict(left.most_common())
    if python is not None:
        found.imported = _imported(folder, fixed, python)
    return found


def fixed_files(folder: Path, oldest: Version | None = None) -> dict[Path, bytes]:
    """What every fix makes of the Python files of a project that runs with so old a jax too; those that change."""
    roots, fixed = Roots(), dict[Path, bytes]()
    for path in sorted(folder.rglob("*.py")):
        try:
            source = SourceFile.decode(str(path), path.read_bytes())
            around = Surroundings(name=placed(path, None, roots).name, oldest_jax=oldest, asked=_ASKED)
            patch = plan(source, _CODEMODS, lambda fix: None, around)
        except JaxfixError:
            continue
        if patch.after != patch.before:
            fixed[path] = patch.after
    return fixed


def _count(found: Measured, diagnostics: tuple[Diagnostic, ...], kinds: Counter[str], left: Counter[str]) -> None:
    found.with_findings += bool(diagnostics)
    for each in diagnostics:
        found.found += 1
        what = each.message.partition(" is ")[0].partition(" are ")[0]
        if each.fixable:
            found.safe += each.renames
            found.proving += not each.renames
            kinds[f"{what}: {each.title}"] += 1
        else:
            found.by_hand += 1
            left[what] += 1


def _changed(before: bytes, after: bytes) -> int:
    old, new = Counter(before.splitlines()), Counter(after.splitlines())
    return sum((new - old).values())


def _imported(folder: Path, fixed: dict[Path, bytes], python: str) -> tuple[int, int, int]:
    """How many modules can be tried, and imported as they are and with all fixes."""
    names = [module_of(path.relative_to(folder)) for path in sorted(folder.rglob("*.py"))]
    wanted = [name for name in names if name is not None and "test" not in name]
    before = _imports(folder, wanted, python)
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place) / folder.name
        shutil.copytree(folder, copy)
        for path, text in fixed.items():
            (copy / path.relative_to(folder)).write_bytes(text)
        after = _imports(copy, wanted, python)
    return len(wanted), sum(not error for error in before.values()), sum(not error for error in after.values())


def module_of(path: Path) -> str | None:
    """The dotted name of a file in a repository; None where its path has none."""
    parts = path.with_suffix("").parts
    parts = parts[:-1] if parts[-1] == "__init__" else parts
    return ".".join(parts) if parts and all(part.isidentifier() for part in parts) else None


def _imports(folder: Path, names: list[str], python: str) -> dict[str, str]:
    command = [python, "-W", "ignore", "-c", _IMPORT]
    done = subprocess.run(command, input=json.dumps(names), capture_output=True, text=True, cwd=folder)
    said: dict[str, str] = json.loads(done.stdout.splitlines()[-1]) if done.stdout.strip() else {}
    return said
