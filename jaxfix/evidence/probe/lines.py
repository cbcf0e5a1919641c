"""Lines of files as the user knows them."""

import os
from types import CodeType, FrameType
from typing import NamedTuple

from .files import cell_of
from .settings import Settings, shown


class Line(NamedTuple):
    """A line of a file, as the user knows it."""

    path: str
    cell: int | None
    line: int
    function: str

    def __str__(self) -> str:
        cell = f":cell {self.cell}" if self.cell is not None else ""
        return f"{self.path}{cell}:{self.line} in {self.function}"


NOWHERE = Line("<unknown>", None, 0, "<unknown>")


class Lines:
    """Names lines; the folders of a run are named as the user knows them."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.files: dict[str, tuple[str, int | None]] = {}

    def running(self, frame: FrameType) -> Line:
        """The line that a frame is at."""
        return Line(*self.file(frame.f_code.co_filename), frame.f_lineno, frame.f_code.co_qualname)

    def at(self, code: CodeType, instruction: int) -> Line:
        """The line of an instruction, given as `f_lasti` has it."""
        spans = code.co_lines()
        number = next((line for start, end, line in spans if start <= instruction < end and line), code.co_firstlineno)
        return Line(*self.file(code.co_filename), number, code.co_qualname)

    def definition(self, code: CodeType) -> Line:
        """Where a function begins."""
        return Line(*self.file(code.co_filename), code.co_firstlineno, code.co_qualname)

    def file(self, name: str) -> tuple[str, int | None]:
        """The file of a code object and its cell."""
        if name not in self.files:
            file, cell = cell_of(name)
            self.files[name] = file if file.startswith("<") else shown(os.path.abspath(file), self.settings), cell
        return self.files[name]
