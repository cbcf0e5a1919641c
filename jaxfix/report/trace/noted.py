"""Data that became part of compiled programs, which no source shows."""

from enum import Enum

from jaxfix.source.edits import shown_place
from jaxfix.source.frozen import frozen


class Note(Enum):
    """What is in a program.

    Attributes:
      CAPTURED: an array of the surroundings of the function, as a constant.
      STATE: what it returns in the shapes and dtypes of what it takes, at the first line of the function.
      STACKED: what a scan stacks, and is the same in each iteration.
      CALLBACK: a call of the host, as `jax.debug.print` makes.
      ONE_HOT: a product with a one-hot array.
      BOTH_BRANCHES: a conditional under `vmap`, of which both branches run.
      FLOAT32_PRODUCTS: matrix products and convolutions of float32.
      UNROLLED: equations of one line that repeat: the iterations of a Python loop. `what` counts them.
      ROWS: arrays whose rows one line takes, all of them one by one. `what` has their types.
    """

    CAPTURED = "captured"
    STATE = "state"
    STACKED = "stacked"
    CALLBACK = "callback"
    ONE_HOT = "one-hot"
    BOTH_BRANCHES = "both-branches"
    FLOAT32_PRODUCTS = "float32-products"
    UNROLLED = "unrolled"
    ROWS = "rows"


@frozen
class Noted:
    """One thing in one program, at the innermost line of the user's that put it there.

    Attributes:
      what: its type, such as `float32[600,600]`, or what it costs in words.
      bytes: that it takes.
      name: the variable that holds it, with the way to it, such as `TABLE` or `params['w']`; None where none is known.
      is_host: whether it is host data, as a NumPy array, which may be refilled.
      is_tree: whether the variable holds arrays alone, so that it can be passed as a whole.
      folded: an operation on nothing but such data, which XLA does while it compiles; None for none.
      cell: of a notebook, from 1, within which `line` counts; None elsewhere.
    """

    note: Note
    path: str
    line: int
    function: str
    what: str
    bytes: int
    name: str | None = None
    is_host: bool = False
    is_tree: bool = False
    folded: str | None = None
    cell: int | None = None

    @property
    def where(self) -> str:
        """The place, as printed: path and line."""
        return shown_place(self.path, self.cell, self.line)
