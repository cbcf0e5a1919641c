"""`jaxfix review`: serves the page on this machine until Ctrl-C."""

import contextlib
import os
import secrets
import socket
import tempfile
import threading
import webbrowser
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from types import FrameType

import uvicorn

from jaxfix.drivers import files
from jaxfix.drivers.review.look import Wishes
from jaxfix.drivers.review.server import Closing, application
from jaxfix.drivers.review.state import ReviewState
from jaxfix.drivers.workflow.watching import Watcher
from jaxfix.source.errors import ConfigError
from jaxfix.source.frozen import frozen

HERE = "127.0.0.1"
_LOOK_S = 1.0


@frozen
class Serving:
    """How the page is served; without a port, on one that is free."""

    port: int | None = None
    opens: bool = True


def serve(wishes: Wishes, serving: Serving, watcher: Watcher, tell: Callable[[str], None]) -> ReviewState:
    """Serves the review until it is interrupted; returns the state that it leaves.

    Raises:
      UserError: no Python files to analyse, or no place to serve it.
    """
    review = ReviewState(wishes, watcher)
    with _bound(serving.port) as bound:
        port, token, closing = bound.getsockname()[1], secrets.token_urlsafe(32), Closing()
        link = f"http://{HERE}:{port}/#token={token}"
        server = _Server(_config(review, port, token, closing), closing)
        tell(f"review at {link}\nCtrl-C ends it; decisions are kept\n")
        with contextlib.ExitStack() as stack:
            stack.callback(review.close)
            stack.enter_context(_watching(review, closing))
            if serving.opens:
                stack.enter_context(_opened(link))
            with contextlib.suppress(KeyboardInterrupt):
                server.run(sockets=[bound])
    return review


class _Server(uvicorn.Server):
    """Tells the streams that it ends: else they would be waited for."""

    def __init__(self, config: uvicorn.Config, closing: Closing) -> None:
        super().__init__(config)
        self._closing = closing

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._closing.close()
        super().handle_exit(sig, frame)


def _config(review: ReviewState, port: int, token: str, closing: Closing) -> uvicorn.Config:
    return uvicorn.Config(
        application(review, port, token, closing),
        log_level="critical",
        access_log=False,
        lifespan="off",
        ws="none",
        http="h11",
        loop="asyncio",
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=2,
    )


@contextlib.contextmanager
def _bound(port: int | None) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as bound:
        if os.name == "posix":  # what has just ended may be served again at once; elsewhere that would share the port
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            bound.bind((HERE, port or 0))
            bound.listen()  # who follows the link at once is to wait, not to be refused
        except OSError as error:
            raise ConfigError(
                f"port {port} cannot be served: {files.reason(error)}", hint="leave `--port` out, and take a free one"
            ) from error
        yield bound


@contextlib.contextmanager
def _watching(review: ReviewState, closing: Closing) -> Iterator[None]:
    """Notices files that change on the disk."""
    ended = threading.Event()
    closing.wakers.add(ended.set)

    def watch() -> None:
        while not ended.wait(_LOOK_S):
            review.watch_files()

    thread = threading.Thread(target=watch, name="jaxfix-files", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@contextlib.contextmanager
def _opened(link: str) -> Iterator[None]:
    """Opens a browser by way of a file that only its owner can read: command lines are there for all to see."""
    with tempfile.TemporaryDirectory(prefix="jaxfix-") as folder:
        page = Path(folder) / "review.html"
        target = escape(link, quote=True)
        text = f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={target}">'
        files.write_bytes(page, f'{text}<a href="{target}">the review</a>\n'.encode(), mode=0o600)
        threading.Thread(target=webbrowser.open, args=(page.as_uri(),), daemon=True).start()
        yield
