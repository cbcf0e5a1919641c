"""From entry points to validated codemods. Built-ins enter by the same door as packs."""

import sys
from collections.abc import Iterable
from importlib.metadata import entry_points

from jaxfix.engine.plugins import described
from jaxfix.engine.versions import parsed
from jaxfix.report.finding import Equality, Proves, Safety
from jaxfix.semantic.codemod import Codemod
from jaxfix.source.errors import PackError
from jaxfix.source.frozen import frozen
from jaxfix.source.timeouts import Ended, Overtime, turn

GROUP = "jaxfix.codemods"
SECTIONS = ("Before", "After", "Safety", "Evidence", "Source")
"""What the docstring of a codemod must have, each as `Name:` at the beginning of a line."""
_HELP = "see docs/writing-codemods.md"


@frozen
class Registry:
    """The codemods of all packs, in order, and the packs that did not load."""

    codemods: tuple[Codemod, ...]
    failures: tuple[PackError, ...]


def load_registry() -> Registry:
    """Loads every installed pack; one that fails is named and skipped, the rest runs.

    Raises:
      PackError: no pack is installed.
    """
    codemods: list[Codemod] = []
    failures: list[PackError] = []
    points = sorted(entry_points(group=GROUP), key=lambda point: (point.name != "jaxfix", point.name))
    if not points:
        raise PackError("no codemod packs are installed", hint="run `pip install -e .`")
    for point in points:
        going_on = turn.set(point)
        try:
            codemods += validated(point.name, point.load(), taken={codemod.id for codemod in codemods})
        except Overtime as error:
            failures.append(PackError(f"pack {point.name!r} timed out while loading: {error}"))
        except PackError as error:
            failures.append(error)
        except KeyboardInterrupt as error:
            error.add_note(f"pack {point.name!r}")
            raise
        except Ended:
            raise
        except (Exception, SystemExit) as error:  # a stranger's import may raise anything
            failures.append(PackError(f"pack {point.name!r}: {described(error)}", hint=_HELP))
        finally:
            turn.reset(going_on)
    return Registry(tuple(codemods), tuple(failures))


def validated(pack: str, codemods: object, taken: Iterable[str] = ()) -> tuple[Codemod, ...]:
    """The codemods of a pack.

    Raises:
      PackError: something in it is not a codemod, an id is taken, or a docstring lacks a section.
    """
    if not isinstance(codemods, tuple):
        raise PackError(f"pack {pack!r}: the entry point is not a tuple of codemods", hint=_HELP)
    seen = set(taken)
    for codemod in codemods:
        if not isinstance(codemod, Codemod):
            raise PackError(f"pack {pack!r}: {codemod!r} is not a `Codemod`", hint=_HELP)
        problem = _problem(codemod, seen)
        if problem is not None:
            raise PackError(f"pack {pack!r}: codemod {codemod.id!r} {problem}", hint=_HELP)
        seen.add(codemod.id)
    return codemods


def docstring(codemod: Codemod) -> str:
    """The page of `codemod`: the docstring of the module that defines its `find`."""
    module = sys.modules.get(getattr(codemod.find, "__module__", ""))
    return (module.__doc__ if module else None) or ""


def _problem(codemod: Codemod, seen: set[str]) -> str | None:
    kinds = (("id", str), ("safety", Safety), ("equality", Equality | None), ("proves", Proves), ("jax", str | None))
    for name, kind in kinds:
        if not isinstance(getattr(codemod, name), kind):
            return f"has {getattr(codemod, name)!r} for its `{name}`"
    for name in ("triggers", "cures", "programs", "raises"):
        if not isinstance(getattr(codemod, name), tuple):
            return f"has a `{name}` that is not a tuple"
    if not all(isinstance(trigger, str) for trigger in codemod.triggers):
        return "has a trigger that is not a string"
    if codemod.equality is None and codemod.safety.waits:
        return "needs a rerun, and has no `equality` that it could show"
    if codemod.jax is not None and not _is_condition(codemod.jax):
        return f"has {codemod.jax!r} for its `jax`, which is not a condition such as '>=0.4.25,<0.7'"
    if codemod.id in seen:
        return "has an id that is already taken"
    if not codemod.triggers and not codemod.cures:
        return "has no triggers, and no `cures` for which a trace could feed it"
    if not callable(codemod.find):
        return "has no callable `find`"
    missing = [section for section in SECTIONS if f"\n{section}:" not in docstring(codemod)]
    return f"has no `{missing[0]}:` section" if missing else None


def _is_condition(text: str) -> bool:
    try:
        parsed(text)
    except ValueError:
        return False
    return True
