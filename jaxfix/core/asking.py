"""Which functions need to know what they are passed: read off the text, since parsing every file twice costs more."""

import re
from collections.abc import Iterator

_DEFINITION = re.compile(rb"(?m)^([ \t]*)(?:async[ \t]+)?def[ \t]+(\w+)")
_ASKS = re.compile(
    rb"[\w)\]][ \t]*\*\*[ \t]*[A-Za-z_(]|\b(?:jnp|numpy)\.pow(?:er)?\("
    rb"|\b(?:hessian|(?:filter_)?(?:value_and_)?grad)\(|(?:=|return)[ \t\n]*[\w.]+\.update\("
)
"""Powers, whose exponent may be an array, and the work of a training step: what their functions are passed decides."""


def asking(text: bytes) -> frozenset[str]:
    """The names of the functions in `text` for which it matters what they are passed."""
    return frozenset(name.decode() for name in _asking(text))


def _asking(text: bytes) -> Iterator[bytes]:
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
