"""The probe as its parts see it."""

from contextlib import AbstractContextManager
from typing import Any, Protocol

from .record import Record
from .settings import Settings
from .surroundings import Surroundings
from .values import Values


class Watching(Protocol):
    """What watches one process."""

    settings: Settings
    record: Record
    values: Values
    surroundings: Surroundings
    attached: bool

    def paused(self) -> AbstractContextManager[None]:
        """Neither counts nor observes this thread in the block."""
        ...

    def write(self) -> None:
        """Writes the record of this process, once and whole."""

    def step(self, compiles: int, traces: int, seconds: float) -> None:
        """Records a step that began when the counts were `compiles` and `traces`."""

    def digest(self, label: str, value: Any) -> dict[str, Any]:
        """What `value` is, as an `Output`; counts nothing, and keeps nothing of it alive."""
        ...
