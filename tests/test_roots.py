"""Where the imports of a project start: what its folders say, and what its files say against them."""

from pathlib import Path

import pytest

from jaxfix.drivers.installed import Installed
from jaxfix.drivers.roots import Roots
from jaxfix.drivers.surroundings import placed


def name_of(tmp_path: Path, sources: dict[str, str], path: str) -> tuple[str | None, str]:
    """The dotted name of one of the files, and that of the helper file which it would import from."""
    tmp_path.mkdir(exist_ok=True)
    (tmp_path / "pyproject.toml").write_text("")
    for name, text in sources.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    roots = Roots([((tmp_path / name).resolve(), text.encode()) for name, text in sources.items()])
    found = placed(tmp_path / path, None, roots)
    return found.name, found.helper.module


@pytest.mark.parametrize(
    ("path", "name", "helper"),
    [
        ("train.py", "train", "jaxfix_helpers"),
        ("lib/__init__.py", "lib", "lib.jaxfix_helpers"),
        ("lib/deep/__init__.py", "lib.deep", "lib.jaxfix_helpers"),
        ("lib/deep/mod.py", "lib.deep.mod", "lib.jaxfix_helpers"),
        ("src/lib/__init__.py", "lib", "lib.jaxfix_helpers"),
        ("src/space/lib/__init__.py", "space.lib", "space.lib.jaxfix_helpers"),
        ("src/run.py", "run", "jaxfix_helpers"),
        ("not-a-name.py", None, "jaxfix_helpers"),
    ],
)
def test_folders_say_where_imports_start(tmp_path: Path, path: str, name: str | None, helper: str) -> None:
    sources = {folder + "/__init__.py": "" for folder in ("lib", "lib/deep", "src/lib", "src/space/lib")}
    assert name_of(tmp_path, sources | {path: ""}, path) == (name, helper)


@pytest.mark.parametrize(
    ("path", "name", "helper"),
    [("train.py", "train", "jaxfix_helpers"), ("model.py", "model", "jaxfix_helpers")],
)
def test_a_package_in_name_alone_is_a_folder_of_scripts(tmp_path: Path, path: str, name: str, helper: str) -> None:
    sources = {"exp/__init__.py": "", "exp/train.py": "import jax\nfrom model import f\n", "exp/model.py": ""}
    assert name_of(tmp_path, sources, f"exp/{path}") == (name, helper)


@pytest.mark.parametrize(("line", "name"), [("", "train"), ("from . import model", "{folder}.train")])
def test_a_project_is_no_package_unless_its_files_say_so(tmp_path: Path, line: str, name: str) -> None:
    sources = {"__init__.py": "", "train.py": f"{line}\n", "model.py": ""}
    assert name_of(tmp_path / "proj", sources, "train.py")[0] == name.format(folder="proj")


@pytest.mark.parametrize(
    "line", ["from . import other", "from .other import f", "import lib.other", "from lib import f"]
)
def test_a_module_named_like_a_library_makes_no_package_flat(tmp_path: Path, line: str) -> None:
    sources = {
        "lib/__init__.py": "",
        "lib/backend/__init__.py": "",
        "lib/backend/torch.py": "import torch\n",
        "lib/backend/other.py": "import torch\n",
        "lib/base.py": f"{line}\n",
        "lib/other.py": "",
    }
    assert name_of(tmp_path, sources, "lib/backend/other.py") == ("lib.backend.other", "lib.jaxfix_helpers")


def test_a_namespace_package_is_known_by_those_who_import_it(tmp_path: Path) -> None:
    sources = {
        "space/lib/__init__.py": "",
        "space/lib/mod.py": "from . import other\n",
        "space/lib/other.py": "",
        "tests/test_mod.py": "import space.lib.mod as mod\n",
    }
    assert name_of(tmp_path, sources, "space/lib/mod.py") == ("space.lib.mod", "space.lib.jaxfix_helpers")
    assert name_of(tmp_path, sources, "tests/test_mod.py") == ("test_mod", "jaxfix_helpers")


def test_folders_without_packages_may_be_imported_too(tmp_path: Path) -> None:
    sources = {
        "model/net.py": "",
        "model/run.py": "if __name__ == '__main__':\n    pass\n",
        "train.py": "import model.net\n",
    }
    assert name_of(tmp_path, sources, "model/net.py") == ("model.net", "model.jaxfix_helpers")
    sources["train.py"] += "from model import run\n"
    assert name_of(tmp_path, sources, "model/run.py") == ("run", "jaxfix_helpers")


def test_a_script_that_imports_what_stands_beside_it_stays_one(tmp_path: Path) -> None:
    sources = {"exp/train.py": "import net\n", "exp/net.py": "", "all.py": "from exp import train\n"}
    assert name_of(tmp_path, sources, "exp/train.py") == ("train", "jaxfix_helpers")


def test_a_folder_of_a_package_without_a_project_belongs_to_the_package(tmp_path: Path) -> None:
    place = tmp_path.resolve()
    sources = {"lib/__init__.py": "", "lib/_src/mod.py": "from lib._src import other\n", "lib/_src/other.py": ""}
    for name, text in sources.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    roots = Roots([(place / name, text.encode()) for name, text in sources.items()])
    found = placed(place / "lib/_src/mod.py", None, roots)
    assert (found.name, found.helper.module) == ("lib._src.mod", "lib.jaxfix_helpers")


def test_a_script_that_imports_the_package_it_stands_in_is_a_part_of_it(tmp_path: Path) -> None:
    test = "from lib._src import mod\nif __name__ == '__main__':\n  mod.f()\n"
    sources = {"lib/__init__.py": "", "lib/_src/mod.py": "", "lib/_src/mod_test.py": test}
    assert name_of(tmp_path, sources, "lib/_src/mod_test.py") == ("lib._src.mod_test", "lib.jaxfix_helpers")


def test_what_lies_outside_of_the_project_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    inner = tmp_path / "inner"
    inner.mkdir()
    sources = {"mod.py": "import lib.mod\n"}
    assert name_of(inner, sources, "mod.py") == ("mod", "jaxfix_helpers")


@pytest.mark.parametrize(
    ("regular", "helper"),
    [
        ((), "space.jaxfix_helpers"),
        (("space/lib",), "space.lib.jaxfix_helpers"),
        (("space", "space/lib"), "space.jaxfix_helpers"),
    ],
)
def test_what_is_installed_starts_where_it_is_installed(tmp_path: Path, regular: tuple[str, ...], helper: str) -> None:
    location = tmp_path / "site-packages"
    path = location / "space" / "lib" / "mod.py"
    path.parent.mkdir(parents=True)
    for folder in regular:
        (location / folder / "__init__.py").write_text("")
    found = placed(path, Installed("space.lib", location, (path,)), Roots(()))
    assert (found.name, found.helper.module) == ("space.lib.mod", helper)
    assert found.helper.path == location.joinpath(*helper.split(".")).with_suffix(".py")


def test_an_installed_module_of_one_file_has_it_beside_it(tmp_path: Path) -> None:
    found = placed(tmp_path / "mod.py", Installed("mod", tmp_path, (tmp_path / "mod.py",)), Roots(()))
    assert (found.name, found.helper.path) == ("mod", tmp_path / "jaxfix_helpers.py")
