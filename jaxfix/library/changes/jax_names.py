"""Names of `jax` itself, and of its modules for users, that are gone or going."""

from jaxfix.library.changes.row import Life, Name, Way, family

_TREES = Life("0.4.26", "0.6.0", "0.4.25")
_EARLY = Life("", "0.4.16")
_STACKED = "stack the shards, and `jax.device_put` them with a `NamedSharding`; every shard keeps its leading axis"
_KEPT = "use `jax.experimental.io_callback` and `jax.pure_callback`; each call says what it returns"
_FLAGS = "`jax.config` holds flags of jax alone: keep the project's own in `absl.flags` or the environment"
_INDEXED = Life("0.2.22", "0.3.2")
_AT = ("update", "set"), ("add", "add"), ("mul", "multiply"), ("min", "min"), ("max", "max")

TREES = (
    *family("jax.tree_", "jax.tree.", ("map",), Way.ALIAS, _TREES, "jax.tree_util.tree_"),
    *family(
        "jax.tree_",
        "jax.tree.",
        ("flatten", "leaves", "structure", "transpose", "unflatten"),
        Way.ALIAS,
        Life("0.4.6", "0.6.0", "0.4.25"),
        "jax.tree_util.tree_",
    ),
    *family(
        "jax.tree_",
        "jax.tree.",
        ("all", "reduce"),
        Way.ALIAS,
        Life("0.3.16", "0.4.13", "0.4.25"),
        "jax.tree_util.tree_",
    ),
    Name("jax.tree_multimap", "jax.tree.map", Way.ALIAS, Life("0.3.5", "0.3.16", "0.4.25"), "jax.tree_util.tree_map"),
    Name(
        "jax.tree_util.tree_multimap",
        "jax.tree.map",
        Way.ALIAS,
        Life("0.3.5", "0.3.16", "0.4.25"),
        "jax.tree_util.tree_map",
    ),
    *family("jax.", "jax.tree_util.", ("treedef_is_leaf",), Way.ALIAS, Life("0.4.6", "0.6.0")),
    *family("jax.", "jax.tree_util.", ("treedef_children", "treedef_tuple"), Way.ALIAS, Life("0.3.16", "0.4.13")),
    Name(
        "jax.tree_util.build_tree",
        "",
        Way.BY_HAND,
        Life("0.6.0", "0.7.0"),
        steps="`jax.tree.unflatten` takes leaves, where this took a nest of them",
    ),
    Name(
        "jax.tree_util.GetitemKeyPathEntry",
        "",
        Way.BY_HAND,
        Life("0.4.20", "0.4.25"),
        steps="`jax.tree_util.SequenceKey` is one of a list, and `DictKey` one of a dictionary",
    ),
    Name(
        "jax.tree_util.AttributeKeyPathEntry",
        "",
        Way.BY_HAND,
        Life("0.4.20", "0.4.25"),
        steps="`jax.tree_util.GetAttrKey` is one of an attribute",
    ),
    Name(
        "jax.tree_util.register_keypaths",
        "",
        Way.BY_HAND,
        Life("0.4.6", "0.4.24"),
        steps="`jax.tree_util.register_pytree_with_keys` takes a function that flattens, in place of the keys",
    ),
)

UPDATES = (
    *(
        Name(
            f"jax.ops.index_{old}",
            f"{{x}}.at[{{idx}}].{new}({{y}})",
            Way.REWRITE,
            _INDEXED,
            parameters=("x", "idx", "y"),
        )
        for old, new in _AT
    ),
    Name("jax.ops.index", "jax.numpy.index_exp", Way.ALIAS, _INDEXED),
)

TYPES = (
    *(
        Name(old, "jax.Array", Way.TYPE, Life(life.deprecated, life.removed, "0.4.1"), "jax.numpy.ndarray")
        for old, life in (
            ("jax.random.KeyArray", Life("0.4.16", "0.4.24")),
            ("jax.random.PRNGKeyArray", Life("0.4.16", "0.4.24")),
            ("jax.numpy.DeviceArray", Life("0.4.7", "0.4.14")),
            ("jax.interpreters.xla.DeviceArray", Life("0.4.7", "0.4.10")),
            ("jax.xla.DeviceArray", Life("0.4.7", "0.4.10")),
            ("jax.pxla.ShardedDeviceArray", Life("0.4.7", "0.4.14")),
            ("jax.interpreters.xla.Buffer", Life("0.4.7", "0.4.13")),
            ("jax.interpreters.pxla.ShardedDeviceArray", Life("0.4.7", "0.4.16")),
            ("jax.lib.xla_extension.DeviceArray", Life("", "0.4.13")),
            ("jax.lib.xla_extension.ArrayImpl", Life("0.5.0", "0.6.0")),
            ("jax.lib.xla_client.ArrayImpl", Life("0.5.0", "0.6.0")),
            ("jaxlib.xla_extension.DeviceArray", Life("", "0.4.13")),
        )
    ),
    Name("jax.lib.xla_extension.Device", "jax.Device", Way.ALIAS, Life("0.6.0", "0.7.0")),
    Name("jax.lib.xla_client.Device", "jax.Device", Way.ALIAS, Life("0.4.36", "0.4.38")),
    Name(
        "jax.lib.xla_extension.XlaRuntimeError",
        "jax.errors.JaxRuntimeError",
        Way.ALIAS,
        Life("0.4.38", "0.6.0", "0.5.0"),
    ),
    Name(
        "jax.lib.xla_client.XlaRuntimeError", "jax.errors.JaxRuntimeError", Way.ALIAS, Life("0.4.36", "0.4.38", "0.5.0")
    ),
)

NUMPY = (
    *(
        Name(f"jax.numpy.{old}", f"jax.numpy.{new}", Way.ALIAS, Life("0.4.12", "0.4.16"))
        for old, new in (("product", "prod"), ("cumproduct", "cumprod"), ("sometrue", "any"), ("alltrue", "all"))
    ),
    Name("jax.numpy.row_stack", "jax.numpy.vstack", Way.ALIAS, Life("0.4.16", "0.4.24")),
    Name("jax.numpy.trapz", "jax.numpy.trapezoid", Way.ALIAS, Life("0.4.16", "0.4.24", "0.4.26")),
    Name("jax.numpy.round_", "jax.numpy.round", Way.ALIAS, Life("0.4.38", "0.5.0")),
    Name("jax.numpy.fix", "jax.numpy.trunc", Way.REWRITE, Life("0.9.0", "0.10.0")),
    Name(
        "jax.numpy.msort",
        "{@jax.numpy.sort}({a}, axis=0)",
        Way.REWRITE,
        Life("0.4.1", "0.4.9"),
        parameters=("a",),
    ),
    Name(
        "jax.numpy.in1d",
        "{@jax.numpy.isin}({ar1}, {ar2}[[, assume_unique={assume_unique}]][[, invert={invert}]]).ravel()",
        Way.REWRITE,
        Life("0.4.16", "0.4.24"),
        parameters=("ar1", "ar2", "assume_unique", "invert"),
    ),
    Name("jax.numpy.NINF", "-{@jax.numpy.inf}", Way.REWRITE, Life("0.4.16", "0.4.24"), is_text=True),
    Name("jax.numpy.PZERO", "0.0", Way.REWRITE, Life("0.4.16", "0.4.24"), is_text=True),
    Name("jax.numpy.NZERO", "-0.0", Way.REWRITE, Life("0.4.16", "0.4.24"), is_text=True),
    Name(
        "jax.numpy.issubsctype",
        "",
        Way.BY_HAND,
        Life("0.4.16", "0.4.24"),
        steps="`jnp.issubdtype` takes dtypes, where this took arrays as well",
    ),
    Name("jax.scipy.linalg.tril", "jax.numpy.tril", Way.ALIAS, Life("0.4.16", "0.4.24")),
    Name("jax.scipy.linalg.triu", "jax.numpy.triu", Way.ALIAS, Life("0.4.16", "0.4.24")),
    Name(
        "jax.scipy.special.sph_harm",
        "",
        Way.BY_HAND,
        Life("0.7.0", "0.10.0"),
        steps="`sph_harm_y(n, m, phi, theta)` takes the same in another order",
    ),
    *(
        Name(
            f"jax.scipy.special.{last}",
            "",
            Way.BY_HAND,
            Life("0.5.3", ""),
            steps="`sph_harm_y` has the spherical harmonics that it was for",
        )
        for last in ("lpmn", "lpmn_values")
    ),
    Name("jax.nn.normalize", "jax.nn.standardize", Way.ALIAS, Life("0.4.15", "0.4.28")),
)

RANDOM = (
    Name(
        "jax.random.shuffle",
        "{@jax.random.permutation}({key}, {x}[[, axis={axis}]], independent=True)",
        Way.REWRITE,
        Life("0.2.12", "0.4.31"),
        parameters=("key", "x", "axis"),
    ),
    *(
        Name(
            f"jax.random.{impl}_key",
            f'{{@jax.random.PRNGKey}}({{seed}}, impl="{impl}")',
            Way.REWRITE,
            Life("0.4.16", "0.4.24"),
            parameters=("seed",),
        )
        for impl in ("threefry2x32", "rbg", "unsafe_rbg")
    ),
    Name(
        "jax.random.default_prng_impl",
        "",
        Way.BY_HAND,
        Life("0.4.16", "0.4.24"),
        steps="`jax.random.key_impl(key)` tells that of a key",
    ),
    *family(
        "jax.prng.",
        "jax.extend.random.",
        ("seed_with_impl", "threefry2x32_p", "threefry_2x32", "threefry_prng_impl", "rbg_prng_impl"),
        Way.ALIAS,
        Life("0.4.15", "0.4.24", "0.4.15"),
    ),
    Name("jax.random.threefry_2x32", "jax.extend.random.threefry_2x32", Way.ALIAS, Life("0.4.16", "0.4.24", "0.4.15")),
)

CONFIG = (
    Name("jax.config.config", "jax.config", Way.ALIAS, Life("0.4.9", "0.4.25")),
    *(
        row
        for place in ("jax.experimental.", "jax.experimental.x64_context.")
        for row in (
            Name(
                f"{place}enable_x64",
                "{@jax.enable_x64}({new_val|True})",
                Way.REWRITE,
                Life("0.8.0", "0.9.0", "0.8.0"),
                parameters=("new_val",),
            ),
            Name(
                f"{place}disable_x64",
                "{@jax.enable_x64}(False)",
                Way.REWRITE,
                Life("0.8.0", "0.9.0", "0.8.0"),
                parameters=("",),
            ),
        )
    ),
    *(
        Name(f"{place}{last}", "", Way.BY_HAND, Life("0.4.20", "0.4.25"), steps=_FLAGS)
        for place in ("jax.config.", "jax.config.config.")
        for last in (
            *("check_exists", "DEFINE_bool", "DEFINE_integer", "DEFINE_float", "DEFINE_string", "DEFINE_enum"),
            *("define_bool_state", "define_enum_state", "define_int_state", "define_float_state"),
            *("define_string_state", "define_string_or_object_state"),
        )
    ),
    Name("jax.clear_backends", "jax.extend.backend.clear_backends", Way.ALIAS, Life("0.4.26", "0.4.36", "0.4.26")),
    Name(
        "jax.cloud_tpu_init",
        "",
        Way.BY_HAND,
        Life("0.8.1", "0.11.0"),
        is_module=True,
        steps="delete the import: jax does this by itself",
    ),
)

TRANSFORMS = (
    *(
        Name(old, new, Way.ALIAS, Life("0.8.0", "0.9.2", "0.7.2"))
        for old, new in (
            *(("jax.array_ref", "jax.new_ref"), ("jax.ArrayRef", "jax.Ref")),
            *(("jax.experimental.mutable_array", "jax.new_ref"), ("jax.experimental.MutableArray", "jax.Ref")),
        )
    ),
    Name(
        "jax.spmd_mode",
        "",
        Way.BY_HAND,
        Life("", "0.6.2"),
        steps="leave it out: arrays of several hosts are used as others are",
    ),
    Name("jax.partial", "functools.partial", Way.ALIAS, Life("", "0.3.2")),
    Name("jax.ad_checkpoint.checkpoint", "jax.checkpoint", Way.ALIAS, Life("0.8.2", "0.10.0")),
    Name("jax.ad_checkpoint.remat", "jax.remat", Way.ALIAS, Life("0.8.2", "0.10.0")),
    Name(
        "jax.xla_computation",
        "",
        Way.BY_HAND,
        Life("0.4.30", "0.4.36"),
        steps="`jax.jit(f).lower(x).compiler_ir('hlo')` gives the program",
    ),
    Name("jax.mask", "", Way.BY_HAND, Life("", "0.3.2"), steps="pad, and mask with `jnp.where`"),
    Name("jax.device_put_sharded", "", Way.BY_HAND, Life("0.8.1", "0.10.0"), steps=_STACKED),
    Name(
        "jax.device_put_replicated",
        "",
        Way.BY_HAND,
        Life("0.8.1", "0.10.0"),
        steps="`jax.device_put` with `NamedSharding(mesh, P())` leaves out the leading axis that this added",
    ),
    Name(
        "jax.custom_transforms",
        "",
        Way.BY_HAND,
        Life("", "0.3.2"),
        steps="use `jax.custom_jvp` and `jax.custom_vjp`",
    ),
    *(
        Name(
            f"jax.{old}",
            "",
            Way.BY_HAND,
            Life("", "0.3.2"),
            steps="use `jax.custom_jvp` and `jax.custom_vjp`",
        )
        for old in ("defjvp", "defjvp_all", "defvjp", "defvjp_all")
    ),
)

LAX = (
    Name("jax.lax.tie_in", "{y}", Way.REWRITE, Life("0.4.24", "0.4.30"), parameters=("x", "y")),
    Name("jax.lax.zeros_like_array", "jax.numpy.zeros_like", Way.ALIAS, Life("0.7.1", "0.9.0")),
    Name(
        "jax.lax.pvary",
        '{@jax.lax.pcast}({x}, {axis_name}, to="varying")',
        Way.REWRITE,
        Life("0.8.2", "0.10.0", "0.8.0"),
        parameters=("x", "axis_name"),
    ),
    Name("jax.lax.infeed", "", Way.BY_HAND, Life("", "0.7.0"), steps=_KEPT),
    Name("jax.lax.outfeed", "", Way.BY_HAND, Life("", "0.7.0"), steps=_KEPT),
    Name("jax.lax.xeinsum", "", Way.BY_HAND, Life("", "0.4.36"), steps="use `jnp.einsum`"),
    Name("jax.lax.pdot", "", Way.BY_HAND, Life("", "0.4.36"), steps="use `jax.lax.psum` of `jnp.dot`"),
    Name("jax.lax.prod", "math.prod", Way.ALIAS, _EARLY),
    Name(
        "jax.dlpack.to_dlpack",
        "",
        Way.BY_HAND,
        Life("0.6.0", "0.7.0"),
        steps="pass the array itself, not a capsule of it",
    ),
)

NAMES = (*TREES, *UPDATES, *TYPES, *NUMPY, *RANDOM, *CONFIG, *TRANSFORMS, *LAX)
