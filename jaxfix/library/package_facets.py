"""What a row of the library table may say of a package."""

from jaxfix.library.facet import Facet


class Package:
    """What all functions of a package do, except those whose row says otherwise."""

    PURE = Facet()
    """Its own object may be read at any trace."""
    PURE_THROUGHOUT = Facet()
    """Equal results for equal arguments, whenever they are traced, in the packages inside too."""
    WORLD = Facet()
    """Reads or changes the world."""
    LAYERS = Facet()
    """Its classes are bases of layers, whose methods run where `apply` of a whole model does."""
    HOST = Facet()
    """Wants concrete values."""
    ARRAYS = Facet()
    """Returns arrays or what is made of them."""
    IMMUTABLE = Facet()
    """Returns an immutable value."""
    FRESH = Facet()
    """Returns arrays of their own."""
    READS = Facet()
    """Changes no argument."""
    ELEMENTWISE = Facet()
    """Returns the dtype of its arguments."""
    MAKES = Facet()
    """Makes something of its arguments alone, without asking for a device."""
    NUMPY = Facet()
    """The interface of NumPy."""
    CONSTANTS = Facet()
    """`pi`, `e`, `inf` and `nan` are Python floats there."""
    OPERATES = Facet()
    """Its functions take and return arrays."""
    LEAVES_ONLY = Facet()
    """The pytrees that it makes hold leaves alone, except what has `Class.HIDES`."""
    WITHOUT_MESH = Facet()
    """Reads no mesh that is entered, unless it is passed one."""
    DRAWS = Facet()
    """Draws pictures, each of which takes longer than hundreds of operations."""
