"""Times the reads of arrays by the host, what is put on devices, and waiting."""

import importlib
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from .spending import PUT, READ, WAIT, Spending

_WAYS = {
    "__array__": "np.asarray",
    "__bool__": "bool",
    "__complex__": "complex",
    "__float__": "float",
    "__format__": "format",
    "__getitem__": "index",
    "__index__": "index",
    "__int__": "int",
    "__iter__": "iter",
    "__repr__": "repr",
    "__str__": "str",
    "tolist": ".tolist",
    "_device_get": "jax.device_get",
}


class Transfers:
    """Wraps the jax functions through which reads, transfers and waits go; compiled functions are not wrapped."""

    def __init__(self, spending: Spending, is_silent: Callable[[], bool]) -> None:
        self.spending, self.is_silent = spending, is_silent
        self.thread = threading.local()

    def listen(self) -> None:
        """From here on they are timed; jax has been imported."""
        array = importlib.import_module("jax._src.array").ArrayImpl
        own, wait = getattr(array, "_value", None), _wait_unless_deleted(array.block_until_ready)
        if isinstance(own, property) and own.fget is not None:
            array._value = property(self._timed(READ, own.fget, None, wait))
        if callable(getattr(array, "item", None)):
            array.item = self._timed(READ, array.item, ".item", wait)
        jax: Any = importlib.import_module("jax")
        api: Any = importlib.import_module("jax._src.api")
        if callable(getattr(api, "device_get", None)):  # one read, of however many arrays
            api.device_get = jax.device_get = self._timed(READ, api.device_get, "jax.device_get", _wait_for_all(jax))
        array.block_until_ready = self._timed(WAIT, array.block_until_ready, "block_until_ready")
        client: Any = importlib.import_module("jax._src.lib").xla_client
        if hasattr(client, "batched_block_until_ready"):
            client.batched_block_until_ready = self._timed(WAIT, client.batched_block_until_ready, "block_until_ready")
        putting: Any = importlib.import_module("jax._src.interpreters.pxla")
        if hasattr(putting, "batched_device_put"):
            putting.batched_device_put = self._timed(PUT, putting.batched_device_put, "put")

    def _timed(
        self, kind: str, own: Callable[..., Any], name: str | None, ready: Callable[[Any], Any] | None = None
    ) -> Callable[..., Any]:
        """`own`, timed; `ready` waits for what it then reads, so that the two are separate."""
        clock, getframe = time.perf_counter, sys._getframe

        def timed(*arguments: Any, **keywords: Any) -> Any:
            thread = self.thread
            if getattr(thread, "is_inside", False) or self.is_silent():
                return own(*arguments, **keywords)
            thread.is_inside = True
            began = waited = clock()
            try:
                if ready is not None and arguments:
                    ready(arguments[0])
                    waited = clock()
                return own(*arguments, **keywords)
            finally:
                ended = clock()
                thread.is_inside = False
                frame = getframe(1)
                account = self.spending.account(kind, frame)
                if account is not None:
                    account.count += 1
                    account.seconds += ended - began
                    account.waited_s += (ended if kind == WAIT else waited) - began
                    account.named(name or _WAYS.get(frame.f_code.co_name, frame.f_code.co_name))

        timed.__name__, timed.__doc__ = str(getattr(own, "__name__", name)), getattr(own, "__doc__", None)
        return timed


def _wait_unless_deleted(block: Callable[[Any], Any]) -> Callable[[Any], None]:
    def wait(array: Any) -> None:
        if not array.is_deleted():
            block(array)

    return wait


def _wait_for_all(jax: Any) -> Callable[[Any], None]:
    def wait(tree: Any) -> None:
        with suppress(Exception):  # what the read itself says of it comes next
            jax.block_until_ready(tree)

    return wait
