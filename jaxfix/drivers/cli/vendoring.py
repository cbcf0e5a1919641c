"""`apply PACKAGE --to DIR`: a fixed copy of an installed package."""

from collections.abc import Sequence
from pathlib import Path

from jaxfix.core.errors import ConfigError
from jaxfix.core.finding import Safety
from jaxfix.core.report import Verdict
from jaxfix.drivers import vendor as vendored
from jaxfix.drivers.cli.planning import Plans, Receipts
from jaxfix.drivers.cli.targets import Target
from jaxfix.drivers.cli.writing import write_journalled
from jaxfix.drivers.installed import Installed
from jaxfix.render import receipts as render


def vendor(module: Installed, plans: Plans, receipts: Receipts, to: Path) -> dict[str, Path]:
    """Writes the package with its fixes into `to`; returns where each fixed source is now, by its path."""
    fixed = {
        entry.target.path: entry.patch.after
        for entry in plans.changed
        if entry.target.path is not None and entry.target.module is not None
    }
    copy = vendored.copy_of(module, fixed, _fixes(plans, receipts), to)
    write_journalled(copy.replacements)
    return {
        entry.patch.path: copy.places[entry.target.path]
        for entry in plans.changed
        if entry.target.path is not None and entry.target.module is not None
    }


def only_package(targets: Sequence[Target]) -> Installed:
    """The one installed package that the targets belong to.

    Raises:
      ConfigError: there is none, or more than one, or something else was named beside it.
    """
    packages = {target.module.package: target.module for target in targets if target.module is not None}
    others = [target.source.path for target in targets if target.module is None]
    named = [*sorted(packages), *others]
    if len(packages) != 1 or others:
        raise ConfigError(f"`--to` vendors one installed package, and the paths name {', '.join(named) or 'none'}")
    return next(iter(packages.values()))


def _fixes(plans: Plans, receipts: Receipts) -> tuple[str, ...]:
    """One line per fix: its receipt, or that nobody proved it."""
    lines = []
    for entry in plans.changed:
        if entry.target.module is None or entry.target.path is None:
            continue
        place = entry.target.path.relative_to(entry.target.module.location).as_posix()
        for fix in entry.patch.applied:
            evidence = receipts.get((entry.patch.path, fix.key))
            told = "safe" if fix.safety is Safety.SAFE else "not proven"
            if evidence is not None and evidence.verdict is Verdict.PROVEN:
                told = f"proven: {render.told(evidence)}"
            lines.append(f"`{place}`: {fix.title} (`{fix.codemod}`): {told}")
    return tuple(lines)
