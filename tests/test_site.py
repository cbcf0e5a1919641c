"""The site: it builds without a warning, and its pages ask nothing of other machines."""

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

pytest.importorskip("material", reason="the extra `docs` is not installed")
ROOT = Path(__file__).resolve().parents[1]
_FETCHED = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src")}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    env = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


class Fetched(HTMLParser):
    """What a browser fetches for a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.addresses += [value or "" for name, value in attrs if (tag, name) in _FETCHED]


def test_every_page_is_there_and_in_the_navigation(site: Path) -> None:
    pages = {path.relative_to(ROOT / "docs").with_suffix("") for path in (ROOT / "docs").rglob("*.md")}
    built = {path.relative_to(site).with_suffix("") for path in site.rglob("*.html")}
    named = {page.parent / "index" if page.name == "README" else page for page in pages}
    assert named <= built
    start = (site / "index.html").read_text()
    assert [str(page) for page in named if f"{page.as_posix()}.html" not in start] == []


def test_pages_fetch_nothing_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        for address in Fetched(page.read_text()).addresses:
            assert not re.match(r"(https?:)?//", address), f"{page.relative_to(site)}: {address}"
    for sheet in site.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(https?:)?//|@import", sheet.read_text()), sheet.name
    for picture in site.rglob("*.svg"):
        assert not re.search(r"(href|src)=\"(https?:)?//|url\((?!#)", picture.read_text()), picture.name
