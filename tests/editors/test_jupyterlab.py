"""JupyterLab with jupyterlab-lsp, set up as docs/editors.md says, in Chromium; `pytest -m slow tests/editors`."""

import importlib.util
import json
import os
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from documented import block, surroundings
from vscode_window import PATIENCE_MS

pytest.importorskip("pygls")


def with_jupyterlab() -> str | None:
    """An interpreter that has JupyterLab: the one that `JAXFIX_JUPYTER` names, or this one."""
    here = all(importlib.util.find_spec(name) for name in ("jupyterlab", "jupyterlab_lsp"))
    return os.environ.get("JAXFIX_JUPYTER") or (sys.executable if here else None)


JUPYTER = with_jupyterlab()
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(JUPYTER is None, reason="there is no JupyterLab: `pip install jupyterlab jupyterlab-lsp`"),
]
PLACES = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTERLAB_SETTINGS_DIR")
CELLS = ("import jax", 'for i in range(8):\n    y = "𝔘é", jax.jit(lambda v: v * 2.0)(i)')


@contextmanager
def jupyter(folder: Path, home: Path) -> Iterator[str]:
    """The address of a JupyterLab that shows the notebooks of a folder."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    env = os.environ | surroundings(home) | dict.fromkeys(PLACES, str(home))
    server = {"token": "", "password": "", "allow_root": True, "open_browser": False, "disable_check_xsrf": True}
    address = {"ip": "127.0.0.1", "port": port, "port_retries": 0, "root_dir": str(folder)}
    configuration = json.loads(block("JupyterLab", "json"))
    configuration["LanguageServerManager"]["autodetect"] = False  # whatever else is installed here stays out
    (home / "jupyter_server_config.json").write_text(json.dumps(configuration | {"ServerApp": server | address}))
    with (home / "log").open("wb") as log:
        command = [str(JUPYTER), "-m", "jupyterlab"]
        process = subprocess.Popen(command, cwd=folder, env=env, stdout=log, stderr=log, start_new_session=True)
        try:
            _wait_for(f"http://127.0.0.1:{port}/api")
            yield f"http://127.0.0.1:{port}"
        finally:
            os.killpg(process.pid, 15)
            process.wait(60)


def _wait_for(address: str) -> None:
    end = monotonic() + PATIENCE_MS / 1000
    while monotonic() < end:
        with suppress(OSError), urllib.request.urlopen(address, timeout=5):
            return
        sleep(0.3)
    raise AssertionError(f"nothing answers at {address}")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with one notebook, `a.ipynb`."""
    made = tmp_path / "notebooks"
    (made / ".git").mkdir(parents=True)
    cells = [
        {"cell_type": "code", "id": f"c{n}", "metadata": {}, "execution_count": None, "outputs": [], "source": text}
        for n, text in enumerate(CELLS)
    ]
    python = {"name": "python", "mimetype": "text/x-python", "file_extension": ".py"}
    kernel = {"name": "python3", "language": "python", "display_name": "Python 3"}
    metadata = {"kernelspec": kernel, "language_info": python}
    notebook = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    (made / "a.ipynb").write_text(json.dumps(notebook))
    return made


def test_jupyterlab_marks_a_finding_until_the_command_line_has_fixed_it(
    folder: Path, tmp_path: Path, page: Any
) -> None:
    with jupyter(folder, tmp_path / "home") as address:
        page.set_default_timeout(PATIENCE_MS)
        page.goto(f"{address}/lab/tree/a.ipynb")
        cell = page.locator(".jp-Notebook .jp-Cell").nth(1)
        mark = cell.locator(".cm-lintRange").first
        mark.wait_for()
        assert mark.inner_text().startswith("jax.jit")
        mark.hover()
        said = page.locator(".cm-tooltip").first
        said.wait_for()
        assert "compile" in said.inner_text()
        command = [sys.executable, "-m", "jaxfix", "apply", "--no-prove", "--allow-no-vcs", "a.ipynb"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        page.locator(".lm-MenuBar-item", has_text="File").click()
        page.locator(".lm-Menu-item", has_text="Reload Notebook from Disk").click()
        page.locator(".jp-Dialog button", has_text="Reload").click()
        cell.locator(".cm-line", has_text="_jitted").first.wait_for()
        mark.wait_for(state="detached")
        [_, fixed] = json.loads((folder / "a.ipynb").read_text())["cells"]
        assert "".join(fixed["source"]).split() == cell.locator(".cm-content").inner_text().split() != CELLS[1].split()
