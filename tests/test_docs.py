"""The generated pages are those of the codemods, and the README's commands are where tools look for them."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_the_pages_are_up_to_date() -> None:
    done = subprocess.run([sys.executable, "-m", "jaxfix.docs", "--check"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_first_two_bash_blocks_of_the_readme_are_one_command_line_each() -> None:
    blocks = re.findall(r"^```bash\n(.*?)^```", (ROOT / "README.md").read_text(), re.DOTALL | re.MULTILINE)
    first, second, *_ = blocks
    assert len(first.splitlines()) == len(second.splitlines()) == 1
    assert "jaxfix apply" in first
    assert "pytest" in second


def test_every_link_of_the_documentation_leads_somewhere() -> None:
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.relative_to(ROOT)}: {target}"
