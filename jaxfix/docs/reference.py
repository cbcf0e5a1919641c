"""The reference: what commands take, reports hold and codemods import, each read from where it is defined."""

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from textwrap import dedent
from types import ModuleType, UnionType
from typing import Any

MODULES = ("jaxfix.api", "jaxfix.api.analysis", "jaxfix.api.library", "jaxfix.testing")
_COMMANDS = """\
# The command line

Each command with its options, as `jaxfix COMMAND --help` has them. What each is for: [commands](use.md).
"""
_SCHEMAS = """\
# JSON

What `--output-format json` writes. `schema` counts up when something that was there changes its meaning or goes away;
new properties may come at any time. The schemas are JSON Schema 2020-12, made from the code; what the commands write is
tested against them.
"""
_MODULES = """\
# The API

What a codemod imports ([writing codemods](writing-codemods.md)). `jaxfix.api` is the contract and the model of a
module, `jaxfix.api.analysis` follows values, effects and callers, `jaxfix.api.library` says what functions of libraries
do, and `jaxfix.testing` runs goldens. Nothing else of jaxfix is for others to import.
"""


def commands(declared: Mapping[str, tuple[str, Sequence[tuple[str, str]]]]) -> str:
    """The page of all commands: the purpose of each, and its options."""
    return "\n".join((_COMMANDS, *(_command(name, lead, options) for name, (lead, options) in declared.items())))


def schemas(written: Mapping[str, Mapping[str, Any]]) -> str:
    """The page of all schemas, by the name of their file in `docs/schema`."""
    return "\n".join((_SCHEMAS, *(_schema(name, schema) for name, schema in written.items())))


def modules() -> str:
    """The page of the public API."""
    return "\n".join((_MODULES, *(_module(import_module(name)) for name in MODULES)))


def _command(name: str, lead: str, options: Sequence[tuple[str, str]]) -> str:
    # a bar in code ends a cell for some readers of Markdown, and shows a backslash for others
    rows = "\n".join(f"| `{spelled.replace('|', '/')}` | {_cell(does)} |" for spelled, does in options)
    table = f"\n| option | does |\n|---|---|\n{rows}\n" if rows else ""
    return f"## `jaxfix {name}`\n\n{lead}\n{table}"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _schema(name: str, schema: Mapping[str, Any]) -> str:
    required = schema.get("required", ())
    rows = "\n".join(
        f"| `{key}` | {'always' if key in required else 'where it applies'} | {_kind(value)} |"
        for key, value in schema["properties"].items()
    )
    command = str(schema["title"]).partition(",")[0]
    lead = f"{schema['description']} The whole schema: [`{name}`](schema/{name})."
    return f"## `{command}`\n\n{lead}\n\n| property | is there | what it is |\n|---|---|---|\n{rows}\n"


def _kind(value: Mapping[str, Any]) -> str:
    item = value.get("items", {}) if value.get("type") == "array" else value
    described = value.get("description") or item.get("description") or _reference(item) or value.get("type", "")
    if "const" in value:
        return f"`{value['const']}`"
    return f"list: {described}" if item is not value else str(described)


def _reference(item: Mapping[str, Any]) -> str:
    return str(item["$ref"]).rpartition("/")[2] if "$ref" in item else ""


def _module(module: ModuleType) -> str:
    lead = (module.__doc__ or "").strip()
    names: tuple[str, ...] = tuple(getattr(module, "__all__", None) or _own(module))
    rows = "\n".join(f"| `{name}` | {_said(name, getattr(module, name))} |" for name in sorted(names))
    return f"## `{module.__name__}`\n\n{lead}\n\n| name | contract |\n|---|---|\n{rows}\n"


def _own(module: ModuleType) -> Iterator[str]:
    for name, value in vars(module).items():
        if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__:
            yield name


def _said(name: str, value: object) -> str:
    """The contract: the first paragraph of its own docstring; of a constant there is none."""
    if isinstance(value, UnionType):
        return "an alias"
    if not (callable(value) or isinstance(value, ModuleType)):
        return "a constant"
    text = dedent(getattr(value, "__doc__", None) or "").strip()
    if not text or text.startswith(f"{name}("):  # what `dataclass` makes up
        return "an alias"
    return _cell(text.partition("\n\n")[0])
