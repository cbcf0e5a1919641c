"""Receipts: kept beside the journal, listed with what has expired, believed by nobody."""

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import Cli

from jaxfix.drivers import receipts, versions
from jaxfix.drivers.receipts import Now, Receipt
from jaxfix.drivers.versions import Versions
from jaxfix.report.evidence import Comparison, Counts, Evidence, Verdict
from jaxfix.report.measurement import Environment
from jaxfix.report.wire import to_json
from jaxfix.source.errors import WriteError

TESTS = Path(__file__).resolve().parent
SLOW = b"import jax\n\nz = jax.tiny_risky(2)\n"
FIXED = b"import jax\n\nz = jax.tiny_done(2)\n"
TODAY = Versions("3.11", "0.10.2", "0.10.2", None)


def sha256(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


def counts(compiles: int) -> Counts:
    return Counts(compiles, 0, compiles, 0.0, 0)


COMPARISON = Comparison("python train.py", Verdict.PROVEN, "fewer compiles", counts(5), counts(2), "bitwise equal", 0.0)
EVIDENCE = Evidence(
    path="train.py",
    key="tiny-risky:f:1",
    codemod="tiny-risky",
    title="Use it",
    line=3,
    verdict=Verdict.PROVEN,
    reason="fewer compiles",
    comparisons=(COMPARISON,),
    environment=Environment("3.11.7", "0.10.2", "0.10.2", "cpu", "cpu"),
    command="python train.py",
    source_sha256=sha256(SLOW),
)
RECEIPT = Receipt(EVIDENCE, "train.py", sha256(FIXED), None, "python train.py")


@pytest.fixture(autouse=True)
def pack(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(TESTS / "pack")
    monkeypatch.setenv("NO_COLOR", "1")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose environment holds what the evidence speaks of, as files and not as a Python that runs."""
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    monkeypatch.delenv("CONDA_PREFIX", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text('[tool.jaxfix]\nrun = "python train.py"\n')
    (tmp_path / "train.py").write_bytes(SLOW)
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").write_text("#!/bin/sh\ntouch ran\n")
    (tmp_path / ".venv" / "bin" / "python").chmod(0o755)
    (tmp_path / ".venv" / "pyvenv.cfg").write_text("home = /nowhere\nversion = 3.11.4\n")
    for name in ("jax", "jaxlib"):
        install(tmp_path, name, "0.10.2")
    return tmp_path


def install(project: Path, name: str, version: str) -> None:
    folder = project / ".venv" / "lib" / "python3.11" / "site-packages"
    for old in folder.glob(f"{name}-*.dist-info"):
        (old / "METADATA").unlink()
        old.rmdir()
    (folder / f"{name}-{version}.dist-info").mkdir(parents=True)
    (folder / f"{name}-{version}.dist-info" / "METADATA").write_text(f"Name: {name}\nVersion: {version}\n")


# what expires


NOW = Now(sha256(SLOW), "python train.py", TODAY)


@pytest.mark.parametrize(
    ("now", "reasons"),
    [
        (NOW, ()),
        (replace(NOW, sha256=sha256(FIXED)), ()),
        (replace(NOW, sha256=sha256(b"else")), ("the source has changed",)),
        (replace(NOW, sha256=None), ("the source is gone",)),
        (replace(NOW, configured=None), ()),
        (replace(NOW, configured="python b.py"), ("the configuration names `python b.py` now",)),
        (replace(NOW, versions=None), ()),
        (replace(NOW, versions=replace(TODAY, jax="0.11.0")), ("jax was 0.10.2 and is 0.11.0",)),
        (replace(NOW, versions=replace(TODAY, jaxlib=None)), ("jaxlib was 0.10.2 and is not there",)),
        (replace(NOW, versions=replace(TODAY, python="3.12")), ("Python was 3.11 and is 3.12",)),
        (replace(NOW, versions=replace(TODAY, python=None)), ()),
        (
            Now(None, "x", replace(TODAY, jax="0.5")),
            ("the source is gone", "the configuration names `x` now", "jax was 0.10.2 and is 0.5"),
        ),
    ],
)
def test_a_receipt_expires_with_what_it_names(now: Now, reasons: tuple[str, ...]) -> None:
    assert receipts.reasons(RECEIPT, now) == reasons


def test_what_was_never_written_does_not_hold_for_what_is_there_now() -> None:
    refuted = replace(RECEIPT, after_sha256=None)
    assert receipts.reasons(refuted, replace(NOW, sha256=sha256(FIXED))) == ("the source has changed",)


def test_a_command_of_the_command_line_does_not_expire_by_the_configuration_that_stood_beside_it() -> None:
    other = replace(RECEIPT, evidence=replace(EVIDENCE, command="python b.py"))
    assert receipts.reasons(other, NOW) == ()
    assert receipts.reasons(other, replace(NOW, configured="python c.py")) != ()


def test_driven_optimizers_do_not_depend_on_the_program() -> None:
    driven = replace(RECEIPT, drove="/usr/bin/python3")
    assert receipts.reasons(driven, replace(NOW, configured="python b.py")) == ()


# where versions come from


def test_versions_are_read_and_nothing_is_started(project: Path) -> None:
    python = versions.interpreter_of("X=1 python train.py", project)
    assert python == project / ".venv" / "bin" / "python"
    assert versions.of(python) == Versions("3.11", "0.10.2", "0.10.2", None)
    assert not (project / "ran").exists()


@pytest.mark.parametrize(
    "command", ["uv run python a.py", "pytest", "PYTHONPATH=x python a.py", "a | b", "gone/python"]
)
def test_of_what_is_no_plain_python_nothing_is_said(project: Path, command: str) -> None:
    assert versions.interpreter_of(command, project) is None


def test_our_own_versions_are_those_that_we_import() -> None:
    found = versions.of(Path(sys.executable))
    assert found is not None
    assert found.python == f"{sys.version_info.major}.{sys.version_info.minor}"


def test_an_interpreter_without_packages_is_unknown(tmp_path: Path) -> None:
    assert versions.of(tmp_path / "bin" / "python") is None


# the command


def test_a_receipt_is_kept_and_hidden_from_git(project: Path, cli: Cli) -> None:
    path = receipts.record(project, "jaxfix apply", (RECEIPT,))
    assert path.name == f"{sha256(path.read_bytes())}.json"
    assert (project / ".jaxfix" / ".gitignore").read_text() == "*\n"
    done = cli("receipts")
    assert done.code == 0
    assert done.out.startswith(
        "proven  tiny-risky  train.py:3  compiles 5 -> 2, bitwise equal (python train.py, cpu, jax "
    )
    assert done.out.rstrip().endswith(", holds")
    assert done.err.startswith("1 receipt, none expired")
    assert not (project / "ran").exists()


def test_the_newest_receipt_of_a_fix_counts(project: Path, cli: Cli) -> None:
    receipts.record(project, "one", (RECEIPT,))
    receipts.record(project, "two", (replace(RECEIPT, evidence=replace(EVIDENCE, verdict=Verdict.DIFFERENT)),))
    assert cli("receipts").out.startswith("different  tiny-risky")
    both = cli("receipts", "--all").out.splitlines()
    assert sorted(line.split("  ")[0] for line in both) == ["different", "proven"]


def test_what_has_expired_is_said_and_counts_where_that_is_asked_for(project: Path, cli: Cli) -> None:
    receipts.record(project, "x", (RECEIPT,))
    (project / "train.py").write_bytes(FIXED)
    assert cli("receipts", "--check").code == 0
    (project / "train.py").write_bytes(b"# else\n")
    (project / "pyproject.toml").write_text('[tool.jaxfix]\nrun = "python b.py"\n')
    install(project, "jax", "0.11.0")
    done = cli("receipts")
    assert done.code == 0
    assert (
        "expired: the source has changed, the configuration names `python b.py` now, jax was 0.10.2 and is 0.11.0"
        in done.out
    )
    assert "1 receipt, 1 expired" in done.err
    assert cli("receipts", "--check").code == 1


def test_paths_choose_and_are_shown_from_here(project: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "deep").mkdir()
    (project / "deep" / "a.py").write_bytes(SLOW)
    other = replace(RECEIPT, file="deep/a.py", evidence=replace(EVIDENCE, path="deep/a.py"))
    receipts.record(project, "x", (RECEIPT, other))
    monkeypatch.chdir(project / "deep")
    assert [line.split("  ")[2] for line in cli("receipts").out.splitlines()] == ["a.py:3", "../train.py:3"]
    assert [line.split("  ")[2] for line in cli("receipts", ".").out.splitlines()] == ["a.py:3"]
    monkeypatch.chdir(project.parent)
    assert f"{project.name}/train.py:3" in cli("receipts", str(project / "train.py")).out
    assert cli("receipts", "nowhere_at_all").code == 2


def test_json_says_the_same(project: Path, cli: Cli) -> None:
    receipts.record(project, "x", (RECEIPT,))
    (project / "train.py").unlink()
    document = json.loads(cli("receipts", "--output-format", "json").out)
    assert document["schema"] == 1
    assert document["errors"] == []
    (row,) = document["receipts"]
    assert (row["path"], row["verdict"], row["expired"]) == ("train.py", "proven", ["the source is gone"])
    assert row["not_checked"] == ["device"]
    assert row["when"].startswith("20")


def test_what_ran_elsewhere_does_not_expire_by_the_versions_of_here(project: Path, cli: Cli) -> None:
    install(project, "jax", "0.11.0")
    receipts.record(project, "jaxfix apply", (replace(RECEIPT, place="`ssh://box`"),))
    assert cli("receipts").out.rstrip().endswith("holds, versions not checked")
    assert cli("receipts", "--check").code == 0


def test_versions_that_nobody_knows_are_said_to_be_unknown(project: Path, cli: Cli) -> None:
    evidence = replace(EVIDENCE, command="uv run train.py")
    receipts.record(project, "x", (replace(RECEIPT, evidence=evidence, configured=None),))
    (project / "pyproject.toml").unlink()
    assert cli("receipts").out.rstrip().endswith("holds, versions not checked")


def test_without_receipts_there_is_a_next_step(project: Path, cli: Cli) -> None:
    done = cli("receipts")
    assert done.code == 2
    assert done.err == "error: no receipts in . or above it; `jaxfix apply --prove` or `--run CMD` makes some\n"


def test_a_broken_configuration_is_told(project: Path, cli: Cli) -> None:
    receipts.record(project, "x", (RECEIPT,))
    (project / "pyproject.toml").write_text("[tool.jaxfix]\nrum = 1\n")
    done = cli("receipts")
    assert done.code == 2
    assert "has no key `rum`; did you mean `run`?" in done.err
    assert done.out.startswith("proven")


# what others wrote


@pytest.mark.parametrize("raw", [b"", b"{}", b"\xff", b'{"when": 1}', b"[" * 100_000])
def test_what_is_no_receipt_is_named_and_the_rest_is_listed(project: Path, cli: Cli, raw: bytes) -> None:
    receipts.record(project, "x", (RECEIPT,))
    (project / ".jaxfix" / "receipts" / "bad.json").write_bytes(raw)
    done = cli("receipts")
    assert done.code == 2
    assert ".jaxfix/receipts/bad.json: not a list of receipts: ignored; delete it" in done.err
    assert done.out.count("proven") == 1


def test_a_receipt_of_the_future_is_named(project: Path, cli: Cli) -> None:
    path = receipts.record(project, "x", (RECEIPT,))
    path.write_text(path.read_text().replace('"schema": 1', '"schema": 7'))
    assert "schema 7, and this jaxfix knows 1: ignored" in cli("receipts").err


def test_a_shipped_receipt_proves_nothing_and_hides_nothing(project: Path, cli: Cli) -> None:
    tricky = replace(EVIDENCE, codemod="tiny\x1b[2K", verdict=Verdict.FAILED, reason="a\nb\x1b]0;x\x07", command="\x1b")
    receipts.record(project, "x", (replace(RECEIPT, evidence=tricky), RECEIPT))
    listed = cli("receipts", "--all")
    assert "\x1b" not in listed.out
    assert len(listed.out.splitlines()) == 2
    subprocess.run(["git", "init", "-q"], check=True)
    done = cli("apply", "--allow-dirty")
    assert "held  tiny-risky  train.py:3" in done.out
    assert (project / "train.py").read_bytes() == SLOW
    assert not (project / "ran").exists()


@pytest.mark.parametrize("name", [".jaxfix", ".jaxfix/receipts"])
def test_nothing_is_kept_behind_a_link(project: Path, name: str) -> None:
    elsewhere = project / "elsewhere"
    elsewhere.mkdir()
    (project / name).parent.mkdir(exist_ok=True)
    (project / name).symlink_to(elsewhere)
    with pytest.raises(WriteError, match="is a link"):
        receipts.record(project, "x", (RECEIPT,))
    assert list(elsewhere.iterdir()) == []


def test_a_receipt_of_an_older_jaxfix_is_read(project: Path, cli: Cli) -> None:
    """New fields may be missing, and unknown ones there."""
    path = receipts.record(project, "x", (RECEIPT,))
    document = json.loads(path.read_text())
    document["receipts"][0]["evidence"]["of the future"] = 1
    path.write_text(json.dumps(document))
    assert to_json(RECEIPT)
    assert cli("receipts").out.startswith("proven")


# end to end


def test_what_fails_is_kept_and_a_dry_run_keeps_nothing(project: Path, cli: Cli) -> None:
    subprocess.run(["git", "init", "-q"], check=True)
    apply = ("apply", "--allow-dirty", "--run", "sh -c 'exit 5'")
    assert cli(*apply, "--diff").code == 1
    assert not (project / ".jaxfix").exists()
    assert "failed  `sh -c 'exit 5'`  fails without any fix" in cli(*apply).out
    (entry,) = receipts.batches(project)[0][0].receipts
    assert (entry.evidence.verdict, entry.file, entry.after_sha256) == (Verdict.FAILED, "train.py", None)
    assert (entry.drove, entry.configured) == (None, "python train.py")
    assert cli("receipts", "--check").code == 0


def test_where_nothing_can_be_kept_the_apply_goes_on(project: Path, cli: Cli) -> None:
    subprocess.run(["git", "init", "-q"], check=True)
    (project / ".jaxfix").symlink_to(project / "nowhere")
    done = cli("apply", "--allow-dirty", "--run", "sh -c 'exit 5'")
    assert done.code == 1
    assert "note: the receipts are not kept: .jaxfix: is a link: nothing is kept behind links; remove it" in done.err


PROGRAM = """\
import jax
import jax.numpy as jnp

READY = jax.jit(lambda v: v * 2)


def right(x):
    return jax.jit(lambda v: v * 2)(x)


def wrong(x):
    return jax.jit(lambda v: v * 3)(x)


if __name__ == "__main__":
    for step in range(4):
        x = wrong(right(jnp.arange(3.0) + step))
    print(x)
"""


@pytest.mark.evidence
@pytest.mark.skipif(subprocess.run([sys.executable, "-c", "import jax"]).returncode != 0, reason="needs jax")
def test_apply_keeps_what_is_proven_and_what_is_refuted(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = (TESTS.parent, TESTS.parent / "codemods", TESTS / "pack")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, places)))
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(PROGRAM)
    subprocess.run(["git", "init", "-q"], check=True)
    apply = ("apply", "--allow-dirty", "--select", "tiny-ready", "--run", "python train.py")
    assert cli(*apply).code == 1
    listed = cli("receipts", "--check")
    assert [line.split("  ")[0] for line in listed.out.splitlines()] == ["proven", "different"]
    assert [line.split("; ")[-1].split(", ")[1:] for line in listed.out.splitlines()] == [["holds"]] * 2
    assert listed.code == 0
    assert cli("undo").code == 0
    assert (tmp_path / "train.py").read_text() == PROGRAM
    assert cli("receipts", "--check").code == 0


@pytest.mark.parametrize(
    ("verdict", "sha", "is_shown"),
    [
        (Verdict.NO_EFFECT, sha256(SLOW), False),
        (Verdict.NO_EFFECT, sha256(FIXED), True),  # of another text
        (Verdict.DIFFERENT, sha256(SLOW), True),
        (Verdict.NOT_REACHED, sha256(SLOW), True),
    ],
)
def test_a_check_leaves_out_what_a_rerun_of_the_same_text_showed_to_gain_nothing(
    project: Path, cli: Cli, verdict: Verdict, sha: str, is_shown: bool
) -> None:
    (held,) = json.loads(cli("apply", "train.py", "--no-prove", "--allow-no-vcs", "--output-format", "json").out)[
        "held"
    ]
    key = held["key"]
    vain = replace(EVIDENCE, key=key, verdict=verdict, source_sha256=sha)
    receipts.record(project, "apply", (replace(RECEIPT, evidence=vain, after_sha256=None),))
    code, out, err = cli("check", "train.py")
    assert (code, "tiny-risky" in out) == (int(is_shown), is_shown)
    assert ("1 finding whose fix gains nothing, as a rerun" in err) is not is_shown
    assert "tiny-risky" in cli("check", "train.py", "--all").out
    newer = replace(vain, verdict=Verdict.PROVEN, source_sha256=sha256(SLOW))
    receipts.record(project, "apply", (replace(RECEIPT, evidence=newer, after_sha256=None),))
    assert cli("check", "train.py").code == 1
