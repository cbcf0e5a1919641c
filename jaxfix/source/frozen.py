"""Frozen dataclasses that cost little to define: a method is compiled once it is called."""

from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields, make_dataclass
from types import FunctionType
from typing import TypeVar, dataclass_transform

C = TypeVar("C")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[C]) -> type[C]:
    """As `dataclass(frozen=True, slots=True)`, which compiles seven methods of each class: most are never called."""
    for name, method in _METHODS.items():
        if name not in vars(cls):
            setattr(cls, name, method)
    cls.__doc__ = cls.__doc__ or cls.__name__  # else `dataclass` writes down a signature, which takes long
    return dataclass(init=False, repr=False, eq=False, slots=True)(cls)


def _compiled_when_called(name: str) -> Callable[..., object]:
    def method(self: object, *args: object, **kwargs: object) -> object:
        cls = type(self)
        compiled = _compiled(cls, name)
        setattr(cls, name, compiled)
        return compiled(self, *args, **kwargs)

    return method


def _compiled(cls: type, name: str) -> Callable[..., object]:
    """A method as `dataclass` makes it."""
    if name == "__init__":
        return _initializer(cls)
    other = make_dataclass(
        cls.__qualname__,
        [(entry.name, entry.type, entry) for entry in fields(cls)],
        namespace={"__doc__": cls.__doc__},
        init=False,
        repr=name == "__repr__",
        eq=name == "__eq__",
        unsafe_hash=name == "__hash__",
    )
    found: Callable[..., object] = vars(other)[name]
    return found


def _initializer(cls: type) -> Callable[..., object]:
    parameters, body = ["self"], []
    names: dict[str, object] = {"MISSING": MISSING, "put": object.__setattr__}
    for entry in (entry for entry in fields(cls) if entry.init):
        name = entry.name
        parameters.append(name)
        if entry.default_factory is not MISSING:
            parameters[-1] += "=MISSING"
            body.append(f"if {name} is MISSING: {name} = made_{name}()")
            names[f"made_{name}"] = entry.default_factory
        elif entry.default is not MISSING:
            parameters[-1] += f"=default_{name}"
            names[f"default_{name}"] = entry.default
        body.append(f"put(self, {name!r}, {name})")
    body += ["self.__post_init__()"] if hasattr(cls, "__post_init__") else ["pass"]
    exec(f"def __init__({', '.join(parameters)}):\n " + "\n ".join(body), names)
    found = names["__init__"]
    assert isinstance(found, FunctionType)
    found.__qualname__ = f"{cls.__qualname__}.__init__"
    return found


def _refuse(self: object, name: str, value: object = None) -> None:
    raise FrozenInstanceError(f"field {name!r} of {type(self).__qualname__} is frozen")


def _state(self: object) -> list[object]:
    return [getattr(self, entry.name) for entry in fields(self)]  # type: ignore[arg-type]


def _restore(self: object, state: list[object]) -> None:
    for entry, value in zip(fields(self), state, strict=True):  # type: ignore[arg-type]
        object.__setattr__(self, entry.name, value)


_METHODS: dict[str, Callable[..., object]] = {
    **{name: _compiled_when_called(name) for name in ("__init__", "__repr__", "__eq__", "__hash__")},
    **{"__setattr__": _refuse, "__delattr__": _refuse, "__getstate__": _state, "__setstate__": _restore},
}
