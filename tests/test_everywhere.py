"""Nothing that only one system has, outside of the room that runs programs and falls back."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath

import pytest
from command_line import ROOT
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_layers import GENERATED, PROBES, SOURCES, within

from jaxfix.drivers import files
from jaxfix.engine.config import Config, enabled
from jaxfix_codemods import CODEMODS

POSIX_MODULES = {"curses", "fcntl", "grp", "posix", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty"}
WINDOWS_MODULES = {"_winapi", "msvcrt", "nt", "winreg", "winsound"}
POSIX_NAMES = {
    "os": {
        *("chown", "chroot", "fchmod", "fchown", "fork", "forkpty", "getegid", "geteuid", "getgid", "getgroups"),
        *("getpgid", "getpgrp", "getsid", "getuid", "getxattr", "killpg", "lchown", "listxattr", "mkfifo", "mknod"),
        *("nice", "openpty", "pread", "pwrite", "sched_getaffinity", "seteuid", "setgid", "setpgid", "setsid"),
        *("setuid", "setxattr", "statvfs", "sync", "sysconf", "uname", "wait3", "wait4"),
        *("O_NOFOLLOW", "O_NONBLOCK", "ST_RDONLY", "WIFEXITED", "WIFSIGNALED", "WNOHANG"),
    },
    "signal": {
        *("SIGALRM", "SIGCHLD", "SIGCONT", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGQUIT", "SIGSTOP", "SIGUSR1", "SIGUSR2"),
        *("SIGWINCH", "SIGXCPU", "SIGXFSZ", "alarm", "pthread_kill", "pthread_sigmask", "setitimer", "sigwait"),
    },
    "time": {"tzset"},
}
POSIX_PLACES = ("/bin/", "/dev/null", "/proc/", "/tmp", "/usr/")
# these run programs, end them with all that they have started, and fall back where there are no groups of processes
ELSEWHERE = ("jaxfix.evidence", "jaxfix.drivers.lsp.running", *GENERATED)


def uses(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """What only one system has, where nothing around it asks which one this is."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If | ast.IfExp | ast.BoolOp) and "sys.platform" in ast.unparse(node):
            continue
        match node:
            case ast.Import(names=names):
                found = [alias.name for alias in names if alias.name in POSIX_MODULES | WINDOWS_MODULES]
            case ast.ImportFrom(module=str(module), names=names):
                found = [module] if module in POSIX_MODULES | WINDOWS_MODULES else []
                found += [alias.name for alias in names if alias.name in POSIX_NAMES.get(module, ())]
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if name in POSIX_NAMES.get(owner, ()):
                found = [f"{owner}.{name}"]
            case ast.Constant(value=str(text)) if text.startswith(POSIX_PLACES):
                found = [text]
            case ast.keyword(arg="preexec_fn" | "start_new_session" | "process_group" as name, value=value) if (
                "sys.platform" not in ast.unparse(value)
            ):
                found = [name]
            case _:
                found = []
        yield from ((getattr(node, "lineno", 0), name) for name in found)
        if not is_left_early(node):
            yield from uses(node)


def is_left_early(node: ast.AST) -> bool:
    """Whether the function begins with leaving where there is no such thing."""
    return isinstance(node, ast.FunctionDef) and any(
        "sys.platform ==" in ast.unparse(entry.test) and isinstance(entry.body[-1], ast.Return)
        for entry in node.body
        if isinstance(entry, ast.If)
    )


def test_no_module_has_what_only_one_system_has() -> None:
    names = [name for name in SOURCES if not within(name, ELSEWHERE)]
    found = {name: list(uses(ast.parse(SOURCES[name].read_bytes()))) for name in names}
    assert {name: here for name, here in found.items() if here} == {}


def test_what_only_one_system_has_is_seen() -> None:
    seen = "import fcntl\nfrom os import fork\nx = os.geteuid()\nrun(preexec_fn=f)\nopen('/dev/null')\n"
    assert [name for _, name in uses(ast.parse(seen))] == ["fcntl", "fork", "os.geteuid", "preexec_fn", "/dev/null"]
    assert not list(uses(ast.parse("run(start_new_session=sys.platform != 'win32')")))
    assert not list(uses(ast.parse("if sys.platform == 'win32':\n    import msvcrt\nelse:\n    import fcntl\n")))


def test_what_runs_programs_loads_everywhere() -> None:
    for name, path in SOURCES.items():
        if within(name, ("jaxfix.evidence",)) and not within(name, PROBES):
            body = ast.parse(path.read_bytes()).body
            top: list[ast.stmt] = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
            assert list(uses(ast.Module(top, []))) == [], name


@pytest.mark.slow
@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_the_types_are_right_on_other_systems(platform: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mypy", "--platform", platform, "--cache-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert "checked" in done.stdout or "Success" in done.stdout, done.stderr
    wrong = [line.replace(os.sep, "/") for line in done.stdout.splitlines() if ": error: " in line]
    assert [line for line in wrong if not line.startswith("jaxfix/evidence/")] == []


# paths

LETTERS = st.characters(exclude_characters='/\\<>:"|?*', exclude_categories=("Cs", "Cc"))
NAMES = st.text(LETTERS, min_size=1, max_size=12).filter(lambda part: part.strip(" .") == part)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.lists(NAMES, min_size=1, max_size=5), st.sampled_from([PurePosixPath, PureWindowsPath]))
def test_a_path_is_ignored_by_the_same_pattern_on_every_system(parts: list[str], kind: type[PurePath]) -> None:
    relative = kind(*parts).as_posix()
    assert relative == "/".join(parts)
    quoted = "".join(f"[{char}]" if char in "[*?" else char for char in relative)
    config = Config(per_file_ignores=((quoted, tuple(codemod.id for codemod in CODEMODS)),))
    assert enabled(config, CODEMODS, relative) == ()
    assert len(enabled(config, CODEMODS, f"{relative}x")) == len(CODEMODS)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.lists(NAMES, min_size=1, max_size=4), st.integers(0, 3))
def test_a_shown_path_leads_back_to_its_file(parts: list[str], up: int) -> None:
    path = Path(os.path.abspath(os.path.join(*[os.pardir] * up, *parts)))
    assert Path(os.path.abspath(files.shown(path))) == path


# streams

WIDE = "import jax\nfor x in range(9):\n    jax.jit(lambda 漢: 漢 + 1)(x)  # \U0001f388\n"
OLD = os.environ | {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}


@pytest.mark.parametrize(
    "arguments",
    [
        ("check",),
        ("apply", "--diff", "--unproven"),
        ("explain", "local-jit"),
        ("trust", "--help"),
        ("doctor", "--no-run"),
    ],
    ids=" ".join,
)
def test_a_console_of_few_letters_is_told_everything(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """As Windows gives one to a program whose output another one reads."""
    (tmp_path / "漢.py").write_text(WIDE, "utf-8")
    places = os.pathsep.join((str(ROOT), str(ROOT / "codemods")))
    command = [sys.executable, "-m", "jaxfix", *arguments]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, env=OLD | {"PYTHONPATH": places})
    assert done.returncode in (0, 1) and b"error: " not in done.stderr
    assert arguments[0] not in ("check", "apply") or "漢.py".encode() in done.stdout
