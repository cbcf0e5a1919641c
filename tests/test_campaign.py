"""Many repositories, one report: what a list may say, what a job does, what is known from before."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from jaxfix.drivers.workflow import campaign, repository
from jaxfix.evidence.target import Local
from jaxfix.report.campaign import Campaign, Repository
from jaxfix.source.errors import ConfigError, UserError

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "local_loop_function" / "program.py"
CLEAN = "def double(x):\n    return 2 * x\n"


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@b")
    return subprocess.run(
        ["git", "-C", str(folder), *who, *words], check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture
def there(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a repository `clean`, and a cache folder of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    folder = tmp_path / "clean"
    folder.mkdir()
    (folder / "main.py").write_text(CLEAN)
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "first")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def listed(folder: Path, text: str) -> tuple[campaign.Entry, ...]:
    (folder / "repos.toml").write_text(text)
    return campaign.entries(folder / "repos.toml")


def ran(entries: tuple[campaign.Entry, ...], *, fresh: bool = False, room: int = 1) -> Campaign:
    return campaign.run(entries, campaign.How(Local(room), 60, fresh), lambda entry: None)


def test_names_come_from_places_and_paths_start_at_the_list(tmp_path: Path) -> None:
    second = 'url = "https://box/o/r.git"\ncommit = "v1"\nrun = "python t.py"\n'
    text = f'[[repository]]\npath = "a/b"\n[[repository]]\n{second}'
    first, other = listed(tmp_path, text)
    assert (first.name, first.path, first.commit, first.paths) == ("b", str(tmp_path / "a" / "b"), "HEAD", (".",))
    assert (other.name, other.url, other.commit, other.run) == ("r", "https://box/o/r.git", "v1", "python t.py")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "lists no repositories"),
        ("[[repository]\n", "repos.toml: "),
        ("[[repository]]\n", "either `path` or `url`"),
        ('[[repository]]\npath = "a"\nurl = "b"\n', "either `path` or `url`"),
        ("[[repository]]\npath = 3\n", "`path` has to be a string"),
        ('[[repository]]\npath = "a"\nrun = ""\n', "`run` has to be a string, not empty"),
        ('[[repository]]\npath = "a"\ninstall = "pip"\n', "`install` has to be a list of strings"),
        ('[[repository]]\npath = "a"\nbranch = "b"\n', "unknown key `branch`"),
        ('[[repository]]\nurl = "--upload-pack=x"\n', "an option of git"),
        ('[[repository]]\nurl = "a"\ncommit = "--x"\n', "an option of git"),
        ('[[repository]]\npath = "a"\nrun = "python \'t"\n', "cannot be read: no closing quotation"),
        ('[[repository]]\npath = "a"\n[[repository]]\npath = "b/a"\n', "two repositories are called `a`"),
    ],
)
def test_a_list_that_says_nothing_is_refused(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(ConfigError) as said:
        listed(tmp_path, text)
    assert words in str(said.value)


def test_repositories_are_looked_at_as_they_were_committed(there: Path) -> None:
    commit = git(there / "clean", "rev-parse", "HEAD")
    (there / "clean" / "main.py").write_text("import (")
    entries = listed(
        there,
        f'[[repository]]\npath = "clean"\ncommit = "{commit[:12]}"\n'
        f'[[repository]]\nname = "cloned"\nurl = "{there / "clean"}"\n'
        '[[repository]]\npath = "gone"\n'
        '[[repository]]\nname = "lost"\npath = "clean"\ncommit = "0123456789"\n',
    )
    found = ran(entries, room=2)
    clean, cloned, gone, lost = found.repositories
    assert [(entry.name, entry.commit, entry.failed) for entry in (clean, cloned)] == [
        ("clean", commit, None),
        ("cloned", commit, None),
    ]
    assert gone.failed is not None and "no such folder: gone" in gone.failed
    assert lost.failed is not None and "no commit `0123456789`" in lost.failed
    again = ran(entries)
    assert again.reused == 1 and again.repositories[0] == clean  # what a URL without a commit leads to may have moved
    assert ran(entries[:1], fresh=True).reused == 0


def test_what_cannot_be_installed_is_said(there: Path) -> None:
    text = '[[repository]]\npath = "clean"\ninstall = ["no-such-installer now"]\n'
    (found,) = ran(listed(there, text)).repositories
    assert found.failed == "could not run `no-such-installer now`: `no-such-installer`: no such file or directory"


@pytest.mark.slow
def test_paths_of_a_repository_start_at_its_root(there: Path) -> None:
    """3 s: a program that is not there."""
    shutil.copy(GOLDEN, there / "clean" / "train.py")
    git(there / "clean", "add", ".")
    git(there / "clean", "commit", "--quiet", "-m", "second")
    named = '[[repository]]\nname = "{}"\npath = "clean"\n'
    text = f"{named.format('run')}run = 'python trian.py'\n{named.format('paths')}run = 'a'\npaths = ['src']\n"
    run, paths = ran(listed(there, text)).repositories
    assert run.failed is not None and "can't open file 'trian.py'" in run.failed
    assert paths.failed == "could not be proven: src: no such file, folder or installed module"


def test_a_report_of_apply_is_read() -> None:
    counts = {"compiles": 31}, {"compiles": 12}
    environment = {"python": "3.11.7", "jax": "0.10.2", "device": "cpu"}
    report: dict[str, object] = {
        "fixes": [{"safety": "needs-evidence"}, {"safety": "safe"}],
        "findings": [{}],
        "evidence": [
            {"verdict": "proven", "reason": "", "environment": environment},
            {"verdict": "different", "reason": "", "environment": environment},
        ],
        "together": [{"before": counts[0], "after": counts[1]}],
        "run": {"run_s": 8.71, "now_s": 3.6},
    }
    found = repository.read(Repository("a"), report, "a diff")
    assert (found.found, found.proven, found.safe, found.refuted) == (3, 1, 1, 1)
    assert (found.compiles, found.run_s, found.diff) == ((31, 12), (8.71, 3.6), "a diff")
    assert found.versions == "Python 3.11.7, jax 0.10.2, cpu"
    failing: dict[str, object] = {"evidence": [{"verdict": "failed", "reason": "fails without any fix: exit status 2"}]}
    with pytest.raises(UserError, match="its program fails without any fix: exit status 2"):
        repository.read(Repository("a"), failing, "")


@pytest.mark.slow
def test_a_campaign_proves_and_tells(there: Path) -> None:
    """12 s: a program with one fix, by the command line."""
    shutil.copy(GOLDEN, there / "clean" / "train.py")
    git(there / "clean", "add", ".")
    git(there / "clean", "commit", "--quiet", "-m", "second")
    (there / "repos.toml").write_text('[[repository]]\npath = "clean"\nrun = "python train.py"\n')
    words = [sys.executable, "-m", "jaxfix", "campaign", "repos.toml", "--output-format", "json"]
    done = subprocess.run(words, capture_output=True, text=True)
    (found,) = json.loads(done.stdout)["repositories"]
    assert done.returncode == 0 and (found["found"], found["proven"]) == (1, 1)
    assert found["compiles"][1] < found["compiles"][0] and found["diff"].startswith("---")
