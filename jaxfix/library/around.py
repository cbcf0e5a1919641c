"""What NumPy functions and of the libraries around JAX do; NumPy's that `jax.numpy` has too are there."""

from jaxfix.library.facets import Class, Dtype, Effect, Identity, Iteration, Member, Result, Transform, WeakType
from jaxfix.library.function import Function, Parameter

_OPTIMIZERS = (
    *("adabelief", "adadelta", "adafactor", "adagrad", "adam", "adamax", "adamaxw", "adamw", "adan", "amsgrad"),
    *("chain", "fromage", "lamb", "lars", "lion", "nadam", "nadamw", "novograd", "radam", "rmsprop", "rprop", "sgd"),
    *("sign_sgd", "sm3", "yogi"),
)
_SOLVERS = {
    "fun": (
        *("ArmijoSGD", "BFGS", "Broyden", "GradientDescent", "LBFGS", "NonlinearCG", "OptaxSolver", "PolyakSGD"),
        *("ProjectedGradient", "ScipyMinimize"),
    ),
    "residual_fun": ("GaussNewton", "LevenbergMarquardt"),
    "fixed_point_fun": ("AndersonAcceleration", "FixedPointIteration"),
    "optimality_fun": ("Bisection",),
}
_LOSSES = (
    *("convex_kl_divergence", "cosine_distance", "cosine_similarity", "ctc_loss", "hinge_loss", "huber_loss"),
    *("kl_divergence", "l2_loss", "log_cosh", "ntxent", "safe_softmax_cross_entropy", "sigmoid_binary_cross_entropy"),
    *("sigmoid_focal_loss", "smooth_labels", "softmax_cross_entropy", "softmax_cross_entropy_with_integer_labels"),
    "squared_error",
)
"""Of arrays, computed by several operations."""

FUNCTIONS = (
    Function("chex.Array", (Class.ARRAY,)),
    Function("chex.chexify", (Transform.TRACES,)),
    Function("chex.dataclass", (Effect.PURE_DECORATOR, Class.HIDES)),
    Function("click.argument", (Transform.TRANSPARENT,)),
    Function("click.command", (Transform.TRANSPARENT,)),
    Function("click.option", (Transform.TRANSPARENT,)),
    Function("diffrax.ControlTerm", (Transform.HOLDS,), calls=(Parameter(0, "vector_field"),)),
    Function("diffrax.Event", (Transform.HOLDS,), calls=(Parameter(0, "cond_fn"),)),
    Function("diffrax.ODETerm", (Transform.HOLDS,), calls=(Parameter(0, "vector_field"),)),
    Function("equinox.apply_updates", (WeakType.LOST, Result.REPLACED)),
    Function("equinox.error_if", (Effect.CALLS_BACK,)),
    Function("equinox.filter_checkpoint", (Identity.BY_VALUE,)),
    Function("equinox.filter_custom_jvp.def_jvp", (Transform.DERIVATIVE_RULE,)),
    Function("equinox.filter_custom_vjp.def_bwd", (Transform.DERIVATIVE_RULE,)),
    Function("equinox.filter_custom_vjp.def_fwd", (Transform.DERIVATIVE_RULE,)),
    Function("equinox.filter_eval_shape", (Transform.TRACES, Transform.SHAPES_ONLY)),
    Function(
        "equinox.filter_grad", (Transform.DIFFERENTIATES, Transform.REVERSE, Transform.ONLY_VALUES, Identity.BY_VALUE)
    ),
    Function(
        "equinox.filter_jit",
        (Transform.TRACES, Transform.COMPILES, Transform.DONATES, Transform.FILTERS, Identity.RENEWS),
    ),
    Function("equinox.filter_jvp", (Transform.DIFFERENTIATES,)),
    Function(
        "equinox.filter_pmap",
        (Transform.TRACES, Transform.COMPILES, Transform.FILTERS, Transform.PARALLEL, Identity.RENEWS),
    ),
    Function(
        "equinox.filter_value_and_grad",
        (
            Transform.DIFFERENTIATES,
            Transform.REVERSE,
            Transform.WITH_VALUE,
            Transform.ONLY_VALUES,
            Identity.BY_VALUE,
        ),
    ),
    Function("equinox.filter_vjp", (Transform.DIFFERENTIATES,)),
    Function("equinox.filter_vmap", (Transform.BATCHES, Transform.ONLY_VALUES, Identity.BY_VALUE)),
    Function("equinox.Module", (Class.MODULE, Class.HIDES, Class.MODEL)),
    Function("equinox.Partial", (Identity.BY_VALUE, Transform.BINDS, Class.HIDES)),
    Function("flax.jax_utils.replicate", (Effect.WAITS, Result.STACKED)),
    Function("flax.linen.Dense", (Class.DENSE,)),
    Function("flax.linen.Dropout", (Class.EMPTY,)),
    Function("flax.linen.Module", (Class.COPIED,)),
    Function("flax.linen.remat", (Transform.RECOMPUTES,)),
    Function("flax.linen.Sequential", (Class.EMPTY,)),
    Function("flax.linen.jit", (Transform.TRACES, Transform.COMPILES, Transform.LIFTED, Identity.RENEWS)),
    Function("flax.nnx.grad", (Transform.DIFFERENTIATES, Transform.REVERSE, Identity.RENEWS)),
    Function("flax.nnx.jit", (Transform.TRACES, Transform.COMPILES, Identity.RENEWS)),
    Function(
        "flax.nnx.value_and_grad", (Transform.DIFFERENTIATES, Transform.REVERSE, Transform.WITH_VALUE, Identity.RENEWS)
    ),
    Function("flax.nnx.Module", (Class.MODEL,)),
    Function("flax.nnx.remat", (Transform.RECOMPUTES,)),
    Function("flax.nnx.vmap", (Transform.BATCHES, Identity.RENEWS)),
    Function("flax.serialization.msgpack_serialize", (Result.NO_PART,)),
    Function("flax.serialization.to_bytes", (Result.NO_PART,)),
    Function("flax.struct.dataclass", (Effect.PURE_DECORATOR, Class.HIDES)),
    Function("haiku.Linear", (Class.DENSE,)),
    Function("haiku.Sequential", (Class.EMPTY,)),
    Function(
        "haiku.jit",
        (Transform.TRACES, Transform.COMPILES, Transform.LIFTED, Identity.RENEWS),
        versions="dm-haiku<0.0.9",
    ),
    Function("haiku.transform", (Transform.APPLIES,)),
    Function("haiku.transform_with_state", (Transform.APPLIES,)),
    Function("haiku.without_apply_rng", (Transform.APPLIES,)),
    Function("hydra.main", (Transform.TRANSPARENT,)),
    Function("jaxtyping.Array", (Class.ARRAY,)),
    *(Function(f"optax.{name}", (Identity.STATIC,)) for name in _OPTIMIZERS),
    *(Function(f"optax.{place}{name}", (Result.ARRAY,)) for place in ("", "losses.") for name in _LOSSES),
    *(
        Function(f"jaxopt.{name}", (Identity.OWN_PROGRAMS,), calls=(Parameter(0, taken),))
        for taken, names in _SOLVERS.items()
        for name in names
    ),
    Function("jaxopt.base.IterativeSolver.run", (Member.COMPILES, Member.STATELESS)),
    Function("jaxopt.base.IterativeSolver.update", (Member.COMPILES, Member.STATELESS)),
    Function("jaxopt.base.IterativeSolver.init_state", (Member.STATELESS,)),
    Function("numpy.array", (Effect.FETCHES,)),
    Function("numpy.asarray", (Effect.FETCHES,)),
    Function("numpy.datetime64", (Effect.WORLD,)),
    Function("numpy.fromfile", (Effect.WORLD,)),
    Function("numpy.genfromtxt", (Effect.WORLD,)),
    Function("numpy.get_printoptions", (Effect.WORLD,)),
    Function("numpy.geterr", (Effect.WORLD,)),
    Function("numpy.geterrcall", (Effect.WORLD,)),
    Function("numpy.load", (Effect.WORLD,)),
    Function("numpy.loadtxt", (Effect.WORLD,)),
    Function("numpy.memmap", (Effect.WORLD,)),
    Function("numpy.save", (Effect.WORLD,)),
    Function("numpy.savetxt", (Effect.WORLD,)),
    Function("numpy.savez", (Effect.WORLD,)),
    Function("numpy.savez_compressed", (Effect.WORLD,)),
    Function("numpy.set_printoptions", (Effect.WORLD,)),
    Function("numpy.setbufsize", (Effect.WORLD,)),
    Function("numpy.seterr", (Effect.WORLD,)),
    Function("numpy.seterrcall", (Effect.WORLD,)),
    Function("optax.apply_updates", (WeakType.LOST,)),
    Function("optax.safe_increment", (Result.INCREMENT,)),
    Function("optax.safe_int32_increment", (Result.INCREMENT,)),
    Function("optax.tree.cast_like", (Dtype.LIKE,)),
    Function("optax.tree_utils.tree_cast", (Dtype.CAST,)),
    Function("optax.tree_utils.tree_cast_like", (Dtype.LIKE,)),
    Function("optimistix.fixed_point", (Transform.HOLDS,), calls=(Parameter(0, "fn"),)),
    Function("optimistix.least_squares", (Transform.HOLDS,), calls=(Parameter(0, "fn"),)),
    Function("optimistix.minimise", (Transform.HOLDS,), calls=(Parameter(0, "fn"),)),
    Function("optimistix.root_find", (Transform.HOLDS,), calls=(Parameter(0, "fn"),)),
    Function("tqdm.tqdm", (Iteration.SAME_LENGTH,)),
    Function("tqdm.trange", (Iteration.SAME_LENGTH, Iteration.COUNTS)),
)
