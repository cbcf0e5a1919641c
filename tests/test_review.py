"""The review page's server and the report: who may ask, what is decided, what is written, and what is reported."""

import hashlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import review_project
from test_cli_prove import SEVERAL, several, wait_for_last

from jaxfix.drivers.cli import reviewing, terminal
from jaxfix.drivers.review import document, reporting
from jaxfix.drivers.review.look import Wishes, agenda_digest, informed, look
from jaxfix.drivers.review.state import ReviewState, Stale
from jaxfix.drivers.workflow.decisions import Choice, Decisions
from jaxfix.drivers.workflow.proof import Rerun
from jaxfix.drivers.workflow.request import Leave, Request
from jaxfix.drivers.workflow.trying import Proofs
from jaxfix.render import review_page
from jaxfix.report.evidence import Comparison, Counts, Course, Evidence, Verdict
from jaxfix.source.edits import Edit, Span
from jaxfix.source.errors import ConfigError, UserError, WriteError

ROOT = Path(__file__).resolve().parents[1]
WEB = ROOT / "web" / "review"
SLEEPER = f"{sys.executable} -c 'import time; time.sleep(600)'"
PATIENCE_S = 60


def wishes(command: str | None = None, path: str = ".") -> Wishes:
    return Wishes(Request((path,)), Rerun(command, None, 600))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(review_project.make(folder))
    return folder


def tree(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file() and not {".git", ".jaxfix"} & set(path.parts))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


# --- the review


def test_what_is_decided_is_kept_and_can_be_taken_back(project: Path) -> None:
    review = ReviewState(wishes(), terminal)
    assert len(review.seen.found) == 12
    review.decide(review.seen.number, [0, 3], Choice.ACCEPTED)
    review.decide(review.seen.number, [3, 4], Choice.REFUSED)
    after_a_crash = ReviewState(wishes(), terminal)
    assert after_a_crash.decisions == review.decisions
    review.decide(review.seen.number, [4], Choice.REFUSED)
    review.decide(review.seen.number, [-1, 99], Choice.ACCEPTED)
    assert review.undo() == (3, 4)
    assert ReviewState(wishes(), terminal).decisions.having(Choice.ACCEPTED) == set(review.seen.names([0, 3]))
    assert review.undo() == (0, 3) and not review.can_undo and not ReviewState(wishes(), terminal).decisions.choices


def test_a_fix_is_taken_as_it_is_written_on_the_page(project: Path) -> None:
    review = ReviewState(wishes(), terminal)
    shown = review.seen.found[0].patch.after.decode().replace("\r\n", "\n")  # as a browser has it
    review.edit(1, 0, shown.replace("_batches_jitted", "_wave"))
    assert document.choices(review.seen, review.decisions)[:2] == ["accepted", None] and review.seen.number == 2
    assert review.plan().unproven == (0,)
    review.write(review.plan().digest)
    expected = review_project.fixed(1)["data.py"].replace(b"_batches_jitted", b"_wave")
    assert (project / "data.py").read_bytes() == expected


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda text: text + "\n)", "not valid Python"),
        (lambda text: review_project.FILES["data.py"].decode(), "nothing of the fix is left"),
    ],
)
def test_what_cannot_be_taken_changes_nothing(project: Path, made: Callable[[str], str], message: str) -> None:
    review = ReviewState(wishes(), terminal)
    with pytest.raises(UserError, match=message):
        review.edit(1, 0, made(review.seen.found[0].patch.after.decode()))
    assert review.decisions == Decisions() and not review.can_undo


def test_an_edited_fix_is_as_it_was_found_again(project: Path) -> None:
    review = ReviewState(wishes(), terminal)
    shown = review.seen.found[0].patch.after.decode()
    review.edit(1, 0, shown + "\n# mine")
    review.edit(2, 0, None)
    assert not review.decisions.edited and review.seen.number == 3
    assert review.undo() == () and list(review.decisions.edited) == [review.seen.found[0].name]
    review.edit(review.seen.number, 0, shown)
    assert not review.decisions.edited and document.choices(review.seen, review.decisions)[0] == "accepted"


def test_what_is_decided_can_be_forgotten_and_that_taken_back(project: Path) -> None:
    review = ReviewState(wishes(), terminal)
    review.decide(1, [0, 1], Choice.REFUSED)
    review.decide(1, [2], Choice.ACCEPTED)
    with pytest.raises(Stale):
        review.forget(review.seen.number + 1)
    review.forget(review.seen.number)
    assert not review.can_forget and document.choices(review.seen, review.decisions) == [None] * 12
    assert ReviewState(wishes(), terminal).decisions.choices == {}
    assert review.undo() == (0, 1, 2)
    assert document.choices(ReviewState(wishes(), terminal).seen, review.decisions)[:3] == [
        "refused",
        "refused",
        "accepted",
    ]


def test_exactly_what_was_shown_is_written_and_put_back(project: Path) -> None:
    before = tree(project)
    review = ReviewState(wishes(), terminal)
    review.decide(review.seen.number, [0, 1, 6, 9], Choice.ACCEPTED)
    review.decide(review.seen.number, [2], Choice.REFUSED)
    plan = review.plan()
    shown = {entry.path: entry.after for entry in plan.files}
    assert plan.problem is None and len(plan.titles) == 4 and not plan.unmade
    review.write(plan.digest)
    assert tree(project) == before | shown != before
    assert review.written is not None and len(review.seen.found) == 8
    assert review.decisions.having(Choice.REFUSED)
    assert not ReviewState(wishes(), terminal).decisions.having(Choice.ACCEPTED)
    review.take_back(review.written.mark.number)
    assert tree(project) == before and len(review.seen.found) == 12
    assert len(review.decisions.having(Choice.ACCEPTED)) == 4


def test_a_write_is_put_back_where_no_project_holds_the_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "model.py").write_bytes(review_project.FILES["model.py"])
    monkeypatch.chdir(tmp_path)
    before = tree(tmp_path)
    review = ReviewState(replace(wishes(), leave=Leave(no_vcs=True)), terminal)
    review.decide(review.seen.number, [0], Choice.ACCEPTED)
    review.write(review.plan().digest)
    assert review.written is not None and tree(tmp_path) != before
    review.take_back(review.written.mark.number)
    assert tree(tmp_path) == before


def test_a_plan_that_changes_nothing_is_no_write(project: Path) -> None:
    review = ReviewState(wishes(), terminal)
    review.decide(review.seen.number, [0], Choice.ACCEPTED)
    review.write(review.plan().digest)
    before, first = tree(project), review.written
    with pytest.raises(WriteError, match="no accepted fix changes a file"):
        ReviewState(replace(wishes(), leave=Leave(dirty=True)), terminal).write(review.plan().digest)
    with pytest.raises(WriteError, match="no accepted fix changes a file"):
        review.write(review.plan().digest)
    assert tree(project) == before and review.written is first


def test_a_write_stands_where_its_decisions_cannot_be_kept(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = tree(project)
    review = ReviewState(wishes(), terminal)
    review.decide(review.seen.number, [0], Choice.ACCEPTED)
    kept = project / ".jaxfix" / "decisions.json"
    kept.write_text(kept.read_text().replace('"schema": 1', '"schema": 2'))
    review.write(review.plan().digest)
    assert tree(project) != before and review.written is not None and len(review.seen.found) == 11
    assert review.problem is not None and "nothing is remembered" in review.problem
    review.take_back(review.written.mark.number)
    assert tree(project) == before


def test_a_proof_holds_for_the_code_that_was_rerun(project: Path) -> None:
    review = ReviewState(wishes(), terminal)
    held = next(number for number, entry in enumerate(review.seen.found) if entry.held is not None)
    name = review.seen.found[held].name
    review._ended(Proofs({name: proven(review, held)}))

    def is_proven() -> bool:
        entry = next(entry for entry in review.seen.found if entry.name == name)
        return entry.held is None and entry.known is not None and entry.known.when is None

    assert is_proven()
    review.look_again()
    assert is_proven()
    review.decide(review.seen.number, [0], Choice.ACCEPTED)
    review.write(review.plan().digest)
    assert is_proven() and review.written is not None  # it is the same program, with what was agreed to
    review.take_back(review.written.mark.number)
    assert is_proven()
    path = project / name.path
    path.write_bytes(path.read_bytes() + b"\nLATER = 1\n")
    review.look_again()
    assert not is_proven()


def test_names_that_are_no_utf_8_can_be_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / os.fsdecode(b"m\xff.py")
    try:
        path.write_bytes(review_project.FILES["model.py"])
    except OSError:
        pytest.skip("this file system has no such names")
    monkeypatch.chdir(tmp_path)
    review = ReviewState(replace(wishes(), leave=Leave(no_vcs=True)), terminal)
    review.decide(review.seen.number, [0], Choice.ACCEPTED)
    path.write_bytes(path.read_bytes() + b"# mine\n")
    told = document.plan(review.plan())
    assert "has changed" in str(told["problem"])
    json.dumps([told, document.state(review)], ensure_ascii=False).encode()
    with serving_of(review) as server:
        answer, content = server.ask("POST", "/api/write", {"digest": review.plan().digest})
        assert answer.status == 422 and b"has changed" in content


def test_a_plan_that_was_not_shown_is_not_written(project: Path) -> None:
    before = tree(project)
    review = ReviewState(wishes(), terminal)
    review.decide(review.seen.number, [0], Choice.ACCEPTED)
    digest = review.plan().digest
    review.decide(review.seen.number, [1], Choice.ACCEPTED)
    with pytest.raises(Exception, match="has changed since it was shown"):
        review.write(digest)
    assert tree(project) == before


def test_a_file_that_has_changed_is_noticed_and_not_written_over(project: Path) -> None:
    review = ReviewState(wishes(), terminal)
    review.decide(review.seen.number, list(range(12)), Choice.ACCEPTED)
    path = project / review.seen.found[0].name.path
    path.write_bytes(path.read_bytes() + b"\n# mine\n")
    before = tree(project)
    review.watch_files()
    assert review.changed == (review.seen.found[0].name.path,)
    problem = review.plan().problem
    assert problem is not None and review.seen.found[0].name.path in problem
    with pytest.raises(Exception, match=re.escape(review.seen.found[0].name.path)):
        review.write(review.plan().digest)
    assert tree(project) == before
    review.look_again()
    assert not review.changed and len(review.decisions.having(Choice.ACCEPTED)) == 12


def test_a_yes_to_something_else_runs_nothing(project: Path) -> None:
    review = ReviewState(wishes("python train.py"), terminal)
    with pytest.raises(Exception, match="has changed since it was shown"):
        review.prove("0" * 64)
    assert not review.is_running


def waited(is_so: Callable[[], bool]) -> bool:
    end = time.monotonic() + PATIENCE_S
    while not is_so() and time.monotonic() < end:
        time.sleep(0.05)
    return is_so()


def test_a_cancelled_rerun_ends_with_its_program(project: Path) -> None:
    review = ReviewState(wishes(SLEEPER), terminal)
    agenda = document.document(review.seen, review.decisions, (), review.rerun, "review")["agenda"]
    assert isinstance(agenda, dict) and agenda["command"] == SLEEPER
    review.prove(agenda["digest"])
    assert waited(lambda: any("rerunning" in line for line in review.run.log))
    assert review.plan().problem is not None  # nothing is written meanwhile
    review.cancel()
    assert waited(lambda: review.run.state == "cancelled")
    assert not review.is_running
    review.close()


@pytest.mark.evidence
@pytest.mark.slow  # as `test_cli_prove` has it, with a server
def test_what_is_judged_when_a_rerun_is_cancelled_stays(
    project: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("jax")
    monkeypatch.syspath_prepend(ROOT / "tests" / "pack")
    (project / "train.py").write_text(SEVERAL)
    runs = tmp_path_factory.mktemp("outside") / "runs"
    review = ReviewState(Wishes(Request(("train.py",), ("tiny-ready",)), Rerun(several(runs), None, 600)), terminal)
    assert review.seen.agenda is not None
    review.prove(agenda_digest(review.seen.agenda))
    wait_for_last(runs)
    review.cancel()
    assert waited(lambda: review.run.state == "cancelled")
    assert review.run.message == "the rerun was cancelled; by then 2 fixes tried, 1 proven, and that is kept"
    known = [entry.known.evidence.verdict for entry in review.seen.found if entry.known is not None]
    assert known == [Verdict.DIFFERENT, Verdict.PROVEN]
    review.close()
    assert len(list((project / ".jaxfix" / "receipts").glob("*.json"))) == 1


# --- the server


@dataclass(frozen=True)
class Served:
    review: ReviewState
    port: int
    token: str

    def ask(
        self, method: str, path: str, body: object = None, **headers: str
    ) -> tuple[http.client.HTTPResponse, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        given = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        raw = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        connection.request(method, path, raw, {k: v for k, v in (given | named).items() if v})
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer, content

    def told(self, path: str, body: object) -> dict[str, object]:
        answer, content = self.ask("POST", path, body)
        assert answer.status == 200, content
        found: dict[str, object] = json.loads(content)
        return found


@contextmanager
def serving_of(review: ReviewState) -> Iterator[Served]:
    pytest.importorskip("starlette")
    pytest.importorskip("uvicorn")
    from jaxfix.drivers.review import serving
    from jaxfix.drivers.review.server import Closing

    closing = Closing()
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port = bound.getsockname()[1]
        server = serving._Server(serving._config(review, port, "secret", closing), closing)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
        thread.start()
        assert waited(lambda: server.started)
        yield Served(review, port, "secret")
        closing.close()
        server.should_exit = True
        thread.join()


@pytest.fixture
def served(project: Path) -> Iterator[Served]:
    with serving_of(ReviewState(wishes(), terminal)) as server:
        yield server


@pytest.fixture(scope="module")
def left_alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for all who are refused."""
    folder = tmp_path_factory.mktemp("left-alone")
    (folder / "model.py").write_bytes(review_project.FILES["model.py"])
    with serving_of(ReviewState(wishes(path=str(folder)), terminal)) as server:
        yield server
        assert not server.review.decisions.choices


@pytest.mark.parametrize("path", ["/", "/assets/review.js", "/assets/none.js", "/api/document", "/nowhere"])
def test_every_answer_keeps_the_page_to_itself(left_alone: Served, path: str) -> None:
    answer, content = left_alone.ask("GET", path)
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
    assert answer.headers["X-Content-Type-Options"] == "nosniff" and answer.headers["Cache-Control"] == "no-store"
    assert not [name for name in answer.headers if name.lower().startswith("access-control")]
    if path == "/":
        assert str(left_alone.review.seen.root) not in content.decode() and "secret" not in content.decode()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1"}, 421),
        ({"Authorization": ""}, 401),
        ({"Authorization": "Bearer guess"}, 401),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec_Fetch_Site": "cross-site"}, 403),
        ({"Sec_Fetch_Site": "same-site"}, 403),
    ],
)
@pytest.mark.parametrize("path", ["/api/document", "/api/events", "/api/decide"])
def test_who_is_not_the_page_neither_reads_nor_decides(
    left_alone: Served, path: str, headers: dict[str, str], status: int
) -> None:
    body = {"document": 1, "fixes": [0], "choice": "accepted"} if path == "/api/decide" else None
    answer, content = left_alone.ask("POST" if body else "GET", path, body, **headers)
    assert answer.status == status
    assert b"project" not in content and not left_alone.review.decisions.choices


@pytest.mark.parametrize(
    ("method", "path", "body", "headers", "status"),
    [
        ("OPTIONS", "/api/document", None, {}, 405),
        ("GET", "/api/write", None, {}, 405),
        ("POST", "/api/decide", b"fixes=1", {"Content_Type": "text/plain"}, 415),
        ("POST", "/api/decide", b"{", {}, 400),
        ("POST", "/api/decide", b"[]", {}, 400),
        ("POST", "/api/decide", {"document": 1, "fixes": ["0"], "choice": None}, {}, 400),
        ("POST", "/api/decide", {"document": 1, "fixes": [0], "choice": "perhaps"}, {}, 400),
        ("POST", "/api/decide", {"document": 7, "fixes": [0], "choice": None}, {}, 409),
        ("POST", "/api/write", {"digest": "0"}, {}, 422),
        ("POST", "/api/prove", {"digest": 1}, {}, 400),
        ("POST", "/api/decide", b" " * 1_000_001, {}, 413),
    ],
)
def test_what_makes_no_sense_changes_nothing(
    left_alone: Served, method: str, path: str, body: object, headers: dict[str, str], status: int
) -> None:
    answer, content = left_alone.ask(method, path, body, **headers)
    assert answer.status == status, content
    assert not left_alone.review.decisions.choices


def test_all_pages_hear_of_a_decision(served: Served) -> None:
    heard: list[list[str | None]] = []

    def listen() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=PATIENCE_S)
        connection.request("GET", "/api/events", headers={"Authorization": "Bearer secret"})
        stream = connection.getresponse()
        for line in stream:
            if line.startswith(b"data: "):
                heard.append(json.loads(line[6:])["choices"])
                if heard[-1][5] == "refused":
                    connection.close()
                    return

    pages = [threading.Thread(target=listen) for _ in range(2)]
    for page in pages:
        page.start()
    assert waited(lambda: len(heard) >= 2)
    state = served.told("/api/decide", {"document": 1, "fixes": [5], "choice": "refused"})
    for page in pages:
        page.join(PATIENCE_S)
    assert heard[-1] == state["choices"]


def test_it_is_decided_and_written_over_the_wire(served: Served, project: Path) -> None:
    before = tree(project)
    _, content = served.ask("GET", "/api/document")
    told = json.loads(content)
    assert len(told["fixes"]) == 12 and len(told["files"]) == 6 and told["choices"] == [None] * 12
    served.told("/api/decide", {"document": told["number"], "fixes": [0, 1], "choice": "accepted"})
    plan = served.told("/api/plan", {})
    state = served.told("/api/write", {"digest": plan["digest"]})
    written = state["written"]
    assert isinstance(written, dict) and written["fixes"] == plan["fixes"] and tree(project) != before
    assert served.told("/api/take-back", {"number": written["number"]})["written"]["undone"]  # type: ignore[index]
    assert tree(project) == before


# --- the document and the report


@pytest.mark.parametrize(
    ("before", "after"),
    [("", "a\n"), ("a\nb\nc\n", "a\nc\n"), ("a\r\nb", "x\r\na\r\nb"), ("a\nb\n", "a\nb\n"), ("a\x0cb\n", "a\x0cc\n")],
)
def test_changes_turn_the_lines_of_one_text_into_those_of_the_other(before: str, after: str) -> None:
    def lines(text: str) -> list[str]:
        found = re.split(r"\r\n|\n|\r", text)
        return found[:-1] if found[-1] == "" else found

    made, position = [], 0
    for start, removed, added in document.changes(before, after):
        made += [*lines(before)[position:start], *added]
        position = start + removed
    assert made + lines(before)[position:] == lines(after)


def test_a_report_is_one_page_that_loads_nothing(project: Path) -> None:
    evil = project / "<script>alert(1)<" / "script>.py"
    evil.parent.mkdir()
    evil.write_text("# </script><script>alert(1)</script>\u2028<!--\n" + (project / "model.py").read_text())
    seen = look(wishes(), 1, terminal)
    page = reporting.report(seen, wishes(), terminal, prove=False)
    assert len(seen.found) > 12
    assert "</script><script>alert" not in page and "\u2028" not in page.partition('id="data">')[2].partition("<")[0]
    assert str(project) not in page and not re.findall(r'(?:src|href)="(?!data:,)', page)
    told = json.loads(page.partition('id="data">')[2].partition("</script>")[0])
    assert told["kind"] == "report" and any("</script>" in entry["text"] for entry in told["files"])
    for element, directive in (("style", "style-src"), ("script", "script-src")):
        inner = page.rpartition(f"<{element}>")[2].partition(f"</{element}>")[0]
        assert f"{directive} '{review_page._digest(inner)}'" in page


def test_the_bundle_is_made_of_the_sources_that_are_there() -> None:
    names = ["build.mjs", "package-lock.json", "package.json", "tsconfig.json"]
    names += [f"src/{path.name}" for path in (WEB / "src").iterdir()]
    digest = hashlib.sha256()
    for name in sorted(names):
        digest.update(f"{name}\n".encode() + (WEB / name).read_bytes())
    for name in ("review.js", "review.css"):
        assert f"of sources {digest.hexdigest()} " in review_page.asset(name).decode()[:200], "run `npm run build`"


@pytest.mark.slow
def test_the_bundle_is_what_the_build_makes() -> None:
    if not (WEB / "node_modules").is_dir():
        pytest.skip("`npm ci` has not been run in web/review")
    subprocess.run(["node", "build.mjs", "--check"], cwd=WEB, check=True)


# --- the command line


def test_without_its_libraries_it_says_what_to_install(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from jaxfix.drivers.cli.start import run

    monkeypatch.setattr(reviewing, "find_spec", lambda name: None)
    assert run(["review", "--no-open"]) == 2
    assert "needs starlette and uvicorn; run `pip install 'jaxfix[review]'`" in capsys.readouterr().err


def test_what_is_not_there_cannot_be_reviewed(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from jaxfix.drivers.cli.start import run

    pytest.importorskip("uvicorn")
    assert run(["review", "--no-open", "nowhere.py"]) == 2
    assert "nowhere.py: no such file" in capsys.readouterr().err


def test_a_port_is_free_again_at_once_and_served_by_one_alone() -> None:
    pytest.importorskip("uvicorn")
    from jaxfix.drivers.review import serving

    with serving._bound(None) as first:
        port = first.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as page:
            first.accept()[0].close()
            assert page.recv(1) == b""
        with pytest.raises(ConfigError, match=f"port {port} cannot be served"), serving._bound(port):
            pass
    with serving._bound(port) as again:
        assert again.getsockname()[1] == port


def test_ctrl_c_ends_it_cleanly(project: Path) -> None:
    pytest.importorskip("uvicorn")
    command = [sys.executable, "-m", "jaxfix", "review", "--no-open"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ | {"NO_COLOR": "1"}) as process:
        assert process.stderr is not None
        link = process.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/#token=([\w-]{40,})$", link.strip())
        assert found, link
        answer, content = Served(None, int(found[1]), found[2]).ask("GET", "/api/state")  # type: ignore[arg-type]
        assert answer.status == 200, content
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 0
        assert "0 fixes accepted, 0 rejected" in process.stderr.read()


def proven(review: ReviewState, number: int) -> Evidence:
    """What a rerun could have shown of one fix."""
    entry = review.seen.found[number]
    steps = tuple(range(1, 9))
    before = Course(steps, (1,) * 8, tuple(10**8 + 10**6 * step for step in steps))
    after = Course(steps, (1, *[0] * 7), (10**8,) * 8)
    counts = [Counts(8, 1, 8, 1e6, 10**8, 2.0), Counts(1, 0, 1, 0.0, 10**8, 0.3)]
    comparison = Comparison("python train.py", Verdict.PROVEN, "fewer", *counts, "bitwise equal", 0.0)
    shown = (replace(comparison, course_before=before, course_after=after),)
    path, key = entry.name
    words = (entry.fix.codemod, entry.fix.title, 1, Verdict.PROVEN, "fewer")
    return Evidence(path, key, *words, shown, None, "python train.py", "0")


def test_what_a_program_can_prove_is_not_said_to_lack_one(project: Path) -> None:
    without, named = (ReviewState(wishes(command), terminal).seen for command in (None, "python train.py"))
    reasons = [{entry.held for entry in seen.found} - {None} for seen in (without, named, informed(named, {}))]
    assert [len(each) for each in reasons] == [1, 1, 1]
    lacking, waiting, later = (each.pop() or "" for each in reasons)
    assert "no program to rerun" in lacking and "not run yet" in waiting and later == waiting
    assert any(words.startswith("to prove them: `jaxfix review ") for words in without.notes) and not named.notes


def test_what_a_rerun_shows_goes_to_the_page_with_its_steps(project: Path) -> None:
    review = ReviewState(wishes(), terminal)
    held = next(number for number, entry in enumerate(review.seen.found) if entry.held is not None)
    evidence = proven(review, held)
    seen = informed(review.seen, {review.seen.found[held].name: evidence})
    told = document.document(seen, review.decisions, (), review.rerun, "review")
    fix = told["fixes"][held]  # type: ignore[index]
    assert fix["held"] is None and fix["past"] is None and seen.number == review.seen.number + 1
    assert fix["proof"]["comparisons"][0]["course_before"]["compiles"] == [1] * 8
    assert "compiles per step 1 -> 0" in fix["proof"]["story"]


def test_what_a_person_has_edited_is_not_proven(project: Path) -> None:
    review = ReviewState(wishes(), terminal)
    name = review.seen.found[0].name
    review.decisions = review.decisions.with_text(name, (Edit(Span(0, 0), "# mine\n"),))
    review.decide(review.seen.number, [0], Choice.ACCEPTED)
    seen = informed(review.seen, {name: proven(review, 0)})
    told = document.document(seen, review.decisions, (), review.rerun, "review")
    fix = told["fixes"][0]  # type: ignore[index]
    assert fix["edited"] and fix["proof"] is None and fix["held"] == document.EDITED
    assert fix["changes"] == [(0, 0, ["# mine"])] and review.plan().unproven == (0,)


def test_a_report_is_written_where_it_is_wanted(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from jaxfix.drivers.cli.start import run

    before = tree(project)
    assert run(["report", "-o", "out.html"]) == 0
    assert "wrote out.html: 12 fixes in 6 files" in capsys.readouterr().err
    assert tree(project) == before | {"out.html": (project / "out.html").read_bytes()}
    written = tree(project)
    ran = project.parent / "ran"
    command = f'{sys.executable} -c \'open("{ran}", "w")\''
    for wrong in (".", "model.py", "none/out.html"):
        assert run(["report", "-o", wrong, "--run", command]) == 2
    assert "`-o model.py` is also an input" in capsys.readouterr().err
    assert tree(project) == written and not ran.exists()
