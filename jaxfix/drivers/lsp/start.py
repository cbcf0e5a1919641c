"""`jaxfix lsp`, from its words to its exit code: answers `initialize` first, and loads what is heavy after that."""

import json
import os
import sys
from collections.abc import Sequence
from importlib.machinery import PathFinder

from jaxfix.drivers.lsp import capabilities
from jaxfix.drivers.lsp.wire import Malformed, Wire

HELP = """\
 Usage: jaxfix lsp [--stdio]

 Serve an editor: findings, quick-fixes and explanations over the Language Server Protocol,
 on stdin and stdout. Runs nothing of yours unless you ask for it.

 Options:
   --stdio     Over stdin and stdout; there is no other way, so this may be left out.
   -h, --help  Show this message and exit.

 How to set up your editor: docs/editors.md
"""
MISSING = "the language server needs pygls; run `pip install 'jaxfix[lsp]'`"
_ORDERLY, _LOST, _USAGE = 0, 1, 2


def run(words: Sequence[str]) -> int:
    """The exit code: 0 after `shutdown` and `exit`, 1 where the client went without, 2 for wrong usage."""
    if any(word in ("-h", "--help") for word in words):
        sys.stdout.write(HELP)
        sys.stdout.flush()
        return _ORDERLY
    unknown = next((word for word in words if word != "--stdio"), None)
    if unknown is not None:
        return _refused(f"`jaxfix lsp` has no option `{unknown}`; see `jaxfix lsp --help`")
    if PathFinder.find_spec("pygls") is None:
        return _refused(MISSING)
    if sys.stdin is None or sys.stdout is None:
        return _refused("`jaxfix lsp` speaks over stdin and stdout, and one of them is closed")
    wire = _wire()
    first = _greeted(wire)
    if first is None:
        return _LOST
    from jaxfix.drivers.lsp.serving import serve

    return serve(wire, first)


def _wire() -> Wire:
    """The streams of the client, for the server alone: what codemods print goes to stderr."""
    sink = os.dup(1)
    os.dup2(2, 1)
    return Wire(os.dup(0), sink)


def _greeted(wire: Wire) -> dict[str, object] | None:
    """Answers `initialize`, and returns it; None where the client goes away before."""
    while True:
        try:
            body = wire.read()
            message = json.loads(body) if body is not None else None
        except (Malformed, ValueError, RecursionError) as error:
            _answer(wire, None, "error", {"code": -32700, "message": f"not a message: {error}"})
            continue
        if body is None:
            return None
        if not isinstance(message, dict) or not isinstance(message.get("method"), str):
            _answer(wire, None, "error", {"code": -32600, "message": "not a request"})
        elif message["method"] == "initialize" and "id" in message:
            _answer(wire, message["id"], "result", capabilities.initialized(message.get("params")))
            return message
        elif message["method"] == "exit":
            return None
        elif "id" in message:
            _answer(wire, message["id"], "error", {"code": -32002, "message": "not initialized yet"})


def _answer(wire: Wire, number: object, kind: str, said: object) -> None:
    wire.write(json.dumps({"jsonrpc": "2.0", "id": number, kind: said}).encode())


def _refused(message: str) -> int:
    print(f"error: {message}", file=sys.stderr)
    return _USAGE
