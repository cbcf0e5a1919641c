"""Programs and their SAFE fixes: `python -m benchmarks.safe` runs thousands, here are some."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NAIVE = {
    "main.py": "import case\nfrom showing import show\n\nshow('f', case.f, 2.0)\n"
    "case.RATE = 5.0\nshow('f', case.f, 2.0)\n",
    "case.py": "import jax\n\nRATE = 2.0\n\n\ndef f(x):\n    return jax.jit(lambda v: v * RATE)(x)\n",
}
SHOWING = (ROOT / "benchmarks" / "safe" / "showing.py").read_text()
HOISTED = "import jax\n\nRATE = 2.0\n_f = jax.jit(lambda v: v * RATE)\n\n\ndef f(x):\n    return _f(x)\n"
OBSERVE = """
import sys
from pathlib import Path
from benchmarks.safe.running import observed, write
files = {files!r}
write(files, Path({folder!r}))
print(observed(Path({folder!r})))
"""


def python(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *words], cwd=ROOT, text=True, capture_output=True, check=False)


def observed(folder: Path, files: dict[str, str]) -> str:
    done = python("-c", OBSERVE.format(files={**files, "showing.py": SHOWING}, folder=os.fspath(folder)))
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_some_programs_cannot_be_told_from_their_safe_fixes(tmp_path: Path) -> None:
    done = python(
        *("-m", "benchmarks.safe", "--programs", "30", "--seed", "11", "--workers", "1", "--into", str(tmp_path))
    )
    assert done.returncode == 0, done.stdout + done.stderr
    counts = [line for line in done.stdout.splitlines() if line.startswith("* with a SAFE fix: ")]
    assert int(counts[0].split("**")[1]) > 2


def test_a_wrong_fix_is_told(tmp_path: Path) -> None:
    before = observed(tmp_path / "case", NAIVE)
    assert before == observed(tmp_path / "again", NAIVE)
    assert before != observed(tmp_path / "wrong", {**NAIVE, "case.py": HOISTED})


def test_some_training_loops_compute_the_same_with_all_fixes() -> None:
    done = python("-m", "benchmarks.safe.steps", "--programs", "12", "--seed", "44")
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout.split(" with a fix")[0].rpartition(" ")[2]) > 3
