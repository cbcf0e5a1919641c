"""Which functions need to know what they are passed: read off the text, since parsing every file twice costs more."""

import re
from collections.abc import Collection, Iterator

_DEFINITION = re.compile(rb"(?m)^([ \t]*)(?:async[ \t]+)?def[ \t]+(\w+)")
_ASKS = re.compile(
    rb"[\w)\]][ \t]*\*\*[ \t]*[A-Za-z_(]|\b(?:jnp|numpy)\.pow(?:er)?\("
    rb"|\b(?:hessian|(?:filter_)?(?:value_and_)?grad)\(|(?:=|return)[ \t\n]*[\w.]+\.update\("
)
"""Powers, whose exponent may be an array, and the work of a training step: what their functions are passed decides."""
_RENAMED = re.compile(rb"(?m)^(\w+)[ \t]*=[ \t]*(?:\w+\.)*(\w+)[ \t\r]*$|\b(\w+)[ \t]+as[ \t]+(\w+)")


def asking(texts: Collection[bytes]) -> frozenset[str]:
    """The names of the functions for which it matters what they are passed, those that they are given later too."""
    found = {name for text in texts for name in _defined(text)}
    found |= {name for text in texts for name, meant in _renamed(text) if meant in found}
    return frozenset(name.decode() for name in found)


def _defined(text: bytes) -> Iterator[bytes]:
    definitions = list(_DEFINITION.finditer(text))
    ends = [definition.start() for definition in definitions][1:] + [len(text)] * bool(definitions)
    around: list[tuple[int, bytes]] = []
    for definition, end in zip(definitions, ends, strict=True):
        depth = len(definition[1].expandtabs())
        while around and around[-1][0] >= depth:
            around.pop()
        around.append((depth, definition[2]))
        if _ASKS.search(text, definition.end(), end):
            yield from (name for _, name in around if not name.startswith(b"__"))


def _renamed(text: bytes) -> Iterator[tuple[bytes, bytes]]:
    for match in _RENAMED.finditer(text):
        assigned, value, meant, name = match.groups()
        yield (assigned, value) if assigned is not None else (name, meant)
