"""What version control could not bring back is not written over."""

import subprocess
from pathlib import Path

import pytest

from jaxfix.drivers import vcs
from jaxfix.source.errors import WriteError


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.com")
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    return tmp_path


def refuse(paths: list[Path]) -> None:
    vcs.refuse_unsaved(paths, allow_dirty=False, allow_no_vcs=False)


def test_more_names_than_one_command_line_takes(repository: Path) -> None:
    paths = [repository / f"{'long_' * 40}{number}.py" for number in range(200)]
    for path in paths:
        path.write_text("x = 1\n")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "x")
    refuse(paths)
    paths[0].write_text("mine\n")
    paths[-1].write_text("mine\n")
    with pytest.raises(WriteError) as caught:
        refuse(paths)
    assert caught.value.message.count("(modified)") == 2


def test_a_repository_starts_no_program(repository: Path) -> None:
    (repository / "a.py").write_text("x = 1\n")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "x")
    script = repository / "program"
    script.write_text(f"#!/bin/sh\ntouch '{repository}/started'\n")
    script.chmod(0o755)
    git(repository, "config", "core.fsmonitor", str(script))
    refuse([repository / "a.py"])
    assert not (repository / "started").exists()
    git(repository, "status")
    assert (repository / "started").exists()
