"""Which functions need to know what they are passed: read off the text, since parsing every file twice costs more."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

_DEFINITION = re.compile(rb"(?m)^([ \t]*)(?:async[ \t]+)?def[ \t]+(\w+)")
_RAISES = re.compile(rb"[\w)\]][ \t]*\*\*[ \t]*[A-Za-z_(]|\b(?:jnp|numpy)\.pow(?:er)?\(")
_WORKS = re.compile(rb"\b(?:hessian|(?:filter_)?(?:value_and_)?grad)\(|(?:=|return)[ \t\n]*[\w.]+\.update\(")
_RENAMED = re.compile(rb"(?m)^(\w+)[ \t]*=[ \t]*(?:\w+\.)*(\w+)[ \t\r]*$|\b(\w+)[ \t]+as[ \t]+(\w+)")


@dataclass(frozen=True, slots=True)
class Asking:
    """Names of functions for which it matters what they are passed, those that they are given later too.

    Attributes:
      raising: they raise to a power, whose exponent may be an array.
      working: they compute a gradient or an update, and may be a training step.
    """

    raising: frozenset[str] = frozenset()
    working: frozenset[str] = frozenset()


NOBODY = Asking()


def asking(texts: Collection[bytes]) -> Asking:
    renamed = [pair for text in texts for pair in _renamed(text)]
    blocks = [block for text in texts for block in _blocks(text)]
    return Asking(_named(blocks, renamed, _RAISES), _named(blocks, renamed, _WORKS))


def _named(
    blocks: Iterable[tuple[bytes, Sequence[bytes]]],
    renamed: Iterable[tuple[bytes, bytes]],
    pattern: re.Pattern[bytes],
) -> frozenset[str]:
    found = {name for text, names in blocks if pattern.search(text) for name in names if not name.startswith(b"__")}
    found |= {name for name, meant in renamed if meant in found}
    return frozenset(name.decode() for name in found)


def _blocks(text: bytes) -> Iterator[tuple[bytes, tuple[bytes, ...]]]:
    """The text from each `def` to the next one, with the names of the functions that it may belong to."""
    definitions = list(_DEFINITION.finditer(text))
    ends = [definition.start() for definition in definitions][1:] + [len(text)] * bool(definitions)
    around: list[tuple[int, bytes]] = []
    for definition, end in zip(definitions, ends, strict=True):
        depth = len(definition[1].expandtabs())
        while around and around[-1][0] >= depth:
            around.pop()
        around.append((depth, definition[2]))
        yield text[definition.end() : end], tuple(name for _, name in around)


def _renamed(text: bytes) -> Iterator[tuple[bytes, bytes]]:
    for match in _RENAMED.finditer(text):
        assigned, value, meant, name = match.groups()
        yield (assigned, value) if assigned is not None else (name, meant)
