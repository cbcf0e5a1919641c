"""Names of the libraries around JAX that are gone or going. Their versions are those of the libraries."""

from jaxfix.library.changes.row import Life, Name, Way

_LINEN = "`flax.linen` has its layers: modules are dataclasses, and parameters are passed to `apply`"
_STACKED = "`jax.vmap` of the gradients and an estimator of your own take its place"

NAMES = (
    Name("optax.additive_weight_decay", "optax.add_decayed_weights", Way.ALIAS, Life("0.0.9", "0.1.8")),
    Name("optax.AdditiveWeightDecayState", "optax.EmptyState", Way.ALIAS, Life("0.0.9", "0.1.8")),
    Name(
        "optax.maybe_update",
        "",
        Way.BY_HAND,
        Life("0.2.3", "0.2.5"),
        steps="`optax.transforms.conditionally_transform` hands the count to its condition",
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
        steps="layers with a state are in `equinox.nn`, and hand their `State` on",
    ),
)
