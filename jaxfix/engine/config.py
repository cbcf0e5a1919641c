"""`[tool.jaxfix]` and the options that override it: bytes in, `Config` out."""

from collections.abc import Iterable
from dataclasses import replace
from fnmatch import fnmatchcase

from jaxfix.report.finding import Change
from jaxfix.semantic.codemod import Codemod
from jaxfix.source.errors import ConfigError
from jaxfix.source.frozen import frozen

KEYS = ("select", "ignore", "extend-exclude", "per-file-ignores", "run", "helper", "baseline")


@frozen
class Config:
    """What a project, or the command line, asks for.

    Attributes:
      select: ids of the codemods that run; None for all.
      ignore: ids of those that do not.
      extend_exclude: patterns as in `.gitignore`, relative to the folder of the pyproject.toml.
      per_file_ignores: pairs of a glob and the ids that do not run on the files that it matches.
      run: the program that shows what a fix is worth, as a shell command line.
      helper: where the generated helper file stands, from the folder of the pyproject.toml; None for beside the code.
      baseline: the file of the findings that are known, from the folder of the pyproject.toml.
    """

    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    extend_exclude: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    run: str | None = None
    helper: str | None = None
    baseline: str | None = None


def parse(raw: bytes, path: str, known: Iterable[str]) -> Config | None:
    """Reads `[tool.jaxfix]` of the pyproject.toml `path`; None if it has no such table.

    Raises:
      ConfigError: not TOML, an unknown key, a value of the wrong type, or an id that is not in `known`.
    """
    import tomllib

    try:
        document = tomllib.loads(raw.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from error
    except RecursionError as error:
        raise ConfigError(f"{path}: nested too deeply to be read") from error
    tool = document.get("tool")
    if not isinstance(tool, dict) or "jaxfix" not in tool:
        return None
    place = f"{path}: `[tool.jaxfix]`"
    table = _table(tool["jaxfix"], place)
    for key in table:
        if key not in KEYS:
            raise ConfigError(f"{place} has no key `{key}`", hint=_nearest(key, KEYS, "keys"))
    config = Config(
        select=_strings(table["select"], f"{place} `select`") if "select" in table else None,
        ignore=_strings(table.get("ignore", []), f"{place} `ignore`"),
        extend_exclude=_strings(table.get("extend-exclude", []), f"{place} `extend-exclude`"),
        per_file_ignores=tuple(
            (glob, _strings(ids, f"{place} `per-file-ignores` of `{glob}`"))
            for glob, ids in _table(table.get("per-file-ignores", {}), f"{place} `per-file-ignores`").items()
        ),
        run=_text(table.get("run"), f"{place} `run`", 'write a command line, such as `run = "python train.py"`'),
        helper=_text(table.get("helper"), f"{place} `helper`", 'name a file, such as `helper = "project/fast.py"`'),
        baseline=_text(table.get("baseline"), f"{place} `baseline`", 'name a file, such as `baseline = "known.json"`'),
    )
    known = tuple(known)
    for key, ids in _mentioned(config):
        check_ids(ids, known, f"{place} `{key}`")
    return config


def overridden(config: Config, select: tuple[str, ...] | None, ignore: tuple[str, ...]) -> Config:
    """`config` under `--select` and `--ignore`: a selection starts afresh, without one `--ignore` is added."""
    if select is not None:
        return replace(config, select=select, ignore=ignore)
    return replace(config, ignore=(*config.ignore, *ignore))


def enabled(config: Config, codemods: Iterable[Codemod], relative_path: str) -> tuple[Codemod, ...]:
    """The codemods that run on the file at `relative_path` (with `/`, from the folder of the pyproject.toml)."""
    silent = set(config.ignore)
    for glob, ids in config.per_file_ignores:
        if _matches(relative_path, glob):
            silent.update(ids)
    return tuple(
        codemod
        for codemod in codemods
        if codemod.id not in silent and (config.select is None or codemod.id in config.select)
    )


def asked(config: Config) -> tuple[Change, ...]:
    """The changes that the selection asks for by naming a codemod."""
    return tuple(change for change in Change if change.value in {f"--select {name}" for name in config.select or ()})


def check_ids(ids: Iterable[str], known: tuple[str, ...], place: str) -> None:
    """Raises ConfigError for the first of `ids` that no codemod has, with the nearest that one has."""
    for name in ids:
        if name not in known:
            raise ConfigError(f"{place}: no codemod is called `{name}`", hint=_nearest(name, known, "codemods"))


def _nearest(name: str, known: tuple[str, ...], kind: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=1, cutoff=0.5)
    if near:
        return f"did you mean `{near[0]}`?"
    return f"the {kind} are {', '.join(f'`{entry}`' for entry in sorted(known))}" if known else f"there are no {kind}"


def _mentioned(config: Config) -> Iterable[tuple[str, tuple[str, ...]]]:
    yield "select", config.select or ()
    yield "ignore", config.ignore
    for glob, ids in config.per_file_ignores:
        yield f"per-file-ignores.{glob}", ids


def _table(value: object, place: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise ConfigError(f"{place} is {_kind(value)}, not a table")
    return value


def _strings(value: object, place: str) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise ConfigError(f"{place} is {_kind(value)}, not an array of strings")
    for item in value:
        if not isinstance(item, str):
            raise ConfigError(f"{place} holds {_kind(item)}, not only strings")
    return tuple(value)


def _text(value: object, place: str, hint: str) -> str | None:
    if isinstance(value, str) and "\0" in value:
        raise ConfigError(f"{place} holds a null character", hint=hint)
    if value is None or (isinstance(value, str) and value.strip()):
        return value
    if isinstance(value, str):
        raise ConfigError(f"{place} is empty", hint=hint)
    raise ConfigError(f"{place} is {_kind(value)}, not a string")


def _kind(value: object) -> str:
    names = {
        bool: "a boolean",
        int: "an integer",
        float: "a number",
        str: "a string",
        list: "an array",
        dict: "a table",
    }
    return names.get(type(value), "a date")


def _matches(path: str, glob: str) -> bool:
    """As ruff: the glob speaks of the path from the project's folder, or of the file's name alone."""
    name = path.rpartition("/")[2]
    return fnmatchcase(path, glob) or fnmatchcase(f"/{path}", glob) or fnmatchcase(name, glob)
