"""What newer versions removed: the versions that decide."""

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
    text = "import jax\n\nkind = jax.lib.xla_bridge.get_backend().platform\n"
    (found,) = analysed(text, around).found
    assert found.finding.declined is not None and found.finding.declined.code is Code.OLDER_VERSION
    assert found.finding.declined.text.startswith("`jax.extend.backend.get_backend` came with jax 0.4.32")
    assert rewritten(text, around) == text


def test_names_of_one_import_that_stay_for_one_reason_are_one_finding() -> None:
    text = (
        "from jax.experimental.stax import Conv, Dense, Relu, serial\n"
        "from jax.experimental.optimizers import adam\n"
        "from jax import device_put_sharded, tree_map\n"
    )
    found = analysed(text, Surroundings(oldest_jax=(0, 2, 10), jax=(0, 10, 2))).found
    first, second, *others = (each.finding.message for each in found)
    assert first.startswith("`jax.experimental.stax.Conv`, `jax.experimental.stax.Dense` and 2 more are gone")
    assert second.startswith("`jax.experimental.optimizers.adam` is gone")
    assert len(others) == 2  # of two fates


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("jnp.clip(x, a_min=0, a_max=1)", "jnp.clip(x, 0, 1)"),
        ("jnp.clip(x, 0, a_max=1)", "jnp.clip(x, 0, 1)"),
        ("jnp.clip(x, a_max=1)", "jnp.clip(x, None, 1)"),
        ("jnp.clip(x, a_min=0)", "jnp.clip(x, 0)"),
        ("jnp.reshape(x, newshape=(2, -1))", "jnp.reshape(x, (2, -1))"),
        ("jnp.clip(x, a_max=f(), a_min=g())", None),  # which come in another order then
        ("jnp.clip(a=x, a_min=0)", None),
        ("jnp.clip(*x, a_min=0)", None),
        ("jnp.clip(x, out=None, a_min=0)", None),
        ("functools.partial(jnp.clip, a_min=0)", None),
    ],
)
def test_what_every_version_takes_by_position_is_passed_so(old: str, new: str | None) -> None:
    text = "import functools\n\nimport jax.numpy as jnp\n\ny = {}\n"
    around = Surroundings(jax=(0, 10, 2), oldest_jax=(0, 4, 20))
    assert rewritten(text.format(old), around) == text.format(new or old)


OPTAX = "import optax\n\nn = optax.tree_utils.tree_scalar_mul(2.0, {})\n"


@pytest.mark.parametrize(
    ("around", "told", "written"),
    [
        (ALONE, True, True),
        (Surroundings(libraries=(("optax", (0, 2, 8)),)), True, True),
        (Surroundings(libraries=(("optax", (0, 2, 4)),)), False, False),  # which warns of nothing
        (Surroundings(libraries=(("optax", (0, 2, 8)),), floors=(("optax", (0, 2, 3)),)), True, False),
        (Surroundings(floors=(("optax", (0, 2, 4)),)), True, False),
        (Surroundings(floors=(("chex", (0, 1, 0)),)), True, True),
    ],
)
def test_the_version_of_the_library_decides_what_is_written(around: Surroundings, told: bool, written: bool) -> None:
    assert (bool(analysed(OPTAX, around).found), "optax.tree.scale" in rewritten(OPTAX, around)) == (told, written)


def test_a_finding_says_which_versions_do_what() -> None:
    (found,) = analysed(CLIP).found
    assert found.finding.fate == Fate("jax", warns="0.4.27", raises="0.10.0")


@pytest.mark.parametrize(("came_from", "told"), [(None, 0), ((0, 4, 30), 1), ((0, 5, 0), 0)])
def test_another_meaning_is_told_of_code_from_before(came_from: tuple[int, ...] | None, told: int) -> None:
    text = "import jax\nk = jax.random.PRNGKey(0)\na = jax.random.normal(k)\nb = jax.random.uniform(k)\n"
    found = analysed(text, Surroundings(jax=(0, 10, 2), came_from=came_from)).found
    assert [each.finding.fate for each in found] == [Fate("jax", differs="0.5.0")] * told


@pytest.mark.parametrize(
    ("call", "origin", "told"),
    [
        ("adabelief(0.1)", (0, 2, 3), 1),
        ("adabelief(0.1)", (0, 2, 4), 0),
        ("contrib.prodigy()", (0, 1, 8), 1),
        ("contrib.prodigy(0.1)", (0, 1, 8), 0),
        ("contrib.prodigy(learning_rate=0.1)", (0, 1, 8), 0),
    ],
)
def test_another_meaning_of_a_library_is_told_of_code_from_before(
    call: str, origin: tuple[int, ...], told: int
) -> None:
    around = Surroundings(jax=(0, 10, 2), came_from=(0, 4, 13), origins=(("optax", origin),))
    found = analysed(f"import optax\n\nt = optax.{call}\n", around).found
    assert [each.finding.fate.package for each in found if each.finding.fate] == ["optax"] * told


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("gamma(k, 0.5)", True),
        ("gamma(k, a)", True),
        ("gamma(k, 2.0, (3,))", False),
        ("gamma(k, a=0.5)", True),
        ("beta(k, 2.0, 0.5)", True),
        ("beta(k, 1, 2)", False),
        ("chisquare(k, 1.5)", True),
        ("chisquare(k, 3)", False),
        ("dirichlet(k, a)", True),
    ],
)
def test_a_gamma_below_one_draws_otherwise(call: str, told: bool) -> None:
    text = f"import jax\n\n\ndef draw(k, a):\n    return jax.random.{call}\n"
    found = analysed(text, Surroundings(jax=(0, 10, 2), came_from=(0, 4, 13))).found
    assert any("a gamma parameter below one" in each.finding.message for each in found) == told


def test_a_stack_of_vectors_is_told_and_left() -> None:
    text = "import jax.numpy as jnp\n\n\ndef f(a, b):\n    return jnp.linalg.solve(a, b)\n"
    around = Surroundings(jax=(0, 10, 2), came_from=(0, 4, 30))
    (found,) = analysed(text, around).found
    assert found.finding.recipe is None and "treats a stack of vectors as matrices" in found.finding.message
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
        "tree_map = getattr(jax, 'tree_map', None)\n",
        "try:\n    tree_map = getattr(jax, 'tree_map')\nexcept AttributeError:\n    tree_map = jax.tree.map\n",
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


@pytest.mark.parametrize(
    "text",
    [
        "for x in x:\n    x.device()\n",
        "y = [x.device() for x in x]\n",
        "for x in y:\n    for y in x:\n        x.device()\n",
    ],
)
def test_an_item_of_itself_is_not_an_array(text: str) -> None:
    assert analysed(f"import jax\nfrom mine import *\n{text}").found == ()


QUOTED = """from typing import *
import typing as t
from typing import Annotated, Dict, List, Literal, Optional, TypeVar, Union, cast

import jax
import jax.numpy as jnp

{}
"""


@pytest.mark.parametrize("name", ["jnp.DeviceArray", "jax.numpy.DeviceArray", "jax.random.KeyArray"])
@pytest.mark.parametrize(
    ("text", "is_type"),
    [
        ("def f(x: '{}'): ...", True),
        ("def f(*x: '{}', **y: int): ...", True),
        ("def f() -> '{}': ...", True),
        ("async def f() -> 'Optional[{}]': ...", True),
        ("x: 'Dict[str, {}]'", True),
        ("x: '{} | None' = None", True),
        ("class A:\n    x: Optional['{}']", True),
        ("A = List['{}']", True),
        ("A = list['{}']", True),
        ("A = Union[int, Dict[str, '{}']]", True),
        ("A = cast('{}', jnp.ones(3))", True),
        ("A = t.TypeVar('A', bound='{}')", True),
        ("A = TypeVar('A', int, '{}')", True),
        ("x: Annotated['{}', 'a']", True),
        ("x: Annotated[int, '{}']", False),
        ("x: Literal['{}']", False),
        ("x: Float['{}', 'n']", False),
        ("x = '{}'", False),
        ("x: str = '{}'", False),
        ("def f(x='{}'): '{}'", False),
        ("A = TypeVar('{}')", False),
        ("A = cast(str, '{}')", False),
        ("x = {{'{}': 1}}['{}']", False),
        ("x = ['{}']", False),
        ("print('{}')", False),
        ("getattr(jax, '{}')", False),
        ("def f(jnp, jax):\n    x: '{}'", False),
        ("def f():\n    jax = jnp = 1\n    x: '{}'", False),
    ],
)
def test_of_strings_types_alone_are_rewritten(text: str, name: str, *, is_type: bool) -> None:
    before, after = (QUOTED.format(text.format(*[each] * 2)) for each in (name, "jax.Array"))
    assert rewritten(before) == (after if is_type else before)


@pytest.mark.parametrize(
    ("head", "title"),
    [
        ("import jax.numpy as jnp", "Use `jax.numpy.ndarray`"),
        ("import jax\nimport jax.numpy as jnp", "Use `jax.Array`"),
    ],
)
@pytest.mark.parametrize("annotation", ['"jnp.DeviceArray"', "jnp.DeviceArray"])
def test_the_title_names_the_type_that_is_written(head: str, title: str, annotation: str) -> None:
    text = f"from __future__ import annotations\n{head}\n\ndef f(x: {annotation}):\n    return x\n"
    (found,) = analysed(text).found
    assert found.finding.title == title
    assert ("jnp.ndarray" in rewritten(text)) == ("numpy" in title)
