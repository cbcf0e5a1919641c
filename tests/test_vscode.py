"""The extension for VS Code in a real window; `pytest -m slow tests/test_vscode.py`, see `editors/vscode/README.md`."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from vscode_window import BUILT, CHROMIUM, CODE_SERVER, EXTENSION, PATIENCE_MS, Server, Window, serving, until

pytestmark = pytest.mark.slow
ROOT = EXTENSION.parents[1]
GOLDEN = ROOT / "golden" / "local_jit"
SHOTS = os.environ.get("JAXFIX_SHOTS")
RELAX = '''\
"""Smooths a grid, again and again."""

import jax
import jax.numpy as jnp


def relax(grid, rounds):
    for _ in range(rounds):
        grid = jax.jit(lambda u: 0.5 * (jnp.roll(u, 1, 0) + jnp.roll(u, 1, 1)))(grid)
    return grid


if __name__ == "__main__":
    jnp.save("relaxed.npy", relax(jnp.eye(8), 20))
'''
Opens = Callable[..., Window]


def npm(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(["npm", "run", "--silent", *words], cwd=EXTENSION, capture_output=True, text=True)


@pytest.fixture(scope="module")
def vsix() -> Path:
    if shutil.which("npm") is None or not (EXTENSION / "node_modules").is_dir():
        pytest.skip("the extension cannot be built: run `npm ci` in editors/vscode first")
    made = npm("package")
    assert made.returncode == 0, made.stderr + made.stdout
    return EXTENSION / "jaxfix.vsix"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("there is no Chromium")
    with playwright.sync_playwright() as engine:
        options = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        started = engine.chromium.launch(executable_path=CHROMIUM, args=options)
        yield started
        started.close()


@pytest.fixture(scope="module")
def code_server(browser: Any, vsix: Path) -> Path:
    pytest.importorskip("pygls")
    if CODE_SERVER is None:
        pytest.skip(f"there is no code-server: {BUILT.relative_to(ROOT)} is what editors/vscode/README.md builds")
    return vsix


@pytest.fixture(scope="module")
def server(code_server: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("server"), [code_server]) as started:
        yield started


@pytest.fixture
def opens(browser: Any, request: pytest.FixtureRequest) -> Iterator[Opens]:
    """Opens a file of a folder in a window of its own."""
    pages = []

    def open_(server: Server, folder: Path, name: str | None = None) -> Window:
        page = browser.new_page(viewport={"width": 1280, "height": 800}, device_scale_factor=1.5)
        pages.append(page)
        window = Window(page)
        window.open(server, folder, name)
        return window

    yield open_
    for page in pages:
        if SHOTS:
            page.screenshot(path=Path(SHOTS) / f"{request.node.name}.png")
        page.close()


def project(folder: Path, files: dict[str, str], **settings: object) -> Path:
    """A folder with these files, in which the interpreter of this test is selected."""
    (folder / ".vscode").mkdir(parents=True)
    (folder / ".vscode" / "settings.json").write_text(json.dumps({"jaxfix.python": sys.executable, **settings}))
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def shot(window: Window, name: str, clip: tuple[int, int, int, int]) -> None:
    if SHOTS:
        x, y, width, height = clip
        path = Path(SHOTS) / f"{name}.png"
        window.page.screenshot(path=path, clip={"x": x, "y": y, "width": width, "height": height})


def applied(folder: Path, text: str) -> str:
    """The text as the command line leaves it when it may run nothing."""
    folder.mkdir()
    (folder / "m.py").write_text(text)
    command = [sys.executable, "-m", "jaxfix", "apply", "--no-prove", "--allow-no-vcs", "--exit-zero", "m.py"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return (folder / "m.py").read_text()


def test_its_parts_are_typed_and_right(vsix: Path) -> None:
    done = npm("test")
    assert done.returncode == 0, done.stdout


def test_what_is_packaged_is_what_is_needed(vsix: Path) -> None:
    with zipfile.ZipFile(vsix) as package:
        names = {name.removeprefix("extension/") for name in package.namelist() if name.startswith("extension/")}
    texts = {"readme.md", "changelog.md", "LICENSE.txt", "out/THIRD-PARTY-NOTICES.txt"}
    assert names == {"package.json", "icon.png", "out/extension.js", *texts}
    assert vsix.stat().st_size < 300_000


def test_a_quick_fix_by_the_lightbulb(server: Server, opens: Opens, tmp_path: Path) -> None:
    before, after = (
        (GOLDEN / name).read_text().replace("  # want: local-jit", "") for name in ("program.py", "program.fixed.py")
    )
    folder = project(tmp_path / "net", {"train.py": before}, **{"jaxfix.run": "python train.py"})
    window = opens(server, folder, "train.py")
    window.squiggles()
    assert "made anew in every round" in window.hover("value_and_grad").inner_text()
    shot(window, "vscode-hover", (352, 36, 928, 732))
    window.page.keyboard.press("Escape")
    window.to_problem()
    window.lightbulb()
    first, *others = window.actions()
    assert "(unproven)" in first and {"Prove it: rerun `python train.py`", "Explain `local-jit`"} <= set(others)
    shot(window, "vscode-quick-fix", (352, 280, 928, 360))
    window.choose(first)
    window.line("_train_")
    window.save()
    assert (folder / "train.py").read_text() == after != before
    window.page.wait_for_selector(".squiggly-warning", state="detached", timeout=PATIENCE_MS)


def test_fix_on_save(server: Server, opens: Opens, tmp_path: Path) -> None:
    on_save = {"editor.codeActionsOnSave": {"source.fixAll.jaxfix": "explicit"}}
    folder = project(tmp_path / "net", {"relax.py": RELAX}, **{"[python]": on_save})
    window = opens(server, folder, "relax.py")
    window.squiggles()
    window.page.keyboard.press("Control+End")
    window.page.keyboard.type("# the end")
    window.save()
    assert (folder / "relax.py").read_text() == applied(tmp_path / "other", RELAX + "# the end") != RELAX + "# the end"


def servers(folder: Path) -> list[psutil.Process]:
    """The language servers of the windows on this folder; those of closed windows end when the editor thinks fit."""
    found = []
    for process in psutil.process_iter(["cmdline", "cwd"]):
        if (process.info["cmdline"] or [])[-2:] == ["jaxfix", "lsp"] and process.info["cwd"] == str(folder):
            found.append(process)
    return found


CELLS = [
    ("markdown", "# Smoothing"),
    ("code", "import jax\nimport jax.numpy as jnp"),
    ("code", "%matplotlib inline\nfor _ in range(3):\n    grid = jax.jit(lambda u: 2 * u)(jnp.ones(3))"),
]


def notebook(*cells: tuple[str, str]) -> str:
    code: dict[str, object] = {"execution_count": None, "outputs": []}
    listed = [
        {"cell_type": kind, "metadata": {}, "source": text, **(code if kind == "code" else {})} for kind, text in cells
    ]
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return json.dumps({"cells": listed, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5})


def test_a_finding_in_a_cell_of_a_notebook(server: Server, opens: Opens, tmp_path: Path) -> None:
    files = {"relax.py": RELAX, "smooth.ipynb": notebook(*CELLS)}
    window = opens(server, project(tmp_path / "net", files), "relax.py")
    window.squiggles()  # before extensions are up, the editor knows no notebooks
    window.page.locator(".explorer-viewlet .monaco-list-row", has_text="smooth.ipynb").first.dblclick()
    window.page.locator(".notebookOverlay .squiggly-warning").first.wait_for(timeout=PATIENCE_MS)
    window.told("1 finding here, 2 findings")


def pages(window: Window) -> list[str]:
    """What the pages inside of the page say, as HTML."""
    _, *frames = window.page.frames
    return [frame.content() for frame in frames if not frame.is_detached()]


def test_a_finding_explained_from_the_palette(server: Server, opens: Opens, tmp_path: Path) -> None:
    window = opens(server, project(tmp_path / "net", {"relax.py": RELAX}), "relax.py")
    window.squiggles()
    window.to_problem()
    window.command("jaxfix: Explain This Finding")
    window.page.locator(".tab", has_text="local-jit").wait_for(timeout=PATIENCE_MS)
    until("the page", lambda: any("Before" in page for page in pages(window)))
    window.page.wait_for_timeout(2000)  # the picture of a page comes after its text
    shot(window, "vscode-explain", (352, 36, 928, 560))


def test_a_script_is_traced_after_a_yes(server: Server, opens: Opens, tmp_path: Path) -> None:
    folder = project(tmp_path / "net", {"relax.py": RELAX})
    window = opens(server, folder, "relax.py")
    window.squiggles()
    window.command("jaxfix: Trace This Script")
    asked = window.notification("relax.py")
    assert not (folder / "relaxed.npy").exists()
    asked.get_by_text("Run", exact=True).click()
    until("a traced run", (folder / "relaxed.npy").exists)
    window.page.locator(".codelens-decoration", has_text="compiled").first.wait_for(timeout=PATIENCE_MS)
    assert "seen: compiled 20 x" in window.hover("lambda").inner_text()
    shot(window, "vscode-trace", (352, 36, 928, 560))


@pytest.fixture(scope="module")
def wheels(code_server: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """jaxfix and what it stands on, as an index would have them."""
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
        {"train.py": (GOLDEN / "program.py").read_text(), "trap": f"#!/bin/sh\ntouch {trap}.sprung\n"},
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
