"""What a new step, its parameters and its own variables are called."""

import ast
import keyword
import re
from collections.abc import Collection, Iterator, Sequence
from itertools import count

from jaxfix.api import Identifiers, Module, walk
from jaxfix.api.library import Transform, where
from jaxfix_codemods.unjitted_update.binding import is_range
from jaxfix_codemods.unjitted_update.converted import converted_name
from jaxfix_codemods.unjitted_update.device import Device
from jaxfix_codemods.unjitted_update.items import item_name
from jaxfix_codemods.unjitted_update.keyed import entry_name
from jaxfix_codemods.unjitted_update.options import option_names
from jaxfix_codemods.unjitted_update.reading import Variables
from jaxfix_codemods.unjitted_update.sliced import slice_name

_GRADIENTS = where(Transform.GRADIENT) | where(Transform.WITH_VALUE)


class Naming:
    """Names for the function of a row.

    Args:
      around: the loop, or the function, that runs the row.
      in_place: whether the row changes objects of `flax.nnx`.
    """

    def __init__(
        self,
        module: Module,
        around: ast.stmt,
        scope: ast.AST,
        row: Sequence[ast.stmt | ast.expr],
        variables: Variables,
        *,
        in_place: bool,
    ) -> None:
        self._module, self._around, self._scope, self._row = module, around, scope, row
        self._variables, self._in_place = variables, in_place

    def variables(self, variables: Collection[str]) -> dict[str, str]:
        """The name that each variable has in the function: attributes have their own, where that is free."""
        found = {name: name for name in variables if name.isidentifier()}
        taken = {node.id for node in self._variables.inside if isinstance(node, ast.Name)} | set(found)
        for item in sorted({*self._variables.items, *self._variables.entries} & {*variables}):
            names = (entry_name(item),) if item in self._variables.entries else self._item_names(item)
            found[item] = next(name for name in _numbered(names) if name not in taken and not keyword.iskeyword(name))
            taken.add(found[item])
        for dot in sorted(name for name in variables if "." in name and name not in self._variables.items):
            root, _, attr = dot.partition(".")
            name = attr.lstrip("_")
            if not name or name in taken or keyword.iskeyword(name):
                name = self._module.get(Identifiers).unused(f"{'own' if root == 'self' else root}_{name}")
            taken.add(name)
            found[dot] = name
        return found

    def local(self, *wanted: str) -> str:
        """The first name that no code of the scope has."""
        taken = {node.id for node in walk(self._scope) if isinstance(node, ast.Name)}
        free = (name for name in wanted if name not in taken)
        return next(free, None) or self._module.get(Identifiers).unused(wanted[0])

    def step(self, own: str | None, given: Collection[str], results: Sequence[str]) -> str:
        """What the function does: a step of training or of anything else that goes on, or what it computes."""
        scope = self._around
        if isinstance(scope, ast.FunctionDef):
            return self._module.get(Identifiers).unused(f"_{scope.name.strip('_')}")
        goes_on = [name for name in results if name in given]
        result = _last(goes_on[0] if goes_on else self._fetched_for() or (results[-1] if results else "value"))
        if not self._in_place and not goes_on:
            names = [f"compute_{result}"]
        else:
            names = self._step_names(trains=self._in_place or self._trains(given, goes_on))
            names += [f"{name}_{result}" for name in names]
        mark = "" if own is None else "_"
        return self._module.get(Identifiers).first_unused([f"{mark}{name}" for name in names])

    def _fetched_for(self) -> str | None:
        """What is bound, outside, to the value that the row computes last and returns; None where it is nothing."""
        match self._module.statement(self._row[-1]) if isinstance(self._row[-1], ast.expr) else None:
            case ast.Assign(targets=[ast.Name(id=name)]):
                return name
        return None

    def _step_names(self, *, trains: bool) -> list[str]:
        """`train_step` of what trains, else the step of the function whose loop calls it: `leapfrog_step`."""
        caller = self._scope.name if isinstance(self._scope, ast.FunctionDef) else ""
        told = re.sub(r"_?steps?$", "", caller.strip("_"))
        of_caller = [f"{told}_step"] if told not in ("", "main") else []
        return ["train_step", *of_caller, "update_step"] if trains else [*of_caller, "advance"]

    def _trains(self, given: Collection[str], goes_on: Sequence[str]) -> bool:
        """Whether the row updates by an optimizer, or a tree or by data of the loop, along a gradient."""
        device = self._module.get(Device)
        calls = [node for statement in self._row for node in walk(statement) if isinstance(node, ast.Call)]
        if any(device.updates(call) for call in calls):
            return True
        derives = any(map(self._is_gradient, calls)) or any(map(device.holds_jitted, self._row))
        return derives and (
            bool({*given} & self._taken_by_loops() - {*goes_on}) or any(device.maps_tree(call) for call in calls)
        )

    def _is_gradient(self, call: ast.Call) -> bool:
        """Whether it calls the gradient of a loss, made there; a filter or a solver has Jacobians."""
        return isinstance(call.func, ast.Call) and self._module.qualname(call.func.func) in _GRADIENTS

    def _taken_by_loops(self) -> set[str]:
        """What the loops around take from what they run over, numbers of `range` apart."""
        around = (self._around, *self._module.ancestors(self._around))
        loops = (each for each in around if isinstance(each, ast.For) and not is_range(self._module, each.iter))
        return {node.id for loop in loops for node in walk(loop.target) if isinstance(node, ast.Name)}

    def _item_names(self, item: str) -> tuple[str, ...]:
        first = self._variables.items[item][0]
        match first:
            case ast.Subscript(slice=ast.Name()):
                return (item_name(first),)
            case ast.Subscript():
                return (slice_name(first),)
            case ast.Attribute():
                return option_names(first)
            case ast.Call():
                return (converted_name(first),)


def _numbered(names: Sequence[str]) -> Iterator[str]:
    """The names, then the first of them with numbers."""
    yield from names
    yield from (f"{names[0]}_{number}" for number in count(2))


def _last(variable: str) -> str:
    """The part of `self.opt_state`, or of `opt_state["d"]`, that names what it is."""
    return variable.rpartition(".")[2].partition("[")[0].strip("_") or "it"
