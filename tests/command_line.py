"""The command line as tests call it."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


Cli = Callable[..., Outcome]
ROOT = Path(__file__).resolve().parents[1]


def apart(*arguments: str, packs: tuple[Path, ...] = ()) -> Outcome:
    """`jaxfix` in a process of its own, with the packs of codemods in these folders beside its own."""
    places = os.pathsep.join(map(str, (ROOT, ROOT / "codemods", *packs)))
    env = os.environ | {"PYTHONPATH": places, "NO_COLOR": "1", "JAX_PLATFORMS": "cpu"}
    command = [sys.executable, "-m", "jaxfix", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=env, stdin=subprocess.DEVNULL)
    return Outcome(done.returncode, done.stdout, done.stderr)
