"""The options of `undo`, `trust`, `receipts` and `verify`, which show or change stored records."""

from typing import Annotated

from jaxfix.drivers.cli.options.declaration import Argument, Option
from jaxfix.drivers.cli.options.shared import Format, OutputFile, OutputFormat, Paths, Python
from jaxfix.drivers.workflow.request import Request
from jaxfix.source.frozen import frozen


@frozen
class Undo:
    """Whether the applies are listed, and none is undone."""

    lists: Annotated[bool, Option("--list", help="List the applied changes.")] = False


@frozen
class Trust:
    """What is trusted, or whether that is listed or revoked."""

    paths: Paths = ()
    run: Annotated[
        str | None, Option("--run", metavar="CMD", help="A program that the configuration does not name.")
    ] = None
    yes: Annotated[bool, Option("--yes", "-y", help="Ask nothing.")] = False
    lists: Annotated[bool, Option("--list", help="List the trusted projects.")] = False
    revokes: Annotated[bool, Option("--revoke", help="Revoke the trust in the project of PATH.")] = False
    python: Python = None

    @property
    def request(self) -> Request:
        """The project."""
        return Request(self.paths or (".",), python=self.python)


@frozen
class Receipts:
    """Which receipts are listed; `check` makes an expired one count."""

    path: Annotated[str | None, Argument("PATH", help="Only those of this file, folder or installed module.")] = None
    all: Annotated[bool, Option("--all", help="Older receipts of the same fix too.")] = False
    check: Annotated[bool, Option("--check", help="Exit with 1 if a receipt has expired.")] = False
    output_format: Format = OutputFormat.text


@frozen
class Verify:
    """Which receipts are held against which tree."""

    receipts: Annotated[
        tuple[str, ...],
        Argument("RECEIPT", help="The JSON of `apply` or `prove`, or a receipt in .jaxfix/receipts."),
    ] = ()
    root: Annotated[
        str | None, Option("--root", metavar="DIR", help="The project; by default the one that holds this folder.")
    ] = None
    output_format: Format = OutputFormat.text
    output_file: OutputFile = None
