"""Which of the targets a rerun can import and drive without a program."""

import re
from functools import lru_cache
from pathlib import Path

from jaxfix.drivers import files, walking
from jaxfix.drivers.workflow.targets import Target
from jaxfix.evidence.shadow import package_of

_OPTIMIZER = b"GradientTransformation"
_MADE = re.compile(
    rb"GradientTransformation|Abstract(Minimiser|LeastSquaresSolver|RootFinder|FixedPointSolver)|"
    rb"^[ \t]+def (init|init_state|run)\b|^[ \t]+init\s*[:=]",
    re.MULTILINE,
)
"""What is driven has a text like this somewhere: a base, a method or an inner function, a field."""


def can_be_driven(target: Target) -> bool:
    """Whether it is installed, or it or its package speaks of optimizers or solvers.

    A script is not imported to see, for that would run it.
    """
    if target.path is None:
        return False
    if target.module is not None or _OPTIMIZER in target.source.raw:
        return True
    package = location(target)
    return (package / "__init__.py").is_file() and _makes(package)


@lru_cache(maxsize=64)
def _makes(package: Path) -> bool:
    """Whether a file of the package speaks of something that can be driven."""
    return any(_MADE.search(files.read_bytes(path)) for path in walking.walk(package).files if path.suffix == ".py")


def location(target: Target) -> Path:
    """The folder of its outermost package, or the file of a module that is one file."""
    module = target.module
    if module is None:
        return package_of(files.resolved(path_of(target)))
    folder = module.location / module.package
    return files.resolved(folder if folder.is_dir() else folder.with_suffix(".py"))


def path_of(target: Target) -> Path:
    assert target.path is not None  # stdin is never proven
    return target.path
