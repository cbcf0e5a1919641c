"""Packs whose code never returns: each is one bug with its file and its codemod, and all the rest runs on."""

import signal
import sys
from pathlib import Path

import pytest
from command_line import Cli

from jaxfix.drivers import overtime
from jaxfix.drivers.workers import VARIABLE
from jaxfix.engine import plugins, project
from jaxfix.engine.registry import load_registry
from jaxfix.source.timeouts import Overtime, turn

FOUND = "import jax\n\nfor x in range(4):\n    jax.jit(lambda v: v + 1)(x)\n"
DOC = "\n".join(f"{name}:\n    x\n" for name in ("Before", "After", "Safety", "Evidence", "Source"))
PACK = f'''"""x

{DOC}"""
import itertools, re, time
from jaxfix.api import Codemod, Equality, Finding, Safety

def find(module):
    NEVER

CODEMODS = (Codemod("endless", ("jax.jit",), Safety.SAFE, Equality.BITWISE, find),)
'''
NEVER = {
    "a loop": "while True: pass",
    "a loop that catches all": "while True:\n        try: [].pop()\n        except Exception: pass",
    "an iterator without end": "yield from (x for x in itertools.count() if x < 0)",
}
DEAF = {
    "a pattern that tries everything": "re.match('(a+)+b', 'a' * 60)",
    "a sleep": "time.sleep(10**6)",
}
HEARD = NEVER if sys.platform == "win32" else NEVER | DEAF
TOLD = "codemod `endless` does not come to an end: it has had 0.5 s; `--ignore endless` leaves it out"


@pytest.fixture
def packs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place for a pack, and a project of two files for two processes."""
    packs, folder = tmp_path / "packs", tmp_path / "project"
    info = packs / "waiter-1.0.dist-info"
    info.mkdir(parents=True)
    folder.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: waiter\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[jaxfix.codemods]\nwaiter = waiter:CODEMODS\n")
    for name in ("a.py", "b.py"):
        (folder / name).write_text(FOUND)
    load_registry()  # our own codemods take a moment to load
    monkeypatch.syspath_prepend(packs)
    monkeypatch.chdir(folder)
    monkeypatch.setattr(overtime, "LIMIT_S", 0.5)
    monkeypatch.setattr(overtime, "TICK_S", 0.02)
    monkeypatch.setattr(project, "_SHARD", (1, 1))
    monkeypatch.setattr(plugins, "_endless", {})
    monkeypatch.delitem(sys.modules, "waiter", raising=False)
    return packs


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("never", HEARD)
def test_a_codemod_that_never_returns_is_one_bug_and_the_rest_runs_on(
    packs: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch, never: str, workers: str
) -> None:
    monkeypatch.setenv(VARIABLE, workers)
    (packs / "waiter.py").write_text(PACK.replace("NEVER", HEARD[never]))
    done = cli("check")
    assert done.code == 3
    assert [line.split(": ")[0] for line in done.out.splitlines()] == ["a.py:4:5", "b.py:4:5"]
    bugs = [line for line in done.err.splitlines() if line.startswith("error: ")]
    allowed = [[f"error: {name}: {TOLD}" for name in names] for names in (["a.py"], ["b.py"], ["a.py", "b.py"])]
    assert (bugs if workers == "1" else sorted(bugs)) in (allowed[:1] if workers == "1" else allowed)
    assert cli("check") == done or workers == "2"
    assert cli("check", "--ignore", "endless").code == 1


def test_a_recipe_that_never_returns_leaves_its_file_alone(packs: Path, cli: Cli) -> None:
    found = "(Finding(c, 'm', 't', recipe=forever) for c in module.calls('jax.jit') if 'a.py' in module.source.path)"
    text = PACK.replace("NEVER", f"yield from {found}")
    (packs / "waiter.py").write_text(text + "\ndef forever(edit):\n    while True: pass\n")
    done = cli("apply", "--unproven", "--allow-no-vcs")
    assert done.code == 3
    assert "error: a.py:4: the recipe of `endless` does not come to an end: it has had 0.5 s\n" in done.err
    assert Path("a.py").read_text() == FOUND != Path("b.py").read_text()


def test_a_pack_that_never_loads_is_named_and_skipped(packs: Path, cli: Cli) -> None:
    (packs / "waiter.py").write_text("while True: pass\n")
    done = cli("check")
    assert done.code == 2 and done.out.count("local-jit") == 2
    assert done.err.count("error: pack 'waiter' timed out while loading: it has had 0.5 s\n") == 1


def test_many_calls_that_return_have_no_limit_together(packs: Path, cli: Cli) -> None:
    (packs / "waiter.py").write_text(PACK.replace("NEVER", "time.sleep(0.05)\n    return []"))
    for number in range(12):
        Path(f"more_{number}.py").write_text(FOUND)
    assert cli("check", "--no-cache").code == 1


@pytest.mark.skipif(sys.platform == "win32", reason="stands for it")
def test_where_the_system_does_not_tick_a_thread_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overtime, "_ticking", lambda: overtime.tick_from_thread(signal.SIGALRM))
    monkeypatch.setattr(overtime, "LIMIT_S", 0.2)
    monkeypatch.setattr(overtime, "TICK_S", 0.02)
    end = overtime.begin()
    going_on = turn.set("a call")
    try:
        with pytest.raises(Overtime, match=r"it has had 0\.2 s"):
            while True:
                pass
    finally:
        turn.reset(going_on)
        end()
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
