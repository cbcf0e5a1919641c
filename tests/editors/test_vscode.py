"""What a person does in VS Code, in a real window; `pytest -m slow tests/editors`."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from astral import BEFORE, FIXED, LINE, TEXT
from documented import ROOT, block
from vscode_projects import RELAX, applied, notebook, project, shot
from vscode_window import PATIENCE_MS, Opens, Server, Window, until

pytestmark = pytest.mark.slow
GOLDEN = ROOT / "golden" / "local_jit"
ONE_CODEMOD = '[tool.jaxfix]\nselect = ["local-jit"]\n'
ON_SAVE = json.loads(f"{{{block('VS Code', 'jsonc')}}}")
CELLS = [
    ("markdown", "# Smoothing"),
    ("code", "import jax\nimport jax.numpy as jnp"),
    ("code", "%matplotlib inline\nfor _ in range(30):\n    grid = jax.jit(lambda u: 2 * u)(jnp.ones(3))"),
]


def test_a_quick_fix_by_the_lightbulb(server: Server, opens: Opens, tmp_path: Path) -> None:
    before, after = (
        (GOLDEN / name).read_text().replace("  # want: local-jit", "") for name in ("program.py", "program.fixed.py")
    )
    files = {"train.py": before, "pyproject.toml": ONE_CODEMOD}
    folder = project(tmp_path / "net", files, **{"jaxfix.run": "python train.py"})
    window = opens(server, folder, "train.py")
    window.squiggles()
    assert "created in every iteration" in window.hover("value_and_grad").inner_text()
    shot(window, "vscode-hover", (352, 36, 928, 732))
    window.page.keyboard.press("Escape")
    window.to_problem()
    window.lightbulb()
    first, *others = window.actions()
    assert "(unproven)" in first and {"Prove it: rerun `python train.py`", "Explain `local-jit`"} <= set(others)
    shot(window, "vscode-quick-fix", (352, 280, 928, 360))
    window.choose(first)
    window.line("_train_")
    window.save()
    assert (folder / "train.py").read_text() == after != before
    window.page.wait_for_selector(".squiggly-warning", state="detached", timeout=PATIENCE_MS)


def test_a_quick_fix_behind_a_tab_and_astral_characters(server: Server, opens: Opens, tmp_path: Path) -> None:
    folder = project(tmp_path / "net", {"train.py": TEXT})
    window = opens(server, folder, "train.py")
    window.squiggles()
    column = len(BEFORE.encode("utf-16-le")) // 2 + 1
    assert window.problems()[0] == f"[Ln {LINE}, Col {column}]"
    window.to_problem()
    window.lightbulb()
    [first, *_] = window.actions()
    window.choose(first)
    window.line("_step_true(")
    window.save()
    assert (folder / "train.py").read_text() == FIXED


def test_fix_on_save(server: Server, opens: Opens, tmp_path: Path) -> None:
    folder = project(tmp_path / "net", {"relax.py": RELAX}, **ON_SAVE)
    window = opens(server, folder, "relax.py")
    window.squiggles()
    window.page.keyboard.press("Control+End")
    window.page.keyboard.type("# the end")
    window.save()
    assert (folder / "relax.py").read_text() == applied(tmp_path / "other", RELAX + "# the end") != RELAX + "# the end"


def test_a_finding_in_a_cell_of_a_notebook(server: Server, opens: Opens, tmp_path: Path) -> None:
    files = {"relax.py": RELAX, "smooth.ipynb": notebook(*CELLS)}
    window = opens(server, project(tmp_path / "net", files), "relax.py")
    window.squiggles()  # before extensions are up, the editor knows no notebooks
    window.page.locator(".explorer-viewlet .monaco-list-row", has_text="smooth.ipynb").first.dblclick()
    window.page.locator(".notebookOverlay .squiggly-warning").first.wait_for(timeout=PATIENCE_MS)
    window.told("1 finding here, 2 findings")
    window.page.locator(".notebookOverlay .view-line", has_text="matplotlib").first.click()
    window.command("jaxfix: Fix All That Is Safe")
    window.line("_jitted = jax.jit(")
    window.told("0 findings here, 1 finding")


def test_fix_on_save_of_a_notebook(server: Server, opens: Opens, tmp_path: Path) -> None:
    cells = CELLS[1:]  # the editor asks the first cell alone, and the server knows those of Python
    folder = project(tmp_path / "net", {"relax.py": RELAX, "smooth.ipynb": notebook(*cells)}, **ON_SAVE)
    window = opens(server, folder, "relax.py")
    window.squiggles()
    window.find("smooth.ipynb")
    window.page.locator(".notebookOverlay .squiggly-warning").first.wait_for(timeout=PATIENCE_MS)
    window.page.locator(".notebookOverlay .view-line", has_text="matplotlib").first.click()
    window.page.keyboard.press("End")
    window.page.keyboard.type(" # here")
    window.save()
    edited = [(kind, text.replace("inline", "inline # here")) for kind, text in cells]
    assert (
        sources(folder / "smooth.ipynb")
        == sources(fixed(tmp_path / "other", notebook(*edited)))
        != [text for _, text in edited]
    )


def fixed(folder: Path, text: str) -> Path:
    """The notebook as the command line leaves it when it may run nothing."""
    folder.mkdir()
    (folder / "m.ipynb").write_text(text)
    command = [sys.executable, "-m", "jaxfix", "apply", "--no-prove", "--allow-no-vcs", "--exit-zero", "m.ipynb"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder / "m.ipynb"


def sources(path: Path) -> list[str]:
    return ["".join(cell["source"]) for cell in json.loads(path.read_text())["cells"]]


def test_folders_of_one_workspace_have_their_own_settings(server: Server, opens: Opens, tmp_path: Path) -> None:
    project(tmp_path / "first", {"quiet.py": RELAX}, **{"jaxfix.ignore": ["local-jit"]})
    files = {"train.py": (GOLDEN / "program.py").read_text(), "pyproject.toml": ONE_CODEMOD}
    project(tmp_path / "second", files, **{"jaxfix.run": "python -O train.py"})
    workspace = tmp_path / "both.code-workspace"
    workspace.write_text(json.dumps({"folders": [{"path": "first"}, {"path": "second"}]}))
    window = opens(server, workspace)
    window.find("quiet.py")
    window.find("train.py")
    window.squiggles()
    window.told("1 finding here, 1 finding in open files")
    window.to_problem()
    window.lightbulb()
    assert "Prove it: rerun `python -O train.py`" in window.actions()


def pages(window: Window) -> list[str]:
    """What the pages inside of the page say, as HTML."""
    _, *frames = window.page.frames
    return [frame.content() for frame in frames if not frame.is_detached()]


def test_a_finding_explained_from_the_palette(server: Server, opens: Opens, tmp_path: Path) -> None:
    window = opens(server, project(tmp_path / "net", {"relax.py": RELAX}), "relax.py")
    window.squiggles()
    window.to_problem()
    window.command("jaxfix: Explain This Finding")
    window.page.locator(".tab", has_text="local-jit").wait_for(timeout=PATIENCE_MS)
    until("the page", lambda: any("Before" in page for page in pages(window)))
    window.page.wait_for_timeout(2000)  # the picture of a page comes after its text
    shot(window, "vscode-explain", (352, 36, 928, 560))


def test_a_script_is_traced_after_a_yes(server: Server, opens: Opens, tmp_path: Path) -> None:
    folder = project(tmp_path / "net", {"relax.py": RELAX})
    window = opens(server, folder, "relax.py")
    window.squiggles()
    window.command("jaxfix: Trace This Script")
    asked = window.notification("relax.py")
    assert not (folder / "relaxed.npy").exists()
    asked.get_by_text("Run", exact=True).click()
    until("a traced run", (folder / "relaxed.npy").exists)
    window.page.locator(".codelens-decoration", has_text="compiled").first.wait_for(timeout=PATIENCE_MS)
    assert "seen: 20 compiles" in window.hover("lambda").inner_text()
    shot(window, "vscode-trace", (352, 36, 928, 560))


def test_a_fix_is_proven_by_a_rerun(server: Server, opens: Opens, tmp_path: Path) -> None:
    before = (GOLDEN / "program.py").read_text().replace("  # want: local-jit", "")
    files = {"train.py": before, "pyproject.toml": ONE_CODEMOD}
    folder = project(tmp_path / "net", files, **{"jaxfix.run": "python train.py"})
    window = opens(server, folder, "train.py")
    window.squiggles()
    window.to_problem()
    window.lightbulb()
    window.choose("Prove it")
    window.notification("jaxfix: proven: ", patience_ms=4 * PATIENCE_MS)  # three runs of the program
    window.lightbulb()
    shot(window, "vscode-proof", (352, 280, 928, 520))
    assert "(proven)" in window.actions()[0]
