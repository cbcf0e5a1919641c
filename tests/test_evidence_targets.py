"""Where a run happens: behind launchers, over ssh, under Slurm. The last two by `-m slow`, where they are installed."""

import ast
import getpass
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from benchmarks import slurm as own_slurm
from jaxfix.evidence import shadow
from jaxfix.evidence.optimizers import OptimizerRunner
from jaxfix.evidence.probe import host
from jaxfix.evidence.program import ProgramRunner
from jaxfix.evidence.prove import prove
from jaxfix.evidence.remote import Remote, target_for
from jaxfix.evidence.running import Driving, Running
from jaxfix.evidence.target import Local, OnPlatform, Target
from jaxfix.evidence.trace import trace
from jaxfix.report.evidence import Evidence, Verdict
from jaxfix.report.finding import Equality, Fix, Safety
from jaxfix.report.measurement import Measurement
from jaxfix.source.edits import Span
from jaxfix.source.errors import ConfigError, EvidenceError
from jaxfix.testing import HELPERS

pytestmark = pytest.mark.evidence

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "local_loop_function"
PYTHON = Path(sys.executable)
HELLO = "import os, sys\nprint('out', os.getcwd())\nprint('err', file=sys.stderr)\nsys.exit(3)\n"


def script(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(("#!/bin/sh", *lines, "")))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.fixture
def bare(tmp_path: Path) -> str:
    """A launcher into a place with another working folder, hardly an environment, and something to say first."""
    inner = f'cd / && exec env -i PATH="$PATH" HOME="{tmp_path}" TMPDIR="{tmp_path}/there" "$@"'
    (tmp_path / "there").mkdir()
    return str(script(tmp_path / "launch", "echo welcome", "echo to the node >&2", inner))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "train.py").write_text(HELLO)
    return root


def measured(root: Path, target: Target, command: str = "python train.py", timeout_s: float = 60.0) -> Measurement:
    (run,) = ProgramRunner(root, command, how=Running(target=target, timeout_s=timeout_s)).measure({})
    return run


def proof(tmp_path: Path, target: Target) -> Evidence:
    """The golden program, proven there."""
    root = tmp_path / "golden"
    root.mkdir()
    shutil.copy(GOLDEN / "program.py", root)
    after = (GOLDEN / "program.fixed.py").read_bytes()
    fix = Fix("key", "codemod", "Mend", Span(0, 0), (), Safety.NEEDS_EVIDENCE, Equality.BITWISE, None, "smooth")

    def patched(fixes: frozenset[tuple[str, str]]) -> Mapping[str, bytes]:
        return {"program.py": after, HELPERS.name: HELPERS.read_bytes()} if fixes else {}

    runner = ProgramRunner(root, "python program.py", (("program.py", "smooth"),), Running(target=target))
    (evidence,) = prove([("program.py", fix, 9)], patched, runner, lambda phrase: None).receipts
    return evidence


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def ended(pid: int) -> bool:
    return _within(10, lambda: not is_alive(pid))


def _within(seconds: float, holds) -> bool:  # type: ignore[no-untyped-def]
    limit = time.monotonic() + seconds
    while not holds() and time.monotonic() < limit:
        time.sleep(0.05)
    return bool(holds())


# what the options say


def test_nothing_said_is_here() -> None:
    assert isinstance(target_for(None, None), Local)
    assert isinstance(target_for("local", None), Local)


def test_a_url_has_a_user_a_host_a_port_and_a_folder() -> None:
    target = target_for("ssh://me@Box:2222/data/project", "srun --gpus=1")
    assert isinstance(target, Remote)
    assert target.folder == "/data/project" and target.is_remote
    at = target.prefix.index("--")
    assert target.prefix[at - 2 :] == ("-p", "2222", "--", "me@Box", "srun", "--gpus=1")


def test_a_folder_may_begin_at_home() -> None:
    target = target_for("ssh://box/~/project/", None)
    assert isinstance(target, Remote) and target.folder == "~/project"


def test_a_platform_and_a_place_combine() -> None:
    target = target_for("gpu,ssh://box", None)
    assert isinstance(target, OnPlatform) and isinstance(target.place, Remote)
    assert target.name == "the gpu of `ssh://box`"


@pytest.mark.parametrize(
    ("on", "launcher", "words"),
    [
        ("mars", None, "`--on mars` names no place"),
        ("ssh://", None, "names no place"),
        ("ssh://me:secret@box", None, "takes no password"),
        ("ssh://box:port", None, "cannot be read"),
        ("ssh://-oProxyCommand=touch", None, "names an option for ssh"),
        ("ssh://box?x=1", None, "names no place"),
        (None, "", "`--launcher `: the command to run is empty"),
        (None, "srun | tee", "needs a shell"),
    ],
)
def test_what_cannot_be_understood_is_said(on: str | None, launcher: str | None, words: str) -> None:
    with pytest.raises(ConfigError) as said:
        target_for(on, launcher)
    assert words in said.value.message and said.value.hint


# a job behind a launcher


def test_a_job_runs_behind_a_launcher(project: Path, bare: str, tmp_path: Path) -> None:
    run = measured(project, target_for(None, bare))
    assert run.failure == "exit status 3: err"
    assert run.stdout == f"out {project}\n"
    assert list((tmp_path / "there").iterdir()) == []


def test_variables_in_front_of_the_launcher_are_its_own(project: Path) -> None:
    (project / "train.py").write_text("import os\nprint(os.environ['NODE'])\n")
    assert measured(project, target_for(None, "NODE=a7 env")).stdout == "a7\n"


def test_jax_and_xla_variables_travel_and_others_do_not(
    project: Path, bare: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XLA_FLAGS", "--xla_x")
    monkeypatch.setenv("MY_SECRET", "1")
    (project / "train.py").write_text("import os\nprint(os.environ.get('XLA_FLAGS'), os.environ.get('MY_SECRET'))\n")
    assert measured(project, target_for(None, bare)).stdout == "--xla_x None\n"


def test_the_tree_arrives_as_it_is(project: Path, bare: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(shadow, "LINKED_BYTES", 1000)
    outside = tmp_path / "elsewhere"
    outside.mkdir()
    (outside / "far.txt").write_text("far")
    (project / "data").symlink_to(outside)
    (project / "big.bin").write_bytes(b"x" * 2000)
    (project / "deep" / "größe").mkdir(parents=True)
    (project / "deep" / "größe" / "a b.txt").write_text("ü")
    (project / "alias.txt").symlink_to("deep/größe/a b.txt")
    script(project / "run.sh", "exit 0")
    (project / "train.py").write_text(
        "import os\n"
        "print(os.path.getsize('big.bin'), open('data/far.txt').read(), os.path.realpath('alias.txt'))\n"
        "print(open('alias.txt', encoding='utf-8').read() == 'ü', os.access('run.sh', os.X_OK))\n"
        "print(os.path.islink('big.bin'))\n"
        "open('big.bin', 'ab').write(b'more')\n"
    )
    run = measured(project, target_for(None, bare))
    assert run.stdout == f"2000 far {project}/deep/größe/a b.txt\nTrue True\nTrue\n"
    assert (project / "big.bin").stat().st_size == 2000


def test_a_large_file_that_is_not_there_is_sent(project: Path, bare: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer about another file of the same size is not taken for it."""
    monkeypatch.setattr(shadow, "LINKED_BYTES", 1000)
    (project / "big.bin").write_bytes(b"x" * 2000)
    other = project.parent / "checkout"
    other.mkdir()
    (other / "big.bin").write_bytes(b"y" * 2000)
    (project / "train.py").write_text("import os\nprint(open('big.bin').read(1), os.path.islink('big.bin'))\n")
    there = Remote("there", (bare,), folder=str(other))
    assert measured(project, there).stdout == "x False\n"
    (other / "big.bin").write_bytes(b"x" * 2000)
    assert measured(project, there).stdout == "x True\n"


def test_a_large_file_of_the_project_over_there_is_not_written_to(
    project: Path, bare: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shadow, "LINKED_BYTES", 1000)
    other = project.parent / "checkout"
    other.mkdir()
    for root in (project, other):
        (root / "big.bin").write_bytes(b"x" * 2000)
    (project / "train.py").write_text("open('big.bin', 'ab').write(b'more')\n")
    assert measured(project, Remote("there", (bare,), folder=str(other))).failure is None
    assert (other / "big.bin").read_bytes() == b"x" * 2000


def test_the_environment_of_the_project_over_there_is_used(project: Path, bare: str) -> None:
    other = project.parent / "checkout"
    (other / ".venv" / "bin").mkdir(parents=True)
    script(other / ".venv" / "bin" / "python", 'echo "own $#"', f'exec {PYTHON} "$@"')
    (project / "train.py").write_text("print('ran')\n")
    there = Remote("there", (bare,), is_remote=False, folder=str(other))
    # asked for its version, it says something before: it is not Python that can be trusted
    with pytest.raises(EvidenceError, match="does not say its version"):
        measured(project, there)
    script(other / ".venv" / "bin" / "python", f'OWN=1 exec {PYTHON} "$@"')
    (project / "train.py").write_text("import os\nprint(os.environ['OWN'], 'checkout/.venv' in os.environ['PATH'])\n")
    assert measured(project, there).stdout == "1 True\n"


def test_a_python_on_the_path_over_there_is_not_taken_for_that_of_here(
    project: Path, bare: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    script(tmp_path / "bin" / "python", f'OTHER=1 exec {PYTHON} "$@"')
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.delenv(name, raising=False)
    (project / "train.py").write_text("import os, sys\nprint(os.environ.get('OTHER'), sys.executable)\n")
    assert measured(project, target_for(None, bare)).stdout == f"None {PYTHON}\n"


def test_a_program_that_does_not_end_is_cut_off_there(project: Path, bare: str, tmp_path: Path) -> None:
    (project / "train.py").write_text(
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "print(child.pid, flush=True)\ntime.sleep(600)\n"
    )
    run = measured(project, target_for(None, bare), timeout_s=3)
    assert run.failure is not None or run.stopped is not None
    assert ended(int(run.stdout))
    assert list((tmp_path / "there").iterdir()) == []


DRIVER = """\
import sys
from pathlib import Path
from jaxfix.evidence.remote import target_for
from jaxfix.evidence.program import ProgramRunner
from jaxfix.evidence.running import Running
from jaxfix.evidence.trace import trace
if sys.argv[3] == "trace":
    trace(["python", "train.py"], Path(sys.argv[1]), target=target_for(None, sys.argv[2]))
else:
    ProgramRunner(Path(sys.argv[1]), "python train.py", how=Running(target=target_for(None, sys.argv[2]))).measure({})
"""


def driver(project: Path, launcher: str, how: str) -> "subprocess.Popen[bytes]":
    here = project.parent / "here"
    here.mkdir()
    words = [sys.executable, "-c", DRIVER, project, launcher, how]
    return subprocess.Popen(words, stderr=subprocess.DEVNULL, env={**os.environ, "TMPDIR": str(here)})


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("how", ["measure", "trace"])
def test_nothing_is_left_there_when_jaxfix_is_ended(
    project: Path, bare: str, tmp_path: Path, number: signal.Signals, how: str
) -> None:
    told = tmp_path / "pid"
    (project / "train.py").write_text(
        f"import os, pathlib, time\npathlib.Path({str(told)!r}).write_text(str(os.getpid()))\ntime.sleep(600)\n"
    )
    mine = driver(project, bare, how)
    assert _within(30, lambda: told.exists() and told.read_text())
    mine.send_signal(number)
    mine.wait(40)
    assert ended(int(told.read_text()))
    assert _within(10, lambda: list((tmp_path / "there").iterdir()) == [])


def test_a_proof_behind_a_launcher(tmp_path: Path, bare: str) -> None:
    found = proof(tmp_path, target_for("cpu", bare))
    assert found.verdict is Verdict.PROVEN
    (comparison,) = found.comparisons
    assert (comparison.before.steady_compiles, comparison.after.steady_compiles) == (1, 0)
    assert found.environment is not None and found.environment.platform == "cpu"


STEPS = """\
import time

import jax
import jax.numpy as jnp


def step(x):
    time.sleep(0.8)
    return jax.jit(lambda v: v + 1)(x)


x = jnp.ones(3)
for _ in range(6):
    x = step(x)
"""


@pytest.mark.parametrize("place", ["here", "behind a launcher"])
def test_how_far_a_run_is_can_be_told(project: Path, bare: str, place: str) -> None:
    (project / "train.py").write_text(STEPS)
    told: list[str] = []
    target = Local() if place == "here" else target_for(None, bare)
    command = f"{sys.executable} train.py"
    ProgramRunner(project, command, (("train.py", "step"),), Running(target=target, told=told.append)).measure({})
    assert any(re.fullmatch(r"\d+ compiles?", words) for words in told), told  # before the first step has ended
    numbers = [int(words.removeprefix("step ")) for words in told if words.startswith("step ")]
    assert len(numbers) >= 3 and numbers == sorted(set(numbers)) and numbers[-1] <= 6, told


def test_optimizers_are_driven_behind_a_launcher(bare: str) -> None:
    drive(target_for(None, bare), sys.executable)


def drive(target: Target, python: str) -> None:
    """Drives optax there, if it is here."""
    optax = pytest.importorskip("optax")
    location, told = Path(optax.__file__).parent, list[str]()
    runner = OptimizerRunner(
        "optax",
        location,
        python,
        (("_src/alias.py", "sgd"),),
        Driving(most=1, target=target, told=told.append),
    )
    cases = runner.cases()
    assert cases
    runs = runner.measure({}, frozenset(cases[:1]))
    assert [run.failure for run in runs] == [None]
    assert runs[0].outputs and runs[0].environment is not None
    assert "case 1 of 1" in told


# traces


TRAIN = "import jax\nprint('shown', flush=True)\nprint(jax.jit(lambda x: x + 1)(1.0))\n"


def test_a_trace_runs_in_place_where_the_folder_is_the_same(
    project: Path, bare: str, capfd: pytest.CaptureFixture[str]
) -> None:
    (project / "train.py").write_text(TRAIN + "open('made', 'w').close()\n")
    found = trace(["python", "train.py"], project, target=target_for(None, bare))
    assert found.failure is None and found.compiles
    assert capfd.readouterr().out.startswith("shown\n2.0\n")
    assert (project / "made").exists()


def test_a_trace_elsewhere_names_the_lines_of_here(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "train.py").write_text(TRAIN + "open('made', 'w').close()\nprint(__file__)\n")
    hidden = script(project.parent / "hide", f'exec unshare -m sh -c \'mount -t tmpfs none {project} && "$@"\' - "$@"')
    if subprocess.run([hidden, "true"], capture_output=True).returncode:
        pytest.skip("file systems cannot be hidden here: `unshare -m` needs root")
    found = trace(["python", "train.py"], project, target=target_for(None, str(hidden)))
    assert found.failure is None
    assert {entry.path for entry in found.compiles} == {str(project / "train.py")}
    assert capfd.readouterr().out.endswith("train.py\n")
    assert not (project / "made").exists()


# what goes wrong


def failing(project: Path, target: Target, command: str = "python train.py") -> EvidenceError:
    with pytest.raises(EvidenceError) as said:
        measured(project, target, command)
    assert said.value.hint
    return said.value


def test_a_launcher_that_is_not_there(project: Path) -> None:
    assert failing(project, target_for(None, "no-such-launcher -n1")).message == (
        "`no-such-launcher` cannot be started: no such file or directory"
    )


def test_a_place_without_python(project: Path) -> None:
    assert (
        "there is no `python3` on `env -i PATH=/nowhere`"
        in failing(project, target_for(None, "env -i PATH=/nowhere")).message
    )


def test_a_launcher_that_keeps_standard_input_to_itself(project: Path, tmp_path: Path) -> None:
    closed = script(tmp_path / "closed", 'exec "$@" </dev/null')
    said = failing(project, target_for(None, str(closed)))
    assert "does not pass standard input" in said.message and "-i" in str(said.hint)


def test_a_launcher_that_fails(project: Path, tmp_path: Path) -> None:
    broken = script(tmp_path / "broken", "echo no such partition >&2", "exit 4")
    assert failing(project, target_for(None, str(broken))).message == (
        f"`{broken}` ended with status 4 before the program began: no such partition"
    )


def test_a_stream_that_breaks_off(project: Path, tmp_path: Path) -> None:
    (project / "train.py").write_text("import time\ntime.sleep(600)\n")
    cut = script(tmp_path / "cut", "(sleep 4; kill $$) >/dev/null 2>&1 &", 'exec timeout -s KILL 3 "$@"')
    assert "ended before the program did" in failing(project, target_for(None, str(cut))).message


def test_an_old_python_over_there(project: Path, tmp_path: Path) -> None:
    old = script(tmp_path / "python3.9", 'case "$3" in *version_info*) echo 3 9;; *) exec python3 "$@";; esac')
    assert failing(project, target_for(None, "env", str(old))).message == f"`{old}` is Python 3.9 on `env`"


def test_a_python_without_jax(project: Path) -> None:
    (project / "train.py").write_text(
        "import sys\nsys.modules['jax'] = None\nraise ModuleNotFoundError(\"No module named 'jax'\")\n"
    )
    assert "has no jax" in failing(project, target_for(None, "env")).message


def test_a_program_that_is_not_there(project: Path, bare: str) -> None:
    assert failing(project, target_for(None, bare), "no-such-program x").message.startswith(
        "`no-such-program` cannot be started: no such program"
    )


def test_a_folder_that_is_not_there(project: Path) -> None:
    said = failing(project, Remote("there", ("env",), folder="/no/such/folder"))
    assert said.message == "there is no folder `/no/such/folder` on there"


def test_more_than_one_process(project: Path) -> None:
    assert "starts 4 processes" in failing(project, target_for(None, "SLURM_STEP_NUM_TASKS=4 env")).message


def test_a_disk_that_is_full(project: Path, tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    full = script(
        tmp_path / "full",
        f'exec unshare -m sh -c \'mount -t tmpfs -o size=300k none {small} && TMPDIR={small} "$@"\' - "$@"',
    )
    if subprocess.run([full, "true"], capture_output=True).returncode:
        pytest.skip("no small file system can be made here: `unshare -m` needs root")
    (project / "data.bin").write_bytes(os.urandom(8 << 20))
    assert failing(project, target_for(None, str(full))).message.startswith(f"no space is left in `{small}")


# platforms


def test_a_run_that_is_not_on_the_platform_is_refused(project: Path) -> None:
    (project / "train.py").write_text("import jax\njax.config.update('jax_platforms', 'cpu')\njax.numpy.ones(3) + 1\n")
    with pytest.raises(EvidenceError, match=r"jax (computed on `cpu`, not on|has no gpu)"):
        measured(project, target_for("gpu", None), f"{sys.executable} train.py")


def test_a_run_on_the_cpu_is_on_the_cpu(project: Path) -> None:
    (project / "train.py").write_text("import jax\nprint(jax.numpy.ones(3) + 1)\n")
    run = measured(project, target_for("cpu", None), f"JAX_PLATFORMS=tpu {sys.executable} train.py")
    assert run.failure is None
    assert run.environment is not None and run.environment.platform == "cpu"


# here


def test_all_that_a_traced_program_started_ends_with_it(project: Path, tmp_path: Path) -> None:
    told = tmp_path / "pids"
    (project / "train.py").write_text(
        "import os, pathlib, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"pathlib.Path({str(told)!r}).write_text(f'{{os.getpid()}} {{child.pid}}')\ntime.sleep(600)\n"
    )
    code = (
        "import signal, sys\nfrom pathlib import Path\nfrom jaxfix.evidence.trace import trace\n"
        "signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))\ntrace(['python', 'train.py'], Path(sys.argv[1]))\n"
    )
    mine = subprocess.Popen([sys.executable, "-c", code, project])
    assert _within(30, lambda: told.exists() and " " in told.read_text())
    mine.terminate()
    assert mine.wait(30) == 143
    assert all(ended(int(pid)) for pid in told.read_text().split())


def test_what_is_sent_is_understood_by_python_3_6() -> None:
    ast.parse(Path(host.__file__).read_text(), feature_version=(3, 6))


# the real thing


def free_port() -> int:
    with socket.socket() as chosen:
        chosen.bind(("127.0.0.1", 0))
        return int(chosen.getsockname()[1])


def needs(*programs: str) -> None:
    missing = [name for name in programs if shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin") is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of an sshd of our own; `JAXFIX_SSH` knows its keys."""
    needs("sshd", "ssh", "ssh-keygen")
    folder, port = tmp_path_factory.mktemp("ssh"), free_port()
    for name in ("host", "id"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
    Path("/run/sshd").mkdir(exist_ok=True) if os.access("/run", os.W_OK) else None
    config = folder / "sshd_config"
    config.write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nPidFile {folder}/pid\nStrictModes no\n"
        f"AuthorizedKeysFile {folder}/id.pub\nPasswordAuthentication no\nUsePAM no\nPermitRootLogin prohibit-password\n"
    )
    daemon = subprocess.Popen(
        [shutil.which("sshd", path="/usr/sbin:/usr/bin") or "sshd", "-D", "-f", config, "-E", folder / "log"]
    )
    known = f"-o UserKnownHostsFile={folder}/known -o StrictHostKeyChecking=accept-new"
    own = f"ssh -i {folder}/id -o IdentitiesOnly=yes {known}"
    patch = pytest.MonkeyPatch()
    patch.setenv("JAXFIX_SSH", own)
    url = f"ssh://{getpass.getuser()}@127.0.0.1:{port}"
    try:
        assert _within(10, lambda: (folder / "pid").exists())
        yield url
    finally:
        patch.undo()
        daemon.terminate()
        daemon.wait()


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A cluster of one node, this machine."""
    if absent := own_slurm.missing():
        pytest.skip(absent)
    folder = tmp_path_factory.mktemp("slurm")
    for parent in (folder, *folder.parents):
        parent.chmod(parent.stat().st_mode | 0o055) if "pytest" in parent.name else None
    with own_slurm.slurm(folder):
        yield


def jobs_left() -> str:
    return subprocess.run(["squeue", "-h"], capture_output=True, text=True).stdout.strip()


@pytest.mark.slow
def test_a_proof_over_ssh(tmp_path: Path, box: str) -> None:
    there = tmp_path / "there"
    there.mkdir()
    found = proof(tmp_path, target_for(f"{box}{there}", None, str(PYTHON)))
    assert found.verdict is Verdict.PROVEN
    assert found.environment is not None and found.environment.platform == "cpu"
    assert list(there.iterdir()) == []


@pytest.mark.slow
def test_the_environment_of_the_folder_over_ssh(tmp_path: Path, box: str, project: Path) -> None:
    there = tmp_path / "there"
    (there / ".venv" / "bin").mkdir(parents=True)
    script(there / ".venv" / "bin" / "python", f'OWN=1 exec {PYTHON} "$@"')
    (project / "train.py").write_text("import os, jax\nprint(os.environ['OWN'])\n")
    run = measured(project, target_for(f"{box}{there}", None))
    assert (run.failure, run.stdout) == (None, "1\n")


@pytest.mark.slow
def test_optimizers_are_driven_over_ssh(box: str) -> None:
    drive(target_for(box, None, str(PYTHON)), "python3")


@pytest.mark.slow
def test_a_host_that_does_not_answer(project: Path, box: str) -> None:
    said = failing(project, target_for(f"ssh://127.0.0.1:{free_port()}", None))
    assert "cannot be reached: ssh: connect to host 127.0.0.1" in said.message


@pytest.mark.slow
def test_ssh_as_a_launcher(project: Path, box: str) -> None:
    user, _, port = box.removeprefix("ssh://").partition(":")
    run = measured(project, target_for(None, f"{os.environ['JAXFIX_SSH']} -p {port} {user}"))
    assert run.failure == "exit status 3: err"


@pytest.mark.slow
def test_a_proof_under_slurm(tmp_path: Path, slurm: None) -> None:
    found = proof(tmp_path, target_for(None, "srun -n1"))
    assert found.verdict is Verdict.PROVEN
    assert found.environment is not None and found.environment.platform == "cpu"
    assert jobs_left() == ""


@pytest.mark.slow
def test_optimizers_are_driven_under_slurm(slurm: None) -> None:
    drive(target_for(None, "srun -n1"), sys.executable)


@pytest.mark.slow
def test_slurm_through_ssh(tmp_path: Path, box: str, slurm: None) -> None:
    through = f"env SLURM_CONF={os.environ['SLURM_CONF']} srun -n1"
    found = proof(tmp_path, target_for(f"cpu,{box}", through, str(PYTHON)))
    assert found.verdict is Verdict.PROVEN


@pytest.mark.slow
def test_two_tasks_are_refused(project: Path, slurm: None) -> None:
    assert "starts 2 processes" in failing(project, target_for(None, "srun -n2")).message


@pytest.mark.slow
def test_a_job_of_slurm_ends_with_jaxfix(project: Path, tmp_path: Path, slurm: None) -> None:
    told = tmp_path / "pid"
    (project / "train.py").write_text(
        f"import os, pathlib, time\npathlib.Path({str(told)!r}).write_text(str(os.getpid()))\ntime.sleep(600)\n"
    )
    mine = driver(project, "srun -n1", "measure")
    assert _within(30, lambda: told.exists() and told.read_text())
    mine.send_signal(signal.SIGINT)
    mine.wait(40)
    assert ended(int(told.read_text()))
    assert _within(20, lambda: jobs_left() == "")


def test_this_machine_is_handed_to_another_process() -> None:
    """The page of a review reruns in a process of its own."""
    import pickle

    from jaxfix.evidence.target import Local

    assert pickle.loads(pickle.dumps(Local(3))).room == 3
