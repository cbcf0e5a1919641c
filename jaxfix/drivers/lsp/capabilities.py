"""What the server can do, as it says before anything heavy is loaded. A test holds it against what is registered."""

from collections.abc import Mapping

from jaxfix import __version__

FIX_ALL = "source.fixAll.jaxfix"
NOTEBOOK_FIX_ALL = "notebook.source.fixAll.jaxfix"
TRACE = "source.trace.jaxfix"
KINDS = ("quickfix", FIX_ALL, NOTEBOOK_FIX_ALL, TRACE)
COMMANDS = ("jaxfix.trace", "jaxfix.prove", "jaxfix.explain", "jaxfix.clearTrace", "jaxfix.fixAll")
NOTEBOOKS = {"notebook": {"notebookType": "jupyter-notebook"}, "cells": [{"language": "python"}]}
_ENCODINGS = ("utf-32", "utf-8", "utf-16")
"""In the order in which they cost the server least."""

Json = Mapping[str, object]


def initialized(params: object) -> dict[str, object]:
    """The answer to `initialize`."""
    return {
        "capabilities": capabilities(part(part(params), "capabilities")),
        "serverInfo": {"name": "jaxfix", "version": __version__},
    }


def capabilities(client: Json) -> dict[str, object]:
    """What the server offers to a client that can do this much."""
    offered: dict[str, object] = {
        "positionEncoding": encoding(client),
        "textDocumentSync": {"openClose": True, "change": 2, "save": {"includeText": False}},
        "hoverProvider": True,
        "codeActionProvider": {"codeActionKinds": list(KINDS), "resolveProvider": True},
        "codeLensProvider": {"resolveProvider": False},
        "executeCommandProvider": {"commands": list(COMMANDS)},
        "workspace": {"workspaceFolders": {"supported": True, "changeNotifications": True}},
    }
    if part(client, "notebookDocument"):
        offered["notebookDocumentSync"] = {"notebookSelector": [NOTEBOOKS], "save": True}
    if pulls(client):
        offered["diagnosticProvider"] = {
            "identifier": "jaxfix",
            "interFileDependencies": True,
            "workspaceDiagnostics": False,
        }
    return offered


def encoding(client: Json) -> str:
    """How columns are counted: as the client likes best of what it knows; UTF-16 where it does not say."""
    known = part(client, "general").get("positionEncodings")
    known = known if isinstance(known, list) else []
    return next((name for name in known if name in _ENCODINGS), "utf-16")


def pulls(client: Json) -> bool:
    """Whether the client asks for diagnostics, and again on request: else they are pushed."""
    can_ask = isinstance(part(client, "textDocument").get("diagnostic"), Mapping)
    return can_ask and part(client, "workspace", "diagnostics").get("refreshSupport") is True


def part(value: object, *names: str) -> Json:
    """A table within a table; an empty one where there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}
