"""A copy of an installed package, with other bytes in some of its files, importable where it is."""

import ast
import os
import re
from collections.abc import Iterator, Mapping
from importlib.metadata import Distribution, distributions
from pathlib import Path

from jaxfix.drivers import files
from jaxfix.drivers.files import Replacement
from jaxfix.drivers.installed import Installed, is_test
from jaxfix.source.edits import Edit, Span, apply_edits
from jaxfix.source.errors import WriteError
from jaxfix.source.frozen import frozen
from jaxfix.source.source_file import SourceFile

NOTE = "VENDORED.md"
_LICENCES = re.compile(r"(?i)^(licen[cs]e|copying|notice|authors)")


@frozen
class Copy:
    """What is to be written; `places` says where each source of the package goes."""

    replacements: tuple[Replacement, ...]
    places: Mapping[Path, Path]


def place_for(module: Installed, to: Path) -> Path:
    """The folder that a copy of the package in the folder `to` would have.

    Raises:
      WriteError: there is something at its place, or `module` is not a package.
    """
    if not (module.location / module.package).is_dir():
        raise WriteError(f"{module.package}: a single module; `--to` vendors packages")
    target = to.absolute() / module.package
    if os.path.lexists(target):
        raise WriteError(f"{files.shown(target)}: exists already", hint="delete it, or name another folder")
    return target


def copy_of(module: Installed, fixed: Mapping[Path, bytes], fixes: tuple[str, ...], to: Path) -> Copy:
    """The package that `module` belongs to, in the folder `to`, except tests that nothing else in it imports.

    If `to` is, or becomes, part of a package, the copy imports itself by its new dotted name; else it is found by
    its old name once `to` is on the path.

    Args:
      fixed: the bytes of the files that differ from what is installed, or are not there.
      fixes: one line each for the note.

    Raises:
      WriteError: there is something at its place, or `module` is not a package.
    """
    target = place_for(module, to)
    origin = module.location / module.package
    prefix = _dotted(to.absolute())
    places: dict[Path, Path] = {}
    replacements: list[Replacement] = []
    contents = _contents(origin)
    for path in (*contents, *sorted(fixed.keys() - contents)):
        raw = fixed[path] if path in fixed else files.read_bytes(path)
        if prefix and path.suffix == ".py":
            raw = renamed(SourceFile.decode(files.shown(path), raw), module.package, prefix)
        places[path] = target / path.relative_to(origin)
        replacements.append(Replacement(places[path], None, raw))
    distribution = _distribution(module)
    licences = _licences(distribution, target, set(places.values()))
    note = _note(module, distribution, licences, fixes, prefix).encode()
    extra = [*licences, Replacement(target / NOTE, None, note)]
    if prefix and not (to / "__init__.py").exists():
        extra.append(Replacement(to.absolute() / "__init__.py", None, b""))
    return Copy((*replacements, *extra), places)


def renamed(source: SourceFile, package: str, prefix: str) -> bytes:
    """The source with its absolute imports of `package` turned to `prefix.package`.

    Raises:
      SourceError: the new name has no place in its encoding.
    """
    try:
        tree = ast.parse(source.text.decode())
    except (SyntaxError, ValueError):
        return source.raw  # a template or a test's sample: it is not imported
    edits = [edit for node in ast.walk(tree) for edit in _import_edits(source, node, package, prefix)]
    return source.encode(apply_edits(source.text, edits))


def _import_edits(source: SourceFile, node: ast.AST, package: str, prefix: str) -> Iterator[Edit]:
    match node:
        case ast.ImportFrom(module=str(name), level=0) if _is_of(name, package):
            start = source.lines.offset(node.lineno, node.col_offset)
            place = source.text.index(name.encode(), start + len("from"))
            yield Edit(Span(place, place), f"{prefix}.")
        case ast.Import(names=names) if any(_is_of(alias.name, package) for alias in names):
            start = source.lines.offset(node.lineno, node.col_offset)
            end = source.lines.offset(node.end_lineno or node.lineno, node.end_col_offset or 0)
            yield Edit(Span(start, end), "; ".join(_import(alias, package, prefix) for alias in names))


def _import(alias: ast.alias, package: str, prefix: str) -> str:
    """The statement that binds the name that `import` of the alias did."""
    if not _is_of(alias.name, package):
        return f"import {alias.name} as {alias.asname}" if alias.asname else f"import {alias.name}"
    if alias.asname:
        return f"import {prefix}.{alias.name} as {alias.asname}"
    bound = f"from {prefix} import {package}"
    return bound if alias.name == package else f"import {prefix}.{alias.name}; {bound}"


def _is_of(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


def _dotted(folder: Path) -> str | None:
    """The dotted name of the folder, if it or the folder that holds it is a package."""
    parts = [folder.name]
    above = folder.parent
    while (above / "__init__.py").is_file():
        parts.insert(0, above.name)
        above = above.parent
    is_package = len(parts) > 1 or (folder / "__init__.py").is_file()
    return ".".join(parts) if is_package else None


def _contents(origin: Path) -> tuple[Path, ...]:
    found = sorted(path for path in origin.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    inside = {path: path.relative_to(origin) for path in found if path.suffix == ".py" or "tests" in path.parts}
    tests = {path for path, name in inside.items() if is_test(name)}
    imported = {name for path in found if path.suffix == ".py" and path not in tests for name in _imported(path)}
    return tuple(path for path in found if path not in tests or imported & {"tests", path.stem})


def _imported(path: Path) -> set[str]:
    """Every part of every name that the source imports."""
    try:
        tree = ast.parse(files.read_bytes(path))
    except (SyntaxError, ValueError):
        return set()
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {alias.name for node in statements for alias in node.names}
    names |= {node.module for node in statements if isinstance(node, ast.ImportFrom) and node.module}
    return {part for name in names for part in name.split(".")}


def _distribution(module: Installed) -> Distribution | None:
    """The distribution that put the package there."""
    for distribution in distributions(path=[str(module.location)]):
        if any(path.parts[:1] == (module.package,) for path in distribution.files or ()):
            return distribution
    return None


def _licences(distribution: Distribution | None, target: Path, taken: set[Path]) -> list[Replacement]:
    found: list[Replacement] = []
    for path in (distribution.files or ()) if distribution else ():
        if not path.parts[0].endswith(".dist-info") or not _LICENCES.match(path.name):
            continue
        place = target / path.name
        if place not in taken:
            taken.add(place)
            found.append(Replacement(place, None, files.read_bytes(Path(str(path.locate())))))
    return found


def _note(
    module: Installed,
    distribution: Distribution | None,
    licences: list[Replacement],
    fixes: tuple[str, ...],
    prefix: str | None,
) -> str:
    name = distribution.metadata["Name"] if distribution else module.package
    version = f" {distribution.version}" if distribution else ""
    licence = ", ".join(f"`{entry.path.name}`" for entry in licences) or "no licence file came with the distribution"
    place = f"{prefix}.{module.package}" if prefix else module.package
    how = f"It is imported as `{place}`. Tests that nothing else in it imports were left out."
    if prefix:
        how += f" Its imports of itself were changed from `{module.package}` to `{place}`."
    listed = "\n".join(f"- {fix}" for fix in fixes) or "None."
    return f"# {name}{version}, vendored by jaxfix\n\n{how}\n\nLicence: {licence}.\n\n## Fixes\n\n{listed}\n"
