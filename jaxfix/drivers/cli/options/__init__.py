"""The options of each command: frozen dataclasses whose annotations declare how they are spelled.

`app` makes Typer's commands of them, and `quick` reads a plain `check` by the same declaration.
"""
