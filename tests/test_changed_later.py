"""Variables that their own file changes after the import: a step of another file would keep what it read first."""

import ast
from itertools import product
from pathlib import Path

import pytest

from jaxfix.drivers.cli import terminal
from jaxfix.drivers.workflow.looking import look
from jaxfix.drivers.workflow.request import Request
from jaxfix.drivers.workflow.targets import find_targets
from jaxfix.semantic.module import Module
from jaxfix.semantic.receivers import classes_held
from jaxfix.source.source_file import SourceFile

CONFIG = """
class Settings:
    def __init__(self):
        self.rate = 0.1

    def set(self, rate):
        self.rate = rate


class Scheduler:
    def __init__(self, target):
        self.target = target

    def step(self):
        self.target.pace *= 0.5


class Options:
    gait = 0.1

    @classmethod
    def tighten(cls):
        cls.gait *= 0.5


class Shared:
    span = 0.1

    def tighten(self):
        type(self).span = 0.05


class Kept:
    def __init__(self):
        self.rate = 0.1


RATE = 0.1
CALLS = 0
settings: Kept = Kept()
paced = Kept()
moving = Settings()
table = {"rate": 0.1}


def update(rate, **more):
    CHANGE


def scaled(x):
    return 0.1 * x
"""
STEP = """
import jax
import jax.numpy as jnp
IMPORT


def loss(w, x):
    return jnp.mean((x @ w) ** 2) * READ


def train(w, batches):
    for x in batches:
        w = w - 0.1 * jax.grad(loss)(w, x)
    return w
"""
CHANGES = {
    "RATE": ("global RATE\n    RATE = rate", "global RATE\n    RATE += rate"),
    "settings.rate": (
        "settings.rate = rate",
        "setattr(settings, 'rate', rate)",
        "for name, value in more.items():\n        setattr(settings, name, value)",
        "vars(settings).update(more)",
        "settings.__dict__['rate'] = rate",
        "object.__setattr__(settings, 'rate', rate)",
        "held = settings\n    held.rate = rate",
        "globals()['settings'] = more['settings']",
        "globals().update(more)",
    ),
    "moving.rate": ("moving.set(rate)",),
    "paced.pace": ("Scheduler(paced).step()",),
    "Options.gait": ("Options.tighten()",),
    "Shared.span": ("Shared().tighten()",),
    "table['rate']": ("table['rate'] = rate", "table.update(more)"),
}
FORMS = {"module": ("import config", "config.{}"), "name": ("from config import {}", "{}")}
CASES = [
    (read, change, form)
    for read, changes in CHANGES.items()
    for change, form in product(changes, FORMS)
    if (read, form) != ("RATE", "name")  # the import binds that once
]
STAYS = ("pass", "global CALLS\n    CALLS += 1", "print(settings.rate, RATE, table['rate'])", "RATE = rate")


def fixable(folder: Path, read: str, change: str, form: str, *names: str) -> bool:
    """Whether the step gets a fix, where the file that it reads of does that."""
    how, reads = FORMS[form]
    step = STEP.replace("IMPORT", how.format(read.partition(".")[0].partition("[")[0]))
    (folder / "pyproject.toml").write_text("")
    (folder / "config.py").write_text(CONFIG.replace("CHANGE", change))
    (folder / "lib.py").write_text(step.replace("READ", reads.format(read)))
    found = look(find_targets(Request(tuple(str(folder / name) for name in names))), terminal).findings
    assert found.errors == found.bugs == ()
    (step_,) = [each for each in found.diagnostics if each.id == "unjitted-update"]
    return step_.fixable


@pytest.mark.parametrize("names", [("lib.py", "config.py"), ("lib.py",)], ids=["named", "not named"])
@pytest.mark.parametrize(("read", "change", "form"), CASES)
def test_a_step_reads_nothing_that_its_own_file_changes(
    tmp_path: Path, read: str, change: str, form: str, names: tuple[str, ...]
) -> None:
    assert not fixable(tmp_path, read, change, form, *names)


@pytest.mark.parametrize("change", STAYS)
@pytest.mark.parametrize("read", ["RATE", "settings.rate", "scaled(1.0)"])
def test_a_step_reads_what_stays(tmp_path: Path, read: str, change: str) -> None:
    assert fixable(tmp_path, read, change, "module", "lib.py", "config.py")


@pytest.mark.parametrize("part", ["self.rows[:-1]", "self.rows[0]", "self.rows[1:][0]"])
def test_what_becomes_a_part_of_itself_ends(part: str) -> None:
    text = f"class Pool:\n    def cull(self):\n        self.rows = {part}\n\n\nclass Row:\n    pass\n"
    module = Module.parse(SourceFile.decode("pool.py", text.encode()))
    (stored,) = (node for node in module.attributes("rows") if isinstance(node.ctx, ast.Store))
    value = module.value_of(stored)
    assert value is not None
    assert classes_held(module, value, items=1) == []


def test_a_slice_holds_the_same_items() -> None:
    text = "class Row:\n    pass\n\n\nrows = [Row(), Row()]\nlast = rows[1:]\nlast\n"
    module = Module.parse(SourceFile.decode("pool.py", text.encode()))
    use = next(node for node in ast.walk(module.tree.body[-1]) if isinstance(node, ast.Name))
    assert [each.name for each in classes_held(module, use, items=1)] == ["Row"]
