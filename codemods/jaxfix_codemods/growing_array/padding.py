"""The code to write for an array that is read while it grows: one of its final length, and how much of it counts."""

import ast

from jaxfix.api import Module
from jaxfix_codemods.growing_array.parts import Growth


def padded(module: Module, growth: Growth, loop: ast.AST) -> str:
    """What to write in place of `growth`, which an iteration of `loop` reads."""
    name, part = growth.target.id, module.text(growth.parts[0])
    number, rounds = _counted(module, loop)
    match growth.axis.removeprefix("axis="):
        case "" if growth.is_flat:
            size, room, place = f"len({name})", f"(0, {rounds})", f"size + {number}"
        case "1" | "-1":
            size, room, place = f"{name}.shape[1]", f"((0, 0), (0, {rounds}))", f":, size + {number}"
            part = f"{part}[:, 0]"
        case _:
            return f"allocate its final length, write with `{name}.at[i].set(...)`, and pass the used length"
    grown = f"`{name} = {name}.at[{place}].set({part})`"
    return (
        f"write `size, {name} = {size}, jnp.pad({name}, {room})` before the loop, {grown} in it, "
        f"and pass `size + {number}`, so that `jnp.arange` masks the unused part"
    )


def _counted(module: Module, loop: ast.AST) -> tuple[str, str]:
    """The number of an iteration, and how many there are."""
    match loop:
        case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=[stop])):
            return ("i" if name == "_" else name), module.text(stop)
    return "i", "n"
