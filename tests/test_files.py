"""Finding, reading and writing files."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from jaxfix.drivers import files, installed, walking
from jaxfix.drivers.files import Replacement
from jaxfix.source.errors import ConfigError, SourceError, WriteError


def make(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x = 1\n")


def walked(folder: Path) -> list[str]:
    return [path.relative_to(folder.absolute()).as_posix() for path in walking.walk(folder).files]


def test_python_files_and_notebooks_come_in_the_order_of_their_paths(tmp_path: Path) -> None:
    make(tmp_path, "b.py", "a/z.py", "a/b.py", "c.txt", "d.pyi", "e.ipynb")
    assert walked(tmp_path) == ["a/b.py", "a/z.py", "b.py", "e.ipynb"]


def test_folders_of_tools_are_left_out(tmp_path: Path) -> None:
    make(
        tmp_path,
        *(f"{name}/x.py" for name in walking.SKIPPED_FOLDERS),
        "my/x.py",
        "own_venv/x.py",
        "own_venv/pyvenv.cfg",
    )
    assert walked(tmp_path) == ["my/x.py"]


def test_gitignore_is_respected_at_every_level(tmp_path: Path) -> None:
    make(tmp_path, "gen.py", "a/gen.py", "a/keep.py", "a/b/x.py", "a/b/y.py", "out/x.py")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("gen.py\n/out/\n")
    (tmp_path / "a" / ".gitignore").write_text("!gen.py\nb/x.py\n")
    assert walked(tmp_path) == ["a/b/y.py", "a/gen.py", "a/keep.py"]
    assert walked(tmp_path / "a") == ["b/y.py", "gen.py", "keep.py"]


def test_the_repository_s_gitignore_holds_in_a_folder_below_it(tmp_path: Path) -> None:
    make(tmp_path, "src/pkg/gen.py", "src/pkg/x.py")
    (tmp_path / ".git" / "info").mkdir(parents=True)
    (tmp_path / ".git" / "info" / "exclude").write_text("src/pkg/gen.py\n")
    assert walked(tmp_path / "src") == ["pkg/x.py"]


def test_an_ignored_folder_is_walked_if_it_is_named(tmp_path: Path) -> None:
    make(tmp_path, "out/deep/x.py", "build/y.py")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("out/\n")
    assert walked(tmp_path / "out" / "deep") == ["x.py"]
    assert walked(tmp_path / "build") == ["y.py"]


def test_loops_of_links_end_and_a_file_comes_once(tmp_path: Path) -> None:
    make(tmp_path, "a/real.py")
    (tmp_path / "a" / "loop").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "a" / "alias.py").symlink_to(tmp_path / "a" / "real.py")
    assert walked(tmp_path) == ["a/real.py"]


def test_extend_exclude_reads_as_gitignore(tmp_path: Path) -> None:
    make(tmp_path, "old/a.py", "new/a.py")
    assert walking.excluded(tmp_path / "old" / "a.py", tmp_path, ("old/",))
    assert not walking.excluded(tmp_path / "new" / "a.py", tmp_path, ("old/",))
    assert not walking.excluded(tmp_path / "old" / "a.py", tmp_path / "new", ("*",))
    with pytest.raises(ConfigError, match=r"pyproject.toml: .*`extend-exclude`: `!` is not a pattern"):
        walking.excluded(tmp_path / "old" / "a.py", tmp_path, ("old/", "!"))


@pytest.mark.parametrize("name", ["gone.py", "folder"])
def test_what_cannot_be_read_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(SourceError, match=name):
        files.read_bytes(tmp_path / name)


def test_writing_keeps_the_mode_and_leaves_nothing_beside(tmp_path: Path) -> None:
    make(tmp_path, "a.py")
    (tmp_path / "a.py").chmod(0o751)
    files.write_bytes(tmp_path / "a.py", b"y\r\n")
    assert (tmp_path / "a.py").read_bytes() == b"y\r\n"
    assert stat.S_IMODE((tmp_path / "a.py").stat().st_mode) == 0o751
    assert os.listdir(tmp_path) == ["a.py"]


def test_writing_through_a_link_keeps_the_link(tmp_path: Path) -> None:
    make(tmp_path, "deep/real.py")
    (tmp_path / "link.py").symlink_to(Path("deep") / "real.py")
    files.write_bytes(tmp_path / "link.py", b"y\n")
    assert (tmp_path / "link.py").is_symlink()
    assert (tmp_path / "deep" / "real.py").read_bytes() == b"y\n"


def test_a_pipe_takes_what_is_written_and_stays_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with ThreadPoolExecutor() as pool:
        read = pool.submit((tmp_path / "pipe").read_bytes)
        files.write_bytes(tmp_path / "pipe", b"y\n")
        assert read.result() == b"y\n"
    assert (tmp_path / "pipe").is_fifo() and os.listdir(tmp_path) == ["pipe"]


def test_a_new_file_has_the_mode_that_others_get(tmp_path: Path) -> None:
    make(tmp_path, "plain.py")
    files.write_bytes(tmp_path / "new.py", b"")
    assert files.mode_of(tmp_path / "new.py") == files.mode_of(tmp_path / "plain.py")


def test_a_read_only_file_is_refused_and_all_others_put_back(tmp_path: Path) -> None:
    make(tmp_path, "a.py", "b.py")
    (tmp_path / "b.py").chmod(0o444)
    wanted = [Replacement(tmp_path / name, b"x = 1\n", b"x = 2\n") for name in ("a.py", "b.py")]
    with pytest.raises(WriteError, match=r"b\.py: cannot be written: it is read-only; nothing was changed"):
        files.write_all(wanted)
    assert [(tmp_path / name).read_bytes() for name in ("a.py", "b.py")] == [b"x = 1\n"] * 2


def test_a_file_that_has_changed_since_it_was_read_stops_everything(tmp_path: Path) -> None:
    make(tmp_path, "a.py", "b.py")
    wanted = [Replacement(tmp_path / "a.py", b"x = 1\n", b""), Replacement(tmp_path / "b.py", b"old\n", b"")]
    with pytest.raises(WriteError, match=r"b\.py: has changed since jaxfix read it"):
        files.write_all(wanted)
    assert (tmp_path / "a.py").read_bytes() == b"x = 1\n"


def test_new_files_are_taken_back_with_their_folders(tmp_path: Path) -> None:
    make(tmp_path, "b.py")
    (tmp_path / "b.py").chmod(0o444)
    wanted = [
        Replacement(tmp_path / "new" / "deep" / "a.py", None, b""),
        Replacement(tmp_path / "b.py", b"x = 1\n", b""),
    ]
    with pytest.raises(WriteError):
        files.write_all(wanted)
    assert sorted(os.listdir(tmp_path)) == ["b.py"]


def test_the_project_root_is_gits_before_a_nearer_pyproject(tmp_path: Path) -> None:
    make(tmp_path, "sub/pyproject.toml", "sub/deep/x.py")
    assert files.project_root(tmp_path / "sub" / "deep" / "x.py") == tmp_path / "sub"
    (tmp_path / ".git").mkdir()
    assert files.project_root(tmp_path / "sub" / "deep") == tmp_path


def test_an_installed_package_is_found_without_importing_it(tmp_path: Path) -> None:
    make(tmp_path, "pkg/__init__.py", "pkg/_src/build/x.py", "pkg/_src/line.py", "single.py")
    (tmp_path / "pkg" / "__init__.py").write_text("raise SystemExit('imported')\n")
    found = {
        name: installed.find(name, (tmp_path / "nowhere", tmp_path)) for name in ("pkg", "pkg._src.line", "single")
    }
    assert [path.name for path in found["pkg"].files] == ["__init__.py", "x.py", "line.py"]  # type: ignore[union-attr]
    assert found["pkg._src.line"].files == (tmp_path / "pkg" / "_src" / "line.py",)  # type: ignore[union-attr]
    assert found["pkg._src.line"].package == "pkg"  # type: ignore[union-attr]
    assert found["single"].files == (tmp_path / "single.py",)  # type: ignore[union-attr]


def test_a_namespace_package_comes_after_a_regular_one(tmp_path: Path) -> None:
    make(tmp_path, "first/space/part.py", "second/space/__init__.py")
    found = installed.find("space", (tmp_path / "first", tmp_path / "second"))
    assert found is not None and found.location == tmp_path / "second"
    found = installed.find("space", (tmp_path / "first",))
    assert found is not None and [path.name for path in found.files] == ["part.py"]


@pytest.mark.parametrize("name", ["nowhere", "pkg.gone", "a-b", "../pkg", ""])
def test_what_is_not_installed_is_not_found(tmp_path: Path, name: str) -> None:
    make(tmp_path, "pkg/__init__.py")
    assert installed.find(name, (tmp_path,)) is None


def test_a_path_in_site_packages_is_an_installed_module(tmp_path: Path) -> None:
    make(tmp_path, "site-packages/pkg/__init__.py", "site-packages/pkg/sub/__init__.py", "own/x.py")
    place = tmp_path / "site-packages"
    assert installed.holding(tmp_path / "own" / "x.py") is None
    found = installed.holding(place / "pkg" / "sub" / "__init__.py")
    assert found is not None and (found.name, found.location) == ("pkg.sub", place)


def test_what_is_no_file_is_named_and_the_rest_walked(tmp_path: Path) -> None:
    make(tmp_path, "a.py", "dir.py/b.py")
    (tmp_path / "loop.py").symlink_to("loop.py")
    (tmp_path / "gone.py").symlink_to("nowhere.py")
    (tmp_path / "again.py").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / ".#a.py").symlink_to("me@here.1234:5678")
    (tmp_path / ".gitignore").write_text("!\nmine.py\n")
    (tmp_path / ".git").mkdir()
    (tmp_path / "mine.py").symlink_to("nowhere.py")
    os.mkfifo(tmp_path / "pipe.py")
    found = walking.walk(tmp_path)
    assert found.files == (tmp_path / "a.py", tmp_path / "dir.py" / "b.py")
    assert [error.rpartition("/")[2] for error in found.errors] == [
        "gone.py: is a link to nothing",
        "loop.py: cannot be read: too many levels of symbolic links",
        "pipe.py: is not a regular file",
    ]


@pytest.mark.parametrize("name", [".gitignore", ".git/info/exclude"])
def test_nobody_waits_for_a_pipe(tmp_path: Path, name: str) -> None:
    make(tmp_path, "a.py", ".git/info/x")
    os.mkfifo(tmp_path / name)
    assert walked(tmp_path) == ["a.py"]


def test_what_stands_at_a_path_is_told_apart_from_what_cannot_be_seen(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("")
    (tmp_path / "gone.py").symlink_to("nowhere.py")
    assert files.stands(tmp_path / "a.py")
    assert not files.stands(tmp_path / "b.py")
    assert not files.stands(tmp_path / "a.py" / "b")
    for path, reason in ((tmp_path / "gone.py", "a link to nothing"), (tmp_path / ("x" * 300), "name too long")):
        with pytest.raises(SourceError, match=reason):
            files.stands(path)


def test_a_path_is_shown_by_its_shorter_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tmp_path / "a" / "b" / "c"
    deep.mkdir(parents=True)
    monkeypatch.chdir(deep)
    assert files.shown(deep / "train.py") == "train.py"
    assert files.shown(deep.parent / "train.py") == "../train.py"
    assert files.shown(Path("/x.py")) == "/x.py"
    assert files.relative("/x.py") == os.path.relpath("/x.py")


@pytest.mark.parametrize(
    ("names", "version"),
    [
        (["jax-0.4.30.dist-info", "jaxlib-0.4.31.dist-info"], (0, 4, 30)),
        (["jax_privacy-1.0.dist-info", "jax-0.7.0.dev20250601.dist-info"], (0, 7, 0)),
        (["Jax-0.6.dist-info"], (0, 6)),
        (["jax", "jaxtyping-0.3.dist-info"], None),
    ],
)
def test_a_version_is_read_from_the_names_of_files(
    tmp_path: Path, names: list[str], version: tuple[int, ...] | None
) -> None:
    for name in names:
        (tmp_path / "second" / name).mkdir(parents=True)
    assert installed.version("jax", [tmp_path / "first", tmp_path / "second"]) == version
