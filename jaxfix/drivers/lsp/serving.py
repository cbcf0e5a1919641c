"""The loop: messages in, messages out, until the client says goodbye or is gone."""

import asyncio
import json
import logging
import os
import sys
import threading
from collections.abc import Mapping

from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from jaxfix.drivers.lsp.session import Session, made
from jaxfix.drivers.lsp.wire import Malformed, Wire

_PARSE, _INVALID, _INTERNAL = -32700, -32600, -32603
_WATCH_S = 3.0
_END = b""


class _Writer:
    """Where the protocol writes; what it answers to `initialize` has been said already."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self.is_open = False

    def write(self, data: bytes) -> None:
        if self.is_open:
            self._wire.write(data)

    def close(self) -> None:
        return


def serve(wire: Wire, greeting: dict[str, object]) -> int:
    """Serves the client that sent `greeting`; never returns where a thread still waits for it: the process ends."""
    logging.basicConfig(stream=sys.stderr, level=logging.ERROR, format="jaxfix lsp: %(message)s")
    if not os.environ.get("JAXFIX_TRACEBACK"):
        logging.getLogger("pygls").setLevel(logging.CRITICAL)  # tracebacks of what is answered as an error anyway
    code = asyncio.run(_served(wire, greeting))
    sys.stderr.flush()
    os._exit(code)


async def _served(wire: Wire, greeting: dict[str, object]) -> int:
    server = made()
    writer = _Writer(wire)
    server.protocol.set_writer(writer, include_headers=False)
    session = Session(server)
    _handle(server, greeting)
    writer.is_open = True
    incoming: asyncio.Queue[bytes | Malformed] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    threading.Thread(target=_read, args=(wire, loop, incoming), daemon=True).start()
    watch = asyncio.ensure_future(_watched(server.process_id, incoming))
    code = await _answered(wire, server, session, incoming)
    watch.cancel()
    await session.end()
    return code


async def _answered(
    wire: Wire, server: LanguageServer, session: Session, incoming: "asyncio.Queue[bytes | Malformed]"
) -> int:
    """Hands every message on, in order; the exit code."""
    while True:
        body = await incoming.get()
        if body == _END:
            return 0 if session.is_shut_down else 1
        try:
            if isinstance(body, Malformed):
                raise body
            message = json.loads(body)
        except (Malformed, ValueError, RecursionError) as error:
            _refuse(wire, None, _PARSE, f"not a message: {error}")
            continue
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            _refuse(wire, None, _INVALID, "not a message of JSON-RPC 2.0")
        elif message.get("method") == "exit":
            return 0 if session.is_shut_down else 1
        elif session.is_shut_down and "method" in message:
            if "id" in message:
                _refuse(wire, message["id"], _INVALID, "shut down")
        else:
            _hand_on(wire, server, message)


def _handle(server: LanguageServer, message: dict[str, object]) -> None:
    # the two halves of pygls disagree on what a message is
    server.protocol.handle_message(server.protocol.structure_message(message))  # pyright: ignore[reportArgumentType]


def _hand_on(wire: Wire, server: LanguageServer, message: Mapping[str, object]) -> None:
    number = message.get("id")
    if message.get("method") == "initialize":
        _refuse(wire, number, _INVALID, "initialized already")
        return
    try:
        _handle(server, dict(message))
        _forget_ended(server)
    except JsonRpcException as error:
        if number is not None and "method" in message:
            _refuse(wire, number, error.code, error.message)
        else:
            logging.error("`%s` cannot be understood", message.get("method", "an answer"))
    except Exception as error:
        logging.error("%s: %s: %s", message.get("method", "an answer"), type(error).__name__, error)
        if number is not None and "method" in message:
            _refuse(wire, number, _INTERNAL, f"{type(error).__name__}: {error}")


def _forget_ended(server: LanguageServer) -> None:
    """Releases what has ended: pygls 2.1 keeps the future of every notification."""
    futures = server.protocol._request_futures
    for key in [key for key, future in futures.items() if future.done()]:
        del futures[key]


def _refuse(wire: Wire, number: object, code: int, message: str) -> None:
    error = {"code": code, "message": message}
    wire.write(json.dumps({"jsonrpc": "2.0", "id": number, "error": error}).encode())


def _read(wire: Wire, loop: asyncio.AbstractEventLoop, incoming: "asyncio.Queue[bytes | Malformed]") -> None:
    body: bytes | Malformed | None = None
    while body != _END:
        try:
            body = wire.read() or _END
        except Malformed as error:
            body = error
        try:
            loop.call_soon_threadsafe(incoming.put_nowait, body)
        except RuntimeError:  # the loop has ended
            return


async def _watched(process: int | None, incoming: "asyncio.Queue[bytes | Malformed]") -> None:
    """Ends the server of a client that died and left its end of the stream open to another process."""
    while process is not None and os.name == "posix":
        await asyncio.sleep(_WATCH_S)
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            incoming.put_nowait(_END)
            return
        except OSError:
            continue
