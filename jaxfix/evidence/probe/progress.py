"""Tells while a run goes on how far it is."""

import os
import time

from .files import write_json
from .settings import Settings

_PAUSE_S = 0.5


class Progress:
    """Keeps one small file for each process, written now and then."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.next = 0.0

    def tell(self, **counts: int) -> None:
        """Says how many steps, compiles or cases there were."""
        now = time.monotonic()
        if not self.settings.tells or now < self.next:
            return
        self.next = now + _PAUSE_S
        write_json(os.path.join(self.settings.results, f"{os.getpid()}.progress"), counts)
