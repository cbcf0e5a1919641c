"""`tiny` calls, for tests of everything around a codemod.

They cost nothing and exist nowhere: only the way from a finding to the file is of interest.

Before:
    y = jax.tiny_safe(x)

After:
    y = jax.tiny_done(x)

Safety: safe for `tiny_safe`, needs a rerun for `tiny_risky`.

Evidence: none can be had.

Source: https://docs.jax.dev
"""

import ast
from collections.abc import Iterator
from functools import partial

from jaxfix.api import Code, Codemod, Confidence, Equality, Finding, Module, Reason, Rewriter, Safety


def _find(name: str, module: Module) -> Iterator[Finding]:
    for call in module.calls(f"jax.{name}"):
        is_odd = len(call.args) != 1
        yield Finding(
            at=call,
            message=f"`{name}` costs a compile at every call",
            title=f"Call `tiny_done` for `{name}`",
            recipe=None if is_odd else partial(_rename, call),
            declined=Reason(Code.SIGNATURE, "it takes more than one argument") if is_odd else None,
            confidence=Confidence.POSSIBLE if name == "tiny_maybe" else Confidence.CERTAIN,
        )


def _rename(call: ast.Call, edit: Rewriter) -> None:
    edit.replace(call.func, "jax.tiny_done")


def find_safe(module: Module) -> Iterator[Finding]:
    return _find("tiny_safe", module)


def find_risky(module: Module) -> Iterator[Finding]:
    return _find("tiny_risky", module)


def find_maybe(module: Module) -> Iterator[Finding]:
    return _find("tiny_maybe", module)


def find_like(module: Module) -> Iterator[Finding]:
    """A call that becomes one of a generated helper function."""
    for call in module.calls("jax.tiny_like"):
        yield Finding(
            at=call,
            message="`tiny_like` casts nothing",
            title="Call `cast_like`",
            recipe=partial(_cast_like, call),
            confidence=Confidence.CERTAIN,
        )


def _cast_like(call: ast.Call, edit: Rewriter) -> None:
    edit.replace(call.func, edit.helper("cast_like"))


def find_cast(module: Module) -> Iterator[Finding]:
    """As `find_ready`, for calls whose result is cast by a generated helper function."""
    for call in module.calls("jax.jit"):
        outer = module.parent(call)
        if module.function(call) is not None and isinstance(outer, ast.Call) and outer.func is call:
            yield Finding(
                at=call,
                message="this `jit` is created at every call",
                title="Use `READY`, and keep its dtype",
                recipe=partial(_use_cast, module, outer),
                confidence=Confidence.CERTAIN,
            )


def _use_cast(module: Module, call: ast.Call, edit: Rewriter) -> None:
    taken = module.text(call.args[0])
    edit.replace(call, f"{edit.helper('cast_like')}(READY({taken}), {taken})")


def find_ready(module: Module) -> Iterator[Finding]:
    """Takes every jitted lambda for the one that the module keeps as `READY`: right or wrong, a rerun tells."""
    for call in module.calls("jax.jit"):
        if module.function(call) is not None and isinstance(call.args[0], ast.Lambda):
            yield Finding(
                at=call,
                message="this `jit` is created at every call",
                title="Use `READY`",
                recipe=partial(_use_ready, call),
                confidence=Confidence.CERTAIN,
            )


def _use_ready(call: ast.Call, edit: Rewriter) -> None:
    edit.replace(call, "READY")


def find_buggy(module: Module) -> Iterator[Finding]:
    raise RuntimeError("boom")
    yield


CODEMODS = (
    Codemod("tiny-safe", ("jax.tiny_safe",), Safety.SAFE, Equality.BITWISE, find_safe),
    Codemod("tiny-risky", ("jax.tiny_risky",), Safety.NEEDS_EVIDENCE, Equality.BITWISE, find_risky),
    Codemod("tiny-ready", ("jax.jit",), Safety.NEEDS_EVIDENCE, Equality.BITWISE, find_ready),
    Codemod("tiny-maybe", ("jax.tiny_maybe",), Safety.SAFE, Equality.BITWISE, find_maybe),
    Codemod("tiny-like", ("jax.tiny_like",), Safety.SAFE, Equality.BITWISE, find_like),
    Codemod("tiny-cast", ("jax.jit",), Safety.NEEDS_EVIDENCE, Equality.BITWISE, find_cast),
    Codemod("tiny-buggy", ("jax.tiny_buggy",), Safety.SAFE, Equality.BITWISE, find_buggy),
)
