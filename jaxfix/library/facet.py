"""A claim that a row of the library table makes."""


class Facet:
    """One claim; compared by identity, since the members of an `Enum` cost ten times as much at every start."""

    __slots__ = ("name", "option")

    def __init__(self, option: str = "") -> None:
        self.name, self.option = "", option

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = f"{owner.__name__}.{name}"

    def __repr__(self) -> str:
        return self.name
