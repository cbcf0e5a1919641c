"""What another file can do to a module: a function of it then moves only with a proof."""

import pytest

from jaxfix.engine.plan import plan
from jaxfix.engine.project import joined
from jaxfix.report.reason import Reason
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.source_file import SourceFile
from jaxfix_codemods import CODEMODS

LIB = """\
import jax.numpy as jnp
from jax import lax

RATE = 2.0


def helper(u):
    return jnp.tanh(u) * RATE


def f(v):
    def body(i, u):
        return helper(u)

    return lax.fori_loop(0, 1, body, v)
"""


def is_written_without_proof(**others: str) -> bool:
    """Whether the body moves although nothing is run, beside these files."""
    texts = {"lib": LIB, **others}
    files = [(SourceFile.decode(f"{name}.py", text.encode()), Surroundings(name)) for name, text in texts.items()]
    around = Surroundings("lib", project=joined(files))
    taken = plan(
        files[0][0], CODEMODS, lambda fix: None if fix.is_safe else Reason("no-evidence", "it needs a proof"), around
    ).applied
    return [fix.codemod for fix in taken] == ["local-loop-function"]


@pytest.mark.parametrize(
    "main",
    [
        "import lib\nwhile True:\n    lib.f(1.0)",
        "import lib as other\nwhile True:\n    print(other.f(1.0), other.RATE)",
        "from lib import f, helper\nwhile True:\n    print(f(helper(1.0)))",
        "import lib\nprint(getattr(lib, 'RATE'), hasattr(lib, 'helper'))",
        "import lib\nstate = object()\nwhile True:\n    lib.f(state.value)",
        "import lib\nclass Model:\n    def __init__(self):\n        self.v = 1\nwhile True:\n    lib.f(Model().v)",
        "from unittest import mock\nimport lib\nwith mock.patch('other.RATE', 3.0): pass",
    ],
)
def test_a_use_opens_nothing(main: str) -> None:
    assert is_written_without_proof(main=main)


@pytest.mark.parametrize(
    "main",
    [
        "import lib\nlib.RATE = 3.0",
        "import lib\nlib.helper = print",
        "import lib\nsetattr(lib, 'RATE', 3.0)",
        "import lib\nsetattr(lib, name, 3.0)",
        "import lib\nvars(lib)['RATE'] = 3.0",
        "import lib\nvars(lib).update(RATE=3.0)",
        "import lib\nlib.__dict__.update(RATE=3.0)",
        "import lib\nlib.f.__globals__['RATE'] = 3.0",
        "from lib import f\nf.__globals__.update(RATE=3.0)",
        "import lib\nexec('RATE = 3.0', lib.__dict__)",
        "import lib\nfor module in (lib,): change(module)",
        "import lib\nfrom unittest import mock\nwith mock.patch('lib.RATE', 3.0): pass",
        "import lib\nfrom unittest.mock import patch\nwith patch.object(lib, 'RATE', 3.0): pass",
        "import lib\nfrom unittest.mock import patch\nwith patch.multiple(lib, RATE=3.0): pass",
        "import lib\ndef test(monkeypatch):\n    monkeypatch.setattr('lib.RATE', 3.0)",
        "import lib, inspect\nprint(inspect.getmembers(lib))",
        "import lib\nprint([name for name in lib.__dict__])",
        "import lib\nprint(dir(lib))",
    ],
)
def test_a_module_that_is_changed_or_handed_on_is_open(main: str) -> None:
    assert not is_written_without_proof(main=main)


def test_who_is_handed_the_module_need_not_name_it() -> None:
    patching = "def patch(module, name, value):\n    setattr(module, name, value)\n"
    assert not is_written_without_proof(
        main="import lib, patching\npatching.patch(lib, 'RATE', 3.0)", patching=patching
    )


def test_a_library_that_a_third_file_changes_is_doubted() -> None:
    assert not is_written_without_proof(main="import lib, patching", patching="import jax.numpy as n\nn.tanh = abs\n")


def test_a_new_name_is_none_that_another_file_stores() -> None:
    texts = {"lib": LIB, "main": "import other\nother._f_body = 3.0\nimport lib"}
    files = [(SourceFile.decode(f"{name}.py", text.encode()), Surroundings(name)) for name, text in texts.items()]
    patch = plan(files[0][0], CODEMODS, lambda fix: None, Surroundings("lib", project=joined(files)))
    assert b"def _f_body_2(" in patch.after
