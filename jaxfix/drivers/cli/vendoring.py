"""`apply PACKAGE --to DIR`: a fixed copy of an installed package."""

from collections.abc import Sequence
from pathlib import Path

from jaxfix.core.errors import ConfigError
from jaxfix.core.report import Verdict
from jaxfix.drivers import vendor as vendored
from jaxfix.drivers.cli.planning import Plans, Receipts
from jaxfix.drivers.cli.targets import Target
from jaxfix.drivers.cli.writing import write_journalled
from jaxfix.drivers.installed import Installed
from jaxfix.render.paint import plain
from jaxfix.render.receipts import receipt


def vendor(plans: Plans, targets: Sequence[Target], receipts: Receipts, to: Path) -> dict[str, Path]:
    """Writes the package with its fixes into `to`; returns where each fixed source is now, by its path.

    Raises:
      ConfigError: not exactly one installed package was named.
    """
    module = _only_package(targets)
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


def _only_package(targets: Sequence[Target]) -> Installed:
    packages = {target.module.package: target.module for target in targets if target.module is not None}
    if len(packages) != 1:
        named = ", ".join(sorted(packages)) or "none"
        raise ConfigError(f"`--to` vendors one installed package, and the paths name {named}")
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
            told = fix.safety.value
            if evidence is not None and evidence.verdict is Verdict.PROVEN:
                told = receipt(evidence, plain).strip()
            lines.append(f"`{place}`: {fix.title} (`{fix.codemod}`): {told}")
    return tuple(lines)
