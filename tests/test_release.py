"""What a release needs: one version, one place for an address that is not there yet, a recipe that agrees."""

import json
import re
import runpy
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import pytest
import yaml

from jaxfix import __version__

pytest.importorskip("hatchling")
ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTENSION = ROOT / "editors" / "vscode" / "package.json"
RECIPE = ROOT / "packaging" / "conda" / "recipe.yaml"
MARK = "# the address goes here: `.ci/address URL`"
without_address = pytest.mark.skipif("urls" in PROJECT, reason="the address is there")


def listed(*patterns: str) -> list[Path]:
    done = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in done.stdout.splitlines()]


def test_one_version_is_named_everywhere() -> None:
    lock = json.loads(EXTENSION.with_name("package-lock.json").read_text())
    named = {
        "extension": json.loads(EXTENSION.read_text())["version"],
        "its lock": lock["version"],
        "citation": yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"],
        "recipe": yaml.safe_load(RECIPE.read_text())["context"]["version"],
        "hooks and actions": re.findall(r"v(\d+\.\d+\.\d+)", (ROOT / "docs" / "integrations.md").read_text())[0],
    }
    assert set(named.values()) == {__version__}, named


def test_the_changelog_dates_the_version_and_has_a_place_for_the_next() -> None:
    headings = re.findall(
        r"^## \[(.+?)\](?: - (\S+))?$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    dated = str(yaml.safe_load((ROOT / "CITATION.cff").read_text())["date-released"])
    assert headings[0] == ("Unreleased", "") and headings[1] == (__version__, dated)


def test_the_recipe_needs_what_the_package_needs() -> None:
    run = yaml.safe_load(RECIPE.read_text())["requirements"]["run"]
    assert {entry.replace(" ", "") for entry in run} == {
        f"python{PROJECT['requires-python']}",
        *PROJECT["dependencies"],
    }


@without_address
def test_no_address_is_made_up_and_one_place_is_left_for_it() -> None:
    assert "urls" not in PROJECT and "repository" not in json.loads(EXTENSION.read_text())
    texts = {path: path.read_text(encoding="utf-8") for path in listed("*.md", "*.yml", "*.yaml", "*.toml", "*.cff")}
    assert [path.name for path, text in texts.items() if MARK in text] == ["pyproject.toml"]
    assert [
        path.name for path, text in texts.items() if re.search(r"OWNER/(?!NAME)|github\.com/[\w-]+/jaxfix", text)
    ] == []


@without_address
def test_one_command_fills_the_address_in(tmp_path: Path) -> None:
    address = runpy.run_path(str(ROOT / ".ci" / "address"))
    names = [*address["PLACES"], address["EXTENSION"].as_posix()]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    command = [sys.executable, str(ROOT / ".ci" / "address"), "https://code.invalid/people/jaxfix.git"]
    subprocess.run(command, cwd=tmp_path, check=True)
    texts = {name: (tmp_path / name).read_text(encoding="utf-8") for name in names}
    assert [name for name, text in texts.items() if "https://code.invalid/people/jaxfix" not in text] == []
    left = ("no public address", "JAXFIX_REPOSITORY", "/path/to/jaxfix", "{url}", MARK)
    assert [(name, each) for name, text in texts.items() for each in left if each in text] == []
    assert tomllib.loads(texts["pyproject.toml"])["project"]["urls"]["Issues"].endswith("/people/jaxfix/issues")
    assert yaml.safe_load(texts["CITATION.cff"])["repository-code"] == "https://code.invalid/people/jaxfix"
    assert yaml.safe_load(texts["packaging/conda/recipe.yaml"])["about"]["repository"].endswith("/jaxfix")
    about = json.loads(texts["editors/vscode/package.json"])
    assert about["repository"]["url"] == "https://code.invalid/people/jaxfix.git"
    assert about["scripts"]["package"] == "vsce package --no-dependencies --out jaxfix.vsix"
    again = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert again.returncode == 1 and "is there already" in again.stderr


def test_the_address_is_written_everywhere_or_nowhere(tmp_path: Path) -> None:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "mkdocs.yml").write_text("other: text\n")
    command = [sys.executable, str(ROOT / ".ci" / "address"), "https://code.invalid/people/jaxfix"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1 and "mkdocs.yml does not hold `docs_dir: docs`: nothing was written" in done.stderr
    assert MARK in (tmp_path / "pyproject.toml").read_text()


def test_the_extension_can_be_published() -> None:
    about = json.loads(EXTENSION.read_text())
    assert "private" not in about
    assert {"publisher", "license", "icon", "categories", "engines"} <= about.keys()
    page = (EXTENSION.with_name("README.md")).read_text()
    pictures = re.findall(r"!\[[^]]+\]\(([^)]+)\)", page)
    assert pictures and all((EXTENSION.parent / picture).is_file() for picture in pictures)
    packed = (EXTENSION.with_name(".vscodeignore")).read_text().splitlines()
    assert [picture for picture in pictures if f"!{picture}" not in packed] == []


def test_the_templates_of_issues_are_read() -> None:
    for path in listed(".github/ISSUE_TEMPLATE/*.yml"):
        form = yaml.safe_load(path.read_text())
        if path.name != "config.yml":
            assert form["name"] and form["description"] and all(entry["type"] for entry in form["body"])


def test_the_sdist_holds_what_the_tests_of_a_packager_need(tmp_path: Path) -> None:
    build = "import sys, hatchling.build as build; print(build.build_sdist(sys.argv[1]))"
    subprocess.run([sys.executable, "-c", build, str(tmp_path)], cwd=ROOT, check=True, capture_output=True)
    (path,) = tmp_path.glob("jaxfix-*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {
        "README.md",
        "LICENSE",
        "CHANGELOG.md",
        "CITATION.cff",
        "pyproject.toml",
        "mkdocs.yml",
        "tests/conftest.py",
    }
    assert wanted <= names
    assert {"jaxfix/__init__.py", "codemods/jaxfix_codemods/__init__.py", "docs/index.md"} <= names
    assert not [name for name in names if name.startswith((".github", ".git/", "site/")) or "node_modules" in name]
