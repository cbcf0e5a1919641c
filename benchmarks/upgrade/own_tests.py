"""The own tests of libraries of the middle of 2023, untouched and fixed, with a jax of then and with today's."""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from benchmarks.upgrade.repositories import fixed_files
from jaxfix.library.changes.row import Version, version

TESTS = {
    "google+jaxopt": ("tests/projection_test.py", "-k", "simplex or box"),
    "google-deepmind+optax": ("optax/_src/state_utils_test.py", "optax/_src/numerics_test.py"),
    "google-deepmind+rlax": (
        "rlax/_src/tree_util_test.py",
        "rlax/_src/transforms_test.py",
        "rlax/_src/multistep_test.py",
    ),
}
"""What pytest is called with, by repository: files of its tests that take a minute."""
_LONGEST_S = 600
_COUNTS = re.compile(r"(\d+) (passed|failed|errors?)\b")
_ERROR = re.compile(r"^E +(\w*(?:Error|Exception)\b.*)$", re.MULTILINE)


def asked(at: Path, period: str, today: str) -> dict[str, dict[str, str]]:
    """What the tests of each repository in `at` come to.

    Args:
      period: the interpreter of an environment of then, which has what the libraries and their tests need.
      today: that of one of today.

    Returns:
      By repository: untouched then and today; fixed, today; fixed as a project is that runs with both, then.
    """
    return {each.name: _of(each, period, today) for each in sorted(at.iterdir()) if each.name in TESTS}


def _of(repository: Path, period: str, today: str) -> dict[str, str]:
    arguments = TESTS[repository.name]
    told = {"untouched, then": _told(repository, arguments, period)}
    told["untouched, today"] = _told(repository, arguments, today)
    with tempfile.TemporaryDirectory() as folder:
        for what, oldest in (("fixed, today", None), ("fixed for both, then", version(_version(period)))):
            copy = _fixed(repository, Path(folder) / what.partition(",")[0].replace(" ", "-"), oldest)
            told[what] = _told(copy, arguments, today if oldest is None else period)
    return told


def _fixed(repository: Path, copy: Path, oldest: Version | None) -> Path:
    """A copy with every fix, which a project makes that runs with so old a jax too."""
    shutil.copytree(repository, copy, ignore=shutil.ignore_patterns(".git"))
    for path, text in fixed_files(repository, oldest).items():
        (copy / path.relative_to(repository)).write_bytes(text)
    return copy


def _told(folder: Path, arguments: tuple[str, ...], python: str) -> str:
    """How many tests pass and fail, and the first error."""
    command = [python, "-W", "ignore", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:warnings", *arguments]
    env = {**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONPATH": str(folder)}
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=env, timeout=_LONGEST_S)
    except subprocess.TimeoutExpired:
        return f"not done within {_LONGEST_S} s"
    last = next((line for line in reversed(done.stdout.splitlines()) if _COUNTS.search(line)), "")
    counts = ", ".join(f"{number} {what}" for number, what in _COUNTS.findall(last)) or "nothing ran"
    error = _ERROR.search(done.stdout)
    return f"{counts} ({error[1][:120]})" if error is not None and counts.split()[-1] != "passed" else counts


def _version(python: str) -> str:
    code = "import importlib.metadata as m; print(m.version('jax'))"
    return subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
