"""One repository of a campaign, where its job runs: `python -m jaxfix.drivers.workflow.repository REQUEST.json`.

Gets it, installs what it needs into an environment of its own, and has `jaxfix apply --diff` prove its fixes.
"""

import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from jaxfix.drivers import files
from jaxfix.report.campaign import Repository
from jaxfix.report.wire import to_json
from jaxfix.source.errors import UserError
from jaxfix.source.frozen import frozen

RESULT = "repository.json"
"""The result, in the folder of results."""
_STEP_S = 1800.0
_HIDDEN = ("JAXFIX_PROBE", "VIRTUAL_ENV", "CONDA_PREFIX")
_WORD_CHARACTERS = 300


@frozen
class Request:
    """One job.

    Attributes:
      tree: where its files are, or are to be.
      results: where the result goes.
      url: what is cloned; None where the files are there.
      install: commands that install what it needs; with none, the interpreter that runs this has it.
      run: its program; None where its optimizers are driven.
    """

    name: str
    tree: str
    results: str
    commit: str
    url: str | None
    install: tuple[str, ...]
    run: str | None
    paths: tuple[str, ...]
    timeout_s: float
    fresh: bool


def main(path: str) -> None:
    """Records the result, or the error."""
    from jaxfix.report.wire import from_json

    request = from_json(Request, json.loads(files.read_bytes(Path(path))))
    began = time.monotonic()
    found = Repository(request.name, request.commit)
    try:
        found = _shown(request, found)
    except UserError as error:
        found = replace(found, failed=str(error).replace(os.path.join(request.tree, ""), ""))
    found = replace(found, seconds=round(time.monotonic() - began, 1))
    files.write_bytes(Path(request.results) / RESULT, json.dumps(to_json(found)).encode())


def _shown(request: Request, found: Repository) -> Repository:
    tree = Path(request.tree)
    if request.url is not None:
        found = replace(found, commit=_cloned(request.url, request.commit, tree))
    environment = {name: value for name, value in os.environ.items() if name not in _HIDDEN}
    chosen: tuple[str, ...] = ()
    if request.install:
        python = _installed(request, tree, environment)
        chosen = ("--python", str(python))
    report, diff = Path(request.results).parent / "report.json", Path(request.results).parent / "fixes.diff"
    how = ("--run", request.run) if request.run is not None else ("--prove",)
    fresh = ("--fresh",) if request.fresh else ()
    words = [sys.executable, "-m", "jaxfix", "apply", *request.paths, *how, *chosen, *fresh, "--diff"]
    words += ["--timeout", f"{request.timeout_s:g}", "--output-format", "json", "--output-file", str(report)]
    done = _run("prove it", words, tree, environment, limit_s=None, allowed=(0, 1, 2))
    files.write_bytes(diff, done.stdout)
    if done.returncode == 2 or not report.exists():
        raise UserError(f"could not be proven: {_said(done).removeprefix('error: ')}")
    return read(found, json.loads(files.read_bytes(report)), done.stdout.decode(errors="replace"))


def read(found: Repository, report: Mapping[str, object], diff: str) -> Repository:
    """The repository with what a report of `apply --diff` says of it.

    Raises:
      UserError: its program failed as it is.
    """
    fixes, findings, evidence, together = (_list(report, key) for key in ("fixes", "findings", "evidence", "together"))
    verdicts = [str(receipt["verdict"]) for receipt in evidence]
    if evidence and all(f"{receipt['reason']}".startswith("fails without any fix") for receipt in evidence):
        raise UserError(f"its program {evidence[0]['reason']}")
    went = report.get("run")
    environment = next((receipt["environment"] for receipt in evidence if receipt.get("environment")), None)
    return replace(
        found,
        found=len(fixes) + len(findings),
        proven=verdicts.count("proven"),
        safe=sum(fix["safety"] == "safe" for fix in fixes),
        refuted=sum(verdict in ("different", "failed", "slower") for verdict in verdicts),
        compiles=_sums(together),
        run_s=_seconds(went) if isinstance(went, dict) else None,
        versions=_versions(environment) if isinstance(environment, dict) else None,
        diff=diff if fixes else "",
    )


def _list(report: Mapping[str, object], key: str) -> list[dict[str, object]]:
    value = report.get(key)
    return value if isinstance(value, list) else []


def _sums(together: Sequence[Mapping[str, object]]) -> tuple[int, ...] | None:
    if not together:
        return None
    sides = [[case[side] for case in together] for side in ("before", "after")]
    return tuple(sum(int(counts["compiles"]) for counts in side if isinstance(counts, dict)) for side in sides)


def _seconds(went: Mapping[str, object]) -> tuple[float, ...] | None:
    before, after = went.get("run_s"), went.get("now_s")
    if not isinstance(before, int | float) or not isinstance(after, int | float):
        return None
    return (round(before, 2), round(after, 2))


def _versions(environment: Mapping[str, object]) -> str:
    return f"Python {environment['python']}, jax {environment['jax']}, {environment['device']}"


def _cloned(url: str, commit: str, tree: Path) -> str:
    """Fetches the commit alone where the host lets that be asked for, else all of it; returns its full name."""
    files.make_folder(tree)
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0"}
    git = ["git", "-C", str(tree)]
    _run("make a folder for it", [*git, "init", "--quiet"], tree, environment)
    one = _run("clone it", [*git, "fetch", "--quiet", "--depth=1", "--", url, commit], tree, environment, allowed=None)
    wanted = "FETCH_HEAD" if one.returncode == 0 else commit
    if one.returncode:
        refs = "+refs/*:refs/there/*"
        _run("clone it", [*git, "fetch", "--quiet", "--", url, refs], tree, environment)
    _run("find its commit", [*git, "checkout", "--quiet", "--detach", wanted, "--"], tree, environment)
    done = _run("find its commit", [*git, "rev-parse", "HEAD"], tree, environment)
    return done.stdout.decode().strip()


def _installed(request: Request, tree: Path, environment: dict[str, str]) -> Path:
    """The interpreter of an environment beside the tree, with what the commands have installed."""
    folder = tree.parent.parent / "environment"
    _run("make an environment for it", [sys.executable, "-m", "venv", str(folder)], tree, environment)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    search = os.pathsep.join((str(programs), environment.get("PATH", os.defpath)))
    inside = {**environment, "VIRTUAL_ENV": str(folder), "PATH": search}
    python = programs / ("python.exe" if os.name == "nt" else "python")
    for command in request.install:
        words = shlex.split(command)
        words[0] = str(python) if words[0] in ("python", "python3") else words[0]
        _run(f"run `{command}`", words, tree, inside)
    return python


def _run(
    what: str,
    words: Sequence[str],
    cwd: Path,
    environment: Mapping[str, str],
    limit_s: float | None = _STEP_S,
    allowed: tuple[int, ...] | None = (0,),
) -> "subprocess.CompletedProcess[bytes]":
    """Runs a step.

    Args:
      allowed: exit statuses that are none of a failure; None allows all.

    Raises:
      UserError: it fails, or takes too long.
    """
    try:
        done = subprocess.run(
            words, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=limit_s
        )
    except subprocess.TimeoutExpired as error:
        raise UserError(f"could not {what}: no end after {limit_s:g} s") from error
    except OSError as error:
        raise UserError(f"could not {what}: `{words[0]}`: {(error.strerror or str(error)).lower()}") from error
    if allowed is not None and done.returncode not in allowed:
        raise UserError(f"could not {what}: {_said(done)}")
    return done


def _said(done: "subprocess.CompletedProcess[bytes]") -> str:
    lines = [line.strip() for line in done.stderr.decode(errors="replace").splitlines() if line.strip()]
    wrong = [line for line in lines if line.lower().startswith(("error", "fatal"))]
    return (wrong or lines or [f"exit status {done.returncode}"])[-1][:_WORD_CHARACTERS]


if __name__ == "__main__":
    main(sys.argv[1])
