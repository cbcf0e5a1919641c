"""The options of `campaign`, which proves many repositories."""

from typing import Annotated

from jaxfix.drivers.cli.options.declaration import Argument, Option
from jaxfix.drivers.cli.options.shared import Format, Fresh, On, OutputFile, OutputFormat, Python, Timeout
from jaxfix.source.frozen import frozen


@frozen
class Campaign:
    """Which repositories, where, and how many at a time."""

    listed: Annotated[str, Argument("LIST", help="A TOML file with a `[[repository]]` for each.")]
    on: On = None
    jobs: Annotated[int, Option("--jobs", metavar="N", least=1, help="Repositories at the same time, here.")] = 1
    python: Python = None
    timeout_s: Timeout = 600
    fresh: Fresh = False
    output_format: Format = OutputFormat.text
    output_file: OutputFile = None
