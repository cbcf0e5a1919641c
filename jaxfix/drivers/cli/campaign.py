"""`jaxfix campaign`: proofs of many repositories, with one report."""

from pathlib import Path

from jaxfix.drivers.cli import outcome, output, terminal
from jaxfix.drivers.cli.options.campaign import Campaign
from jaxfix.drivers.cli.options.shared import OutputFormat
from jaxfix.drivers.workflow import campaign as work
from jaxfix.evidence.remote import target_for
from jaxfix.evidence.target import Local
from jaxfix.render import campaign as render
from jaxfix.render import json_report
from jaxfix.report.campaign import Repository
from jaxfix.source.errors import ConfigError


def campaign(options: Campaign) -> int:
    """Proves all of the list; returns 0 if each could be run, 2 if one could not."""
    output.refuse_unwritable(options.output_file)
    output.refuse_taken(options.output_file, [Path(options.listed)])
    listed = work.entries(Path(options.listed))
    if options.jobs > 1 and options.on not in (None, "local"):
        raise ConfigError("`--jobs` is for this machine", hint="a cluster takes as many as it has room for")
    target = target_for(options.on, None, options.python)
    if isinstance(target, Local):
        target = Local(options.jobs)
    terminal.note(f"cloning, installing and running what {options.listed} lists ({len(listed)}), on {target.name}")

    def told(repository: Repository) -> None:
        terminal.note(render.one(repository))

    found = work.run(listed, work.How(target, options.timeout_s, options.fresh), told)
    if options.output_format is OutputFormat.json:
        output.give(options.output_file, json_report.campaign(found))
    else:
        output.give(options.output_file, render.campaign(found, output.paint_for(options.output_file)))
    return outcome.USER_ERROR if any(entry.failed for entry in found.repositories) else outcome.CLEAN
