"""What breaks in the server is a line of its log, and never its end."""

import asyncio
import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

_TRACEBACKS = bool(os.environ.get("JAXFIX_TRACEBACK"))


def log_bug(name: str, error: BaseException) -> None:
    logging.error("a bug at `%s`: %s: %s", name, type(error).__name__, error, exc_info=error if _TRACEBACKS else None)


def handler(name: str, handle: Callable[..., object]) -> Callable[..., object]:
    """A bound method as a function, which pygls wants to mark as its own; what breaks in it is named in the log."""
    if asyncio.iscoroutinefunction(handle):

        async def later(ls: LanguageServer, *params: object) -> object:
            with _told(name):
                return await handle(*params)

        return later

    def at_once(ls: LanguageServer, *params: object) -> object:
        with _told(name):
            return handle(*params)

    return at_once


@contextmanager
def _told(name: str) -> Iterator[None]:
    try:
        yield
    except (JsonRpcException, asyncio.CancelledError):
        raise
    except Exception as error:
        log_bug(name, error)
        raise
