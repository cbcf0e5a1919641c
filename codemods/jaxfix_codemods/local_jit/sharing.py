"""One jitted function for all places of a file that make the same one of the same function."""

import ast
from collections.abc import Sequence
from dataclasses import replace

from jaxfix.api import Declined, Identifiers, Module
from jaxfix_codemods.local_jit.judging import Plan, Shared, judge
from jaxfix_codemods.local_jit.rewriting import caller, new_name, own_name
from jaxfix_codemods.local_jit.sites import Site

_Structure = tuple[object, ...]


class Sharing:
    """What to do about the sites of a file, where the first of several that make the same makes it for all."""

    def __init__(self, module: Module, sites: Sequence[Site]) -> None:
        self._module = module
        self._alike: dict[_Structure, list[Site]] = {}
        self._names: dict[_Structure, str] = {}
        self._plans: dict[ast.expr, Plan | None] = {}
        for site in sites:
            if _is_plain(site):
                self._alike.setdefault(_structure(site.at), []).append(site)

    def plan(self, site: Site) -> Plan:
        """What to do about `site`.

        Raises:
          Declined: nothing, and why.
        """
        plan = judge(self._module, site)
        made = _structure(site.at)
        if len(self._alike.get(made, ())) < 2 or not _is_shareable(plan):
            return plan
        plans = [found for each in self._alike[made] if (found := self._shareable(each)) is not None]
        if len(plans) < 2:
            return plan
        first = min(plans, key=lambda each: self._module.span(each.at))
        if made not in self._names:
            self._names[made] = self._module.get(Identifiers).unused(self._name(first, plans))
        doubts = dict.fromkeys((*first.doubts, *plan.doubts))
        unasked = (*first.unasked, *plan.unasked)
        shared = Shared(self._names[made], first.site)
        return replace(plan, at=first.at, doubts=tuple(doubts), unasked=unasked, shared=shared)

    def _shareable(self, site: Site) -> Plan | None:
        if site.at not in self._plans:
            try:
                plan = judge(self._module, site)
            except Declined:
                plan = None
            self._plans[site.at] = plan if plan is not None and _is_shareable(plan) else None
        return self._plans[site.at]

    def _name(self, first: Plan, plans: Sequence[Plan]) -> str:
        callers = {caller(self._module, each.site) for each in plans}
        return new_name(self._module, first) if len(callers) == 1 else f"_{own_name(self._module, first.site)}"


def _is_plain(site: Site) -> bool:
    """Whether it is an expression that makes a jitted function, for itself."""
    return site.function is None and site.taker is None


def _is_shareable(plan: Plan) -> bool:
    """Whether what it makes stands at the top of the file, and is of a function that stands there."""
    return _is_plain(plan.site) and plan.function is None and plan.in_module and plan.is_before and not plan.lifted


def _structure(part: object) -> _Structure:
    """What equal code has alike, however it is laid out; `ast.dump` leaves a cycle behind at each call."""
    match part:
        case ast.AST():
            return type(part), *(_structure(getattr(part, field, None)) for field in part._fields)
        case list():
            return tuple(map(_structure, part))
    return type(part), part
