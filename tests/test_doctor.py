"""The doctor: every line is true, and what is wrong has a next step."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import NamedTuple

import pytest

from jaxfix.drivers.cli import checkup
from jaxfix.drivers.cli.checkup import Level
from jaxfix.drivers.cli.doctor import ask
from jaxfix.drivers.cli.start import run
from jaxfix.evidence.target import Local
from jaxfix.source.errors import EvidenceError

TESTS = Path(__file__).resolve().parent
HAS_JAX = subprocess.run([sys.executable, "-c", "import jax"]).returncode == 0


class Outcome(NamedTuple):
    code: int
    out: str
    err: str

    def line(self, level: str, topic: str) -> str:
        """The words of the one line that has this level and topic."""
        (words,) = (
            line.removeprefix(level).strip().removeprefix(topic).strip()
            for line in self.out.splitlines()
            if line.split()[:1] == [level] and line[7:].startswith(topic)
        )
        return words


Cli = Callable[..., Outcome]


@pytest.fixture
def cli(
    capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Cli:
    """The command in a clean environment, of a user of their own."""
    monkeypatch.syspath_prepend(TESTS / "pack")
    for name in [name for name in os.environ if name.startswith(("JAX_", "XLA_", "LIBTPU_"))]:
        monkeypatch.delenv(name)
    for name in ("FORCE_COLOR", "VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))

    def called(*arguments: str) -> Outcome:
        capfdbinary.readouterr()
        code = run(["doctor", *arguments])
        out, err = capfdbinary.readouterr()
        return Outcome(code, out.decode(), err.decode())

    return called


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text("print(1)\n")
    return tmp_path


def configure(project: Path, text: str) -> None:
    (project / "pyproject.toml").write_text(f"[tool.jaxfix]\n{text}\n")


def program(project: Path, name: str, body: str) -> Path:
    path = project / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


@pytest.mark.evidence
@pytest.mark.skipif(not HAS_JAX, reason="needs jax")
def test_a_healthy_place_is_well(project: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(project, 'run = "python train.py"')
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    done = cli()
    assert (done.code, done.out.count("wrong  ")) == (0, 0), done
    assert f"`{sys.executable}`: Python {sys.version_info.major}.{sys.version_info.minor}." in done.line(
        "ok", "interpreter"
    )
    assert done.line("ok", "devices") == "1 cpu"
    assert "`pyproject.toml`: runs `python train.py`" in done.line("ok", "configuration")
    assert "evidence holds under `JAX_PLATFORMS=cpu`" in done.line("ok", "variables")


@pytest.mark.evidence
@pytest.mark.skipif(not HAS_JAX, reason="needs jax")
def test_a_device_that_is_not_there_is_blamed_on_who_asks_for_it(
    project: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAX_PLATFORMS", "nonsense")
    done = cli()
    assert done.code == 1
    assert "jax fails there" in done.line("wrong", "interpreter")
    assert "next: `JAX_PLATFORMS=nonsense` names a platform that may be missing: unset or correct it" in done.out


def test_json_says_the_same(project: Path, cli: Cli) -> None:
    configure(project, 'rum = "x"')
    done = cli("--no-run", "--output-format", "json")
    document = json.loads(done.out)
    assert done.code == 1
    assert (document["schema"], document["here"]) == (1, project.as_posix())
    wrong = [line for line in document["lines"] if line["topic"] == "configuration"]
    assert wrong == [
        {
            "level": "wrong",
            "topic": "configuration",
            "words": "pyproject.toml: `[tool.jaxfix]` has no key `rum`",
            "step": "did you mean `run`?",
        }
    ]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("exit 3", "gives no answer: exit status 3"),
        ("echo no module >&2; exit 1", "gives no answer: exit status 1: no module"),
        ("echo hello", "gives no answer: no output"),
        ("sleep 60", "gives no answer: cut off at the time limit"),
    ],
)
def test_an_interpreter_that_gives_no_answer_is_wrong(project: Path, cli: Cli, body: str, reason: str) -> None:
    program(project, "odd", body)
    done = cli("--python", "./odd", "--timeout", "1")
    assert done.code == 1
    assert reason in done.line("wrong", "interpreter")
    assert "next: name another with `--python`" in done.out


def test_an_interpreter_that_is_not_there_is_wrong(project: Path, cli: Cli) -> None:
    done = cli("--python", "./gone")
    assert done.code == 1
    assert "cannot be started" in done.line("wrong", "interpreter")


def test_a_python_without_jax_gets_a_next_step(project: Path, cli: Cli) -> None:
    program(project, "bare", f'exec {sys.executable} -I -S "$@"')
    done = cli("--python", "./bare")
    assert done.code == 1
    assert "without jax: no optimizer can be driven there" in done.line("wrong", "interpreter")
    assert "next: run `pip install 'jaxfix[prove]'`" in done.out


def test_modules_of_the_working_folder_are_not_imported(project: Path, cli: Cli) -> None:
    for name in ("jax", "json", "optax", "sitecustomize"):
        (project / f"{name}.py").write_text(f"open({str(project / 'ran')!r}, 'w')\n")
    cli("--python", sys.executable)
    assert not (project / "ran").exists()


def test_with_no_run_nothing_is_started(project: Path, cli: Cli) -> None:
    configure(project, 'run = "python train.py"')
    program(project, ".venv/bin/python", "touch ran")
    done = cli("--no-run", "--python", ".venv/bin/python")
    assert not (project / "ran").exists()
    assert "its packages are unknown: it was not started" in done.line("warn", "interpreter")


def test_the_program_of_a_project_is_never_started(project: Path, cli: Cli) -> None:
    configure(project, 'run = "python train.py"')
    program(project, ".venv/bin/python", f"touch {project}/ran")
    (project / ".venv" / "lib" / "python3.12" / "site-packages").mkdir(parents=True)
    done = cli()
    assert not (project / "ran").exists()
    assert f"`{project}/.venv/bin/python` has no jax" in done.line("wrong", "program")


@pytest.mark.parametrize(
    ("command", "level", "words"),
    [
        ("nowhere-to-be-found x", "wrong", "`nowhere-to-be-found` of `nowhere-to-be-found x`: no such program"),
        ("a | b", "wrong", "needs a shell"),
        ("./gone.sh", "wrong", "no such program"),
        ("sh train.sh", "ok", "its installed packages are unknown"),
    ],
)
def test_a_program_that_cannot_start_is_wrong(project: Path, cli: Cli, command: str, level: str, words: str) -> None:
    configure(project, f'run = "{command}"')
    assert words in cli("--no-run").line(level, "program")


def test_trust_is_told(project: Path, cli: Cli) -> None:
    configure(project, 'run = "sh train.sh"')
    assert "`jaxfix trust` remembers a yes" in cli("--no-run").line("ok", "program")
    assert run(["trust", "--yes"]) == 0
    done = cli("--no-run")
    assert done.line("ok", "program").endswith("trusted here")
    assert done.line("ok", "trust").startswith("1 project trusted, in `")


def test_the_nearest_configuration_holds(project: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(project, 'ignore = ["tiny-safe"]')
    (project / "deep").mkdir()
    configure(project / "deep", 'select = ["tiny-safe"]')
    monkeypatch.chdir(project / "deep")
    lines = [line for line in cli("--no-run").out.splitlines() if "configuration" in line]
    assert "`pyproject.toml`: selects `tiny-safe`, names no program to rerun" in lines[0]
    assert "`../pyproject.toml` is not in effect here, `pyproject.toml` is nearer" in lines[1]


def test_without_a_configuration_the_defaults_hold(project: Path, cli: Cli) -> None:
    assert "defaults apply" in cli("--no-run").line("ok", "configuration")


@pytest.mark.parametrize(
    ("name", "value", "level"),
    [
        ("JAX_DISABLE_JIT", "1", "wrong"),
        ("JAX_CHECK_TRACER_LEAKS", "true", "wrong"),
        ("JAX_DEBUG_NANS", "True", "warn"),
        ("XLA_FLAGS", "--xla_dump_to=x", "warn"),
    ],
)
def test_what_distorts_the_counts_is_told(
    project: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch, name: str, value: str, level: str
) -> None:
    monkeypatch.setenv(name, value)
    assert f"`{name}`" in cli("--no-run").line(level, "variables")


def test_what_is_switched_off_distorts_nothing(project: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAX_DISABLE_JIT", "0")
    assert "evidence holds under `JAX_DISABLE_JIT=0`" in cli("--no-run").line("ok", "variables")


@pytest.mark.evidence
@pytest.mark.skipif(not HAS_JAX, reason="needs jax")
def test_without_jit_a_step_compiles_operation_by_operation() -> None:
    """Why `JAX_DISABLE_JIT` is called wrong."""
    code = (
        "import jax, jax.numpy as jnp\n"
        "names = []\n"
        "jax.monitoring.register_event_duration_secs_listener(lambda name, *_, **more: names.append(name))\n"
        "x = jnp.ones(3)\n"
        "names.clear()\n"
        "jax.jit(lambda v: jnp.sin(v) * 2 + 1)(x)\n"
        "print(sum('backend_compile' in name for name in names))\n"
    )
    found = [
        int(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | more).stdout)
        for more in ({"JAX_PLATFORMS": "cpu"}, {"JAX_PLATFORMS": "cpu", "JAX_DISABLE_JIT": "1"})
    ]
    assert found[0] == 1 < found[1]


def test_a_compile_cache_is_measured(project: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "cache").mkdir()
    (project / "cache" / "entry").write_bytes(b"x" * 2_500_000)
    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", str(project / "cache"))
    assert ", 2.5 MB; reruns neither read nor fill it" in cli("--no-run").line("ok", "compile cache")


def test_what_is_kept_is_counted_and_what_is_damaged_is_named(project: Path, cli: Cli) -> None:
    assert cli("--no-run").line("ok", "journal") == "none: nothing was applied here yet"
    (project / ".jaxfix" / "receipts").mkdir(parents=True)
    (project / ".jaxfix" / "receipts" / "x.json").write_text("{}")
    (project / ".jaxfix" / "journal").mkdir()
    (project / ".jaxfix" / "journal" / "0001.json").write_text("{}")
    done = cli("--no-run")
    assert done.code == 1
    assert ".jaxfix/journal/0001.json: not an entry of the journal" in done.line("wrong", "journal")
    assert done.line("warn", "receipts") == ".jaxfix/receipts/x.json: not a list of receipts: ignored"
    assert "is not hidden from git" in done.line("warn", "journal")


def test_a_grant_that_is_not_believed_is_named(project: Path, cli: Cli) -> None:
    folder = Path(os.environ["XDG_DATA_HOME"]) / "jaxfix" / "trust"
    folder.mkdir(parents=True)
    (folder / "x.json").write_text("{}")
    assert "x.json: not a grant of trust: ignored" in cli("--no-run").line("warn", "trust")


def test_a_pack_that_does_not_load_is_wrong(project: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = project / "packs" / "broken-1.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text("Name: broken\nVersion: 1\n")
    (folder / "entry_points.txt").write_text("[jaxfix.codemods]\nbroken = broken_pack:CODEMODS\n")
    (project / "packs" / "broken_pack.py").write_text("raise RuntimeError('out of order')\n")
    monkeypatch.syspath_prepend(project / "packs")
    done = cli("--no-run")
    assert done.code == 1
    assert "pack 'broken': RuntimeError: out of order" in done.line("wrong", "packs")


def test_a_strangers_text_hides_nothing(project: Path, cli: Cli) -> None:
    configure(project, 'run = "sh \\u001b[2K"')
    assert "\x1b" not in cli("--no-run").out


def test_every_wrong_line_has_a_next_step(project: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(project, 'run = "nowhere-to-be-found"')
    monkeypatch.setenv("JAX_DISABLE_JIT", "1")
    lines = json.loads(cli("--python", "./gone", "--output-format", "json").out)["lines"]
    wrong = [line for line in lines if line["level"] == "wrong"]
    assert {line["topic"] for line in wrong} >= {"program", "variables", "interpreter"}
    assert [line for line in wrong if not line["step"]] == []


@pytest.mark.parametrize(
    ("python", "jax", "old"),
    [
        ("3.11.0", "0.4.30", []),
        ("3.10.12", "0.4.30", ["Python 3.10.12"]),
        ("3.14", "0.4.9", ["jax 0.4.9"]),
        ("3.12", "0.4.30.dev1", []),
        ("3.9", "0.3", ["Python 3.9", "jax 0.3"]),
        ("3.13.0", "1.0", []),
        (None, None, []),
    ],
)
def test_what_is_too_old_is_named(python: str | None, jax: str | None, old: list[str]) -> None:
    assert [name for name, _ in checkup.too_old(python, jax)] == old


def test_the_libraries_are_as_new_as_jaxfix_asks() -> None:
    lines = [line for line in checkup.tool() if line.topic == "libraries"]
    assert [line.level for line in lines] == [Level.OK]
    assert "libcst " in lines[0].words


@pytest.mark.parametrize(
    ("installed", "level", "words"),
    [
        ({}, Level.OK, "starlette and uvicorn are not installed: `pip install 'jaxfix[review]'` adds what it needs"),
        ({"starlette": "0.9", "uvicorn": "0.29"}, Level.WARN, "starlette 0.9 is older than 0.37"),
        ({"starlette": "1.0", "uvicorn": "0.30.1"}, Level.OK, "starlette 1.0, uvicorn 0.30.1"),
        ({"starlette": "1.0"}, Level.OK, "uvicorn is not installed: `pip install 'jaxfix[review]'` adds what it needs"),
    ],
)
def test_what_the_review_needs_is_told(
    installed: dict[str, str], level: Level, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def version(name: str) -> str:
        if name not in installed:
            raise PackageNotFoundError(name)
        return installed[name]

    extras = ["starlette>=0.37; extra == 'review'", 'uvicorn>=0.29; extra == "review"', "pygls>=2; extra == 'lsp'"]
    monkeypatch.setattr(checkup, "requires", lambda name: ["libcst>=1.8.5", *extras])
    monkeypatch.setattr(checkup, "version", version)
    lines = {line.topic: line for line in checkup.extras()}
    assert (lines["review"].level, lines["review"].words) == (level, words)
    assert (lines["review"].step is None) == (level is Level.OK)
    assert "pygls is not installed: `pip install 'jaxfix[lsp]'`" in lines["editors"].words


def test_an_interpreter_that_does_not_start_is_an_error() -> None:
    with pytest.raises(EvidenceError, match="cannot be started"):
        ask("./gone", 5, Local())
