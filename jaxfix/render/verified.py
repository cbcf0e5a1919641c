"""What a receipt is worth in a tree: a line for the receipt, one for each file that speaks against it."""

from collections.abc import Iterator

from jaxfix.render.paint import Paint, printable
from jaxfix.report.seal import Seal
from jaxfix.report.verified import Side, Verified

_TOLD = {
    Side.AFTER: "is as it was with the change",
    Side.BEFORE: "is as it was without the change",
    Side.OTHER: "differs from both runs",
    Side.GONE: "is not in this tree; `--root DIR` names another",
}


def verified(found: Verified, paint: Paint) -> Iterator[str]:
    """All lines."""
    word = paint("bold green", "holds") if found.holds else paint("bold red", "does not hold")
    yield f"{word}  {printable(found.receipt)}  {printable(found.reason)}\n"
    yield f"        {_seal(found.seal)}\n"
    against = {entry.side for entry in found.files} - {Side.BOTH}
    if not found.holds and against - {Side.AFTER} and against - {Side.BEFORE}:
        for entry in found.files:
            if entry.side in against:
                yield f"        {printable(entry.path)} {_TOLD[entry.side]}\n"


def _seal(seal: Seal) -> str:
    verdicts = ", ".join(f"{number} {word}" for word, number in seal.verdicts.items()) or "nothing to run"
    said = f"{seal.kind} of jaxfix {seal.jaxfix}, {seal.when[:10]}: {verdicts}, by `{seal.command}`"
    place = f" on {seal.place}" if seal.place is not None else ""
    made = seal.environment
    if made is None:
        return printable(said + place)
    return printable(f"{said}{place}; Python {made.python}, jax {made.jax}, jaxlib {made.jaxlib}, {made.device}")
