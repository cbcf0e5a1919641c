"""The speed of the language server, as a client of its own sees it."""
