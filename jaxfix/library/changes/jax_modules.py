"""Names of modules of `jax` for those who extend it, and of `jax.experimental`, that are gone or going."""

from jaxfix.library.changes.row import Life, Name, Way, family

_CORE = Life("0.4.38", "0.6.0", "0.4.30")
_CORE_LATER = Life("0.8.2", "0.10.0", "0.8.2")
_CORE_GONE = Life("0.10.0", "0.11.0", "0.10.0")
_ERRORS = Life("0.4.16", "0.4.24")
_INTERNAL = "it is internal to jax: `jax.extend` may have a replacement"
_HLO = "jax hands out StableHLO: `jax.jit(f).lower(x).as_text()`"
_PJIT = "`jax.jit` takes its shardings, each a `NamedSharding` of the mesh that was entered"
_MESHES = "`jax.shard_map` maps over the axes of a mesh, and `jax.jit` places arrays by their shardings"

CORE = (
    *family(
        "jax.core.",
        "jax.extend.core.",
        ("ClosedJaxpr", "Jaxpr", "JaxprEqn", "Literal", "Primitive", "Token", "Var", "jaxpr_as_fun"),
        Way.ALIAS,
        _CORE,
    ),
    *family("jax.core.", "jax.extend.core.", ("mapped_aval", "unmapped_aval"), Way.ALIAS, _CORE_LATER),
    Name("jax.core.subjaxprs", "jax.extend.core.subjaxprs", Way.ALIAS, Life("0.8.2", "0.10.0", "0.10.0")),
    *family(
        "jax.core.",
        "jax.extend.core.",
        ("check_jaxpr", "jaxprs_in_params", "new_jaxpr_eqn", "no_effects"),
        Way.ALIAS,
        _CORE_GONE,
    ),
    *family(
        "jax.core.",
        "jax.extend.core.",
        ("DropVar", "concrete_or_error", "gensym", "valid_jaxtype"),
        Way.ALIAS,
        _CORE_GONE,
    ),
    *(
        Name(f"jax.core.{last}", "", Way.BY_HAND, _CORE_GONE, steps=_INTERNAL)
        for last in ("find_top_trace", "unsafe_get_axis_names_DO_NOT_USE")
    ),
    *family(
        "jax.core.",
        "jax.errors.",
        ("TracerArrayConversionError", "TracerIntegerConversionError", "UnexpectedTracerError"),
        Way.ALIAS,
        _ERRORS,
    ),
    Name("jax.core.ConcretizationTypeError", "jax.errors.ConcretizationTypeError", Way.ALIAS, Life("0.5.0", "0.7.0")),
    Name("jax.core.get_aval", "jax.typeof", Way.ALIAS, Life("0.8.2", "0.10.0", "0.5.3")),
    Name("jax.core.full_lower", "{val}", Way.REWRITE, Life("0.4.36", "0.6.0", "0.4.36"), parameters=("val",)),
    *(
        Name(f"jax.core.{last}", "", Way.BY_HAND, Life("0.4.36", "0.6.0"), steps=_INTERNAL)
        for last in ("raise_to_shaped", "lattice_join", "concrete_aval", "get_referent", "used_axis_names_jaxpr")
    ),
    *(
        Name(f"jax.core.{last}", "", Way.BY_HAND, Life("0.5.0", "0.7.0"), steps=_INTERNAL)
        for last in ("axis_frame", "AxisName", "trace_state_clean", "typecheck", "typematch", "call_p", "closed_call_p")
    ),
    *(
        Name(f"jax.core.{last}", "", Way.BY_HAND, Life("0.4.24", "0.4.38"), steps=_INTERNAL)
        for last in ("non_negative_dim",)
    ),
    *(
        Name(
            f"jax.core.{last}",
            "",
            Way.BY_HAND,
            Life("0.4.16", "0.4.24"),
            steps="write it out, or take it from your own module",
        )
        for last in ("safe_map", "safe_zip", "tuple_delete", "tuple_insert", "as_hashable_function")
    ),
    Name("jax.core.as_named_shape", "", Way.BY_HAND, Life("", "0.4.36"), steps=_INTERNAL),
    Name("jax.core.NamedShape", "", Way.BY_HAND, Life("", "0.4.36"), steps=_INTERNAL),
)

MODULES = (
    Name("jax.abstract_arrays.ShapedArray", "jax.core.ShapedArray", Way.ALIAS, Life("0.4.12", "0.4.16")),
    Name("jax.ShapedArray", "jax.core.ShapedArray", Way.ALIAS, Life("0.4.12", "0.4.16")),
    Name("jax.abstract_arrays", "", Way.BY_HAND, Life("0.4.12", "0.4.16"), is_module=True, steps=_INTERNAL),
    Name(
        "jax.linear_util",
        "",
        Way.BY_HAND,
        Life("0.4.16", "0.4.24"),
        is_module=True,
        steps="`jax.extend.linear_util` has it, and its `wrap_init` wants a `debug_info`",
    ),
    Name(
        "jax.prng", "", Way.BY_HAND, Life("0.4.15", "0.4.24"), is_module=True, steps="`jax.extend.random` has its parts"
    ),
    Name(
        "jax.util",
        "",
        Way.BY_HAND,
        Life("0.6.0", "0.8.0"),
        is_module=True,
        steps="write its functions out: it was internal to jax",
    ),
    Name("jax.api", "", Way.BY_HAND, Life("", "0.4.13"), is_module=True, steps="`jax` itself has its functions"),
    *(
        Name(
            f"jax.{last}",
            "",
            Way.BY_HAND,
            Life("", "0.4.14"),
            is_module=True,
            steps=f"`jax.interpreters.{last}` is the module, without much of what it had",
        )
        for last in ("partial_eval", "pxla", "xla")
    ),
    Name("jax.custom_transpose", "", Way.BY_HAND, Life("", "0.10.0"), is_module=True, steps=_INTERNAL),
    Name("jax.jaxpr_util", "", Way.BY_HAND, Life("", "0.4.16"), is_module=True, steps=_INTERNAL),
    Name(
        "jax.interpreters.masking",
        "",
        Way.BY_HAND,
        Life("", "0.4.13"),
        is_module=True,
        steps="pad, and mask with `jnp.where`",
    ),
    Name("jax.interpreters.sharded_jit", "", Way.BY_HAND, Life("", "0.4.13"), is_module=True, steps=_MESHES),
)

LIB = (
    Name(
        "jax.lib.xla_bridge.get_backend", "jax.extend.backend.get_backend", Way.ALIAS, Life("0.4.32", "0.8.0", "0.4.32")
    ),
    Name("jax.lib.xla_bridge.default_backend", "jax.default_backend", Way.ALIAS, Life("0.4.32", "0.4.38")),
    *(
        Name(f"jax.lib.xla_bridge.{last}", f"jax.{last}", Way.ALIAS, Life("", "0.4.13"))
        for last in ("device_count", "local_device_count", "process_count", "process_index", "devices", "local_devices")
    ),
    Name(
        "jax.lib.xla_bridge.get_compile_options",
        "jax.extend.backend.get_compile_options",
        Way.ALIAS,
        Life("0.7.0", "0.8.0", "0.7.0"),
    ),
    Name("jax.lib.xla_client.FftType", "jax.lax.FftType", Way.ALIAS, Life("0.4.38", "0.6.0", "0.4.38")),
    *(
        Name(f"jax.lib.xla_client.{last}", "", Way.BY_HAND, Life("0.4.38", "0.6.0"), steps=_HLO)
        for last in ("ops", "PrimitiveType", "Shape", "XlaBuilder", "XlaComputation", "shape_from_pyval")
    ),
    Name(
        "jax.lib.xla_client.register_custom_call_target",
        "",
        Way.BY_HAND,
        Life("0.4.38", "0.6.0"),
        steps="use `jax.ffi.register_ffi_target`",
    ),
    *(
        Name(f"jax.lib.{last}", "", Way.BY_HAND, Life("", removed), is_module=True, steps=_INTERNAL)
        for last, removed in (("xla_bridge", "0.9.0"), ("xla_client", "0.9.0"), ("xla_extension", "0.9.0"))
    ),
    Name("jax.interpreters.xla.ShapedArray", "jax.core.ShapedArray", Way.ALIAS, Life("0.4.16", "0.4.24")),
    Name(
        "jax.interpreters.xla.xla_call_p",
        "",
        Way.BY_HAND,
        Life("", "0.4.13"),
        steps="`jax.jit` makes equations of `jax.extend.core.primitives.jit_p`",
    ),
    Name("jax.interpreters.xla.abstractify", "", Way.BY_HAND, Life("", "0.7.0"), steps=_INTERNAL),
    Name("jax.interpreters.xla.canonicalize_dtype", "", Way.BY_HAND, Life("0.7.0", "0.8.0"), steps=_INTERNAL),
    Name("jax.interpreters.xla.pytype_aval_mappings", "", Way.BY_HAND, Life("0.5.0", "0.7.0"), steps=_INTERNAL),
    *(
        Name(
            f"jax.interpreters.xla.{last}",
            "",
            Way.BY_HAND,
            Life("0.4.16", "0.4.30"),
            steps="`jax.interpreters.mlir` registers lowerings",
        )
        for last in ("backend_specific_translations", "register_translation", "translations")
    ),
)

EXPERIMENTAL = (
    Name("jax.experimental.maps.Mesh", "jax.sharding.Mesh", Way.ALIAS, Life("0.4.4", "0.4.13", "0.4.3")),
    Name("jax.experimental.PartitionSpec", "jax.sharding.PartitionSpec", Way.ALIAS, Life("0.4.4", "0.4.13", "0.4.3")),
    Name(
        "jax.experimental.pjit.PartitionSpec", "jax.sharding.PartitionSpec", Way.ALIAS, Life("0.4.4", "0.4.13", "0.4.3")
    ),
    Name(
        "jax.interpreters.pxla.PartitionSpec", "jax.sharding.PartitionSpec", Way.ALIAS, Life("0.4.4", "0.4.13", "0.4.3")
    ),
    Name("jax.interpreters.pxla.Mesh", "jax.sharding.Mesh", Way.ALIAS, Life("0.4.4", "0.4.13", "0.4.3")),
    Name(
        "jax.experimental.pjit.with_sharding_constraint",
        "jax.lax.with_sharding_constraint",
        Way.ALIAS,
        Life("0.4.16", "0.4.24", "0.4.3"),
    ),
    Name(
        "jax.experimental.shard_map.shard_map",
        "{@jax.shard_map}({f}, mesh={mesh}, in_specs={in_specs}, out_specs={out_specs}[[, check_vma={check_rep}]])",
        Way.REWRITE,
        Life("0.8.0", "", "0.6.1"),
        parameters=("f", "mesh", "in_specs", "out_specs", "check_rep"),
    ),
    Name("jax.experimental.pjit.pjit", "jax.jit", Way.PARALLEL, Life("0.8.0", ""), steps=_PJIT),
    Name(
        "jax.experimental.export",
        "",
        Way.BY_HAND,
        Life("", "0.4.36"),
        is_module=True,
        steps="`jax.export.export` takes a jitted function, and `deserialize` beside it reads what it wrote",
    ),
    *family(
        "jax.experimental.shard.",
        "jax.sharding.",
        ("auto_axes", "explicit_axes", "reshard"),
        Way.ALIAS,
        Life("", "0.7.2", "0.7.2"),
    ),
    Name(
        "jax.experimental.layout.DeviceLocalLayout",
        "",
        Way.BY_HAND,
        Life("", "0.7.2"),
        steps="it is `Layout` now, and what was `Layout` is `Format`",
    ),
    Name(
        "jax.experimental.maps.thread_resources",
        "",
        Way.BY_HAND,
        Life("0.4.26", "0.4.31"),
        steps="keep the mesh in a variable: `mesh.shape` has what `thread_resources.env.shape` had",
    ),
    Name("jax.experimental.maps.xmap", "", Way.BY_HAND, Life("0.4.26", "0.4.31"), steps=_MESHES),
    Name("jax.experimental.maps.SerialLoop", "", Way.BY_HAND, Life("0.4.26", "0.4.31"), steps=_MESHES),
    Name("jax.experimental.maps", "", Way.BY_HAND, Life("", "0.4.31"), is_module=True, steps=_MESHES),
    *(
        Name(
            f"jax.experimental.{last}",
            f"jax.example_libraries.{last}",
            Way.ALIAS,
            Life("0.2.25", "0.3.16", "0.2.25"),
            is_module=True,
        )
        for last in ("stax", "optimizers")
    ),
    Name(
        "jax.experimental.loops",
        "",
        Way.BY_HAND,
        Life("0.3.5", "0.3.16"),
        is_module=True,
        steps="use `jax.lax.fori_loop` and `jax.lax.cond`",
    ),
    Name(
        "jax.experimental.host_callback",
        "",
        Way.BY_HAND,
        Life("0.4.26", "0.8.0"),
        is_module=True,
        steps="use `jax.debug.callback`, `jax.pure_callback` and `jax.experimental.io_callback`",
    ),
    Name("jax.extend.ffi", "jax.ffi", Way.REWRITE, Life("0.5.0", "0.8.0", "0.5.0"), is_module=True),
    Name("jax.experimental.array_api", "jax.numpy", Way.REWRITE, Life("0.4.32", "0.5.0"), is_module=True),
    Name(
        "jax.experimental.global_device_array",
        "",
        Way.BY_HAND,
        Life("0.4.4", "0.4.13"),
        is_module=True,
        steps="`jax.make_array_from_callback` makes an array of many hosts",
    ),
    Name(
        "jax.experimental.attrs",
        "",
        Way.BY_HAND,
        Life("", "0.7.0"),
        is_module=True,
        steps="`jax.new_ref` makes what can be set",
    ),
    Name("jax.experimental.custom_dce", "", Way.BY_HAND, Life("", "0.10.0"), is_module=True, steps=_INTERNAL),
    Name(
        "jax.experimental.ann",
        "",
        Way.BY_HAND,
        Life("", "0.4.13"),
        is_module=True,
        steps="use `jax.lax.approx_max_k`",
    ),
)

SHARDING = (
    Name("jax.sharding.XLACompatibleSharding", "jax.sharding.Sharding", Way.TYPE, Life("0.4.30", "0.4.34")),
    Name(
        "jax.sharding.PositionalSharding",
        "jax.sharding.NamedSharding",
        Way.PARALLEL,
        Life("0.6.0", "0.7.0"),
        steps="`NamedSharding` of a mesh names the axes that this counts",
    ),
    Name("jax.sharding.PmapSharding", "", Way.BY_HAND, Life("0.8.1", "0.10.0"), steps="use `NamedSharding`"),
    Name("jax.sharding.GSPMDSharding", "", Way.BY_HAND, Life("0.6.0", "0.7.0"), steps="use `NamedSharding`"),
    Name(
        "jax.sharding.use_mesh",
        "jax.set_mesh",
        Way.REWRITE,
        Life("", "0.7.1", "0.7.0"),
        is_entered=True,
        steps="`jax.set_mesh` enters the mesh when it is called, not when `with` does: call it there",
    ),
    Name("jax.stages.OutInfo", "jax.ShapeDtypeStruct", Way.TYPE, Life("", "0.7.0")),
    Name("jax.custom_derivatives.custom_jvp_call_jaxpr_p", "", Way.BY_HAND, Life("0.7.0", "0.8.0"), steps=_INTERNAL),
)

NAMES = (*CORE, *MODULES, *LIB, *EXPERIMENTAL, *SHARDING)
