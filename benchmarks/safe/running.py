"""Runs a generated program in this process, before and after its SAFE fixes, and says how they differ."""

import contextlib
import io
import linecache
import logging
import os
import re
import runpy
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import jax
import numpy as np

from benchmarks.safe.grammar import Program
from jaxfix.drivers.cli import terminal
from jaxfix.drivers.workflow.consent import Mode
from jaxfix.drivers.workflow.planning import by_mode, plans
from jaxfix.drivers.workflow.request import Request
from jaxfix.drivers.workflow.session import opened
from jaxfix.drivers.workflow.targets import Target, find_targets
from jaxfix.engine.plan import Accept

MAIN = "main.py"
_MASKS = (
    (re.compile(r"0x[0-9a-f]{4,}"), "0x"),
    (re.compile(r"\S*\.py:\d+(:\d+)?"), "<place>"),
    (re.compile(r"\bline \d+"), "<line>"),
    (re.compile(r"\bis \S+ at <place>"), "is <function> at <place>"),
    (re.compile(r"\b_[a-zA-Z]\w*_(body|step|lambda|loop|function)\w*\b"), r"\1"),
)
"""What fixes may change: where code stands, and what it is called."""
_SAFE = partial(by_mode, Mode.SAFE_ONLY, {})


@dataclass(frozen=True, slots=True)
class Fixed:
    """The texts of a program with its SAFE fixes, and the codemods that made them."""

    files: Mapping[str, str]
    ids: tuple[str, ...]


def fixed(program: Program, folder: Path, taking: Callable[[Target], Accept] = _SAFE) -> Fixed:
    """What `apply --no-prove` makes of the program, which is written to `folder`, or with other fixes."""
    write(program.files, folder)
    named = tuple(str(folder if name == "." else folder / name) for name in program.targets)
    session = opened(find_targets(Request(named)), terminal)
    if session.found.bugs:
        raise RuntimeError("; ".join(session.found.bugs))
    planned = plans(session.fixable, taking)
    if planned.bugs:
        raise RuntimeError("; ".join(planned.bugs))
    files = dict(program.files)
    ids: list[str] = []
    for entry in planned.changed:
        files[Path(entry.patch.path).name] = entry.patch.after.decode()
        ids += [fix.codemod for fix in entry.patch.applied]
    return Fixed(files, tuple(ids))


def write(files: Mapping[str, str], folder: Path) -> None:
    """Writes a program to a folder of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pyproject.toml").write_text('[project]\nname = "case"\nversion = "0"\n')
    for name, text in files.items():
        (folder / name).write_text(text)


def observed(folder: Path) -> str:
    """What the program prints to standard output and error, and raises; nothing of it outlives the call."""
    out, err = io.StringIO(), io.StringIO()
    with _apart(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            runpy.run_path(str(folder / MAIN), run_name="__main__")
        except (Exception, SystemExit) as error:
            err.write(f"{type(error).__name__}: {error}\n")
        with contextlib.suppress(Exception):
            jax.effects_barrier()
    return masked(f"{out.getvalue()}--- standard error\n{err.getvalue()}".replace(str(folder), ""))


def observed_alone(folder: Path) -> str:
    """As `observed`, in a process of its own: of what goes to standard error but frames of tracebacks."""
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "always"}
    done = subprocess.run(
        [sys.executable, MAIN], cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )
    errors = [line for line in done.stderr.splitlines() if not line.startswith(" ")]
    return masked("\n".join([done.stdout, str(done.returncode), *errors]).replace(str(folder), ""))


def masked(text: str) -> str:
    """The text without places, addresses and the names of moved functions."""
    for pattern, instead in _MASKS:
        text = pattern.sub(instead, text)
    return text


@contextlib.contextmanager
def _apart(folder: Path) -> Iterator[None]:
    """Undoes what a program changes of Python, NumPy and JAX."""
    modules, path, environment = dict(sys.modules), list(sys.path), dict(os.environ)
    settings, numpy_errors = dict(jax.config.values), np.geterr()
    names = [(package, dict(vars(package))) for package in (jax, jax.numpy, jax.lax)]
    sys.path.insert(0, str(folder))
    sys.dont_write_bytecode = True
    linecache.clearcache()  # warnings show lines of files that stood at the same place
    with warnings.catch_warnings():
        warnings.resetwarnings()
        warnings.simplefilter("always")
        try:
            yield
        finally:
            from unittest import mock

            mock.patch.stopall()
            for package, known in names:
                vars(package).clear()
                vars(package).update(known)
            for name, value in settings.items():
                if jax.config.values[name] != value:
                    jax.config.update(name, value)
            np.seterr(**numpy_errors)
            os.environ.clear()
            os.environ.update(environment)
            sys.path[:] = path
            sys.modules.update(modules)
            for name in sys.modules.keys() - modules.keys():
                if str(folder) in str(getattr(sys.modules[name], "__file__", "")):
                    del sys.modules[name]
            logging.getLogger("case").handlers.clear()
