"""The command line, on scratch repositories and with a pack that comes in by its entry point."""

import contextlib
import fcntl
import json
import os
import pty
import re
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest
from command_line import Cli

TESTS = Path(__file__).resolve().parent
SLOW = "import jax\n\ny = jax.tiny_safe(1)\nz = jax.tiny_risky(2)  # kept\n"
SAFE_DONE = SLOW.replace("tiny_safe", "tiny_done")
ALL_DONE = SAFE_DONE.replace("tiny_risky", "tiny_done")


@pytest.fixture(autouse=True)
def pack(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tiny codemods alone are selected, whatever else is installed."""
    monkeypatch.syspath_prepend(TESTS / "pack")
    for name in ("NO_COLOR", "FORCE_COLOR", "JAXFIX_TRACEBACK"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one slow file, committed."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(SLOW)
    git("init", "-q")
    commit()
    return tmp_path


def git(*arguments: str) -> str:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.com")
    return subprocess.run(["git", *identity, *arguments], check=True, capture_output=True, text=True).stdout


def commit() -> None:
    git("add", ".")
    git("commit", "-qm", "x")


def text(path: str = "train.py") -> str:
    return Path(path).read_bytes().decode()


# check


def test_check_says_where_what_and_why(project: Path, cli: Cli) -> None:
    done = cli("check")
    assert done.out == (
        "train.py:3:5: tiny-safe [*] `tiny_safe` costs a compile at every call\n"
        "train.py:4:5: tiny-risky [*] `tiny_risky` costs a compile at every call\n"
    )
    assert done.err == "2 findings in 1 file; [*] 2 fixable, 1 of them after a rerun: `jaxfix apply --run CMD`\n"
    assert done.code == 1


MAYBE = "import jax\n\njax.tiny_maybe(1)\njax.tiny_maybe(2)\n"


def test_check_shows_what_is_certain_and_counts_the_rest(project: Path, cli: Cli) -> None:
    (project / "maybe.py").write_text(MAYBE)
    done = cli("check")
    assert {line.split(":")[0] for line in done.out.splitlines()} == {"train.py"}
    assert done.err == (
        "2 findings in 1 of 2 files; [*] 2 fixable, 1 of them after a rerun: `jaxfix apply --run CMD`\n"
        "note: 2 possible findings depend on how the code is called: `--all` shows them\n"
    )


def test_what_is_only_possible_fails_no_check(project: Path, cli: Cli) -> None:
    (project / "maybe.py").write_text(MAYBE)
    done = cli("check", "maybe.py", "--select", "tiny-maybe")
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith("no findings in 1 file\nnote: 2 possible findings depend")
    everything = cli("check", "maybe.py", "--all")
    assert (everything.code, everything.out.count("tiny-maybe")) == (1, 2)
    assert everything.err == "2 findings in 1 file; [*] 2 fixable with `jaxfix apply`\n"


def test_the_json_of_a_check_holds_what_is_shown_and_counts_the_rest(project: Path, cli: Cli) -> None:
    (project / "maybe.py").write_text(MAYBE)
    document = json.loads(cli("check", "--output-format", "json").out)
    assert ([entry["confidence"] for entry in document["findings"]], document["not_shown"]) == (["certain"] * 2, 2)
    document = json.loads(cli("check", "--output-format", "json", "--all").out)
    assert (len(document["findings"]), document["not_shown"]) == (4, 0)


def test_of_what_is_installed_both_are_shown(project: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    place = install(project, monkeypatch)
    (place / "slowpkg" / "base.py").write_text(MAYBE)
    done = cli("check", "slowpkg.base")
    assert (done.code, done.out.count("tiny-maybe")) == (1, 2)
    assert "note:" not in done.err


def test_apply_acts_on_what_is_possible_too(project: Path, cli: Cli) -> None:
    (project / "train.py").write_text(MAYBE)
    commit()
    assert cli("apply", "--no-prove").code == 0
    assert text().count("tiny_done") == 2


def test_check_says_why_there_is_no_fix(project: Path, cli: Cli) -> None:
    (project / "odd.py").write_text("import jax\njax.tiny_safe(1, 2)\n")
    done = cli("check", "odd.py")
    assert "tiny-safe `tiny_safe` costs a compile at every call (no fix: it takes more than one argument)" in done.out
    assert "none fixable" in done.err


def test_a_clean_project_gives_zero(project: Path, cli: Cli) -> None:
    (project / "train.py").write_text("x = 1\n")
    assert cli("check", ".") == (0, "", "no findings in 1 file\n")


def test_check_json_has_the_promised_schema(project: Path, cli: Cli) -> None:
    done = cli("check", "--output-format", "json", "train.py", "gone.py")
    document = json.loads(done.out)
    assert document["schema"] == 1
    assert document["errors"] == ["gone.py: no such file, folder or installed module"]
    assert document["findings"][0] == {
        "path": "train.py",
        "line": 3,
        "column": 5,
        "end_line": 3,
        "end_column": 21,
        "id": "tiny-safe",
        "message": "`tiny_safe` costs a compile at every call",
        "confidence": "certain",
        "estimate": "a compile at each call",
        "safety": "safe",
        "title": "Call `tiny_done` for `tiny_safe`",
        "fixable": True,
        "declined": None,
        "declined_code": None,
        "declined_line": None,
        "seen": None,
        "related": [],
    }


def test_paths_are_relative_to_where_it_runs(project: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "deep").mkdir()
    monkeypatch.chdir(project / "deep")
    assert cli("check", str(project)).out.startswith("../train.py:3:5: ")


@pytest.mark.parametrize("option", ["--select=tiny-risky", "--ignore=tiny-safe,tiny-buggy"])
def test_select_and_ignore(project: Path, cli: Cli, option: str) -> None:
    assert [line.split()[1] for line in cli("check", option).out.splitlines()] == ["tiny-risky"]


def test_an_unknown_id_is_named_and_the_rest_runs(project: Path, cli: Cli) -> None:
    done = cli("check", "--select", "tiny-saf,tiny-risky")
    assert done.code == 2
    assert "error: `--select`: no codemod is called `tiny-saf`; did you mean `tiny-safe`?\n" in done.err
    assert "tiny-risky" in done.out


@pytest.mark.parametrize(
    ("name", "raw", "message"),
    [
        ("bad.py", b"import jax\njax.tiny_safe(\n", "bad.py: "),
        ("latin.py", b"x = '\xff'\n", "latin.py: cannot be decoded"),
        ("null.py", b"import jax # tiny_safe\0\n", "null.py: "),
    ],
)
def test_what_cannot_be_read_is_named_and_the_rest_runs(
    project: Path, cli: Cli, name: str, raw: bytes, message: str
) -> None:
    (project / name).write_bytes(raw)
    done = cli("check")
    assert done.code == 2
    assert f"error: {message}" in done.err
    assert done.out.count("train.py:") == 2
    assert "Traceback" not in done.err


def test_a_missing_path_is_named_and_the_rest_runs(project: Path, cli: Cli) -> None:
    done = cli("check", "nowhere/", "train.py")
    assert done.code == 2
    assert "error: nowhere/: no such file, folder or installed module\n" in done.err
    assert done.out.count("train.py:") == 2


def test_where_nothing_is_looked_at_nothing_is_praised(project: Path, cli: Cli) -> None:
    (project / "dir.py").mkdir()
    assert cli("check", "dir.py") == (0, "", "no Python files to analyse\n")
    done = cli("check", "")
    assert (done.code, done.out) == (2, "")
    assert "error: ``: no such file, folder or installed module" in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--select", ","), "`--select` names no codemod; the codemods are `"),
        (("train.py", "--stdin-filename", "a.py"), "`--stdin-filename` names what `-` reads, and `-` is not among"),
    ],
)
def test_an_option_that_says_nothing_is_refused(
    project: Path, cli: Cli, arguments: tuple[str, ...], message: str
) -> None:
    for command in ("check", "apply"):
        done = cli(command, *arguments)
        assert (done.code, done.out) == (2, "")
        assert message in done.err


def test_json_paths_are_relative_however_long(project: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = project.joinpath(*["d"] * 60)
    deep.mkdir(parents=True)
    monkeypatch.chdir(deep)
    assert cli("check", str(project / "train.py")).out.startswith(f"{project}/train.py:3:5: ")
    for command in ("check", "apply"):
        document = json.loads(cli(command, "--output-format", "json", str(project / "train.py")).out)
        assert {entry["path"] for entry in document["findings"]} == {"../" * 60 + "train.py"}
    assert document["held"][0]["path"] == document["fixes"][0]["path"] == "../" * 60 + "train.py"


def test_a_file_named_twice_is_told_once(project: Path, cli: Cli) -> None:
    assert cli("check", "train.py", ".", str(project / "train.py")).out.count("tiny-safe") == 1


def test_stdin_is_checked_under_its_name(project: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    with stdin(monkeypatch, project, SLOW):
        done = cli("check", "-", "--stdin-filename", "src/model.py")
    assert done.out.startswith("src/model.py:3:5: tiny-safe [*] ")


def test_the_configuration_of_the_nearest_pyproject_holds(project: Path, cli: Cli) -> None:
    for name in ("sub/a.py", "sub/old/b.py", "sub/tests/c.py"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(SLOW)
    (project / "sub" / "pyproject.toml").write_text(
        '[tool.jaxfix]\nignore = ["tiny-risky"]\nextend-exclude = ["old"]\n'
        '[tool.jaxfix.per-file-ignores]\n"tests/*" = ["tiny-safe"]\n'
    )
    found = [line.split()[:2] for line in cli("check").out.splitlines()]
    assert found == [["sub/a.py:3:5:", "tiny-safe"], ["train.py:3:5:", "tiny-safe"], ["train.py:4:5:", "tiny-risky"]]
    assert "sub/old/b.py:3:5:" in cli("check", "sub/old/b.py").out


def test_a_project_reached_through_a_link_is_the_same(
    project: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    link = tmp_path_factory.mktemp("elsewhere") / "link"
    link.symlink_to(project, target_is_directory=True)
    (project / "pyproject.toml").write_text('[tool.jaxfix]\nextend-exclude = ["old.py"]\nignore = ["tiny-risky"]\n')
    (project / "old.py").write_text(SLOW)
    commit()
    monkeypatch.chdir(link)
    monkeypatch.setenv("PWD", str(link))
    assert cli("check", str(link)).out.count("tiny-safe") == 1
    assert cli("apply", str(link)).code == 0
    assert text() == SAFE_DONE
    assert cli("undo").code == 0
    assert text() == SLOW


def test_a_broken_configuration_is_named_once_and_others_run(project: Path, cli: Cli) -> None:
    for name in ("sub/a.py", "sub/b.py"):
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(SLOW)
    (project / "sub" / "pyproject.toml").write_text("[tool.jaxfix]\nselekt = []\n")
    done = cli("check")
    assert done.code == 2
    assert done.err.count("has no key `selekt`; did you mean `select`?") == 1
    assert {line.split(":")[0] for line in done.out.splitlines()} == {"train.py"}


def test_a_codemod_that_breaks_is_a_bug_and_the_rest_runs(project: Path, cli: Cli) -> None:
    (project / "train.py").write_text(SLOW + "jax.tiny_buggy()\n")
    done = cli("check")
    assert done.code == 3
    assert "train.py: codemod `tiny-buggy` broke: RuntimeError: boom" in done.err
    assert done.out.count("train.py:") == 2


def test_nothing_is_written_to_the_file_in_which_a_codemod_breaks(project: Path, cli: Cli) -> None:
    (project / "odd.py").write_text(SLOW + "jax.tiny_buggy()\n")
    commit()
    done = cli("apply", "--unproven")
    assert done.code == 3
    assert done.err.count("odd.py: codemod `tiny-buggy` broke: RuntimeError: boom") == 1
    assert (text("train.py"), text("odd.py")) == (ALL_DONE, SLOW + "jax.tiny_buggy()\n")


def test_an_installed_module_is_checked_by_name(project: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    install(project, monkeypatch)
    assert cli("check", "slowpkg").out.count("tiny-safe") == 2
    assert cli("check", "slowpkg.core").out.startswith("site-packages/slowpkg/core.py:5:8: tiny-safe")


# apply


def test_what_could_not_be_read_is_not_praised(project: Path, cli: Cli) -> None:
    assert cli("apply", "gone.py").err == "error: gone.py: no such file, folder or installed module\n"


def test_without_consent_only_safe_fixes_are_written(project: Path, cli: Cli) -> None:
    done = cli("apply")
    assert text() == SAFE_DONE
    assert done.code == 1
    assert done.out == "held  tiny-risky  train.py:4  needs a rerun: `--prove` or `--run CMD`\n"
    assert done.err == (
        "1 finding fixed; 1 fix held; 1 finding remains\nnote: undo with `jaxfix undo`\n"
        "note: no program or test here runs train.py: write one, and name it with `--run CMD`\n"
    )


def test_unproven_writes_everything_and_check_is_silent(project: Path, cli: Cli) -> None:
    assert cli("apply", "--unproven").code == 0
    assert text() == ALL_DONE
    assert cli("check").code == 0
    commit()
    done = cli("apply", "--unproven")
    assert (done.code, done.err) == (0, "no findings\n")
    assert text() == ALL_DONE


def test_a_rerun_without_a_program_holds_with_the_next_step(project: Path, cli: Cli) -> None:
    done = cli("apply", "--prove")
    assert text() == SAFE_DONE
    assert "no program to rerun; name one with `--run`" in done.out
    assert done.code == 1


def test_the_configured_program_alone_is_never_run(project: Path, cli: Cli) -> None:
    (project / "pyproject.toml").write_text('[tool.jaxfix]\nrun = "touch ran"\n')
    commit()
    cli("apply")
    assert not (project / "ran").exists()


def test_diff_goes_to_git_apply(project: Path, cli: Cli) -> None:
    done = cli("apply", "--diff", "--unproven")
    assert text() == SLOW
    assert done.code == 1
    assert "nothing was written" in done.err
    (project / "fix.patch").write_bytes(done.out.encode())
    git("apply", "fix.patch")
    assert text() == ALL_DONE


def test_a_diff_of_files_above_starts_at_their_repository(
    project: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "sub").mkdir()
    (project / "sub" / "more.py").write_text(SLOW)
    commit()
    monkeypatch.chdir(project / "sub")
    done = cli("apply", "--diff", "--unproven", "..")
    assert f"note: the paths of this diff start at `{project}`: pipe it to `git -C {project} apply`" in done.err
    (project / "fix.patch").write_bytes(done.out.encode())
    git("-C", str(project), "apply", "fix.patch")
    assert (text("more.py"), text("../train.py")) == (ALL_DONE, ALL_DONE)


def test_diff_without_consent_shows_safe_fixes_and_says_what_is_held(project: Path, cli: Cli) -> None:
    done = cli("apply", "--diff")
    assert "+y = jax.tiny_done(1)" in done.out
    assert "+z" not in done.out
    assert "held  tiny-risky  train.py:4" in done.err


@pytest.mark.parametrize(
    "name", ["crlf.py", "no newline.py", 'q"uote.py', "latin.py", "bom.py", "form\x0cfeed.py", "café.py"]
)
def test_diff_of_odd_bytes_and_names_goes_to_git_apply(project: Path, cli: Cli, name: str) -> None:
    raw = {
        "crlf.py": SLOW.replace("\n", "\r\n").encode(),
        "no newline.py": SLOW.removesuffix("  # kept\n").encode(),
        "latin.py": b"# -*- coding: latin-1 -*-\n# caf\xe9\n" + SLOW.encode(),
        "bom.py": b"\xef\xbb\xbf" + SLOW.encode(),
        "form\x0cfeed.py": SLOW.replace("\n\n", "\n\x0c\n").encode(),
    }.get(name, SLOW.encode())
    (project / name).write_bytes(raw)
    git("add", ".")
    (project.parent / "fix.patch").write_bytes(run_raw("apply", "--diff", "--unproven", name))
    git("-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", str(project.parent / "fix.patch"))
    assert (project / name).read_bytes() == raw.replace(b"tiny_safe", b"tiny_done").replace(b"tiny_risky", b"tiny_done")


def test_uncommitted_changes_are_not_written_over(project: Path, cli: Cli) -> None:
    (project / "train.py").write_text(SLOW + "# mine\n")
    (project / "new.py").write_text(SLOW)
    done = cli("apply")
    assert done.code == 2
    assert "uncommitted changes would be overwritten: new.py (untracked), train.py (modified)" in done.err
    assert text() == SLOW + "# mine\n"
    assert not (project / ".jaxfix").exists()
    assert cli("apply", "--allow-dirty").code == 1
    assert text() == SAFE_DONE + "# mine\n"


def test_an_ignored_file_counts_as_uncommitted(project: Path, cli: Cli) -> None:
    (project / ".gitignore").write_text("local.py\n")
    (project / "local.py").write_text(SLOW)
    commit()
    assert "local.py (ignored)" in cli("apply", "local.py").err


def test_other_dirty_files_do_not_matter(project: Path, cli: Cli) -> None:
    (project / "notes.txt").write_text("mine")
    cli("apply")
    assert text() == SAFE_DONE


def test_outside_of_git_nothing_is_written_unless_allowed(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    (tmp_path / "train.py").write_text(SLOW)
    done = cli("apply")
    assert done.code == 2
    assert "no git repository holds train.py" in done.err
    assert "pass `--allow-no-vcs`" in done.err
    assert text() == SLOW
    cli("apply", "--allow-no-vcs")
    assert text() == SAFE_DONE


def test_undo_restores_every_byte(project: Path, cli: Cli) -> None:
    (project / "train.py").chmod(0o755)
    raw = b"# -*- coding: latin-1 -*-\r\n# caf\xe9\r\n" + SLOW.replace("\n", "\r\n").encode()
    (project / "train.py").write_bytes(raw)
    commit()
    cli("apply", "--unproven")
    assert (project / "train.py").read_bytes() != raw
    done = cli("undo")
    assert (done.code, done.out) == (0, "")
    assert (project / "train.py").read_bytes() == raw
    assert os.stat("train.py").st_mode & 0o777 == 0o755
    assert cli("undo").code == 2
    assert "undone" in cli("undo", "--list").out


def test_undo_refuses_a_file_that_has_changed_since(project: Path, cli: Cli) -> None:
    cli("apply")
    (project / "train.py").write_text("mine\n")
    done = cli("undo")
    assert done.code == 2
    assert "train.py" in done.err
    assert text() == "mine\n"


def test_the_json_of_apply_says_what_is_left(project: Path, cli: Cli) -> None:
    document = json.loads(cli("apply", "--output-format", "json").out)
    assert [entry["id"] for entry in document["findings"]] == ["tiny-risky"]
    assert [entry["id"] for entry in document["fixes"]] == ["tiny-safe"]
    assert document["held"][0]["reason"] == "needs a rerun: `--prove` or `--run CMD`"
    assert document["written"] is True


def test_stdin_is_a_filter(project: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    with stdin(monkeypatch, project, SLOW):
        done = cli("apply", "-")
    assert (done.code, done.out) == (1, SAFE_DONE)
    with stdin(monkeypatch, project, SLOW):
        assert done.err == (
            "held  tiny-risky  <stdin>:4  needs a rerun: `--prove` or `--run CMD`\n"
            "1 finding fixed; 1 fix held; 1 finding remains\n"
        )
    with stdin(monkeypatch, project, SLOW):
        assert cli("apply", "--unproven", "-").out == ALL_DONE


def test_an_installed_module_is_never_written(project: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    place = install(project, monkeypatch)
    before = (place / "slowpkg" / "core.py").read_bytes()
    done = cli("apply", "--unproven", "--allow-dirty", "slowpkg")
    assert (place / "slowpkg" / "core.py").read_bytes() == before
    assert "nothing was written: `--to DIR` vendors a fixed copy" in done.err
    cli("apply", "--unproven", "--allow-dirty", "site-packages/slowpkg/core.py")
    assert (place / "slowpkg" / "core.py").read_bytes() == before


def test_the_diff_of_an_installed_module_starts_at_its_package(
    project: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(project, monkeypatch)
    assert cli("apply", "--diff", "slowpkg").out.startswith("--- a/slowpkg/__init__.py\n+++ b/slowpkg/__init__.py\n")


def test_a_vendored_copy_is_found_by_its_old_name(project: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    install(project, monkeypatch)
    done = cli("apply", "slowpkg", "--to", "third_party")
    assert done.code == 0, done.err
    assert done.err.endswith(
        "note: vendored into `third_party/slowpkg`, see `VENDORED.md` there\nnote: undo with `jaxfix undo`\n"
    )
    copy = project / "third_party" / "slowpkg"
    assert cli("check", "third_party").code == 0
    assert "tiny_done" in (copy / "core.py").read_text()
    assert (copy / "LICENSE").read_text() == "be kind\n"
    assert "slow-pkg 2.1" in (copy / "VENDORED.md").read_text()
    assert (
        "`slowpkg/core.py`: Call `tiny_done` for `tiny_safe` (`tiny-safe`): safe" in (copy / "VENDORED.md").read_text()
    )
    assert imported("slowpkg", project / "third_party") == "third_party/slowpkg/core.py 7"
    assert cli("apply", "slowpkg", "--to", "third_party").code == 2
    cli("undo")
    assert not copy.exists()


def test_a_vendored_copy_leaves_out_what_only_tests_need(
    project: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = install(project, monkeypatch) / "slowpkg"
    (package / "samples_test.py").write_text("")
    (package / "base.py").write_text("SEVEN = 7\n\ndef lazy():\n    from . import samples_test\n")
    (package / "tests").mkdir()
    (package / "tests" / "data.json").write_text("{}")
    cli("apply", "slowpkg", "--to", "third_party", "--unproven")
    names = {path.name for path in (project / "third_party" / "slowpkg").iterdir()}
    assert names == {"LICENSE", "VENDORED.md", "__init__.py", "base.py", "core.py", "samples_test.py"}


def test_what_is_in_the_way_of_a_copy_is_told_before_anything_runs(
    project: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(project, monkeypatch)
    (project / "x" / "slowpkg").mkdir(parents=True)
    done = cli("apply", "slowpkg", "--to", "x", "--prove")
    assert (done.code, done.out) == (2, "")
    assert done.err == "error: x/slowpkg: exists already; delete it, or name another folder\n"


def test_a_copy_vendored_into_a_package_imports_itself_there(
    project: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(project, monkeypatch)
    (project / "app").mkdir()
    (project / "app" / "__init__.py").write_text("")
    assert cli("apply", "slowpkg", "--to", "app/_vendor").code == 0
    assert imported("app._vendor.slowpkg", project) == "app/_vendor/slowpkg/core.py 7"


def test_vendoring_asks_for_one_package(project: Path, cli: Cli) -> None:
    done = cli("apply", "train.py", "--to", "x")
    assert done.code == 2
    assert "`--to` vendors one installed package" in done.err
    assert text() == SLOW


@pytest.mark.parametrize(
    "arguments",
    [
        ("--prove", "--no-prove"),
        ("--run", "true", "--unproven"),
        ("--no-prove", "--unproven"),
        ("--diff", "--output-format", "json"),
        ("--run", " "),
        ("-", "--prove"),
        ("-", "train.py"),
    ],
)
def test_options_that_contradict_each_other_are_refused(project: Path, cli: Cli, arguments: tuple[str, ...]) -> None:
    done = cli("apply", *arguments)
    assert done.code == 2
    assert done.err.startswith("error: ")
    assert text() == SLOW


def test_a_reason_that_many_share_is_told_once(project: Path, cli: Cli) -> None:
    (project / "more.py").write_text(SLOW)
    commit()
    assert cli("apply").out == (
        "held  tiny-risky  more.py:4\nheld  tiny-risky  train.py:4\n"
        "held  both: needs a rerun: `--prove` or `--run CMD`\n"
    )


# all commands


@pytest.mark.parametrize("arguments", [("frobnicate",), ("check", "--frobnicate"), ("explain",), ("trace",), ()])
def test_wrong_usage_gives_two(project: Path, cli: Cli, arguments: tuple[str, ...]) -> None:
    assert cli(*arguments).code == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("frobnicate",), "no such command `frobnicate`; see `jaxfix --help`"),
        (("check", "--frobnicate"), "no such option: `--frobnicate`; see `jaxfix check --help`"),
        (("trace",), "missing argument `CMD`; see `jaxfix trace --help`"),
        (("apply", "--steps", "2"), "invalid value for `--steps`: "),
    ],
)
def test_wrong_usage_is_told_in_one_line(project: Path, cli: Cli, arguments: tuple[str, ...], said: str) -> None:
    done = cli(*arguments)
    assert (done.code, done.out) == (2, "") and done.err.startswith(f"error: {said}")
    assert done.err.count("\n") == 1 and not re.search(r": [A-Z]", done.err)


def test_rules_lists_every_codemod(project: Path, cli: Cli) -> None:
    done = cli("rules")
    assert re.search(r"^tiny-risky +needs a rerun +`tiny` calls", done.out, re.MULTILINE)
    assert re.search(r"^ragged-shape +report only +An array", done.out, re.MULTILINE)


def test_explain_prints_the_page(project: Path, cli: Cli) -> None:
    done = cli("explain", "tiny-safe")
    assert done.out.startswith("# `tiny-safe`\n\n`tiny` calls, for tests")
    assert "## Before\n\n```python\ny = jax.tiny_safe(x)\n```" in done.out
    assert "did you mean `tiny-safe`?" in cli("explain", "tiny-saf").err


def test_colours_come_when_forced_and_go_when_unwanted(
    project: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "\x1b[" not in cli("check").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in cli("check").out
    assert "\x1b[" in cli("apply", "--diff").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in cli("check").out


def test_a_bug_is_one_line_and_gives_three(project: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "boom.py").write_text("raise ZeroDivisionError('boom')\nCODEMODS = ()\n")
    code = "import sys, jaxfix.drivers.cli.rules as r\nr.load_registry = lambda: 1 / 0\n"
    code += "from jaxfix.drivers.cli.start import run\nsys.exit(run(['rules']))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment())
    assert done.returncode == 3
    assert done.stderr.count("\n") == 1
    assert "a bug in jaxfix: ZeroDivisionError: division by zero; set `JAXFIX_TRACEBACK=1`" in done.stderr


def test_interruption_leaves_sources_untouched(project: Path) -> None:
    command = [sys.executable, "-m", "jaxfix", "apply", "-"]
    waiting = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
    time.sleep(3)  # by then it reads, on a busy machine too
    waiting.send_signal(signal.SIGINT)
    _, err = waiting.communicate(timeout=20)
    assert waiting.returncode == 130
    # on a busy machine it still loads its packs
    assert re.fullmatch(r"error: interrupted( in pack '\w+')?; nothing was written\n", err)


def test_a_reader_that_has_seen_enough_is_no_error(project: Path) -> None:
    (project / "many.py").write_text("import jax\n" + "jax.tiny_safe(1)\n" * 3000)
    command = [sys.executable, "-m", "jaxfix", "check"]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
    assert child.stdout is not None and child.stderr is not None
    child.stdout.readline()
    child.stdout.close()
    assert b"Traceback" not in child.stderr.read()
    child.stderr.close()
    assert child.wait() == 1


def environment() -> dict[str, str]:
    root = TESTS.parent
    return os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (root, root / "codemods", TESTS / "pack")))}


def run_raw(*arguments: str) -> bytes:
    command = [sys.executable, "-m", "jaxfix", *arguments]
    return subprocess.run(command, capture_output=True, env=environment()).stdout


class stdin:
    """Text in the place of stdin."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path, content: str) -> None:
        path = folder.parent / "stdin.txt"
        path.write_text(content)
        self._file = path.open()
        monkeypatch.setattr(sys, "stdin", self._file)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        self._file.close()


def install(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A distribution as pip lays it out, with a package that imports itself in every way."""
    place = project / "site-packages"
    package, info = place / "slowpkg", place / "slow_pkg-2.1.dist-info"
    package.mkdir(parents=True)
    (info / "licenses").mkdir(parents=True)
    (package / "__init__.py").write_text(
        "import slowpkg.base\nfrom slowpkg.core import answer\nif False:\n    import jax\n    jax.tiny_safe(0)\n"
    )
    (package / "base.py").write_text("SEVEN = 7\n")
    (package / "core.py").write_text(
        "import os, slowpkg.base, slowpkg as me; from slowpkg import base\nimport slowpkg.base as again\nimport jax\n\n"
        "late = jax.tiny_safe if False else None\n\n\ndef answer():\n    import slowpkg\n"
        "    assert slowpkg.base is again is base is me.base and os.sep\n    return slowpkg.base.SEVEN\n"
    )
    (package / "core.py").write_text(
        (package / "core.py").read_text().replace("jax.tiny_safe if", "jax.tiny_safe(0) if")
    )
    (package / "core_test.py").write_text(SLOW)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: slow-pkg\nVersion: 2.1\n")
    (info / "licenses" / "LICENSE").write_text("be kind\n")
    (info / "RECORD").write_text(
        "slowpkg/__init__.py,,\nslowpkg/core.py,,\nslow_pkg-2.1.dist-info/licenses/LICENSE,,\n"
    )
    monkeypatch.syspath_prepend(place)
    return place


def imported(name: str, path: Path) -> str:
    """Where the copy came from, and what it answers, in a fresh interpreter."""
    code = f"import sys; sys.path.insert(0, {str(path)!r}); sys.modules['jax'] = sys\n"
    code += f"import {name}.core as m, os; print(os.path.relpath(m.__file__), m.answer())"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def own_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def at_a_terminal(answer: bytes, *arguments: str, question: bytes = b"") -> str:
    """What a person sees who types `answer`, once `question` is there."""
    terminal, inner = pty.openpty()
    command = [sys.executable, "-m", "jaxfix", *arguments]
    env = environment() | {"TERM": "xterm"}
    child = subprocess.Popen(
        command, stdin=inner, stdout=inner, stderr=inner, env=env, start_new_session=True, preexec_fn=own_terminal
    )
    os.close(inner)
    seen = b""
    while question not in seen:
        seen += os.read(terminal, 4096)
    os.write(terminal, answer)
    with contextlib.suppress(OSError):  # how Linux says that the other side is closed
        while piece := os.read(terminal, 4096):
            seen += piece
    child.wait()
    os.close(terminal)
    return seen.decode()


def test_a_person_is_asked_before_anything_runs(project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.jaxfix]\nrun = "touch ran"\n')
    commit()
    seen = at_a_terminal(b"n\n", "apply")
    assert f"1 fix waits for evidence: rerun `touch ran` with and without them, in copies of `{project}`? [y/N]" in seen
    assert "\x1b[" in seen
    assert not (project / "ran").exists()
    assert text() == SAFE_DONE


def test_nobody_is_asked_where_there_is_nothing_to_run(project: Path) -> None:
    assert "[y/N]" not in at_a_terminal(b"", "apply")
    assert text() == SAFE_DONE


@pytest.mark.parametrize(("key", "code"), [(b"\x03", "error: interrupted"), (b"\x04", "")])
def test_a_question_without_an_answer_ends_its_line(project: Path, key: bytes, code: str) -> None:
    (project / "pyproject.toml").write_text('[tool.jaxfix]\nrun = "touch ran"\n')
    commit()
    seen = at_a_terminal(key, "apply", question=b"[y/N]")
    assert re.search(r"\[y/N\] (\^C)?\r\n", seen)
    assert code in re.sub(r"\x1b\[[0-9;]*m", "", seen)
    assert not (project / "ran").exists()
    assert text() == (SLOW if code else SAFE_DONE)


def test_no_prove_asks_nothing_at_a_terminal(project: Path) -> None:
    assert "[y/N]" not in at_a_terminal(b"", "apply", "--no-prove")
    assert text() == SAFE_DONE


def test_exit_zero_forgives_findings_and_not_errors(project: Path, cli: Cli) -> None:
    assert cli("check", "--exit-zero").code == 0
    assert cli("check", "--exit-zero", "nowhere").code == 2


def test_the_tests_of_an_installed_package_are_left_out(project: Path, cli: Cli) -> None:
    package = project / "site-packages" / "tool"
    (package / "tests").mkdir(parents=True)
    for name in ("__init__.py", "core.py", "core_test.py", "test_core.py", "tests/more.py"):
        (package / name).write_text(SLOW)
    told = cli("check", str(package)).out
    assert {line.partition(":")[0].rpartition("tool/")[2] for line in told.splitlines()} == {"__init__.py", "core.py"}


def test_a_huge_file_is_passed_over_by_name_unless_it_is_asked_for(project: Path, cli: Cli) -> None:
    huge = "import jax\nTABLE = {\n" + "    'abcdefghij': 1,\n" * 50_000 + "}\n"
    (project / "generated.py").write_text(huge)
    told = cli("check", ".")
    assert "note: generated.py: skipped: 1.1 MB (usually generated); name it to analyse it" in told.err
    assert "generated.py" not in cli("check", "generated.py").err
    assert "generated.py: skipped" in cli("apply", ".", "--no-prove", "--diff").err


def test_nothing_is_donated_where_a_file_of_the_project_cannot_be_read(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "model.py").write_text("import jax\n\n\n@jax.jit\ndef step(p, b):\n    return p - b\n")
    (tmp_path / "train.py").write_text(
        "import jax.numpy as jnp\nimport model\n\n"
        "p = jnp.zeros((99, 99))\nfor i in range(9):\n    p = model.step(p, i)\nprint(p)\n"
    )
    assert "undonated-state" in cli("check", str(tmp_path), "--select", "undonated-state", "--no-cache").out
    (tmp_path / "strange.py").write_bytes(b"# -*- coding: nobody-knows -*-\nimport model\n")
    told = cli("check", str(tmp_path), "--select", "undonated-state", "--no-cache", "--all")
    assert told.code == 2 and "[*]" not in told.out
