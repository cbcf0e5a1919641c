"""The pictures of docs/images: the page with a project whose fixes a real rerun has judged."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from jaxfix.drivers.cli import terminal
from jaxfix.drivers.receipts import Batch
from jaxfix.drivers.review import serving
from jaxfix.drivers.review.look import Wishes
from jaxfix.drivers.review.server import Closing
from jaxfix.drivers.review.state import ReviewState
from jaxfix.drivers.workflow.decisions import Choice
from jaxfix.drivers.workflow.proof import Rerun
from jaxfix.drivers.workflow.request import Request
from jaxfix.drivers.workflow.trying import Proofs
from jaxfix.report.wire import from_json

ROOT = Path(__file__).resolve().parents[2]
IMAGES = ROOT / "docs" / "images"
LARGEST = 300_000


def take(receipts: Sequence[Path], chromium: str) -> None:
    """Serves the project of the tests with the receipts that reruns of it have kept, and takes pictures."""
    sys.path.insert(0, str(ROOT / "tests"))
    import review_project

    batches = [from_json(Batch, json.loads(path.read_bytes())) for path in receipts]
    shown = {(e.evidence.path, e.evidence.key): e.evidence for batch in batches for e in batch.receipts}
    folder = Path(tempfile.mkdtemp()) / "project"
    os.environ["HOME"] = str(folder.parent)  # shown as `~`
    folder.mkdir()
    os.chdir(review_project.make(folder))
    review = ReviewState(Wishes(Request((".",)), Rerun(review_project.COMMAND, None, 600)), terminal)
    review._ended(Proofs(shown))
    review.decide(review.seen.number, [0, 1, 2, 6], Choice.ACCEPTED)
    review.decide(review.seen.number, [4], Choice.REFUSED)
    closing = Closing()
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        bound.listen()
        port = bound.getsockname()[1]
        server = serving._Server(serving._config(review, port, "picture", closing), closing)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
        thread.start()
        try:
            with sync_playwright() as engine:
                browser = engine.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
                for scheme in ("light", "dark"):
                    _picture(browser, f"http://127.0.0.1:{port}/#token=picture", scheme)
                browser.close()
        finally:
            closing.close()
            server.should_exit = True
            thread.join()
    shutil.rmtree(folder.parent)


def take_charts(chromium: str) -> None:
    """Reports the fix of the example, proven by a rerun of it, and takes pictures of its charts."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "project"
        folder.mkdir()
        shutil.copy(ROOT / "examples" / "train.py", folder)
        command = [sys.executable, "-m", "jaxfix", "report", "train.py", "--select", "local-loop-function"]
        subprocess.run([*command, "--run", "python train.py"], cwd=folder, check=True)
        with sync_playwright() as engine:
            browser = engine.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
            for width, height, scheme in ((1280, 900, "light"), (1920, 1000, "dark")):
                context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
                page = context.new_page()
                page.goto((folder / "report.html").as_uri())
                page.locator(".entry").first.click()
                page.wait_for_selector(".evidence")
                page.evaluate("document.querySelector('.evidence').scrollIntoView()")
                page.wait_for_timeout(400)
                _save(page, f"review-charts-{width}-{scheme}")
                context.close()
            browser.close()


def _picture(browser: Any, link: str, scheme: str) -> None:
    for name, width, height in (("review", 1280, 860), ("review-wide", 1920, 1000), ("review-narrow", 390, 844)):
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        page = context.new_page()
        page.goto(link)
        page.wait_for_selector(".entry")
        page.focus("#list")
        page.keyboard.press("End")
        page.locator(".entry", has_text="exponent to float").click()
        page.wait_for_selector(".figures")
        page.wait_for_timeout(400)
        _save(page, f"{name}-{scheme}")
        if width == 1280:
            page.evaluate("document.querySelector('.evidence').scrollIntoView()")
            page.wait_for_timeout(300)
            _save(page, f"{name}-evidence-{scheme}")
            page.click("text=By gain")
            page.click("text=Unified")
            page.evaluate("document.getElementById('detail').scrollTo(0, 0)")
            page.wait_for_timeout(300)
            _save(page, f"{name}-unified-{scheme}")
        context.close()


def _save(page: Any, name: str) -> None:
    IMAGES.mkdir(exist_ok=True)
    path = IMAGES / f"{name}.png"
    page.screenshot(path=str(path))
    if path.stat().st_size > LARGEST:
        sys.exit(f"error: {path.name} is larger than {LARGEST // 1000} kB")
