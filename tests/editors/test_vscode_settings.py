"""The settings of the extension for VS Code are those that the server reads."""

import json
import re
from dataclasses import fields
from pathlib import Path

from jaxfix.drivers.lsp import settings

MANIFEST = Path(__file__).parents[2] / "editors" / "vscode" / "package.json"
OF_THE_EXTENSION = {"server.command", "trace.server"}


def test_the_extension_offers_what_the_server_reads_with_the_defaults_it_has() -> None:
    offered = json.loads(MANIFEST.read_text())["contributes"]["configuration"]["properties"]
    defaults = {name.removeprefix("jaxfix."): entry["default"] for name, entry in offered.items()}
    spelled = {re.sub("_(.)", lambda found: found[1].upper(), entry.name) for entry in fields(settings.Settings)}
    assert defaults.keys() - OF_THE_EXTENSION == spelled
    read = settings.read({name: value for name, value in defaults.items() if name not in OF_THE_EXTENSION})
    assert read == settings.Read(settings.Settings(), ())
