"""`jaxfix explain ID`: the page of a codemod."""

from jaxfix import docs
from jaxfix.drivers.cli import outcome, terminal
from jaxfix.drivers.cli.options.about import Explain
from jaxfix.engine.config import check_ids
from jaxfix.engine.registry import load_registry


def explain(options: Explain) -> int:
    """Prints the page to stdout."""
    codemods = {codemod.id: codemod for codemod in load_registry().codemods}
    check_ids((options.codemod,), tuple(codemods), "`jaxfix explain`")
    codemod = codemods[options.codemod]
    terminal.give(docs.markdown(codemod, docs.page(codemod)).encode())
    return outcome.CLEAN
