"""Where the extension for VS Code finds jaxfix, and what it does where it does not; `pytest -m slow tests/editors`."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from documented import ROOT
from vscode_projects import RELAX, project, servers, shot
from vscode_window import Opens, Server, serving, until

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheels(code_server: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """jaxfix and what it is on, as an index would have them."""
    folder = tmp_path_factory.mktemp("wheels")
    command = [sys.executable, "-m", "pip", "wheel", "-q", f"{ROOT}[lsp]", "-w", str(folder)]
    subprocess.run(command, check=True, capture_output=True)
    return folder


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """An interpreter of an environment in which nothing is installed but pip."""
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "bare")], check=True)
    return tmp_path / "bare" / "bin" / "python"


def test_where_it_is_missing_one_command_is_offered_and_run_after_a_click(
    code_server: Path, wheels: Path, bare: Path, opens: Opens, tmp_path: Path
) -> None:
    environment = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels)}
    folder = project(tmp_path / "net", {"relax.py": RELAX}, **{"jaxfix.python": str(bare)})
    with serving(tmp_path, [code_server], environment=environment) as other:
        window = opens(other, folder, "relax.py")
        offer = window.notification("jaxfix is not in the selected environment")
        assert f'{bare} -m pip install "jaxfix[lsp]"' in offer.inner_text()
        shot(window, "vscode-install", (760, 560, 520, 240))
        installed = bare.parents[1].rglob("jaxfix-*.dist-info")
        assert not list(installed)
        offer.get_by_text("Install", exact=True).click()
        window.squiggles()
        window.told("1 finding here")


def test_a_workspace_that_is_not_trusted_runs_nothing_of_its_own(
    code_server: Path, opens: Opens, tmp_path: Path
) -> None:
    trap = tmp_path / "net" / "trap"
    folder = project(
        tmp_path / "net",
        {
            "train.py": (ROOT / "golden" / "local_jit" / "program.py").read_text(),
            "trap": f"#!/bin/sh\ntouch {trap}.sprung\n",
        },
        **{
            "jaxfix.python": str(trap),
            "jaxfix.server.command": [str(trap)],
            "python.defaultInterpreterPath": str(trap),
        },
    )
    trap.chmod(0o755)
    (folder / ".venv" / "bin").mkdir(parents=True)
    (folder / ".venv" / "bin" / "python").symlink_to(trap)
    with serving(tmp_path, [code_server], trusting=False, machine={"jaxfix.python": sys.executable}) as other:
        window = opens(other, folder, "train.py")
        window.squiggles()
        window.page.keyboard.press("F1")
        window.page.locator(".quick-input-widget input").first.fill(">jaxfix: ")
        window.page.locator(".quick-input-widget .monaco-list-row", has_text="Explain This Finding").wait_for()
        titles = window.page.locator(".quick-input-widget .monaco-list-row").all_inner_texts()
        assert not [title for title in titles if "Trace This" in title or "Prove" in title]
        window.page.keyboard.press("Escape")
        window.to_problem()
        window.lightbulb()
        proof = next(action for action in window.actions() if action.startswith("Prove it"))
        window.choose(proof)
        window.notification("runs no program of a workspace in restricted mode")
    assert not Path(f"{trap}.sprung").exists()


STAND_IN = """
const { EventEmitter, commands } = require("vscode");
const changed = new EventEmitter();
let path = "PATH";
exports.activate = () => {
  commands.registerCommand("python.setInterpreter", () => { path = "OTHER"; changed.fire({ path }); });
  return { ready: Promise.resolve(), environments: {
    getActiveEnvironmentPath: () => ({ id: path, path }),
    resolveEnvironment: async ({ path }) => ({ executable: { uri: { fsPath: path } } }),
    onDidChangeActiveEnvironmentPath: changed.event,
  } };
};
"""


def python_extension(folder: Path, path: Path, other: Path) -> Path:
    """A package with the public face of the Python extension: it selects `path`, and `other` once asked to."""
    manifest = {
        "name": "python",
        "publisher": "ms-python",
        "version": "2099.1.0",
        "engines": {"vscode": "^1.93.0"},
        "main": "./main.js",
        "activationEvents": ["onLanguage:python"],
        "contributes": {"commands": [{"command": "python.setInterpreter", "title": "Python: Select Interpreter"}]},
    }
    made = folder / "python.vsix"
    with zipfile.ZipFile(made, "w") as package:
        package.writestr("extension/package.json", json.dumps(manifest))
        package.writestr("extension/main.js", STAND_IN.replace("PATH", str(path)).replace("OTHER", str(other)))
    return made


def test_the_interpreter_that_the_python_extension_selects(
    code_server: Path, bare: Path, opens: Opens, tmp_path: Path
) -> None:
    extension = python_extension(tmp_path, bare, Path(sys.executable))
    folder = project(tmp_path / "net", {"relax.py": RELAX}, **{"jaxfix.python": None})
    with serving(tmp_path, [code_server, extension]) as other:
        window = opens(other, folder, "relax.py")
        window.notification(str(bare)).get_by_text("Select Interpreter").click()
        window.squiggles()


def test_a_server_that_dies_comes_back_but_not_for_ever(server: Server, opens: Opens, tmp_path: Path) -> None:
    folder = project(tmp_path / "net", {"relax.py": RELAX})
    window = opens(server, folder, "relax.py")
    window.squiggles()
    until("one server", lambda: len(servers(folder)) == 1)
    for _ in range(4):
        [running] = servers(folder)
        running.kill()
        until("another server", lambda: [new.pid for new in servers(folder)] not in ([], [running.pid]))  # noqa: B023
        window.told("1 finding here")
    servers(folder)[0].kill()
    window.notification("has ended by itself 5 times in 3 minutes").get_by_text("Try Again").click()
    window.told("1 finding here")
