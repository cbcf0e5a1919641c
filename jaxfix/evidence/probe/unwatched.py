"""Files of libraries of which no function is watched: on Python 3.11 a profiler recognizes these by their globals.

There the code of a frame is an attribute that is audited: to read it costs more than a call.
"""

import os
from collections.abc import Callable
from typing import Any

from .files import is_installed, real


class Unwatched:
    """Decides once for each file.

    Args:
      is_watched: whether a function of that file, whose links are resolved, is watched from the start.

    Attributes:
      files: what `__file__` is in modules of which nothing has to be seen.
    """

    def __init__(self, is_watched: Callable[[str], bool]) -> None:
        self.files: set[str] = set()
        self._is_watched, self._asked = is_watched, set[str]()

    def note(self, file: Any, source: str) -> None:
        """Decides about a module by a function of it that is called.

        Args:
          file: its `__file__`, whatever that is.
          source: where the code of the function was read.
        """
        if type(file) is str and file == source and file not in self._asked:
            self._asked.add(file)
            if os.path.isabs(file) and is_installed(file) and not self._is_watched(real(file)):
                self.files.add(file)

    def watch(self, source: str) -> None:
        """From here on a function that was read there is watched."""
        self._asked.add(source)
        self.files.discard(source)
