"""Where a generator stands, and what it still needs: the same of two that differ in how they compute it."""

import dis
from types import CodeType, FrameType
from typing import Any

_LEAVING = frozenset({"RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE"})
_ALWAYS = ("JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_ABSOLUTE")


def shown(frame: FrameType) -> dict[str, Any]:
    """At which of its `yield`s a generator waits, from 1, and the variables that it reads before it binds them."""
    code = frame.f_code
    yields = [each.offset for each in dis.get_instructions(code) if each.opname == "YIELD_VALUE"]
    needed = _needed(code).get(frame.f_lasti, frozenset(code.co_varnames))
    captured = {*code.co_cellvars, *code.co_freevars}
    held = {name: value for name, value in frame.f_locals.items() if name in needed or name in captured}
    return {"at": sum(offset <= frame.f_lasti for offset in yields), "holds": held}


def _needed(code: CodeType) -> dict[int, frozenset[str]]:
    """For each instruction, by offset, the variables that are read after it and before they are bound again."""
    every = list(dis.get_instructions(code))
    following = _following(code, every)
    read: dict[int, frozenset[str]] = {each.offset: frozenset() for each in every}
    after: dict[int, frozenset[str]] = {}
    moved = True
    while moved:
        moved = False
        for each in reversed(every):
            later = frozenset[str]().union(*(read[offset] for offset in following[each.offset]))
            before = _before(each, later)
            moved = moved or before != read[each.offset] or later != after.get(each.offset)
            read[each.offset], after[each.offset] = before, later
    return after


def _before(instruction: dis.Instruction, later: frozenset[str]) -> frozenset[str]:
    """What is needed before an instruction; one that does two things is several names, in their order."""
    if "_FAST" not in instruction.opname:
        return later
    names = instruction.argval if isinstance(instruction.argval, tuple) else (instruction.argval,)
    kinds = [part for part in instruction.opname.split("_") if part in ("LOAD", "STORE", "DELETE")]
    for kind, name in reversed(list(zip(kinds, names, strict=False))):
        later = later | {name} if kind == "LOAD" else later - {name}
    return later


def _following(code: CodeType, every: list[dis.Instruction]) -> dict[int, list[int]]:
    """The instructions that may come after each, those of handlers among them."""
    known = {each.offset for each in every}
    found: dict[int, list[int]] = {}
    for place, each in enumerate(every):
        jumps = each.opname.startswith(_ALWAYS)
        goes_on = not jumps and each.opname not in _LEAVING and place + 1 < len(every)
        found[each.offset] = [every[place + 1].offset] if goes_on else []
        if each.opcode in dis.hasjrel or each.opcode in dis.hasjabs:
            found[each.offset].append(each.argval)
    for entry in getattr(dis.Bytecode(code), "exception_entries", ()):
        for offset in range(entry.start, entry.end, 2):
            if offset in known and entry.target in known:
                found[offset].append(entry.target)
    return found
