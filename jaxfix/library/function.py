"""One row of the library table."""

from jaxfix.library.facet import Facet
from jaxfix.source.frozen import frozen


@frozen
class Parameter:
    """One parameter: its position and its name."""

    position: int
    name: str


@frozen
class Carry:
    """The carry of a loop.

    Attributes:
      initial: the parameter that takes its first value.
      index: its position among the parameters of the body.
      parameters: how many parameters the body has.
      paired: whether the body returns it in a pair, as its first item.
    """

    initial: Parameter
    index: int
    parameters: int
    paired: bool = False


@frozen
class Function:
    """A row of the library table: a function, a method, an attribute, a class or a package.

    Attributes:
      name: its canonical name; `builtins.len`, `jax.Array.sum`.
      facets: what it does.
      calls: its parameters that take functions.
      carry: what a loop passes between iterations.
      operands: the first parameter of what branches take.
      dtype_at: the position of the dtype.
      shape_at: the positions of what makes a shape or a number of elements.
      index_at: the position of what says where an element is, or which number a key gets, traced or not.
      versions: the releases that have it, where not all have.
      options: of a transformation, what its parameters beside the function may be called with: where that is a literal
        of the usual kind, making the function cannot fail. In order, where they can be passed by position.
    """

    name: str
    facets: tuple[Facet, ...] = ()
    calls: tuple[Parameter, ...] = ()
    carry: Carry | None = None
    operands: Parameter | None = None
    dtype_at: int | None = None
    shape_at: slice | None = None
    index_at: int | None = None
    versions: str = ""
    options: tuple[str, ...] = ()
