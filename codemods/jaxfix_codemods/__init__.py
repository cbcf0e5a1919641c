"""The codemods that come with jaxfix. Their order is the order of the documentation, and of precedence."""

from importlib import import_module

from jaxfix.api import Codemod

MODULES = (
    "drifting_state_dtype",  # first: it needs to see the loop whose functions others move
    "legacy_parallelism",  # before what moves a mapped function away from its mesh
    "local_loop_function",
    "local_jit",
    "cond_between_values",
    "weak_state",
    "static_exponent",
    "growing_array",
    "boolean_mask",
    "unrolled_loop",
    "mapped_loop",
    "unjitted_update",
    "undonated_state",
    "separate_value_and_grad",
    "element_reads",
    "key_reuse",
    "ragged_batch",
    "cleared_caches",
    "remat_scan",
    "captured_constant",
    # what a traced run shows best, or alone
    "python_counter",
    "fresh_function",
    "ragged_shape",
    "removed_api",
    "host_sync",
)
CODEMODS: tuple[Codemod, ...] = tuple(import_module(f"{__name__}.{name}").CODEMOD for name in MODULES)
