"""Finds what runs a source, by imports alone: the command that would give the evidence which is missing."""

import ast
import shlex
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from pathlib import Path

from jaxfix.drivers import files, vcs, walking
from jaxfix.drivers.roots import Roots
from jaxfix.drivers.surroundings import Placed, placed
from jaxfix.drivers.walking import Allowance
from jaxfix.drivers.workflow.agenda import folder_in, root_of
from jaxfix.source.errors import UserError
from jaxfix.source.frozen import frozen

_MOST = 2000
"""Entries of folders that are analysed."""
_MOST_TOLD = 3
"""Commands, or files that none runs."""
_GUARD = b"__main__"


@frozen
class _Source:
    """A Python file of the project."""

    place: Placed
    text: bytes

    @property
    def is_test(self) -> bool:
        name = self.place.path.name
        return (name.startswith("test_") or name.endswith("_test.py")) and b"def test" in self.text

    @property
    def is_program(self) -> bool:
        return _GUARD in self.text and not self.is_test


def commands(paths: Sequence[Path]) -> Mapping[str, tuple[Path, ...]]:
    """For each command the files of these that it runs; those that nothing runs are left out."""
    if not paths:
        return {}
    root = root_of(paths)
    sources = {source.place.path: source for source in _sources(root)}
    imports = cache(_imported)
    found: dict[str, tuple[Path, ...]] = {}
    for path in map(files.resolved, paths):
        command = _command(_importers(path, sources, imports), folder_in(root))
        if command is not None:
            found[command] = (*found.get(command, ()), path)
    return found


def words(found: Mapping[str, tuple[Path, ...]], paths: Sequence[Path], again: str) -> Iterator[str]:
    """Whole commands that give the evidence which these files lack, or that nothing here runs them.

    Args:
      found: the `commands` of these paths.
      again: the command of jaxfix that proves, such as `apply`.
    """
    for whole in islice(proving(found, again), _MOST_TOLD):
        yield f"to prove them: `{whole}`"
    if not found:
        where = ", ".join(files.shown(path) for path in paths[:_MOST_TOLD])
        yield f"no program or test here runs {where}: write one, and name it with `--run CMD`"


def proving(found: Mapping[str, tuple[Path, ...]], again: str) -> Iterator[str]:
    """For each of the `commands` the whole command of jaxfix that proves the fixes of what it runs."""
    for command, ran in found.items():
        where = " ".join(shlex.quote(files.shown(path)) for path in ran)
        unheld = "" if vcs.holds(ran[0]) else " --allow-no-vcs"
        yield f"jaxfix {again} {where}{unheld} --run {shlex.quote(command)}"


def programs(folder: Path) -> list[str]:
    """The commands that run the programs of a project, without those of its tests."""
    return [_run(source.place, folder) for source in _sources(folder) if source.is_program]


def _command(importers: Iterable[_Source], folder: Path) -> str | None:
    """What runs the file: itself, the nearest program that imports it, else a test, else a script without a guard."""
    others: list[_Source] = []
    for source in importers:
        if source.is_program:
            return _run(source.place, folder)
        others.append(source)
    test = next((source for source in others if source.is_test), None)
    if test is not None:
        return f"python -m pytest {shlex.quote(_from(test.place.path, folder))}"
    script = next((source for source in others if _runs_at_once(source.text)), None)
    return None if script is None else _run(script.place, folder)


def _runs_at_once(text: bytes) -> bool:
    """Whether the source runs a loop or one of its own functions when it is imported: a script without a guard."""
    body = tree.body if (tree := _tree(text)) is not None else []
    own = {node.name for node in body if isinstance(node, ast.FunctionDef)} | {"print"}
    return any(isinstance(node, ast.For | ast.While) or _calls(node, own) for node in body)


def _calls(node: ast.stmt, names: Container[str]) -> bool:
    match node:
        case ast.Expr(value=ast.Call(func=ast.Name(id=name))):
            return name in names
    return False


def _run(place: Placed, folder: Path) -> str:
    if place.top == place.root or place.name is None:
        return f"python {shlex.quote(_from(place.path, folder))}"
    name = place.name.removesuffix(".__main__")
    search = "" if place.root == folder else f"PYTHONPATH={shlex.quote(_from(place.root, folder))} "
    return f"{search}python -m {name}"


def _from(path: Path, folder: Path) -> str:
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else str(path)


def _importers(
    path: Path, sources: Mapping[Path, _Source], imports: Callable[[_Source], frozenset[str]]
) -> Iterator[_Source]:
    """The source itself, those that import it, those that import these, and so on: the nearest first."""
    seen, turn = {path}, [sources[path]] if path in sources else []
    while turn:
        yield from turn
        names = {source.place.name for source in turn} - {None}
        may_import = _mentions(turn)
        left = (s for p, s in sources.items() if p not in seen and may_import(s))
        turn = [source for source in left if not names.isdisjoint(imports(source))]
        seen |= {source.place.path for source in turn}


def _mentions(turn: Iterable[_Source]) -> Callable[[_Source], bool]:
    """Whether a source may import one of these: it has the last part of a name; of its own package it needs none."""
    places = [source.place for source in turn if source.place.name is not None]
    words = {(place.name or "").rpartition(".")[2].encode() for place in places}
    packages = [place.path.parent for place in places if place.is_package]

    def may_import(source: _Source) -> bool:
        named = any(word in source.text for word in words)
        return named or any(source.place.path.is_relative_to(package) for package in packages)

    return may_import


def _sources(root: Path) -> Iterator[_Source]:
    paths = [path for path in islice(walking.some(root, Allowance(_MOST)), _MOST) if path.suffix == ".py"]
    texts = dict(_read(paths))
    roots = Roots(texts.items())
    for path, text in texts.items():
        yield _Source(placed(path, None, roots), text)


def _read(paths: Iterable[Path]) -> Iterator[tuple[Path, bytes]]:
    for path in paths:
        try:
            yield files.resolved(path), files.read_bytes(path)
        except UserError:  # what cannot be read runs nothing that is known
            continue


def _imported(source: _Source) -> frozenset[str]:
    """The modules that a source may import; of `from a import b` both `a` and `a.b`."""
    tree = _tree(source.text)
    return frozenset(name for node in ast.walk(tree) for name in _named(node, source.place)) if tree else frozenset()


def _tree(text: bytes) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _named(node: ast.AST, place: Placed) -> Iterator[str]:
    match node:
        case ast.Import(names=names):
            yield from (name.name for name in names)
        case ast.ImportFrom(module=module, names=names, level=level):
            base = _absolute(module or "", level, place)
            yield base
            yield from (f"{base}.{name.name}" for name in names)


def _absolute(module: str, level: int, place: Placed) -> str:
    """The absolute name of a relative import."""
    if not level:
        return module
    own = (place.name or "").split(".")
    above = own[: len(own) - level + place.is_package]
    return ".".join([*above, *([module] if module else [])])
