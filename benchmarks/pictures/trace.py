"""Pictures of the page of a trace, in a browser: both widths, light and dark."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

_WIDTHS = ((1280, 900), (1920, 1000))


def take(program: Path, images: Path) -> None:
    """Traces `program` in a folder of its own, and takes pictures of the page."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as name, sync_playwright() as engine:
        folder = Path(name)
        shutil.copy(program, folder)
        command = [sys.executable, "-m", "jaxfix", "trace", "--html", "run.html", "--", "python", program.name]
        subprocess.run(command, cwd=folder, check=True)
        browser = engine.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for width, height in _WIDTHS:
            for scheme in ("light", "dark"):
                context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
                page = context.new_page()
                page.goto((folder / "run.html").as_uri())
                page.wait_for_selector("#timeline canvas")
                page.screenshot(path=str(images / f"trace-{width}-{scheme}.png"))
                context.close()
        browser.close()
