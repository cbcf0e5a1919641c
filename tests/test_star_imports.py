"""Names that `import *` alone brings: what they are, and what the functions of those files do, files away."""

from pathlib import Path

import pytest
from command_line import Cli

LOSS = "import jax.numpy as jnp\n\n\ndef loss_of(params, batch):\n    return jnp.mean((batch @ params) ** 2)\n"
FIT = """{imports}

def train(params, batches):
    for batch in batches:
        slopes = jax.grad(loss_of)(params, batch)
        params = params - 0.1 * slopes
    return params


print(train(jnp.ones(3), [jnp.ones((4, 3)) * count for count in range(12)]).sum())
"""
OWN = "import jax\nimport jax.numpy as jnp\n"
DRAWS = "import numpy as np\n\n\ndef noise():\n    return np.random.normal()\n"


def found(cli: Cli, folder: Path, files: dict[str, str], *, apply: bool = False) -> str:
    """What is said of the files, or the diff."""
    for name, text in {"pyproject.toml": "", **files}.items():
        (folder / name).write_text(text)
    command = ("apply", "--diff", "--unproven") if apply else ("check", "--all")
    given = cli(*command, str(folder), "--select", "unjitted-update", "--no-cache")
    assert given.code in (0, 1), given.err
    return given.out


@pytest.mark.parametrize(
    "files",
    [
        {"losses.py": LOSS, "main.py": FIT.format(imports=f"{OWN}from losses import *\n")},
        {
            "losses.py": LOSS,
            "other.py": "x = 1\n",
            "main.py": FIT.format(imports=f"{OWN}from losses import *\nfrom other import *\n"),
        },
        {
            "losses.py": LOSS,
            "all.py": "from losses import *\n",
            "main.py": FIT.format(imports=f"{OWN}from all import *\n"),
        },
        {
            "losses.py": LOSS,
            "main.py": FIT.format(imports="import jax\nfrom jax import numpy as jnp\nfrom losses import *\n"),
        },
    ],
    ids=["one", "several", "through another", "renamed"],
)
def test_a_step_uses_what_a_star_brings(cli: Cli, tmp_path: Path, files: dict[str, str]) -> None:
    assert "+@jax.jit" in found(cli, tmp_path, files, apply=True)


@pytest.mark.parametrize("imports", ["from losses import *\n", "from losses import loss_of\n"])
def test_what_a_function_uses_files_away_is_read(cli: Cli, tmp_path: Path, imports: str) -> None:
    losses = LOSS.replace("jnp\n", "jnp\nfrom noises import noise\n", 1).replace("** 2)", "** 2) + noise()")
    files = {"losses.py": losses, "noises.py": DRAWS, "main.py": FIT.format(imports=OWN + imports)}
    assert "of another file, does more than compute" in found(cli, tmp_path, files)


def test_what_its_own_file_does_is_read_through_its_functions(cli: Cli, tmp_path: Path) -> None:
    losses = (
        LOSS.replace("** 2)", "** 2) + scaled()")
        + "\n\ndef scaled():\n    return 2.0 * quiet()\n\n\nfrom noises import noise as quiet\n"
    )
    files = {"losses.py": losses, "noises.py": DRAWS, "main.py": FIT.format(imports=f"{OWN}from losses import *\n")}
    assert "of another file, does more than compute" in found(cli, tmp_path, files)


def test_a_file_that_uses_itself_comes_to_an_end(cli: Cli, tmp_path: Path) -> None:
    one = (
        "from two import *\n\n\ndef loss_of(params, batch, left=1):\n    return other(params, batch) if left else 0.0\n"
    )
    two = (
        "from one import *\n\n\ndef other(params, batch):\n    return (batch @ params).sum() + loss_of(params, 0, 0)\n"
    )
    files = {"one.py": one, "two.py": two, "main.py": FIT.format(imports=f"{OWN}from one import *\n")}
    assert "runs eagerly" in found(cli, tmp_path, files)


def test_a_name_that_the_file_binds_is_no_other(cli: Cli, tmp_path: Path) -> None:
    own = "\n\ndef loss_of(params, batch):\n    print('own')\n    return params.sum()\n"
    main = FIT.format(imports=f"{OWN}from losses import *\n{own}")
    assert "print" in found(cli, tmp_path, {"losses.py": LOSS, "main.py": main})


COUNTS = "calls = []\n\n\ndef helper(x):\n    calls.append(1)\n    return x\n"
QUIET = "def helper(x):\n    return 2.0 * x\n"
USING = "\n\ndef loss_of(params, batch):\n    return jnp.mean(helper(batch @ params) ** 2)\n"


@pytest.mark.parametrize(
    "imports",
    [
        "from quiet import helper\nfrom counting import *\n",
        "from quiet import *\nfrom counting import *\n",
        "try:\n    from counting import *\nexcept ImportError:\n    from quiet import *\n",
        "from both import helper\n",
    ],
    ids=["after a name", "the last", "one of two", "imported again"],
)
def test_the_last_of_several_imports_counts(cli: Cli, tmp_path: Path, imports: str) -> None:
    both = "from quiet import helper\nfrom counting import helper\n"
    main = FIT.format(imports=f"{OWN}{imports}{USING}")
    text = found(cli, tmp_path, {"quiet.py": QUIET, "counting.py": COUNTS, "both.py": both, "main.py": main})
    assert "no fix" in text and "runs eagerly" in text


LOGGED = """import jax.numpy as jnp


def logged(function):
    def inner(*args):
        print("called")
        return function(*args)

    return inner


@logged
def loss_of(params, batch):
    return jnp.mean((batch @ params) ** 2)
"""


def test_what_decorates_a_function_in_its_own_file_is_read(cli: Cli, tmp_path: Path) -> None:
    main = FIT.format(imports=f"{OWN}from losses import loss_of\n")
    assert "of another file, does more than compute" in found(cli, tmp_path, {"losses.py": LOGGED, "main.py": main})
