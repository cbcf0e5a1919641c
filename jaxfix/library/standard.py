"""What functions and classes of the standard library do."""

from jaxfix.library.facets import Class, Effect, Identity, Iteration, Result, Takes, Transform
from jaxfix.library.function import Function

FUNCTIONS = (
    Function("abc.ABC", (Class.PURE, Class.OPEN)),
    Function("abc.ABCMeta", (Class.PURE,)),
    Function("abc.abstractmethod", (Transform.TRANSPARENT, Effect.PURE_DECORATOR)),
    Function("contextlib.contextmanager", (Transform.TRANSPARENT, Effect.PURE_DECORATOR)),
    Function("dataclasses.dataclass", (Effect.PURE_DECORATOR,)),
    Function("dataclasses.replace", (Result.REPLACED,)),
    Function("enum.Enum", (Class.PURE,)),
    Function("enum.Flag", (Class.PURE,)),
    Function("enum.IntEnum", (Class.PURE,)),
    Function("enum.IntFlag", (Class.PURE,)),
    Function("enum.StrEnum", (Class.PURE,)),
    Function("enum.unique", (Effect.PURE_DECORATOR,)),
    Function("functools.cache", (Effect.MEMOISES,)),
    Function("functools.cached_property", (Effect.MEMOISES,)),
    Function("functools.lru_cache", (Effect.MEMOISES,)),
    Function("functools.partial", (Transform.SAME_RESULT, Identity.RENEWS, Transform.BINDS)),
    Function("functools.singledispatch", (Effect.GROWS,)),
    Function("functools.singledispatchmethod", (Effect.GROWS,)),
    Function("functools.wraps", (Transform.TRANSPARENT,)),
    Function("itertools.count", (Iteration.COUNTS,)),
    Function("typing.Final", (Class.WRAPS,)),
    Function("typing.Generic", (Class.OPEN,)),
    Function("typing.NamedTuple", (Class.TUPLE,)),
    Function("typing.Optional", (Class.WRAPS,)),
    Function("typing.overload", (Transform.TRANSPARENT,)),
    Function("typing.Protocol", (Class.OPEN,)),
    Function("typing.Tuple", (Class.GENERIC,)),
    Function("typing.Union", (Class.WRAPS, Class.GENERIC)),
    Function("typing_extensions.NamedTuple", (Class.TUPLE,)),
    Function("typing_extensions.override", (Transform.TRANSPARENT,)),
    Function("unittest.mock.patch", (Effect.PATCHES,)),
    Function("unittest.mock.patch.object", (Takes.ATTRIBUTE_NAME,)),
)
