"""The review in a real browser; runs with `-m slow` where Playwright and a Chromium are installed."""

import http.server
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import review_project
from test_review import proven

from jaxfix.drivers.cli import terminal
from jaxfix.drivers.review import document, reporting, serving
from jaxfix.drivers.review.look import Wishes, informed, look
from jaxfix.drivers.review.server import Closing
from jaxfix.drivers.review.state import ReviewState
from jaxfix.drivers.workflow.decisions import Choice
from jaxfix.drivers.workflow.proof import Rerun
from jaxfix.drivers.workflow.request import Request
from jaxfix.drivers.workflow.trying import Proofs
from jaxfix.render import review_page
from jaxfix.testing import unmarked

pytestmark = pytest.mark.slow
playwright = pytest.importorskip("playwright.sync_api")
pytest.importorskip("uvicorn")
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
ROOT = Path(__file__).resolve().parents[1]
AXE = ROOT / "web" / "review" / "node_modules" / "axe-core" / "axe.min.js"
WIDE, NARROW = (1280, 860), (390, 844)
PROOF_MS = 1_500_000


def tree(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file() and not {".git", ".jaxfix"} & set(path.parts))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


@dataclass
class Review:
    folder: Path
    link: str
    process: "subprocess.Popen[str]"

    @property
    def port(self) -> int:
        return int(self.link.partition("//127.0.0.1:")[2].partition("/")[0])


@contextmanager
def started(folder: Path, *options: str) -> Iterator[Review]:
    command = [sys.executable, "-m", "jaxfix", "review", "--no-open", *options]
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    environment = os.environ | {"NO_COLOR": "1", "PATH": path}
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stderr is not None
        found = re.search(r"http://\S+", process.stderr.readline())
        assert found, process.stderr.read()
        try:
            yield Review(folder, found[0], process)
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(60) == 0


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return review_project.make(folder)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("there is no Chromium")
    with playwright.sync_playwright() as engine:
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        opened = engine.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield opened
        opened.close()


@contextmanager
def page_of(
    browser: Any, link: str, size: tuple[int, int] = WIDE, scheme: str = "light", but: str | None = None
) -> Iterator[Any]:
    """A page, on which nothing may go wrong but what holds these words."""
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
    page = context.new_page()
    wrongs: list[str] = []
    page.on("pageerror", lambda error: wrongs.append(str(error)))
    page.on("console", lambda said: wrongs.append(said.text) if said.type in ("error", "warning") else None)
    page.goto(link)
    page.wait_for_selector(".entry")
    yield page
    assert [wrong for wrong in wrongs if but is None or but not in wrong] == []
    context.close()


def counts(page: Any) -> str:
    return str(page.inner_text(".counts")).replace("\n", " ")


def wait_for_counts(page: Any, expected: str) -> None:
    page.wait_for_function(
        "expected => document.querySelector('.counts').innerText.replace(/\\s+/g, ' ').trim() === expected",
        arg=expected,
    )


def expected_tree(folder: Path, first: int, last: int) -> dict[str, bytes]:
    """What a write of these rows of the list, which is by codemod, makes of a project, worked out without the page."""
    before = os.getcwd()
    os.chdir(folder)
    try:
        review = ReviewState(Wishes(Request((".",)), Rerun(None, None, 600)), terminal)
        ids = [entry.fix.codemod for entry in review.seen.found]
        rows = sorted(range(len(ids)), key=lambda number: (ids.index(ids[number]), number))
        review.decide(review.seen.number, rows[first:last], Choice.ACCEPTED)
        review.write(review.plan().digest)
        return tree(folder)
    finally:
        os.chdir(before)


def test_seven_are_accepted_two_rejected_and_exactly_those_are_written(browser: Any, project: Path) -> None:
    before = tree(project)
    with started(project, "--run", review_project.COMMAND) as review, page_of(browser, review.link) as page:
        assert counts(page) == "0 accepted 0 rejected 12 open"
        page.keyboard.press("x")
        page.keyboard.press("x")
        for _ in range(7):
            page.keyboard.press("a")
        wait_for_counts(page, "7 accepted 2 rejected 3 open")
        page.reload()
        page.wait_for_selector(".entry")
        wait_for_counts(page, "7 accepted 2 rejected 3 open")
        page.keyboard.press("r")
        assert page.inner_text("dialog pre.command") == review_project.COMMAND
        assert str(project) in page.inner_text("dialog .facts")
        assert page.locator(".run").count() == 0  # nothing runs before the yes
        page.click("dialog .primary")
        page.wait_for_selector(".run.running")
        page.keyboard.press("j")  # the page lives meanwhile
        page.wait_for_selector(".run.done, .run.failed", timeout=PROOF_MS)
        assert "proven" in page.inner_text(".run"), page.inner_text(".run")
        assert page.locator(".state.proven").count() >= 5
        page.wait_for_selector(".figures")
        wait_for_counts(page, "7 accepted 2 rejected 3 open")
        assert tree(project) == before
        page.keyboard.press("w")
        assert "7 fixes" in page.inner_text("#dialog")
        page.click("dialog .primary")
        page.wait_for_selector("dialog >> text=Undo the write")
        assert "Wrote 7 fixes" in page.inner_text("#dialog")
        (project.parent / "original").mkdir()
        original = review_project.make(project.parent / "original")
        assert tree(project) == expected_tree(original, 2, 9) != before
        page.click("dialog >> text=Undo the write")
        page.wait_for_selector("dialog >> text=Undone")
        assert tree(project) == before


def test_a_script_of_2022_is_written_from_the_page(browser: Any, tmp_path: Path) -> None:
    """The fixes of `removed-api`: what is written is what the command line writes."""
    golden = ROOT / "golden" / "_upgrade" / "script_of_2022.py"
    script = tmp_path / "train.py"
    script.write_bytes(unmarked(golden.read_bytes()))
    before = script.read_text()
    with (
        started(tmp_path, "--select", "removed-api", "--allow-no-vcs") as review,
        page_of(browser, review.link) as page,
    ):
        number = page.locator(".entry").count()
        for _ in range(number):
            page.keyboard.press("a")
        wait_for_counts(page, f"{number} accepted 0 rejected 0 open")
        page.keyboard.press("w")
        page.click("dialog .primary")
        page.wait_for_selector("dialog >> text=Undo the write")
        written = script.read_text()
        page.click("dialog >> text=Undo the write")
        page.wait_for_selector("dialog >> text=Undone")
    assert number == 6 and script.read_text() == before
    news = ("from jax import config", "jax.tree.map", "max=1.0, min=-1.0", "losses.at[epoch].set", "jax.tree.leaves")
    assert all(new in written for new in news)
    assert not any(old in written for old in ("jax.ops", "jax.tree_multimap", "jax.config import", "a_max"))


def test_two_tabs_stay_in_sync_and_a_crash_loses_nothing(browser: Any, project: Path) -> None:
    with started(project) as review, page_of(browser, review.link) as one, page_of(browser, review.link) as two:
        one.keyboard.press("a")
        wait_for_counts(two, "1 accepted 0 rejected 11 open")
        two.keyboard.press("x")
        two.keyboard.press("x")
        wait_for_counts(one, "0 accepted 2 rejected 10 open")
        one.keyboard.press("u")
        wait_for_counts(two, "0 accepted 1 rejected 11 open")
    with started(project) as review, page_of(browser, review.link) as page:
        wait_for_counts(page, "0 accepted 1 rejected 11 open")


def test_a_fix_is_edited_where_it_is_read(browser: Any, project: Path) -> None:
    with started(project) as review, page_of(browser, review.link, but="status of 422") as page:
        page.click("text=By file")
        page.keyboard.press("/")
        page.keyboard.type("data.py")
        page.wait_for_function("() => document.querySelectorAll('.entry').length === 1")
        page.click("text=Edit…")
        field = page.locator("dialog textarea")
        made = field.input_value()
        assert "_batches_jitted = jax.jit" in made
        field.fill(made + "\n)")
        page.click("dialog .primary")
        page.wait_for_selector("dialog >> text=not valid Python")
        field.fill(made.replace("_batches_jitted", "_wave"))
        if AXE.is_file():
            page.evaluate(AXE.read_text())
            judge(page)
        page.click("dialog .primary")
        page.wait_for_selector("dialog", state="detached")
        wait_for_counts(page, "1 accepted 0 rejected 11 open")
        page.wait_for_selector("text=edited by you")
        page.keyboard.press("w")
        page.wait_for_selector("dialog >> text=_wave = jax.jit")
        page.click("dialog .primary")
        page.wait_for_selector("dialog >> text=Undo the write")
        assert (project / "data.py").read_bytes().endswith(b"yield _wave(jnp.arange(24.0).reshape(3, 8) + seed)")
        page.click("dialog >> text=Undo the write")
        page.wait_for_selector("dialog >> text=Undone")
        assert (project / "data.py").read_bytes() == review_project.FILES["data.py"]


def test_decisions_are_forgotten_and_that_is_undone(browser: Any, project: Path) -> None:
    with started(project) as review, page_of(browser, review.link) as page:
        assert page.is_disabled("text=Forget")
        page.keyboard.press("x")
        page.keyboard.press("a")
        wait_for_counts(page, "1 accepted 1 rejected 10 open")
        page.click("text=Forget")
        wait_for_counts(page, "0 accepted 0 rejected 12 open")
        page.keyboard.press("u")
        wait_for_counts(page, "1 accepted 1 rejected 10 open")


def test_a_file_that_changes_meanwhile_is_told(browser: Any, project: Path) -> None:
    with started(project) as review, page_of(browser, review.link) as page:
        page.keyboard.press("a")
        path = project / "data.py"
        path.write_bytes(b"# mine\r\n" + path.read_bytes())
        page.wait_for_selector("text=changed on disk")
        page.click("text=Look again")
        page.wait_for_selector("text=changed on disk", state="detached")
        wait_for_counts(page, "1 accepted 0 rejected 11 open")
        page.keyboard.press("k")
        page.wait_for_selector(".crumbs >> text=data.py:8")


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_can_be_read_by_everybody(browser: Any, project: Path, size: tuple[int, int], scheme: str) -> None:
    if not AXE.is_file():
        pytest.skip("`npm ci` has not been run in web/review")
    with started(project) as review, page_of(browser, review.link, size, scheme) as page:
        page.evaluate(AXE.read_text())
        judge(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.keyboard.press("a")
        page.keyboard.press("Enter")  # on the list: reads the fix
        page.wait_for_selector("#title:focus")
        judge(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        for key, closing in (("?", "Escape"), ("r", "Escape"), ("w", "Escape")):
            page.keyboard.press(key)
            page.wait_for_selector("dialog[open]")
            judge(page)
            page.keyboard.press(closing)
            page.wait_for_selector("dialog[open]", state="detached")
        page.keyboard.press("Escape")
        page.wait_for_selector("#list:focus")


def judge(page: Any) -> None:
    rules = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
    found = page.evaluate("rules => axe.run(document, rules)", rules)["violations"]
    said = [
        f"{wrong['id']}: {node['html'][:200]} {node['failureSummary']}" for wrong in found for node in wrong["nodes"]
    ]
    assert not said, "\n".join(said[:6])


def test_the_keyboard_alone_reaches_everything(browser: Any, project: Path) -> None:
    with started(project) as review, page_of(browser, review.link) as page:
        page.wait_for_selector("#list:focus")
        page.keyboard.press("ArrowUp")  # the heading
        page.keyboard.press("ArrowLeft")
        assert page.locator("[role=treeitem][aria-level='1'][aria-expanded=false]").count() == 1
        page.keyboard.press("ArrowRight")
        page.keyboard.press("/")
        page.keyboard.type("cond")
        page.wait_for_function("() => document.querySelectorAll('.entry').length < 5")
        page.keyboard.press("Enter")
        page.wait_for_selector("#list:focus")
        page.keyboard.press("a")
        wait_for_counts(page, "1 accepted 0 rejected 11 open")
        reached = set()
        for _ in range(40):
            page.keyboard.press("Tab")
            reached.add(page.evaluate("document.activeElement.className + document.activeElement.innerText.trim()"))
        words = " ".join(str(entry) for entry in reached)
        assert all(word in words for word in ("Accepted", "Reject", "Prove", "Write", "Whole file", "By file"))


ATTACK = """\
<!doctype html><title>elsewhere</title><script>
const target = "http://127.0.0.1:PORT";
const tries = async () => {
  const told = [];
  const body = JSON.stringify({ document: 1, fixes: [0, 1, 2], choice: "accepted" });
  for (const [name, url, init] of [
    ["read", "/api/document", {}],
    ["read with a token", "/api/document", { headers: { Authorization: "Bearer x" } }],
    ["page", "/", {}],
    ["script", "/assets/review.js", {}],
    ["write", "/api/decide", { method: "POST", body, headers: { "Content-Type": "application/json" } }],
    ["simple write", "/api/decide", { method: "POST", body }],
    ["cookies", "/api/decide", { method: "POST", body, credentials: "include" }],
  ]) {
    try {
      const answer = await fetch(target + url, init);
      told.push(name + " " + answer.status + (await answer.text()));
    } catch (error) { told.push(name + " blocked"); }
  }
  for (const init of [{}, { method: "POST", body }]) {
    const answer = await fetch(target + "/api/decide", { ...init, mode: "no-cors" }).catch(() => null);
    told.push("opaque " + (answer ? answer.type + (await answer.text()) : "blocked"));
  }
  return told;
};
</script><form method="post" enctype="text/plain" action="http://127.0.0.1:PORT/api/decide" target="frame">
<input name='{"document": 1, "fixes": [0], "choice": "accepted", "x": "' value='"}'></form>
<iframe name="frame" src="http://127.0.0.1:PORT/"></iframe>
"""


def test_a_page_of_another_site_can_neither_read_nor_write(browser: Any, project: Path, tmp_path: Path) -> None:
    with started(project) as review, page_of(browser, review.link) as page:
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        (elsewhere / "index.html").write_text(ATTACK.replace("PORT", str(review.port)))
        handler = partial(http.server.SimpleHTTPRequestHandler, directory=str(elsewhere))
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            for name in ("127.0.0.1", "localhost"):
                other = page.context.new_page()  # of the same person, beside the review
                other.goto(f"http://{name}:{server.server_port}/")
                told = other.evaluate("tries()")
                assert [entry for entry in told if not entry.endswith(("blocked", "opaque"))] == []
                other.evaluate("document.forms[0].submit()")
                other.wait_for_timeout(500)
                assert all(frame.locator("#root *").count() == 0 for frame in other.frames[1:])
            server.shutdown()
        wait_for_counts(page, "0 accepted 0 rejected 12 open")


def test_a_report_is_read_and_asks_for_nothing(browser: Any, project: Path, tmp_path: Path) -> None:
    before = os.getcwd()
    os.chdir(project)
    try:
        wishes = Wishes(Request((".",)), Rerun(None, None, 600))
        text = reporting.report(look(wishes, 1, terminal), wishes, terminal, prove=False)
    finally:
        os.chdir(before)
    file = tmp_path / "report.html"
    file.write_text(text)
    with page_of(browser, file.as_uri()) as page:
        asked: list[str] = []
        page.wait_for_selector("h3 >> text=About")
        page.on("request", lambda request: asked.append(request.url))
        page.keyboard.press("j")
        page.keyboard.press("a")
        assert page.locator(".decide").count() == 0 and counts(page) == "0 accepted 0 rejected 12 open"
        page.reload()
        page.wait_for_selector(".entry")
        assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
        if AXE.is_file():
            page.evaluate(AXE.read_text())
            judge(page)


SHOWN = """() => {
  const copy = document.querySelector("article.detail").cloneNode(true);
  copy.querySelectorAll("button, kbd, .decide, .decided").forEach((node) => node.remove());
  return copy.textContent.replace(/\\s+/g, " ").trim();
}"""
"""The text of a fix, without the controls that a report has not."""


def shown(page: Any) -> dict[str, list[str]]:
    """The list in each order, and all of each fix in the first."""
    found = {}
    for order in ("By codemod", "By file", "By gain"):
        page.click(f"text={order}")
        found[order] = [" ".join(entry.split()) for entry in page.locator(".entry").all_inner_texts()]
    page.click("text=By codemod")
    found["fixes"] = []
    for number in range(page.locator(".entry").count()):
        page.locator(".entry").nth(number).click()
        page.wait_for_timeout(50)
        found["fixes"].append(page.evaluate(SHOWN))
    return found


def test_the_report_says_what_the_page_says(browser: Any, project: Path, tmp_path: Path) -> None:
    before = os.getcwd()
    os.chdir(project)
    closing = Closing()
    try:
        review = ReviewState(Wishes(Request((".",)), Rerun(review_project.COMMAND, None, 600)), terminal)
        judged = {review.seen.found[number].name: proven(review, number) for number in (0, 5)}
        review._ended(Proofs(judged))
        made = document.document(review.seen, review.decisions, (), review.rerun, "report")
        (tmp_path / "report.html").write_text(review_page.report(made))
        with socket.socket() as bound:
            bound.bind(("127.0.0.1", 0))
            bound.listen()
            port = bound.getsockname()[1]
            server = serving._Server(serving._config(review, port, "token", closing), closing)
            thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
            thread.start()
            with page_of(browser, f"http://127.0.0.1:{port}/#token=token") as page:
                of_page = shown(page)
            closing.close()
            server.should_exit = True
            thread.join()
    finally:
        os.chdir(before)
    with page_of(browser, (tmp_path / "report.html").as_uri()) as page:
        of_report = shown(page)
    assert len(of_page["fixes"]) == 12 and len({*of_page["fixes"]}) == 12
    assert of_page["By gain"] != of_page["By codemod"] and "a step" in " ".join(of_page["By gain"])
    assert of_report == of_page


def test_what_a_rerun_has_shown_is_drawn(browser: Any, project: Path, tmp_path: Path) -> None:
    before = os.getcwd()
    os.chdir(project)
    try:
        review = ReviewState(Wishes(Request((".",)), Rerun(None, None, 600)), terminal)
        seen = informed(review.seen, {review.seen.found[0].name: proven(review, 0)})
        made = document.document(seen, review.decisions, (), review.rerun, "report")
    finally:
        os.chdir(before)
    file = tmp_path / "report.html"
    file.write_text(review_page.report(made))
    with page_of(browser, file.as_uri(), NARROW, "dark") as page:
        page.locator(".entry").first.click()
        assert page.locator(".chart canvas").count() == 2
        told = page.locator(".chart [role=img]").first.get_attribute("aria-label")
        assert told == (
            "Compiles per step, compiles. Before: 1 at step 1, 1 at step 8, at most 1. "
            "After: 1 at step 1, 0 at step 8, at most 1."
        )
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
