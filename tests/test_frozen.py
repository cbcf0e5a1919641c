"""Classes marked as `frozen` do what `dataclass(frozen=True, slots=True)` has them do."""

import copy
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, replace
from pathlib import Path

import pytest

from jaxfix.source.frozen import frozen

ROOT = Path(__file__).resolve().parents[1]


@frozen
class Ours:
    """Has one of each kind of field."""

    name: str
    size: int = 3
    parts: list[int] = field(default_factory=list)
    note: object = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Theirs:
    """Has one of each kind of field."""

    name: str
    size: int = 3
    parts: list[int] = field(default_factory=list)
    note: object = field(default=None, compare=False)


@frozen
class Measured:
    text: str
    length: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", len(self.text))

    def __repr__(self) -> str:
        return f"<{self.length}>"


Made = Callable[..., object]


@pytest.mark.parametrize(
    "ask",
    [
        lambda made: repr(made("a", note=1)).replace("Theirs", "Ours"),
        lambda made: made("a") == made(name="a", note=2),
        lambda made: made("a") == made("b"),
        lambda made: made("a") in (1, "a", None),
        lambda made: made.__match_args__,
        lambda made: made.__slots__,
        lambda made: [entry.name for entry in fields(made)],
        lambda made: asdict(replace(made("a"), size=4)),
        lambda made: hash(made("a", 1, (), [])) == hash(made("a", 1, (), {})),
        lambda made: pickle.loads(pickle.dumps(made("a"))) == made("a"),
        lambda made: copy.deepcopy(made("a", 1, [2])).parts,
        lambda made: made("a").parts is made("a").parts,
    ],
)
def test_it_behaves_as_a_dataclass(ask: Callable[[Made], object]) -> None:
    assert ask(Ours) == ask(Theirs)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda made: made(),
        lambda made: made("a", 1, [], None, 5),
        lambda made: made("a", colour=1),
        lambda made: hash(made("a")),
    ],
)
def test_it_refuses_with_the_words_of_a_dataclass(wrong: Callable[[Made], object]) -> None:
    said = []
    for made in (Ours, Theirs):
        with pytest.raises(TypeError) as raised:
            wrong(made)
        said.append(str(raised.value).replace("Theirs", "Ours"))
    assert said[0] == said[1]


@pytest.mark.parametrize("name", ["size", "other"])
def test_no_field_is_set_or_deleted(name: str) -> None:
    made = Ours("a")
    with pytest.raises(FrozenInstanceError, match=name):
        setattr(made, name, 1)
    with pytest.raises(FrozenInstanceError, match=name):
        delattr(made, name)
    assert made == Ours("a")


def test_what_the_class_defines_itself_stays() -> None:
    assert repr(Measured("abc")) == "<3>" and Measured("abc") == Measured("abc")


def test_no_method_is_compiled_before_it_is_called() -> None:
    @frozen
    class Fresh:
        name: str

    before = Fresh.__init__
    Fresh("a")
    assert Fresh.__init__ is not before


def test_what_is_frozen_and_has_slots_is_defined_as_frozen() -> None:
    of_their_own = ("jaxfix/evidence/probe/", "jaxfix/rewrite/helpers/", "jaxfix/dataflow/solver.py")  # without imports
    for folder in ("jaxfix", "codemods"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            place = path.relative_to(ROOT).as_posix()
            if not place.startswith(of_their_own):
                assert "@dataclass(frozen=True, slots=True)\n" not in path.read_text(), f"{place}: use `frozen`"
