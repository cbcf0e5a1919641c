"""Colours, or none: what `render` writes is text with a painter's marks around parts of it."""

from collections.abc import Callable

Paint = Callable[[str, str], str]
"""Takes a style in the words of rich, such as `bold red`, and the text that shall have it."""


def plain(style: str, text: str) -> str:
    """No colours: for pipes, files and `NO_COLOR`."""
    return text


def coloured(style: str, text: str) -> str:
    """The text between the escape codes of the style."""
    from rich.color import ColorSystem
    from rich.style import Style

    return Style.parse(style).render(text, color_system=ColorSystem.STANDARD)


def printable(text: str) -> str:
    """The text of a stranger, on one line, so that it cannot move the cursor and hide what it says."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def named(path: str) -> str:
    """The path on one line, as `printable`; bytes that are no UTF-8 stay what they are, so that it can be opened."""
    if path.isprintable():
        return path
    return "".join(char if "\udc80" <= char <= "\udcff" else printable(char) for char in path)


def counted(number: int, noun: str) -> str:
    """`1 finding`, `2 findings`, `2 fixes`."""
    plural = f"{noun}es" if noun.endswith("x") else f"{noun}s"
    return f"{number} {noun if number == 1 else plural}"
