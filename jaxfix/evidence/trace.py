"""Runs a program in place and says what it compiled."""

import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from jaxfix.evidence.run import merged, probed, scratch
from jaxfix.evidence.target import Job, Local, Target, runnable, with_interpreter
from jaxfix.report.measurement import Measurement
from jaxfix.source.errors import EvidenceError

# A proof settles these so that two runs are alike; a trace leaves them as the user has them.
_SETTLED = ("PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE", "JAX_ENABLE_COMPILATION_CACHE", "JAX_COMPILATION_CACHE_DIR")


def trace(
    words: Sequence[str],
    root: Path,
    *,
    steps_from: int = 3,
    step: str | None = None,
    target: Target | None = None,
    sizes: bool = False,
) -> Measurement:
    """What all processes of the command compiled, with causes. Its terminal and its compilation cache are the user's.

    Args:
      words: the command; a Python is put in front of one that begins with an option of Python's, as `-m package`, or
        names a script, and what runs notebooks in front of a notebook.
      root: where it runs, and whose `.venv` is used where the command says `python`.
      steps_from: the first step, from 1, that is steady.
      step: the function whose outermost calls are the steps, as `name` or `module:qualified name`; None finds the
        loop of the program.
      sizes: whether it is given how large each compiled program is.

    Raises:
      EvidenceError: the command is empty or cannot be started.
    """
    if not words:
        raise EvidenceError("there is no command to trace", hint="for example `jaxfix trace -- python train.py`")
    command = with_interpreter(runnable(words, root), root)
    with scratch() as folder:
        settings = {"explain": True, "cache": True, "spending": True, "step": step, "sizes": sizes}
        environment = _as_it_is(probed(folder, settings, os.environ, None), os.environ)
        job = Job(command, root, environment, interactive=True)
        finished = (target or Local()).run(job)
        return replace(merged(shlex.join(words), finished, folder / "results"), steps_from=steps_from)


def _as_it_is(environment: dict[str, str], own: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in environment.items() if name not in _SETTLED}
    return kept | {name: own[name] for name in _SETTLED if name in own}
