"""Consent: what may run, who may say so, and how long that holds."""

import contextlib
import itertools
import json
import os
import pty
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import Cli

from jaxfix.drivers import trust
from jaxfix.drivers.trust import Grant
from jaxfix.drivers.workflow import consent
from jaxfix.drivers.workflow.agenda import Agenda
from jaxfix.drivers.workflow.consent import Ask, Asker, Consent, Mode, decide
from jaxfix.drivers.workflow.request import Wish

TESTS = Path(__file__).resolve().parent
SLOW = "import jax\n\nz = jax.tiny_risky(2)\n"
RAN = "touch {}/ran"
AGENDA = Agenda(Path("/p"), Path("/p"), "python a.py", (Path("/site/optax"),), (), "python")
GRANT = Grant("/p", "/p", "python a.py", ("/site/optax",), True, "2026-01-01T00:00:00+00:00")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user of their own, for whom nothing is trusted yet."""
    monkeypatch.syspath_prepend(TESTS / "pack")
    for name in ("FORCE_COLOR", "PRE_COMMIT", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home" / "data"))
    return tmp_path / "home"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose configuration names a program that leaves a mark outside of it."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / "train.py").write_text(SLOW)
    configure(folder, RAN.format(tmp_path))
    git("init", "-q")
    commit()
    return folder


def configure(folder: Path, command: str | None) -> None:
    line = "" if command is None else f"run = {json.dumps(command)}\n"
    (folder / "pyproject.toml").write_text(f"[tool.jaxfix]\n{line}")


def git(*arguments: str) -> None:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.com")
    subprocess.run(["git", *identity, *arguments], check=True, capture_output=True)


def commit() -> None:
    git("add", ".")
    git("commit", "-qm", "x", "--allow-empty")


def has_run(project: Path) -> bool:
    """Whether the program has run since this was last asked."""
    mark = project.parent / "ran"
    try:
        mark.unlink()
    except FileNotFoundError:
        return False
    return True


def grant_file(home: Path) -> Path:
    (path,) = (home / "data" / "jaxfix" / "trust").iterdir()
    return path


# the decision


def expected(wish: Wish, agenda: Agenda | None, trusted: bool, waiting: int, asker: Asker, attended: bool) -> str:
    """The table of docs/evidence.md, said once more and in other words."""
    if wish.unproven:
        return "everything"
    if wish.run is not None:
        return "rerun"
    if wish.prove:
        return "rerun" if asker not in (Asker.EDITOR, Asker.AGENT) or (trusted and agenda is not None) else "safe"
    silent = wish.no_prove or waiting == 0 or agenda is None or asker is not Asker.COMMAND
    if silent:
        return "safe"
    return "rerun" if trusted else "ask" if attended else "safe"


WISHES = (Wish(), Wish(prove=True), Wish(run="python b.py"), Wish(no_prove=True), Wish(unproven=True))


@pytest.mark.parametrize("wish", WISHES)
def test_every_combination_is_decided_by_the_table(wish: Wish) -> None:
    combinations = itertools.product((AGENDA, None), (GRANT, None), (0, 2), Asker, (True, False))
    for agenda, grant, waiting, asker, attended in combinations:
        decided = decide(wish, agenda, grant, waiting, asker, attended=attended)
        told = expected(wish, agenda, grant is not None, waiting, asker, attended)
        words = {Mode.SAFE_ONLY: "safe", Mode.RERUN: "rerun", Mode.EVERYTHING: "everything"}
        said = "ask" if isinstance(decided, Ask) else words[decided.mode]
        assert said == told, (wish, agenda, grant, waiting, asker, attended)


def test_what_is_rerun_is_what_was_named() -> None:
    assert decide(Wish(run="python b.py"), AGENDA, GRANT, 1, Asker.COMMAND, attended=False) == Consent(
        Mode.RERUN, "python b.py"
    )
    assert decide(Wish(), AGENDA, GRANT, 1, Asker.COMMAND, attended=False) == Consent(Mode.RERUN, "python a.py")


@pytest.mark.parametrize(
    "other",
    [
        replace(AGENDA, command="python a.py --evil"),
        replace(AGENDA, command=None),
        replace(AGENDA, project=Path("/q")),
        replace(AGENDA, folder=Path("/p/vendored")),
        replace(AGENDA, installed=(Path("/site/optax"), Path("/p/evil"))),
    ],
)
def test_trust_ends_with_any_change(other: Agenda) -> None:
    assert consent.covers(GRANT, AGENDA)
    assert not consent.covers(GRANT, other)
    assert decide(Wish(), other, GRANT, 1, Asker.COMMAND, attended=False) == Consent(Mode.SAFE_ONLY)


def test_driving_less_than_what_is_trusted_is_trusted() -> None:
    assert consent.covers(GRANT, replace(AGENDA, installed=()))


@pytest.mark.parametrize(
    ("environment", "asker"),
    [({}, Asker.COMMAND), ({"PRE_COMMIT": "1"}, Asker.HOOK), ({"GIT_INDEX_FILE": ".git/index"}, Asker.HOOK)],
)
def test_a_hook_is_recognised(environment: dict[str, str], asker: Asker) -> None:
    assert consent.asker(environment) is asker


# the command


def test_a_trusted_command_is_rerun_without_a_question(project: Path, cli: Cli, home: Path) -> None:
    before = cli("apply")
    assert before.code == 1
    assert f"`jaxfix trust` lets `jaxfix apply` rerun `touch {project.parent}/ran`" in before.err
    assert not has_run(project)
    shown = cli("trust", "--yes")
    assert shown.code == 0, shown
    assert shown.out.splitlines() == [
        f"project  {project}",
        f"runs     touch {project.parent}/ran",
        f"from     {project}",
    ]
    assert not has_run(project)
    done = cli("apply")
    assert has_run(project)
    assert f"note: `{project}` is trusted with the rerun that follows; `jaxfix trust --revoke` ends that\n" in done.err
    assert "note: rerunning `touch" in done.err
    assert grant_file(home).stat().st_mode & 0o777 == 0o600


def test_nobody_is_asked_where_nobody_is(project: Path, cli: Cli) -> None:
    done = cli("trust")
    assert done.code == 2
    assert done.err == "error: no terminal to ask on; pass `--yes` to trust the program shown\n"
    assert cli("trust", "--list").err == "note: nothing is trusted\n"


@pytest.mark.parametrize(("answer", "is_trusted"), [(b"y\n", True), (b"n\n", False), (b"\n", False), (b"\x04", False)])
def test_a_person_is_asked(project: Path, cli: Cli, answer: bytes, is_trusted: bool) -> None:
    assert b"trust this, until the command or the place changes? [y/N]" in at_a_terminal(answer, "trust")
    cli("apply")
    assert has_run(project) is is_trusted


def at_a_terminal(answer: bytes, *arguments: str) -> bytes:
    """What a person sees who types `answer`."""
    terminal, inner = pty.openpty()
    places = (TESTS.parent, TESTS.parent / "codemods", TESTS / "pack")
    env = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, places))}
    command = [sys.executable, "-m", "jaxfix", *arguments]
    child = subprocess.Popen(command, stdin=inner, stdout=inner, stderr=inner, env=env, start_new_session=True)
    os.close(inner)
    seen = b""
    while b"[y/N]" not in seen:
        seen += os.read(terminal, 4096)
    os.write(terminal, answer)
    with contextlib.suppress(OSError):  # how Linux says that the other side is closed
        while piece := os.read(terminal, 4096):
            seen += piece
    child.wait()
    os.close(terminal)
    return seen


def test_another_text_is_a_stranger(project: Path, cli: Cli) -> None:
    cli("trust", "--yes")
    configure(project, f"touch {project.parent}/ran ")
    done = cli("apply")
    assert not has_run(project)
    assert f"trusted so far: `touch {project.parent}/ran`" in done.err
    configure(project, None)
    assert cli("apply").code == 1
    assert not has_run(project)


def test_a_moved_or_copied_project_is_a_stranger(project: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli("trust", "--yes")
    shutil.copytree(project, project.parent / "copy")
    monkeypatch.chdir(project.parent / "copy")
    assert cli("apply").code == 1
    assert not has_run(project)
    monkeypatch.chdir(project.parent)
    project.rename(project.parent / "moved")
    monkeypatch.chdir(project.parent / "moved")
    assert cli("apply").code == 1
    assert not has_run(project)


def test_a_folder_of_a_trusted_project_is_no_place_to_run_from(
    project: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("trust", "--yes")
    vendored = project / "vendored"
    vendored.mkdir()
    (vendored / "train.py").write_text(SLOW)
    configure(vendored, RAN.format(project.parent))
    commit()
    monkeypatch.chdir(vendored)
    assert cli("apply").code == 1
    assert not has_run(project)


def test_a_link_to_a_trusted_project_is_that_project(project: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    (project.parent / "link").symlink_to(project)
    cli("trust", "--yes", str(project.parent / "link"))
    cli("apply")
    assert has_run(project)
    monkeypatch.chdir(project.parent / "link")
    cli("apply")
    assert has_run(project)


def test_a_link_turned_to_a_stranger_is_a_stranger(project: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    link, other = project.parent / "link", project.parent / "other"
    shutil.copytree(project, other)
    link.symlink_to(project)
    monkeypatch.chdir(link)
    cli("trust", "--yes")
    link.unlink()
    link.symlink_to(other)
    monkeypatch.chdir(link)
    cli("apply")
    assert not has_run(project)


def test_what_a_project_brings_along_cannot_say_yes(
    project: Path, cli: Cli, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("trust", "--yes")
    mine = grant_file(home)
    for folder in (".jaxfix/trust", ".jaxfix", "data/jaxfix/trust"):
        (project / folder).mkdir(parents=True, exist_ok=True)
        shutil.copy(mine, project / folder / mine.name)
    mine.unlink()
    cli("apply")
    assert not has_run(project)
    monkeypatch.setenv("XDG_DATA_HOME", str(project / "data"))  # as an environment that the project sets up
    done = cli("apply")
    assert not has_run(project)
    assert "is inside the project that it trusts" in done.err
    monkeypatch.setenv("XDG_DATA_HOME", str(project.parent / "data"))
    (project.parent / "data").symlink_to(project / "data")
    assert "is inside the project" in cli("apply").err
    assert not has_run(project)
    assert cli("trust", "--yes").code == 2


DAMAGES: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.write_text(""),
    "not a grant": lambda path: path.write_text('["touch"]'),
    "deep": lambda path: path.write_text("[" * 200_000),
    "not text": lambda path: path.write_bytes(b"\xff\xfe\x00"),
    "from the future": lambda path: path.write_text(path.read_text().replace('"schema": 1', '"schema": 2')),
    "of another project": lambda path: path.write_text(path.read_text().replace("project", "project2")),
    "writable by others": lambda path: path.chmod(0o666),
    "in a folder that others write": lambda path: path.parent.chmod(0o777),
    "a folder": lambda path: (path.unlink(), path.mkdir()),
    "a link": lambda path: path.symlink_to(path.rename(path.with_suffix(".elsewhere"))),
}


@pytest.mark.parametrize("damage", sorted(DAMAGES))
def test_a_file_that_is_not_to_be_believed_is_named_and_ignored(
    project: Path, cli: Cli, home: Path, damage: str
) -> None:
    cli("trust", "--yes")
    path = grant_file(home)
    DAMAGES[damage](path)
    done = cli("apply")
    assert done.code == 1
    assert path.name in done.err
    assert "ignored, nothing is trusted by it; delete it" in done.err
    assert not has_run(project)
    listed = cli("trust", "--list")
    assert (listed.code, listed.out) == (2, "")
    assert path.name in listed.err


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a file away")
def test_a_file_of_another_user_is_not_believed(project: Path, cli: Cli, home: Path) -> None:
    cli("trust", "--yes")
    os.chown(grant_file(home), 12345, 12345)
    assert "belongs to another user" in cli("apply").err
    assert not has_run(project)


def test_trust_is_listed_and_taken_back(project: Path, cli: Cli) -> None:
    cli("trust", "--yes")
    listed = cli("trust", "--list").out.splitlines()
    assert len(listed) == 1
    assert listed[0].startswith(f"{project}  `touch {project.parent}/ran`  20")
    (project / "deep").mkdir()
    assert cli("trust", "--revoke", "deep").err.startswith(f"note: no longer trusted: {project}  `touch")
    assert cli("apply").code == 1
    assert not has_run(project)
    again = cli("trust", "--revoke")
    assert (again.code, again.err) == (2, "error: nothing is trusted in .; see `jaxfix trust --list`\n")


def test_trust_in_a_project_that_is_gone_is_taken_back(
    project: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("trust", "--yes")
    monkeypatch.chdir(project.parent)
    shutil.rmtree(project)
    assert cli("trust", "--revoke", "project").code == 0
    assert cli("trust", "--list").out == ""


def test_a_program_of_ones_own_is_trusted_where_none_is_configured(project: Path, cli: Cli) -> None:
    command = RAN.format(project.parent)
    refused = cli("trust", "--yes", "--run", "python other.py")
    assert refused.code == 2
    assert "the configuration names another program" in refused.err
    configure(project, None)
    assert cli("trust", "--yes", "--run", command).code == 0
    cli("apply")
    assert has_run(project)
    configure(project, "python evil.py")
    done = cli("apply")
    assert "rerunning" not in done.err
    assert not has_run(project)


def test_what_was_configured_is_not_adopted_once_the_configuration_is_silent(project: Path, cli: Cli) -> None:
    cli("trust", "--yes")
    configure(project, None)
    cli("apply")
    assert not has_run(project)


@pytest.mark.parametrize("variable", ["PRE_COMMIT", "GIT_INDEX_FILE"])
def test_a_hook_runs_nothing_unasked(project: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    cli("trust", "--yes")
    monkeypatch.setenv(variable, "1")
    assert cli("apply").code == 1
    assert not has_run(project)


def test_no_prove_runs_nothing_that_is_trusted(project: Path, cli: Cli) -> None:
    cli("trust", "--yes")
    assert cli("apply", "--no-prove").code == 1
    assert not has_run(project)


def test_nothing_to_rerun_is_refused(project: Path, cli: Cli) -> None:
    configure(project, None)
    done = cli("trust", "--yes")
    assert done.code == 2
    assert "there is nothing to rerun" in done.err
    configure(project, "a | b")
    assert "needs a shell" in cli("trust", "--yes").err
    assert cli("trust", "--list").out == ""


def test_a_folder_that_is_no_project_is_refused(tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "loose"
    folder.mkdir()
    (folder / "a.py").write_text(SLOW)
    monkeypatch.chdir(folder)
    done = cli("trust", "--yes", "--run", "python a.py")
    assert done.code == 2
    assert "is not a project" in done.err


def test_optimizers_that_are_driven_are_named_one_by_one(project: Path, cli: Cli) -> None:
    configure(project, None)
    (project / "mine").mkdir()
    (project / "mine" / "__init__.py").write_text("")
    (project / "mine" / "scale.py").write_text(f"# GradientTransformation\n{SLOW}")
    commit()
    shown = cli("trust", "--yes", "mine")
    assert f"drives   the optimizers of {project}/mine\n" in shown.out
    (project / "theirs").mkdir()
    (project / "theirs" / "__init__.py").write_text(f"import pathlib  # GradientTransformation\n{SLOW}")
    commit()
    done = cli("apply")
    assert "only driving optimizers is trusted so far, and not these" in done.err
    assert "note: driving" not in done.err


def test_a_command_cannot_hide_what_it_says(project: Path, cli: Cli) -> None:
    configure(project, "python evil.py \x1b[2K\rtouch")
    assert "\\x1b[2K\\rtouch" in cli("trust", "--yes").out
    assert "\x1b" not in cli("apply").err


@pytest.mark.parametrize("options", [("--list", "--revoke"), ("--list", "--yes"), ("--revoke", "--run", "x")])
def test_options_that_contradict_each_other_are_refused(project: Path, cli: Cli, options: tuple[str, ...]) -> None:
    done = cli("trust", *options)
    assert done.code == 2
    assert "contradict each other" in done.err


def test_two_terminals_do_not_lose_each_others_word() -> None:
    for name in ("a", "b"):
        trust.remember(replace(GRANT, project=f"/{name}"))
    assert [grant.project for grant in trust.grants()[0]] == ["/a", "/b"]
    trust.revoke(Path("/a"))
    assert [grant.project for grant in trust.grants()[0]] == ["/b"]


def test_an_incomplete_installation_trusts_nothing() -> None:
    code = "import sys; sys.modules['platformdirs'] = None\nfrom jaxfix.drivers import trust\ntrust.store()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "UserError: the record of trust cannot be read" in done.stderr
