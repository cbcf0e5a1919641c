"""The options of `review` and `report`, which make a page."""

from typing import Annotated

from jaxfix.drivers.cli.options.declaration import Option
from jaxfix.drivers.cli.options.shared import (
    AllowDirty,
    AllowNoVcs,
    Fresh,
    Ignore,
    Launcher,
    Observe,
    On,
    Paths,
    Proven,
    Python,
    Select,
    Steps,
    Timeout,
    Trace,
    chosen,
    ids,
    named,
)
from jaxfix.drivers.workflow.request import Leave, Request
from jaxfix.source.frozen import frozen


@frozen
class Review:
    """What is reviewed, and how the page is served."""

    paths: Paths = ()
    run: Annotated[
        str | None, Option("--run", metavar="CMD", help="The program that a click on the page may rerun.")
    ] = None
    port: Annotated[
        int | None, Option("--port", metavar="N", least=1, most=65535, help="By default one that is free.")
    ] = None
    no_open: Annotated[bool, Option("--no-open", help="Open no browser; the link is printed anyway.")] = False
    select: Select = None
    ignore: Ignore = ()
    allow_dirty: AllowDirty = False
    allow_no_vcs: AllowNoVcs = False
    python: Python = None
    trace: Trace = None
    timeout_s: Timeout = 600
    fresh: Fresh = False
    steps: Steps = None
    observe: Observe = ()
    on: On = None
    launcher: Launcher = None

    @property
    def request(self) -> Request:
        """What is analysed, and for what."""
        return _request(self)

    @property
    def leave(self) -> Leave:
        """What may be written over."""
        return Leave(self.allow_dirty, self.allow_no_vcs)


@frozen
class Report:
    """What is reported, and where the page is written."""

    paths: Paths = ()
    output: Annotated[
        str, Option("-o", "--output", metavar="FILE", help="Where the page is written; `-` for stdout.")
    ] = "report.html"
    run: Proven = None
    prove: Annotated[bool, Option("--prove", help="Rerun the code, and show the evidence.")] = False
    select: Select = None
    ignore: Ignore = ()
    python: Python = None
    trace: Trace = None
    timeout_s: Timeout = 600
    fresh: Fresh = False
    steps: Steps = None
    on: On = None
    launcher: Launcher = None

    @property
    def request(self) -> Request:
        """What is analysed, and for what."""
        return _request(self)


def _request(options: Review | Report) -> Request:
    paths = named(options.paths, options.trace)
    select, ignore = chosen(options.select), ids(options.ignore)
    return Request(paths, select, ignore, python=options.python, trace=options.trace)
