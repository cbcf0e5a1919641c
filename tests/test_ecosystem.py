"""The inspection of releases and repositories: where sources come from, and what is said of findings and edits."""

import subprocess
from pathlib import Path

from benchmarks.ecosystem import page
from benchmarks.ecosystem.downloads import Release, pinned, unpacked
from benchmarks.ecosystem.inspecting import Applied, Edit, Library
from benchmarks.ecosystem.review import Merge, merges

FRESH = Path(page.__file__).with_name("fresh.txt")


def test_a_repository_is_listed_by_its_commit_and_a_release_by_its_version(tmp_path: Path) -> None:
    listed = tmp_path / "listed.txt"
    listed.write_text("# what\nme/it@0123  # a repository\noptax==0.2.8\ntfp==1.0  tfp/jax\n")
    assert pinned(listed) == (Release("me/it", "0123"), Release("optax", "0.2.8"), Release("tfp", "1.0", "tfp/jax"))


def test_the_python_files_of_a_commit_are_unpacked(tmp_path: Path) -> None:
    place = tmp_path / "me+it"
    (place / "package").mkdir(parents=True)
    (place / "package" / "a.py").write_text("a = 1\n")
    (place / "notes.txt").write_text("no code\n")
    git = ["git", "-C", str(place), "-c", "user.name=it", "-c", "user.email=it@example.org"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "one"]):
        subprocess.run([*git, *words], check=True)
    commit = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
    (tmp_path / "mirror").mkdir()
    (place / ".git").rename(tmp_path / "mirror" / "me+it")
    out = unpacked(Release("me/it", commit), tmp_path / "store", tmp_path / "out", tmp_path / "mirror")
    assert sorted(path.name for path in out.rglob("*") if path.is_file()) == ["a.py"]


def test_every_fresh_repository_is_pinned() -> None:
    assert len(pinned(FRESH)) == 12
    assert all("/" in release.name and len(release.version) == 40 for release in pinned(FRESH))


def test_every_judgement_of_an_edit_has_a_reason() -> None:
    assert merges() and all(said.why for said in merges().values())


def test_the_page_counts_what_a_maintainer_would_merge() -> None:
    edits = tuple(Edit("a.py", "some", f"some:f:{number}") for number in range(3))
    applied = Applied({"some": 3}, 1, (), {}, 1, None, edits)
    library = Library("me/it", "0123", 1, 1, 0.0, (), applied, (), ())
    said = {("me/it", edit): Merge("me/it", "a.py", edit.key, edit is edits[0], "it helps") for edit in edits[:2]}
    text = "\n".join(page.lines([library], {}, said, {}, "fresh.txt"))
    assert "Of 3 edits **1 yes**, 1 no, 1 not judged" in text
    assert "* me/it a.py `some`: yes, it helps" in text
