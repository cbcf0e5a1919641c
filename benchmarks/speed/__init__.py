"""The speed of jaxfix, beside that of `ast.parse`, ruff and Fixit on the same sources."""
