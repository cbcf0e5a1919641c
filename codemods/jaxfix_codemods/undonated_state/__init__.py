"""A jitted step that keeps its old state in memory while it computes the new one.

`params = step(params, batch)` does not need the old `params` after the call, but XLA does not know that: it keeps both
in memory. With `donate_argnums` the new state reuses the buffers of the old.

Before:
    import jax
    import jax.numpy as jnp

    @jax.jit
    def step(params, batch):
        return params - 0.1 * (params - batch)

    params = jnp.zeros((1000, 1000))
    for number in range(10):
        params = step(params, number)
    print(params.sum())

After:
    import functools

    import jax
    import jax.numpy as jnp

    @functools.partial(jax.jit, donate_argnums=0)
    def step(params, batch):
        return params - 0.1 * (params - batch)

    params = jnp.zeros((1000, 1000))
    for number in range(10):
        params = step(params, number)
    print(params.sum())

Safety: needs a rerun. A donated array is deleted: `best = params` before the call raises `Array has been deleted`
when it is read, and so does a second run from the same initial parameters, an average that began as `ema = params`,
or a caller that reads what it passed. So an argument is donated only if the statement of every call rebinds it, and
no other known code can hold it: shapes and functions of a state may be read later, arrays may not. A state in an
attribute is donated if no other file can hold it. A step that a function creates and returns is judged by all calls
of all its results; a `partial` keeps what it binds.

Left alone: states that contain one buffer twice, which raise at the first call; and small states, such as a few
numbers, a random key, a narrow network, and the states of tests. The state of an optimizer that belongs to the caller
may contain the caller's arrays, and is never certain. Arrays whose size is not in the code, such as what a caller
passes or another file creates, are reported only if a run shows 8 MB or more of them: fewer are seldom worth it.

Evidence: equal results bit for bit, and donated buffers that XLA reports, or a lower peak of memory.

Source: https://docs.jax.dev/en/latest/buffer_donation.html
"""

import ast
from collections.abc import Iterator, Sequence
from functools import partial

from jaxfix.api import (
    Code,
    Codemod,
    Confidence,
    Declined,
    Equality,
    Finding,
    Jitted,
    Module,
    Proves,
    Reason,
    Rewriter,
    Safety,
    Staging,
)
from jaxfix.api.analysis import ANYTHING, Note, compiled_function, positional_of
from jaxfix.api.library import Transform, where
from jaxfix_codemods.undonated_state.judging import Looped, Step, judge, looped, may_be_callers, spare, steps

_KNOWN = where(Transform.DONATES)
_SHOWN = 8_000_000
"""Bytes of a state: fewer are seldom worth a change."""


def find(module: Module) -> Iterator[Finding]:
    if module.source.holds_tests:
        return  # a few iterations over a few numbers
    for step in steps(module, _may_donate):
        found = looped(module, step)
        if found is not None and not module.get(Staging).is_staged(step.jitted.at):
            yield _finding(module, step, found)


def _may_donate(jitted: Jitted) -> bool:
    return jitted.jit.by in _KNOWN and jitted.jit.donated == ()


def _finding(module: Module, step: Step, found: Looped) -> Finding:
    at = step.named if isinstance(step.named, ast.FunctionDef) else step.jitted.at
    bound = f"each call of `{step.name}` rebinds {_listed(found.wanted)}"
    message = f"{bound}, and the old values stay in memory beside the new"
    try:
        donated = judge(module, step, found.wanted)
        all_or_none = step.jitted.jit.by == "equinox.filter_jit"
        keywords = _keywords(step, (*donated, *spare(module, step, found.few)) if all_or_none else donated)
    except Declined as declined:
        title = _title(step, found.wanted)
        return Finding(at, message, title, declined=declined.reason, moot=True)  # if memory is short, a run tells
    sure = found.certain and not may_be_callers(module, step, donated)
    confidence, size = Confidence.CERTAIN if sure else Confidence.POSSIBLE, _seen(module, step)
    return Finding(
        at=at,
        message=message,
        title=_title(step, donated) + (f": {size / 1e6:.0f} MB" if size else ""),
        recipe=partial(_donate, module, step, keywords),
        confidence=confidence if size is None else Confidence.SEEN,
        moot=found.is_unsized and size is None,
    )


def _seen(module: Module, step: Step) -> int | None:
    """The bytes of the state in a run, if they are so many that one can show the donation; 0 if they may be."""
    states = [each for each in module.held if each.noted.note is Note.STATE and each.noted.bytes >= _SHOWN]
    sizes = [each.noted.bytes for each in states if compiled_function(module, each) is step.function]
    return max(sizes, default=0 if ANYTHING in module.held else None)


def _title(step: Step, names: Sequence[str]) -> str:
    return f"Donate {_listed(names)} to `{step.name}`"


def _listed(names: Sequence[str]) -> str:
    quoted = [f"`{name}`" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def _keywords(step: Step, donated: Sequence[str]) -> dict[str, str]:
    """The options that donate."""
    arguments = step.function.args
    hidden = int(step.bound and not isinstance(step.named, ast.FunctionDef))
    positional = [a.arg for a in positional_of(arguments)][hidden:]
    named = [a.arg for a in arguments.kwonlyargs]
    if step.jitted.jit.by == "equinox.filter_jit":
        every = [*positional[1 if step.bound else 0 :], *named]
        if step.bound:
            raise Declined(Reason(Code.SIGNATURE, "`filter_jit` would donate the object of the method too"))
        if set(donated) == set(every):
            return {"donate": '"all"'}
        if set(donated) == set(every[1:]):
            return {"donate": '"all-except-first"'}
        left = next(name for name in every if name not in donated)
        raise Declined(
            Reason(Code.SIGNATURE, f"`filter_jit` donates all arguments, and `{left}` may be needed after the call")
        )
    numbers = [str(positional.index(name)) for name in donated if name in positional]
    texts = [f'"{name}"' for name in donated if name in named]
    if texts and step.jitted.jit.by == "jax.pmap":
        raise Declined(Reason(Code.SIGNATURE, "`pmap` cannot donate what is passed by name"))
    options = {"donate_argnums": numbers, "donate_argnames": texts}
    return {option: _sequence(entries) for option, entries in options.items() if entries}


def _sequence(entries: Sequence[str]) -> str:
    return entries[0] if len(entries) == 1 else f"({', '.join(entries)})"


def _donate(module: Module, step: Step, keywords: dict[str, str], edit: Rewriter) -> None:
    at = step.jitted.at
    if isinstance(at, ast.Call):
        for name, value in keywords.items():
            edit.set_keyword(at, name, value)
        return
    options = ", ".join(f"{name}={value}" for name, value in keywords.items())
    if step.jitted.jit.by == "equinox.filter_jit":
        edit.replace(at, f"{module.text(at)}({options})")
        return
    bound = edit.member("functools.partial", prefer="functools", at=at)
    edit.replace(at, f"{bound}({module.text(at)}, {options})")


CODEMOD = Codemod(
    id="undonated-state",
    triggers=("jit", "pmap", "pjit", "filter_jit"),
    safety=Safety.NEEDS_EVIDENCE,
    equality=Equality.BITWISE,
    proves=Proves.LESS_MEMORY,
    find=find,
)
