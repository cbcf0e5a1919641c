"""A client of the language server: a real process, whose answers are read as the protocol has them."""

import json
import os
import queue
import re
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from lsprotocol import converters, types

ROOT = Path(__file__).resolve().parents[1]
PACK = ROOT / "tests" / "pack"
WAIT_S = 60.0

PULLS: Mapping[str, Any] = {
    "workspace": {
        "workspaceEdit": {"documentChanges": True, "resourceOperations": ["create"]},
        "diagnostics": {"refreshSupport": True},
        "codeLens": {"refreshSupport": True},
    },
    "textDocument": {
        "diagnostic": {"relatedInformation": True},
        "codeAction": {"resolveSupport": {"properties": ["edit"]}},
    },
    "notebookDocument": {"synchronization": {}},
    "window": {"workDoneProgress": True},
}
PUSHED: Mapping[str, Any] = {
    "workspace": {"workspaceEdit": {"documentChanges": True, "resourceOperations": ["create"]}},
    "textDocument": {"publishDiagnostics": {"relatedInformation": True}},
}

SOLVER = """\
import jax


def solve(x):
    def body(c, _):
        return c * 2, None

    return jax.lax.scan(body, x, None, 3)[0]
"""
TRAIN = """\
import jax.numpy as jnp
from solver import solve

if __name__ == "__main__":
    for i in range(5):
        print(solve(jnp.ones(3)).sum())
"""
WHOLE = {"start": {"line": 0, "character": 0}, "end": {"line": 9999, "character": 0}}
LOOPED = f"{SOLVER}\n\nfor i in range(4):\n    solve(i * 1.0)\n"


class Ended(Exception):
    """The server has closed its end."""


class Client:
    """Asks, and keeps what the server says unasked until somebody waits for it."""

    def __init__(self, *, cwd: Path, packs: bool = False, env: Mapping[str, str] = {}) -> None:
        places = [ROOT, ROOT / "codemods", *([PACK] if packs else [])]
        around = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, places)), "JAX_PLATFORMS": "cpu"} | dict(env)
        command = [sys.executable, "-m", "jaxfix", "lsp"]
        self.log = cwd.parent / f"{cwd.name}.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, cwd=cwd, env=around
            )
        self.told: list[dict[str, Any]] = []
        self.answers: dict[str, Any] = {}
        self._incoming: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._number = 0
        self._methods: dict[int, str] = {}
        self._versions: dict[str, int] = {}
        self._converter = converters.get_converter()
        threading.Thread(target=self._read, daemon=True).start()

    # --- messages ---------------------------------------------------------------------------------------------

    def send(self, message: Mapping[str, Any]) -> None:
        self.raw(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def raw(self, body: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def notify(self, method: str, **params: Any) -> None:
        self.send({"method": method, "params": params})

    def start(self, method: str, params: Any) -> int:
        """Asks, and does not wait."""
        self._number += 1
        self._methods[self._number] = method
        self.send({"id": self._number, "method": method, "params": params})
        return self._number

    def answer(self, number: int | str | None) -> dict[str, Any]:
        """The whole answer to a request."""
        while True:
            message = self._next()
            if "method" not in message and message.get("id") == number:
                if "result" in message and isinstance(number, int):
                    method = self._methods[number]
                    kind = types.METHOD_TO_TYPES.get(method, (None, None))[1]
                    assert kind is None or self._converter.structure(message, kind) is not None
                return message
            self._take(message)

    def all_answers(self, numbers: Iterable[int]) -> list[dict[str, Any]]:
        """The whole answers to several requests, in whatever order they come."""
        waiting, found = set(numbers), []
        while waiting:
            message = self._next()
            if "method" in message:
                self._take(message)
            else:
                waiting.remove(message["id"])
                found.append(message)
        return found

    def ask(self, method: str, **params: Any) -> Any:
        """What the server answers; an error is one of the test."""
        found = self.answer(self.start(method, params))
        assert "error" not in found, found
        return found["result"]

    def wait(self, method: str, **wanted: Any) -> dict[str, Any]:
        """The params of the next message of this method, which have `wanted` among them."""
        while True:
            for index, message in enumerate(self.told):
                params = message.get("params") or {}
                if message["method"] == method and wanted.items() <= params.items():
                    return self.told.pop(index).get("params") or {}
            self._take(self._next())

    def _take(self, message: dict[str, Any]) -> None:
        assert "method" in message, message
        if "id" in message:
            self.send({"id": message["id"], "result": self.answers.get(message["method"])})
        self.told.append(message)

    def _next(self) -> dict[str, Any]:
        try:
            message = self._incoming.get(timeout=WAIT_S)
        except queue.Empty:
            raise AssertionError(f"nothing was said; the log is {self.log.read_text()!r}") from None
        if message is None:
            raise Ended
        return message

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while head := stream.readline():
            length = int(head.removeprefix(b"Content-Length: "))
            assert stream.readline() == b"\r\n"
            self._incoming.put(json.loads(stream.read(length)))
        self._incoming.put(None)

    # --- what an editor does ----------------------------------------------------------------------------------

    def initialize(
        self, *folders: Path, capabilities: Mapping[str, Any] = PULLS, options: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        found: dict[str, Any] = self.ask(
            "initialize",
            processId=os.getpid(),
            rootUri=folders[0].as_uri() if folders else None,
            capabilities=capabilities,
            initializationOptions=options,
            workspaceFolders=[{"uri": folder.as_uri(), "name": folder.name} for folder in folders] or None,
        )
        self.notify("initialized")
        return found

    def open(self, uri: str, text: str, language: str = "python") -> str:
        self._versions[uri] = 1
        document = {"uri": uri, "languageId": language, "version": 1, "text": text}
        self.notify("textDocument/didOpen", textDocument=document)
        return uri

    def open_file(self, path: Path) -> str:
        return self.open(path.as_uri(), path.read_bytes().decode())

    def change(self, uri: str, *changes: Mapping[str, Any]) -> int:
        self._versions[uri] += 1
        document = {"uri": uri, "version": self._versions[uri]}
        self.notify("textDocument/didChange", textDocument=document, contentChanges=changes)
        return self._versions[uri]

    def diagnostics(self, uri: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.ask("textDocument/diagnostic", textDocument={"uri": uri})["items"]
        return found

    def pushed(self, uri: str, version: int | None = None) -> list[dict[str, Any]]:
        wanted = {"uri": uri} if version is None else {"uri": uri, "version": version}
        found: list[dict[str, Any]] = self.wait("textDocument/publishDiagnostics", **wanted)["diagnostics"]
        return found

    def until(self, uri: str, number: int) -> list[dict[str, Any]]:
        """The diagnostics, asked for again whenever the server says so, once they are so many."""
        while len(found := self.diagnostics(uri)) != number:
            self.wait("workspace/diagnostic/refresh")
        return found

    def actions(self, uri: str, where: Mapping[str, Any], only: list[str] | None = None) -> list[dict[str, Any]]:
        context: dict[str, Any] = {"diagnostics": [], **({"only": only} if only else {})}
        return self.ask("textDocument/codeAction", textDocument={"uri": uri}, range=where, context=context) or []

    def resolve(self, action: Mapping[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = self.ask("codeAction/resolve", **action)
        return found

    def command(self, name: str, *arguments: Any) -> Any:
        return self.ask("workspace/executeCommand", command=name, arguments=list(arguments))

    def end(self) -> int:
        """Says goodbye; the exit code."""
        self.ask("shutdown")
        self.notify("exit")
        return self.process.wait(WAIT_S)


@contextmanager
def client(folder: Path, *, packs: bool = False, env: Mapping[str, str] = {}) -> Iterator[Client]:
    """A server that does not outlive the block."""
    found = Client(cwd=folder, packs=packs, env=env)
    try:
        yield found
    finally:
        found.process.kill()
        found.process.wait()
        for stream in (found.process.stdin, found.process.stdout):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()


def applied(text: str, edits: list[dict[str, Any]], encoding: str = "utf-16") -> str:
    """The text after the edits, as an editor applies them."""
    lines = split(text)

    def offset(position: Mapping[str, int]) -> int:
        if position["line"] >= len(lines):
            return len(text)
        codec, width = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}[encoding]
        before = lines[position["line"]].encode(codec)[: position["character"] * width].decode(codec)
        return sum(map(len, lines[: position["line"]])) + len(before)

    for _, edit in sorted(
        enumerate(edits), key=lambda each: (offset(each[1]["range"]["start"]), each[0]), reverse=True
    ):
        start, end = offset(edit["range"]["start"]), offset(edit["range"]["end"])
        text = text[:start] + edit["newText"] + text[end:]
    return text


def split(text: str) -> list[str]:
    """The lines of the protocol, with their ends; the last one may be empty."""
    return re.split(r"(?<=\n)|(?<=\r)(?!\n)", text)


def change_of(action: Mapping[str, Any], uri: str) -> list[dict[str, Any]]:
    (edits,) = [e["edits"] for e in action["edit"]["documentChanges"] if e.get("textDocument", {}).get("uri") == uri]
    return list(edits)


def titled(actions: list[dict[str, Any]], start: str) -> dict[str, Any]:
    return next(action for action in actions if action["title"].startswith(start))
