"""`jaxfix new ID`: the files of a new codemod, in a clone of jaxfix or in the project of a pack."""

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path

from jaxfix.drivers import files, new_codemod
from jaxfix.drivers.cli import outcome, terminal
from jaxfix.drivers.cli.options.about import New
from jaxfix.engine.registry import GROUP, load_registry
from jaxfix.source.errors import ConfigError
from jaxfix.source.frozen import frozen

_ID = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_FOLDERS = ("codemods", "src", ".")
"""Where a project has its packages, below its root."""


@frozen
class Pack:
    """A project of codemods: its root, and the package that holds the tuple."""

    root: Path
    package: str
    folder: Path


def new(options: New) -> int:
    """Writes the files of the codemod, and says what to do next."""
    name = options.codemod
    if not _ID.fullmatch(name):
        raise ConfigError(f"`{name}` is not an id", hint="name the problem in lower case with hyphens, as `local-jit`")
    pack = _pack(Path.cwd())
    if name in {codemod.id for codemod in load_registry().codemods}:
        raise ConfigError(f"there is a codemod `{name}`", hint="see `jaxfix rules`")
    module = name.replace("-", "_")
    written = _written(pack, name, module)
    for path in written:
        terminal.give(f"{files.shown(path)}\n".encode())
    where = "tests" if (pack.root / "tests" / "test_goldens.py").is_file() else "the tests of your pack"
    terminal.tell(f"fill them in, then run `pytest {where}/test_goldens.py -k '{module} or {name}' --update-golden`\n")
    return outcome.CLEAN


def _written(pack: Pack, name: str, module: str) -> tuple[Path, ...]:
    """The files, which are new except the one with the tuple."""
    listing = pack.folder / "__init__.py"
    source = files.read_bytes(listing).decode()
    listed = new_codemod.registered(source, pack.package, module)
    if listed is None:
        raise ConfigError(f"{files.shown(listing)}: there is no tuple `CODEMODS = (...)` to add `{name}` to")
    golden = pack.root / "golden" / module
    texts = {pack.folder / f"{module}.py": new_codemod.codemod(name)}
    texts |= {golden / path: text for path, text in new_codemod.goldens(name).items()}
    _refuse_existing((*texts, golden))
    files.make_folder(golden)
    for path, text in {**texts, listing: listed}.items():
        files.write_bytes(path, text.encode())
    return (*texts, listing)


def _refuse_existing(paths: Iterable[Path]) -> None:
    for path in paths:
        if path.exists():
            raise ConfigError(f"{files.shown(path)} exists already", hint="choose another name")


def _pack(folder: Path) -> Pack:
    """The pack of the project around `folder`.

    Raises:
      ConfigError: no project is found there, or none that has a pack of codemods.
    """
    hint = f'run it in a clone of jaxfix, or in a project with `[project.entry-points."{GROUP}"]`'
    pyproject = next(files.nearest(folder, "pyproject.toml"), None)
    if pyproject is None:
        raise ConfigError("there is no `pyproject.toml` here or above", hint=hint)
    try:
        settings = tomllib.loads(files.read_bytes(pyproject).decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{files.shown(pyproject)}: {error}") from error
    points = settings.get("project", {}).get("entry-points", {}).get(GROUP, {})
    if len(points) != 1:
        found = "no pack of codemods" if not points else "several packs of codemods"
        raise ConfigError(f"{files.shown(pyproject)} declares {found}", hint=hint)
    package = str(*points.values()).partition(":")[0]
    for place in _FOLDERS:
        inside = pyproject.parent.joinpath(place, *package.split("."))
        if (inside / "__init__.py").is_file():
            return Pack(pyproject.parent, package, inside)
    raise ConfigError(f"{files.shown(pyproject)}: the package `{package}` is not found", hint="make it a package")
