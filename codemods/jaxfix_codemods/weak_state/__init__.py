"""An initial state with a weakly typed scalar, where the updated state is strongly typed.

`jnp.asarray(0)` is weakly typed, and the result of an update with typed arrays is not. The types of the state are part
of the cache key of a jitted update, so the second step traces and compiles everything again. An explicit dtype for
every such scalar gives the first state the types of all later ones; a single one left out keeps the second compile.

A state is found by data flow, not by its name: an argument of a jitted function or method that its result replaces, in
a loop or in an attribute; or the result of one function that another one takes and returns, matched by the fields of
its class or by its keys. A Python number, as in `best=jnp.inf`, is a weakly typed leaf too, once an update returns an
array for it; one that only counts stays a number.

`dtype=int` and `dtype=float` are the very types that JAX gives a Python number
(they follow `jax_enable_x64`): right where the update computes in a precision of
its own, or keeps what it was given. Where the caller of the update decides, the
scalar gets the floating dtype of the parameters: a loop that is traced refuses a
state that starts in float32 and comes back in bfloat16, and `minimum` of the two
would be float32 for ever. A dtype is spelled out, such as `jnp.int32`, only for
a count for which the update does so: otherwise it would be wrong under x64.

Where a run was traced (`jaxfix check --trace`, `jaxfix apply --trace`), it tells which part of a
state has lost its weak type: it is looked for in every file by its field, key or position, and
a function that returns it in one file is found though another one updates it. Where several
places of a file make such a part, none is taken. Parts that were lost at the same compile are of one
state, and typed by one fix, whichever functions make them. `jaxfix apply --run` asks the run for this
wherever a part of a state could drift.

Before:
    import jax
    import jax.numpy as jnp

    def init(params):
        return {"mean": jnp.zeros_like(params), "best": jnp.asarray(jnp.inf)}

    @jax.jit
    def update(params, state):
        loss = jnp.sum(params.astype(jnp.float32) ** 2)
        return {"mean": 0.9 * state["mean"] + params, "best": jnp.minimum(state["best"], loss)}

After:
    import jax
    import jax.numpy as jnp

    def init(params):
        return {"mean": jnp.zeros_like(params), "best": jnp.asarray(jnp.inf, dtype=float)}

    @jax.jit
    def update(params, state):
        loss = jnp.sum(params.astype(jnp.float32) ** 2)
        return {"mean": 0.9 * state["mean"] + params, "best": jnp.minimum(state["best"], loss)}

Safety: needs a rerun. A strongly typed scalar takes part in promotion, a weak one does not: an update that multiplies
it with a bfloat16 array returns float32. So only scalars of a state are typed, never constants, and only those that
the update returns, or may return, strongly typed. Left alone are counters that only do `+ 1`, which stay weak, and
operands of `scan` and `while_loop`, which type their carry themselves. Scalars made from an argument are declined,
since the caller decides their type. The rerun also updates in a compiled loop, in half precision and in float32 under
x64, where a state of the wrong type raises.

Evidence: one compile of the jitted update instead of two; equal results, with types that may be stronger.

Source: https://docs.jax.dev/en/latest/type_promotion.html#weakly-typed-values-in-jax
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial

from jaxfix.api import Codemod, Confidence, Equality, Finding, Function, Module, Rewriter, Safety, Staging, Why
from jaxfix.api.analysis import Values
from jaxfix_codemods.weak_state.leaves import Leaf, drifting
from jaxfix_codemods.weak_state.told import told
from jaxfix_codemods.weak_state.typed import dtype, equality, why_not_typed


@dataclass
class _State:
    """The weak leaves of one state, by what makes each: one fix types all of them, as each alone may save nothing.

    Attributes:
      marks: the functions that make leaves of it, and of leaves that a run has seen the compile that lost them.
      seen: the names of those.
    """

    made: dict[ast.AST, list[Leaf]] = field(default_factory=dict)
    marks: set[Function | str | None] = field(default_factory=set)
    seen: list[str] = field(default_factory=list)

    def take(self, other: "_State") -> None:
        for made_by, leaves in other.made.items():
            self.made.setdefault(made_by, []).extend(leaves)
        self.marks |= other.marks
        self.seen += other.seen


def find(module: Module) -> Iterator[Finding]:
    values = module.get(Values)
    states: list[_State] = []
    for leaf in drifting(module, values):
        _put(states, _State({leaf.made_by: [leaf]}, {_builder(module, leaf.made_by)}))
    for drift, leaf in told(module, values):
        is_known = any(leaf.made_by in state.made for state in states)
        leaves = [] if is_known else [leaf]
        _put(states, _State({leaf.made_by: leaves}, {_builder(module, leaf.made_by), drift.beside}, [drift.name]))
    yield from (_found(module, state) for state in states)


def _put(states: list[_State], new: _State) -> None:
    """Adds a leaf to the state that it is of; what it shows to be one state becomes one."""
    same = [state for state in states if not state.marks.isdisjoint(new.marks)]
    for state in same[1:]:
        same[0].take(state)
        states.remove(state)
    if same:
        same[0].take(new)
    else:
        states.append(new)


def _found(module: Module, state: _State) -> Finding:
    made = sorted(state.made.values(), key=lambda same: module.span(same[0].made_by))
    loops = [leaf.loop for same in made for leaf in same if leaf.loop is not None]
    is_certain = bool(state.seen) or any(module.get(Staging).surely_repeats(call) for call in loops)
    confidence = Confidence.CERTAIN if is_certain else Confidence.POSSIBLE
    finding = _finding(module, [same[0] for same in made], confidence)
    return replace(finding, leaves=tuple(state.seen)) if state.seen else finding


def _builder(module: Module, made_by: ast.AST) -> Function | None:
    """The function that makes the state of which `made_by` is a part, of one leaf or of each leaf of a tree."""
    return next((f for f in module.functions_around(made_by) if not isinstance(f, ast.Lambda)), None)


def _finding(module: Module, leaves: list[Leaf], confidence: Confidence) -> Finding:
    names = list(dict.fromkeys(_name(leaf) for leaf in leaves))
    verb, end = ("starts", "ends") if len(names) == 1 else ("start", "end")
    reason = next((reason for leaf in leaves if (reason := why_not_typed(module, leaf)) is not None), None)
    return Finding(
        at=leaves[0].made_by,
        message=f"{', '.join(names)} {verb} weakly typed and {end} strongly typed: a jitted update compiles twice",
        title=f"Give {', '.join(names)} an explicit dtype",
        recipe=partial(_type, module, leaves) if reason is None else None,
        declined=reason,
        confidence=confidence,
        equality=equality(module, leaves),
        certain_if="a loop of the project updates this state",
    )


def _name(leaf: Leaf) -> str:
    named = [key for key in leaf.path if isinstance(key, str)]
    if named:
        return f"`{named[-1]}`"
    return f"item {leaf.path[-1]} of the state" if leaf.path else "the state"


def _type(module: Module, leaves: list[Leaf], edit: Rewriter) -> None:
    for leaf in leaves:
        wanted, is_made = dtype(module, leaf), isinstance(leaf.made_by, ast.Call)
        jnp = edit.imported("jax.numpy", prefer="jnp", at=leaf.made_by) if "{jnp}" in wanted or not is_made else ""
        jax = edit.imported("jax", prefer="jax", at=leaf.made_by) if "{jax}" in wanted else ""
        typed = wanted.format(jnp=jnp, jax=jax)
        if isinstance(leaf.made_by, ast.Call):
            edit.set_keyword(leaf.made_by, "dtype", typed)
        else:
            edit.wrap(leaf.made_by, f"{jnp}.asarray(", f", dtype={typed})")


CODEMOD = Codemod(
    id="weak-state",
    triggers=(
        *("jax.numpy.array", "jax.numpy.asarray", "jax.numpy.full", "jax.numpy.full_like", "jax.numpy.inf"),
        *("jax.jit", "equinox.filter_jit"),
    ),
    safety=Safety.NEEDS_EVIDENCE,
    equality=Equality.STRONGER_TYPES,
    find=find,
    cures=(Why.WEAK_TYPE, Why.DTYPE),
    after=("drifting-state-dtype",),
)
