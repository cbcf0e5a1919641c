"""What `json_report` writes, as JSON Schema: `python -m jaxfix.docs` puts it beside the pages."""

from jaxfix.report.change import Proven
from jaxfix.report.evidence import Comparison, Evidence
from jaxfix.report.finding import Confidence, Fate, Safety
from jaxfix.report.report import SCHEMA, Related, Seen
from jaxfix.report.seal import Seal
from jaxfix.report.trace.gains import Went
from jaxfix.report.wire_schema import Schema, described, object_of, or_null, schema_of

_TEXT: Schema = {"type": "string"}
_KIND = "what kind of reason that is: docs/reasons.md lists them"
_WHOLE: Schema = {"type": "integer"}
_YES: Schema = {"type": "boolean"}
_VERSION: Schema = {"schema": {"const": SCHEMA}}
_PROMISE = "What is here stays while `schema` is the same; new properties may come at any time."


def check() -> Schema:
    """Of what `jaxfix check --output-format json` writes."""
    known: dict[str, Schema] = {}
    properties = _found(known) | {
        "not_shown": described(_WHOLE, "how many findings `--all` would add"),
        "baselines": described(_list(_baseline()), "what each baseline knows; there only if there are any"),
        "statistics": {
            "description": "how many findings each codemod has, by id; there with `--statistics`",
            "type": "object",
            "additionalProperties": _WHOLE,
        },
    }
    return _document("check", object_of(f"What is found. {_PROMISE}", properties, ("baselines", "statistics")), known)


def apply() -> Schema:
    """Of what `jaxfix apply --output-format json` writes."""
    known: dict[str, Schema] = {}
    fix = {"path": _TEXT, "id": described(_TEXT, "of the codemod"), "title": _TEXT}
    key = {
        "key": described(_TEXT, "names the fix in its file"),
        "seen": or_null(schema_of(Seen, known)),
    }
    made = object_of("A fix that was made.", {**fix, "safety": schema_of(Safety, known), **key})
    held = object_of(
        "A fix that was not made, and why.", {**fix, **key, "reason": _TEXT, "reason_code": described(_TEXT, _KIND)}
    )
    functions = {"new": _YES, "functions": described(_list(_TEXT), "those that the fixed code imports")}
    generated = object_of("A file of helper functions that was written, or would be.", {"path": _TEXT, **functions})
    properties = _found(known) | {
        "written": described(_YES, "whether any file was"),
        "fixes": _list(made),
        "generated": _list(generated),
        "held": _list(held),
        "evidence": described(_list(schema_of(Evidence, known)), "what reruns have shown"),
        "together": described(
            _list(schema_of(Comparison, known)), "each case without any fix and with all proven ones"
        ),
        "seal": described(
            or_null(schema_of(Seal, known)), "the sources that the evidence is about: `jaxfix verify` reads it"
        ),
        "run": described(or_null(schema_of(Went, known)), "where the time went, without and with all proven fixes"),
    }
    told = f"What remains, what was done, and what was shown. {_PROMISE}"
    return _document("apply", object_of(told, properties), known)


def prove() -> Schema:
    """Of what `jaxfix prove --output-format json` writes."""
    known: dict[str, Schema] = {}
    schema_of(Proven, known)
    body = known.pop("proven")
    told = f"{body['description']} {_PROMISE}"
    properties = body["properties"]
    assert isinstance(properties, dict)
    return _document("prove", body | {"description": told, "properties": properties | _VERSION}, known)


def upgrade() -> Schema:
    """Of what `jaxfix upgrade --output-format json` writes."""
    known: dict[str, Schema] = {}
    finding = _finding(known)
    properties = finding["properties"]
    assert isinstance(properties, dict)
    properties["fate"] = or_null(schema_of(Fate, known))
    finding["required"] = [name for name in properties if name != "cell"]
    counts = {
        "raises_today": "lines that raise with the installed version",
        "raises_at_the_target": "lines that raise with the target, and not yet today",
        "warns": "other lines with something that is deprecated",
        "differs": "lines that silently do something else",
        "safe": "findings whose fix is safe",
        "renames": "findings whose fix is a rename, which `--write` takes without a run",
        "needs_evidence": "findings whose fix a run has to prove",
        "by_hand": "findings without a fix",
    }
    told: dict[str, Schema] = {
        "schema": {"const": SCHEMA},
        "from": described(or_null(_TEXT), "the version that the project was written for"),
        "today": described(or_null(_TEXT), "the installed version"),
        "to": described(or_null(_TEXT), "the target; null is the newest"),
        "files": described(_WHOLE, "how many were analysed"),
        **{name: described(_WHOLE, what) for name, what in counts.items()},
        "findings": _list(finding),
        "errors": described(_list(_TEXT), "sentences, each of which names its subject"),
    }
    return _document("upgrade", object_of(f"What another version makes of a project. {_PROMISE}", told), known)


def _document(command: str, body: Schema, known: dict[str, Schema]) -> Schema:
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"jaxfix {command} --output-format json, schema {SCHEMA}",
    }
    return head | body | {"$defs": known}


def _found(known: dict[str, Schema]) -> dict[str, Schema]:
    return {
        "schema": {"const": SCHEMA},
        "findings": _list(_finding(known)),
        "errors": described(_list(_TEXT), "sentences, each of which names its subject"),
    }


def _finding(known: dict[str, Schema]) -> Schema:
    properties = {
        "path": described(_TEXT, "from where jaxfix ran, with `/`"),
        "cell": described(_WHOLE, "of a notebook, from 1, within which lines count; there only for notebooks"),
        "line": described(_WHOLE, "from 1"),
        "column": described(_WHOLE, "from 1, in code points"),
        "end_line": _WHOLE,
        "end_column": described(_WHOLE, "exclusive"),
        "id": described(_TEXT, "of the codemod"),
        "message": _TEXT,
        "confidence": schema_of(Confidence, known),
        "certain_if": described(_TEXT, "what would make a possible finding certain; there only where that is known"),
        "estimate": described(_TEXT, "what it costs as far as the code shows; there only where that is known"),
        "safety": schema_of(Safety, known),
        "title": described(_TEXT, "the fix, as an imperative"),
        "fixable": _YES,
        "declined": described(or_null(_TEXT), "why it is not fixable"),
        "declined_code": described(or_null(_TEXT), _KIND),
        "declined_line": described(or_null(_WHOLE), "the line that this is about, where it is in the same file"),
        "seen": or_null(schema_of(Seen, known)),
        "related": _list(schema_of(Related, known)),
    }
    return object_of("A finding.", properties, ("cell", "certain_if", "estimate"))


def _baseline() -> Schema:
    stale = {
        "path": _TEXT,
        "id": _TEXT,
        "function": _TEXT,
        "text": _TEXT,
        "count": described(_WHOLE, "how many it counts"),
        "found": described(_WHOLE, "how many are left"),
        "line": described(or_null(_WHOLE), "of the entry in its file"),
    }
    properties = {
        "path": _TEXT,
        "known": described(_WHOLE, "how many findings it knows; they are not among `findings`"),
        "stale": _list(object_of("An entry of which fewer findings are left than it counts.", stale)),
        "written": described(_YES, "whether `--update-baseline` has written it"),
    }
    return object_of("A file of known findings.", properties)


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}
