"""`python -m jaxfix` and the console script."""

import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    # `-m` puts the working folder first: a stranger's project must not be imported by looking at it.
    del sys.path[0]

from jaxfix import __version__


def main() -> int:
    """Runs the command line; `--version` answers before anything heavy is imported."""
    if sys.argv[1:] == ["--version"]:
        print(f"jaxfix {__version__}")
        return 0
    try:
        from jaxfix.drivers.cli.app import run

        return run(sys.argv[1:])
    except KeyboardInterrupt:  # while the modules load; later, `run` has the word
        print("error: interrupted; nothing was written", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
