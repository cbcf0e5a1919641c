"""The table of removed names, as a page."""

from collections.abc import Iterable, Iterator

from jaxfix.library.changes.row import Keyword, Life, Meaning, Method, Name, Positional, Row, Way
from jaxfix.library.changes.table import ROWS

_LEAD = """\
# What newer versions removed

What [`removed-api`](codemods/removed-api.md) and [`jaxfix upgrade`](upgrade.md) know. *Alias*: another name of the same
thing, or of a function that only calls it. *Type*: an alias in annotations, another type elsewhere. *Rewrite*: other
code, which a rerun has to prove. *legacy-parallelism*: other code, which [that
codemod](codemods/legacy-parallelism.md) writes where it can. *By hand*: no rule, but [steps](by-hand.md). Versions are
those of the package that a name begins with; an empty place says that no version warns, or that none has removed it.
`python -m benchmarks.upgrade table` checks the rows in the versions that are
installed ([figures](evidence/upgrade.md)).
"""
_HEAD = "| {} | in its place | way | deprecated | gone | new since |\n|---|---|---|---|---|---|"


def page() -> str:
    """The whole page."""
    names = [row for row in ROWS if isinstance(row, Name)]
    others = [row for row in ROWS if isinstance(row, Keyword | Positional | Method)]
    parts = [_LEAD]
    for package in dict.fromkeys(row.old.partition(".")[0] for row in names):
        own = [row for row in names if row.old.startswith(f"{package}.")]
        parts.append(f"## Names of `{package}`\n\n{_HEAD.format('name')}\n{_lines(own)}\n")
    parts.append(f"## Arguments and methods\n\n{_HEAD.format('argument or method')}\n{_lines(others)}\n")
    meanings = [row for row in ROWS if isinstance(row, Meaning)]
    told = "\n".join(f"| `{row.function}` | {row.what} | {row.since} | {row.steps} |" for row in meanings)
    lead = "Only `jaxfix upgrade` reports these, for code of an earlier version."
    parts.append(
        f"## Another meaning\n\n{lead}\n\n| function | what | since | what to do |\n|---|---|---|---|\n{told}\n"
    )
    return "\n".join(parts)


def _lines(rows: Iterable[Row]) -> str:
    return "\n".join(line for row in rows for line in _line(row))


def _line(row: Row) -> Iterator[str]:
    match row:
        case Name(old=old, new=new, way=way, life=life, steps=steps):
            yield _cells(f"`{old}`", f"`{_plain(new)}`" if new and way is not Way.PARALLEL else steps, way.value, life)
        case Keyword(function=function, old=old, new=new, way=way, life=life, steps=steps):
            told = f"`{new}=`" if new else steps or "the first argument"
            yield _cells(f"`{function}({old}=)`", told, way.value, life)
        case Positional(function=function, first=first, names=names, life=life):
            named = ", ".join(f"`{name}=`" for name in names)
            yield _cells(f"`{function}`, from position {first} on", named, "alias", life)
        case Method(old=old, new=new, life=life):
            yield _cells(f"`jax.Array.{old}`", f"`{_plain(new)}`", "rewrite", life)


def _cells(old: str, new: str, way: str, life: Life) -> str:
    return f"| {old} | {new} | {way} | {life.deprecated} | {life.removed} | {life.since} |"


def _plain(template: str) -> str:
    """A template without its marks: names as they are, arguments by their names."""
    text = template.replace("{@", "").replace("[[", "").replace("]]", "").replace("|True", "")
    return text.replace("{", "").replace("}", "")
