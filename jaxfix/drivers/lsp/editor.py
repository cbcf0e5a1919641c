"""What every part of the server needs to know of the editor."""

from jaxfix.drivers.lsp.client import Client
from jaxfix.drivers.lsp.documents import Documents
from jaxfix.drivers.lsp.scopes import Scopes
from jaxfix.source.frozen import frozen


@frozen
class Editor:
    """The editor, what is open in it, and the settings of each place."""

    client: Client
    documents: Documents
    scopes: Scopes
