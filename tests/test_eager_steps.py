"""Steps taken out of loops: what runs before and after them runs on the same values as it did."""

import random
from pathlib import Path

import pytest
from command_line import ROOT, apart

from jaxfix.engine.analyze import analyze
from jaxfix.engine.plan import plan
from jaxfix.source.source_file import SourceFile
from jaxfix.testing import BESIDE
from jaxfix_codemods import unjitted_update

NAMES = ("a", "b", "c", "d")
OBJECT = "thing.total"
HEAD = """\
import jax
import jax.numpy as jnp


class Thing:
    def __init__(self):
        self.total = jnp.ones(())


thing = Thing()
a, b, c, d = (jnp.full((), float(number)) for number in range(4))
told = []
for turn in range(9):
"""


TAIL = "told += [float(a), float(b), float(c), float(d), float(thing.total)]\n"


def statement(chance: random.Random) -> str:
    """One that works on the device, or one that a step leaves where it is: it reports, counts, or binds in Python."""
    to, one, other = (chance.choice((*NAMES, OBJECT)) for _ in range(3))
    kinds = (
        f"{to} = jnp.sin({one}) + jnp.cos({other})",
        f"{to} = act({one}) + jnp.cos({other}) * jnp.sin({one})",
        f"{to} = jnp.sin({one}) + jnp.cos({other})",
        f"{chance.choice(NAMES)}, {to} = jnp.tanh({one}) * {other}, {one} + jnp.exp(-{other})",
        f"told.append(float({one}))",
        f"told.append({one}.item() + {other}.sum().item())",
        f"{chance.choice(NAMES)} = jnp.asarray(float({one}) + turn)",
        f"if turn > 2:\n        told.append(float({one}))",
        f"if float({one}) > 0.5:\n        {to} = {one}",
    )
    return chance.choice(kinds)


def told_by(text: str) -> list[object]:
    names: dict[str, object] = {}
    exec(compile(text, "program", "exec"), names)  # the program is ours
    return list(names["told"])  # type: ignore[call-overload]


def rewritten(text: str) -> str:
    return plan(
        SourceFile.decode("a.py", text.encode()), (unjitted_update.CODEMOD,), lambda _: None, BESIDE
    ).after.decode()


@pytest.mark.parametrize("seed", range(3))
def test_statements_beside_a_step_see_what_they_saw(seed: int) -> None:
    check(range(100 * seed, 100 * seed + 12))


@pytest.mark.slow
def test_statements_beside_a_step_see_what_they_saw_at_length() -> None:
    check(range(1000, 1300))


def check(seeds: range) -> None:
    moved = 0
    for seed in seeds:
        chance = random.Random(seed)
        act = f"    def act(v):\n        return jnp.tanh(v) * {chance.choice(NAMES)}\n"
        text = HEAD + act + "".join(f"    {statement(chance)}\n" for _ in range(chance.randint(3, 9))) + TAIL
        after = rewritten(text)
        moved += after != text
        unjitted = after.replace("@jax.jit\n", "")
        assert told_by(unjitted) == told_by(text), f"{seed}\n{text}\n{after}"
    assert moved > len(seeds) // 4


def test_nothing_is_told_of_the_function_that_a_fix_has_made(tmp_path: Path) -> None:
    """Its state cannot be donated, and whoever reads the report has not written it."""
    path = tmp_path / "script.py"
    path.write_bytes((ROOT / "golden" / "unjitted_update" / "script.py").read_bytes())
    done = apart("apply", "--unproven", "--allow-no-vcs", "--exit-zero", str(path))
    assert "def train_step(" in path.read_text() and "1 finding fixed; 0 findings remain" in done.err


def test_what_is_left_of_a_line_that_a_fix_changes_is_told(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    line = "return fast(lambda v: jax.tree_map(abs, v))(x)"
    path.write_text(
        f"import functools\nimport jax\n\n\ndef f(x):\n    fast = functools.partial(jax.jit, inline=True)\n    {line}\n"
    )
    done = apart("apply", "--unproven", "--allow-no-vcs", "--exit-zero", str(path))
    assert "jax.tree.map" in path.read_text() and "1 finding remains" in done.err


def test_a_function_on_the_other_side_of_a_cut_does_not_come_back() -> None:
    """What cannot be passed cuts a block: `act` would span the cut again, for ever."""
    text = (
        "import jax\nimport jax.numpy as jnp\n"
        "def train(batches, w, table, note):\n"
        "    for batch in batches:\n"
        "        def act(v):\n"
        "            return jnp.tanh(v) * table\n"
        "        w = act(w) + jnp.sin(batch)\n"
        "        note(table, w)\n"
        "        w = act(jnp.exp(w) * 2 + jnp.sin(w) - jnp.cos(w)) * jnp.tanh(w)\n"
        "    return w\n"
        "print(train([jnp.ones(3)] * 8, jnp.zeros(3), jnp.ones(3), print))\n"
    )
    assert "act" in rewritten(text)


def test_a_length_that_is_computed_of_itself_comes_to_an_end() -> None:
    text = (
        "import jax\nimport jax.numpy as jnp\n\ndef fit(loss, x):\n    for k in range(12):\n"
        "        n = n - x.size\n        x = x + jax.grad(loss)(x) * jnp.full(n, 2.0)\n    return x\n"
    )
    assert not analyze(SourceFile.decode("train.py", text.encode()), (unjitted_update.CODEMOD,)).bugs


_CALLED = """\
import jax
import jax.numpy as jnp


def loss(w, x):
    return jnp.mean((x @ w - 1.0) ** 2)


def step(w, x):
    return w - 0.1 * jax.grad(loss)(w, x)


class Learner:
    def __init__(self):
        self.weights = jnp.zeros(3)

    def update(self, x):
        gradient = jax.grad(loss)(self.weights, x)
        self.weights = self.weights - 0.1 * gradient
        self.weights = self.weights * 0.99


def main():
    w, learner = jnp.zeros(3), Learner()
    for i in range(9):
        w = step(w, jnp.ones((4, 3)) * i)
    for i in range(9):
        learner.update(jnp.ones((4, 3)) * i)
    print(w, learner.weights)


main()
"""


def test_a_run_judges_the_function_that_is_rewritten_and_not_its_caller() -> None:
    source = SourceFile.decode("a.py", _CALLED.encode())
    fixes = plan(source, (unjitted_update.CODEMOD,), lambda _: None, BESIDE).applied
    assert sorted(fix.function for fix in fixes) == ["Learner.update", "step"]
