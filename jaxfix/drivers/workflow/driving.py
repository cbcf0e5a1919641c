"""Which of the targets a rerun can import and drive without a program."""

from pathlib import Path

from jaxfix.drivers import files
from jaxfix.drivers.workflow.targets import Target
from jaxfix.evidence.shadow import package_of

_OPTIMIZER = b"GradientTransformation"


def can_be_driven(target: Target) -> bool:
    """Whether it is installed, or speaks of optimizers: a script is not imported to see, for that would run it."""
    if target.path is None:
        return False
    if target.module is not None or _OPTIMIZER in target.source.raw:
        return True
    return (location(target) / "__init__.py").is_file()


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
