"""The pages for those who work on jaxfix speak of what is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
GLOSSARY = ROOT / "docs" / "glossary.md"
DECISIONS = ROOT / "docs" / "decisions"
PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")


def terms() -> list[tuple[str, str, list[str]]]:
    """The rows of the glossary: the term, what it means, where it is at home."""
    rows = [line.strip("| \n").split(" | ") for line in GLOSSARY.read_text().splitlines() if line.startswith("| ")]
    return [(term, means, re.findall(r"`([^`]+)`", home)) for term, means, home in rows if term != "term"]


@pytest.mark.parametrize(("term", "homes"), [(term, homes) for term, _, homes in terms()])
def test_a_term_is_at_home_in_files_that_exist(term: str, homes: list[str]) -> None:
    assert homes, term
    assert [home for home in homes if not (ROOT / home).exists()] == []


def test_a_term_is_explained_once_and_in_a_sentence_or_two() -> None:
    found = terms()
    assert len({term for term, _, _ in found}) == len(found) >= 30
    assert [term for term, means, _ in found if not means.endswith(".") or len(means) > 160] == []


DIALECT = re.compile(r"\b(anew|whoever|nobody|is told|as far as)\b", re.IGNORECASE)


@pytest.mark.parametrize(
    "page", ["CONTRIBUTING.md", "CHANGELOG.md", "docs/glossary.md", "docs/decisions/0028-ten-rooms.md"]
)
def test_a_page_for_newcomers_is_in_plain_words(page: str) -> None:
    assert DIALECT.findall((ROOT / page).read_text()) == []


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_somewhere(page: str) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", (ROOT / page).read_text())
    assert [link for link in links if not (ROOT / link).exists()] == []


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_the_glossary_is_linked_from_where_people_begin(page: str) -> None:
    assert "(docs/glossary.md)" in (ROOT / page).read_text()


def test_the_index_of_decisions_names_each_by_its_title() -> None:
    index = dict(re.findall(r"^- \[(.+)\]\((.+)\)$", (DECISIONS / "README.md").read_text(), re.MULTILINE))
    titles = {path.read_text().partition("\n")[0].removeprefix("# "): path.name for path in DECISIONS.glob("[0-9]*.md")}
    assert index == titles
