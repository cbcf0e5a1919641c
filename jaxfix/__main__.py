"""`python -m jaxfix` and the console script."""

import sys

from jaxfix import __version__


def main() -> int:
    """Runs the command line; `--version` answers before anything heavy is imported."""
    if sys.argv[1:] == ["--version"]:
        print(f"jaxfix {__version__}")
        return 0
    from jaxfix.drivers.cli.app import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
