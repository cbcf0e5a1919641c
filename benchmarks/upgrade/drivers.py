"""Libraries of earlier years, driven by small programs: untouched with a jax of then, fixed with today's."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

_DRIVERS = Path(__file__).with_name("drivers")
_LONGEST_S = 300
_MAKING_S = 600


def asked(at: Path, period: Sequence[str], today: str) -> dict[str, str]:
    """What the oracle answers of each repository in `at` that there is a driver for.

    Args:
      period: the options that say where the untouched library runs: `--oracle jax==VERSION`, for an environment that is
        made for each of them, or `--oracle-python` and one that has what they need.
      today: the interpreter of an environment of today.
    """
    known = {path.stem: path for path in _DRIVERS.glob("*.txt")}
    return {
        each.name: _asked(each, known[each.name], period, today) for each in sorted(at.iterdir()) if each.name in known
    }


def _asked(repository: Path, driver: Path, period: Sequence[str], today: str) -> str:
    (repository / "drive.py").write_bytes(driver.read_bytes())
    raised = _last_error(repository, today)
    command = [sys.executable, "-m", "jaxfix", "upgrade", ".", "--run", "python drive.py"]
    done = subprocess.run(
        [*command, *period, "--python", today],
        cwd=repository,
        capture_output=True,
        text=True,
        env=_env(),
        timeout=2 * _LONGEST_S + _MAKING_S,
        check=False,
    )
    told = next((line for line in done.stdout.splitlines() if line.startswith("oracle")), done.stderr[-200:])
    return f"{told.removeprefix('oracle').strip().partition(' (as it is')[0]}; untouched today: {raised or 'runs'}"


def _last_error(repository: Path, python: str) -> str:
    with tempfile.TemporaryFile("w+") as told:
        subprocess.run(
            [python, "-W", "ignore", "drive.py"],
            cwd=repository,
            stdout=subprocess.DEVNULL,
            stderr=told,
            env=_env(),
            timeout=_LONGEST_S,
            check=False,
        )
        told.seek(0)
        errors = [line for line in told.read().splitlines() if line.partition(":")[0].endswith("Error")]
    return errors[-1].partition(" (")[0] if errors else ""


def _env() -> dict[str, str]:
    return {**os.environ, "JAX_PLATFORMS": "cpu"}
