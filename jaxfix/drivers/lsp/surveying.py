"""A process of its own that knows the whole project, so that no keystroke waits for it.

Requests and answers are pickles, each after its length: the server started this process, which ends with the server.
"""

import gc
import os
import pickle
import struct
from collections.abc import Mapping
from dataclasses import field, replace
from pathlib import Path

from jaxfix.drivers import files, overtime
from jaxfix.drivers.surroundings import Helper
from jaxfix.drivers.workflow.request import Request
from jaxfix.drivers.workflow.targets import Target, find_targets
from jaxfix.engine.memory import Recent
from jaxfix.engine.survey import survey
from jaxfix.engine.unit import Unit
from jaxfix.semantic.project.query import Answers
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.errors import JaxfixError
from jaxfix.source.frozen import frozen
from jaxfix.source.source_file import SourceFile

HEAD = struct.Struct("!Q")
GREETING = b"\0jaxfix\0"
"""The marker of our output; anything before it was printed by modules that Python loads at startup."""


@frozen
class Ask:
    """What the server wants to know of one project.

    Attributes:
      request: how the project is analysed; its one path is the root.
      again: files may have come, gone or changed on the disk.
      texts: of the files that are open, by path, links resolved: what the editor holds, not what the disk does.
    """

    request: Request
    anew: bool
    texts: Mapping[Path, SourceFile]


@frozen
class Told:
    """What one file needs to know of its project."""

    surroundings: Surroundings
    answers: Answers
    helper: Helper | None


@frozen
class Surveyed:
    """The project's answers for each of its open files; `errors` are sentences, `run` is the configured program."""

    told: Mapping[Path, Told] = field(default_factory=dict)
    errors: tuple[str, ...] = ()
    run: str | None = None
    files: int = 0


class Project:
    """One project, kept in memory from one question to the next."""

    def __init__(self) -> None:
        self._targets: dict[Path, Target] = {}
        self._recent = Recent()
        self._errors: tuple[str, ...] = ()
        self._run: str | None = None
        self._is_complete = False
        self._is_read = False

    def surveyed(self, ask: Ask) -> Surveyed:
        if ask.anew or not self._is_read:
            self._read(ask.request)
        wanted = [_with(target, ask.texts.get(path)) for path, target in self._targets.items()]
        units = [Unit(target.source, target.codemods, target.surroundings) for target in wanted]
        found = survey(units, _silent, is_complete=self._is_complete, memory=self._recent)
        told: dict[Path, Told] = {}
        for path, target, look in zip(self._targets, wanted, found.looks, strict=True):
            if path in ask.texts:
                answers = found.project.with_what_follows(found.project.answers(look.asked))
                told[path] = Told(target.surroundings, answers, target.helper)
        return Surveyed(told, self._errors, self._run, len(units))

    def _read(self, request: Request) -> None:
        found = find_targets(request)
        before = self._targets
        self._targets = {}
        for target in found.targets:
            if target.path is not None:
                path = files.resolved(target.path)
                self._targets[path] = _same(before.get(path), target)
        self._errors, self._run, self._is_complete = found.errors, found.run, found.is_complete
        self._is_read = True


def _same(before: Target | None, now: Target) -> Target:
    """The target that is known already, if it is no other."""
    return before if before is not None and before == now else now


def _with(target: Target, text: SourceFile | None) -> Target:
    return target if text is None or text.raw == target.source.raw else replace(target, source=_named(text, target))


def _named(text: SourceFile, target: Target) -> SourceFile:
    return replace(text, path=target.source.path)


def _silent(path: str) -> None:
    return


def main() -> None:
    """Answers questions until there are no more."""
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sink.write(GREETING)
    sink.flush()
    overtime.begin()
    gc.freeze()
    gc.set_threshold(200_000, 20, 50)
    projects: dict[Request, Project] = {}
    while True:
        head = source.read(HEAD.size)
        if len(head) < HEAD.size:
            return
        ask = pickle.loads(source.read(HEAD.unpack(head)[0]))
        answer = pickle.dumps(_answered(projects.setdefault(ask.request, Project()), ask))
        try:
            sink.write(HEAD.pack(len(answer)) + answer)
            sink.flush()
        except BrokenPipeError:  # the server is gone
            os._exit(0)


def _answered(project: Project, ask: Ask) -> Surveyed:
    try:
        return project.surveyed(ask)
    except JaxfixError as error:
        return Surveyed(errors=(str(error),))
    except Exception as error:  # one project that breaks is not the end of the others
        return Surveyed(errors=(f"a bug in jaxfix: {type(error).__name__}: {error}",))
