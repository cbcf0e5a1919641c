"""`python -m jaxfix` and the console script."""

import atexit
import gc
import os
import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    # `-m` puts the working folder first: a stranger's project must not be imported by looking at it.
    del sys.path[0]

from jaxfix import __version__

_YOUNG = 300_000
"""Objects after which Python looks for cycles: what is loaded makes some ten thousands of objects, and no garbage."""


def main() -> int:
    """Runs the command line; `--version` and `--help` answer before anything heavy is imported."""
    words = sys.argv[1:]
    try:
        if words == ["--version"]:
            print(f"jaxfix {__version__}", flush=True)
            return 0
        if words[:1] == ["lsp"]:
            from jaxfix.drivers.lsp import start

            return start.run(words[1:])
        if words[:1] == ["mcp"]:
            from jaxfix.drivers.mcp import start as agents

            return agents.run(words[1:])
        from jaxfix.drivers.cli.helping import helped

        code = helped(words)
        if code is not None:
            return code
        from jaxfix.drivers.cli.start import run

        return run(words)
    except KeyboardInterrupt:  # while the modules load; later, `run` has the word
        print("error: interrupted; nothing was written", file=sys.stderr)
        return 130
    except OSError as error:  # of `--version` and `--help`; `run` lets none through
        sys.stdout = None  # it would be flushed, and fail again
        if not isinstance(error, BrokenPipeError):
            print(f"error: stdout cannot be written: {(error.strerror or str(error)).lower()}", file=sys.stderr)
        return 2


def script() -> None:
    """Runs the command line and ends the process.

    Where nothing else goes on in it, at once: to release all objects one by one, as Python does at its end, takes a
    check in which nothing has changed a fourteenth of its time.
    """
    gc.set_threshold(_YOUNG)
    code = main()
    if _is_alone():
        atexit._run_exitfuncs()
        if _is_flushed():
            os._exit(code)
    sys.exit(code)


def _is_alone() -> bool:
    """Whether this process has no other thread, and no child that it would have to wait for."""
    processes = sys.modules.get("multiprocessing")
    threads = sys.modules.get("threading")
    return (threads is None or threads.active_count() == 1) and not (processes and processes.active_children())


def _is_flushed() -> bool:
    """Whether all output is written; where it cannot be, Python says so at the end that it makes."""
    try:
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()
    except (OSError, ValueError):
        return False
    return True


if __name__ == "__main__":
    script()
