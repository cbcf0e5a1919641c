"""What a text imports by its lines, and the order of files that follows."""

from itertools import permutations

import pytest

from jaxfix.engine.order import import_order
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.source_file import SourceFile


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import a\n", ("a",)),
        ("import a.b as c, d\n", ("a.b", "d")),
        ("from a.b import c\n", ("a.b.c",)),
        ("from a import b as x, c\n", ("a.b", "a.c")),
        ("from a import (  # all of it\n    b as x,\n    c,\n)\nimport d\n", ("a.b", "a.c", "d")),
        ("from . import a\nfrom ..b import c\n", (".a", "..b.c")),
        ("from a import *\n", ("a.*",)),
        ("if here:\n    import a\ndef f():\n    from b import c\n", ()),
        ("important = 1\nx = 'an import of a'\n", ()),
        ("import a", ("a",)),
        ("from a import (b,", ("a.b",)),
    ],
)
def test_imports_at_once_are_read_off_the_lines(text: str, expected: tuple[str, ...]) -> None:
    assert SourceFile.decode("m.py", text.encode()).imports == expected


FILES = {
    "lib": "from lib.solver import solve\n",
    "lib.model": "import jax\nfrom lib import base\n",
    "lib.base": "",
    "lib.solver": "from . import base\nfrom .model import step\n",
    "main": "import lib\nfrom other import thing\n",
}


def test_what_a_file_imports_comes_before_it_whatever_is_given_first() -> None:
    for names in permutations(FILES):
        files = [
            (SourceFile.decode(f"{name}.py", FILES[name].encode()), Surroundings(name, is_package=name == "lib"))
            for name in names
        ]
        order = [names[index] for index in import_order(files)]
        assert sorted(order) == sorted(names)
        places = [order.index(name) for name in ("lib.base", "lib.model", "lib.solver", "main")]
        assert places == sorted(places)


def test_files_that_import_one_another_each_come_once() -> None:
    files = [
        (SourceFile.decode(f"{name}.py", f"import {other}\n".encode()), Surroundings(name))
        for name, other in (("a", "b"), ("b", "c"), ("c", "a"))
    ]
    assert import_order(files) == [2, 1, 0]
