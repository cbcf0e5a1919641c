"""The verbs that change what an import binds: every form of import, and all that keeps one that is no longer used."""

import ast
from collections import Counter
from dataclasses import replace

import pytest
from test_facts import joined, sources

from jaxfix.rewrite.rewriter import EditRecorder
from jaxfix.semantic.module import Module
from jaxfix.semantic.project.surroundings import ALONE, Surroundings
from jaxfix.source.edits import apply_edits
from jaxfix.source.errors import SourceError
from jaxfix.source.source_file import SourceFile
from jaxfix.source.tokens import comments

MOVED = {"tree_map": "jax.tree.map", "tree_leaves": "jax.tree.leaves", "vmap": "lib.batch.vmap"}


def parsed(text: str, path: str = "a.py", surroundings: Surroundings = ALONE) -> Module:
    return Module.parse(SourceFile.decode(path, text.encode()), surroundings)


def done(module: Module, recorder: EditRecorder) -> str:
    """The text after the recipe; it parses, and has every comment that was there."""
    before = module.source.text
    after = apply_edits(before, recorder.edits)
    ast.parse(after)
    had, has = (Counter(comment.text for comment in comments(text)) for text in (before, after))
    assert not had - has
    return after.decode()


def renamed(text: str) -> str:
    """What becomes of imports of names that have moved."""
    module = parsed(text)
    recorder = EditRecorder(module)
    for alias in module.nodes(ast.alias):
        if alias.name in MOVED:
            recorder.rename_import(alias, MOVED[alias.name])
    return done(module, recorder)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from jax import tree_map\n", "from jax.tree import map as tree_map\n"),
        ("from jax import tree_map as tm\n", "from jax.tree import map as tm\n"),
        ("from jax import tree_map as map\n", "from jax.tree import map\n"),
        ("from jax import vmap\n", "from lib.batch import vmap\n"),
        ("from jax import vmap as vmap\n", "from lib.batch import vmap as vmap\n"),
        ("from jax import tree_map  # why\n", "from jax.tree import map as tree_map  # why\n"),
        (
            "from jax import tree_map, tree_leaves as tl\n",
            "from jax.tree import map as tree_map, leaves as tl\n",
        ),
        (
            "from jax import tree_map, vmap\n",
            "from jax.tree import map as tree_map\nfrom lib.batch import vmap\n",
        ),
        ("from jax import jit, tree_map\n", "from jax import jit\nfrom jax.tree import map as tree_map\n"),
        ("from jax import tree_map, jit\n", "from jax import jit\nfrom jax.tree import map as tree_map\n"),
        (
            "from jax import jit, tree_map, grad, tree_leaves\n",
            "from jax import jit, grad\nfrom jax.tree import map as tree_map, leaves as tree_leaves\n",
        ),
        (
            "from jax import tree_map, tree_leaves, jit  # of jax\n",
            "from jax import jit  # of jax\nfrom jax.tree import map as tree_map, leaves as tree_leaves\n",
        ),
        (
            "from jax import jit, tree_map  # noqa: F401\n",
            "from jax import jit  # noqa: F401\nfrom jax.tree import map as tree_map  # noqa: F401\n",
        ),
        ("from jax import (tree_map)\n", "from jax.tree import (map as tree_map)\n"),
        ("from jax import (jit, tree_map,)\n", "from jax import (jit,)\nfrom jax.tree import map as tree_map\n"),
        (
            "from jax import (\n    jit,\n    tree_map,\n    vmap,\n)\n",
            "from jax import (\n    jit,\n)\nfrom jax.tree import map as tree_map\nfrom lib.batch import vmap\n",
        ),
        (
            "from jax import (  # all\n    jit,  # compile\n    tree_map,  # of trees\n    grad\n)\n",
            "from jax import (  # all\n    jit,  # compile\n    grad\n)\n"
            "from jax.tree import map as tree_map  # of trees\n",
        ),
        (
            "from jax import (\n    tree_map,  # noqa\n    jit,\n    tree_leaves,  # noqa\n)\n",
            "from jax import (\n    jit,\n)\n"
            "from jax.tree import map as tree_map  # noqa\nfrom jax.tree import leaves as tree_leaves  # noqa\n",
        ),
        (
            "from jax import (\n    # trees\n    tree_map,\n    # programs\n    jit,\n)\n",
            "from jax import (\n    # trees\n    # programs\n    jit,\n)\nfrom jax.tree import map as tree_map\n",
        ),
        (
            "from jax import (\n    tree_map,  # why\n    tree_leaves\n)\n",
            "from jax.tree import (\n    map as tree_map,  # why\n    leaves as tree_leaves\n)\n",
        ),
        (
            "from jax import (jit, tree_map,  # both\n                 grad)\n",
            "from jax import (jit,  # both\n                 grad)\nfrom jax.tree import map as tree_map\n",
        ),
        (
            "from jax import (tree_map,  # first\n                 grad)\n",
            "from jax import (  # first\n                 grad)\nfrom jax.tree import map as tree_map\n",
        ),
        (
            "from jax import (jit,  # first\n                 tree_map)\n",
            "from jax import (jit,  # first\n                 )\nfrom jax.tree import map as tree_map\n",
        ),
        ("from jax import jit, \\\n    tree_map\n", "from jax import jit\nfrom jax.tree import map as tree_map\n"),
        ("from jax import tree_map, \\\n    jit\n", "from jax import jit\nfrom jax.tree import map as tree_map\n"),
        ("from jax \\\n  import tree_map\n", "from jax.tree \\\n  import map as tree_map\n"),
        ("from . import tree_map\n", "from jax.tree import map as tree_map\n"),
        ("from ..a.b import tree_map\n", "from jax.tree import map as tree_map\n"),
        (
            "def f(x):\n    from jax import jit, tree_map\n\n    return tree_map(jit, x)\n",
            "def f(x):\n    from jax import jit\n    from jax.tree import map as tree_map\n\n"
            "    return tree_map(jit, x)\n",
        ),
        (
            "try:\n    from jax import jit, tree_map\nexcept ImportError:\n    pass\n",
            "try:\n    from jax import jit\n    from jax.tree import map as tree_map\nexcept ImportError:\n    pass\n",
        ),
        (
            "try: from jax import tree_map\nfinally: pass\n",
            "try: from jax.tree import map as tree_map\nfinally: pass\n",
        ),
        (
            "import os; from jax import jit, tree_map; x = 1\n",
            "import os\nfrom jax import jit\nfrom jax.tree import map as tree_map\nx = 1\n",
        ),
        (
            "if x: from jax import jit, tree_map\n",
            "if x:\n    from jax import jit\n    from jax.tree import map as tree_map\n",
        ),
        (
            "from jax import jit, tree_map\r\nx = 1\r\n",
            "from jax import jit\r\nfrom jax.tree import map as tree_map\r\nx = 1\r\n",
        ),
        (
            "from jax import (\r\n    jit,\r\n    tree_map,\r\n)\r\n",
            "from jax import (\r\n    jit,\r\n)\r\nfrom jax.tree import map as tree_map\r\n",
        ),
    ],
)
def test_an_imported_name_comes_from_elsewhere(before: str, after: str) -> None:
    assert renamed(before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import jax.tree_util as jtu\n", "import jax.tree as jtu\n"),
        ("import os, jax.tree_util as jtu  # both\n", "import os, jax.tree as jtu  # both\n"),
        ("import jax.tree_util\n", "import jax.tree\n"),
        ("def f():\n    import jax.tree_util as jtu\n", "def f():\n    import jax.tree as jtu\n"),
    ],
)
def test_a_module_comes_from_elsewhere(before: str, after: str) -> None:
    module = parsed(before)
    recorder = EditRecorder(module)
    recorder.rename_import(next(a for a in module.nodes(ast.alias) if a.name == "jax.tree_util"), "jax.tree")
    assert done(module, recorder) == after


def test_a_star_is_no_name() -> None:
    module = parsed("from jax import *\n")
    with pytest.raises(SourceError, match="line 1 cannot be rewritten: it imports every name of a module"):
        EditRecorder(module).rename_import(module.nodes(ast.alias)[0], "jax.tree.map")


# --- what nothing uses any more -------------------------------------------------------------------------------


def removed(text: str, name: str = "old", path: str = "a.py", surroundings: Surroundings = ALONE) -> str:
    """What becomes of a file where `new` takes the place of each call, and the import of `old` is to go."""
    module = parsed(text, path, surroundings)
    recorder = EditRecorder(module)
    for use in module.nodes(ast.Call):
        recorder.replace(use, "new")
    for alias in module.nodes(ast.alias):
        if (alias.asname or alias.name).partition(".")[0] == name:
            recorder.remove_import(alias)
    return done(module, recorder)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from a import old\n\nx = old()\n", "x = new\n"),
        ("import old\n\nx = old.f()\n", "x = new\n"),
        ("import old.part\n\nx = old.part.f()\n", "x = new\n"),
        ("import a.b as old\n\nx = old.f()\n", "x = new\n"),
        ("import os, old\nx = old()\n", "import os\nx = new\n"),
        ("import old, os\nx = old()\n", "import os\nx = new\n"),
        ("from a import b, old\nx = old()\n", "from a import b\nx = new\n"),
        ("from a import (\n    b,\n    old,\n)\nx = old()\n", "from a import (\n    b,\n)\nx = new\n"),
        (
            "from a import (\n    b,\n    old,  # why\n)\nx = old()\n",
            "from a import (\n    b,\n    # why\n)\nx = new\n",
        ),
        ("def f():\n    from a import old\n    return old()\n", "def f():\n    return new\n"),
        ("import os\nfrom a import old  # why\nx = old()\n", "import os\n# why\nx = new\n"),
        ('"""Of old."""\nimport old\nx = old()\n', '"""Of old."""\nx = new\n'),
    ],
)
def test_an_import_that_nothing_uses_any_more_goes(before: str, after: str) -> None:
    assert removed(before) == after


@pytest.mark.parametrize(
    "before",
    [
        "from a import old\nx = old()\ny = old\n",
        "from a import old\n",
        "from a import old\nx = old()\n__all__ = ['old']\n",
        "from a import old\nx = old()\ny: 'list[old]' = []\n",
        "from a import old  # noqa: F401\nx = old()\n",
        "from a import old as old\nx = old()\n",
        "from a import old\nx = old()\ndel old\n",
        "from a import old\nfrom b import old\nx = old()\n",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from a import old\nx = old()\n",
        "try:\n    from a import old\nexcept ImportError:\n    old = None\nx = old()\n",
        "from a import (\n    old,  # noqa\n)\nx = old()\n",
        "import old.a\nimport old.b\nx = old.a()\n",
    ],
)
def test_an_import_that_something_may_need_stays(before: str) -> None:
    assert removed(before).splitlines()[0] == before.splitlines()[0]
    assert "old" in removed(before)


def test_a_package_may_export_what_it_imports() -> None:
    text = "from a import old\nx = old()\n"
    assert removed(text, path="pkg/__init__.py").startswith("from a import old\n")
    assert removed(text, surroundings=Surroundings("pkg", is_package=True)).startswith("from a import old\n")


@pytest.mark.parametrize(
    "other", ["from lib import old\nold()\n", "import lib\nlib.old()\n", "from lib import *\nold()\n"]
)
def test_an_import_that_another_file_takes_stays(other: str) -> None:
    text = "from a import old\nx = old()\n"
    given = sources({"lib.py": text, "user.py": other})
    around = replace(given[0][1], project=joined(given))
    assert removed(text, surroundings=around) == "from a import old\nx = new\n"


def test_an_import_that_no_other_file_takes_goes() -> None:
    text = "from a import old\n\nx = old()\n"
    given = sources({"lib.py": text, "user.py": "import lib\nprint(lib.x)\n"})
    assert removed(text, surroundings=replace(given[0][1], project=joined(given))) == "x = new\n"


def test_what_is_written_in_its_place_may_use_the_import() -> None:
    module = parsed("import old\nx = old.f(1)\n")
    recorder = EditRecorder(module)
    recorder.replace(module.nodes(ast.Call)[0], "old.g(1)")
    recorder.remove_import(module.nodes(ast.alias)[0])
    assert done(module, recorder) == "import old\nx = old.g(1)\n"


def test_what_a_deleted_statement_used_nothing_uses_any_more() -> None:
    module = parsed("import old\nold.f(1)\nx = 1\n")
    recorder = EditRecorder(module)
    recorder.delete(module.tree.body[1])
    recorder.remove_import(module.nodes(ast.alias)[0])
    assert done(module, recorder) == "x = 1\n"


def test_every_import_of_a_name_is_found() -> None:
    own = "from lib.a import f, g\nimport lib.a\ndef h():\n    from lib.a import f as k\n"
    text = own + "from lib import f\nfrom .a import f\n"
    module = parsed(text, surroundings=Surroundings("lib.main"))
    assert [alias.lineno for alias in module.imports_of("lib.a.f")] == [1, 4, 6]
