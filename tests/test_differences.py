"""What `apply --diff` and `--stat` print: for `git apply`, for `patch`, and for people."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import Cli
from test_receipts import COMPARISON, EVIDENCE, RECEIPT

from jaxfix.drivers import receipts
from jaxfix.drivers.cli import terminal
from jaxfix.drivers.cli.start import run
from jaxfix.drivers.workflow.request import Request
from jaxfix.drivers.workflow.session import opened
from jaxfix.drivers.workflow.targets import find_targets
from jaxfix.render import diff, words
from jaxfix.render.paint import plain
from jaxfix.render.stat import Row, stat
from jaxfix.report.report import Patch

TESTS = Path(__file__).resolve().parent
SLOW = b"import jax\n\ny = jax.tiny_safe(1)\nz = jax.tiny_risky(2)\n"
CRLF = SLOW.replace(b"\n", b"\r\n")
ODD: Mapping[str, bytes] = {
    "plain.py": SLOW,
    "crlf.py": CRLF,
    "no newline.py": SLOW.removesuffix(b"\n"),
    "crlf no newline.py": CRLF.removesuffix(b"\r\n"),
    'q"uo\\te.py': SLOW,
    "café größe.py": SLOW,
    "latin.py": b"# -*- coding: latin-1 -*-\n# caf\xe9\n" + SLOW,
    "bom.py": b"\xef\xbb\xbf" + SLOW,
    "deep/form\x0cfeed.py": SLOW.replace(b"\n\n", b"\n\x0c\n"),
    "patchy.py": SLOW + b'TEXT = """\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n# a remark\n"""\n',
    "only_held.py": b"import jax\n\nz = jax.tiny_risky(2)\n",
    "helped.py": SLOW + b"w = jax.tiny_like(3)\n",
}


@pytest.fixture(autouse=True)
def pack(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(TESTS / "pack")
    monkeypatch.setenv("NO_COLOR", "1")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose files are committed as they are."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def commit(project: Path, sources: Mapping[str, bytes]) -> None:
    for name, raw in sources.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_bytes(raw)
    git = ("git", "-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "core.autocrlf=false")
    for arguments in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "x")):
        subprocess.run([*git, *arguments], check=True, cwd=project)


def contents(project: Path) -> dict[str, bytes]:
    found = (path for path in project.rglob("*") if path.is_file())
    names = {path.relative_to(project): path for path in found}
    return {str(name): path.read_bytes() for name, path in names.items() if name.parts[0] not in (".git", ".jaxfix")}


TAKERS = {
    "git apply": ("git", "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn"),
    "git apply --index": ("git", "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "--index"),
    "patch": ("patch", "-p1", "--binary", "--batch", "-i"),
}


@pytest.mark.parametrize("name", TAKERS)
@pytest.mark.parametrize("options", [("--unproven",), ("--no-prove", "--stat")])
def test_git_apply_and_patch_make_what_apply_writes(
    project: Path, capfdbinary: pytest.CaptureFixture[bytes], options: tuple[str, ...], name: str
) -> None:
    taker = TAKERS[name]
    if shutil.which(taker[0]) is None:
        pytest.skip(f"there is no `{taker[0]}`")
    commit(project, ODD)
    run(["apply", "--diff", *options])
    patch = project.parent / "fix.patch"
    patch.write_bytes(capfdbinary.readouterr().out)
    assert contents(project) == dict(ODD)
    run(["apply", options[0], "--helper", "jaxfix_helpers.py"])
    written = contents(project)
    assert written != ODD and ("jaxfix_helpers.py" in written) == ("--unproven" in options)
    subprocess.run(["git", "checkout", "-qf", "."], check=True)
    subprocess.run(["git", "reset", "-q", "--hard"], check=True)
    subprocess.run(["git", "clean", "-qfdx", "-e", ".jaxfix"], check=True)
    if taker[0] == "git":
        subprocess.run([*taker, "--check", str(patch)], check=True)
    done = subprocess.run([*taker, str(patch)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert contents(project) == written


def test_under_the_diff_of_a_file_each_fix_has_a_line(project: Path, cli: Cli) -> None:
    commit(project, {"a.py": SLOW, "held.py": ODD["only_held.py"]})
    out = cli("apply", "--diff").out
    reason = "needs a rerun: `--prove` or `--run CMD`"
    assert out.endswith(
        "+y = jax.tiny_done(1)\n z = jax.tiny_risky(2)\n"
        "# fixed  tiny-safe  a.py:3  Call `tiny_done` for `tiny_safe`  safe\n"
        f"# held  tiny-risky  a.py:4  Call `tiny_done` for `tiny_risky`  {reason}\n"
        "# held.py: nothing is changed\n"
        f"# held  tiny-risky  held.py:3  Call `tiny_done` for `tiny_risky`  {reason}\n"
    )


def test_what_a_former_rerun_has_shown_is_told_with_its_day(project: Path, cli: Cli) -> None:
    commit(project, {"train.py": SLOW})
    _, risky = opened(find_targets(Request((".",))), terminal).found.diagnostics
    known = replace(EVIDENCE, key=risky.key, comparisons=(replace(COMPARISON, case="a\nb"),))
    receipts.record(project, "jaxfix apply", (replace(RECEIPT, evidence=known),))
    (said,) = (line for line in cli("apply", "--diff").out.splitlines() if line.startswith("# held"))
    assert "a rerun of 20" in said and "showed proven: compiles 5 -> 2" in said and "expired: the source has" in said


def test_on_a_terminal_the_changed_words_are_marked_and_nothing_moves_the_cursor() -> None:
    patch = Patch("a.py", b"x = old(1)\r\ny = 2\n# \x1b[2J\n", b"x = new(1)\r\ny = 2\n# \x1b[2J\nz = 3\n", (), ())

    def marks(style: str, text: str) -> str:
        return f"<{style}|{text}>"

    assert diff.painted(diff.unified([patch]), marks).decode() == (
        "<bold|--- a/a.py>\n<bold|+++ b/a.py>\n<cyan|@@ -1,3 +1,4 @@>\n"
        "<red|-x = ><red reverse|old><red|(1)>\r\n<green|+x = ><green reverse|new><green|(1)>\r\n"
        " y = 2\n # \\x1b[2J\n<green|+z = 3>\n"
    )
    assert diff.hunks(patch, "utf-8", plain).startswith(
        "@@ -1,3 +1,4 @@\n-x = old(1)\n+x = new(1)\n y = 2\n # \\x1b[2J"
    )


@pytest.mark.parametrize(
    ("removed", "added", "marked"),
    [
        (["a = f(x)"], ["a = g(x)"], (["f"], ["g"])),
        (["a = f(x)", "b = 1"], ["c = h(y, 2, 3)", "a = g(x)"], (["f"], ["g"])),
        (["    a = f(x)"], ["a = f(x)"], (["    "], [])),
        (["a"], ["something else"], ([], [])),
        ([], ["new"], ([], [])),
        ([""], [""], ([], [])),
        ([f"x{n}" for n in range(300)], ["x0"], ([], [])),
    ],
)
def test_words_are_marked_where_a_line_became_another(
    removed: list[str], added: list[str], marked: tuple[list[str], list[str]]
) -> None:
    sides = words.marked(removed, added)
    assert tuple([text for line in side for text, is_new in line if is_new] for side in sides) == marked
    assert [["".join(text for text, _ in line) for line in side] for side in sides] == [removed, added]


def test_a_diff_that_looks_like_another_one_keeps_its_colours() -> None:
    patch = Patch("a.py", b"--- a\n-- b\n", b"+++ b\n", (), ())

    def marks(style: str, text: str) -> str:
        return f"<{style}|{text}>"

    told = diff.painted(diff.unified([patch]), marks).decode().splitlines()
    assert [line[: line.index("|")] for line in told] == ["<bold", "<bold", "<cyan", "<red", "<red", "<green"]


ROWS = (Row("a.py", 3, 1, 2), Row("a/very/long/way/down/to/the/file/that/changes/most/of/all.py", 300, 100, 10, 1))


@pytest.mark.parametrize("width", [20, 40, 80, 160])
def test_the_stat_fits_the_terminal(width: int) -> None:
    *lines, last = stat([*ROWS, Row("held.py", 0, 0, 0, 1)], plain, width).splitlines()
    assert max(map(len, lines)) <= max(width, 50)
    assert last == " 2 files changed, 303 insertions(+), 101 deletions(-); 12 fixes, 2 held"
    assert lines[2].split() == ["held.py", "|", "0", "1", "held"]
    assert all("+" in line and "-" in line for line in lines[:2])


def test_the_stat_counts_what_the_diff_changes_and_writes_nothing(project: Path, cli: Cli) -> None:
    commit(project, {"a.py": SLOW, "helped.py": ODD["helped.py"]})
    done = cli("apply", "--stat", "--unproven")
    rows = [line.split("|") for line in done.out.splitlines()[:-1]]
    assert [row[0].strip() for row in rows] == ["a.py", "helped.py", "jaxfix_helpers.py"]
    assert rows[0][1].split() == ["4", "+-", "2", "fixes"]
    assert "; 5 fixes" in done.out and "5 findings fixed by these changes, nothing was written" in done.err
    assert contents(project) == {"a.py": SLOW, "helped.py": ODD["helped.py"]}
    patch = cli("apply", "--diff", "--unproven").out.encode()
    numbers = subprocess.run(["git", "apply", "--numstat"], input=patch, capture_output=True)
    added = sum(int(line.split()[0]) for line in numbers.stdout.splitlines())
    assert f"{added} insertions(+)" in done.out


def test_nothing_to_change_has_no_stat(project: Path, cli: Cli) -> None:
    commit(project, {"a.py": b"x = 1\n"})
    done = cli("apply", "--stat")
    assert (done.code, done.out, done.err) == (0, "", "no findings\n")


def test_a_name_that_is_no_text_is_shown_as_it_is(project: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    name = os.fsdecode(b"caf\xe9.py")
    try:
        commit(project, {name: SLOW})
    except OSError:
        pytest.skip("this file system takes names in UTF-8 alone")
    run(["apply", "--diff", "--stat", "--unproven"])
    out = capfdbinary.readouterr().out
    assert (
        b" caf\xe9.py | 4 ++--  2 fixes\n" in out
        and b"+++ b/caf\xe9.py\n" in out
        and b"caf\xe9.py:3  Call `tiny_done` for `tiny_safe`  safe" in out
    )


def test_lines_that_stand_often_are_no_change_in_a_long_file() -> None:
    block = "for i in range(5):\n    step(i)\n\nplt.legend()\n\n# %%\n"
    before = (block * 50).encode()
    place = before.rindex(b"    step(i)\n")
    after = before[:place] + before[place:].replace(b"step(i)", b"advance(i)", 1)
    patch = Patch("long.py", before, after, (), ())
    lines = diff.unified([patch]).decode().splitlines()[2:]
    assert [line for line in lines if line[0] in "+-"] == ["-    step(i)", "+    advance(i)"]
    assert diff.counted(before, after) == (1, 1)
