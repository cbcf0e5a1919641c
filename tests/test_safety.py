"""What is called safe: snippets that tell a moved function from the original, and some that cannot.

Each file of `safety` begins with lines that all of its snippets share. Each snippet was run before and after the fix
when it was found: in all but those of `safe.txt` the fix changed a value, an exception or a warning.
"""

import importlib
import re
import warnings
from pathlib import Path

import jax
import pytest

from jaxfix.engine.analyze import Found, analyze
from jaxfix.engine.project import joined
from jaxfix.library import lasting
from jaxfix.report.finding import Safety
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.source_file import SourceFile
from jaxfix_codemods import local_jit, local_loop_function, removed_api

SNIPPETS = Path(__file__).parent / "safety"
CODEMODS = (local_jit.CODEMOD, local_loop_function.CODEMOD)
TELLING = ("import_time", "trees", "pytree_classes", "settings", "warnings", "deletion", "scope")


def snippets(*files: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for file in files:
        shared, *parts = re.split(r"^#### (\S+)\n", (SNIPPETS / f"{file}.txt").read_text(), flags=re.M)
        for name, text in zip(parts[::2], parts[1::2], strict=True):
            found.append((f"{file}-{name}", text if text.startswith("from __future__") else shared + text))
    return found


def fixes(text: str) -> list[Found]:
    analysis = analyze(SourceFile.decode("case.py", text.encode()), CODEMODS)
    assert not analysis.bugs
    return [each for each in analysis.found if each.finding.declined is None]


@pytest.mark.parametrize(
    ("name", "text"), snippets(*TELLING), ids=lambda value: value[:50] if "\n" not in value else ""
)
def test_what_can_be_told_apart_needs_evidence(name: str, text: str) -> None:
    assert {each.safety for each in fixes(text)} == {Safety.NEEDS_EVIDENCE}, name


@pytest.mark.parametrize(
    ("name", "text"), snippets("rebinding"), ids=lambda value: value[:50] if "\n" not in value else ""
)
def test_what_may_be_rebound_is_retraced_or_left_alone(name: str, text: str) -> None:
    assert Safety.SAFE not in {each.safety for each in fixes(text)}, name


def test_a_name_that_python_normalises_is_left_alone() -> None:
    text = "import jax\n\n\ndef f(x):\n    def \ufb01ne(v):\n        return v * 2\n    return jax.jit(fine)(x)\n"
    assert [each.finding.recipe for each in analyze(SourceFile.decode("case.py", text.encode()), CODEMODS).found] == [
        None
    ]


@pytest.mark.parametrize(("name", "text"), snippets("safe"), ids=lambda value: value[:50] if "\n" not in value else "")
def test_what_cannot_be_told_apart_is_safe(name: str, text: str) -> None:
    assert {each.safety for each in fixes(text)} == {Safety.SAFE}, name


@pytest.mark.parametrize(("made", "safety"), [("numpy.zeros(3)", Safety.SAFE), ("listed()", Safety.NEEDS_EVIDENCE)])
def test_containers_that_change_their_names_are_followed_to_an_end(made: str, safety: Safety) -> None:
    swap = "old = near\n    near = far\n    far = old\n    near[i] = 1.0\n"
    variables = f"def fill(i):\n    near = {made}\n    far = {made}\n    {swap}"
    attribute = (
        f"class Rows:\n  def put(self, i):\n    self.rows = {made}\n    old = self.rows\n    self.rows[i] = old\n"
    )
    for text in (variables, attribute):
        assert safeties(f"import numpy\n\n{text}") == {safety}


def test_a_variable_that_is_made_of_itself_is_followed_to_an_end() -> None:
    keys = "def table():\n    global names\n    names = {}(names)\n    return {{n: 1 for n in names}}\n"
    assert safeties(keys.format("list")) == {Safety.SAFE}
    assert safeties(keys.format("listed")) == {Safety.NEEDS_EVIDENCE}


def test_a_class_of_another_file_counts() -> None:
    """The file with the loop does not know of it: only the project does."""
    assert safeties("import case\n\nwhile True:\n    print(case.run(1.0))\n") == {Safety.SAFE}
    assert safeties("import jax\njax.tree_util.register_pytree_node(S, list, list)\n") == {Safety.NEEDS_EVIDENCE}
    assert safeties("import equinox\n") == {Safety.NEEDS_EVIDENCE}


PATCHES = {
    "by helper": "def put(owner, name, value):\n    setattr(owner, name, value)\n\nput(lax, 'fori_loop', fake)\n",
    "by partial": "import functools\nput = functools.partial(setattr, lax)\nput('fori_loop', fake)\n",
    "by dunder": "lax.__setattr__('fori_loop', fake)\n",
    "by exec": "exec('lax.fori_loop = fake')\n",
    "by setitem": "import operator\noperator.setitem(vars(lax), 'fori_loop', fake)\n",
    "mock object": "from unittest import mock\nmock.patch.object(lax, 'fori_loop', fake).start()\n",
    "mock decorator": "from unittest.mock import patch\n@patch.object(lax, 'fori_loop')\ndef test(fake):\n    pass\n",
    "mock multiple": "from unittest.mock import patch\npatch.multiple(lax, fori_loop=fake).start()\n",
    "mock dict": "from unittest.mock import patch\npatch.dict(vars(lax), names).start()\n",
    "mock by name": "import unittest.mock\nswap = unittest.mock.patch.object\nswap(lax, 'fori_loop', fake).start()\n",
}


@pytest.mark.parametrize("patch", PATCHES.values(), ids=PATCHES)
def test_what_another_file_puts_in_the_place_of_a_function_of_jax_counts(patch: str) -> None:
    assert Safety.SAFE not in safeties(f"from jax import lax\n\n{patch}")


def test_a_function_of_jax_that_is_read_or_handed_on_is_not_replaced() -> None:
    text = "import jax\nfrom jax import lax\n\nf = jax.vmap(lax.exp)\nprint(hasattr(lax, 'scan'), map(jax.jit, [f]))\n"
    assert safeties(text) == {Safety.SAFE}


def safeties(other: str) -> set[Safety | None]:
    loop = "from jax import lax\n\ndef run(s):\n    return lax.fori_loop(0, 3, lambda i, c: c * 2, s)\n"
    texts = {"case": loop, "other": other}
    files = [(SourceFile.decode(f"{name}.py", text.encode()), Surroundings(name)) for name, text in texts.items()]
    around = Surroundings("case", project=joined(files))
    return {each.safety for each in analyze(files[0][0], CODEMODS, surroundings=around).found}


def test_names_that_last_are_there_and_warn_of_nothing() -> None:
    """In the installed release."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in lasting.names():
            package, _, last = name.rpartition(".")
            owner = jax.config if package == "jax.config" else importlib.import_module(package)
            assert hasattr(owner, last), name


def test_a_removed_name_is_never_safe_and_not_renamed_where_a_caller_takes_its_error() -> None:
    """Other code runs with the fix: who asks for a version agrees to that but where a handler is in sight."""
    text = "import jax\n\ndef twice(tree):\n    return jax.tree_map(lambda v: 2 * v, tree)\n\n"
    handled = text + "try:\n    print(twice([1.0]))\nexcept {}:\n    print('gone')\n"
    found = {
        kind: analyze(SourceFile.decode("main.py", source.encode()), (removed_api.CODEMOD,)).found[0]
        for kind, source in {"": text, **{k: handled.format(k) for k in ("AttributeError", "KeyError")}}.items()
    }
    assert {each.safety for each in found.values()} == {Safety.NEEDS_EVIDENCE}
    assert {kind: each.finding.renames for kind, each in found.items()} == {
        "": True,
        "AttributeError": False,
        "KeyError": True,
    }


@pytest.mark.parametrize(
    ("members", "is_renamed"),
    [("np.ndarray, jnp.DeviceArray", True), ("jnp.ndarray, jnp.DeviceArray", False), ("Any, jax.Array", None)],
)
def test_a_union_of_which_one_member_is_left_is_not_renamed(members: str, is_renamed: bool | None) -> None:
    """`Array.__args__` of another file raises then."""
    head = "import jax\nimport jax.numpy as jnp\nimport numpy as np\nfrom typing import Any, Union\n\n"
    text = f"{head}Array = Union[{members}]\n"
    found = analyze(SourceFile.decode("case.py", text.encode()), (removed_api.CODEMOD,)).found
    assert [each.finding.renames for each in found] == ([] if is_renamed is None else [is_renamed])


@pytest.mark.parametrize(
    "patch",
    [
        "import jax\njax.tree_map = lambda f, tree: tree\n",
        "import jax\nsetattr(jax, 'tree_' + 'map', max)\n",
        "import jax\nvars(jax)['tree_map'] = max\n",
        "import jax\nfrom unittest import mock\nmock.patch.object(jax, 'tree_map', max, create=True).start()\n",
    ],
)
@pytest.mark.parametrize("is_own", [False, True], ids=["another file", "the file itself"])
def test_a_name_that_the_project_gives_back_is_not_renamed(patch: str, *, is_own: bool) -> None:
    text = "import jax\n\ndef twice(tree):\n    return jax.tree_map(lambda v: 2 * v, tree)\n"
    texts = {"case": text + patch} if is_own else {"case": text, "other": patch}
    files = [(SourceFile.decode(f"{name}.py", text.encode()), Surroundings(name)) for name, text in texts.items()]
    around = Surroundings("case", project=joined(files))
    found = analyze(files[0][0], (removed_api.CODEMOD,), surroundings=around).found
    is_in_sight = is_own and "jax.tree_map =" in patch  # then it is no old name at all
    assert bool(found) is not is_in_sight and not any(each.finding.renames for each in found)
