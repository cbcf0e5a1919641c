"""One function of a random program that makes others: what they compute, where they are, what is around them."""

import textwrap
from dataclasses import dataclass

from benchmarks.safe import keys, pieces, trees
from benchmarks.safe.drawing import Draw
from benchmarks.safe.pieces import Kept
from benchmarks.safe.templates import templates


@dataclass(frozen=True, slots=True)
class Site:
    """Statements of the module, those of the script that call them, those of another file, and globals they need."""

    text: str
    calls: tuple[str, ...]
    elsewhere: str = ""
    globals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Local:
    """The lines that make local functions, the expression that calls them, and globals that they need."""

    lines: tuple[str, ...]
    call: str
    globals: tuple[str, ...] = ()


NEWEST = {"none": "", **templates("newest.txt")}
"""Code of which no fix is called safe."""
CONTEXTS = templates("around.txt")
"""What stands around local functions; a call of them that returns a value."""
LATER = templates("around_later.txt")
"""The same: decorators and classes of the file, and `match`."""
NEWER = {
    "in a loop": templates("loops.txt"),
    "collected": templates("collected.txt"),
    "wrapped": templates("wrapped.txt"),
    "bindings": templates("bindings.txt"),
}
"""The same by class: what a loop knows, what becomes of the values, what is called in its place, what binds names."""


def site(draw: Draw, number: int, kept: list[Kept]) -> Site:
    """A function of the module, by the name `f` and its number."""
    name = f"f{number}"
    if draw.one("tree", (False, True), calm=0.9):
        return Site(*trees.site(draw.at("tree"), name))
    if draw.one("keys", (False, True), calm=0.85):
        return Site(*keys.site(draw.at("keys"), name))
    newest = draw.hazard("newest codemods", NEWEST, calm=0.9)
    if newest:
        argument = draw.at("newest").one("argument", pieces.ARGUMENTS, calm=0.6)
        return Site(newest.replace("{f}", name), (f'show("{name}", case.{name}, {argument})',))
    local = _local(draw, kept)
    later = draw.hazard("around later", LATER, calm=0.85)
    newer = draw.one("newer", ("", *NEWER), calm=0.6)
    if newer:
        context = draw.hazard(newer, NEWER[newer], calm=0.0)
    else:
        context = later if later != LATER["none"] else draw.hazard("around", CONTEXTS, calm=0.4)
    if context is CONTEXTS["lambda"] and local.lines:
        context = CONTEXTS["none"]
    text = _filled(context, f=name, lines=local.lines, call=local.call)
    given = [draw.at(i).one("argument", pieces.ARGUMENTS, calm=0.6) for i in range(draw.one("calls", (1, 2), calm=0.5))]
    calls = tuple(f'show("{name}", case.{name}, {argument})' for argument in given)
    is_called = draw.hazard("import time: called", {"yes": True, "nobody calls it": False}, calm=0.9)
    return Site(text, calls if is_called else (), globals=local.globals)


def _filled(template: str, *, f: str, lines: tuple[str, ...], call: str) -> str:
    found: list[str] = []
    for line in template.splitlines():
        indent = line[: len(line) - len(line.lstrip())]
        if line.strip() == "{lines}":
            found += [textwrap.indent(entry, indent) for entry in lines]
        else:
            found.append(line.replace("{f}", f).replace("{call}", call))
    return "\n".join(found)


# --- the local functions ------------------------------------------------------------------------------------------

CALLS = {
    "scan": ("c, x", "lax.scan({body}, v, jnp.ones((2, 3)))[0]", "{}, c.sum()"),
    "fori_loop": ("i, c", "lax.fori_loop(0, 2, {body}, v)", "{}"),
    "while_loop": ("c", "lax.while_loop(lambda c: jnp.abs(jnp.sum(c)) < 50, {body}, v)", "abs({}) + abs(c) + 1"),
    "jit": ("c", "jax.jit({body}{jit})(v)", "{}"),
    "jit vmap": ("c", "jax.jit(jax.vmap({body}){jit})(v)", "{}"),
    "jit grad": ("c", "jax.jit(jax.grad({body}){jit})(v)", "jnp.sum({})"),
    "cond": ("c", "lax.cond(jnp.sum(v) > 0, {body}, lambda c: c, v)", "{}"),
    "switch": ("c", "lax.switch(1, [lambda c: c, {body}], v)", "{}"),
    "map": ("c", "lax.map({body}, v)", "{}"),
    "associative_scan": ("c, x", "lax.associative_scan({body}, v)", "{}"),
    "checkpoint": ("c", "jax.checkpoint({body})(v)", "{}"),
    "eager map": ("c", "jax.vmap({body})(v)", "{}"),
}
_USUAL = ("scan", "fori_loop", "while_loop", "jit", "jit vmap", "jit grad")
_OPERATIONS = (
    "c + {}",
    "c * {}",
    "{} - c",
    "jnp.where(c > 0, c, {})",
    "jnp.maximum(c, {})",
    "c + c * {}",
    "jnp.sin(c) + {}",
)


def _local(draw: Draw, kept: list[Kept]) -> Local:
    parameters, call, returned = CALLS[draw.one("primitive", [*CALLS, *_USUAL, *_USUAL], calm=0.1)]
    is_loop = "{jit}" not in call
    jit = "" if is_loop else draw.hazard("import time: jit", pieces.JIT_ARGUMENTS)
    value = _expression(draw, kept)
    effect, needed = draw.hazard("effects", pieces.EFFECTS)
    globals_ = (needed,) if needed else ()
    header = _header(draw, parameters)
    form = draw.hazard(
        "form", {"none": "def", "lambda": "lambda", "partial": "partial", "jitted def": "jitted"}, calm=0.75
    )
    if form == "lambda" and not effect and not header.decorator:
        text = f"lambda {header.bare}: {returned.format(value)}"
        return Local((), call.format(body=text, jit=jit), globals_)
    lines = [header.decorator] if header.decorator else []
    body = [*effect, f"return {returned.format(value)}"]
    lines += [f"def body({header.parameters}){header.returns}:", *(f"    {line}" for line in body)]
    used = "functools.partial(body)" if form == "partial" else "body"
    if form == "jitted" and call.startswith("jax.jit({body}"):
        decorator = f"@functools.partial(jax.jit{jit})" if jit else "@jax.jit"
        return Local((decorator, *lines), "body(v)", globals_)
    return Local(tuple(lines), call.format(body=used, jit=jit), globals_)


@dataclass(frozen=True, slots=True)
class _Header:
    decorator: str
    parameters: str
    bare: str
    returns: str


def _header(draw: Draw, parameters: str) -> _Header:
    decorator = draw.hazard("import time: decorator", pieces.DECORATORS, calm=0.9)
    annotation = draw.hazard("import time: annotation", pieces.ANNOTATIONS, calm=0.9)
    returns = draw.hazard("import time: returned annotation", pieces.ANNOTATIONS, calm=0.95)
    default = draw.hazard("import time: default", pieces.DEFAULTS, calm=0.9)
    annotated = f"{parameters}: {annotation}" if annotation else parameters
    extra = f", k={default}" if default else ""
    return _Header(decorator, annotated + extra, parameters + extra, f" -> {returns}" if returns else "")


def _expression(draw: Draw, kept: list[Kept]) -> str:
    read = kept[draw.one("reads", range(len(kept)))].read.replace("{settings}", "settings")
    found = draw.one("operation", _OPERATIONS).format(read if draw.one("kept", (True, False), calm=0.6) else "1.5")
    setting = draw.hazard("reads settings", {"none": "", **pieces.READS_SETTINGS}, calm=0.75)
    if setting:
        found = f"{found} + {setting}"
    return found
