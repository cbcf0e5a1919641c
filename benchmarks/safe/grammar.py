"""Random programs: a module with local functions, code that may change what they read, and a script that runs it."""

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path
from random import Random

from benchmarks.safe import pieces, sites
from benchmarks.safe.drawing import Choices, Draw
from benchmarks.safe.pieces import Kept

_IMPORTS = """import abc
import collections
import contextlib
import decimal
import enum
import functools
import importlib
import inspect
import itertools
import logging
import os
import random
import sys
import time
import types
import warnings
from dataclasses import dataclass
from unittest import mock

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
"""
_SETTINGS = """import jax.numpy as jnp

RATE = 2.0
LIMIT = 2.0
WIDTH = 2.0
CALLS = []


def __getattr__(name):
    if name == "LAZY":
        CALLS.append(name)
        return 1.0 + len(CALLS)
    raise AttributeError(name)
"""
_BY_NAME = ("jit", "vmap", "grad", "checkpoint", "tree", "debug", "custom_jvp", "custom_vjp")
_HELPERS = """
def fill(table):
    table["gain"] = 5.0


def override(module, values):
    for name, value in values.items():
        setattr(importlib.import_module(module), name, value)
"""


@dataclass(frozen=True, slots=True)
class Program:
    """A project of some files, of which `main.py` is run.

    Attributes:
      files: their texts, by name.
      targets: what `apply` is given.
      marks: what is unusual about it.
      choices: what it was made of.
    """

    files: dict[str, str]
    targets: tuple[str, ...]
    marks: tuple[str, ...]
    choices: Choices


def generated(seed: int, number: int) -> Program:
    """The program of this number."""
    return _program(Draw({}, Random(seed * 1_000_003 + number)))


def made_of(choices: Choices) -> Program:
    """The program that these choices come to."""
    return _program(Draw(dict(choices)))


def _program(draw: Draw) -> Program:
    count = draw.one("sites", (1, 2, 3), calm=0.5)
    kinds = list(pieces.KEPT)
    kept = {kind: pieces.KEPT[kind] for kind in (draw.at(i).one("kept", kinds) for i in range(count))}
    found = [sites.site(draw.at(f"site{i}"), i, list(kept.values())) for i in range(count)]
    changes = [
        _change(draw.at(f"change{i}"), list(kept.values())) for i in range(draw.one("changes", (0, 1, 2), calm=0.2))
    ]
    inside = "\n\n\n".join(text for where, text in changes if where == "case.py")
    future = draw.hazard("import time", {"none": "", "future annotations": "from __future__ import annotations\n\n"})
    case = [
        future + _IMPORTS,
        _prepared(draw),
        *(one.define.replace("{settings}", "settings") for one in kept.values()),
    ]
    case += [text for one in found for text in one.globals]
    case += [inside, *(one.text for one in found)]
    case.append(draw.hazard("top level", pieces.TOP_LEVEL))
    elsewhere = [one.elsewhere for one in found]
    files = {
        "case.py": draw.hazard("imports", {"none": _joined, "by name": _by_name}, calm=0.85)(case),
        "settings.py": _SETTINGS,
        "changes.py": _changes_file(changes),
        "shapes.py": _joined([_IMPORTS, *elsewhere]) if any(elsewhere) else "",
        "showing.py": Path(__file__).with_name("showing.py").read_text(),
        "main.py": _main(draw, found, changes),
    }
    targets = draw.one("targets", ((".",), ("case.py",), ("case.py", "main.py")), calm=0.7)
    return Program(files, targets, tuple(draw.marks), draw.choices)


def _by_name(parts: list[str]) -> str:
    """The text of a module that takes from jax by name what it can."""
    text = _joined(parts)
    used = sorted(set(re.findall(r"\bjax\.(\w+)", text)).intersection(_BY_NAME))
    text = re.sub(rf"\bjax\.({'|'.join(_BY_NAME)})\b", r"\1", text)
    is_left = re.search(r"\bjax\.(?!numpy as jnp)", text) is not None
    named = f"from jax import {', '.join(used)}\n" * bool(used)
    return text.replace("import jax\n", "import jax\n" * is_left + named, 1)


def _prepared(draw: Draw) -> str:
    start = draw.hazard("import time: number", pieces.STARTS)
    items = draw.hazard("import time: items", pieces.ITEM_KINDS)
    types = draw.hazard("import time: types", pieces.TYPE_KINDS)
    return pieces.PREPARED.format(start=start, items=items, types=types)


# --- what changes between two calls -------------------------------------------------------------------------------


def _change(draw: Draw, kept: list[Kept]) -> tuple[str, str]:
    """The file that a change is in, and its statements."""
    one = kept[draw.one("of", range(len(kept)))]
    kind = draw.one("kind", ("nothing", "setting", "rebound", "mutated", "inside", "unread"))
    where = draw.one("where", ("main.py", "changes.py"))
    value = draw.one("value", one.values)
    spelled = {"m": "case", "n": one.name, "v": value}
    if one.name.startswith("{settings}"):
        spelled |= {"m": "settings", "n": one.name.partition(".")[2]}
    if one.name.startswith(("jnp.", "jax.", "lax.")):
        owner, _, last = one.name.partition(".")
        spelled |= {"m": owner, "n": last}
    match kind:
        case "setting":
            return where, draw.hazard("settings", {"none": "", **pieces.SETTINGS}, calm=0)
        case "rebound":
            text = draw.hazard("another file", {"none": "", **pieces.OUTSIDE}, calm=0).format(**spelled)
            return (
                where,
                f"def rebind(module):\n    module.{spelled['n']} = {value}\n\n\n{text}" if "rebind(" in text else text,
            )
        case "unread":
            return where, draw.hazard("cannot be read", {"none": "", **pieces.UNREAD}, calm=0).format(**spelled)
        case "mutated" if one.mutations:
            options = {"none": "", **{entry: entry for entry in one.mutations}}
            return where, draw.hazard("changed in place", options, calm=0).format(m="case")
        case "inside" if spelled["m"] == "case":
            text = draw.hazard("same file", {"none": "", **pieces.INSIDE}, calm=0).format(**spelled)
            return "case.py", text
    return where, ""


def _changes_file(changes: list[tuple[str, str]]) -> str:
    texts = [text for where, text in changes if where == "changes.py"]
    imports = f"{_IMPORTS}\nimport case\nimport settings\n" if any(texts) else ""
    functions = [f"def change{i}():\n{_indented(text or 'pass')}" for i, text in enumerate(texts)]
    return _joined(
        [imports, _HELPERS if "fill(" in "".join(texts) or "override(" in "".join(texts) else "", *functions]
    )


def _main(draw: Draw, found: list[sites.Site], changes: list[tuple[str, str]]) -> str:
    calls = [line for i, one in enumerate(found) for line in one.calls]
    text = "".join(text for where, text in changes if where == "main.py")
    loaded = draw.hazard("loaded", pieces.LOADED)
    imports = f"{_IMPORTS}\n{loaded}\n"
    imports += "import settings\n" if "settings." in text or '"settings' in text else ""
    imports += "import changes\n" if any(where == "changes.py" for where, _ in changes) else ""
    imports += "import shapes\n" if any(one.elsewhere for one in found) else ""
    imports += "from showing import show\n"
    helpers = _HELPERS if "fill(" in text or "override(" in text else ""
    body = [f"def calls():\n{_indented(chr(10).join(calls) or 'pass')}\n\n\ncalls()"]
    numbers = {"changes.py": 0}
    for where, change in changes:
        if where == "changes.py":
            body.append(f"changes.change{numbers[where]}()")
            numbers[where] += 1
        elif where == "case.py":
            body.append("case.change()" if change else "")
        else:
            body.append(change)
        body.append("calls()")
    return _joined([imports, helpers, *body])


def _indented(text: str) -> str:
    return textwrap.indent(text, "    ")


def _joined(parts: list[str]) -> str:
    return "\n\n\n".join(part.strip("\n") for part in parts if part.strip()) + "\n"
