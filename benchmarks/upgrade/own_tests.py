"""Tests, notebooks, programs or modules of repositories: untouched and fixed, with a jax of then and with today's."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from benchmarks.upgrade.repositories import module_of

_RUNS = Path(__file__).with_name("own.toml")
_INSIDE = Path(__file__).with_name("inside")
"""What runs by the interpreters of the environments."""
_LONGEST_S = 600
_REACHED_S = {"tests": 40, "cells": 60, "programs": _LONGEST_S, "modules": 90}
_NOT_REACHED = "not reached"
_FIXING_S = 600
_PYTEST = (
    *("-W", "ignore", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:warnings"),
    *("--continue-on-collection-errors", "-p", "until"),
)
_FIX = ("upgrade", ".", "--write", "--unproven", "--allow-no-vcs", "--exit-zero")
_ERROR = re.compile(r"^(?:E +)?((?:\w+\.)*\w*(?:Error|Exception|Failed)\b.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Own:
    """What a repository has that runs without a download.

    Attributes:
      tests: what pytest is called with.
      notebooks: whose cells are run in order.
      program: what Python is called with.
      modules: that are imported in order.
      left_out: what does not run, and why.
      devices: of the CPU, virtual ones.
      limit_s: what is not reached within so long is not compared; 0 for the usual limit.
      commit, kind: as on the page.
    """

    tests: tuple[str, ...] = ()
    notebooks: tuple[str, ...] = ()
    program: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    left_out: str = ""
    devices: int = 1
    limit_s: int = 0
    commit: str = ""
    kind: str = ""

    @property
    def what(self) -> str:
        kinds = (("tests", self.tests), ("cells", self.notebooks), ("modules", self.modules))
        return next((name for name, some in kinds if some), "programs")

    @property
    def reached_s(self) -> int:
        return self.limit_s or _REACHED_S[self.what]


Outcome = Mapping[str, str]
"""By test, cell, program or module: nothing, or its first error."""


def known() -> dict[str, Own]:
    """By repository, the slash in its name a plus sign."""
    told = tomllib.loads(_RUNS.read_text())
    return {name: Own(**{key: _frozen(value) for key, value in row.items()}) for name, row in told.items()}


def asked(at: Path, then: str, today: str) -> Iterator[tuple[str, dict[str, object]]]:
    """What each repository in `at` comes to, untouched and with all fixes, as soon as it is known.

    Args:
      then: the interpreter of an environment of then, which has what the repositories need.
      today: that of one of today.
    """
    rows = known()
    for each in sorted(at.iterdir()):
        if each.name in rows:
            yield each.name, _of(each, rows[each.name], then, today)


def imported(at: Path, then: str, today: str) -> Iterator[tuple[str, dict[str, object]]]:
    """As `asked`, of every module of each repository in `at` except for tests: whether it can be imported."""
    for each in sorted(at.iterdir()):
        found = (module_of(path.relative_to(each)) for path in sorted(each.rglob("*.py")))
        names = tuple(name for name in found if name is not None and "test" not in name)
        if names:
            yield each.name, _of(each, Own(modules=names), then, today)


def _of(repository: Path, own: Own, then: str, today: str) -> dict[str, object]:
    old, new = (_version(python) for python in (then, today))
    with tempfile.TemporaryDirectory() as folder:
        copies = {name: Path(folder) / name / repository.name for name in ("untouched", "fixed", "both")}
        for copy in copies.values():
            shutil.copytree(repository, copy, ignore=shutil.ignore_patterns(".git"))
        _admit(copies["both"], old)
        _fix(copies["fixed"], f"--from=jax=={new}", f"--python={today}")
        _fix(copies["both"], f"--from=jax=={old}", f"--python={today}")
        ran = {
            "untouched, then": _outcome(copies["untouched"], own, then),
            "fixed for both, then": _outcome(copies["both"], own, then),
            "untouched, today": _outcome(copies["untouched"], own, today),
            "fixed, today": _outcome(copies["fixed"], own, today),
        }
    ran, unreached = _reached(ran)
    told: dict[str, object] = {
        "unreached": unreached,
        "then": old,
        "today": new,
        "what": own.what,
        "limit": own.reached_s,
        "left_out": own.left_out,
    }
    told |= {"commit": own.commit, "kind": own.kind}
    told |= {name: f"{sum(not error for error in each.values())} of {len(each)}" for name, each in ran.items()}
    told["broken then"] = _broken(ran["untouched, then"], ran["fixed for both, then"])
    told["broken today"] = _broken(ran["untouched, today"], ran["fixed, today"])
    told["mended"] = len(_broken(ran["fixed, today"], ran["untouched, today"]))
    told["left"] = _reasons(ran["untouched, then"], ran["fixed, today"])
    told["alike"] = _alike(ran["untouched, then"], ran["untouched, today"], ran["fixed, today"])
    told["never"] = _reasons({}, {name: error for name, error in ran["untouched, then"].items() if error})
    return told


def _reached(ran: Mapping[str, Outcome]) -> tuple[dict[str, Outcome], int]:
    """What all four runs came to within the time; how many tests, cells or programs one of them did not."""
    late = {name for each in ran.values() for name, error in each.items() if error == _NOT_REACHED}
    return {
        condition: {name: error for name, error in each.items() if name not in late} for condition, each in ran.items()
    }, len(late)


def _admit(copy: Path, version: str) -> None:
    """Has the project say that it runs with that jax too."""
    with (copy / "pyproject.toml").open("a") as file:
        file.write(f'\n[dependency-groups]\nthen = ["jax>={version}"]\n')


def _fix(copy: Path, *options: str) -> None:
    """Writes what `jaxfix upgrade` writes, as a user does."""
    command = [sys.executable, "-m", "jaxfix", *_FIX, *options]
    done = subprocess.run(command, cwd=copy, capture_output=True, text=True, timeout=_FIXING_S, check=False)
    if done.returncode:
        print(f"{copy.name}: {done.stderr[-500:]}", file=sys.stderr)


def _broken(before: Outcome, after: Outcome) -> list[str]:
    """What passes before and not after."""
    return sorted(name for name, error in before.items() if not error and after.get(name, "it is gone"))


def _reasons(before: Outcome, after: Outcome) -> dict[str, int]:
    """The errors of what passes before, or was not asked, and not after; the most frequent first."""
    found = (error for name, error in after.items() if error and not before.get(name, ""))
    errors = Counter(error.partition(" (/")[0] for error in found)  # without the path of an environment
    return dict(errors.most_common(6))


def _alike(then: Outcome, untouched: Outcome, fixed: Outcome) -> int:
    """How much of what passes then, or was not asked, has the same error today, untouched and fixed."""
    return sum(bool(error) and error == untouched.get(name) and not then.get(name, "") for name, error in fixed.items())


def _outcome(folder: Path, own: Own, python: str) -> Outcome:
    if own.notebooks:
        return _cells(folder, own, python)
    if own.modules:
        said = _run(folder, [python, "-W", "ignore", str(_INSIDE / "modules.py"), *own.modules], own).stdout
        done = [_last_object(line) for line in said.splitlines()]
        return dict.fromkeys(own.modules, _NOT_REACHED) | {name: error for each in done for name, error in each.items()}
    if own.program:
        return _program(folder, own, python)
    return _tests(folder, own, python)


def _tests(folder: Path, own: Own, python: str) -> Outcome:
    report = folder.parent / "report.xml"
    report.unlink(missing_ok=True)
    _run(folder, [python, *_PYTEST, f"--junitxml={report}", *own.tests], own)
    if not report.exists():
        return {"pytest": "not done"}
    return {
        f"{case.get('classname')}.{case.get('name')}": _fault(case)
        for case in ElementTree.parse(report).iter("testcase")
        if case.find("skipped") is None or _is_late(case)
    }


def _is_late(case: ElementTree.Element) -> bool:
    return any(each.get("message") == _NOT_REACHED for each in case.iter("skipped"))


def _fault(case: ElementTree.Element) -> str:
    if _is_late(case):
        return _NOT_REACHED
    for told in (*case.iter("error"), *case.iter("failure")):
        found = _ERROR.findall(told.text or "") or _ERROR.findall(told.get("message", ""))
        return (found[-1] if found else told.get("message", "fails").splitlines()[0])[:160]
    return ""


def _cells(folder: Path, own: Own, python: str) -> Outcome:
    found: dict[str, str] = {}
    for notebook in own.notebooks:
        said = _run(folder, [python, "-W", "ignore", str(_INSIDE / "cells.py"), notebook], own).stdout
        found |= _last_object(said) or {f"{notebook}: all": "not done"}
    return found


def _last_object(said: str) -> dict[str, str]:
    """The JSON in the last line; empty where there is none."""
    last = said.strip().rpartition("\n")[2]
    found: dict[str, str] = json.loads(last) if last.startswith("{") else {}
    return found


def _program(folder: Path, own: Own, python: str) -> Outcome:
    done = _run(folder, [python, "-W", "ignore", *own.program], own)
    found = _ERROR.findall(done.stderr)
    return {" ".join(own.program): (found[-1] if found else "not done")[:160] if done.returncode else ""}


def _run(folder: Path, command: list[str], own: Own) -> subprocess.CompletedProcess[str]:
    around = {
        "JAX_PLATFORMS": "cpu",
        "JAX_DISABLE_MOST_OPTIMIZATIONS": "1",
        "MPLBACKEND": "agg",
        "TF_CPP_MIN_LOG_LEVEL": "3",
    }
    around |= {"PYTHONPATH": f"{folder}{os.pathsep}{_INSIDE}", "REACHED_S": str(own.reached_s)}
    around |= {"XLA_FLAGS": f"--xla_force_host_platform_device_count={own.devices}"}
    env, longest = {**os.environ, **around}, own.reached_s + _LONGEST_S
    try:
        return subprocess.run(
            command, cwd=folder, capture_output=True, text=True, env=env, timeout=longest, check=False
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", "TimeoutError: not done in time")


def _frozen(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def _version(python: str) -> str:
    code = "import importlib.metadata as m; print(m.version('jax'))"
    return subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
