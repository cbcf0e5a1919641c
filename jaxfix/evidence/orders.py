"""What a job gets and returns on another machine, whatever carries it there."""

import json
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from jaxfix.evidence import progress
from jaxfix.evidence.payload import Payload
from jaxfix.evidence.stream import parsed
from jaxfix.evidence.target import Finished, Job
from jaxfix.source.errors import EvidenceError
from jaxfix.source.frozen import frozen

_TRAVELS = ("JAX_", "XLA_", "JAXFIX_PROBE", "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE", "NPROC")
_RESULT = re.compile(r"[\w.-]+\.json")


class Answers(Protocol):
    """Frames that come back."""

    def receive(self) -> tuple[bytes, bytes]:
        """The next frame.

        Raises:
          Broken: there is none, or not the whole of it.
        """
        ...


@frozen
class Orders:
    """How jobs are put to a place.

    Attributes:
      name: how a sentence calls it.
      is_remote: whether it is another machine rather than most likely the same files.
      python: the interpreter there, as the user names it.
    """

    name: str
    is_remote: bool
    python: str | None

    def order(self, job: Job, payload: Payload) -> dict[str, object]:
        """What is to be run, as `probe/host.py` reads it."""
        added = {n: v for n, v in job.environment.items() if n.startswith(_TRAVELS) or n in job.variables}
        added["PYTHONPATH"] = self._search_path(job)
        if job.interactive:
            added["PYTHONUNBUFFERED"] = "1"
        return {
            "words": [payload.renamed(word) for word in job.words],
            "cwd": payload.renamed(str(job.cwd)),
            "added": {name: payload.renamed(value) for name, value in added.items()},
            "timeout_s": None if job.interactive else job.timeout_s,
            "pythons": self._interpreters(job),
            "named": self.python is not None,
        }

    def _search_path(self, job: Job) -> str:
        entries = job.environment.get("PYTHONPATH", "").split(os.pathsep)
        if self.is_remote and "PYTHONPATH" not in job.variables:
            entries = [entry for entry in entries if Path(entry).is_relative_to(job.scratch)]
        return os.pathsep.join(entry for entry in entries if entry)

    def _interpreters(self, job: Job) -> list[str] | None:
        """Where an interpreter that was chosen for here may be there; None where the user or a program chose."""
        word = Path(job.words[0])
        is_own = word.parent.name in ("bin", "Scripts") and word.parent.parent.name == ".venv"
        is_chosen = is_own and (word.is_relative_to(job.scratch) or word.is_relative_to(job.cwd))
        if not (job.words[0] in ("python", "python3", sys.executable) or is_chosen):
            return None
        if self.python is not None:
            return [self.python]
        if self.is_remote:
            return []
        # The environment is a link in a copied tree; the interpreter in it may be one too, and stays what it is.
        return [str(word.parent.resolve() / word.name) if word.is_absolute() else str(word)]

    def finished(self, job: Job, ended: Mapping[str, Any], payload: Payload) -> Finished:
        """How the job ended, with paths as they are here.

        Raises:
          EvidenceError: jax is not there.
        """
        stdout, stderr = (payload.shown(ended[kind].decode(errors="replace")) for kind in ("stdout", "stderr"))
        said = stderr.rstrip().rpartition("\n")[2]
        if ended["status"] and re.fullmatch(r"ModuleNotFoundError: No module named 'jax(lib)?'", said):
            hint = "install jax for it, or name another interpreter of that machine with `--python`"
            raise EvidenceError(f"`{ended['python']}` on {self.name} has no jax", hint=hint)
        if job.interactive:
            stdout = stderr = ""
        return Finished(ended["status"], stdout, stderr)

    def refusal(self, kind: str, detail: str) -> EvidenceError:
        """Why the job could not be run there."""
        match kind:
            case "old":
                hint = "jaxfix measures with Python 3.11 and later: name another interpreter with `--python`"
                return EvidenceError(f"{detail} on {self.name}", hint=hint)
            case "full":
                hint = "make room there, or name another folder, as in `ssh://host/folder`"
                return EvidenceError(f"no space is left in `{detail}` on {self.name}", hint=hint)
            case "folder":
                return EvidenceError(f"there is no folder `{detail}` on {self.name}", hint="make it there")
            case "unwritable":
                hint = "name a folder that can be written to"
                return EvidenceError(f"the folder `{detail}` on {self.name} cannot be written to", hint=hint)
            case "start":
                return EvidenceError(f"{detail} on {self.name}", hint="install it there, or name another")
            case _:
                return EvidenceError(f"the run on {self.name} failed: {detail}")


def received(answers: Answers, job: Job, payload: Payload, shown: tuple[tuple[str, str], ...] = ()) -> dict[str, Any]:
    """What the other side says until its last word, with `stdout` and `stderr`; results are written down.

    Raises:
      Refusal: it cannot run the job.
      Broken: it fell silent before its last word.
    """
    output, said = {b"O": bytearray(), b"E": bytearray()}, ""
    while True:
        kind, body = answers.receive()
        if kind in output and job.interactive:
            _show(kind, body, shown)
            output[kind] = (output[kind] + body)[-4096:]
        elif kind in output:
            output[kind] += body
        elif kind == b"P":
            now = progress.words(json.loads(body))
            if now != said:
                said = now
                job.told(now)
        elif kind == b"F":
            name, _, content = body.partition(b"\0")
            if _RESULT.fullmatch(name.decode()):
                (job.scratch / "results" / name.decode()).write_bytes(payload.local(content))
        elif kind == b"X":
            return parsed(kind, body) | {"stdout": bytes(output[b"O"]), "stderr": bytes(output[b"E"])}


def _show(kind: bytes, body: bytes, moved: tuple[tuple[str, str], ...]) -> None:
    for there, here in moved:
        body = body.replace(there.encode(), here.encode())
    stream = sys.stdout if kind == b"O" else sys.stderr
    stream.flush()
    raw = getattr(stream, "buffer", None)
    if raw is None:
        stream.write(body.decode(errors="replace"))
    else:
        raw.write(body)
    stream.flush()


def tree_of(job: Job) -> Path | None:
    """The copy of the project, if the job has one."""
    tree = job.scratch / "tree"
    inside = job.cwd.relative_to(tree).parts if job.cwd.is_relative_to(tree) else ()
    return tree / inside[0] if inside else None
