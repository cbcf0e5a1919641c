"""What is opened in windows of VS Code, and what becomes of it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import psutil
from vscode_window import Window

SHOTS = os.environ.get("JAXFIX_SHOTS")
RELAX = '''\
"""Smooths a grid, repeatedly."""

import jax
import jax.numpy as jnp


def relax(grid, rounds):
    for _ in range(rounds):
        grid = jax.jit(lambda u: 0.5 * (jnp.roll(u, 1, 0) + jnp.roll(u, 1, 1)))(grid)
    return grid


if __name__ == "__main__":
    jnp.save("relaxed.npy", relax(jnp.eye(8), 20))
'''


def project(folder: Path, files: dict[str, str], **settings: object) -> Path:
    """A folder with these files, in which the interpreter of this test is selected."""
    (folder / ".vscode").mkdir(parents=True)
    (folder / ".vscode" / "settings.json").write_text(json.dumps({"jaxfix.python": sys.executable, **settings}))
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def notebook(*cells: tuple[str, str]) -> str:
    code: dict[str, object] = {"execution_count": None, "outputs": []}
    listed = [
        {"cell_type": kind, "metadata": {}, "source": text, **(code if kind == "code" else {})} for kind, text in cells
    ]
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return json.dumps({"cells": listed, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5})


def applied(folder: Path, text: str) -> str:
    """The text as the command line leaves it when it may run nothing."""
    folder.mkdir()
    (folder / "m.py").write_text(text)
    command = [sys.executable, "-m", "jaxfix", "apply", "--no-prove", "--allow-no-vcs", "--exit-zero", "m.py"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return (folder / "m.py").read_text()


def servers(folder: Path) -> list[psutil.Process]:
    """The language servers of the windows on this folder; those of closed windows end when the editor thinks fit."""
    found = []
    for process in psutil.process_iter(["cmdline", "cwd"]):
        if (process.info["cmdline"] or [])[-2:] == ["jaxfix", "lsp"] and process.info["cwd"] == str(folder):
            found.append(process)
    return found


def shot(window: Window, name: str, clip: tuple[int, int, int, int]) -> None:
    if SHOTS:
        x, y, width, height = clip
        path = Path(SHOTS) / f"{name}.png"
        window.page.screenshot(path=path, clip={"x": x, "y": y, "width": width, "height": height})
