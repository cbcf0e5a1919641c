"""Which lines of a function are one fix's, where several rewrite it, and what a program with several costs."""

from collections.abc import Collection, Mapping
from dataclasses import replace

import pytest

from jaxfix.evidence.places import Lines, Place, replaced, told_apart
from jaxfix.evidence.prove import prove
from jaxfix.report.evidence import Evidence, Verdict
from jaxfix.report.finding import Equality, Fix, Proves, Safety
from jaxfix.report.measurement import Beside, Compile, Kind, Leaf, Measurement, Output, Razor, Spent, Step
from jaxfix.source.edits import Span

PATH, CASE = "train.py", "python train.py"
MAIN = f"{PATH}:main"
LINE = Compile(PATH, 1, "main", (), "scan", None, 0.0)

OLD = b"""\
def main():
    for i in range(9):
        x = f(x)
        x = g(x)
    print(x)
    for j in range(9):
        y = f(y)
        y = h(y)
    print(y)
"""
NEW = b"""\
@jit
def step(x):
    x = f(x)
    x = g(x)
    return x
def main():
    for i in range(9):
        x = step(x)
    print(x)
    for j in range(9):
        y = f(y)
        y = h(y)
    print(y)
"""


@pytest.mark.parametrize(
    ("old", "new", "gone", "made"),
    [
        (OLD, NEW, {3, 4}, {1, 2, 3, 4, 5, 8}),
        (OLD, OLD, set(), set()),
        (
            b"for i in r:\n    a()\n    b()\n",
            b"def s():\n    a()\n    b()\nfor i in r:\n    s()\n",
            {2, 3},
            {1, 2, 3, 5},
        ),
        (b"class A:\n    def m(self):\n        a()\n", b"class A:\n    def m(self):\n        b()\n", {3}, {3}),
        (
            b"def f():\n    def g():\n        a()\n    b()\n",
            b"def f():\n    def g():\n        c()\n    b()\n",
            {3},
            {3},
        ),
        (b"if c:\n    a()\n", b"if c:\n    if d:\n        a()\n", set(), {2}),
    ],
)
def test_a_line_that_moves_to_another_function_is_gone_from_its_own(
    old: bytes, new: bytes, gone: set[int], made: set[int]
) -> None:
    assert replaced(old, new, PATH) == (frozenset(gone), frozenset(made))


def test_of_a_text_that_cannot_be_read_and_of_a_notebook_no_lines_are_known() -> None:
    assert replaced(OLD, b"def main(:\n", PATH) is None
    assert replaced(OLD, NEW, "train.ipynb") is None


def test_a_line_of_two_fixes_is_neither_ones() -> None:
    def lines(gone: str, made: str = "") -> Lines:
        return frozenset(map(int, gone)), frozenset(map(int, made))

    one, two, three = (PATH, "one"), (PATH, "two"), (PATH, "three")
    assert told_apart({one: lines("12", "1"), two: lines("3", "2")}) == {one: lines("12", "1"), two: lines("3", "2")}
    assert told_apart({one: lines("12"), two: lines("23"), three: lines("4")}) == {three: lines("4")}
    needed = told_apart({one: lines("123", "12"), two: lines("3", "2")})  # `two` is made only where `one` is
    assert needed == {one: lines("12", "1"), two: lines("3", "2")}


@pytest.mark.parametrize(
    ("link", "held"),
    [
        ("/there/train.py:8 in main", (True, True)),
        ("/there/train.py:9 in main", (False, True)),
        ("/there/train.py:8 in other", (True, False)),
        ("/there/retrain.py:8 in main", (False, False)),
    ],
)
def test_what_a_line_asked_for_is_in_its_place(link: str, held: tuple[bool, bool]) -> None:
    entry = replace(LINE, chain=("/jax/api.py:1 in f", link))
    assert (Place(PATH, None, frozenset({8})).holds(entry), Place.of(MAIN).holds(entry)) == held


class Script:
    """A program whose `main` has a loop for each key; a fix puts the body of one under `jit`.

    Those of `inner` are in a function of their own, which `main` calls in a line before its loops. Programs are
    compiled in the first step, those under `jit` of `late` in the third.
    """

    command, repeats, calls_originals, room = CASE, False, True, 1

    def expected(self) -> dict[str, None]:
        return {CASE: None}

    def __init__(self, keys: str, programs: dict[str, int], wrong: str = "", apart: str = "", needs: str = "") -> None:
        self.keys, self.programs, self.wrong, self.apart, self.needs = keys, programs, wrong, apart, needs
        self.inner = self.late = ""
        self.runs: list[frozenset[str]] = []
        self.strays = 0
        self.dispatches: dict[str, int] = {}

    def sha256(self, path: str) -> str:
        return ""

    def text(self, made: frozenset[str]) -> bytes:
        made = made if not self.needs or self.needs[0] in made else made - {*self.needs[1:]}
        steps = "".join(f"@jit\ndef step_{key}(x):\n    return x\n" for key in self.keys if key in made)
        loops = {key: f"    for i in r:\n        {self._body(key, made)}\n    end_{key}()\n" for key in self.keys}
        inner, own = ("".join(loops[key] for key in self.keys if (key in self.inner) is side) for side in (True, False))
        work = f"def work():\n{inner}" if inner else ""
        call = "    work()\n" if inner else ""
        return f"{steps}{work}def main():\n{call}{own}".encode()

    def function(self, key: str) -> str:
        return "work" if key and key in self.inner else "main"

    def _body(self, key: str, made: frozenset[str]) -> str:
        return f"x = step_{key}(x)" if key in made else f"x = {key}(x)"

    def _count(self, key: str) -> int:
        return self.dispatches.get(key, 9)

    def original(self, path: str) -> bytes:
        return self.text(frozenset())

    def patched(self, fixes: frozenset[tuple[str, str]]) -> dict[str, bytes]:
        return {PATH: self.text(frozenset(key for _, key in fixes))} if fixes else {}

    def measure(
        self,
        sources: Mapping[str, bytes],
        cases: frozenset[str] | None = None,
        *,
        beside: bool = True,
        again: bool = False,
    ) -> tuple[Measurement, ...]:
        text = sources.get(PATH, self.original(PATH)).decode()
        made = frozenset(key for key in self.keys if f"step_{key}" in text)
        self.runs.append(made)
        is_bare = "jaxfix_probe" in text
        compiles, spent = [], []
        for key in self.keys:
            body = next(
                n for n, line in enumerate(text.splitlines(), 1) if f"= {key}(x)" in line or f"= step_{key}(" in line
            )
            chain = (f"/copy/{PATH}:{body} in {self.function(key)}",)
            if key in self.inner:
                call = text.splitlines().index("    work()") + 1
                chain = (*chain, f"/copy/{PATH}:{call} in main")
            names = [f"step_{key}"] if key in made and not is_bare else [f"{key}{i}" for i in range(self.programs[key])]
            step = 3 if key in self.late and key in made and not is_bare else 1
            compiles += [replace(LINE, chain=chain, program=f"jit({name})", step=step) for name in names]
            if key not in made:
                spent.append(
                    Spent(Kind.EAGER, PATH, body, self.function(key), chain, tuple(names), self._count(key), None, 0.0)
                )
        others = [
            replace(LINE, chain=(f"/copy/{PATH}:1 in other",), program=f"jit(new{i})") for i in range(self.strays)
        ]
        compiles += others if made and not is_bare else []
        sides = (1.0, 2.0) if self.apart and self.apart in made else (1.0, 1.0)
        value = 2.0 if self.wrong and self.wrong in made else 1.0
        run = Measurement(
            case=CASE,
            failure=None,
            stopped=None,
            compiles=tuple(compiles),
            traces=0,
            steps=tuple(Step(sum(entry.step == step for entry in compiles), 0, 0, 0.0) for step in (1, 2, 3)),
            outputs=(output(f"{PATH}:{self.function(self.wrong)} call 1", value),),
            beside=(Beside(MAIN, "perturbed", output("", sides[0]), output("", sides[1])),) if sources else (),
            razor=tuple(Razor(f"{PATH}:step_{key}", 1, 1, 1, 1, 0, 0.0, 0.0, None, 0.0) for key in made),
            stdout="",
            functions=(MAIN, f"{PATH}:work"),
            spent=(Spent(Kind.OWN, PATH, 1, "main", (), (), 0, None, 0.1), *spent),
            loaded={PATH: "0"} if sources else {},
            peak_bytes=0,
            environment=None,
        )
        return (run,)


def output(label: str, value: float) -> Output:
    return Output(label, "*", (Leaf("", "float32", (), False, str(value), (value,), 0),))


def proof(script: Script) -> dict[str, Evidence]:
    def fix(key: str) -> Fix:
        needs = Safety.NEEDS_EVIDENCE, Equality.ROUNDING, None, script.function(key), ()
        return Fix(key, "codemod", f"Mend `{key}`", Span(0, 0), (), *needs, Proves.FEWER_COMPILES)

    found = prove([(PATH, fix(key), 1) for key in script.keys], script.patched, script, lambda _: None).receipts
    return {entry.key: entry for entry in found}


@pytest.mark.parametrize("keys", ["ab", "abc", "abcdefgh"])
def test_jits_of_one_function_are_proven_in_four_runs(keys: str) -> None:
    script = Script(keys, dict.fromkeys(keys, 3))
    found = proof(script)
    assert {entry.verdict for entry in found.values()} == {Verdict.PROVEN}
    assert len(script.runs) == 4  # as it is, twice; with all; with all, the `jit` taken out
    (comparison,) = found["a"].comparisons
    assert comparison.narrow and (comparison.before.compiles, comparison.after.compiles) == (3, 1)


def test_what_a_later_step_is_first_to_need_is_no_compile_per_step() -> None:
    script = Script("abc", dict.fromkeys("abc", 3))
    script.late = "b"
    assert {entry.verdict for entry in proof(script).values()} == {Verdict.PROVEN}
    assert len(script.runs) == 4


def test_a_jit_that_is_made_only_where_another_one_is_is_proven_beside_it() -> None:
    script = Script("abc", dict.fromkeys("abc", 3), needs="ab")
    assert {entry.verdict for entry in proof(script).values()} == {Verdict.PROVEN}
    assert len(script.runs) == 4


def test_a_jit_that_saves_nothing_in_its_own_lines_is_not_proven_by_those_of_its_function() -> None:
    found = proof(Script("abc", {"a": 3, "b": 1, "c": 3}))
    assert {key: entry.verdict for key, entry in found.items()} == {
        "a": Verdict.PROVEN,
        "b": Verdict.NO_EFFECT,
        "c": Verdict.PROVEN,
    }


def test_a_wrong_jit_of_one_function_is_found_and_the_others_are_proven() -> None:
    found = proof(Script("abc", dict.fromkeys("abc", 3), wrong="b"))
    assert {key: entry.verdict for key, entry in found.items()} == {
        "a": Verdict.PROVEN,
        "b": Verdict.DIFFERENT,
        "c": Verdict.PROVEN,
    }


@pytest.mark.parametrize("keys", ["abcde", "bacde", "ecadb"])
def test_a_wrong_jit_is_looked_for_first_in_the_function_that_differs(keys: str) -> None:
    script = Script(keys, dict.fromkeys(keys, 3), wrong="b")
    script.inner = "b"
    found = proof(script)
    assert {key for key, entry in found.items() if entry.verdict is Verdict.PROVEN} == {*"acde"}
    assert found["b"].verdict is Verdict.DIFFERENT
    assert len(script.runs) == 6  # without `b` as well, with and without the added `jit`


def test_a_jit_that_differs_beside_the_original_of_the_function_is_refused() -> None:
    assert proof(Script("ab", dict.fromkeys("ab", 3), apart="b"))["b"].verdict is Verdict.DIFFERENT


def test_what_is_new_outside_of_all_their_functions_counts_against_each() -> None:
    script = Script("ab", dict.fromkeys("ab", 3))
    script.strays = 2
    assert {entry.verdict for entry in proof(script).values()} == {Verdict.PROVEN}
    assert len(script.runs) > 4  # they are left out, one by one


def test_a_jit_that_saves_dispatches_in_its_own_lines_is_proven_where_compiles_do_not_drop() -> None:
    script = Script("abc", dict.fromkeys("abc", 1))
    script.dispatches = {"a": 41_000, "b": 9_000}
    found = proof(script)
    assert {key: entry.verdict for key, entry in found.items()} == {
        "a": Verdict.PROVEN,
        "b": Verdict.PROVEN,
        "c": Verdict.NO_EFFECT,
    }
    (comparison,) = found["b"].comparisons
    assert comparison.narrow and comparison.reason == "dispatches per run 9,000 -> 0"


def test_dispatches_that_other_fixes_save_as_well_are_shared_by_a_run_without_each() -> None:
    script = Script("ab", dict.fromkeys("ab", 1))
    script.dispatches = {"a": 41_000, "b": 900}
    assert proof(script)["b"].verdict is Verdict.NO_EFFECT


@pytest.mark.parametrize("keys", ["abc", "cba", "bac"])
def test_jits_of_a_function_and_of_its_caller_are_proven_in_four_runs(keys: str) -> None:
    script = Script(keys, dict.fromkeys(keys, 3))
    script.inner = "ab"
    found = proof(script)
    assert {entry.verdict for entry in found.values()} == {Verdict.PROVEN}
    assert len(script.runs) == 4
    assert {entry.comparisons[0].before.compiles for entry in found.values()} == {3}


def test_a_jit_that_saves_nothing_is_not_proven_by_one_of_its_caller() -> None:
    script = Script("abc", {"a": 1, "b": 3, "c": 9})
    script.inner = "ab"
    assert {key: entry.verdict for key, entry in proof(script).items()} == {
        "a": Verdict.NO_EFFECT,
        "b": Verdict.PROVEN,
        "c": Verdict.PROVEN,
    }


AGENT = """\
class Agent:
    def act(self, x):
        return int(self.q(x))

    def learn(self, x):
        self.params = self.step(x)

    def sync(self):
        self.target = self.params * 0.1
"""
METHODS = {
    "act": ("return int(self.q(x))", "return int(self._act(x))", "def act(", "_act", "self.q(x)"),
    "learn": ("self.params = self.step(x)", "self.params = self._learn(x)", "def learn(", "_learn", "self.step(x)"),
    "sync": ("self.target = self.params * 0.1", "self.target = self._sync(0)", "def sync(", "_sync", "self.params * x"),
}


def agent(names: Collection[str]) -> bytes:
    """The class in which these methods call jitted ones, each written above its own with an empty line between."""
    text = AGENT
    for name in names:
        old, new, head, jitted, value = METHODS[name]
        above = (
            f"@functools.partial(jax.jit, static_argnums=0)\n    def {jitted}(self, x):\n        return {value}\n\n    "
        )
        text = text.replace(head, above + head).replace(old, new)
    return text.encode()


def test_methods_that_fixes_add_to_a_class_are_told_apart() -> None:
    lines: dict[tuple[str, str], Lines] = {}
    for name in METHODS:
        without = agent([other for other in METHODS if other != name])
        few, every, added = (
            replaced(*texts, "agent.py")
            for texts in ((AGENT.encode(), without), (AGENT.encode(), agent(METHODS)), (without, agent(METHODS)))
        )
        assert few is not None
        assert every is not None
        assert added is not None
        lines["agent.py", name] = (every[0] - few[0], added[1])
    found = told_apart(lines)
    assert {name: sorted(gone) for (_, name), (gone, _) in found.items()} == {"act": [3], "learn": [6], "sync": [9]}
