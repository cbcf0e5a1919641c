"""`jaxfix upgrade`: the state of a project, and the exit codes."""

import json
import shlex
import sys
from pathlib import Path

import pytest
from command_line import ROOT, Cli

from jaxfix.drivers.workflow.request import Ends
from jaxfix.source.source_file import SourceFile
from jaxfix.testing import unmarked

TRAINING = unmarked((ROOT / "golden" / "removed_api" / "training.py").read_bytes()).decode()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(TRAINING)
    return tmp_path


def test_a_script_of_2021(project: Path, cli: Cli) -> None:
    done = cli("upgrade", "--from", "0.4.13", "--to", "jax==0.10.2")
    lines = done.out.splitlines()
    assert done.code == 1 and len(lines) <= 10
    assert lines[0].startswith("jax 0.4.13 to jax 0.10.2; jax ")
    assert lines[1] == "raises today               12 lines in 1 file"
    assert "automatic                   8, and 5 with a run that proves them (`--run CMD`)" in lines
    assert "by hand                     1" in lines
    assert any("`jax.experimental.host_callback`" in line for line in lines)
    assert any("draws other numbers" in line for line in lines)
    assert "note: `--diff` shows the changes, `--write` writes those that need no run" in done.err
    page = (ROOT / "docs" / "upgrade.md").read_text()
    assert "\n".join(lines[1:]) in page, "docs/upgrade.md shows what is not printed any more"


def test_an_upper_bound_says_what_the_code_was_written_for(project: Path, cli: Cli) -> None:
    (project / "environment.yml").write_text("dependencies:\n  - jax<=0.2.9\n")
    (project / "train.py").write_text("import jax\n\nx = jax.random.normal(jax.random.PRNGKey(0))\n")
    lines = cli("upgrade", "--to", "0.10.2").out.splitlines()
    assert lines[0].startswith("jax 0.2.9 to jax 0.10.2") and "draws other numbers" in lines[-1]


@pytest.mark.parametrize(
    ("requirement", "options", "told"),
    [
        ("optax==0.2.2", [], True),
        ("optax>=0.2.1,<0.3", [], True),
        ("optax<0.2.4", [], True),
        ("optax>=0.2.4", ["--from", "0.4.13"], False),
        ("optax", ["--from", "0.4.30"], True),
        ("optax", ["--from", "0.6.0"], False),
        ("optax", [], False),
    ],
)
def test_the_version_of_a_library_decides_what_differs(
    project: Path, cli: Cli, requirement: str, options: list[str], told: bool
) -> None:
    (project / "requirements.txt").write_text(f"{requirement}\n")
    (project / "train.py").write_text("import optax\n\nt = optax.adabelief(0.1)\n")
    done = cli("upgrade", *options)
    assert ("since optax 0.2.4" in done.out or "measures the error" in done.out) == told


def test_ten_lines_say_what_is_left(project: Path, cli: Cli) -> None:
    """Of many steps the most frequent; of functions that differ alike, one line."""
    draws = "".join(f"x{n} = jax.random.{n}(k)\n" for n in ("normal", "uniform", "gumbel", "laplace"))
    for n, each in enumerate(draws.splitlines()):
        (project / f"draws{n}.py").write_text(f"import jax\n\nk = jax.random.PRNGKey(0)\n{each}\n")
    (project / "train.py").write_text(
        "import jax\nimport optax\nfrom flax import nn, optim\nfrom jax import core, mask, xla_computation\n"
        "from jax.experimental import host_callback, loops\n\nf = jax.jit(g, backend='cpu')\noptax.maybe_update(f)\n"
    )
    lines = cli("upgrade", "--from", "0.4.13", "--to", "0.10.2").out.splitlines()
    assert len(lines) == 10
    assert lines[-1] == "  and 6 places more: `jaxfix upgrade --output-format json`"
    assert lines[-2].startswith("  draws0.py:4, draws1.py:4, draws2.py:4 and 1 more: each of `jax.random.normal`, ")
    assert "`jax.random.gumbel` and 1 more draws other numbers from the same key: set " in lines[-2]


def test_the_target_decides_what_raises(project: Path, cli: Cli) -> None:
    (project / "train.py").write_text("import jax.numpy as jnp\nx = jnp.array([1.0], None, False)\n")
    later, now = (json.loads(cli("upgrade", "--to", to, "--output-format", "json").out) for to in ("0.12", "0.10.0"))
    assert (later["raises_at_the_target"] + later["raises_today"], later["to"]) == (1, "0.12")
    assert now["findings"] == []
    assert later["findings"][0]["fate"]["raises"] == "0.11.0"


def test_nothing_to_do_is_clean(project: Path, cli: Cli) -> None:
    (project / "train.py").write_text("import jax\n")
    done = cli("upgrade")
    assert (done.code, done.out.splitlines()[1]) == (0, "nothing to do in 1 file")


def test_a_file_that_cannot_be_read_is_not_nothing_to_do(project: Path, cli: Cli) -> None:
    (project / "train.py").write_text("def f(:\n")
    done = cli("upgrade")
    assert (done.code, done.out.splitlines()[1]) == (2, "1 file could not be read")
    assert "train.py: line 1: syntax error" in done.err
    (project / "other.py").write_text("import jax\n")
    assert cli("upgrade").out.splitlines()[1] == "nothing to do in 1 file; 1 other could not be read"
    (project / "other.py").write_text("import jax\nx = jax.tree_map(f, y)\n")
    assert cli("upgrade", "--to", "0.12").out.splitlines()[-1] == f"{'not read':<24}    1 file"


def test_lines_are_counted_and_not_findings(project: Path, cli: Cli) -> None:
    (project / "train.py").write_text("import jax\nx = jax.tree_map(f, jax.tree_leaves(y))\n")
    told = json.loads(cli("upgrade", "--to", "0.12", "--output-format", "json").out)
    assert (told["raises_today"] + told["raises_at_the_target"], len(told["findings"])) == (1, 2)


def test_a_name_is_not_safe(project: Path, cli: Cli) -> None:
    """The line raises, and something that jaxfix cannot see may take the error."""
    done = cli("apply", "--no-prove", "--allow-no-vcs")
    assert (done.code, (project / "train.py").read_text()) == (1, TRAINING)
    assert "`jaxfix upgrade --write` writes it" in done.out


def test_writing_gives_other_names_to_who_asks_for_a_version(project: Path, cli: Cli) -> None:
    done = cli("upgrade", "--write", "--allow-no-vcs")
    text = (project / "train.py").read_text()
    assert "renames are written without a run" in done.err
    assert done.code == 1 and "jax.tree.map(lambda g: jnp.clip(g, max=1.0, min=-1.0), grads)" in text
    assert "jax.ops" in text and SourceFile.decode("train.py", text.encode()).text
    cli("upgrade", "--write", "--unproven", "--allow-no-vcs")
    assert "losses.at[epoch].set(value)" in (project / "train.py").read_text()


def test_a_name_that_the_project_gives_back_is_written_by_nobody(project: Path, cli: Cli) -> None:
    """Another file puts a function of its own in the place of the one that is gone."""
    (project / "compat.py").write_text("import jax\njax.tree_map = lambda f, tree: [f(each) for each in tree]\n")
    (project / "train.py").write_text("import compat, jax\nprint(jax.tree_map(abs, [-1]))\n")
    done = cli("upgrade", "--write", "--allow-no-vcs")
    assert done.code == 1 and "jax.tree_map" in (project / "train.py").read_text()


def test_a_module_of_jax_that_is_passed_around_leaves_the_fix(project: Path, cli: Cli) -> None:
    """What may set any name of jax leaves the line to a run, and does not take its fix away."""
    (project / "compat.py").write_text("import jax\n\n\ndef put(name, value):\n    setattr(jax, name, value)\n")
    (project / "train.py").write_text("import jax\nprint(jax.tree_map(abs, [-1]))\n")
    assert "+print(jax.tree.map(abs, [-1]))" in cli("upgrade", "--diff", "--unproven").out
    cli("upgrade", "--write", "--allow-no-vcs")
    assert "jax.tree_map" in (project / "train.py").read_text()


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ((), "jax.tree_util.tree_map"),
        (("--from", "0.4.13"), "jax.tree_util.tree_map"),
        (("--from", "0.4.30"), "jax.tree.map"),
    ],
)
def test_a_start_leaves_older_versions_behind(project: Path, cli: Cli, options: tuple[str, ...], name: str) -> None:
    (project / "requirements.txt").write_text("jax>=0.3\n")
    (project / "train.py").write_text("import jax\n\nx = jax.tree_map(abs, [1])\n")
    assert f"+x = {name}(abs, [1])" in cli("upgrade", *options, "--diff", "--unproven").out


@pytest.mark.parametrize(("oldest", "floor"), [((0, 4, 13), (0, 4, 13)), (None, None)])
def test_what_runs_with_both_is_written_without_requirements_too(
    oldest: tuple[int, ...] | None, floor: tuple[int, ...] | None
) -> None:
    assert Ends((0, 4, 13), oldest=oldest).floor(None) == floor


def test_an_array_is_annotated_as_the_oldest_version_can(project: Path, cli: Cli) -> None:
    """`jax.Array` came with jax 0.4.1."""
    (project / "train.py").write_text("import jax.numpy as jnp\n\n\ndef f(x: jnp.DeviceArray):\n    return x\n")
    for least, written in (("0.3.1", "jnp.ndarray"), ("0.4.2", "jax.Array")):
        (project / "requirements.txt").write_text(f"jax>={least}\n")
        assert f"+def f(x: {written}):" in cli("upgrade", "--diff").out


def test_the_oldest_version_of_a_library_decides_what_is_written(project: Path, cli: Cli) -> None:
    text = "import optax\n\nprint(optax.tree_utils.tree_scalar_mul(2.0, 1.0))\n"
    (project / "train.py").write_text(text)
    for least, written in (("0.2.3", False), ("0.2.5", True)):
        (project / "requirements.txt").write_text(f"optax>={least}\n")
        done = cli("upgrade", "--diff", "--unproven")
        assert ("+print(optax.tree.scale(2.0, 1.0))" in done.out) == written
    (project / "requirements.txt").write_text("optax>=0.2.3\n")
    assert "came with optax 0.2.5" in cli("upgrade").out


def test_a_target_before_the_start_is_refused(project: Path, cli: Cli) -> None:
    done = cli("upgrade", "--from", "0.10", "--to", "jax==0.4.30")
    assert (done.code, done.out) == (2, "") and "`--to 0.4.30` is older than `--from 0.10`" in done.err


def test_a_target_that_the_table_does_not_reach_is_named(project: Path, cli: Cli) -> None:
    assert "changes are known up to jax 0.12" in cli("upgrade", "--to", "99").err
    assert "changes are known" not in cli("upgrade", "--to", "0.12").err


def test_a_target_that_is_older_than_what_is_installed_is_named(project: Path, cli: Cli) -> None:
    assert "`--to 0.4.13` is older than jax " in cli("upgrade", "--to", "0.4.13").err
    assert "is older than" not in cli("upgrade", "--to", "99").err


def test_a_folder_without_sources_has_nothing_to_look_at(project: Path, cli: Cli) -> None:
    (project / "train.py").unlink()
    done = cli("upgrade")
    assert (done.code, done.out.splitlines()[-1]) == (0, "no Python files to analyse")


def test_a_diff_writes_nothing(project: Path, cli: Cli) -> None:
    done = cli("upgrade", "--diff")
    assert "+from jax.tree import map as tree_multimap" in done.out
    assert (project / "train.py").read_text() == TRAINING


def test_what_is_held_is_proven_by_the_same_command(project: Path, cli: Cli) -> None:
    (project / "train.py").write_text(f'{TRAINING}\n\nif __name__ == "__main__":\n    print(1)\n')
    done = cli("upgrade", "--from", "0.4.13", "--diff")
    assert "to prove them: `jaxfix upgrade --from 0.4.13 train.py --allow-no-vcs --run 'python train.py'`" in done.err
    assert "a rename\n" in done.out and "unproven" not in done.out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--to", "next"), "not a version of jax"),
        (("--diff", "--write"), "writes nothing"),
        (("--python", "nowhere/python"), "no such file"),
        (("--unproven",), "says what is written"),
        (("--unproven", "--run", "python train.py"), "runs nothing"),
    ],
)
def test_a_wrong_option_is_named(project: Path, cli: Cli, options: tuple[str, ...], said: str) -> None:
    done = cli("upgrade", *options)
    assert done.code == 2 and said in done.err


HIDING = """\
import jax
import jax.numpy as jnp
from jax.ops import index_update


def sorted_up(x):
    return jnp.msort(x)


x = index_update(jnp.arange(3.0)[::-1], 0, 1.0)
print(sorted_up(x), jax.tree_leaves([1]))
"""


@pytest.mark.slow
@pytest.mark.evidence
def test_cures_that_hide_one_another_are_proven(project: Path, cli: Cli) -> None:
    """The import raises before the function is called, of which the call raises too."""
    (project / "train.py").write_text(HIDING)
    done = cli("upgrade", "--write", "--allow-no-vcs", "--run", shlex.join([sys.executable, "train.py"]))
    assert done.code == 0, done.err
    text = (project / "train.py").read_text()
    assert "jnp.sort(x, axis=0)" in text and "jnp.arange(3.0)[::-1].at[0].set(1.0)" in text
    assert "jax.ops" not in text


ALIASES = """from typing import Union

import jax.numpy as jnp
import numpy as np
from jax.interpreters.xla import DeviceArray

Both = Union[np.ndarray, jnp.DeviceArray]
"""


@pytest.mark.parametrize("whole", [True, False], ids=["all files", "one file"])
@pytest.mark.parametrize(
    ("other", "asks"),
    [
        ("from kinds import Both\n\n\ndef f(x: Both) -> bool:\n    return True\n", ""),
        ("import kinds\n\nok = isinstance(1, kinds.Both.__args__)\n", "Both"),
        ("from kinds import Both as B\n\nok = isinstance(1, B)\n", "Both"),
        ("import typing\n\nimport kinds as k\n\nprint(typing.get_args(k.Both))\n", "Both"),
        ("import kinds\n\nok = issubclass(int, (str, kinds.DeviceArray))\n", "DeviceArray"),
    ],
)
def test_a_type_that_another_file_asks_for_is_left(
    project: Path, cli: Cli, other: str, asks: str, *, whole: bool
) -> None:
    (project / "train.py").unlink()
    (project / "kinds.py").write_text(ALIASES)
    (project / "other.py").write_text(other)
    told = cli("upgrade", *([] if whole else ["kinds.py"]), "--diff", "--unproven").out
    assert ("Both = Union[np.ndarray, jax.Array]" in told) == (asks != "Both")
    assert ("from jax import Array as DeviceArray" in told) == (asks != "DeviceArray")
