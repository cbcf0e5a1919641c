"""What an environment of its period says: which differences are rounding, and what is compared."""

import io
import math
import sys
from pathlib import Path

import numpy as np
import pytest
from command_line import Cli

from jaxfix.evidence.oracle import Ran, Side, ask, compared, distance
from jaxfix.evidence.shadow import LINKED_BYTES
from jaxfix.library.changes.periods import alike
from jaxfix.report.oracle import Answer


def ran(stdout: str = "loss 0.5\n", files: dict[str, bytes] | None = None, failure: str | None = None) -> Ran:
    return Ran(failure, stdout, files or {})


@pytest.mark.parametrize(
    ("old", "new", "answer"),
    [
        ("loss 0.5", "loss 0.5", Answer.BITWISE),
        ("loss 0.5000001 nan", "loss 0.5000002 nan", Answer.ROUNDED),
        ("loss 1e-9", "loss 2e-9", Answer.ROUNDED),
        ("loss 0.5", "loss 0.5001", Answer.DIFFERENT),
        ("step 3", "step 4", Answer.DIFFERENT),
        ("loss nan", "loss 0.5", Answer.DIFFERENT),
        ("[1.0 2.0]", "[1.0, 2.0]", Answer.DIFFERENT),
        ("one", "one\ntwo", Answer.DIFFERENT),
        ("", "", Answer.FAILED),
    ],
)
def test_what_is_printed(old: str, new: str, answer: Answer) -> None:
    assert compared(ran(old), ran(new)).answer is answer


def test_what_is_written() -> None:
    assert compared(ran("", {"a": b"0.1"}), ran("", {"a": b"0.10000001"})).answer is Answer.ROUNDED
    assert compared(ran("", {"a": b"0.1"}), ran("", {"b": b"0.1"})).answer is Answer.DIFFERENT
    found = compared(ran(files={"a": b"\xff1"}), ran(files={"a": b"\xff2"}))
    assert found.answer is Answer.DIFFERENT and found.reason.startswith("`a`: other bytes")
    assert compared(ran(files={"a": b"\xff1"}), ran(files={"a": b"\xff1"})).answer is Answer.BITWISE


def stored(*values: float, dtype: str = "float32", name: str = "a.npy") -> dict[str, bytes]:
    place = io.BytesIO()
    array = np.array(values, dtype)
    np.savez(place, w=array, n=np.arange(3)) if name.endswith("z") else np.save(place, array)
    return {name: place.getvalue()}


@pytest.mark.parametrize("name", ["a.npy", "a.npz"])
@pytest.mark.parametrize(
    ("old", "new", "dtype", "answer"),
    [
        ((0.5, 1.0), (0.5, 1.0), "float32", Answer.BITWISE),
        ((0.5, math.nan), (0.5000001, math.nan), "float32", Answer.ROUNDED),
        ((0.5, 1.0), (0.5, 1.001), "float16", Answer.ROUNDED),
        ((0.5, 1.0), (0.5, 1.001), "float64", Answer.DIFFERENT),
        ((0.5j, 1.0), (0.5000001j, 1.0), "complex64", Answer.ROUNDED),
        ((1, 2), (1, 3), "int32", Answer.DIFFERENT),
        ((1, 2), (1, 2, 3), "int32", Answer.DIFFERENT),
        ((math.inf, 2), (3.0, 2), "float32", Answer.DIFFERENT),
    ],
)
def test_arrays_are_compared_by_value(
    name: str, old: tuple[float, ...], new: tuple[float, ...], dtype: str, answer: Answer
) -> None:
    files = (stored(*old, dtype=dtype, name=name), stored(*new, dtype=dtype, name=name))
    assert compared(*(ran("", each) for each in files)).answer is answer


def test_arrays_of_another_type_differ() -> None:
    found = compared(ran("", stored(1.0, 2.0)), ran("", stored(1.0, 2.0, dtype="float64")))
    assert found.reason == "`a.npy`: <f4[2] became <f8[2]"
    objects = {"a.npy": stored(dtype="object")["a.npy"]}
    assert compared(ran("", objects), ran("", {"a.npy": objects["a.npy"] + b"\x80"})).answer is Answer.DIFFERENT


def test_a_failure_says_when() -> None:
    found = compared(ran(), ran(failure="exit status 1: boom"))
    assert (found.answer, found.reason) == (Answer.FAILED, "it fails today: exit status 1: boom")
    assert "with the old jax" in compared(ran(failure="boom"), ran()).reason


def test_where_two_texts_differ_is_told() -> None:
    assert distance("a\nloss 1", "a\nloss 2") == "line 2: `loss 1` became `loss 2`"


def test_a_number_that_changes_its_type_is_told() -> None:
    assert isinstance(distance("[3.]", "[3]"), str) and isinstance(distance("2", "2.0"), str)
    assert distance("3.0000001", "3.0") == pytest.approx(1e-7) and distance("1e-07", "1.0e-07") == 0.0


def test_the_sides_differ_by_what_was_changed_alone(tmp_path: Path) -> None:
    script = tmp_path / "run.py"
    script.write_text("import os\nopen('out.txt', 'w').write('1.0')\nprint(os.environ['JAX_THREEFRY_PARTITIONABLE'])\n")
    old, same = Side(sys.executable, {}), Side(sys.executable, {script: script.read_bytes() + b"\n"})
    found = ask(tmp_path, "python run.py", old, same, 60, alike((0, 4, 30)))
    assert (found.answer, found.reason) == (Answer.BITWISE, "1 printed line and 1 written file")
    other = Side(sys.executable, {script: script.read_bytes().replace(b"1.0", b"2.0")})
    assert ask(tmp_path, "python run.py", old, other, 60, alike(None)).answer is Answer.DIFFERENT
    assert not (tmp_path / "out.txt").exists()


@pytest.mark.parametrize(
    ("fixed", "both", "is_of_jax"),
    [
        ("print(1.0 + old())  # fixed", "print(1.0 + old())  # fixed", True),
        ("print(1.0 + old())  # fixed", "print(1.0 + old())  # as both spell it", True),
        ("print(3.0 + old())", "print(3.0 + old())", False),
        ("print(3.0 + old())", "print(1.0 + old())", False),
        ("print(1.0 + old())", "print(3.0 + old())", False),
    ],
)
def test_a_difference_is_of_jax_where_both_versions_say_so(
    tmp_path: Path, fixed: str, both: str, is_of_jax: bool
) -> None:
    """A program that prints another number in its period, untouched or not."""
    project, script = tmp_path / "project", tmp_path / "project" / "run.py"
    project.mkdir()
    old = "import os\ndef old():\n    return float(os.environ.get('OLD', 0))\n"
    script.write_text(f"{old}print(1.0 + old())\n")
    period = tmp_path / "python"
    period.write_text(f'#!/bin/sh\nOLD=1 exec {sys.executable} "$@"\n')
    period.chmod(0o700)
    texts = [{script: f"{old}{text}\n".encode()} for text in (fixed, both)]
    today = Side(sys.executable, texts[0], for_both=lambda: texts[1])
    found = ask(project, "python run.py", Side(str(period), {}), today, 60, {})
    assert (found.answer, "no fix is the cause" in found.reason) == (Answer.DIFFERENT, is_of_jax)


def test_the_oracle_decides_the_exit_code(tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text("import sys\nprint(1.5)\nif sys.flags.quiet:\n    import jax.abstract_arrays\n")
    ask_it = ("upgrade", "a.py", "--run", "python a.py", "--oracle-python", sys.executable)
    done = cli(*ask_it)
    assert done.code == 0 and done.out.startswith("oracle  equal: 1 printed line (as it is with")
    assert cli("upgrade", "--oracle-python", sys.executable).code == 2


def test_a_large_file_that_is_written_to_is_a_copy(tmp_path: Path) -> None:
    """What a copy of a project links to, a program could change."""
    (tmp_path / "large.bin").write_bytes(bytes(LINKED_BYTES + 1))
    (tmp_path / "run.py").write_text("open('large.bin', 'r+b').write(b'1')\n")
    side = Side(sys.executable, {})
    found = ask(tmp_path, "python run.py", side, side, 60, {})
    assert (found.answer, found.reason) == (Answer.BITWISE, "0 printed lines and 1 written file")
    assert (tmp_path / "large.bin").read_bytes()[:1] == b"\0"


def test_the_packages_of_the_project_come_before_installed_ones(tmp_path: Path) -> None:
    (tmp_path / "src" / "tomli_w").mkdir(parents=True)
    own = tmp_path / "src" / "tomli_w" / "__init__.py"
    own.write_text("print('own')\n")
    (tmp_path / "run.py").write_text("import tomli_w\n")
    sides = (Side(sys.executable, changed, (tmp_path / "src",)) for changed in ({}, {own: b"print('fixed')\n"}))
    found = ask(tmp_path, "python run.py", *sides, 60, {})
    assert found.reason == "standard output: line 1: `own` became `fixed`"
