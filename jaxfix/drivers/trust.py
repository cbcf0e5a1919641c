"""What the user trusts jaxfix to run unasked, kept in the user's own data folder and never in a project.

trust/SHA256.json      one project and working folder, and the one thing that may run there; mode 0600

A project can say what it likes: nothing that lies in it is read here. One file for each project, so that two terminals
never lose each other's word, and taking trust back is one deletion.
"""

import hashlib
import json
import os
from pathlib import Path

from jaxfix.drivers import files, private
from jaxfix.report.wire import from_json, to_json
from jaxfix.source.errors import UserError, WriteError
from jaxfix.source.frozen import frozen

SCHEMA = 1
_SIZE_LIMIT_BYTES = 1_000_000


@frozen
class Grant:
    """One consent, good for exactly this text in exactly this place.

    Attributes:
      project: the root of the project, absolute, links resolved.
      folder: where the command runs, as absolute.
      command: the program to rerun; None for the optimizers alone.
      drives: the packages and modules whose optimizers may be driven without a program, absolute.
      configured: whether the configuration named the command when it was trusted; the user did if not.
      when: UTC, ISO 8601.
    """

    project: str
    folder: str
    command: str | None
    drives: tuple[str, ...]
    configured: bool
    when: str
    schema: int = SCHEMA


def store() -> Path:
    """The folder that the grants are kept in.

    Raises:
      UserError: the folder of the user's data is unknown.
    """
    try:
        from platformdirs import user_data_path

        return user_data_path("jaxfix", appauthor=False) / "trust"
    except (ImportError, RuntimeError) as error:  # no home folder, or an incomplete installation
        raise UserError(f"the record of trust cannot be read: {str(error).lower()}") from error


def remember(grant: Grant) -> Path:
    """Keeps the grant in the place of an older one for the same project and folder; returns its file.

    Raises:
      UserError: it cannot be kept, or only inside of the project that it speaks of.
    """
    folder = store()
    _refuse_inside(folder, Path(grant.project))
    files.make_folder(folder)
    os.chmod(folder, 0o700)
    path = _path(folder, grant.project, grant.folder)
    files.write_bytes(path, (json.dumps(to_json(grant), indent=1) + "\n").encode(), mode=0o600)
    return path


def granted(project: Path, folder: Path) -> Grant | None:
    """What is trusted there; None where nothing is.

    Raises:
      UserError: there is a file that says so, and it is not to be believed.
    """
    path = _path(store(), str(project), str(folder))
    if not os.path.lexists(path):
        return None
    _refuse_inside(path.parent, project)
    return _read(path)


def grants() -> tuple[tuple[Grant, ...], tuple[str, ...]]:
    """All that is trusted, by project, and sentences about the files that are not to be believed.

    Raises:
      UserError: the folder of the user's data is unknown.
    """
    found: list[Grant] = []
    problems: list[str] = []
    for path in sorted(store().glob("*.json")):
        try:
            found.append(_read(path))
        except UserError as error:
            problems.append(str(error))
    return tuple(sorted(found, key=lambda grant: (grant.project, grant.folder))), tuple(problems)


def revoke(project: Path) -> tuple[Grant, ...]:
    """Forgets all that is trusted in the project, whichever folder it runs from; returns what that was.

    Raises:
      UserError: a file cannot be deleted.
    """
    gone = tuple(grant for grant in grants()[0] if grant.project == str(project))
    for grant in gone:
        path = _path(store(), grant.project, grant.folder)
        try:
            os.unlink(path)
        except FileNotFoundError:
            continue  # another terminal was faster
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise WriteError(f"{files.shown(path)}: cannot be deleted: {reason}", hint="delete it by hand") from error
    return gone


def _path(folder: Path, project: str, place: str) -> Path:
    name = hashlib.sha256(os.fsencode(project) + b"\0" + os.fsencode(place)).hexdigest()
    return folder / f"{name}.json"


def _refuse_inside(folder: Path, project: Path) -> None:
    if private.is_inside(folder, project):
        raise UserError(
            f"{files.shown(folder)}: is inside the project that it trusts: ignored",
            hint="keep the user data folder elsewhere, for example with `XDG_DATA_HOME`",
        )


def _read(path: Path) -> Grant:
    _refuse_foreign(path)
    try:
        grant = from_json(Grant, json.loads(files.read_bytes(path)))
    except (ValueError, RecursionError) as error:
        raise _unbelievable(path, "not a grant of trust") from error
    if grant.schema != SCHEMA:
        raise _unbelievable(path, f"schema {grant.schema}, and this jaxfix knows {SCHEMA}")
    if path != _path(path.parent, grant.project, grant.folder):
        raise _unbelievable(path, "is about another project than its name says")
    return grant


def _refuse_foreign(path: Path) -> None:
    """Raises UserError unless the file is the user's own, and no other user may write it."""
    reason = private.doubt(path, _SIZE_LIMIT_BYTES)
    if reason is not None:
        raise _unbelievable(path, reason)


def _unbelievable(path: Path, reason: str) -> UserError:
    return UserError(f"{files.shown(path)}: {reason}: ignored, nothing is trusted by it", hint="delete it")
