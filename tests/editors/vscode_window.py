"""VS Code as a person sees it: code-server, with our extension, in a Chromium that Playwright drives."""

import json
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

EXTENSION = Path(__file__).parents[2] / "editors" / "vscode"
BUILT = EXTENSION / ".code-server" / "code-server"
CODE_SERVER = os.environ.get("CODE_SERVER") or (str(BUILT) if BUILT.exists() else shutil.which("code-server"))
PATIENCE_MS = int(os.environ.get("JAXFIX_PATIENCE_MS", "90000"))
SEARCH_MS = 5000
SETTINGS = {
    "workbench.startupEditor": "none",
    "workbench.tips.enabled": False,
    "workbench.colorTheme": "Default Light Modern",
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "chat.disableAIFeatures": True,
    "telemetry.telemetryLevel": "off",
    "extensions.autoUpdate": False,
    "extensions.autoCheckUpdates": False,
    "update.mode": "none",
    "files.autoSave": "off",
    "git.enabled": False,
    "editor.minimap.enabled": False,
    "editor.lightbulb.enabled": "on",
    "security.workspace.trust.startupPrompt": "never",
    "security.workspace.trust.banner": "never",
}


@dataclass(frozen=True, slots=True)
class Server:
    """A code-server that runs, with our extension."""

    port: int

    def address(self, place: Path) -> str:
        """Where a folder is shown, or the folders that a file of a workspace lists."""
        kind = "folder" if place.is_dir() else "workspace"
        return f"http://127.0.0.1:{self.port}/?{kind}={quote(str(place))}"


@contextmanager
def serving(
    room: Path,
    extensions: Sequence[Path],
    *,
    trusting: bool = True,
    machine: Mapping[str, str] | None = None,
    environment: Mapping[str, str] | None = None,
) -> Iterator[Server]:
    """A server with its settings, extensions and home below `room`.

    Args:
      trusting: whether every folder is trusted unasked.
      machine: settings of the machine, which a workspace may overrule once it is trusted.
      environment: variables beside those of this process.
    """
    home, user, installed = (room / name for name in ("home", "user", "extensions"))
    home.mkdir()
    for name, settings in (("User", SETTINGS), ("Machine", machine or {})):
        (user / name).mkdir(parents=True)
        (user / name / "settings.json").write_text(json.dumps(settings))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        str(CODE_SERVER),
        f"--config={room / 'config.yaml'}",
        f"--user-data-dir={user}",
        f"--extensions-dir={installed}",
    ]
    env = {**os.environ, "HOME": str(home), **(environment or {})}
    for extension in extensions:
        subprocess.run([*command, "--install-extension", str(extension)], check=True, env=env, capture_output=True)
    options = ["--auth=none", f"--bind-addr=127.0.0.1:{port}", "--disable-telemetry", "--disable-update-check"]
    trust = ["--disable-workspace-trust"] if trusting else []
    with open(room / "server.log", "w") as log:
        server = subprocess.Popen([*command, *options, *trust], env=env, stdout=log, stderr=log, start_new_session=True)
        try:
            _await(port, server)
            yield Server(port)
        finally:
            _end(server)


def _await(port: int, server: "subprocess.Popen[bytes]") -> None:
    for _ in range(600):
        assert server.poll() is None, "code-server has ended by itself"
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError("code-server does not answer")


def _end(server: "subprocess.Popen[bytes]") -> None:
    """Ends the whole session: extension hosts and terminals outlive the server otherwise."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(server.pid, sign)
        except ProcessLookupError:
            break
        time.sleep(1)
    server.wait()


class Window:
    """A window of VS Code; what is not there yet is waited for."""

    def __init__(self, page: Any) -> None:
        self.page = page

    def open(self, server: Server, place: Path, name: str | None = None) -> None:
        self.page.goto(server.address(place), wait_until="domcontentloaded")
        self.page.wait_for_selector(".monaco-workbench", timeout=PATIENCE_MS)
        if name is not None:
            self.file(name)

    def file(self, name: str) -> None:
        row = self.page.locator(".explorer-viewlet .monaco-list-row", has_text=name).first
        row.dblclick(timeout=PATIENCE_MS)
        self.page.locator(".tab.active", has_text=name).wait_for(timeout=PATIENCE_MS)
        self.page.wait_for_selector(".monaco-editor .view-lines")

    def find(self, name: str) -> None:
        """Opens the file of that name in any folder; asked again until the window, which starts, can search."""
        row = self.page.locator(".quick-input-widget .monaco-list-row", has_text=name).first
        for _ in range(0, PATIENCE_MS, SEARCH_MS):
            self.page.keyboard.press("F1")
            self.page.locator(".quick-input-widget input").first.fill(name)
            with suppress(Exception):  # no row yet: an answer that came too early is not refreshed
                row.wait_for(timeout=SEARCH_MS)
                break
            self.page.keyboard.press("Escape")
        row.wait_for(timeout=SEARCH_MS)
        self.page.keyboard.press("Enter")
        self.page.locator(".tab.active", has_text=name).wait_for(timeout=PATIENCE_MS)

    def squiggles(self, kind: str = "warning") -> Any:
        found = self.page.locator(f".squiggly-{kind}")
        found.first.wait_for(timeout=PATIENCE_MS)
        return found

    def line(self, text: str) -> Any:
        # the editor shows spaces as no-break spaces
        found = self.page.locator(".monaco-editor .view-line", has_text=text.replace(" ", "\u00a0")).first
        found.wait_for(timeout=PATIENCE_MS)
        return found

    def hover(self, text: str) -> Any:
        """The hover over the first word that reads so."""
        word = self.page.locator(".monaco-editor .view-line span > span", has_text=text).first
        word.wait_for(timeout=PATIENCE_MS)
        box = word.bounding_box()
        self.page.mouse.move(box["x"] + box["width"] - 4, box["y"] + box["height"] / 2)
        found = self.page.locator(".monaco-hover:not(.hidden) .hover-row, .monaco-resizable-hover .hover-row").first
        found.wait_for(timeout=PATIENCE_MS)
        return found

    def problems(self) -> list[str]:
        """Where the findings are, as the list of problems says it."""
        self.page.keyboard.press("Control+Shift+m")
        places = self.page.locator(".markers-panel .marker-line")
        places.first.wait_for(timeout=PATIENCE_MS)
        found = places.all_inner_texts()
        self.page.keyboard.press("Control+j")
        return [place.strip() for place in found]

    def to_problem(self) -> None:
        """The cursor onto the next finding."""
        self.page.locator(".monaco-editor .view-line").first.click()
        self.page.keyboard.press("F8")
        self.page.wait_for_selector(".monaco-editor .peekview-widget, .monaco-editor .marker-widget")
        self.page.keyboard.press("Escape")

    def lightbulb(self) -> None:
        """Opens the menu of the lightbulb."""
        bulb = self.page.locator(".lightBulbWidget, [class*=codicon-gutter-lightbulb]").first
        bulb.wait_for(timeout=PATIENCE_MS)
        bulb.click()
        self.page.locator(".action-widget .monaco-list-row").first.wait_for(timeout=PATIENCE_MS)

    def actions(self) -> list[str]:
        return [row.strip() for row in self.page.locator(".action-widget .monaco-list-row.action").all_inner_texts()]

    def choose(self, text: str) -> None:
        """Takes the action that reads so, by the keyboard: the menu takes no click of a script."""
        rows = self.actions()
        place = next(place for place, row in enumerate(rows) if text in row)
        for _ in range(place):
            self.page.keyboard.press("ArrowDown")
        self.page.keyboard.press("Enter")

    def command(self, title: str) -> None:
        self.page.keyboard.press("F1")
        self.page.locator(".quick-input-widget input").first.fill(f">{title}")
        row = self.page.locator(".quick-input-widget .monaco-list-row", has_text=title).first
        row.wait_for(timeout=PATIENCE_MS)
        self.page.keyboard.press("Enter")

    def told(self, text: str) -> None:
        """Waits until the item in the status bar says so to a screen reader."""
        self.page.locator(f"[id='jaxfix.jaxfix.jaxfix.status'][aria-label*='{text}']").wait_for(timeout=PATIENCE_MS)

    def notification(self, text: str, patience_ms: int = PATIENCE_MS) -> Any:
        found = self.page.locator(".notification-toast", has_text=text).first
        found.wait_for(timeout=patience_ms)
        return found

    def save(self) -> None:
        self.page.keyboard.press("Control+s")
        self.page.locator(".tab.active.dirty").wait_for(state="detached", timeout=PATIENCE_MS)


Opens = Callable[..., Window]


def until(what: str, holds: Any) -> None:
    """Waits until `holds()`; what is awaited on the disk no selector of a page can see."""
    for _ in range(300):
        if holds():
            return
        time.sleep(0.1)
    raise AssertionError(f"{what}: not within 30 seconds")
