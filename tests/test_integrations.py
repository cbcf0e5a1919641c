"""Hooks, the action and the page about them: their files are valid, and what they say to run does what they say."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from command_line import Cli

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "integrations.md").read_text()
HOOKS = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
SAFE = """\
import jax.numpy as jnp
from jax import lax


def step(x):
    def body(carry, _):
        return carry * 0.5, None

    return lax.scan(body, x, None, 3)


for number in range(4):
    step(jnp.float32(number))
"""
RISKY = (ROOT / "examples" / "train.py").read_text()
CLEAN = "x = 1\n"
bash = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")


class Shell(NamedTuple):
    code: int
    out: str
    err: str


def git(*arguments: str, at: Path | None = None) -> None:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *identity, *arguments], check=True, capture_output=True, cwd=at)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one fix that is safe, committed."""
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "safe.py").write_text(SAFE)
    monkeypatch.chdir(folder)
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "x")
    return folder


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A folder with `jaxfix` and `python` for shells; `reviewdog` writes down what it is given."""
    folder = tmp_path / "tools"
    folder.mkdir()
    (folder / "jaxfix").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m jaxfix "$@"\n')
    (folder / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (folder / "reviewdog").write_text(
        '#!/bin/sh\necho "$@" > "$RUNNER_TEMP/reviewdog.words"\ncat > "$RUNNER_TEMP/reviewdog.in"\n'
    )
    for tool in folder.iterdir():
        tool.chmod(0o755)
    return folder


def in_shell(script: str, tools: Path, cwd: Path, **env: str) -> Shell:
    """As GitHub's `shell: bash` runs it."""
    places = os.pathsep.join(map(str, (ROOT, ROOT / "codemods")))
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        env=os.environ | {"PATH": path, "PYTHONPATH": places, "NO_COLOR": "1"} | env,
        cwd=cwd,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    return Shell(done.returncode, done.stdout, done.stderr)


# pre-commit


def by_hook(cli: Cli, name: str, *files: str) -> Any:
    command, *words = HOOKS[name]["entry"].split()
    assert command == "jaxfix"
    return cli(*words, *files)


def test_the_check_hook_fails_a_commit_that_has_findings(project: Path, cli: Cli) -> None:
    assert by_hook(cli, "jaxfix-check", "src/safe.py").code == 1
    (project / "clean.py").write_text(CLEAN)
    assert by_hook(cli, "jaxfix-check", "clean.py").code == 0


def test_the_fix_hook_writes_what_is_safe_into_what_is_staged(project: Path, cli: Cli) -> None:
    staged = SAFE.replace("0.5", "0.25")
    (project / "src" / "safe.py").write_text(staged)
    (project / "risky.py").write_text(RISKY)
    git("add", ".")
    done = by_hook(cli, "jaxfix-fix", "src/safe.py", "risky.py")
    assert done.code == 0 and (project / "risky.py").read_text() == RISKY
    assert (project / "src" / "safe.py").read_text() != staged
    again = by_hook(cli, "jaxfix-fix", "src/safe.py", "risky.py")
    assert again.code == 0 and "nothing fixed" in again.err + again.out
    (project / "broken.py").write_text("import jax\ndef f(:\n    jax.jit\n")
    assert by_hook(cli, "jaxfix-fix", "broken.py").code == 2


@pytest.mark.slow
def test_pre_commit_runs_the_hooks(project: Path, tmp_path: Path) -> None:
    """The real one, which installs jaxfix from a repository: needs `pre-commit`, and packages."""
    if shutil.which("pre-commit") is None:
        pytest.skip("needs pre-commit")
    address = published(tmp_path / "published")
    hooks = [{"id": "jaxfix-fix"}, {"id": "jaxfix-check"}]
    (project / ".pre-commit-config.yaml").write_text(
        yaml.safe_dump({"repos": [{"repo": address, "rev": "v0.2.0", "hooks": hooks}]})
    )
    git("add", ".")

    def run() -> subprocess.CompletedProcess[str]:
        env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        env |= {"PRE_COMMIT_HOME": str(tmp_path / "home"), "NO_COLOR": "1"}
        return subprocess.run(["pre-commit", "run", "-v", "--all-files"], env=env, capture_output=True, text=True)

    first = run()
    assert first.returncode == 1, first.stderr
    assert re.search(r"jaxfix fix\.+Failed\n(.*\n)*- files were modified by this hook", first.stdout), first.stdout
    assert (project / "src" / "safe.py").read_text() != SAFE
    git("add", ".")
    second = run()
    assert second.returncode == 0, second.stdout
    (project / "src" / "risky.py").write_text(RISKY)
    git("add", ".")
    assert run().returncode == 1


def published(folder: Path) -> str:
    """The address of a repository with this very jaxfix, tagged."""
    listed = subprocess.run(
        [
            "git",
            "ls-files",
            "-z",
            "jaxfix",
            "codemods",
            "pyproject.toml",
            "README.md",
            "LICENSE",
            ".pre-commit-hooks.yaml",
        ],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    git("init", "-q", at=folder)
    git("add", ".", at=folder)
    git("commit", "-qm", "x", at=folder)
    git("tag", "v0.2.0", at=folder)
    return folder.as_uri()


# GitHub


STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}


def evaluated(value: str, inputs: Mapping[str, str], outputs: Mapping[str, str]) -> str:
    """A value of `env`, whose expressions name one input or one output."""

    def known(match: re.Match[str]) -> str:
        kind, name = re.fullmatch(r"(inputs|steps\.\w+\.outputs)\.([\w-]+).*", match[1].strip()).groups()  # type: ignore[union-attr]
        return (inputs if kind == "inputs" else outputs)[name]

    return re.sub(r"\$\{\{(.*?)\}\}", known, value)


def acted(project: Path, tools: Path, temporary: Path, **given: str) -> tuple[dict[str, Shell], dict[str, str]]:
    """The steps of the action that are shell, one after the other, except what installs jaxfix; and the outputs."""
    temporary.mkdir()
    (temporary / "jaxfix.sarif").write_text("of an earlier step")
    inputs = {name: str(entry.get("default", "")) for name, entry in ACTION["inputs"].items()} | given
    outputs: dict[str, str] = {}
    done = {}
    for name in ("Check", "Comment on the pull request", "Judge"):
        step, output = STEPS[name], temporary / "output"
        output.write_text("")
        env = {key: evaluated(value, inputs, outputs) for key, value in step["env"].items()}
        runner = {"RUNNER_TEMP": str(temporary), "GITHUB_OUTPUT": str(output), "JAXFIX_BIN": str(tools)}
        done[name] = in_shell(step["run"], tools, project, **env, **runner)
        outputs |= dict(line.split("=", 1) for line in output.read_text().splitlines())
    return done, outputs


@bash
def test_the_action_annotates_reports_suggests_and_judges(project: Path, tools: Path, tmp_path: Path) -> None:
    (project / "with space").mkdir()
    (project / "with space" / "$(touch oops).py").write_text(SAFE)
    done, outputs = acted(project, tools, tmp_path / "runner", paths="src\nwith space", suggest="true")
    assert outputs == {"exit-code": "1", "sarif": str(tmp_path / "runner" / "jaxfix.sarif")}
    told = done["Check"].out.splitlines()
    assert len(told) == 2 and all(line.startswith("::warning title=jaxfix") for line in told), done["Check"]
    assert len(json.loads((tmp_path / "runner" / "jaxfix.sarif").read_text())["runs"][0]["results"]) == 2
    (first, _) = json.loads((tmp_path / "runner" / "reviewdog.in").read_text())["diagnostics"]
    assert (
        first["suggestions"] and "-reporter=github-pr-review" in (tmp_path / "runner" / "reviewdog.words").read_text()
    )
    assert done["Judge"].code == 1 and not list(project.rglob("oops"))


@bash
@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"fail": "false"}, 0),
        ({"args": "--select=weak-state\n\n--all"}, 0),
        ({"paths": "gone.py", "fail": "false"}, 2),
        ({"args": "--frobnicate"}, 2),
    ],
)
def test_the_action_passes_and_fails_as_it_is_told(
    project: Path, tools: Path, tmp_path: Path, given: dict[str, str], code: int
) -> None:
    done, outputs = acted(project, tools, tmp_path / "runner", **given)
    assert done["Judge"].code == code
    assert ("sarif" in outputs) is (given != {"args": "--frobnicate"})


@pytest.mark.slow
@bash
def test_the_action_installs_jaxfix(project: Path, tools: Path, tmp_path: Path) -> None:
    """Needs packages."""
    environment = tmp_path / "env"
    step = STEPS["Install jaxfix"]
    env = {"JAXFIX_PYTHON": sys.executable, "JAXFIX_INSTALL": "", "GITHUB_ACTION_PATH": str(ROOT)}
    assert set(step["env"]) | {"GITHUB_ACTION_PATH"} == set(env)
    done = in_shell(step["run"], tools, project, RUNNER_TEMP=str(tmp_path), GITHUB_ENV=str(environment), **env)
    assert done.code == 0, done.err
    name, _, folder = environment.read_text().strip().partition("=")
    told = subprocess.run([f"{folder}/jaxfix", "--version"], capture_output=True, text=True, check=True, env={})
    assert name == "JAXFIX_BIN" and told.stdout.startswith("jaxfix ")


def test_no_input_is_pasted_into_a_script() -> None:
    for step in STEPS.values():
        assert "${{" not in step.get("run", ""), step["name"]
        assert all(
            f"${name}" in step["run"] or f"${{{name}" in step["run"] or name.startswith("REVIEWDOG")
            for name in step.get("env", ())
        )


# what the page says


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


COMMANDS = [line for block in blocks("bash") for line in block.splitlines() if "--run" not in line]
EXAMPLES = [yaml.safe_load(block) for block in blocks("yaml")]


@bash
@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_of_the_page_runs(project: Path, tools: Path, command: str) -> None:
    done = in_shell(command, tools, project)
    assert done.code == 0, done
    written = re.search(r"--output-file (\S+)", command)
    told = (project / written[1]).read_text() if written else done.out
    assert told.strip()


@bash
@pytest.mark.evidence
def test_the_command_of_the_page_that_proves_suggests_what_is_proven(project: Path, tools: Path) -> None:
    if subprocess.run([sys.executable, "-c", "import jax"]).returncode:
        pytest.skip("needs jax")
    (command,) = (line for block in blocks("bash") for line in block.splitlines() if "--run" in line)
    (project / "src" / "train.py").write_text(RISKY)
    done = in_shell(command, tools, project, JAX_PLATFORMS="cpu")
    assert done.code == 0 and (project / "src" / "train.py").read_text() == RISKY, done
    told = json.loads((project / "jaxfix.rdjson").read_text())["diagnostics"]
    suggested = [(Path(entry["location"]["path"]).name, len(entry["suggestions"])) for entry in told]
    # under the `jit` of the whole step, a function for `scan` is created once anyway
    assert sorted(suggested) == [("safe.py", 1), ("train.py", 0), ("train.py", 1)], (told, done)


@bash
def test_the_job_of_gitlab_writes_the_report_that_it_names(project: Path, tools: Path) -> None:
    (job,) = (example["jaxfix"] for example in EXAMPLES if "jaxfix" in example)
    install, *script = job["script"]
    assert install == 'python -m pip install "$JAXFIX"' and "JAXFIX" in job["variables"]
    assert all(in_shell(line, tools, project).code == 0 for line in script)
    assert len(json.loads((project / job["artifacts"]["reports"]["codequality"]).read_text())) == 1


@bash
def test_the_steps_without_the_action_annotate(project: Path, tools: Path) -> None:
    (steps,) = (example["steps"] for example in EXAMPLES if "steps" in example)
    done = in_shell(steps[-1]["run"], tools, project)
    assert done.code == 1 and done.out.startswith("::warning ")


def test_the_page_names_hooks_and_inputs_that_there_are() -> None:
    (repo,) = (example["repos"][0] for example in EXAMPLES if "repos" in example)
    assert [hook["id"] for hook in repo["hooks"]] == ["jaxfix-fix", "jaxfix-check"] and set(HOOKS) == {
        hook["id"] for hook in repo["hooks"]
    }
    (job,) = (example["jobs"]["jaxfix"] for example in EXAMPLES if "jobs" in example)
    assert set(job["steps"][-1]["with"]) <= set(ACTION["inputs"])


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["github-actions", "github-workflows", "gitlab-ci", "hooks"])
def test_the_files_are_valid_by_the_schemas_of_their_readers(tmp_path: Path, kind: str) -> None:
    """Needs `check-jsonschema`, which brings the schemas along, and `pre-commit`."""
    if kind == "hooks":
        pytest.importorskip("pre_commit")
        command = ["pre_commit", "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml")]
    else:
        pytest.importorskip("check_jsonschema")
        key = {"github-workflows": "jobs", "gitlab-ci": "jaxfix"}.get(kind)
        (text,) = (
            [b for b in blocks("yaml") if key in yaml.safe_load(b)] if key else [(ROOT / "action.yml").read_text()]
        )
        (tmp_path / "file.yml").write_text(text)
        command = ["check_jsonschema", "--builtin-schema", f"vendor.{kind}", str(tmp_path / "file.yml")]
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
