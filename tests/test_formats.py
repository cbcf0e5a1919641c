"""The formats that other tools read, each against its published schema or the rules of its reader."""

import io
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import pytest
from command_line import Cli
from hypothesis import given
from hypothesis import strategies as st

from jaxfix.drivers import receipts as kept
from jaxfix.drivers.cli import terminal
from jaxfix.drivers.receipts import Receipt
from jaxfix.drivers.workflow import accounting
from jaxfix.drivers.workflow.looking import look
from jaxfix.drivers.workflow.request import Request
from jaxfix.drivers.workflow.targets import find_targets
from jaxfix.render import sarif
from jaxfix.render.account import Account, Known, Source, StaleEntry
from jaxfix.render.formats import FORMATS
from jaxfix.render.placing import place, place_in_bytes
from jaxfix.report.evidence import Comparison, Counts, Evidence, Verdict
from jaxfix.report.finding import Confidence, Fix, Safety
from jaxfix.report.measurement import Environment
from jaxfix.report.reason import Reason
from jaxfix.report.report import Anchor, Diagnostic, Related, Report, Seen
from jaxfix.source.edits import apply_edits
from jaxfix.source.source_file import SourceFile

jsonschema = pytest.importorskip("jsonschema")

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
GOLDEN = ROOT / "golden"
SLOW = "import jax\n\ny = jax.tiny_safe(1)\nz = jax.tiny_risky(2)  # kept\n"


@pytest.fixture(autouse=True)
def pack(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(TESTS / "pack")
    for name in ("NO_COLOR", "FORCE_COLOR", "JAXFIX_TRACEBACK"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository, as far as jaxfix asks, in whose folder `deep` it runs."""
    (tmp_path / ".git").mkdir()
    folder = tmp_path / "deep"
    folder.mkdir()
    (folder / "train.py").write_text(SLOW)
    monkeypatch.chdir(folder)
    return folder


def accounted(*paths: str) -> Account:
    """What `check` would tell of the files, with everything that a format may ask for."""
    looked_at = find_targets(Request(paths))
    looked = look(looked_at, terminal)
    account = Account(Report(looked.findings.diagnostics, looked.findings.errors))
    return accounting.cured(accounting.placed(account, looked.targets), looked.targets, terminal)


def finding(**more: Any) -> Diagnostic:
    known = Diagnostic(
        path="train.py",
        line=3,
        column=5,
        end_line=3,
        end_column=9,
        id="tiny-safe",
        message="`f` costs",
        confidence=Confidence.CERTAIN,
        safety=Safety.SAFE,
        title="Call `g`",
        fixable=True,
        declined=None,
        key="k",
        anchor=Anchor("<module>", "f()", "0123"),
    )
    return replace(known, **more)


# JSON


def strict(schema: Any) -> Any:
    """The schema, which takes nothing that it does not name."""
    if isinstance(schema, dict):
        closed = {name: strict(value) for name, value in schema.items()}
        return closed | {"additionalProperties": False} if "properties" in schema else closed
    return [strict(entry) for entry in schema] if isinstance(schema, list) else schema


def promised(name: str) -> Any:
    schema = json.loads((ROOT / "docs" / "schema" / f"{name}-1.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(strict(schema))


@pytest.mark.parametrize("options", [(), ("--statistics",), ("--baseline", "known.json"), ("gone.py",)])
def test_the_json_of_a_check_is_what_its_schema_says(project: Path, cli: Cli, options: tuple[str, ...]) -> None:
    Path("known.json").write_text(baseline({"path": "train.py", "id": "tiny-safe", "function": "f", "text": "x"}))
    document = json.loads(cli("check", "train.py", "--output-format", "json", *options).out)
    promised("check").validate(document)
    assert document["findings"] and ("baselines" in document) == ("--baseline" in options)


def test_the_json_of_an_apply_is_what_its_schema_says(project: Path, cli: Cli) -> None:
    Path("like.py").write_text("import jax\nx = jax.tiny_like(1)\n")
    done = cli("apply", "--no-prove", "--allow-no-vcs", "--allow-dirty", "--output-format", "json")
    document = json.loads(done.out)
    promised("apply").validate(document)
    assert document["fixes"] and document["held"]


def test_evidence_is_what_the_schema_says() -> None:
    comparison = Comparison("c", Verdict.PROVEN, "r", Counts(2, 1, 2, 0.5, 1), Counts(1, 0, 1, 0.0, 1), "equal", 0.0)
    machine = Environment("3.11", "0.10.2", "0.10.2", "cpu", "cpu")
    proof = Evidence("a.py", "k", "tiny-safe", "t", 1, Verdict.PROVEN, "r", (comparison,), machine, "run", "00")
    unknown = replace(proof, verdict=Verdict.FAILED, environment=None, comparisons=())
    report = Report((finding(),), (), (), (proof, unknown), (comparison,))
    promised("apply").validate(json.loads(FORMATS["json"](Account(report, written=False))))


def baseline(*entries: Mapping[str, object]) -> str:
    rows = [{**entry, "digest": "0" * 12, "count": 1} for entry in entries]
    return json.dumps({"format": "jaxfix baseline", "schema": 1, "findings": rows})


# SARIF


SARIF = jsonschema.Draft4Validator(json.loads((TESTS / "schemas" / "sarif-2.1.0-rtm.5.json").read_text()))


def run_of(log: str) -> Any:
    """The only run of a valid log."""
    document = json.loads(log)
    wrong = [f"{list(error.absolute_path)}: {error.message}" for error in SARIF.iter_errors(document)]
    assert not wrong, wrong
    (run,) = document["runs"]
    for location in locations(run):
        assert re.fullmatch(r"(file:///[A-Z]:|[a-z]+:)?[A-Za-z0-9._~%/-]*", location["uri"]), location
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    return run


def locations(node: Any) -> Iterator[Any]:
    if isinstance(node, dict):
        yield from [node] if "uri" in node else []
        node = list(node.values())
    for entry in node if isinstance(node, list) else []:
        yield from locations(entry)


def test_the_schema_refuses_what_is_no_sarif() -> None:
    log = json.loads(sarif.log(Account(Report((finding(),)), root="/r")))
    log["runs"][0]["results"][0]["level"] = "bad"
    assert list(SARIF.iter_errors(log))


def test_a_log_tells_where_what_and_how_sure(project: Path, cli: Cli) -> None:
    Path("maybe.py").write_text("import jax\n\njax.tiny_maybe(\n    1)\n")
    done = cli("check", "--all", "--output-format", "sarif")
    summary = "3 findings in 2 files; [*] 3 fixable, 1 of them after a rerun: `jaxfix apply --run CMD`\n"
    assert (done.code, done.err) == (1, summary)
    run = run_of(done.out)
    maybe, safe, risky = run["results"]
    (place,) = safe["locations"]
    assert place["physicalLocation"] == {
        "artifactLocation": {"uri": "deep/train.py", "uriBaseId": "%SRCROOT%", "index": 1},
        "region": {"startLine": 3, "startColumn": 5, "endLine": 3, "endColumn": 21},
    }
    assert run["originalUriBaseIds"]["%SRCROOT%"]["uri"] == f"{project.parent.resolve().as_uri()}/"
    assert [result["level"] for result in (maybe, safe, risky)] == ["note", "warning", "warning"]
    assert (safe["properties"]["safety"], risky["properties"]["safety"]) == ("safe", "needs-evidence")
    assert "needs a rerun" in risky["fixes"][0]["description"]["text"]
    assert run["invocations"] == [{"executionSuccessful": True, "toolExecutionNotifications": []}]


def test_what_could_not_be_read_and_what_is_stale_is_in_the_log(project: Path, cli: Cli) -> None:
    Path("known.json").write_text(baseline({"path": "train.py", "id": "tiny-safe", "function": "f", "text": "x"}))
    done = cli("check", "train.py", "--baseline", "known.json", "--output-format", "sarif")
    (stale,) = run_of(done.out)["invocations"][0]["toolExecutionNotifications"]
    assert stale["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "deep/known.json"
    Path("broken.py").write_text("import jax\njax.tiny_safe(\n")
    done = cli("check", ".", "gone.py", "--output-format", "sarif")
    invocation = run_of(done.out)["invocations"][0]
    assert (done.code, invocation["executionSuccessful"], len(invocation["toolExecutionNotifications"])) == (
        2,
        False,
        2,
    )


def test_a_bug_is_in_the_log(project: Path, cli: Cli) -> None:
    Path("train.py").write_text(SLOW + "jax.tiny_buggy()\n")
    done = cli("check", "--output-format", "sarif")
    told = run_of(done.out)["invocations"][0]["toolExecutionNotifications"]
    assert done.code == 3 and "a bug in jaxfix" in told[0]["message"]["text"] and "boom" in told[0]["message"]["text"]


@pytest.mark.parametrize("name", ["with space.py", "größe.py", "100%.py", "a:b,c.py", "ab#c?.py", "日本/x [1].py"])
def test_every_name_of_a_file_survives(project: Path, cli: Cli, name: str) -> None:
    Path(name).parent.mkdir(exist_ok=True)
    Path("train.py").rename(name)
    run = run_of(cli("check", "--output-format", "sarif").out)
    uri = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert unquote(uri) == f"deep/{name}" and urlparse(uri).path == uri
    assert read_command(cli("check", "--output-format", "github").out.splitlines()[0])["file"] == f"deep/{name}"
    assert json.loads(cli("check", "--output-format", "gitlab").out)[0]["location"]["path"] == f"deep/{name}"
    diagnostics = json.loads(cli("check", "--output-format", "rdjson").out)["diagnostics"]
    assert diagnostics[0]["location"]["path"] == name


@pytest.mark.parametrize("name", ["sarif", "github", "gitlab", "rdjson", "json"])
def test_bytes_of_a_name_that_are_no_text_break_nothing(project: Path, cli: Cli, name: str) -> None:
    odd = os.fsdecode(b"\xff.py")
    try:
        Path("train.py").rename(odd)
    except OSError:
        pytest.skip("the system knows no such names")
    done = cli("check", "--output-format", name, "--output-file", "out")
    assert done.code == 1 and b"tiny-safe" in Path("out").read_bytes()


@pytest.mark.parametrize(
    ("inside", "absolute", "expected"),
    [
        ("src/a.py", "/r/src/a.py", {"uri": "src/a.py", "uriBaseId": "%SRCROOT%"}),
        ("a:b.py", "/r/a:b.py", {"uri": "a%3Ab.py", "uriBaseId": "%SRCROOT%"}),
        (None, "/usr/lib/a b.py", {"uri": "file:///usr/lib/a%20b.py"}),
        (None, "C:/Users/J Doe/é.py", {"uri": "file:///C:/Users/J%20Doe/%C3%A9.py"}),
        (None, "//server/share/a.py", {"uri": "file://server/share/a.py"}),
        (None, None, {"uri": "train.py", "description": {"text": "standard input"}}),
    ],
)
def test_a_place_is_an_address(inside: str | None, absolute: str | None, expected: object) -> None:
    source = Source(SourceFile.decode("train.py", SLOW.encode()), inside, absolute)
    run = run_of(sarif.log(replace(account_of(finding()), root="C:/r", sources={"train.py": source})))
    location = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert {name: value for name, value in location.items() if name != "index"} == expected
    assert run["originalUriBaseIds"]["%SRCROOT%"]["uri"] == "file:///C:/r/"


def account_of(*findings: Diagnostic, **more: Any) -> Account:
    rules = accounting.rules(find_targets(Request((str(ROOT / "examples"),))).targets[0].codemods)
    return Account(Report(findings), root="/r", version="1.0", rules=rules, **more)


@pytest.mark.parametrize(
    ("here", "path", "expected"),
    [
        (".", "train.py", "deep/train.py"),
        ("..", "deep/train.py", "deep/train.py"),
        ("../../outside", "../project/deep/train.py", "deep/train.py"),
        ("../../outside", "loose.py", "loose.py"),
        ("../../..", "{outside}/loose.py", "{outside}/loose.py"),
    ],
)
def test_paths_start_at_the_repository_of_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: str, path: str, expected: str
) -> None:
    deep, outside = tmp_path / "project" / "deep", tmp_path / "outside"
    for folder in (deep, outside, tmp_path / "project" / ".git"):
        folder.mkdir(parents=True)
    for file in (deep / "train.py", outside / "loose.py"):
        file.write_text(SLOW)
    monkeypatch.chdir(deep)
    monkeypatch.chdir(here)
    words = {"outside": outside.relative_to(Path.cwd()).as_posix()} if "{" in path else {}
    account = accounted(path.format(**words))
    assert {account.place(entry.path) for entry in account.report.findings} == {expected.format(**words)}


def test_stdin_has_the_name_that_it_is_given(project: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*options: str) -> Any:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(SLOW.encode())))
        return run_of(cli("check", "-", "--output-format", "sarif", *options).out)

    named, unnamed = run("--stdin-filename", "new/one.py"), run()
    assert named["artifacts"][0]["location"] == {"uri": "deep/new/one.py", "uriBaseId": "%SRCROOT%"}
    assert unnamed["artifacts"][0]["location"]["description"] == {"text": "standard input"}


@pytest.mark.parametrize(
    ("version", "semantic"), [("0.1.0", "0.1.0"), ("1.2", "1.2.0"), ("1.0.0rc1.dev2+g0", "1.0.0-rc1.dev2.g0")]
)
def test_versions_are_semantic(version: str, semantic: str) -> None:
    assert run_of(sarif.log(replace(account_of(), version=version)))["tool"]["driver"]["semanticVersion"] == semantic


def test_braces_in_a_message_are_no_placeholder() -> None:
    run = run_of(sarif.log(account_of(finding(message="`{k: v[0]}` and `f'{x}'`"))))
    assert run["results"][0]["message"]["text"] == "`{{k: v[0]}}` and `f'{{x}}'`"


def test_code_in_a_message_is_no_link() -> None:
    run = run_of(sarif.log(account_of(finding(message="`x[0](y)` and [1] at `f`"))))
    assert run["results"][0]["message"]["text"] == "`x\\[0](y)` and [1] at `f`"


@pytest.mark.parametrize("name", sorted(set(FORMATS) - {"json"}))
def test_why_there_is_no_fix_is_told(name: str) -> None:
    source = Source(SourceFile.decode("train.py", SLOW.encode()), "train.py", "/r/train.py")
    odd = finding(fixable=False, safety=Safety.DISPLAY_ONLY, declined=Reason("odd", "it is odd"))
    assert "costs (no fix: it is odd)" in FORMATS[name](account_of(odd, sources={"train.py": source}))


def test_what_a_run_has_seen_weighs_more() -> None:
    seen = account_of(finding(confidence=Confidence.SEEN, seen=Seen(compiles=3, seconds=0.5)))
    (result,) = run_of(sarif.log(seen))["results"]
    told = result["properties"]["seen"]
    assert (result["level"], told["compiles"], told["seconds"]) == ("warning", 3, 0.5)
    assert json.loads(FORMATS["gitlab"](seen))[0]["severity"] == "major"


def test_why_it_repeats_is_in_the_log() -> None:
    loop = Related(line=7, column=1, end_line=8, end_column=3, message="in this loop")
    (result,) = run_of(sarif.log(account_of(finding(related=(loop,)))))["results"]
    (place,) = result["relatedLocations"]
    assert (place["message"]["text"], place["physicalLocation"]["region"]["startLine"]) == ("in this loop", 7)


def test_rules_are_as_long_as_github_takes_them() -> None:
    for rule in run_of(sarif.log(account_of()))["tool"]["driver"]["rules"]:
        assert len(rule["shortDescription"]["text"]) <= 1024 and len(rule["fullDescription"]["text"]) <= 1024
        assert "## Safety" in rule["help"]["markdown"] and urlparse(rule["helpUri"]).scheme == "https"


# fixes, made as their readers make them


def fixed_by_sarif(raw: bytes, encoding: str, run: Any, key: str) -> bytes:
    """The file after the fix of the result, by what the standard says of regions and replacements."""
    (result,) = (result for result in run["results"] if result["properties"]["key"] == key)
    assert run["columnKind"] == "unicodeCodePoints"
    bom = b"\xef\xbb\xbf" if raw.startswith(b"\xef\xbb\xbf") else b""
    text = raw[len(bom) :].decode(encoding)
    sequences = "|".join(map(re.escape, run["newlineSequences"]))
    starts = [0, *(match.end() for match in re.finditer(sequences, text))]
    (change,) = result["fixes"][0]["artifactChanges"]
    pieces, position = [], 0
    for replacement in sorted(change["replacements"], key=lambda entry: list(entry["deletedRegion"].values())):
        region = replacement["deletedRegion"]
        start = starts[region["startLine"] - 1] + region["startColumn"] - 1
        end = starts[region["endLine"] - 1] + region["endColumn"] - 1
        assert position <= start <= end <= len(text)
        pieces += [text[position:start], replacement.get("insertedContent", {}).get("text", "")]
        position = end
    return bom + "".join([*pieces, text[position:]]).encode(encoding)


def fixed_by_reviewdog(file: SourceFile, suggestion: Any) -> bytes:
    """The text after the suggestion: lines from 1, columns from 1 in bytes of UTF-8, the end exclusive."""
    ends = [match.end() for match in re.finditer(rb"\r\n|\n|\r", file.text)]
    starts = [0, *ends]
    start, end = (
        starts[place["line"] - 1] + place["column"] - 1
        for place in (suggestion["range"]["start"], suggestion["range"]["end"])
    )
    return file.text[:start] + suggestion["text"].encode() + file.text[end:]


def variants(text: str) -> dict[str, bytes]:
    odd = f"# -*- coding: latin-1 -*-\nü = 'ä'; {text.split(chr(10), 1)[0]}\n{text.split(chr(10), 1)[1]}"
    return {
        "plain": text.encode(),
        "crlf": text.replace("\n", "\r\n").encode(),
        "cr": text.replace("\n", "\r").encode(),
        "bom": b"\xef\xbb\xbf" + text.encode(),
        "latin-1": odd.encode("latin-1"),
        "astral": text.replace("z = ", "# 𝄞 é\nü = '𝄞é'; z = ").encode(),
        "no newline at the end": text.rstrip("\n").encode(),
    }


@pytest.mark.parametrize("variant", sorted(variants(SLOW)))
def test_a_fix_changes_the_same_bytes_by_whoever_makes_it(project: Path, variant: str) -> None:
    Path("train.py").write_bytes(variants(SLOW)[variant])
    check_fixes(accounted("train.py"), 2)


@pytest.mark.parametrize(
    "name", ["local_loop_function/basic", "local_jit/basic", "weak_state/basic", "unjitted_update/google_style"]
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_real_fixes_change_the_same_bytes_by_whoever_makes_them(project: Path, name: str, newline: str) -> None:
    text = (GOLDEN / f"{name}.py").read_bytes().decode()
    Path("train.py").write_bytes(text.replace("\n", newline).encode())
    check_fixes(accounted("train.py"), 1)


def check_fixes(account: Account, least: int) -> None:
    run, file = run_of(FORMATS["sarif"](account)), account.sources["train.py"].file
    wanted = {key: fix for (_, key), fix in account.fixes.items() if fix.edits and not fix.helpers}
    assert len(wanted) >= least
    proven = {("train.py", key): Known(proof(fix)) for key, fix in wanted.items()}
    told = json.loads(FORMATS["rdjson"](replace(account, receipts=proven)))["diagnostics"]
    suggested = {d.key: entry for d, entry in zip(account.report.findings, told, strict=True)}
    for key, fix in wanted.items():
        expected = apply_edits(file.text, fix.edits)
        assert fixed_by_sarif(file.raw, file.encoding, run, key) == file.encode(expected)
        (suggestion,) = suggested[key]["suggestions"]
        assert fixed_by_reviewdog(file, suggestion) == expected


def proof(fix: Fix, verdict: Verdict = Verdict.PROVEN) -> Evidence:
    return Evidence("train.py", fix.key, fix.codemod, fix.title, 1, verdict, "why", (), None, "python train.py", "00")


def test_a_fix_that_needs_a_generated_file_is_not_offered_by_itself(project: Path) -> None:
    Path("train.py").write_text("import jax\nx = jax.tiny_like(1)\n")
    account = accounted("train.py")
    (result,) = run_of(FORMATS["sarif"](account))["results"]
    assert "fixes" not in result and result["properties"]["needsGeneratedFile"]
    (diagnostic,) = json.loads(FORMATS["rdjson"](account))["diagnostics"]
    assert diagnostic["suggestions"] == []


@pytest.mark.parametrize(
    ("verdict", "when", "offered"),
    [
        (None, None, ["tiny-safe"]),
        (Verdict.PROVEN, None, ["tiny-safe", "tiny-risky"]),
        (Verdict.PROVEN, "2026-01-01", ["tiny-safe"]),
        (Verdict.NO_EFFECT, None, ["tiny-safe"]),
        (Verdict.DIFFERENT, None, []),
    ],
)
def test_only_what_is_safe_or_just_proven_is_one_click_away(
    project: Path, verdict: Verdict | None, when: str | None, offered: list[str]
) -> None:
    account = accounted("train.py")
    if verdict is not None:
        account = replace(account, receipts={key: Known(proof(f, verdict), when) for key, f in account.fixes.items()})
    told = json.loads(FORMATS["rdjson"](account))["diagnostics"]
    assert [entry["code"]["value"] for entry in told if entry["suggestions"]] == offered
    assert all(("proves it by a rerun" in e["message"]) == (not e["suggestions"]) for e in told)


CHARACTERS = ["a", "é", "𝄞", "\n", "\r", "\r\n", "\f", "\x85", "\u2028", "\v"]


@given(st.lists(st.sampled_from(CHARACTERS), max_size=12).map("".join))
def test_every_place_is_found_again_by_its_line_and_column(text: str) -> None:
    file = SourceFile("a.py", text.encode(), text.encode(), "utf-8", False)
    ends = [match.end() for match in re.finditer(r"\r\n|\n|\r", text)]
    starts, starts_in_bytes = [0, *ends], [0, *(len(text[:end].encode()) for end in ends)]
    for index in range(len(text) + 1):
        if text[index - 1 : index + 1] == "\r\n":
            continue  # nothing is between them
        offset = len(text[:index].encode())
        found, in_bytes = place(file, offset), place_in_bytes(file, offset)
        assert starts[found.line - 1] + found.column - 1 == index
        assert starts_in_bytes[in_bytes.line - 1] + in_bytes.column - 1 == offset


# fingerprints


def names(account: Account, name: str) -> list[str]:
    if name == "gitlab":
        return [issue["fingerprint"] for issue in json.loads(FORMATS["gitlab"](account))]
    return [result["partialFingerprints"][sarif.FINGERPRINT] for result in run_of(sarif.log(account))["results"]]


@pytest.mark.parametrize("name", ["sarif", "gitlab"])
def test_a_fingerprint_outlives_lines_above_and_layout(project: Path, name: str) -> None:
    before = names(accounted("train.py"), name)
    Path("train.py").write_text("'''Trains.'''\n\n" + SLOW.replace("tiny_safe(1)", "tiny_safe( 1 )  # slow"))
    assert names(accounted("train.py"), name) == before and len(set(before)) == 2


@pytest.mark.parametrize("name", ["sarif", "gitlab"])
def test_equal_findings_in_one_function_are_told_apart(project: Path, name: str) -> None:
    Path("train.py").write_text("import jax\n\n\ndef f():\n    jax.tiny_safe(1)\n    jax.tiny_safe(1)\n")
    assert len(set(names(accounted("train.py"), name))) == 2


@pytest.mark.parametrize(("name", "is_same"), [("sarif", True), ("gitlab", False)])
def test_a_file_that_is_renamed_keeps_its_fingerprints_where_its_path_is_told(
    project: Path, name: str, is_same: bool
) -> None:
    before = names(accounted("train.py"), name)
    Path("train.py").rename("other.py")
    assert (names(accounted("other.py"), name) == before) == is_same


# receipts


def test_what_reruns_have_shown_is_in_the_log_until_the_source_changes(project: Path, cli: Cli) -> None:
    account = accounted("train.py")
    fix = next(fix for fix in account.fixes.values() if fix.codemod == "tiny-risky")
    digest = kept.digest(Path("train.py"))
    assert digest is not None
    shown = replace(proof(fix, Verdict.DIFFERENT), path="deep/train.py", source_sha256=digest)
    kept.record(project.parent, "jaxfix apply", (Receipt(shown, "deep/train.py", None, None, None),))

    def receipt() -> Any:
        run = run_of(cli("check", "--output-format", "sarif").out)
        assert "receipt" not in run["results"][0]["properties"]
        return run["results"][1]["properties"]["receipt"]

    assert (receipt()["verdict"], receipt()["expired"]) == ("different", [])
    Path("train.py").write_text(SLOW + "\n")
    assert receipt()["expired"] == ["the source has changed"]


# apply


def test_an_apply_tells_what_it_wrote_and_what_is_left(project: Path, cli: Cli) -> None:
    done = cli("apply", "--no-prove", "--allow-no-vcs", "--allow-dirty", "--output-format", "sarif")
    run = run_of(done.out)
    (left,) = run["results"]
    assert (left["ruleId"], left["properties"]["held"][:13]) == ("tiny-risky", "needs a rerun")
    assert [made["ruleId"] for made in run["properties"]["fixes"]] == ["tiny-safe"]
    (artifact,) = run["artifacts"]
    assert artifact["hashes"]["sha-256"] == kept.digest(Path("train.py"))
    fixed = fixed_by_sarif(Path("train.py").read_bytes(), "utf-8", run, left["properties"]["key"])
    assert fixed.decode() == SLOW.replace("tiny_safe", "tiny_done").replace("tiny_risky", "tiny_done")


def test_a_diff_and_a_report_of_what_stands_go_together(project: Path, cli: Cli) -> None:
    done = cli("apply", "--no-prove", "--diff", "--output-format", "rdjson", "--output-file", "out.json")
    assert "+y = jax.tiny_done(1)" in done.out and Path("train.py").read_text() == SLOW
    told = json.loads(Path("out.json").read_text())["diagnostics"]
    assert [(entry["code"]["value"], len(entry["suggestions"])) for entry in told] == [
        ("tiny-safe", 1),
        ("tiny-risky", 0),
    ]
    done = cli("apply", "--diff", "--output-format", "sarif")
    assert done.code == 2 and "both want stdout" in done.err and "--output-file" in done.err


# notebooks


def test_of_a_notebook_the_cell_is_told_and_no_line_is_made_up(project: Path) -> None:
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    cells = [{**cell, "source": "import jax\n"}, {**cell, "source": "\ny = jax.tiny_safe(1)\n"}]
    document = {"cells": cells, "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}
    Path("train.ipynb").write_text(json.dumps(document))
    account = accounted("train.ipynb")
    (result,) = run_of(FORMATS["sarif"](account))["results"]
    assert result["message"]["text"].startswith("cell 2, line 2: ") and "fixes" not in result
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 1
    (diagnostic,) = json.loads(FORMATS["rdjson"](account))["diagnostics"]
    assert diagnostic["location"]["range"]["start"] == {"line": 1} and diagnostic["suggestions"] == []
    assert json.loads(FORMATS["gitlab"](account))[0]["location"]["lines"] == {"begin": 1, "end": 1}
    told = read_command(FORMATS["github"](account).strip())
    assert told["line"] == "1" and told["message"].startswith("train.ipynb:cell 2:2:5: tiny-safe")


# GitHub


def read_command(line: str) -> dict[str, str]:
    """A workflow command as the runner reads it: `::kind name=value,...::message`, each part unescaped."""
    match = re.fullmatch(r"::(\w+) ([^:]*)::(.*)", line)
    assert match is not None, line

    def read(value: str, escapes: str) -> str:
        for code in escapes.split():
            value = value.replace(f"%{code}", chr(int(code, 16)))
        return value.replace("%25", "%")

    properties = dict(entry.split("=", 1) for entry in match[2].split(","))
    told = {name: read(value, "0D 0A 3A 2C") for name, value in properties.items()}
    return {"kind": match[1], "message": read(match[3], "0D 0A"), **told}


def test_a_command_is_what_the_runner_reads() -> None:
    odd = finding(path="a,b:c%0A.py", message="100%, really: `x`", end_line=4)
    stale = StaleEntry("known.json", 7, "gone\nfor good")
    report = Report((odd, finding(confidence=Confidence.POSSIBLE)), ("a.py: cannot be\r\nread",))
    told = [
        read_command(line) for line in FORMATS["github"](Account(report, stale=(stale,), here="deep/")).splitlines()
    ]
    assert [entry["kind"] for entry in told] == ["warning", "notice", "error", "error"]
    assert (told[0]["file"], told[0]["line"], told[0]["endLine"]) == ("deep/a,b:c%0A.py", "3", "4")
    assert "col" not in told[0] and (told[1]["col"], told[1]["endColumn"]) == ("5", "9")
    assert told[0]["message"].endswith("tiny-safe [*] 100%, really: `x`")
    assert (told[2]["file"], told[2]["message"]) == ("deep/known.json", "gone\nfor good")
    assert told[3]["message"] == "a.py: cannot be\r\nread"


# GitLab and reviewdog: what their documentation names, and nothing else


def closed(required: dict[str, Any], **optional: Any) -> dict[str, Any]:
    properties = required | optional
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


TEXT, NUMBER = {"type": "string", "minLength": 1}, {"type": "integer", "minimum": 1}
ISSUE = closed(
    {
        "description": TEXT,
        "check_name": TEXT,
        "fingerprint": TEXT,
        "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
        "location": closed(
            {"path": {"type": "string", "pattern": "^[^./]"}, "lines": closed({"begin": NUMBER}, end=NUMBER)}
        ),
    }
)
PLACE = closed({"line": NUMBER}, column=NUMBER)
RANGE = closed({"start": PLACE}, end=PLACE)
SEVERITY = {"enum": ["UNKNOWN_SEVERITY", "ERROR", "WARNING", "INFO"]}
DIAGNOSTIC = closed(
    {"message": TEXT, "location": closed({"path": TEXT}, range=RANGE)},
    severity=SEVERITY,
    source=closed({"name": TEXT}, url=TEXT),
    code=closed({"value": TEXT}, url=TEXT),
    suggestions={"type": "array", "items": closed({"range": RANGE, "text": {"type": "string"}})},
)
RESULT = closed(
    {"diagnostics": {"type": "array", "items": DIAGNOSTIC}}, source=closed({"name": TEXT}, url=TEXT), severity=SEVERITY
)


def test_a_code_quality_report_has_what_gitlab_reads(project: Path, cli: Cli) -> None:
    Path("known.json").write_text(baseline({"path": "train.py", "id": "tiny-safe", "function": "f", "text": "x"}))
    done = cli("check", "--baseline", "known.json", "--output-format", "gitlab")
    issues = json.loads(done.out)
    jsonschema.validate(issues, {"type": "array", "items": ISSUE})
    assert [issue["check_name"] for issue in issues] == ["tiny-safe", "tiny-risky", "stale"]
    assert [issue["location"]["path"] for issue in issues] == ["deep/train.py", "deep/train.py", "deep/known.json"]
    assert len({issue["fingerprint"] for issue in issues}) == 3


def test_rdjson_has_what_reviewdog_reads(project: Path, cli: Cli) -> None:
    Path("known.json").write_text(baseline({"path": "train.py", "id": "tiny-safe", "function": "f", "text": "x"}))
    Path("train.py").write_text(SLOW.replace("y = ", "é = '𝄞'; y = "))
    document = json.loads(cli("check", "--baseline", "known.json", "--output-format", "rdjson").out)
    jsonschema.validate(document, RESULT)
    first, second, stale = document["diagnostics"]
    assert first["location"]["range"]["start"] == {"line": 3, "column": len("é = '𝄞'; y = ".encode()) + 1}
    assert [entry["severity"] for entry in (first, second, stale)] == ["WARNING", "WARNING", "ERROR"]


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_nothing_to_tell_is_told_too(project: Path, cli: Cli, name: str) -> None:
    Path("train.py").write_text("x = 1\n")
    done = cli("check", "--output-format", name)
    assert (done.code, done.err) == (0, "no findings in 1 file\n")
    if name == "sarif":
        assert run_of(done.out)["results"] == []
    elif name not in ("text", "github"):
        document = json.loads(done.out)
        assert document == [] or document.get("findings", document.get("diagnostics")) == []
    else:
        assert done.out == ""


# the file


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_the_file_has_what_stdout_would_have_and_the_summary_stays(
    project: Path, cli: Cli, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    to_stdout = cli("check", "--output-format", name)
    monkeypatch.setenv("FORCE_COLOR", "1")
    done = cli("check", "--output-format", name, "--output-file", "out")
    assert (done.code, done.out, Path("out").read_text()) == (1, "", to_stdout.out)
    assert "2 findings" in done.err
    if name != "text":  # in colours by now
        assert cli("check", "--output-format", name).out == to_stdout.out


@pytest.mark.parametrize("command", ["check", "apply"])
@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("gone/out.json", "there is no folder to write it into"),
        (".", "a folder, not a file to write"),
        ("", "a folder, not a file to write"),
        ("train.py", "is also an input"),
        ("../deep/./train.py", "is also an input"),
    ],
)
def test_a_file_that_cannot_be_meant_is_refused(project: Path, cli: Cli, command: str, name: str, told: str) -> None:
    done = cli(command, "--output-file", name)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1) and told in done.err
    assert Path("train.py").read_text() == SLOW and sorted(os.listdir()) == ["train.py"]


def test_a_baseline_is_not_written_over(project: Path, cli: Cli) -> None:
    Path("known.json").write_text(baseline())
    done = cli("check", "--baseline", "known.json", "--output-file", "known.json")
    assert done.code == 2 and Path("known.json").read_text() == baseline()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a disk that is full")
@pytest.mark.parametrize("name", ["text", "sarif"])
def test_what_was_done_is_told_where_the_report_cannot_be_written(project: Path, cli: Cli, name: str) -> None:
    words = ("--output-format", name, "--output-file", "/dev/full")
    done = cli("apply", "--no-prove", "--allow-no-vcs", "--allow-dirty", *words)
    assert (done.code, done.out) == (2, "") and "tiny_done(1)" in Path("train.py").read_text()
    assert done.err.startswith("1 finding fixed") and "jaxfix undo" in done.err
    assert done.err.endswith("error: /dev/full: cannot be written: no space left on device\n")
    checked = cli("check", *words)
    assert (checked.code, checked.out, checked.err.count("\n")) == (2, "", 1)


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_a_file_that_cannot_be_written_stays_as_it_was(project: Path, cli: Cli) -> None:
    Path("out").write_text("before")
    Path("out").chmod(0o444)
    done = cli("check", "--output-file", "out")
    assert (done.code, done.err) == (2, "error: out: cannot be written: it is read-only\n")
    assert Path("out").read_text() == "before" and sorted(os.listdir()) == ["out", "train.py"]


def test_who_stops_jaxfix_keeps_the_file_that_was_there(
    project: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stopped(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise KeyboardInterrupt

    Path("out").write_text("before")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(Stopped()))
    done = cli("check", "-", "--output-file", "out")
    assert (done.code, done.out, Path("out").read_text()) == (130, "", "before")
    assert sorted(os.listdir()) == ["out", "train.py"]


def test_a_pipe_takes_the_report(project: Path, cli: Cli) -> None:
    if not os.path.exists(os.devnull) or os.name == "nt":
        pytest.skip("no such device")
    done = cli("check", "--output-format", "gitlab", "--output-file", os.devnull)
    assert (done.code, done.out) == (1, "")


def test_counting_is_for_formats_that_can(project: Path, cli: Cli) -> None:
    done = cli("check", "--statistics", "--output-format", "sarif")
    assert (done.code, done.out) == (2, "") and "`text` and `json` can count" in done.err


@pytest.mark.parametrize("command", ["check", "apply"])
def test_a_format_that_nobody_knows_is_refused_with_those_that_are(cli: Cli, command: str) -> None:
    done = cli(command, "--output-format", "xml")
    names = ", ".join(f"`{name}`" for name in FORMATS)
    told = f"error: invalid value for `--output-format`: `xml` is not one of {names}; see `jaxfix {command} --help`\n"
    assert done == (2, "", told)
