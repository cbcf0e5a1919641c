"""What the builtins of Python do."""

import builtins

from jaxfix.library.facets import Class, Effect, Iteration, Result, Scalar, Takes, Transform, WeakType
from jaxfix.library.function import Function

FUNCTIONS = (
    Function("builtins.__import__", (Result.MODULE,)),
    Function("builtins.abs", (Effect.PURE, Result.NUMBER)),
    Function("builtins.all", (Effect.PURE, Effect.READS, Takes.VALUE)),
    Function("builtins.any", (Effect.PURE, Effect.READS, Takes.VALUE)),
    Function(
        "builtins.bool",
        (
            Effect.PURE,
            Effect.FETCHES,
            Result.NO_PART,
            Result.IMMUTABLE,
            WeakType.IGNORED,
            Scalar.BOOL,
            Takes.VALUE,
            Takes.ELEMENT,
        ),
    ),
    Function("builtins.bytearray", (Result.MUTABLE,)),
    Function("builtins.bytes", (Takes.VALUE,)),
    Function("builtins.callable", (Effect.REFLECTS,)),
    Function("builtins.chr", (Takes.VALUE, Result.TEXT)),
    Function("builtins.classmethod", (Transform.TRANSPARENT, Effect.PURE_DECORATOR)),
    Function("builtins.complex", (Effect.PURE, Effect.FETCHES, Result.IMMUTABLE, Takes.VALUE, Takes.ELEMENT)),
    Function("builtins.delattr", (Effect.BINDS_NAMES, Effect.SETS_ATTRIBUTE, Effect.PATCHES, Takes.ATTRIBUTE_NAME)),
    Function("builtins.dict", (Effect.PURE, Result.MUTABLE, Iteration.CONSUMES, Class.GENERIC, Takes.PAIRS)),
    Function("builtins.dir", (Effect.SEES_NAMES,)),
    Function("builtins.divmod", (Effect.PURE, Takes.VALUE)),
    Function("builtins.Ellipsis", (Effect.PURE,)),
    Function(
        "builtins.enumerate", (Effect.PURE, Effect.READS, Effect.CALLS_NOTHING, Iteration.SAME_LENGTH, Iteration.COUNTS)
    ),
    Function("builtins.eval", (Effect.SEES_NAMES, Effect.BINDS_NAMES, Effect.RUNS_APART)),
    Function("builtins.Exception", (Effect.PURE, Class.PURE)),
    Function("builtins.exec", (Effect.SEES_NAMES, Effect.BINDS_NAMES, Effect.RUNS_TEXT, Effect.RUNS_APART)),
    Function("builtins.False", (Effect.PURE,)),
    Function(
        "builtins.float",
        (
            Effect.PURE,
            Effect.FETCHES,
            Effect.READS,
            Effect.CALLS_NOTHING,
            Result.NO_PART,
            Result.IMMUTABLE,
            Result.NUMBER,
            WeakType.IGNORED,
            Scalar.FLOAT,
            Takes.VALUE,
            Takes.ELEMENT,
        ),
    ),
    Function("builtins.format", (WeakType.IGNORED, Takes.VALUE, Result.TEXT, Takes.ELEMENT)),
    Function("builtins.frozenset", (Effect.PURE, Iteration.CONSUMES, Class.GENERIC)),
    Function("builtins.getattr", (Takes.ATTRIBUTE_NAME, Effect.REFLECTS)),
    Function("builtins.globals", (Effect.SEES_NAMES, Effect.BINDS_NAMES)),
    Function("builtins.hasattr", (Takes.ATTRIBUTE_NAME, Effect.REFLECTS)),
    Function("builtins.hash", (Takes.VALUE, Result.WHOLE)),
    Function("builtins.id", (Takes.VALUE, Result.WHOLE)),
    Function(
        "builtins.int",
        (
            Result.WHOLE,
            Effect.PURE,
            Effect.FETCHES,
            Effect.READS,
            Effect.CALLS_NOTHING,
            Result.NO_PART,
            Result.IMMUTABLE,
            Result.NUMBER,
            WeakType.IGNORED,
            Scalar.INT,
            Takes.VALUE,
            Takes.ELEMENT,
        ),
    ),
    Function("builtins.isinstance", (Effect.PURE, Effect.READS, Effect.CALLS_NOTHING, Result.NO_PART, Takes.TYPE)),
    Function("builtins.issubclass", (Effect.PURE, Takes.TYPE)),
    Function("builtins.iter", (Iteration.SAME_LENGTH,)),
    Function(
        "builtins.len", (Effect.PURE, Effect.READS, Effect.CALLS_NOTHING, Result.NO_PART, Result.WHOLE, Takes.ELEMENT)
    ),
    Function("builtins.list", (Effect.PURE, Result.MUTABLE, Iteration.SAME_LENGTH, Iteration.CONSUMES, Class.GENERIC)),
    Function("builtins.locals", (Effect.SEES_NAMES, Effect.BINDS_NAMES)),
    Function("builtins.map", (Effect.PURE,)),
    Function("builtins.max", (Effect.PURE, Effect.READS, Takes.VALUE, Iteration.CONSUMES)),
    Function("builtins.min", (Effect.PURE, Effect.READS, Takes.VALUE, Iteration.CONSUMES)),
    Function("builtins.None", (Effect.PURE,)),
    Function("builtins.object", (Class.PURE,)),
    Function("builtins.pow", (Effect.PURE,)),
    Function(
        "builtins.print",
        (Effect.READS, Effect.CALLS_NOTHING, Result.NO_PART, WeakType.IGNORED, Takes.VALUE, Takes.ELEMENT),
    ),
    Function("builtins.property", (Transform.TRANSPARENT, Effect.PURE_DECORATOR)),
    Function("builtins.range", (Effect.PURE, Effect.READS, Effect.CALLS_NOTHING, Takes.VALUE, Iteration.COUNTS)),
    Function("builtins.repr", (Effect.READS, Result.NO_PART, Takes.VALUE, Result.TEXT)),
    Function("builtins.reversed", (Effect.PURE, Effect.READS, Iteration.SAME_LENGTH)),
    Function("builtins.round", (Effect.PURE, Result.NO_PART, Result.NUMBER, Takes.VALUE)),
    Function("builtins.set", (Effect.PURE, Result.MUTABLE, Iteration.SAME_LENGTH, Iteration.CONSUMES, Class.GENERIC)),
    Function("builtins.setattr", (Effect.BINDS_NAMES, Effect.SETS_ATTRIBUTE, Effect.PATCHES, Takes.ATTRIBUTE_NAME)),
    Function("builtins.slice", (Effect.PURE, Takes.VALUE)),
    Function("builtins.sorted", (Effect.PURE, Effect.READS, Takes.VALUE, Iteration.SAME_LENGTH, Iteration.CONSUMES)),
    Function("builtins.staticmethod", (Transform.TRANSPARENT, Effect.PURE_DECORATOR)),
    Function(
        "builtins.str",
        (
            Effect.PURE,
            Effect.READS,
            Effect.CALLS_NOTHING,
            Result.NO_PART,
            Result.IMMUTABLE,
            WeakType.IGNORED,
            Takes.VALUE,
            Result.TEXT,
            Takes.ELEMENT,
        ),
    ),
    Function("builtins.sum", (Effect.PURE, Effect.READS, Effect.CALLS_NOTHING, Iteration.CONSUMES)),
    Function("builtins.super", (Effect.REFLECTS,)),
    Function("builtins.True", (Effect.PURE,)),
    Function(
        "builtins.tuple",
        (
            Effect.PURE,
            Effect.READS,
            Result.FROZEN,
            Iteration.SAME_LENGTH,
            Iteration.CONSUMES,
            Class.PURE,
            Class.GENERIC,
        ),
    ),
    Function("builtins.type", (Effect.PURE, Effect.READS, Result.NO_PART, Class.GENERIC)),
    Function("builtins.TypeError", (Effect.PURE, Class.PURE)),
    Function("builtins.ValueError", (Effect.PURE, Class.PURE)),
    Function("builtins.vars", (Effect.SEES_NAMES, Effect.BINDS_NAMES, Effect.REFLECTS)),
    Function("builtins.zip", (Effect.PURE, Effect.READS, Effect.CALLS_NOTHING, Iteration.SAME_LENGTH)),
    *(
        Function(f"builtins.{name}", (Effect.PURE,))
        for name, value in vars(builtins).items()
        if isinstance(value, type)
        and issubclass(value, Exception)
        and name not in {"Exception", "ValueError", "TypeError"}
    ),
)
