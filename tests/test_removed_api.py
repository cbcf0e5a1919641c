"""What newer versions removed: the versions that decide, and rewrites that a careless one gets wrong."""

import json
import subprocess
import sys
from dataclasses import dataclass

import pytest

from jaxfix.engine.analyze import Analysis, analyze
from jaxfix.engine.plan import plan
from jaxfix.library.changes.row import Life, Name, Way
from jaxfix.library.changes.table import NAMES, ROWS
from jaxfix.report.finding import Fate
from jaxfix.report.reason import Code
from jaxfix.semantic.project.surroundings import ALONE, Surroundings
from jaxfix.source.source_file import SourceFile
from jaxfix_codemods import CODEMODS

CODEMOD = [codemod for codemod in CODEMODS if codemod.id == "removed-api"]
CLIP = "import jax.numpy as jnp\ny = jnp.clip(x, a_min=0)\n"


def analysed(text: str, around: Surroundings = ALONE) -> Analysis:
    found = analyze(SourceFile.decode("a.py", text.encode()), CODEMOD, surroundings=around)
    assert found.bugs == ()
    return found


def rewritten(text: str, around: Surroundings = ALONE) -> str:
    return plan(SourceFile.decode("a.py", text.encode()), CODEMOD, lambda fix: None, around).after.decode()


@pytest.mark.parametrize(
    ("jax", "found"),
    [((0, 4, 26), 0), ((0, 4, 27), 1), ((0, 10, 2), 1), (None, 1)],
    ids=["before", "warns", "gone", "?"],
)
def test_the_version_in_use_decides_what_is_found(jax: tuple[int, ...] | None, found: int) -> None:
    assert len(analysed(CLIP, Surroundings(jax=jax)).found) == found


def test_what_a_version_of_the_project_lacks_is_not_written() -> None:
    around = Surroundings(oldest_jax=(0, 4, 20))
    (found,) = analysed(CLIP, around).found
    assert found.finding.declined is not None and found.finding.declined.code is Code.OLDER_VERSION
    assert rewritten(CLIP, around) == CLIP


def test_a_finding_says_which_versions_do_what() -> None:
    (found,) = analysed(CLIP).found
    assert found.finding.fate == Fate("jax", warns="0.4.27", raises="0.10.0")


@pytest.mark.parametrize(("came_from", "told"), [(None, 0), ((0, 4, 30), 1), ((0, 5, 0), 0)])
def test_another_meaning_is_told_of_code_from_before(came_from: tuple[int, ...] | None, told: int) -> None:
    text = "import jax\nk = jax.random.PRNGKey(0)\na = jax.random.normal(k)\nb = jax.random.uniform(k)\n"
    found = analysed(text, Surroundings(jax=(0, 10, 2), came_from=came_from)).found
    assert [each.finding.fate for each in found] == [Fate("jax", differs="0.5.0")] * told


def test_a_stack_of_vectors_is_told_and_left() -> None:
    text = "import jax.numpy as jnp\n\n\ndef f(a, b):\n    return jnp.linalg.solve(a, b)\n"
    around = Surroundings(jax=(0, 10, 2), came_from=(0, 4, 30))
    (found,) = analysed(text, around).found
    assert found.finding.recipe is None and "takes a stack of vectors for matrices" in found.finding.message
    assert rewritten(text, around) == text


def test_a_package_is_not_told_what_it_has_itself() -> None:
    text = "from flax import optim\nimport jax\n\nx = jax.tree_leaves(optim)\n"
    assert [len(analysed(text, Surroundings(name=name)).found) for name in ("flax.core.lift", "mine.lift")] == [1, 2]


@pytest.mark.parametrize(
    "text",
    [
        'def f(t):\n    if hasattr(jax, "tree"):\n        return jax.tree.map(g, t)\n    return jax.tree_map(g, t)\n',
        "def f(t):\n    try:\n        return t\n    except AttributeError:\n        t = 1\n    jax.tree_leaves(t)\n",
        "if jax.__version__ < '0.5':\n    tree_map = jax.tree_map\n",
        "tree_map = getattr(jax, 'tree_map')\n",
    ],
)
def test_code_that_asks_for_the_version_is_left_alone(text: str) -> None:
    assert analysed(f"import jax\n{text}").found == ()


def test_a_method_is_rewritten_of_what_is_known_to_be_an_array() -> None:
    known = "import jax.numpy as jnp\nimport numpy as np\nx = jnp.ones(3).to_py()\n"
    assert rewritten(known).endswith("x = np.asarray(jnp.ones(3))\n")
    assert analysed("def f(x):\n    return x.to_py()\n").found == ()


def test_a_row_is_one_of_its_kind() -> None:
    assert len({row.old for row in NAMES}) == len(NAMES)
    assert all(row.steps for row in NAMES if row.way is Way.BY_HAND)
    assert all(row.new for row in NAMES if row.way is not Way.BY_HAND)
    assert len(ROWS) == len(set(ROWS))


def test_a_template_names_its_parameters() -> None:
    row = Name("a.f", "{x}.g({y})", Way.REWRITE, Life("", "1.0"), parameters=("x", "y"))
    assert all(f"{{{parameter}" in row.new for parameter in row.parameters)


@dataclass(frozen=True)
class Trap:
    """A line of old code, what it did, and what a careless rewrite makes of it instead."""

    old: str
    meant: str
    careless: str


TRAPS = {
    "keywords of clip are mapped by name, not by order": Trap(
        "jnp.clip(x, a_max=3.0, a_min=2.0)", "jnp.minimum(jnp.maximum(x, 2.0), 3.0)", "jnp.clip(x, 3.0, 2.0)"
    ),
    "index_add adds up what is indexed twice": Trap(
        "jax.ops.index_add(x, jnp.array([0, 0]), 1.0)",
        "x + jnp.array([2.0, 0, 0, 0])",
        "x.at[jnp.array([0, 0])].set(x[jnp.array([0, 0])] + 1.0)",
    ),
    "an operator binds more loosely than `.at`": Trap(
        "jax.ops.index_update(x + 1, 0, 0.0)",
        "(x + 1) * jnp.array([0.0, 1, 1, 1])",
        "x + (1 * jnp.ones(4)).at[0].set(0.0)",
    ),
    "a power binds more tightly than a minus": Trap("jnp.NINF**2", "jnp.inf", "-jnp.inf**2"),
    "in1d is flat": Trap(
        "jnp.in1d(x.reshape(2, 2), x[:1])", "jnp.array([True, False, False, False])", "jnp.isin(x.reshape(2, 2), x[:1])"
    ),
    "msort sorts along the first axis": Trap(
        "jnp.msort(x[::-1].reshape(2, 2))", "jnp.array([[2.0, 1.0], [4.0, 3.0]])", "jnp.sort(x[::-1].reshape(2, 2))"
    ),
    "tie_in returns the second": Trap("jax.lax.tie_in(x, x + 1)", "x + 1", "x"),
    "shuffle draws rows apart": Trap(
        "jax.random.shuffle(key, big, axis=1)",
        "jax.random.permutation(key, big, 1, independent=True)",
        "jax.random.permutation(key, big, 1)",
    ),
    "fix rounds to zero": Trap("jnp.fix(-x / 4)", "jnp.array([-0.0, -0.0, -0.0, -1.0])", "jnp.floor(-x / 4)"),
    "quantile keeps its method": Trap(
        'jnp.quantile(x, 0.4, interpolation="lower")', "jnp.float32(2.0)", "jnp.quantile(x, 0.4)"
    ),
    "a second argument of tree_l2_norm is not an order": Trap(
        "optax.tree_utils.tree_l2_norm(x, True)", "jnp.float32(30.0)", "optax.tree.norm(x, True)"
    ),
    "a bound that is kept by its name": Trap(
        "jnp.percentile(x, 40.0, interpolation='higher')", "jnp.float32(3.0)", "jnp.percentile(x, 40.0)"
    ),
    "the order of named tuples of keywords is that of the call": Trap(
        "jax.ops.index_update(y=9.0, idx=0, x=x)", "jnp.array([9.0, 2, 3, 4])", "jnp.asarray(9.0).at[...].set(x[0])"
    ),
}
PREAMBLE = """\
import jax
import jax.numpy as jnp
import optax

x = jnp.arange(1.0, 5.0)
key = jax.random.PRNGKey(3)
big = jnp.arange(12.0).reshape(3, 4)
"""
RUN = """\
import json, sys
said = []
for source in json.load(sys.stdin):
    there = {}
    exec(source, there)
    said.append(repr(there["out"].tolist()) if hasattr(there["out"], "tolist") else repr(there["out"]))
print(json.dumps(said))
"""


@pytest.fixture(scope="module")
def results() -> dict[str, tuple[str, str, str]]:
    """What rewritten, meant and careless code comes to, of each trap."""
    sources = []
    for trap in TRAPS.values():
        fixed = rewritten(f"{PREAMBLE}out = {trap.old}\n")
        assert trap.old not in fixed
        sources += [fixed, f"{PREAMBLE}out = {trap.meant}\n", f"{PREAMBLE}out = {trap.careless}\n"]
    asked = json.dumps(sources)
    done = subprocess.run([sys.executable, "-c", RUN], input=asked, capture_output=True, text=True, check=True)
    said = json.loads(done.stdout.splitlines()[-1])
    return {name: tuple(said[3 * n : 3 * n + 3]) for n, name in enumerate(TRAPS)}


@pytest.mark.parametrize("name", TRAPS)
def test_a_rewrite_does_what_the_old_code_did(name: str, results: dict[str, tuple[str, str, str]]) -> None:
    fixed, meant, careless = results[name]
    assert fixed == meant != careless
