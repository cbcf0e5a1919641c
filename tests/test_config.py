"""`[tool.jaxfix]` and the options over it."""

import pytest

from jaxfix.engine.config import Config, enabled, overridden, parse
from jaxfix.report.finding import Equality, Safety
from jaxfix.semantic.codemod import Codemod
from jaxfix.source.errors import ConfigError

KNOWN = ("weak-state", "static-exponent", "local-loop-function")
CODEMODS = tuple(Codemod(name, ("jax.jit",), Safety.SAFE, Equality.BITWISE, lambda module: iter(())) for name in KNOWN)


def read(body: str) -> Config | None:
    return parse(f"[tool.jaxfix]\n{body}".encode(), "pyproject.toml", KNOWN)


def ids(config: Config, path: str = "train.py") -> list[str]:
    return [codemod.id for codemod in enabled(config, CODEMODS, path)]


def test_every_key_is_read() -> None:
    config = read(
        'select = ["weak-state", "static-exponent"]\nignore = ["static-exponent"]\nextend-exclude = ["old/"]\n'
        'run = "python train.py"\n[tool.jaxfix.per-file-ignores]\n"tests/*" = ["weak-state"]\n'
    )
    assert config == Config(
        select=("weak-state", "static-exponent"),
        ignore=("static-exponent",),
        extend_exclude=("old/",),
        per_file_ignores=(("tests/*", ("weak-state",)),),
        run="python train.py",
    )


def test_a_pyproject_without_the_table_says_nothing() -> None:
    assert parse(b"[project]\nname = 'x'\n", "pyproject.toml", KNOWN) is None


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('selct = ["weak-state"]', "has no key `selct`; did you mean `select`?"),
        ('colour = "red"', "has no key `colour`; the keys are `baseline`, `extend-exclude`, `helper`, `ignore`, "),
        ('select = ["weak-stat"]', "no codemod is called `weak-stat`; did you mean `weak-state`?"),
        ('ignore = ["zzz"]', "`ignore`: no codemod is called `zzz`; the codemods are `local-loop-function`"),
        ('select = "weak-state"', "`select` is a string, not an array of strings"),
        ("ignore = [true]", "`ignore` holds a boolean, not only strings"),
        ("run = 3", "`run` is an integer, not a string"),
        ("helper = 3", "`helper` is an integer, not a string"),
        ('helper = ""', "`helper` is empty; name a file, such as"),
        ('run = " "', "`run` is empty"),
        ('helper = "a\\u0000.py"', "`helper` holds a null character"),
        ("per-file-ignores = []", "`per-file-ignores` is an array, not a table"),
        ('[tool.jaxfix.per-file-ignores]\n"a.py" = ["weak-sate"]', "did you mean `weak-state`?"),
    ],
)
def test_what_cannot_be_meant_is_named(body: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(body)
    assert message in str(caught.value)
    assert str(caught.value).startswith("pyproject.toml: `[tool.jaxfix]`")


@pytest.mark.parametrize("raw", [b"[tool.jaxfix", b"x = '\xff'"])
def test_broken_toml_is_named(raw: bytes) -> None:
    with pytest.raises(ConfigError, match=r"pyproject\.toml: not valid TOML"):
        parse(raw, "pyproject.toml", KNOWN)


def test_toml_that_is_nested_too_deeply_is_named() -> None:
    with pytest.raises(ConfigError, match="nested too deeply"):
        parse(b"x = " + b"[" * 50_000, "pyproject.toml", KNOWN)


def test_jaxfix_as_something_else_than_a_table_is_named() -> None:
    with pytest.raises(ConfigError, match="not a table"):
        parse(b"[tool]\njaxfix = 1\n", "pyproject.toml", KNOWN)


def test_without_a_word_every_codemod_runs_in_its_own_order() -> None:
    assert ids(Config()) == list(KNOWN)


def test_ignore_wins_over_select() -> None:
    assert ids(Config(select=KNOWN[:2], ignore=KNOWN[:1])) == ["static-exponent"]


@pytest.mark.parametrize("path", ["tests/a.py", "tests/deep/a.py"])
def test_per_file_ignores_match_the_path(path: str) -> None:
    assert ids(Config(per_file_ignores=(("tests/*", KNOWN[:2]),)), path) == ["local-loop-function"]


@pytest.mark.parametrize("glob", ["conftest.py", "**/conftest.py", "conf*.py"])
def test_per_file_ignores_match_the_name_and_the_root(glob: str) -> None:
    config = Config(per_file_ignores=((glob, KNOWN),))
    assert ids(config, "conftest.py") == []
    assert ids(config, "a/conftest.py") == []
    assert ids(config, "a/train.py") == list(KNOWN)


def test_a_selection_on_the_command_line_starts_afresh() -> None:
    config = Config(select=KNOWN[:1], ignore=KNOWN[1:])
    assert ids(overridden(config, KNOWN[1:], ())) == list(KNOWN[1:])


def test_ignore_on_the_command_line_is_added() -> None:
    assert ids(overridden(Config(ignore=KNOWN[:1]), None, KNOWN[1:2])) == ["local-loop-function"]


def test_per_file_ignores_hold_under_a_selection() -> None:
    config = Config(per_file_ignores=(("train.py", KNOWN[:1]),))
    assert ids(overridden(config, KNOWN, ())) == list(KNOWN[1:])
