"""The page of a trace in a real browser; runs with `-m slow` where Playwright and a Chromium are installed."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jaxfix.render import trace_page
from jaxfix.report.measurement import Compile, Environment, Measurement, Step
from jaxfix.report.trace import trace_file
from jaxfix.report.trace.cause import Cause, Why
from jaxfix.report.trace.trace_file import Trace

pytestmark = pytest.mark.slow
playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
EVIL = "</script><script>document.title='broken'</script>.py"


def trace() -> Trace:
    causes = [Cause(why, f"because of `{why.value}`") for why in Why]
    compiles = tuple(
        Compile(
            EVIL if n % 2 else "b.py",
            1 + n % 3,
            "f",
            (f"b.py:{1 + n % 3} in f",),
            "scan",
            causes[n % len(Why)],
            0.2,
            at_s=n,
        )
        for n in range(30)
    )
    steps = tuple(Step(n % 3, n, 10**8 + n * 10**6, 0.1, 5 + n) for n in range(20))
    machine = Environment("3.11.9", "0.10.2", "0.10.2", "cpu", "cpu")
    measured = Measurement("c", None, compiles, 30, steps, (), "", (), {}, 0, machine, where_steps="b.py:1")
    sources = {name: trace_file.traced_source(b"def f():\n    pass\n" * 5, {1, 2, 3}) for name in ("b.py", EVIL)}
    return Trace("0", ("python", EVIL), "/", measured, sources)


@pytest.fixture(params=[(1280, "light"), (390, "dark")], ids=["wide-light", "narrow-dark"])
def page(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("there is no Chromium")
    width, scheme = request.param
    file = tmp_path / "page.html"
    file.write_text(trace_page.page(trace(), {}))
    with playwright.sync_playwright() as engine:
        browser = engine.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        opened = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
        wrongs: list[str] = []
        opened.on("pageerror", lambda error: wrongs.append(str(error)))
        opened.on("console", lambda said: wrongs.append(said.text) if said.type in ("error", "warning") else None)
        opened.on(
            "request", lambda asked: wrongs.append(asked.url) if not asked.url.startswith(("file:", "data:")) else None
        )
        opened.goto(file.as_uri())
        yield opened
        assert wrongs == []
        browser.close()


def test_it_is_drawn_whole_and_no_wider_than_the_window(page: Any) -> None:
    assert page.title().endswith("compiles") and "broken" not in page.title().partition("<")[0]
    assert page.locator("canvas").count() == 4
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_keyboard_walks_from_compile_to_place(page: Any) -> None:
    page.focus("#timeline")
    page.keyboard.press("End")
    assert page.inner_text("#told").startswith("compile 30 of 30: ")
    page.keyboard.press("ArrowLeft")
    assert page.inner_text("#told").startswith("compile 29 of 30: ")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.parentElement.open")


def test_a_hidden_cause_is_passed_over(page: Any) -> None:
    button = page.locator(".legend button").first
    hidden = button.get_attribute("data-why")
    button.click()
    page.focus("#timeline")
    for _ in range(25):
        page.keyboard.press("ArrowRight")
        assert f"because of `{hidden}`" not in page.inner_text("#told")


def test_the_table_is_sorted_by_what_is_clicked(page: Any) -> None:
    def places() -> list[str]:
        return [row.get_attribute("data-value") for row in page.locator("td.where").all()]

    page.click("th:nth-child(4) button")
    assert page.locator("th[aria-sort=ascending]").count() == 1
    ascending = places()
    page.click("th:nth-child(4) button")
    assert places() == ascending[::-1] != ascending
