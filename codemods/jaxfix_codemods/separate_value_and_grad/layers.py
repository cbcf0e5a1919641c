"""Whether a call of a model of `flax.nnx` changes nothing in it: then one call does what two do."""

import ast

from jaxfix.api import Code, Declined, Module, Reason, walk
from jaxfix.api.analysis import Values, class_of
from jaxfix_codemods.separate_value_and_grad.pairs import Pair

_NNX = "flax.nnx."
_STATELESS = frozenset(
    f"{_NNX}{name}"
    for name in (
        *("Module", "Param", "Rngs", "Linear", "LinearGeneral", "Einsum", "Conv", "ConvTranspose", "Embed"),
        *("LayerNorm", "RMSNorm", "GroupNorm", "initializers", "relu", "gelu", "silu", "swish", "elu", "tanh"),
        *("sigmoid", "softmax", "log_softmax", "leaky_relu", "softplus", "avg_pool", "max_pool"),
        *("grad", "value_and_grad", "jit", "Optimizer", "state", "update", "split", "merge", "display"),
    )
)
"""What a file may use of it whose calls count nothing and draw no numbers."""


def is_of_stateless_layers(module: Module, pair: Pair) -> bool:
    """Whether the model is of a class of this file that binds its attributes where it is made, of such layers alone."""
    used = {name for node in module.nodes(ast.Attribute) if (name := module.qualname(node) or "").startswith(_NNX)}
    if not pair.value.args or not all(name in _STATELESS or _is_inside(name) for name in used):
        return False
    made = [*module.get(Values).origins.of(pair.value.args[0])]
    owners = [class_of(module, each.func) if isinstance(each, ast.Call) else None for each in made]
    return bool(owners) and all(owner is not None and _is_settled(module, owner) for owner in owners)


def _is_inside(name: str) -> bool:
    return any(name.startswith(f"{known}.") for known in _STATELESS)


def _is_settled(module: Module, owner: ast.ClassDef) -> bool:
    """Whether no method but the constructor binds or changes what the object holds."""
    methods = [each for each in owner.body if isinstance(each, ast.FunctionDef) and each.name != "__init__"]
    bound = (node for method in methods for node in walk(method) if isinstance(node, ast.Attribute | ast.Subscript))
    is_based = all(module.qualname(base) == f"{_NNX}Module" for base in owner.bases)
    return is_based and all(isinstance(node.ctx, ast.Load) for node in bound)


def check_unchanged(module: Module, pair: Pair) -> None:
    """Nothing between the calls may reach the model, which `nnx.update` and optimizers change in place.

    Raises:
      Declined: something may.
    """
    given = {node.id for each in pair.value.args for node in ast.walk(each) if isinstance(node, ast.Name)}
    for statement in pair.block[1:-1]:
        for node in walk(statement):
            if isinstance(node, ast.Name) and node.id in given:
                text = f"line {node.lineno} may change `{node.id}` between the two calls"
                raise Declined(Reason(Code.SIDE_EFFECT, text, node.lineno))
