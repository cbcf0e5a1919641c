"""Brings a public repository at a commit, once."""

import subprocess
from pathlib import Path

HOST = "https://github.com"


class Unreachable(Exception):
    """The registry or the host cannot be asked, or has no such release, commit or file."""


def fetched(repository: str, commit: str, store: Path, mirror: Path | None) -> Path:
    """The git directory of OWNER/NAME with this commit, from `mirror` or `store` if it is there.

    Args:
      mirror: a folder of bare repositories, `OWNER+NAME` each, or one folder below.

    Raises:
      Unreachable: it is not there and cannot be fetched.
    """
    name = repository.replace("/", "+")
    for place in (mirror / name, mirror / name / "repo", mirror / name / "repo" / ".git") if mirror else ():
        if (place / "HEAD").exists():
            return place
    place = store / name
    if not (place / "HEAD").exists():
        place.mkdir(parents=True, exist_ok=True)
        git(place, "init", "--bare", "--quiet")
    if not _has(place, commit):
        git(place, "fetch", "--quiet", "--depth=1", f"{HOST}/{repository}", commit)
    return place


def git(place: Path, *words: str) -> bytes:
    """What git prints.

    Raises:
      Unreachable: it fails.
    """
    done = subprocess.run(["git", "-C", str(place), *words], capture_output=True)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise Unreachable(said[-1] if said else f"git {words[0]} failed")
    return done.stdout


def _has(place: Path, commit: str) -> bool:
    known = subprocess.run(["git", "-C", str(place), "cat-file", "-e", commit], capture_output=True)
    return known.returncode == 0
