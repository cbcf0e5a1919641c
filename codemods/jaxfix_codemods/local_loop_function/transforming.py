"""Loops under an eager `grad`, `vmap` and the like: what is called is the transformation, and it is wrapped."""

from collections.abc import Iterator
from functools import partial

from jaxfix.api import Code, Confidence, Declined, Equality, Finding, Module, Reason, Safety, Staging
from jaxfix.api.analysis import Transformed, always_runs, demands, effects, positional_of, transform_of
from jaxfix_codemods.callers import is_left_to_others
from jaxfix_codemods.local_loop_function.jitting import UnderJit, jitted
from jaxfix_codemods.local_loop_function.naming import first_line, last_part, listed
from jaxfix_codemods.local_loop_function.retracing import check_gain, retraced, title


def findings(module: Module, transformed: Transformed) -> Iterator[Finding]:
    """The finding of one transformation, unless it runs once."""
    sites = [site for site in transformed.sites if module.get(Staging).may_repeat(site)]
    if not sites:
        return
    again = any(map(module.get(Staging).surely_repeats, sites)) and _surely_loops(module, transformed)
    primitives = dict.fromkeys(last_part(transform_of(module, call.func) or "") for call in transformed.control_flow)
    found = partial(
        Finding,
        at=transformed.at,
        message=f"`{first_line(module, transformed.at)}` contains "
        f"{listed([f'`{name}`' for name in primitives])}, compiled again at every call",
        title=title(transformed.names[0]),
        confidence=Confidence.CERTAIN if again else Confidence.POSSIBLE,
        moot=not again and all(is_left_to_others(module, site) for site in sites),
    )
    if (cure := _under_jit(module, transformed)) is not None:
        by_jit = partial(found, title=cure.title, equality=Equality.ROUNDING)
        yield by_jit(recipe=cure.recipe, safety=Safety.NEEDS_EVIDENCE)
        return
    try:
        _check(module, transformed)
        yield found(recipe=retraced(module, transformed.taker), safety=Safety.NEEDS_EVIDENCE, guess=True)
    except Declined as declined:
        yield found(declined=declined.reason)


def _under_jit(module: Module, transformed: Transformed) -> UnderJit | None:
    """The cure where one function calls what is transformed."""
    around = {module.function(site) for site in transformed.sites}
    return jitted(module, transformed.sites[0]) if len(around) == 1 else None


def _surely_loops(module: Module, transformed: Transformed) -> bool:
    """Whether the function that is transformed comes to a loop of its own whenever it runs."""
    return any(
        module.function(call) is transformed.function and always_runs(module, call, transformed.function)
        for call in transformed.control_flow
    )


def _check(module: Module, transformed: Transformed) -> None:
    """What would be done twice, or needlessly, where a function needs a value and so is traced once more."""
    check_gain(module, list(transformed.functions))
    for function in sorted(transformed.functions, key=lambda function: function.lineno):
        effect = next(effects(module, function), None)
        if effect is not None:
            raise Declined(effect.restated(f"{effect}, and may be traced twice"))
    asked = demands(module, transformed.function).values
    arguments = transformed.function.args
    for parameter in positional_of(arguments)[:1]:
        if transformed.is_derivative and parameter.arg in asked:
            raise Declined(Reason(Code.NEEDS_VALUE, f"it {asked[parameter.arg]}, which would be traced"))
