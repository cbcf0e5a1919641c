"""What every part of the server needs to know of the editor."""

from dataclasses import dataclass

from jaxfix.drivers.lsp.client import Client
from jaxfix.drivers.lsp.documents import Documents
from jaxfix.drivers.lsp.scopes import Scopes


@dataclass(frozen=True, slots=True)
class Editor:
    """The editor, what is open in it, and the settings of each place."""

    client: Client
    documents: Documents
    scopes: Scopes
