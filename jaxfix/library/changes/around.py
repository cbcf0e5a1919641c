"""Names of the libraries around JAX that are gone or going. Their versions are those of the libraries."""

from jaxfix.library.changes.row import Life, Name, Way, family

_LINEN = "`flax.linen` has its layers: modules are dataclasses, and parameters are passed to `apply`"
_RNGS = "`flax.nnx.split_rngs` splits the streams, and `flax.nnx.StateAxes` says along which axis"
_OF_ORBAX = "it is internal to orbax: save and restore by a `Checkpointer`, or write it out"
_STACKED = "`jax.vmap` of the gradients and an estimator of your own take its place"
_ORBAX = {
    "0.10.2": (
        *("utils.is_locked", "utils.are_locked", "utils.lockdir", "utils.get_tmp_directory"),
        *("utils.create_tmp_directory", "utils.ensure_atomic_save", "utils.on_commit_callback"),
        *("utils.is_supported_aggregation_type", "utils.is_supported_empty_aggregation_type"),
        "checkpoint_utils.unlock_existing_checkpoints",
    ),
    "0.5.20": ("utils.EmptyNode", "utils.should_skip_device_sync"),
    "0.11.25": (
        *("utils.async_makedirs", "utils.async_write_bytes", "utils.async_exists"),
        "utils.cleanup_tmp_directories",
    ),
}
"""The version that is known to be without them, by what is below `orbax.checkpoint`."""

NAMES = (
    Name("optax.additive_weight_decay", "optax.add_decayed_weights", Way.ALIAS, Life("0.0.9", "0.1.8")),
    Name("optax.AdditiveWeightDecayState", "optax.EmptyState", Way.ALIAS, Life("0.0.9", "0.1.8")),
    Name(
        "optax.maybe_update",
        "",
        Way.BY_HAND,
        Life("0.2.3", "0.2.5"),
        steps="`optax.transforms.conditionally_transform` passes the count to its condition",
    ),
    *(
        Name(f"optax.{last}", "", Way.BY_HAND, Life("0.1.6", "0.1.8"), steps=_STACKED)
        for last in (
            *("control_delta_method", "control_variates_jacobians", "measure_valued_jacobians"),
            *("moving_avg_baseline", "pathwise_jacobians", "score_function_jacobians"),
        )
    ),
    *(
        Name(f"optax.{last}", "", Way.BY_HAND, Life("0.1.6", "0.1.8"), steps="`optax.second_order` had it last")
        for last in ("fisher_diag", "hessian_diag", "hvp")
    ),
    *family(
        "optax.",
        "optax.contrib.",
        ("dpsgd", "differentially_private_aggregate", "DifferentiallyPrivateAggregateState"),
        Way.ALIAS,
        Life("0.2.3", "", "0.1.8"),
    ),
    *family(
        "optax.experimental.",
        "optax.contrib.",
        ("split_real_and_imaginary", "SplitRealAndImaginaryState"),
        Way.ALIAS,
        Life("", "0.1.8", "0.1.8"),
    ),
    Name("optax.experimental.named_chain", "optax.named_chain", Way.ALIAS, Life("", "0.1.8", "0.1.8")),
    Name(
        "optax.experimental.GradientTransformationWithExtraArgs",
        "optax.GradientTransformationExtraArgs",
        Way.REWRITE,
        Life("", "0.1.8"),
    ),
    Name(
        "optax.tree_utils.tree_l2_norm",
        "{@optax.tree.norm}({tree}[[, squared={squared}]])",
        Way.REWRITE,
        Life("0.2.5", "", "0.2.5"),
        parameters=("tree", "squared"),
    ),
    Name(
        "optax.tree_utils.tree_l1_norm",
        "{@optax.tree.norm}({tree}, ord=1)",
        Way.REWRITE,
        Life("0.2.5", "", "0.2.5"),
        parameters=("tree",),
    ),
    Name("optax.tree_utils.tree_scalar_mul", "optax.tree.scale", Way.ALIAS, Life("0.2.5", "", "0.2.5")),
    Name("optax.tree_utils.tree_add_scalar_mul", "optax.tree.add_scale", Way.ALIAS, Life("0.2.5", "", "0.2.5")),
    *(
        Name(f"optax.monte_carlo.{last}", "", Way.BY_HAND, Life("", "0.2.8"), steps=_STACKED)
        for last in (
            *("control_delta_method", "control_variates_jacobians", "measure_valued_jacobians"),
            *("moving_avg_baseline", "pathwise_jacobians", "score_function_jacobians"),
        )
    ),
    Name(
        "flax.optim",
        "",
        Way.BY_HAND,
        Life("0.3.5", "0.6.0"),
        is_module=True,
        steps="`optax` has its optimizers, and `TrainState` of `flax.training` holds their state",
    ),
    Name("flax.nn", "", Way.BY_HAND, Life("0.3.0", "0.4.0"), is_module=True, steps=_LINEN),
    Name("flax.deprecated.nn", "", Way.BY_HAND, Life("0.4.0", "0.6.0"), is_module=True, steps=_LINEN),
    Name("flax.linen.GeGLU", "", Way.BY_HAND, Life("", "0.10.0"), steps="write out its layer and its gate"),
    Name(
        "flax.linen.ConvLSTM",
        "",
        Way.BY_HAND,
        Life("", "0.6.4"),
        steps="use `flax.linen.ConvLSTMCell`, whose `initialize_carry` is a method",
    ),
    Name("flax.core.trace_level", "", Way.BY_HAND, Life("", "0.10.2"), steps="it is internal to flax"),
    *(Name(f"flax.nnx.{last}", "", Way.BY_HAND, Life("", "0.11.2"), steps=_RNGS) for last in ("fork", "ForkStates")),
    *(
        Name(
            f"flax.nnx.{last}",
            "",
            Way.BY_HAND,
            Life("", "0.10.7"),
            steps=f"`flax.nnx.{last.lower()}` takes a function of a module, where this took its class",
        )
        for last in ("Jit", "Pmap", "Remat", "Scan", "Vmap")
    ),
    *(
        Name(f"flax.nnx.{last}", "", Way.BY_HAND, Life("", "0.10.2"), steps="`flax.nnx.State({})` is an empty state")
        for last in ("Empty", "EMPTY")
    ),
    Name("flax.nnx.VariableState", "flax.nnx.Variable", Way.TYPE, Life("0.12.4", "", "0.11.2")),
    Name(
        "flax.nnx.with_sharding_constraint",
        "",
        Way.BY_HAND,
        Life("", "0.11.2"),
        steps="`jax.lax.with_sharding_constraint` takes an array, and the `NamedSharding` of a mesh",
    ),
    *(
        Name(
            f"haiku.experimental.{last}",
            "",
            Way.BY_HAND,
            Life("", "0.0.10"),
            steps="haiku names its modules by itself, and `jax.named_call` other functions",
        )
        for last in ("named_call", "profiler_name_scopes")
    ),
    Name(
        "haiku.jit",
        "",
        Way.BY_HAND,
        Life("", "0.0.8"),
        steps="`jax.jit` takes what `haiku.transform` returns, outside of the transformed function",
    ),
    *(
        Name(
            f"numpyro.contrib.module.{last}",
            "",
            Way.BY_HAND,
            Life("", "0.20.1"),
            steps="`flax_module`, `nnx_module` and `eqx_module` beside it register modules of other libraries",
        )
        for last in ("haiku_module", "random_haiku_module")
    ),
    Name(
        "numpyro.contrib.indexing", "numpyro.ops.indexing", Way.ALIAS, Life("0.9.0", "0.10.0", "0.9.0"), is_module=True
    ),
    Name(
        "numpyro.distributions.transforms.InvCholeskyTransform",
        "",
        Way.BY_HAND,
        Life("", "0.10.0"),
        steps="use `CholeskyTransform().inv`",
    ),
    Name(
        "orbax.checkpoint.checkpoint_utils.restore_args_from_target",
        "",
        Way.BY_HAND,
        Life("", "0.4.4"),
        steps="`construct_restore_args` beside it takes the target, and its shardings in place of a mesh",
    ),
    Name("orbax.checkpoint.lazy_utils", "", Way.BY_HAND, Life("", "0.3.1"), is_module=True, steps=_OF_ORBAX),
    *(
        Name(f"orbax.checkpoint.{last}", "", Way.BY_HAND, Life("", removed), steps=_OF_ORBAX)
        for removed, lasts in _ORBAX.items()
        for last in lasts
    ),
    *(
        Name(
            f"chex.{kind}Device", "", Way.BY_HAND, Life("", "0.1.5"), steps="`device.platform` says of which kind it is"
        )
        for kind in ("Cpu", "Gpu", "Tpu")
    ),
    Name("chex.assert_tree_all_close", "chex.assert_trees_all_close", Way.ALIAS, Life("0.1.0", "0.1.8")),
    Name(
        "chex.assert_tree_all_equal_structs", "chex.assert_trees_all_equal_structs", Way.ALIAS, Life("0.1.0", "0.1.8")
    ),
    Name("chex.assert_tree_all_equal_shapes", "chex.assert_trees_all_equal_shapes", Way.ALIAS, Life("0.1.0", "0.1.8")),
    Name(
        "chex.assert_tree_all_equal_comparator",
        "chex.assert_trees_all_equal_comparator",
        Way.ALIAS,
        Life("0.1.0", "0.1.8"),
    ),
    Name(
        "equinox.experimental",
        "",
        Way.BY_HAND,
        Life("", "0.10.5"),
        is_module=True,
        steps="layers with a state are in `equinox.nn`, and return a new `State`",
    ),
)
