"""Runs a program in place and says what it compiled."""

import os
import shlex
from collections.abc import Sequence
from pathlib import Path

from jaxfix.core.errors import EvidenceError
from jaxfix.core.report import Measurement
from jaxfix.evidence.run import merged, probed, scratch
from jaxfix.evidence.target import Job, Local, Target, with_interpreter


def trace(words: Sequence[str], root: Path, *, target: Target | None = None) -> Measurement:
    """What all processes of the command compiled, with causes. Its terminal is the user's.

    Args:
      words: the command; one that begins with an option of Python's, as `-m package`, or names a script gets a
        Python put in front.
      root: where it runs, and whose `.venv` is used where the command says `python`.

    Raises:
      EvidenceError: the command is empty or cannot be started.
    """
    if not words:
        raise EvidenceError("there is no command to trace", hint="say for example `jaxfix trace -- python train.py`")
    command = tuple(words)
    if command[0].startswith("-") or command[0].endswith(".py"):
        command = ("python", *command)
    with scratch() as folder:
        settings = {"explain": True}
        environment = probed(folder, settings, os.environ, None)
        for name in ("PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE"):
            environment.pop(name, None)
        environment |= {n: os.environ[n] for n in ("PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE") if n in os.environ}
        job = Job(with_interpreter(command, root), root, environment, interactive=True)
        finished = (target or Local()).run(job)
        return merged(shlex.join(words), finished, folder / "results")
