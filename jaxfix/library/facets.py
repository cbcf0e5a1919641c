"""What a row of the library table may say of a name: a claim, whose absence is never a claim of the opposite."""

from jaxfix.library.facet import Facet
from jaxfix.library.package_facets import Package as Package


class Transform:
    """What a transformation does with the function that it is given."""

    TRACES = Facet()
    """Runs it under a trace only."""
    COMPILES = Facet()
    """Makes a function that compiles, and keeps what it compiled."""
    DONATES = Facet()
    """May give the memory of arguments to the results."""
    FILTERS = Facet()
    """Traces arrays, and takes everything else as static."""
    SHAPES_ONLY = Facet()
    """Traces without compiling or running."""
    LIFTED = Facet()
    """Stages a layer, inside the trace of its model."""
    CONTROL_FLOW = Facet()
    """Compiles its function arguments when called eagerly."""
    DIFFERENTIATES = Facet()
    """Traces control flow inside again at every eager call."""
    REVERSE = Facet()
    """Differentiates in reverse mode."""
    GRADIENT = Facet()
    """Makes a function whose results have the dtypes of its parameters."""
    BATCHES = Facet()
    """Adds an axis, on one device."""
    PARALLEL = Facet()
    """Adds an axis, over devices."""
    CALLS_AT_ONCE = Facet()
    """Calls it there and then."""
    PASSES_ON = Facet()
    """Runs it where the result is called."""
    WITH_VALUE = Facet()
    """Makes a function that returns the value beside the gradient, as the first of two."""
    ONLY_VALUES = Facet()
    """Makes a function that returns what it computed, and nothing of the trace."""
    BINDS = Facet()
    """Makes a function that calls the given one with some arguments bound."""
    APPLIES = Facet()
    """Makes an object with methods that run the given function."""
    APPLIED = Facet()
    """Such a method."""
    HOLDS = Facet()
    """Compiles, and finds its programs by the given function: another function object is another program. Measured."""
    SAME_RESULT = Facet()
    """Makes a function that returns what the given one returns."""
    RECOMPUTES = Facet()
    """Makes a function whose inner values a derivative computes again, in place of keeping them."""
    MAPS_LEAVES = Facet()
    """Calls it for each leaf of a pytree."""
    DERIVATIVE_RULE = Facet()
    """Takes the rule of a function whose derivative is written by hand."""
    TRANSPARENT = Facet()
    """A decorator: the function runs where the result is called."""


class Identity:
    """Whether two calls give equal objects."""

    RENEWS = Facet()
    """Another function object at each call, whatever it is given."""
    BY_VALUE = Facet()
    """Equal if the function inside is."""
    STATIC = Facet()
    """Makes an object that equals no other one made of the same: as a static argument, another program. Measured."""
    OWN_PROGRAMS = Facet()
    """Makes an object whose methods compile, and find their programs by the object. Measured."""


class Effect:
    """What a call does beside returning."""

    PURE = Facet()
    """A builtin without effect, whose result depends on its arguments alone."""
    PURE_DECORATOR = Facet()
    """A decorator that adds nothing which changes between calls."""
    WORLD = Facet()
    """Uses files, the clock or settings."""
    ENDS = Facet()
    """Ends the program."""
    WAITS = Facet()
    """Waits for values."""
    ASKS_PROCESS = Facet()
    """Depends on which of several processes runs it."""
    CALLS_BACK = Facet()
    """In a program, runs host code while the program runs."""
    FETCHES = Facet()
    """Copies the values of the array that it is given, or is a method of, to the host."""
    MEMOISES = Facet()
    """Returns the object of an earlier call."""
    GROWS = Facet()
    """Makes a function to which other code can add cases."""
    SEES_NAMES = Facet()
    """Sees or runs the names around the call."""
    BINDS_NAMES = Facet()
    """Can bind a global by a name that is not in the text."""
    SETS_ATTRIBUTE = Facet()
    """Binds an attribute by a name that is a value."""
    PATCHES = Facet()
    """Replaces an object by its name, for a while or for good."""
    MUTATES = Facet()
    """A method that changes its object in place."""
    DELETES = Facet()
    """A method that gives the memory of an array back."""
    FUNCTIONAL = Facet()
    """A method that returns the changed state."""
    APPLIES = Facet()
    """A method that computes what a model gives for the parameters and the data that it is passed."""
    READS = Facet()
    """Changes no argument, and keeps nothing of it but in the result."""
    REFLECTS = Facet()
    """A builtin that looks at objects or names, and finds the same under a trace."""
    CALLS_NOTHING = Facet()
    """Calls no function that it is given."""
    RUNS_TEXT = Facet()
    """Runs statements that are a text."""
    RUNS_APART = Facet()
    """May run code with other globals than those of its file, or with names that its functions do not see."""
    RUNS_FILE = Facet()
    """Runs a file as a program, and returns its variables."""
    PLACES = Facet()
    """Chooses the devices that arrays are on."""
    SHOWS = Facet()
    """A method that shows, at each call, the values that it is given."""
    SUPPRESSES = Facet()
    """As a context manager, ends an error of its block."""


class Setting:
    """The settings of JAX that a result depends on, each with its name."""

    PRNG_IMPL = Facet("jax_default_prng_impl")
    """A key of plain numbers, without a type that says what it is a key of, means what this says."""
    GUMBEL_RANGE = Facet("jax_high_dynamic_range_gumbel")
    ENABLE_X64 = Facet("jax_enable_x64")
    MATMUL_PRECISION = Facet("jax_default_matmul_precision")
    DTYPE_PROMOTION = Facet("jax_numpy_dtype_promotion")
    KEYED = Facet()
    """A setting itself, for each of whose values jax keeps a program."""


class Result:
    """What a call returns, or an attribute is."""

    MUTABLE = Facet()
    """A list, a dictionary or another object that can be changed."""
    IMMUTABLE = Facet()
    """Nothing in it can be changed."""
    FROZEN = Facet()
    """Its parts cannot be replaced; they may be mutable."""
    ARRAY = Facet()
    """One array, whatever it is given."""
    ARRAYS = Facet()
    """A tree of arrays alone, whatever it is given."""
    FRESH = Facet()
    """A new array, which shares no memory."""
    STACKED = Facet()
    """The same tree, of new arrays."""
    SHARED = Facet()
    """An array that may share the memory of the argument."""
    SAME_BUFFER = Facet()
    """May be the very buffer of the argument."""
    VIEW = Facet()
    """Of an array, its memory under another type."""
    NO_PART = Facet()
    """No part of the argument."""
    CONSTANT = Facet()
    """A constant of the library."""
    KEY = Facet()
    """A random key, or a few: some bytes."""
    PYTHON_FLOAT = Facet()
    """A Python float."""
    STATIC = Facet()
    """Known under a trace."""
    NUMBER = Facet()
    """A Python number that follows the given number."""
    INCREMENT = Facet()
    """The strongly typed number after the given one."""
    MODULE = Facet()
    """A module, found by its name or by what is in it."""
    GROWS = Facet()
    """What the program has defined by then."""
    TEXT = Facet()
    """A text."""
    NO_ARRAY = Facet()
    """No array of JAX, though functions beside it make them: a text, a plan, nothing."""
    WHOLE = Facet()
    """An integer of Python."""
    SPECIFICATION = Facet()
    """What a new module is made of, by a file and a name."""
    DESCRIPTION = Facet()
    """A description of arrays or of their placing, made without asking for a device."""
    REPLACED = Facet()
    """The argument with other values of some fields."""
    FILLED = Facet()
    """An array of a given shape."""
    ALIKE = Facet()
    """An array of the shape of another."""
    CONVERTED = Facet()
    """The argument as an array."""
    REDUCED = Facet()
    """Fewer elements, strongly typed even of a weakly typed array."""
    OF_ALL = Facet()
    """Depends on each element along the axis: with one more it is another."""
    NOT_FINITE = Facet()
    """True where a value is not finite."""
    FINITE = Facet()
    """True where a value is finite."""
    COUNTS = Facet()
    """Numbers in steps, of the kind of the bounds."""
    ALL_ARRAYS = Facet()
    """Every array that there is, no matter who holds it."""
    COUNTED = Facet()
    """As many elements as the values say, unless an argument says how many; of `where`, if it is given one array."""


class Dtype:
    """The dtype of the result."""

    KEPT = Facet()
    PROMOTED = Facet()
    """That of all arguments together."""
    FLOAT = Facet()
    """Floating: that of the argument if it is."""
    BOOL = Facet()
    INTEGER = Facet()
    UNRELATED = Facet()
    """Not that of an argument."""
    LIKE = Facet()
    """A cast to the dtypes of another tree."""
    CAST = Facet()
    """A cast to a given dtype."""


class WeakType:
    """What becomes of a weak type."""

    KEPT = Facet()
    """The result is weakly typed if all arguments are."""
    IGNORED = Facet()
    """The result is the same for a weakly and a strongly typed argument."""
    LOST = Facet()
    """The result is strongly typed, as what is added to the argument is."""


class Scalar:
    """The kind of a dtype or of a Python number."""

    BOOL = Facet()
    INT = Facet()
    FLOAT = Facet()
    COMPLEX = Facet()
    HALF = Facet()
    """A float of 16 bits."""
    WIDE = Facet()
    """Of 64 bits or more: JAX warns at the trace that asks for it, unless it is enabled."""


class Slope:
    """The derivative of a cheap elementwise function."""

    FINITE = Facet()
    ZERO = Facet()
    ARGUMENT = Facet()
    """That of one of the arguments."""
    INFINITE = Facet()
    """The function or its slope may be infinite."""


class Takes:
    """What a function accepts, or asks for."""

    ARRAY = Facet()
    """First an array, traced or not."""
    ARRAYS = Facet()
    """Arrays only, traced or not."""
    VALUE = Facet()
    """Concrete values."""
    ELEMENT = Facet()
    """An element or a row of an array, of JAX or of NumPy alike, and gives the same for both."""
    TYPE = Facet()
    """Second a type, which it asks the first for."""
    LENGTH = Facet()
    """Second an array, or a number of elements, which a trace has to know."""
    NO_KEY = Facet()
    """In `jax.random`: first something other than a key."""
    SCALAR = Facet()
    """First a number, traced or not, and gives the same for both."""
    CONDITION = Facet()
    """First a condition, traced or not."""
    AXIS = Facet()
    """An axis, along which alone it computes."""
    ATTRIBUTE_NAME = Facet()
    """An object and the name of an attribute."""
    KEY = Facet()
    """First a key, which is put into a dictionary."""
    KEYS = Facet()
    """First an iterable of such keys."""
    PAIRS = Facet()
    """First a dictionary, or an iterable of pairs that begin with such keys."""
    FACTORY = Facet()
    """First what makes the values of missing keys."""


class Draw:
    """What a function makes of the random key that it takes first. Measured, for each two of them."""

    OF_BITS = Facet()
    """Numbers of the bits of the key itself: those of another such function depend on them."""
    OF_PARTS = Facet()
    """Numbers of keys that it makes of the key: another call of it gives them again."""
    KEYS = Facet()
    """Keys: the same at each call."""


class Iteration:
    """What a function does with an iterable."""

    SAME_LENGTH = Facet()
    """Gives as many elements."""
    CONSUMES = Facet()
    """Asks for all elements at once."""
    COUNTS = Facet()
    """Numbers its iterations."""
    ENDLESS = Facet()
    """Has no last one, or may have none."""


class Member:
    """What an attribute of an object says of it."""

    STATIC = Facet()
    """Of an array: a trace knows it, and it says nothing of a weak type."""
    ABSTRACT = Facet()
    """Of an array: a trace knows it."""
    CONCRETE = Facet()
    """Of an array: a trace does not know it, or traced arrays have it not."""
    USUAL = Facet()
    """Arrays have it, and hardly anything else."""
    ATTRIBUTE = Facet()
    """It is not a method."""
    UPDATE = Facet()
    """Of `x.at[i]`: an array with other elements."""
    TREE = Facet()
    """States that are pytrees have it, and hardly anything else: it reads them, and changes nothing in place."""
    MAPPING = Facet()
    """Dictionaries have it, and hardly anything else."""
    COMPILES = Facet()
    """A method that finds its programs by its object."""
    STATELESS = Facet()
    """A method whose object stays unchanged: the state is handed in and out."""


class Class:
    """What a class says of its subclasses, or an annotation of a value."""

    PURE = Facet()
    """A base whose objects do the same at every trace."""
    OPEN = Facet()
    """A base that says nothing of how objects are made, compared or read."""
    MODULE = Facet()
    """A base whose objects are pytrees, all fields of which are leaves."""
    MODEL = Facet()
    """A base whose objects are models: a step is passed one, under the `jit` of its library."""
    COPIED = Facet()
    """A base whose methods, such as `setup`, run on a copy of the object: what they bind of it is not kept."""
    ARRAY = Facet()
    """An annotation of arrays."""
    WRAPS = Facet()
    """An annotation around another."""
    TUPLE = Facet()
    """A base whose objects are named tuples."""
    HIDES = Facet()
    """Its objects, or what it makes, are pytrees that may hold more than leaves: a setting, a function, methods."""
    GENERIC = Facet()
    """Takes any number of types in brackets."""
    REGISTERS = Facet()
    """A base that `isinstance` finds in classes which were registered later."""
    DENSE = Facet()
    """A layer whose weights are as wide as its first argument says."""
    EMPTY = Facet()
    """A layer that has no weights of its own."""
