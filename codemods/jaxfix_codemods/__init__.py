"""The codemods that come with jaxfix. Their order is the order of the documentation, and of precedence."""

from jaxfix.api import Codemod
from jaxfix_codemods import (
    boolean_mask,
    captured_constant,
    cond_between_values,
    drifting_state_dtype,
    element_reads,
    fresh_function,
    growing_array,
    host_sync,
    key_reuse,
    legacy_parallelism,
    local_jit,
    local_loop_function,
    mapped_loop,
    python_counter,
    ragged_batch,
    ragged_shape,
    remat_scan,
    removed_api,
    separate_value_and_grad,
    static_exponent,
    undonated_state,
    unjitted_update,
    unrolled_loop,
    weak_state,
)

CODEMODS: tuple[Codemod, ...] = (
    drifting_state_dtype.CODEMOD,  # first: it needs to see the loop whose functions others move
    legacy_parallelism.CODEMOD,  # before what moves a mapped function away from its mesh
    local_loop_function.CODEMOD,
    local_jit.CODEMOD,
    cond_between_values.CODEMOD,
    weak_state.CODEMOD,
    static_exponent.CODEMOD,
    growing_array.CODEMOD,
    boolean_mask.CODEMOD,
    unrolled_loop.CODEMOD,
    unjitted_update.CODEMOD,
    undonated_state.CODEMOD,
    separate_value_and_grad.CODEMOD,
    element_reads.CODEMOD,
    key_reuse.CODEMOD,
    ragged_batch.CODEMOD,
    remat_scan.CODEMOD,
    captured_constant.CODEMOD,
    # what a traced run shows best, or alone
    python_counter.CODEMOD,
    fresh_function.CODEMOD,
    ragged_shape.CODEMOD,
    removed_api.CODEMOD,
    host_sync.CODEMOD,
    mapped_loop.CODEMOD,
)
