"""Runs on a cluster of dask: what travels, what is refused; a real cluster of which a worker is killed by `-m slow`."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from jaxfix.evidence.orders import Orders
from jaxfix.evidence.program import ProgramRunner
from jaxfix.evidence.remote import target_for
from jaxfix.evidence.running import Running
from jaxfix.evidence.side_by_side import side_by_side
from jaxfix.evidence.target import Finished, Job, Local
from jaxfix.report.measurement import Measurement
from jaxfix.source.errors import ConfigError, EvidenceError

pytest.importorskip("distributed", reason="`python -m pip install 'jaxfix[fleet]'`")

from benchmarks import fleet, slurm
from jaxfix.evidence.fleet import dask, relay
from jaxfix.evidence.probe import host
from jaxfix.evidence.stream import bootstrap

TRAIN = """\
import os, sys
print(open("data.txt").read().strip(), os.path.basename(os.getcwd()), os.environ["GREETING"])
print(__file__, file=sys.stderr)
sys.exit(3)
"""


class Direct(Local):
    """Hands each job over as a parcel and has it run at once, as a worker would."""

    is_here = False

    def __init__(self, python: str | None = None) -> None:
        super().__init__()
        self.python = python

    def run(self, job: Job) -> Finished:
        parcel = dask._Parcel(job, Orders("`dask://box:1`", True, self.python))
        words = ["-I", "-c", bootstrap(), parcel.marker, "-"]
        answer = relay.run(Path(host.__file__).read_bytes(), parcel.raw(), self.python, words)
        return parcel.finished(answer, Orders("`dask://box:1`", True, self.python))  # type: ignore[arg-type]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "train.py").write_text(TRAIN)
    (root / "data.txt").write_text("forty-two")
    return root


def measured(root: Path, target: Local, timeout_s: float = 60.0, command: str = "train.py") -> Measurement:
    (run,) = ProgramRunner(
        root, f"GREETING=hello python {command}", how=Running(target=target, timeout_s=timeout_s)
    ).measure({})
    return run


def test_a_parcel_holds_all_that_a_run_needs_and_paths_come_back_as_they_are_here(project: Path) -> None:
    run = measured(project, Direct())
    assert run.stdout == "forty-two project hello\n"
    assert run.stderr == f"{project / 'train.py'}\n" and run.failure is not None and "status 3" in run.failure


def test_a_parcel_that_takes_too_long_is_cut_off(project: Path) -> None:
    (project / "train.py").write_text("import time\nprint('begun', flush=True)\ntime.sleep(60)\n")
    run = measured(project, Direct(), timeout_s=5)
    assert run.stopped == "at the time limit" and run.stdout == "begun\n"


def test_an_interpreter_that_a_worker_has_not_is_said(project: Path) -> None:
    parcel = relay.about("/no/such/python")
    assert parcel["wrong"] is not None and "cannot be started" in parcel["wrong"]


def test_a_worker_tells_its_versions() -> None:
    found = relay.about(None)
    assert found["python"] == ".".join(map(str, sys.version_info[:3])) and found["jax"] and found["installed"]


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("dask://", "names no scheduler"),
        ("dask://box", "names no scheduler"),
        ("dask://box:8786/path", "names no scheduler"),
        ("dask://me@box:8786", "names no scheduler"),
        ("dask://box:port", "cannot be read"),
    ],
)
def test_what_names_no_scheduler_is_said(url: str, words: str) -> None:
    with pytest.raises(ConfigError) as said:
        target_for(url)
    assert words in said.value.message and said.value.hint


def test_a_scheduler_that_nobody_runs_is_said_at_once() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"dask://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(ConfigError) as said:
        target_for(url)
    assert said.value.message == f"`{url}` cannot be reached: connection refused"


def test_a_launcher_starts_no_task() -> None:
    with pytest.raises(ConfigError, match="`--launcher` starts no job of a dask cluster"):
        target_for("dask://127.0.0.1:1", "srun")


def test_without_the_extra_one_line_says_what_to_install(tmp_path: Path) -> None:
    code = "import sys; sys.modules['distributed'] = None\nfrom jaxfix.__main__ import main\nsys.exit(main())"
    words = ["apply", ".", "--run", "python train.py", "--on", "dask://127.0.0.1:8786"]
    done = subprocess.run([sys.executable, "-c", code, *words], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == (
        "error: `--on dask://127.0.0.1:8786` needs distributed, which is not installed here; "
        "`python -m pip install 'jaxfix[fleet]'`\n"
    )


def test_workers_that_are_not_alike_are_refused() -> None:
    workers = dask.Fleet("box:1")
    one = {"python": "3.11.7", "jax": "0.10.2", "jaxlib": "0.10.2", "installed": "a"}
    assert workers._check({"a": one, "b": dict(one)}, None) == one
    with pytest.raises(EvidenceError, match=r"alike: Python 3.11.7 with jax 0.10.2, Python 3.11.7 with jax 0.9.0"):
        workers._check({"a": one, "b": one | {"jax": "0.9.0"}}, None)
    with pytest.raises(EvidenceError, match="are not alike"):  # one that came later
        workers._check({"late": one | {"python": "3.12.1"}}, one)
    with pytest.raises(EvidenceError, match="has no jax"):
        workers._check({"a": one | {"jax": None}}, None)


@pytest.mark.parametrize("room", [1, 2, 7])
def test_all_pieces_are_done_whatever_the_room(room: int) -> None:
    assert dict(side_by_side(lambda piece: piece * piece, range(5), room)) == {n: n * n for n in range(5)}


@pytest.mark.parametrize("is_first", [True, False])
def test_jobs_that_go_on_are_ended_where_one_raises(tmp_path: Path, is_first: bool) -> None:
    """Also one that is just being started."""
    environment = dict(os.environ)
    missing = Job(("no-such-program",), tmp_path, environment)
    for turn in range(5):
        ended = tmp_path / f"ended-{turn}"
        going_on = Job(
            (sys.executable, "-c", f"import time; time.sleep(20); open({str(ended)!r}, 'w')"), tmp_path, environment
        )
        with pytest.raises(EvidenceError, match="no such program"):
            list(Local(room=2).submit([missing, going_on] if is_first else [going_on, missing]))
        assert not ended.exists()


@pytest.mark.slow
def test_a_worker_that_is_killed_costs_its_jobs_alone(tmp_path: Path) -> None:
    """A minute on a quiet machine: a real cluster of three workers."""
    root = fleet.project(tmp_path / "project")
    here = fleet.here(root, tmp_path / "cache-here")
    (tmp_path / "dask").mkdir()
    with fleet.cluster(tmp_path / "dask") as (address, workers):
        there = fleet.with_a_death(root, tmp_path / "cache-there", address, workers)
        again = fleet.resumed(root, tmp_path / "cache-again", address)
    assert here.figures == there.figures == again.figures
    assert {verdict for verdict, _ in here.figures.values()} == {"proven"}
    assert fleet.reused(again) >= 3


@pytest.mark.slow
def test_a_job_of_slurm_that_is_cancelled_costs_its_cases_alone(tmp_path: Path) -> None:
    """Two minutes: two workers that dask-jobqueue has submitted to a Slurm of its own."""
    if absent := slurm.missing_workers():
        pytest.skip(absent)
    for folder in (tmp_path, *tmp_path.parents):
        folder.chmod(folder.stat().st_mode | 0o055) if "pytest" in folder.name else None
    (tmp_path / "slurm").mkdir()
    (tmp_path / "dask").mkdir()
    root = fleet.project(tmp_path / "project")
    here = fleet.here(root, tmp_path / "cache-here")
    with slurm.slurm(tmp_path / "slurm"), slurm.workers(tmp_path / "dask") as cluster:
        there = slurm.with_a_job_cancelled(root, tmp_path / "cache-there", cluster)
    assert there.repeated >= 1 and there.ran.figures == here.figures
    assert {verdict for verdict, _ in here.figures.values()} == {"proven"}
