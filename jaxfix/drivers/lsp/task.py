"""What a proof is asked to do; travels to its process as JSON."""

from jaxfix.source.frozen import frozen


@frozen
class Task:
    """What is to be proven.

    Attributes:
      root: the project, or the file alone.
      key: of the fix; None for all of the file.
      command: the program, which a person has seen and agreed to; None drives optimizers.
    """

    root: str
    path: str
    key: str | None
    command: str | None
    python: str | None
    timeout_s: float
    select: tuple[str, ...] | None
    ignore: tuple[str, ...]
