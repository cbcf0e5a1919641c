"""The sources that everybody reads: installed JAX libraries, and trees of any number of files made of them."""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

LIBRARIES = ("jax", "optax", "flax", "equinox", "diffrax", "optimistix", "lineax")
_EDITED = "optax/_src/transform.py"


def installed(site: Path) -> Path:
    """The folder with the libraries in it; pip fills it once."""
    if not site.exists():
        words = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile", "--target"]
        part = site.with_name(f"{site.name}.part")
        shutil.rmtree(part, ignore_errors=True)
        subprocess.run([*words, str(part), *LIBRARIES], check=True)
        part.rename(site)
    return site


def versions(site: Path) -> tuple[str, ...]:
    """Such as `jax 0.10.2`, of every library that pip has put there."""
    names = sorted(path.name.removesuffix(".dist-info") for path in site.glob("*.dist-info"))
    return tuple(name.replace("-", " ") for name in names)


def sources(tree: Path) -> tuple[Path, ...]:
    """The Python files of the tree."""
    return tuple(sorted(path for path in tree.rglob("*.py") if "__pycache__" not in path.parts))


def size(tree: Path) -> int:
    """The bytes of its Python files."""
    return sum(path.stat().st_size for path in sources(tree))


def edited(tree: Path) -> Path:
    """The file of the tree that is being edited."""
    named = tree / _EDITED
    return named if named.exists() else sources(tree)[0]


def copied(tree: Path, place: Path) -> Path:
    """A copy of the Python files of `tree`, to be changed."""
    return _laid_out(tree, sources(tree), place)


def sized(tree: Path, number: int, place: Path) -> Path:
    """About `number` files like those of `tree`: some, spread evenly, or copies of all, each a package of its own."""
    found = sources(tree)
    if (place / "complete").exists():
        return place
    shutil.rmtree(place, ignore_errors=True)
    for copy in range(-(-number // len(found))):
        left = number - copy * len(found)
        package = _laid_out(tree, _spread(found, left), place / f"copy_{copy}")
        (package / "__init__.py").touch()
    (place / "complete").touch()
    return place


def _spread(found: Sequence[Path], number: int) -> Sequence[Path]:
    """`number` of them, as far apart as can be."""
    if number >= len(found):
        return found
    return [found[index * len(found) // number] for index in range(number)]


def _laid_out(tree: Path, chosen: Sequence[Path], place: Path) -> Path:
    shutil.rmtree(place, ignore_errors=True)
    for path in chosen:
        copy = place / path.relative_to(tree)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    return place
