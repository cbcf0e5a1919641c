"""What browsers show: Chromium, the extension for VS Code, and windows on it; each is skipped where it is missing."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from vscode_projects import SHOTS
from vscode_window import BUILT, CODE_SERVER, EXTENSION, Opens, Server, Window, serving

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")


@pytest.fixture(scope="module")  # two engines at once are refused, and other folders have their own
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("there is no Chromium")
    with playwright.sync_playwright() as engine:
        options = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        started = engine.chromium.launch(executable_path=CHROMIUM, args=options)
        yield started
        started.close()


@pytest.fixture
def page(browser: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    """An empty page; it is left as `JAXFIX_SHOTS`/test.png."""
    opened = browser.new_page(viewport={"width": 1280, "height": 800}, device_scale_factor=1.5)
    yield opened
    if SHOTS:
        opened.screenshot(path=Path(SHOTS) / f"{request.node.name}.png")
    opened.close()


@pytest.fixture(scope="session")
def vsix() -> Path:
    if shutil.which("npm") is None or not (EXTENSION / "node_modules").is_dir():
        pytest.skip("the extension cannot be built: run `npm ci` in editors/vscode first")
    made = subprocess.run(["npm", "run", "--silent", "package"], cwd=EXTENSION, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr + made.stdout
    return EXTENSION / "jaxfix.vsix"


@pytest.fixture(scope="module")
def code_server(browser: Any, vsix: Path) -> Path:
    """The extension, where there is an editor for it."""
    pytest.importorskip("pygls")
    if CODE_SERVER is None:
        pytest.skip(f"there is no code-server: {BUILT.relative_to(EXTENSION)} is what editors/vscode/README.md builds")
    return vsix


@pytest.fixture(scope="module")
def server(code_server: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("server"), [code_server]) as started:
        yield started


@pytest.fixture
def opens(page: Any) -> Opens:
    """Opens a file of a folder, or of a workspace, in a window."""

    def open_(server: Server, place: Path, name: str | None = None) -> Window:
        window = Window(page)
        window.open(server, place, name)
        return window

    return open_
