"""What the user's code logs and warns of."""

import logging
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .files import is_user

_MOST = 10_000
_NUMBER = re.compile(r"[-+]?\d[\d.]*(?:e[-+]?\d+)?|\b(?:nan|inf)\b")
# What speaks of the age of a function and not of the data: a repair may well end it.
_AGE = (DeprecationWarning, PendingDeprecationWarning, FutureWarning)
_FOREIGN = ("jax", "jaxlib", "absl", "tensorflow", "matplotlib", "asyncio")


class Messages:
    """Listens to `logging` and `warnings` as the program shows them.

    Attributes:
      logged: each record of the user's code, in order, as `LEVEL logger: message`.
      warned: each warning once, as `Category: text`.
    """

    def __init__(self, user: list[str], is_silent: Callable[[], bool]) -> None:
        self.user, self.is_silent = user, is_silent
        self.reset()

    def reset(self) -> None:
        self.logged: list[str] = []
        self.warned: dict[str, None] = {}

    def start(self) -> None:
        """From here on every message is seen, beside being shown."""
        handle = logging.Logger.handle

        def handled(logger: logging.Logger, record: logging.LogRecord) -> None:
            if not self.is_silent() and len(self.logged) < _MOST and is_user(record.pathname, self.user):
                self.logged.append(_logged(record))
            handle(logger, record)

        logging.Logger.handle = handled  # type: ignore[method-assign, assignment]
        shown = getattr(warnings, "_showwarnmsg", None)
        if shown is None:
            return

        def show(message: Any) -> None:
            if not self.is_silent() and len(self.warned) < _MOST:
                self.warned[_warned(message)] = None
            shown(message)

        warnings._showwarnmsg = show  # type: ignore[attr-defined]


@contextmanager
def overheard(user: list[str]) -> Iterator[Callable[[], tuple[list[str], set[str]]]]:
    """Collects what the user's code logs and warns of, at any level, without numbers; hides it."""
    logged: list[str] = []
    handle, is_enabled = logging.Logger.handle, logging.Logger.isEnabledFor

    def handled(logger: logging.Logger, record: logging.LogRecord) -> None:
        if is_user(record.pathname, user):
            logged.append(unnumbered(_logged(record)))

    def enabled(logger: logging.Logger, level: int) -> bool:
        return logger.name.partition(".")[0] not in _FOREIGN or is_enabled(logger, level)

    logging.Logger.handle = handled  # type: ignore[method-assign, assignment]
    logging.Logger.isEnabledFor = enabled  # type: ignore[method-assign, assignment]
    try:
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            yield lambda: (logged, {unnumbered(_warned(m)) for m in heard if _is_theirs(m, user)})
    finally:
        logging.Logger.handle = handle  # type: ignore[method-assign]
        logging.Logger.isEnabledFor = is_enabled  # type: ignore[method-assign]


def unnumbered(text: str) -> str:
    """The text without its numbers, which may differ as far as results may."""
    return _NUMBER.sub("#", text)


def _is_theirs(message: warnings.WarningMessage, user: list[str]) -> bool:
    return is_user(message.filename, user) and not issubclass(message.category, _AGE)


def _logged(record: logging.LogRecord) -> str:
    try:
        text = record.getMessage()
    except Exception:  # arguments that do not fit
        text = str(record.msg)
    return f"{record.levelname} {record.name}: {text[:500]}"


def _warned(message: warnings.WarningMessage) -> str:
    age = " (age)" if issubclass(message.category, _AGE) else ""
    return f"{message.category.__name__}{age}: {str(message.message)[:500]}"
