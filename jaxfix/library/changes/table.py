"""What is asked of the table of changes."""

from collections.abc import Mapping

from jaxfix.library.changes import around, jax_internals, jax_modules, jax_names, later, meanings_around, members
from jaxfix.library.changes.row import Keyword, Meaning, Method, Name, Positional, Row

NAMES: tuple[Name, ...] = (*jax_names.NAMES, *jax_modules.NAMES, *jax_internals.NAMES, *later.NAMES, *around.NAMES)
MEANINGS: tuple[Meaning, ...] = (*members.MEANINGS, *meanings_around.MEANINGS)
ROWS: tuple[Row, ...] = (*NAMES, *members.KEYWORDS, *members.POSITIONAL, *members.METHODS, *MEANINGS)
NAMED: Mapping[str, Name] = {row.old: row for row in NAMES}
"""The names that are gone or going, by their canonical name."""
REPLACED_MODULES: Mapping[str, str] = {"jax.config": "jax.config.config"}
"""Modules whose names objects have now, so that importing them raises; each with the row about it."""
CHANGED_LIBRARIES = tuple(sorted({row.old.partition(".")[0] for row in around.NAMES}))
"""The packages around jax that it has rows of."""
IMPORTED_APART = (
    *("jax.extend.core", "jax.extend.backend", "jax.extend.random", "jax.export", "jax.ffi"),
    *("jax.example_libraries.stax", "jax.example_libraries.optimizers"),
)
"""Modules that `import jax` does not load."""


def trigger(row: Row) -> str:
    """A dotted name whose last part is the word that a file has to mention for the row to be about it."""
    match row:
        case Name(old=old):
            return old
        case Method(old=old):
            return f"jax.Array.{old}"
        case Keyword(function=function, old=old) if len(old) > 1:
            return f"{function}.{old}"
        case Keyword(function=function) | Positional(function=function) | Meaning(function=function):
            return function


def _by_word() -> dict[str, tuple[Row, ...]]:
    found: dict[str, tuple[Row, ...]] = {}
    for row in ROWS:
        word = trigger(row).rpartition(".")[2]
        found[word] = (*found.get(word, ()), row)
    return found


BY_WORD: Mapping[str, tuple[Row, ...]] = _by_word()
WORDS = frozenset(BY_WORD)
TRIGGERS = tuple(dict.fromkeys(map(trigger, ROWS)))
