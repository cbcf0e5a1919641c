"""Which functions a change of a text changes."""

import pytest

from jaxfix.evidence.changed import MODULE, Differences, differences
from jaxfix.source.errors import SourceError

BASE = """\
import jax
RATE = 2


class Model:
    size = 3

    def run(self, x):
        def inner(y):
            return y
        return inner(x)


def scaled(x):
    return x * RATE
"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("return x * RATE", "return x * RATE  # fast", Differences()),
        ("return x * RATE", "return RATE * x", Differences(changed=("scaled",))),
        ("return y", "return y + 0", Differences(changed=("Model.run",))),
        ("def scaled", "def times", Differences(renamed=(("scaled", "times"),))),
        ("def scaled", "def more(x):\n    return 1\n\n\ndef scaled", Differences(added=("more",))),
        ("def scaled", "def jax():\n    pass\n\n\ndef scaled", Differences(changed=(MODULE,), added=("jax",))),
        ("    def run", "    def more(self): pass\n\n    def run", Differences(added=("Model.more",))),
        ("def scaled(x):\n    return x * RATE\n", "", Differences(removed=("scaled",))),
        ("import jax\n", "import jax\nfrom functools import partial\n", Differences()),
        ("import jax\n", "import jax\nfrom other import scaled\n", Differences(changed=(MODULE,))),
        ("import jax\n", "import jax\nfrom other import *\n", Differences(changed=(MODULE,))),
        ("import jax\n", "import numpy as jax\n", Differences(changed=(MODULE,))),
        ("import jax\n", "from jax import config\n", Differences(changed=(MODULE,))),
        ("RATE = 2", "RATE = 3", Differences(changed=(MODULE,))),
        ("size = 3", "size = 4", Differences(changed=(MODULE,), classes=("Model",))),
        ("class Model", "class Model(object)", Differences(changed=(MODULE,), classes=("Model",))),
        ("class Model", "@sealed\nclass Model", Differences(changed=(MODULE,), classes=("Model",))),
        ("size = 3", "__slots__ = ()\n    size = 3", Differences(changed=(MODULE,), classes=("Model",))),
        ("size = 3", "size = 3\n    more = 4", Differences(changed=(MODULE,))),
        ("def scaled", "@jax.jit\ndef scaled", Differences(changed=("scaled",))),
        ("RATE = 2", "RATE = threading.local()", Differences(changed=(MODULE,), is_per_thread=True)),
        (
            "size = 3",
            "size = ContextVar('size')",
            Differences(changed=(MODULE,), classes=("Model",), is_per_thread=True),
        ),
        ("(self, x)", "(self, x=None)", Differences(changed=("Model.run",))),
    ],
)
def test_what_a_change_changes(old: str, new: str, expected: Differences) -> None:
    assert old in BASE
    assert differences("a.py", BASE, BASE.replace(old, new)) == expected


def test_what_does_not_parse_is_named_with_its_side() -> None:
    with pytest.raises(SourceError, match=r"a\.py after the change: it does not parse"):
        differences("a.py", BASE, "def")
