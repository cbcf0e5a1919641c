"""New names at the top of a file whose names another file takes all: they replace none of that one."""

from pathlib import Path

import pytest
from command_line import Cli

LIB = """import jax.numpy as jnp
from jax import grad


def loss_of(params, batch):
    return jnp.mean((batch @ params) ** 2)


def fit(params, batches):
    for batch in batches:
        slopes = grad(loss_of)(params, batch)
        params = params - 0.1 * slopes
    return params


def fits(batches):
    return [fit(jnp.ones(3) * member, batches) for member in range(1, 4)]
"""
OPTIMIZER = LIB.replace(
    "    for batch in batches:\n",
    "    optimizer = optax.adam(0.1)\n    state = optimizer.init(params)\n    for batch in batches:\n",
).replace(
    "        params = params - 0.1 * slopes\n",
    "        updates, state = optimizer.update(slopes, state)\n        params = params + updates\n",
)
OPTIMIZER = OPTIMIZER.replace("jnp\n", "jnp\nimport optax\n", 1)
RETURNED = OPTIMIZER.replace("    return params\n", "    return params, optimizer\n")
OWN = 'train_step, jit, jax = "mine", "mine too", "mine as well"\nfrom lib import *\n'
READ = "from lib import *\n\n\ndef go():\n    return train_step, jit, jax\n"
RUN = """import jax.numpy as jnp

import lib

print(lib.fits([jnp.ones((4, 3)) * count for count in range(12)]))
"""
THROUGH = {"middle.py": "from lib import *\n", "main.py": OWN.replace("lib", "middle")}


def applied(cli: Cli, folder: Path, lib: str, others: dict[str, str], *, named: bool = True) -> str:
    """The text of the library with its step under `jit`."""
    for name, text in {"pyproject.toml": "", "lib.py": lib, "run.py": RUN, **others}.items():
        (folder / name).write_text(text)
    targets = [folder] if named else [folder / "lib.py", folder / "run.py"]
    found = cli("apply", *map(str, targets), "--unproven", "--allow-no-vcs", "--select", "unjitted-update")
    assert found.code in (0, 1), found.err
    return (folder / "lib.py").read_text()


@pytest.mark.parametrize("named", [True, False], ids=["named", "not named"])
@pytest.mark.parametrize("others", [{"main.py": OWN}, {"main.py": READ}, THROUGH], ids=["own", "read", "through"])
def test_a_new_name_replaces_none_of_a_file_that_takes_all(
    cli: Cli, tmp_path: Path, others: dict[str, str], named: bool
) -> None:
    text = applied(cli, tmp_path, LIB, others, named=named)
    assert "def fit_step(" in text
    assert "import jax as jax_2" in text


@pytest.mark.parametrize("main", ["import lib\n\ntrain_step = jit = jax = 3\n", "from lib import *\n\nprint(fits)\n"])
def test_a_name_that_no_such_file_has_is_taken(cli: Cli, tmp_path: Path, main: str) -> None:
    text = applied(cli, tmp_path, LIB, {"main.py": main})
    assert "def train_step(" in text
    assert "from jax import grad, jit\n" in text


def test_an_optimizer_is_made_once_at_the_top(cli: Cli, tmp_path: Path) -> None:
    assert "\noptimizer = " in applied(cli, tmp_path, OPTIMIZER, {"main.py": "from lib import *\n"})


@pytest.mark.parametrize(
    ("lib", "main"),
    [(OPTIMIZER, 'optimizer = "mine"\nfrom lib import *\n'), (RETURNED, "import lib\n")],
    ids=["starred", "returned"],
)
def test_an_optimizer_that_others_would_see_is_not(cli: Cli, tmp_path: Path, lib: str, main: str) -> None:
    assert "\noptimizer = " not in applied(cli, tmp_path, lib, {"main.py": main})
