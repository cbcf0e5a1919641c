"""What XLA compiles, kept: what is called again, or beside the program, compiles no program twice."""

import importlib
import os
import sys
from contextlib import suppress

_HOME = "jax.experimental.compilation_cache.compilation_cache"
_KEEPS_ALL = {
    "jax_enable_compilation_cache": True,
    "jax_persistent_cache_min_compile_time_secs": 0,
    "jax_persistent_cache_min_entry_size_bytes": -1,
}


class Compiled:
    """The programs that this process compiles while they are kept, in a folder of the run.

    What is counted stays the same, as jax looks for a program when it would compile it; what a compile takes does not.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._own: dict[str, object] = {}

    @property
    def place(self) -> str:
        """The folder of this process."""
        return os.path.join(self._folder, f"compiled-{os.getpid()}")

    def keep(self) -> None:
        """Keeps each program from now on, unless that is so already."""
        if self._own:
            return
        config = sys.modules["jax"].config
        with suppress(Exception):  # a jax without such a cache compiles again
            for name, value in {**_KEEPS_ALL, "jax_compilation_cache_dir": self.place}.items():
                self._own[name] = getattr(config, name)
                config.update(name, value)
            _ask_again()

    def end(self) -> None:
        """Keeps none from now on: jax has the settings of the program."""
        with suppress(Exception):
            for name, value in self._own.items():
                sys.modules["jax"].config.update(name, value)
            _ask_again()
        self._own = {}


def _ask_again() -> None:
    """Has jax look at its settings, which it does once in a process."""
    importlib.import_module(_HOME).reset_cache()
