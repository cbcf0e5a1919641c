"""Names of modules of `jax` and of libraries around it that were public for some years, and are gone."""

from jaxfix.library.changes.row import Life, Name, Way

_INTERNAL = "it is internal to jax: `jax.extend` may have a replacement"
_CACHE = "jax.experimental.compilation_cache.compilation_cache"
_GONE: tuple[tuple[str, str, str, str], ...] = (
    ("jax", "0.4.20", "curry", "write it out: it was internal to jax"),
    ("jax", "0.4.30", "enable_key_reuse_checks", "set `jax_debug_key_reuse`"),
    ("jax", "0.10.2", "enable_custom_vjp_by_custom_transpose", "leave it out"),
    ("jax.core", "0.4.36", "Sublevel", _INTERNAL),
    ("jax.core", "0.5.3", "JaxprDebugInfo", _INTERNAL),
    ("jax.core", "0.6.2", "InputType typecompat", _INTERNAL),
    ("jax.core", "0.7.2", "get_type", "`jax.typeof` has the type of a value"),
    ("jax.core", "0.10.2", "TraceTag", _INTERNAL),
    ("jax.core", "0.12.0", "DebugInfo Effect OutputType abstract_token call is_concrete", _INTERNAL),
    ("jax.custom_derivatives", "0.6.2", "custom_vjp_call_jaxpr_p", _INTERNAL),
    ("jax.dlpack", "0.8.1", "SUPPORTED_DTYPES", "`jax.dlpack.from_dlpack` raises for other dtypes"),
    (
        "jax.errors",
        "0.8.1",
        "SimplifiedTraceback",
        "nothing takes its place: the cause of an error is the error itself",
    ),
    (_CACHE, "0.8.1", "is_initialized", "`jax.config.jax_compilation_cache_dir` names the folder, where one is set"),
    ("jax.experimental.pjit", "0.10.2", "AUTO", "leave the sharding out: `jax.jit` chooses one"),
    ("jax.experimental.pjit", "0.7.2", "pjit_p", _INTERNAL),
    ("jax.experimental.shard_alike", "0.12.0", "shard_alike", "give both the same sharding constraint"),
    ("jax.experimental", "0.9.2", "saved_input_vjp si_vjp", "`jax.vjp` of what the backward pass has saved"),
    (
        "jax.experimental.layout",
        "0.4.30",
        "SpecifiedLayout",
        "`jax.experimental.layout.Layout` names the order of axes",
    ),
    ("jax.interpreters.ad", "0.9.2", "vjp", "`jax.vjp` takes values in place of a linear function"),
    ("jax.interpreters.batching", "0.4.25", "add_batched", _INTERNAL),
    ("jax.interpreters.batching", "0.7.2", "Zero", _INTERNAL),
    ("jax.interpreters.batching", "0.9.2", "Array Jumble batch from_elt make_iota moveaxis to_elt vtile", _INTERNAL),
    ("jax.interpreters.batching", "0.10.2", "NotMapped not_mapped", "an axis that is not mapped is `None`"),
    ("jax.interpreters.mlir", "0.6.2", "func_dialect", "`jax.extend.mlir.dialects.func` is that dialect"),
    ("jax.interpreters.mlir", "0.6.2", "hlo", "`jax.extend.mlir.dialects.stablehlo` is that dialect"),
    ("jax.interpreters.mlir", "0.8.1", "custom_call", "`jax.ffi.ffi_lowering` lowers to a custom call"),
    ("jax.interpreters.partial_eval", "0.9.2", "FreeVar Jaxpr PartialEvalCustomResult TracerId", _INTERNAL),
    ("jax.interpreters.pxla", "0.10.2", "Chunked MapTracer NoSharding Replicated Unstacked", _INTERNAL),
    ("jax.interpreters.xla", "0.4.25", "AxisEnv ConcreteArray axis_groups backend_compile", _INTERNAL),
    ("jax.interpreters.xla", "0.4.30", "TranslationContext TranslationRule XlaOp xla_destructure", _INTERNAL),
    (
        "jax.lax",
        "0.4.25",
        "naryop naryop_dtype_rule standard_abstract_eval standard_primitive unop unop_dtype_rule",
        _INTERNAL,
    ),
    ("jax.lax", "0.4.36", "scan_bind", _INTERNAL),
    ("jax.lax", "0.6.2", "random_gamma_grad_p", _INTERNAL),
    ("jax.lax", "0.7.2", "infeed_p outfeed_p", "`jax.experimental.io_callback` exchanges values with the host"),
    ("flax.nnx", "0.11.2", "MutableArray is_mutable_array mutable_array", "`jax.new_ref` makes a mutable array"),
    ("flax.nnx", "0.11.2", "freeze mutable", "`flax.nnx.state` and `flax.nnx.update` move values"),
    ("flax.nnx", "0.11.2", "field", "`flax.nnx.data` and `flax.nnx.static` mark attributes"),
    ("flax.nnx", "0.12.4", "ArrayRef array_ref is_array_ref to_arrays to_refs use_refs using_refs", "`jax.new_ref`"),
    ("flax.nnx", "0.12.0", "is_data_type", "`flax.nnx.is_data` asks for it"),
    ("optax", "0.2.5", "MaybeUpdateState", "`optax.conditionally_transform` has a state of its own"),
)

NAMES = (
    *(
        Name(f"{module}.{last}", "", Way.BY_HAND, Life("", removed), steps=steps)
        for module, removed, names, steps in _GONE
        for last in names.split()
    ),
    Name(f"{_CACHE}.initialize_cache", f"{_CACHE}.set_cache_dir", Way.REWRITE, Life("", "0.8.1", "0.4.25")),
    Name(
        "optax.monte_carlo",
        "",
        Way.BY_HAND,
        Life("", "0.2.8"),
        is_module=True,
        steps="take its functions over, or write the estimator out: no version has them any more",
    ),
)
