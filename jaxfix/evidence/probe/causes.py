"""Why a program was not found in a cache, in words."""

import re
from typing import Any

Place = tuple[str, int, str]
_ADDRESS = re.compile(r"(?<=\bat )0x[0-9a-f]+")


class Causes:
    """Remembers what each line has compiled, to say what was different this time."""

    def __init__(self) -> None:
        self.history: dict[Place, list[tuple[Any, Any]]] = {}

    def of(self, place: Place, avals: Any, parameters: Any, name: str, overheard: list[str]) -> str | None:
        """What differs from the compiles of the same program at the same place (file, line, program) before.

        Args:
          avals: as `signature` gives them.
          parameters: of the primitive that was run eagerly; None for a jitted function.
          name: of the program.
          overheard: jax's own explanations of this compile.
        """
        seen = self.history.setdefault(place, [])
        known = None if parameters is None else {key: _parameter(value) for key, value in parameters.items()}
        alike = [old for types, old in seen if types == avals]
        before = seen[-1][0] if seen else None
        seen.append((avals, known))
        said = next((words for words in map(explanation, _of_program(name, overheard)) if words), None)
        if before is None:
            return said if said and "each call" not in said else "first compile of this line"
        if not alike:
            return difference(before, avals)
        same = alike[-1]
        if known and same and (changed := [key for key in known if same.get(key) != known[key]]):
            return f"`{changed[0]}` of `{name}` differs: {same.get(changed[0])} -> {known[changed[0]]}"
        if said:
            return said
        if known is not None:
            return "function object differs on each call: same shapes and types"
        return "same shapes and types: the function object or a static argument differs"


def _of_program(name: str, overheard: list[str]) -> list[str]:
    mine = [miss for miss in overheard if re.search(rf"\b{re.escape(name)}\b", miss)]
    return mine + [miss for miss in overheard if miss not in mine]


def explanation(miss: str) -> str | None:
    """What jax's explanation of a cache miss means, in our words."""
    if static := re.search(r"now .*Static\(val=(.*?)\) and before .*Static\(val=(.*?)\)", miss):
        return f"static argument differs ({static[2]} -> {static[1]})"
    if never := re.search(r"never seen function:\s+(\S+)", miss):
        again = "seen another function defined on the same line" in miss
        return f"function object differs on each call: `{never[1].rpartition('.')[2]}`" if again else None
    if types := re.search(r"\* at (.+?), now (\S+) and before (\S+)$", miss, re.MULTILINE):
        return _types_differ(types[1], types[3].partition("https:")[0], types[2])
    if types := re.search(r"\* at (.+?), seen (\S+?),? but now given (\S+?),?(?:\s|$)", miss):
        return _types_differ(types[1], types[2], types[3])
    if "racing context doesn't match" in miss:
        named = re.search(r"\* (jax_\w+) differs: now (.+) and before (.+)", miss)
        return f"`{named[1]}` differs: {named[3]} -> {named[2]}" if named else "configuration or context differs"
    if tree := re.search(r"at (?:input path )?(\S+?), (?:now|seen) ", miss):
        return f"structure of `{tree[1]}` differs"
    return None


def _types_differ(name: str, before: str, now: str) -> str:
    plain = [re.sub(r"\(\{[^}]*\}\)|\{[^}]*\}", "", text) for text in (before, now)]
    if plain[0] == plain[1]:
        return f"weak_type of `{name}` differs"
    return f"`{name}` differs: {plain[0]} -> {plain[1]}"


def difference(before: Any, now: Any) -> str:
    """How the argument types of two compiles differ, each as (dtype, shape, weak type) per argument."""
    if len(before) != len(now):
        return f"number of arrays differs: {len(before)} -> {len(now)}"
    number, old, new = next((i, a, b) for i, (a, b) in enumerate(zip(before, now, strict=True)) if a != b)
    if old[:2] == new[:2]:
        return f"weak_type of argument {number} differs"
    kind = "dtype" if old[1] == new[1] else "shape"
    texts = [f"{dtype}[{','.join(map(str, shape))}]" for dtype, shape, _ in (old, new)]
    return f"{kind} of argument {number} differs: {texts[0]} -> {texts[1]}"


def signature(avals: Any) -> tuple[tuple[str, tuple[Any, ...], bool], ...]:
    return tuple(
        (str(getattr(aval, "dtype", aval)), tuple(getattr(aval, "shape", ())), bool(getattr(aval, "weak_type", False)))
        for aval in avals
    )


def _parameter(value: Any) -> str:
    """A parameter of a primitive, in one word; programs within it are left to `function object differs`."""
    kind = type(value).__name__
    nested = type(value[0]).__name__ if isinstance(value, tuple) and value else ""
    if "Jaxpr" in kind or "Jaxpr" in nested or callable(value):
        return "a program"
    return _ADDRESS.sub("0x", repr(value))[:60]
