"""A proof on workers that Slurm starts: `python -m benchmarks.slurm`, as root, in about two minutes.

Needs `slurm-wlm` and `munge` (Debian), and `python -m pip install dask-jobqueue`. Starts a Slurm of its own with this
machine as its node, has dask-jobqueue submit two workers, proves the fixes of a small package of optimizers on them,
and cancels the job of one worker while it runs cases. Writes what happened into `docs/evidence/proof.md`.
"""

import importlib.util
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from benchmarks import fleet

PAGE = fleet.PAGE
BEGINS, ENDS = "<!-- benchmarks.slurm begins -->", "<!-- benchmarks.slurm ends -->"
WORKERS = 2
DAEMONS = ("slurmctld", "slurmd", "munged", "srun", "sinfo", "sbatch", "scancel")
SEARCH = f"{os.environ['PATH']}:/usr/sbin"


@dataclass(frozen=True, slots=True)
class Proven:
    """A proof on workers of Slurm.

    Attributes:
      cancelled: the job of Slurm that was cancelled.
      repeated: parcels of cases that were given to a second worker.
    """

    ran: fleet.Ran
    cancelled: str
    repeated: int


def missing() -> str | None:
    """What a Slurm of one's own needs and is not here; None where all is."""
    absent = [name for name in DAEMONS if shutil.which(name, path=SEARCH) is None]
    if absent:
        return f"{', '.join(absent)} not installed: `apt-get install slurm-wlm munge`"
    return "slurmd needs root" if os.getuid() else None


def missing_workers() -> str | None:
    """As `missing`, for workers of dask too."""
    if importlib.util.find_spec("dask_jobqueue") is None:
        return "dask-jobqueue is not installed: `python -m pip install dask-jobqueue`"
    return missing()


@contextmanager
def slurm(folder: Path) -> Iterator[None]:
    """A cluster of one node, this machine; its commands are for this process and those that it starts."""
    for part in ("state", "spool", "log", "munge"):
        (folder / part).mkdir()
    (folder / "munge" / "key").write_bytes(os.urandom(1024))
    (folder / "munge" / "key").chmod(0o400)
    (folder / "munge").chmod(0o755)
    (folder / "slurm.conf").write_text(_settings(folder))
    before = {name: os.environ.get(name) for name in ("SLURM_CONF", "PATH")}
    os.environ.update(SLURM_CONF=str(folder / "slurm.conf"), PATH=SEARCH)
    daemons: list[subprocess.Popen[bytes]] = []
    try:
        for command in _daemons(folder):
            daemons.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
            until(lambda: (folder / "munge" / "socket").exists(), 10)
        until(lambda: said("sinfo", "-h", "-o", "%T") == "idle", 30)
        yield
    finally:
        for daemon in reversed(daemons):
            daemon.terminate()
            daemon.wait(20)
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


def _settings(folder: Path) -> str:
    name = socket.gethostname().partition(".")[0]
    return (
        f"ClusterName=test\nSlurmctldHost={name}(127.0.0.1)\nSlurmctldPort={_port()}\nSlurmdPort={_port()}\n"
        f"SlurmUser=root\nAuthType=auth/munge\nAuthInfo=socket={folder}/munge/socket\nCryptoType=crypto/munge\n"
        f"StateSaveLocation={folder}/state\nSlurmdSpoolDir={folder}/spool\nSlurmctldPidFile={folder}/log/ctl.pid\n"
        f"SlurmdPidFile={folder}/log/d.pid\nSlurmctldLogFile={folder}/log/ctl.log\nSlurmdLogFile={folder}/log/d.log\n"
        "ProctrackType=proctrack/pgid\nTaskPlugin=task/none\nSwitchType=switch/none\nMpiDefault=none\nReturnToService=2\n"
        "KillWait=2\nSchedulerType=sched/backfill\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core\n"
        "AccountingStorageType=accounting_storage/none\nJobAcctGatherType=jobacct_gather/none\n"
        f"NodeName={name} NodeAddr=127.0.0.1 CPUs={WORKERS} RealMemory=2000 State=UNKNOWN\n"
        "PartitionName=debug Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n"
    )


def _daemons(folder: Path) -> Iterator[list[str]]:
    at = folder / "munge"
    files = (f"--{name}-file={at}/{name}" for name in ("key", "pid", "log", "seed"))
    yield ["munged", "-F", "--force", f"--socket={at}/socket", *files]
    yield ["slurmctld", "-D", "-f", str(folder / "slurm.conf")]
    yield ["slurmd", "-D", "-f", str(folder / "slurm.conf")]


def _port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def said(*command: str) -> str:
    """What a command of Slurm prints."""
    return subprocess.run(command, capture_output=True, text=True).stdout.strip()


def until(holds: Callable[[], bool], seconds: float) -> None:
    """Waits for it.

    Raises:
      RuntimeError: it does not hold in time.
    """
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise RuntimeError("Slurm or its workers do not answer")
        time.sleep(0.05)


@contextmanager
def workers(folder: Path) -> Iterator[Any]:
    """The `SLURMCluster` of two workers of one thread, each a job of Slurm."""
    from dask_jobqueue import SLURMCluster

    cluster = SLURMCluster(
        queue="debug", cores=1, memory="900MB", walltime="00:10:00", log_directory=str(folder), n_workers=WORKERS,
        local_directory=str(folder), scheduler_options={"host": "127.0.0.1", "dashboard_address": ":0"},
    )  # fmt: skip
    try:
        until(lambda: len(cluster.scheduler.workers) == WORKERS, 90)
        yield cluster
    finally:
        cluster.close()


def busy() -> list[str]:
    """The jobs of Slurm in which cases are driven, by number."""
    found = set()
    for process in psutil.process_iter():
        try:
            if "request.json" in " ".join(process.cmdline()):
                found.add(process.environ().get("SLURM_JOB_ID"))
        except psutil.Error:
            continue
    return sorted(job for job in found if job)


def with_a_job_cancelled(root: Path, cache: Path, cluster: Any) -> Proven:
    """The proof on the workers, of which one's job is cancelled as soon as both drive cases."""
    began = time.monotonic()
    process = fleet.start(root, cache, "--on", f"dask://{cluster.scheduler_address.partition('://')[2]}")
    until(lambda: len(busy()) == WORKERS or process.poll() is not None, 120)
    cancelled = busy()[0]
    subprocess.run(["scancel", cancelled], check=True)
    ran = fleet.ended(process, root, began)
    given = Counter(entry.key for entry in cluster.scheduler.transition_log if entry.finish == "processing")
    return Proven(ran, cancelled, sum(number > 1 for key, number in given.items() if str(key).startswith("jaxfix-")))


def page() -> str:
    """The section of the page, from runs that are made for it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "slurm").mkdir()
        (folder / "dask").mkdir()
        root = fleet.project(folder / "project")
        local = fleet.here(root, folder / "cache-here")
        with slurm(folder / "slurm"), workers(folder / "dask") as cluster:
            jobs = said("squeue", "-h", "-t", "RUNNING").splitlines()
            proven = with_a_job_cancelled(root, folder / "cache-there", cluster)
    equal = "equal" if proven.ran.figures == local.figures else "**different**"
    figures = local.figures.values()
    cases = sum(len(compared) for _, compared in figures)
    made = re.search(r"made (\d+) runs", proven.ran.notes)
    lines = [
        "## Under Slurm",
        "",
        "Written by `python -m benchmarks.slurm`: the same package, proven here and with `--on dask://` on workers",
        "that dask-jobqueue has submitted to a Slurm of its own on this machine. While both workers drove cases, the",
        "job of one was ended by `scancel`. Equal is said as above.",
        "",
        "| cases | runs | jobs of Slurm | cancelled | parcels done again | proven | verdicts, compiles | seconds |",
        "|---|---|---|---|---|---|---|---|",
        f"| {cases} | {made[1] if made else 0} | {len(jobs)} | 1 | {proven.repeated} | {_proven(proven.ran)} | {equal} "
        f"| {proven.ran.seconds:.0f} (here {local.seconds:.0f}) |",
    ]
    return "\n".join(lines)


def _proven(ran: fleet.Ran) -> str:
    return f"{sum(verdict == 'proven' for verdict, _ in ran.figures.values())} of {len(ran.figures)}"


def main() -> None:
    if absent := missing_workers():
        sys.exit(absent)
    fleet.write(BEGINS, page(), ENDS)


if __name__ == "__main__":
    main()
