"""Which functions a change of a file changes, adds, removes and renames. Pure."""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence

from jaxfix.source.errors import SourceError
from jaxfix.source.frozen import frozen

MODULE = "<module>"
_PER_THREAD = ("local", "ContextVar")
Definition = ast.FunctionDef | ast.AsyncFunctionDef
Definitions = Mapping[str, Sequence[Definition]]


@frozen
class Differences:
    """The differences of two texts of a file, by qualified name; of nested functions the outermost.

    Attributes:
      changed: functions that both have, and `<module>` where other statements than new imports differ, or where a new
        function takes a name that was used before.
      renamed: old and new name of functions that are otherwise the same.
      classes: what is another one beside its methods, as its bases, decorators or fields.
      is_per_thread: whether what makes variables of each thread, or of each context, comes, goes or changes.
    """

    changed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    classes: tuple[str, ...] = ()
    is_per_thread: bool = False


def differences(path: str, before: bytes | str, after: bytes | str) -> Differences:
    """What the change of a file has changed; nothing where only comments and layout differ.

    Raises:
      SourceError: one of the texts does not parse.
    """
    trees = _parsed(f"{path} before the change", before), _parsed(f"{path} after the change", after)
    old, new = map(definitions, trees)
    shared = [name for name in old if name in new]
    changed = _outermost([name for name in shared if _dumped(old[name]) != _dumped(new[name])])
    removed = _outermost([name for name in old if name not in new], changed)
    added = _outermost([name for name in new if name not in old], changed)
    renamed = tuple(_renamed(old, new, removed, added))
    gone, come = {name for name, _ in renamed}, {name for _, name in renamed}
    return Differences(
        (*changed, *([MODULE] if _module_differs(*trees) or _takes_names(trees[0], added) else [])),
        tuple(name for name in added if name not in come),
        tuple(name for name in removed if name not in gone),
        renamed,
        tuple(_classes(*trees)),
        _per_thread(trees[0]) != _per_thread(trees[1]),
    )


def line_of(text: bytes | str, qualname: str) -> int:
    """The line of the first definition of that name; 1 where there is none."""
    found = definitions(ast.parse(text)).get(qualname)
    return found[0].lineno if found else 1


def _parsed(named: str, text: bytes | str) -> ast.Module:
    try:
        return ast.parse(text)
    except SyntaxError as error:
        raise SourceError(named, f"it does not parse: {error.msg} (line {error.lineno})") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise SourceError(named, f"it does not parse: {error}") from error


def definitions(tree: ast.Module) -> Definitions:
    """The functions by qualified name; several where a name is defined again."""
    found: dict[str, list[Definition]] = {}
    for name, definition in _walked(tree, ""):
        found.setdefault(name, []).append(definition)
    return found


def _walked(node: ast.AST, prefix: str) -> Iterator[tuple[str, Definition]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Definition):
            yield prefix + child.name, child
            yield from _walked(child, f"{prefix}{child.name}.<locals>.")
        else:
            yield from _walked(child, f"{prefix}{child.name}." if isinstance(child, ast.ClassDef) else prefix)


def _outermost(names: Sequence[str], others: Iterable[str] = ()) -> tuple[str, ...]:
    around = [f"{name}." for name in (*names, *others)]
    return tuple(name for name in names if not name.startswith(tuple(around)))


def _dumped(definitions: Iterable[ast.AST]) -> list[str]:
    return [ast.dump(definition) for definition in definitions]


def _renamed(
    old: Definitions, new: Definitions, removed: Iterable[str], added: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Pairs of a removed and an added function that differ by their names alone, each in at most one pair."""
    left = {name: _nameless(new[name]) for name in added}
    for name in removed:
        own = _nameless(old[name])
        other = next((other for other, dumped in left.items() if dumped == own), None)
        if other is not None:
            del left[other]
            yield name, other


def _nameless(definitions: Iterable[Definition]) -> list[tuple[str, ...]]:
    """What functions are except their names."""
    return [
        (type(node).__name__, ast.dump(node.args), *_dumped(node.decorator_list), *_dumped(node.body))
        for node in definitions
    ]


def _takes_names(old: ast.Module, added: Iterable[str]) -> bool:
    known = _known(old)
    return any(name in known for name in added)


def _known(tree: ast.Module) -> set[str]:
    """All names that are bound or read somewhere in the text."""
    return {name for node in ast.walk(tree) for name in _names(node)}


def _module_differs(old: ast.Module, new: ast.Module) -> bool:
    """Whether statements outside of functions differ; an import of names that nothing has used yet does not count."""
    known = _known(old)
    statements = set(_statements(old))
    kept = [text for text, node in _nodes(new) if text in statements or not _is_new_import(node, known)]
    return list(_statements(old)) != kept


def _classes(old: ast.Module, new: ast.Module) -> Iterator[str]:
    """The classes of the top level that are made otherwise: a new constant alone does not count."""
    known = {node.name: node for node in new.body if isinstance(node, ast.ClassDef)}
    for node in [node for node in old.body if isinstance(node, ast.ClassDef) and node.name in known]:
        if _is_made_otherwise(node, known[node.name]):
            yield node.name


def _per_thread(tree: ast.Module) -> list[str]:
    """What is called, or is a base, and is named as `threading.local` or `contextvars.ContextVar` are."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call | ast.ClassDef)]
    made = [part for node in calls for part in ([node.func] if isinstance(node, ast.Call) else node.bases)]
    return sorted(ast.unparse(part) for part in made if ast.unparse(part).rpartition(".")[2] in _PER_THREAD)


def _is_made_otherwise(old: ast.ClassDef, new: ast.ClassDef) -> bool:
    heads = [[*one.decorator_list, *one.bases, *one.keywords] for one in (old, new)]
    held = [text for text, _ in _held(old)]
    added = [part for text, part in _held(new) if text not in held]
    kept = [text for text, _ in _held(new) if text in held]
    is_plain = not heads[1] and all(map(_is_constant, added))
    return _dumped(heads[0]) != _dumped(heads[1]) or kept != held or not (is_plain or not added)


def _held(node: ast.ClassDef) -> list[tuple[str, ast.AST]]:
    """The statements of a class except its methods and its text."""
    parts = [part for part in node.body if not isinstance(part, Definition | ast.Expr)]
    return [(ast.dump(part), part) for part in parts]


def _is_constant(node: ast.AST) -> bool:
    names = [part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)]
    return isinstance(node, ast.Assign | ast.AnnAssign) and not any(name.startswith("__") for name in names)


def _names(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(id=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.alias(name=name, asname=bound):
            yield bound or name.partition(".")[0]


def _is_new_import(node: ast.AST, known: set[str]) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom) and not any(
        name in known or name == "*" for alias in node.names for name in _names(alias)
    )


def _statements(tree: ast.Module) -> list[str]:
    return [text for text, _ in _nodes(tree)]


def _nodes(tree: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """The statements outside of functions, those of classes among them."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Definition):
            continue
        if isinstance(node, ast.ClassDef):
            yield f"class {node.name}{[ast.dump(part) for part in (*node.bases, *node.keywords)]}", node
            yield from ((ast.dump(part), part) for part in node.decorator_list)
            yield from _nodes(ast.Module(node.body, []))
        else:
            yield ast.dump(node), node
