"""`tiny` calls, for tests of everything around a codemod.

They cost nothing and exist nowhere: only the way from a finding to the file is of interest.

Before:
    y = jax.tiny_safe(x)

After:
    y = jax.tiny_done(x)

Safety: safe for `tiny_safe`, needs evidence for `tiny_risky`.

Evidence: none can be had.

Source: https://docs.jax.dev
"""

import ast
from collections.abc import Iterator
from functools import partial

from jaxfix.api import Codemod, Equality, Finding, Module, Rewriter, Safety


def _find(name: str, module: Module) -> Iterator[Finding]:
    for call in module.calls(f"jax.{name}"):
        is_odd = len(call.args) != 1
        yield Finding(
            at=call,
            message=f"`{name}` costs a compile at every call",
            title=f"Call `tiny_done` for `{name}`",
            recipe=None if is_odd else partial(_rename, call),
            declined="it takes more than one argument" if is_odd else None,
        )


def _rename(call: ast.Call, edit: Rewriter) -> None:
    edit.replace(call.func, "jax.tiny_done")


def find_safe(module: Module) -> Iterator[Finding]:
    return _find("tiny_safe", module)


def find_risky(module: Module) -> Iterator[Finding]:
    return _find("tiny_risky", module)


def find_ready(module: Module) -> Iterator[Finding]:
    """Takes every jitted lambda for the one that the module keeps as `READY`: right or wrong, a rerun tells."""
    for call in module.calls("jax.jit"):
        if module.function(call) is not None and isinstance(call.args[0], ast.Lambda):
            yield Finding(
                at=call,
                message="this `jit` is made anew at every call",
                title="Use `READY`",
                recipe=partial(_use_ready, call),
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
    Codemod("tiny-buggy", ("jax.tiny_buggy",), Safety.SAFE, Equality.BITWISE, find_buggy),
)
