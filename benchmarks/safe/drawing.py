"""Random choices by name: a program is what they come to, and is smaller with fewer of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import TypeVar

T = TypeVar("T")
Choices = dict[str, int]
"""The choices that are not the first option, by their path."""


@dataclass(slots=True)
class Draw:
    """Draws choices; where there is no `random`, takes them from `choices`, and the first option otherwise.

    Attributes:
      choices: those that were drawn.
      marks: what is unusual about the program, as `class: option`.
    """

    choices: Choices
    random: Random | None = None
    marks: dict[str, None] = field(default_factory=dict)
    path: str = ""

    def at(self, name: object) -> "Draw":
        """The same, for choices that belong to `name`."""
        return replace(self, path=f"{self.path}{name}/")

    def one(self, name: str, options: Sequence[T], calm: float = 0.0) -> T:
        """One of `options`: the first with the probability `calm`, else any."""
        path = self.path + name
        if self.random is not None and (len(options) > 1 and self.random.random() >= calm):
            self.choices[path] = self.random.randrange(len(options))
        return options[self.choices.get(path, 0) % len(options)]

    def hazard(self, name: str, options: Mapping[str, T], calm: float = 0.92) -> T:
        """As `one`, of named options that are written down, except the first."""
        names = list(options)
        found = self.one(name, names, calm)
        if found != names[0]:
            self.marks[f"{name}: {found}"] = None
        return options[found]
