"""The one generated helper file: where it stands, who imports it, and what becomes of what exists already."""

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import Cli

from jaxfix import testing
from jaxfix.engine import generated
from jaxfix.source.errors import WriteError
from jaxfix.testing import HELPERS

TESTS = Path(__file__).resolve().parent
TEXT = HELPERS.read_bytes()
OLDER = re.sub(rb"\(helper file, version \d+\)", b"(helper file, version 0)", TEXT, count=1)
USER = "import jax\n\ny = jax.tiny_like(1, 2)\n"
FIXED = "import jax\nfrom {place} import cast_like\n\ny = cast_like(1, 2)\n"
APPLY = ("apply", "--unproven", "--select", "tiny-like")


@pytest.fixture(autouse=True)
def pack(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(TESTS / "pack")
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one script that a fix makes import from the helper file, committed."""
    monkeypatch.chdir(tmp_path)
    git("init", "-q")
    make("train.py")
    return tmp_path


def git(*arguments: str) -> None:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.com")
    subprocess.run(["git", *identity, *arguments], check=True, capture_output=True)


def make(*paths: str, text: str | bytes = USER) -> None:
    """Writes the files, packages empty, and commits."""
    for path in map(Path, paths):
        path.parent.mkdir(parents=True, exist_ok=True)
        content = b"" if path.name == "__init__.py" else text if isinstance(text, bytes) else text.encode()
        path.write_bytes(content)
    git("add", ".")
    git("commit", "-qm", "x", "--allow-empty")


def written() -> set[str]:
    """The helper files that there are."""
    return {path.as_posix() for path in Path().rglob("*.py") if path.read_bytes() == TEXT}


def imports_from(path: str) -> str:
    (line,) = (line for line in Path(path).read_text().splitlines() if line.endswith(" import cast_like"))
    return line.split()[1]


# where it is


def test_a_script_gets_it_beside_it(project: Path, cli: Cli) -> None:
    done = cli(*APPLY)
    assert done.code == 0, done.err
    assert Path("train.py").read_text() == FIXED.format(place="jaxfix_helpers")
    assert written() == {"jaxfix_helpers.py"}
    assert "note: wrote `jaxfix_helpers.py`, from which the fixed code imports `cast_like`\n" in done.err


@pytest.mark.parametrize(
    ("sources", "place", "module"),
    [
        (("lib/__init__.py", "lib/mod.py"), "lib/jaxfix_helpers.py", "lib.jaxfix_helpers"),
        (
            ("lib/__init__.py", "lib/deep/__init__.py", "lib/deep/mod.py"),
            "lib/jaxfix_helpers.py",
            "lib.jaxfix_helpers",
        ),
        (
            ("src/lib/__init__.py", "src/lib/mod.py", "pyproject.toml"),
            "src/lib/jaxfix_helpers.py",
            "lib.jaxfix_helpers",
        ),
        (
            ("src/space/lib/__init__.py", "src/space/lib/mod.py"),
            "src/space/lib/jaxfix_helpers.py",
            "space.lib.jaxfix_helpers",
        ),
        (("third_party/lib/__init__.py", "third_party/lib/mod.py"), "third_party/lib/jaxfix_helpers.py", "lib"),
        (("my-scripts/__init__.py", "my-scripts/mod.py"), "my-scripts/jaxfix_helpers.py", "jaxfix_helpers"),
        (("examples/mod.py",), "examples/jaxfix_helpers.py", "jaxfix_helpers"),
        (("src/mod.py",), "src/jaxfix_helpers.py", "jaxfix_helpers"),
        (("src/examples/mod.py",), "src/examples/jaxfix_helpers.py", "jaxfix_helpers"),
    ],
)
def test_its_place_and_its_name_follow_from_the_folders(
    project: Path, cli: Cli, sources: tuple[str, ...], place: str, module: str
) -> None:
    make(*(path for path in sources if path.endswith(".py")))
    make(*(path for path in sources if path.endswith(".toml")), text="")
    (source,) = (path for path in sources if path.endswith("/mod.py"))
    assert cli(*APPLY, source).code == 0
    assert written() == {place}
    assert imports_from(source).startswith(module)


def test_a_package_has_one_for_all_its_modules(project: Path, cli: Cli) -> None:
    make("lib/__init__.py", "lib/one.py", "lib/deep/__init__.py", "lib/deep/two.py")
    done = cli(*APPLY, "lib", "train.py")
    assert written() == {"lib/jaxfix_helpers.py", "jaxfix_helpers.py"}
    assert imports_from("lib/one.py") == imports_from("lib/deep/two.py") == "lib.jaxfix_helpers"
    assert done.err.count("note: wrote") == 2


def test_what_it_holds_can_be_imported_where_it_stands(project: Path, cli: Cli) -> None:
    make("src/lib/__init__.py", "src/lib/mod.py", text=f"import jax\n\ndef f(x):\n    return {USER.split('= ')[1]}")
    cli(*APPLY, "src")
    code = "import jax, lib.mod as m; print(m.cast_like(jax.numpy.ones(1), jax.numpy.ones(1, 'bfloat16')).dtype)"
    env = os.environ | {"PYTHONPATH": "src", "JAX_PLATFORMS": "cpu"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)
    assert (done.stdout, done.stderr) == ("bfloat16\n", "")


def test_a_second_apply_and_a_check_find_nothing(project: Path, cli: Cli) -> None:
    cli(*APPLY)
    again = cli(*APPLY, "--allow-dirty")
    assert (again.code, again.out) == (0, "")
    assert "wrote" not in again.err
    assert cli("check").code == 0


def test_a_fix_that_is_held_writes_none(project: Path, cli: Cli) -> None:
    make("slow.py", text="import jax\n\n\ndef f(x):\n    return jax.jit(lambda v: v)(x)\n\n\njax.tiny_safe(1)\n")
    cli("apply", "--no-prove", "--select", "tiny-cast,tiny-safe", "slow.py")
    assert "tiny_done" in Path("slow.py").read_text()
    assert written() == set()


def test_a_fix_that_imports_it_is_not_written_unproven(project: Path, cli: Cli) -> None:
    """Its codemod calls it safe, but whether the import works is only seen where the program runs."""
    done = cli("apply", "--no-prove", "--select", "tiny-like")
    assert "held  tiny-like  train.py:3  needs a rerun" in done.out
    assert (done.code, written()) == (1, set())


def test_a_relative_import_of_it_is_used(project: Path, cli: Cli) -> None:
    make("lib/__init__.py", "lib/mod.py", text=f"from .jaxfix_helpers import cast_like as keep\n{USER}")
    cli(*APPLY, "lib")
    assert Path("lib/mod.py").read_text().endswith("y = keep(1, 2)\n")
    assert Path("lib/mod.py").read_text().count("jaxfix_helpers") == 1


def test_undo_takes_it_away_again(project: Path, cli: Cli) -> None:
    make("lib/__init__.py", "lib/mod.py")
    cli(*APPLY)
    assert len(written()) == 2
    assert cli("undo").code == 0
    assert written() == set()
    assert Path("train.py").read_text() == Path("lib/mod.py").read_text() == USER


def test_a_later_apply_leaves_it_to_the_first_to_take_it_away(project: Path, cli: Cli) -> None:
    make("other.py")
    cli(*APPLY, "train.py")
    cli(*APPLY, "other.py")
    cli("undo")
    assert written() == {"jaxfix_helpers.py"}
    cli("undo")
    assert written() == set()


# what exists already


@pytest.mark.parametrize(
    "existing",
    [
        TEXT,
        TEXT.replace(b"\n", b"\r\n"),
        b"# Copyright\n" + TEXT,
        TEXT.replace(b"\n\n\n", b"\n\n\n\n").replace(b"return ", b"return  "),
        TEXT.replace(b"import jax\nimport jax.numpy as jnp\n", b"import jax.numpy as jnp\nimport jax\n"),
    ],
    ids=["itself", "crlf", "licence", "formatted", "sorted"],
)
def test_the_same_text_stays_as_it_is(project: Path, cli: Cli, existing: bytes) -> None:
    make("jaxfix_helpers.py", text=existing)
    done = cli(*APPLY, "train.py")
    assert done.code == 0, done.err
    assert Path("jaxfix_helpers.py").read_bytes() == existing
    assert "jaxfix_helpers.py" not in done.err
    assert imports_from("train.py") == "jaxfix_helpers"


def test_an_older_one_is_renewed_and_put_back(project: Path, cli: Cli) -> None:
    make("jaxfix_helpers.py", text=OLDER)
    done = cli(*APPLY, "train.py")
    assert written() == {"jaxfix_helpers.py"}
    assert "note: renewed `jaxfix_helpers.py`" in done.err
    cli("undo")
    assert Path("jaxfix_helpers.py").read_bytes() == OLDER


def test_an_older_one_is_left_alone_where_no_fix_needs_it(project: Path, cli: Cli) -> None:
    make("jaxfix_helpers.py", text=OLDER)
    make("train.py", text="import jax\n\njax.tiny_safe(1)\n")
    cli("apply", "--select", "tiny-safe")
    assert Path("jaxfix_helpers.py").read_bytes() == OLDER


def test_an_older_one_that_is_not_committed_is_refused(project: Path, cli: Cli) -> None:
    Path("jaxfix_helpers.py").write_bytes(OLDER)
    done = cli(*APPLY, "train.py")
    assert done.code == 2
    assert "uncommitted changes would be overwritten: jaxfix_helpers.py (untracked)" in done.err
    assert Path("train.py").read_text() == USER


@pytest.mark.parametrize(
    ("existing", "words"),
    [
        (
            b"MINE = 1\n",
            "jaxfix_helpers.py: is not a file that jaxfix generated; name another place with `--helper PATH`",
        ),
        (TEXT + b"MINE = 1\n", "jaxfix_helpers.py: was generated by jaxfix and edited since; delete it, or name"),
        (
            TEXT.replace(b"version ", b"version 9", 1),
            "jaxfix_helpers.py: was generated by a newer jaxfix (version 9",
        ),
    ],
    ids=["foreign", "edited", "newer"],
)
def test_what_is_not_to_be_written_over_is_named(project: Path, cli: Cli, existing: bytes, words: str) -> None:
    make("jaxfix_helpers.py", text=existing)
    done = cli(*APPLY, "train.py")
    assert (done.code, done.out) == (2, "")
    assert f"error: {words}" in done.err
    assert Path("train.py").read_text() == USER
    assert Path("jaxfix_helpers.py").read_bytes() == existing


def test_a_file_in_the_way_does_not_matter_to_other_fixes(project: Path, cli: Cli) -> None:
    make("jaxfix_helpers.py", text="MINE = 1\n")
    make("train.py", text="import jax\n\njax.tiny_safe(1)\n")
    assert cli("apply", "--unproven", "--select", "tiny-safe,tiny-like").code == 0


def test_no_fix_rewrites_the_file_itself(project: Path, cli: Cli) -> None:
    slow = OLDER + b"\nAGAIN = jax.tiny_safe(1)\n"
    make("jaxfix_helpers.py", text=slow)
    done = cli("apply", "--select", "tiny-safe")
    assert Path("jaxfix_helpers.py").read_bytes() == slow
    assert "1 finding remains" in done.err


def test_nothing_is_found_in_what_is_generated(project: Path, cli: Cli) -> None:
    make("train.py", text=TEXT)
    done = cli("check", "--all")
    assert (done.code, done.out) == (0, "")


# another place


@pytest.mark.parametrize(
    ("path", "module"),
    [("fast.py", "fast"), ("lib/_fast.py", "lib._fast"), ("new/deep/fast.py", None)],
)
def test_the_user_may_name_another_place(project: Path, cli: Cli, path: str, module: str | None) -> None:
    make("lib/__init__.py", "lib/mod.py")
    done = cli(*APPLY, "--helper", path, "lib")
    if module is None:
        assert done.code == 2
        assert (
            "error: `--helper new/deep/fast.py`: lib/mod.py cannot import `fast`: its own imports start at " in done.err
        )
        assert written() == set()
        return
    assert done.code == 0, done.err
    assert written() == {path}
    assert imports_from("lib/mod.py") == module
    assert cli(*APPLY, "--allow-dirty", "--helper", path, "lib").out == ""


def test_the_configuration_may_name_another_place(project: Path, cli: Cli) -> None:
    make("lib/__init__.py", "lib/mod.py")
    make("pyproject.toml", text='[tool.jaxfix]\nhelper = "lib/_fast.py"\n')
    make("train.py", text="import lib.mod\n" + USER)
    make("examples/run.py", text="from lib import mod\n" + USER)
    assert cli(*APPLY).code == 0
    assert written() == {"lib/_fast.py"}
    assert {imports_from(path) for path in ("train.py", "lib/mod.py", "examples/run.py")} == {"lib._fast"}


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("fast.txt", "`--helper fast.txt`: not the name of a module"),
        ("my-helpers.py", "`--helper my-helpers.py`: not the name of a module"),
        ("lib/__init__.py", "`--helper lib/__init__.py`: not the name of a module"),
        ("types.py", "`--helper types.py`: `types` is a module of Python's own"),
    ],
)
def test_a_place_that_cannot_be_imported_is_named(project: Path, cli: Cli, path: str, words: str) -> None:
    done = cli(*APPLY, "--helper", path)
    assert done.code == 2
    assert done.err.startswith(f"error: {words}")
    assert done.err.count("error:") == 1


def test_what_comes_from_stdin_has_no_place_for_it(project: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(USER.encode())))
    done = cli(*APPLY, "-")
    assert done.out == USER
    assert "there is no place for the file that holds `cast_like`" in done.err
    assert written() == set()
    assert "error: `-` writes no file, so `--helper` has nothing to place" in cli(*APPLY, "-", "--helper", "a.py").err


# how it is told


@pytest.mark.parametrize("existing", [None, OLDER], ids=["new", "older"])
def test_the_diff_holds_it_and_git_takes_it(project: Path, cli: Cli, existing: bytes | None) -> None:
    make("lib/__init__.py", "lib/mod.py")
    if existing is not None:
        make("lib/jaxfix_helpers.py", text=existing)
    done = cli(*APPLY, "--diff", "lib")
    assert written() == set()
    assert ("--- /dev/null\n+++ b/lib/jaxfix_helpers.py\n" in done.out) == (existing is None)
    subprocess.run(["git", "apply", "-"], input=done.out.encode(), check=True)
    assert written() == {"lib/jaxfix_helpers.py"}
    assert imports_from("lib/mod.py") == "lib.jaxfix_helpers"


def test_the_diff_of_a_project_elsewhere_starts_at_its_root(
    project: Path, cli: Cli, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    done = cli(*APPLY, "--diff", str(project))
    assert "--- /dev/null\n+++ b/jaxfix_helpers.py\n" in done.out
    subprocess.run(["git", "-C", str(project), "apply", "-"], input=done.out.encode(), check=True)
    assert (project / "jaxfix_helpers.py").read_bytes() == TEXT


def test_the_json_names_it(project: Path, cli: Cli) -> None:
    document = json.loads(cli(*APPLY, "--output-format", "json").out)
    assert document["generated"] == [{"path": "jaxfix_helpers.py", "new": True, "functions": ["cast_like"]}]
    make("other.py")
    again = json.loads(cli(*APPLY, "--output-format", "json", "other.py").out)
    assert again["generated"] == []


# installed packages


@pytest.fixture
def installed(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    package = project / "site-packages" / "likepkg"
    make("site-packages/likepkg/__init__.py", "site-packages/likepkg/core.py")
    monkeypatch.syspath_prepend(package.parent)
    return package


def test_a_vendored_package_brings_it_along(installed: Path, cli: Cli) -> None:
    done = cli(*APPLY, "likepkg", "--to", "third_party")
    assert done.code == 0, done.err
    assert written() == {"third_party/likepkg/jaxfix_helpers.py"}
    assert imports_from("third_party/likepkg/core.py") == "likepkg.jaxfix_helpers"
    note = Path("third_party/likepkg/VENDORED.md").read_text()
    assert "- `jaxfix_helpers.py`: generated by jaxfix, for `cast_like`\n" in note
    cli("undo")
    assert written() == set()


def test_a_package_vendored_into_another_imports_it_there(installed: Path, cli: Cli) -> None:
    make("app/__init__.py")
    cli(*APPLY, "likepkg", "--to", "app/_vendor")
    assert imports_from("app/_vendor/likepkg/core.py") == "app._vendor.likepkg.jaxfix_helpers"
    assert written() == {"app/_vendor/likepkg/jaxfix_helpers.py"}


def test_the_diff_of_an_installed_package_holds_it(installed: Path, cli: Cli) -> None:
    done = cli(*APPLY, "--diff", "likepkg")
    assert "--- /dev/null\n+++ b/likepkg/jaxfix_helpers.py\n" in done.out
    assert written() == set()


def test_an_installed_package_takes_no_other_place(installed: Path, cli: Cli) -> None:
    done = cli(*APPLY, "likepkg", "--helper", "fast.py")
    assert done.code == 2
    assert "error: `--helper` places a file of your own project, and `likepkg` is installed; " in done.err


# the text


def test_versions_are_read_from_the_header_alone() -> None:
    assert generated.version(TEXT) is not None
    assert generated.version(OLDER) == 0
    assert generated.version(b"x = '# Generated by jaxfix (helper file, version 1)'\n") is None


def test_half_a_file_is_not_taken_for_ours() -> None:
    with pytest.raises(WriteError):
        generated.written(TEXT[: len(TEXT) // 2] + b"(", TEXT, "h.py")


def test_goldens_import_it_as_a_script_does() -> None:
    assert testing.BESIDE.helpers == HELPERS.stem


@pytest.mark.parametrize("columns", [79, 88, 100])
def test_formatters_and_linters_of_a_project_leave_the_file_alone(columns: int, tmp_path: Path) -> None:
    """ruff where it is installed; the other tools by the marks that they look for."""
    head = TEXT.splitlines()[:8]
    assert {b"# fmt: off", b"# isort: skip_file", b"# pylint: skip-file", b"# ruff: noqa", b"# flake8: noqa"} <= set(
        head
    )
    pytest.importorskip("ruff")
    (tmp_path / "jaxfix_helpers.py").write_bytes(TEXT)
    ruff = [sys.executable, "-m", "ruff"]
    options = ["--isolated", "--no-cache", "--line-length", str(columns)]
    for words in (["format", "--check"], ["check", "--select", "E,F,W,I,UP,B,SIM,C4,N,D"]):
        done = subprocess.run([*ruff, *words, *options, str(tmp_path)], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout
