"""Names of `jax.core` and `jax.interpreters` that were never meant for others, and are gone."""

from jaxfix.library.changes.row import Life, Name, Way

_STEPS = "it is internal to jax: `jax.extend` may have a replacement"
_GONE: tuple[tuple[str, str, str, str], ...] = (
    (
        "jax.core",
        "",
        "0.4.36",
        "ConcreteArray MainTrace NameGatheringSubst ThreadLocalState TraceStack TraceState apply_todos "
        "call_bind_with_continuation cur_sublevel do_subst_axis_names_jaxpr extend_axis_env "
        "jaxpr_uses_outfeed join_named_shapes map_bind map_bind_with_continuation new_base_main new_main "
        "new_sublevel outfeed_primitives primitive_uses_outfeed raise_as_much_as_possible stash_axis_env "
        "subst_axis_names subst_axis_names_eqn subst_axis_names_jaxpr subst_axis_names_var thread_local_state "
        "used_axis_names",
    ),
    (
        "jax.core",
        "",
        "0.5.3",
        "unsafe_get_current_trace_DO_NOT_USE",
    ),
    (
        "jax.core",
        "",
        "0.9.2",
        "DShapedArray UnshapedArray",
    ),
    (
        "jax.core",
        "0.10.2",
        "0.12.0",
        "CallPrimitive InconclusiveDimensionOperation JaxprPpContext JaxprPpSettings JaxprTypeError "
        "aval_mapping_handlers concretization_function_error custom_typechecks get_opaque_trace_state "
        "is_constant_dim is_constant_shape literalable_types no_axis_name nonempty_axis_env_DO_NOT_USE "
        "primal_dtype_to_tangent_dtype trace_ctx unsafe_am_i_under_a_jit_DO_NOT_USE "
        "unsafe_am_i_under_a_vmap_DO_NOT_USE",
    ),
    (
        "jax.core",
        "0.4.25",
        "0.4.36",
        "canonicalize_shape definitely_equal dimension_as_value symbolic_equal_dim",
    ),
    (
        "jax.core",
        "0.4.30",
        "0.4.36",
        "pp_aval pp_eqn_rules pp_eqns pp_jaxpr pp_jaxpr_eqn_range pp_jaxpr_skeleton pp_jaxprs pp_kv_pair pp_kv_pairs",
    ),
    (
        "jax.core",
        "0.4.36",
        "0.5.3",
        "check_eqn check_type check_valid_jaxtype",
    ),
    (
        "jax.core",
        "0.5.3",
        "0.6.2",
        "EvalTrace InDBIdx MapPrimitive OpaqueTraceState OutDBIdx TRACER_LEAK_DEBUGGER_WARNING "
        "dedup_referents escaped_tracer_error extend_axis_env_nd join_effects leaked_tracer_error "
        "maybe_find_leaked_tracers raise_to_shaped_mappings reset_trace_state str_eqn_compact "
        "substitute_vars_in_output_ty",
    ),
    (
        "jax.core",
        "0.9.2",
        "0.10.2",
        "AbstractToken call_impl set_current_trace take_current_trace traverse_jaxpr_params",
    ),
    (
        "jax.interpreters.ad",
        "",
        "0.4.25",
        "instantiate_zeros_aval",
    ),
    (
        "jax.interpreters.ad",
        "",
        "0.4.36",
        "CustomJVPException CustomVJPException recast_to_float0 replace_float0s zeros_like_jaxval",
    ),
    (
        "jax.interpreters.ad",
        "",
        "0.7.2",
        "backward_pass_internal unpair_pval",
    ),
    (
        "jax.interpreters.ad",
        "0.7.2",
        "0.9.2",
        "bilinear_transpose call_param_updaters call_transpose call_transpose_param_updaters "
        "closed_backward_pass custom_lin_p defjvp_zero linear_jvp linear_transpose linear_transpose2 "
        "map_transpose rearrange_binders standard_jvp standard_jvp2 zero_jvp zeros_like_p",
    ),
    (
        "jax.interpreters.ad",
        "0.9.2",
        "0.10.2",
        "reducing_transposes",
    ),
    (
        "jax.interpreters.batching",
        "",
        "0.4.25",
        "zeros_like_batched zeros_like_p",
    ),
    (
        "jax.interpreters.batching",
        "",
        "0.4.36",
        "spmd_axis_primitive_batchers",
    ),
    (
        "jax.interpreters.batching",
        "0.7.2",
        "0.9.2",
        "BatchTrace BatchTracer IndexedAxisSize JumbleAxis JumbleTy RaggedAxis ZeroIfMapped "
        "batch_custom_vjp_bwd batch_jaxpr batch_jaxpr2 broadcast_batcher from_elt_handlers is_vmappable "
        "jumble_axis make_iota_handlers matchaxis reducer_batcher spec_types to_elt_handlers "
        "vectorized_batcher vmappables",
    ),
    (
        "jax.interpreters.mlir",
        "",
        "0.10.2",
        "ReplicaAxisContext",
    ),
    (
        "jax.interpreters.mlir",
        "",
        "0.4.30",
        "dense_int_array_v6",
    ),
    (
        "jax.interpreters.mlir",
        "",
        "0.6.2",
        "xla_computation_to_mlir_module",
    ),
    (
        "jax.interpreters.mlir",
        "",
        "0.7.2",
        "flatten_lowering_ir_args",
    ),
    (
        "jax.interpreters.mlir",
        "",
        "0.8.1",
        "dense_bool_array",
    ),
    (
        "jax.interpreters.mlir",
        "",
        "0.9.2",
        "dense_bool_elements",
    ),
    (
        "jax.interpreters.partial_eval",
        "",
        "0.4.36",
        "extend_jaxpr_stack trace_to_jaxpr trace_to_jaxpr_final trace_to_jaxpr_final2 "
        "trace_to_subjaxpr_dynamic trace_to_subjaxpr_dynamic2",
    ),
    (
        "jax.interpreters.partial_eval",
        "",
        "0.5.3",
        "arg_info_all debug_info_final",
    ),
    (
        "jax.interpreters.partial_eval",
        "",
        "0.6.2",
        "trivial_ctx",
    ),
    (
        "jax.interpreters.partial_eval",
        "0.7.2",
        "0.9.2",
        "BoundedAxisSize ConstVar DynamicJaxprTrace JaxprEqnRecipe JaxprStackFrame JaxprTrace LambdaBinding "
        "TracerAsName call_padding_rule call_param_updaters call_partial_eval_custom_rule "
        "call_partial_eval_rules closed_call_partial_eval_custom_rule const_fold_rules "
        "convert_envvars_to_constvars convert_invars_to_constvars custom_staging_rules def_trivial_padding "
        "forwarding_rules infer_lambda_input_type instantiate_const_at make_jaxpr_effects "
        "move_binders_to_front pad_jaxpr padding_rules partial_eval_jaxpr_custom "
        "partial_eval_jaxpr_custom_rule_not_implemented partition_pvals recipe_to_eqn trace_to_jaxpr_dynamic2 "
        "tracers_to_jaxpr",
    ),
    (
        "jax.interpreters.pxla",
        "",
        "0.4.25",
        "mesh_sharding_specs",
    ),
    (
        "jax.interpreters.pxla",
        "",
        "0.7.2",
        "are_op_shardings_equal is_op_sharding_replicated",
    ),
    (
        "jax.interpreters.pxla",
        "0.9.2",
        "0.10.2",
        "PmapExecutable ShardedAxis ShardingSpec parallel_callable spec_to_indices xla_pmap_p",
    ),
    (
        "jax.interpreters.pxla",
        "0.9.2",
        "0.12.0",
        "MeshExecutable are_hlo_shardings_equal array_mapping_to_axis_resources global_aval_to_result_handler "
        "global_result_handlers is_hlo_sharding_replicated op_sharding_to_indices",
    ),
)
"""Of a module: the first of the measured versions that warns, and that is without them, with their names."""

NAMES = tuple(
    Name(f"{module}.{last}", "", Way.BY_HAND, Life(deprecated, removed), steps=_STEPS)
    for module, deprecated, removed, names in _GONE
    for last in names.split()
)
