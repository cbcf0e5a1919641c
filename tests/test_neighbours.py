"""Files of a project that were not named: what they may change is known, and they are not analysed."""

import os
from pathlib import Path

import pytest

from jaxfix.drivers.cli import terminal
from jaxfix.drivers.workflow.looking import look
from jaxfix.drivers.workflow.request import Request
from jaxfix.drivers.workflow.targets import find_targets
from jaxfix.report.finding import Safety

CASE = """import jax.numpy as jnp
from jax import lax

RATE = 2.0
TABLE = {"gain": 2.0}


def f(v):
    def body(c, x):
        return c * RATE + x, None

    return lax.scan(body, v, jnp.ones((2, 3)))[0]


for _ in range(4):
    f(jnp.ones(3))
"""


TREES = """import jax
from dataclasses import dataclass


@jax.tree_util.register_pytree_node_class
@dataclass
class Tree:
    v: object
    rate: float

    def __mul__(self, other):
        return self.v * self.rate * other

    def tree_flatten(self):
        return (self.v,), self.rate

    @classmethod
    def tree_unflatten(cls, rate, leaves):
        return cls(*leaves, rate)


def run(f):
    f(Tree(1.0, 2.0))
"""


def safeties(folder: Path, *names: str) -> list[Safety | None]:
    """Of the findings in the files that are named."""
    found = look(find_targets(Request(tuple(str(folder / name) for name in names))), terminal).findings
    assert found.errors == found.bugs == ()
    return [entry.safety for entry in found.diagnostics]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "case.py").write_text(CASE)
    return tmp_path


@pytest.mark.parametrize("named", ["case.py", "."])
@pytest.mark.parametrize(
    "text",
    [
        "import case\ncase.RATE = 5.0\n",
        "import case as other\nother.RATE += 5.0\n",
        "import case\ndel case.RATE\n",
        'import case\nsetattr(case, "RATE", 5.0)\n',
        'import case\nsetattr(case, "".join(["RATE"]), 5.0)\n',
        'import case\nvars(case)["RATE"] = 5.0\n',
        'from unittest import mock\nmock.patch("case.RATE", 5.0).start()\n',
        'def test(monkeypatch):\n    monkeypatch.setattr("case.RATE", 5.0)\n',
        "import case\nfor module in [case]:\n    module.RATE = 5.0\n",
        'from unittest import mock\nmock.patch.multiple("case", RATE=5.0).start()\n',
        'from unittest import mock\nmock.patch("".join(["case.", "RATE"]), 5.0).start()\n',
        'from unittest import mock\n\n\ndef patched(name):\n    return mock.patch(f"case.{name}", 5.0)\n',
        'import importlib\nimportlib.import_module("case").RATE = 5.0\n',
        "import importlib\n\n\ndef override(to, name, value):\n    setattr(importlib.import_module(to), name, value)\n",
        "import importlib\n\n\ndef override(to, values):\n    module = importlib.import_module(to)\n"
        "    for name, value in values.items():\n        set_one(module, name, value)\n\n\n"
        "def set_one(module, name, value):\n    setattr(module, name, value)\n",
        'import sys\nsys.modules["case"].RATE = 5.0\n',
        'import sys\nvars(sys.modules["".join(["case"])]).update(RATE=5.0)\n',
        'import case\nexec("case.RATE = 5.0")\n',
        "import case\ncase.f.__globals__.update(RATE=5.0)\n",
        "import inspect\nimport case\ninspect.getmodule(case.f).RATE = 5.0\n",
        'import jax.numpy as jnp\nvars(jnp)["ones"] = None\nimport case\nexec(input())\n',
        "from jax import lax\nlax.scan = print\n",
        'import jax\nsetattr(jax.lax, "scan", print)\n',
        'from unittest import mock\nmock.patch("jax.lax.scan", print).start()\n',
        'import sys\nsys.modules["jax"] = print\n',
        "import sys\nfor name in ['jax']:\n    sys.modules[name] = print\n",
        'import sys\nfrom unittest import mock\nmock.patch.dict(sys.modules, {"jax.lax": print}).start()\n',
        "import case\ncase.lax = print\n",
        "def load(path):\n    exec(open(path).read())\n    return locals()\n",
        "def load(path, names):\n    exec(compile(path.read_text(), path, 'exec'), {}, names)\n",
        "import timeit\ntimeit.timeit('import case; case.RATE = 5.0', number=1)\n",
        'import subprocess, sys\nCODE = """\nimport case\ncase.RATE = 5.0\n"""\n'
        "subprocess.run([sys.executable, '-c', CODE])\n",
        "import types\n\n\ndef alone(function):\n    return types.FunctionType(function.__code__, {})\n",
        "import importlib\n\n\ndef tasks(name):\n    return vars(importlib.import_module(name))\n",
        "import doctest\nimport importlib\n\n\ndef load(name):\n    return importlib.import_module(name)\n\n\n"
        "def test(module):\n    doctest.testmod(module)\n",
    ],
)
def test_a_file_that_is_not_named_may_bind(project: Path, text: str, named: str) -> None:
    (project / "sub").mkdir()
    (project / "other.py").write_text(text)
    assert safeties(project, named) == [Safety.NEEDS_EVIDENCE]


@pytest.mark.parametrize(
    "text",
    [
        "import case\nprint(case.RATE)\n",
        "from case import RATE\nprint(RATE)\n",
        "class Other:\n    def __init__(self):\n        self.RATE = 5.0\n",
        'from unittest import mock\nmock.patch("case.OTHER", 5.0).start()\n',
        "RATE = 5.0\n",
        'import importlib\nprint(getattr(importlib.import_module("".join(["json"])), "loads"))\n',
        "import importlib\n\n\ndef load(name):\n    return importlib.import_module(name)\n",
        "def set_all(values, given):\n    for name in given:\n        setattr(values, name, given[name])\n",
        'exec("x = 1", {})\n',
        "def broken(:\n",
        "def version(path):\n    names = {}\n    exec(open(path).read(), names)\n    return names\n",
        "def asked(session, query):\n    return session.exec(query)\n",
        "def made(name):\n    exec(f'def {name}(): pass')\n    return locals()[name]\n",
        "import types\n\n\ndef copied(f):\n    return types.FunctionType(f.__code__, f.__globals__)\n",
        "CODE = 'import case; print(case.RATE)'\n",
        "def shown(options):\n    return vars(options)\n",
        "import importlib.util\nimport sys\n\n\ndef load(name, path):\n"
        "    spec = importlib.util.spec_from_file_location(name, path)\n    sys.modules[name] = spec\n",
    ],
)
def test_one_that_only_reads_is_no_danger(project: Path, text: str) -> None:
    (project / "other.py").write_text(text)
    assert safeties(project, "case.py") == [Safety.SAFE]


@pytest.mark.parametrize("named", ["case.py", "."])
def test_a_builtin_may_be_shadowed(project: Path, named: str) -> None:
    (project / "case.py").write_text(CASE.replace("* RATE", "* abs(2.0)"))
    assert safeties(project, named) == [Safety.SAFE]
    (project / "other.py").write_text("import case\ncase.abs = float\n")
    assert safeties(project, named) == [Safety.NEEDS_EVIDENCE]


@pytest.mark.parametrize("named", ["case.py", "."])
def test_a_tree_of_a_class_in_another_file_may_hold_more_than_leaves(project: Path, named: str) -> None:
    (project / "case.py").write_text(CASE.partition("\n\nfor ")[0])
    assert safeties(project, named) == [Safety.SAFE]
    (project / "other.py").write_text(f"{TREES}\n\nimport case\nwhile True:\n    run(case.f)\n")
    assert safeties(project, named) == [Safety.NEEDS_EVIDENCE]


@pytest.mark.parametrize("named", ["case.py", "."])
@pytest.mark.parametrize("text", ["case.RATE.delete()", "jax.jit(print, donate_argnums=0)(case.RATE)"])
def test_another_file_may_delete_a_constant(project: Path, text: str, named: str) -> None:
    (project / "case.py").write_text(CASE.replace("RATE = 2.0", "RATE = jnp.ones(3)"))
    assert safeties(project, named) == [Safety.SAFE]
    (project / "other.py").write_text(f"import jax\nimport case\n\n{text}\n")
    assert safeties(project, named) == [Safety.NEEDS_EVIDENCE]


LATE = """import jax
import jax.numpy as jnp
from helper import noted


@jax.jit
def step(w, batch):
    return w * 0.9, noted(jnp.mean(batch @ w))


def train(w, batches):
    losses = []
    for batch in batches:
        w, loss = step(w, batch)
        losses.append(float(loss))
    return losses


if __name__ == "__main__":
    train(jnp.ones(3), jnp.ones((8, 4, 3)))
"""


@pytest.mark.parametrize("named", ["case.py", "."])
@pytest.mark.parametrize(
    ("text", "is_quiet"),
    [
        ("import jax\nprint(jax.__version__)", True),
        ("import equinox\nprint(call(callback))", True),
        ("import jax\njax.debug.print('{}', 1.0)", False),
        ("from jax.experimental import io_callback as call\nprint(call(abs, 1.0, 1.0))", False),
    ],
)
def test_a_step_may_call_back_where_a_file_names_what_does(
    project: Path, text: str, named: str, *, is_quiet: bool
) -> None:
    (project / "case.py").write_text(LATE)
    (project / "other.py").write_text(f"{text}\n")
    found = look(find_targets(Request((str(project / named),))), terminal).findings.diagnostics
    assert [entry.id for entry in found if entry.id == "host-sync" and entry.fixable] == ["host-sync"] * is_quiet


@pytest.mark.parametrize("named", ["case.py", "."])
def test_a_key_in_another_file_may_be_equal_to_one_here(project: Path, named: str) -> None:
    (project / "case.py").write_text(CASE.partition("\n\nfor ")[0])
    (project / "other.py").write_text("def groups(names, values):\n    return dict(values, a=names[0])\n")
    assert safeties(project, named) == [Safety.SAFE]
    (project / "other.py").write_text("def groups(names):\n    return {name: 1.0 for name in names}\n")
    assert safeties(project, named) == [Safety.NEEDS_EVIDENCE]


def test_a_file_that_runs_its_functions_may_be_imported(project: Path) -> None:
    """Loops at its top level do not make it a script that nobody imports."""
    text = CASE.replace("def f(v)", "TREE = jax.tree_util.register_static\n\n\ndef f(v)")
    (project / "case.py").write_text(f"import jax\n{text}")
    assert safeties(project, "case.py") == [Safety.SAFE]
    (project / "other.py").write_text(f"{TREES}\n\nimport case\nrun(case.f)\n")
    assert safeties(project, "case.py") == [Safety.NEEDS_EVIDENCE]


@pytest.mark.parametrize("named", ["case.py", "."])
def test_another_file_may_pass_what_a_cast_warns_of(project: Path, named: str) -> None:
    (project / "case.py").write_text(CASE.replace("c * RATE + x", "c.astype(jnp.float32)"))
    assert safeties(project, named) == [Safety.SAFE]
    (project / "other.py").write_text("import case\n\ncase.f(1j)\n")
    assert safeties(project, named) == [Safety.NEEDS_EVIDENCE]


@pytest.mark.parametrize("folder", [".venv", "node_modules", "ignored"])
def test_what_the_project_ignores_is_not_read(project: Path, folder: str) -> None:
    (project / ".gitignore").write_text("ignored\n")
    (project / folder).mkdir()
    (project / folder / "other.py").write_text("import case\ncase.RATE = 5.0\n")
    assert safeties(project, "case.py") == [Safety.SAFE]


def test_nothing_is_read_where_nothing_depends_on_it(project: Path) -> None:
    (project / "case.py").write_text("import jax.numpy as jnp\n\nprint(jnp.ones(3))\n")
    (project / "other.py").write_text("import case\ncase.RATE = 5.0\n")
    looked_at = find_targets(Request((str(project / "case.py"),)))
    look(looked_at, terminal)
    assert "_read_texts" not in vars(looked_at.targets[0].around)


def test_a_project_that_is_too_large_may_do_anything(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jaxfix.drivers.neighbours.MOST_ENTRIES", 2)
    (project / "other.py").write_text("")
    assert safeties(project, "case.py") == [Safety.NEEDS_EVIDENCE]


def test_the_walk_over_a_project_that_is_too_large_ends(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jaxfix.drivers.neighbours.MOST_ENTRIES", 2)
    for number in range(40):
        (project / f"folder{number}").mkdir()
    opened: list[str] = []
    scandir = os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: opened.append(str(path)) or scandir(path))
    assert safeties(project, "case.py") == [Safety.NEEDS_EVIDENCE]
    assert sum("folder" in path for path in opened) == 0


def test_another_file_may_take_a_function_from_the_package_around_it(project: Path) -> None:
    (project / "case.py").rename(project / "kept.py")
    package = project / "pack"
    package.mkdir()
    (package / "__init__.py").write_text("from pack.case import f\n")
    (package / "case.py").write_text(CASE.replace("c * RATE + x", "c.astype(jnp.float32)"))
    assert safeties(project, "pack") == [Safety.SAFE]
    (project / "other.py").write_text("from pack import f\n\nf(1j)\n")
    assert safeties(project, "pack") == [Safety.NEEDS_EVIDENCE]


@pytest.mark.parametrize("deep", [" + ".join(["TEXT"] * 1500), "-" * 100_000 + "1"], ids=["sum", "signs"])
def test_a_file_that_is_nested_too_deeply_for_us_may_do_anything(project: Path, deep: str) -> None:
    (project / "other.py").write_text(f"import case\ncase.RATE = 5.0\nexec({deep})\n")
    assert safeties(project, "case.py") == [Safety.NEEDS_EVIDENCE]
    found = look(find_targets(Request((str(project),))), terminal).findings
    assert [entry.safety for entry in found.diagnostics] == [Safety.NEEDS_EVIDENCE]
    assert ["nested too deeply" in error for error in found.errors] == [True]
